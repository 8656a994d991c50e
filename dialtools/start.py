"""Where programs get their command from: `from dialtools.start import check` is that of dt-check."""

import atexit
import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec


def __getattr__(name: str):
    if find_spec(f"dialtools.commands.{name}") is None:  # the import statement asks for __path__
        raise AttributeError(name)
    gc.set_threshold(100_000)  # modules and records are trees: to look for cycles among them so often costs a tenth
    atexit.register(gc.freeze)  # nor does who ends look for any, which costs as much as all imports of our own
    with ending_at_once():
        return import_module(f"dialtools.commands.{name}").main


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program in silence, with no exception.

    One among imports would show which module Python was at, or crash it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it is ignored, as in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
