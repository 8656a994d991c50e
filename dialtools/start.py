"""Where programs get their command from: `from dialtools.start import check` is that of dt-check.

Ctrl-C ends a program at once and in silence while its modules are imported,
where Python would show which one it was at.
"""

import _signal as signal  # what `signal` is made of; that one takes its time to be imported, too
from importlib import import_module
from importlib.util import find_spec


def __getattr__(name: str):
    if find_spec(f"dialtools.commands.{name}") is None:  # the import statement asks for __path__
        raise AttributeError(name)
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it is ignored, as in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = import_module(f"dialtools.commands.{name}").main
    signal.signal(signal.SIGINT, before)
    return command
