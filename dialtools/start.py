"""Entry points: `from dialtools.start import check` is dt-check."""

import atexit
import gc
import os
import sys
from importlib import import_module
from importlib.util import find_spec

from dialtools.ending import end_at_once


def __getattr__(name: str):
    if find_spec(f"dialtools.commands.{name}") is None:  # the import statement asks for __path__
        raise AttributeError(name)
    # modules and records are trees: to look for cycles among them so often costs a tenth
    gc.set_threshold(100_000)
    # nor does who ends look for any, which costs as much as all imports of our own
    atexit.register(gc.freeze)
    end_at_once()  # until the command is called: what pip writes around it knows of no Ctrl-C
    try:
        return import_module(f"dialtools.commands.{name}").main
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit(_without_click())


def _without_click() -> int:
    """Say that click is missing, without which no command can run; return the exit status."""
    from dialtools.errors import not_installed
    from dialtools.terminal import say

    error = not_installed("click")
    say(os.path.basename(sys.argv[0]), str(error))
    return error.exit_status
