"""Entry points: `from dialtools.system.start import check` is dt-check."""

import atexit
import gc
import os
import sys
from importlib import import_module
from importlib.util import find_spec

from dialtools.system.signals import end_at_once


def __getattr__(name: str):
    if find_spec(f"dialtools.commands.{name}") is None:  # the import statement asks for __path__
        raise AttributeError(name)
    # modules and records are trees: to look for cycles among them so often costs a tenth
    gc.set_threshold(100_000)
    # nor does who ends look for any, which costs as much as all imports of our own
    atexit.register(gc.freeze)
    arguments = None
    end_at_once()  # until the command is called: what pip writes around it knows of no Ctrl-C
    if name == "dt":
        name, arguments = _named(sys.argv[1:])
    try:
        main = import_module(f"dialtools.commands.{name}").main
        return main if arguments is None else lambda: main(arguments)
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit(_without_click())


def _named(arguments: list[str]) -> tuple[str, list[str] | None]:
    """Return the command that `dt COMMAND …` runs, with its arguments; else dt itself.

    A shell that asks dt COMMAND for completions asks that command.
    """
    asked = os.environ.get("COMP_WORDS", "").split() if "_DT_COMPLETE" in os.environ else []
    words = arguments or asked[1:]
    name = words[0].removeprefix("dt-").replace("-", "_") if words else ""
    is_whole = bool(arguments) or len(asked) > 2 or int(os.environ.get("COMP_CWORD") or 0) > 1
    if (
        not name.isidentifier()
        or name.startswith("_")
        or name == "dt"
        or not is_whole
        or not find_spec(f"dialtools.commands.{name}")
    ):
        return "dt", None
    if asked:
        os.environ[f"_DT_{name.upper()}_COMPLETE"] = os.environ.pop("_DT_COMPLETE")
        os.environ["COMP_WORDS"] = os.environ["COMP_WORDS"].split(maxsplit=1)[1]
        os.environ["COMP_CWORD"] = str(int(os.environ["COMP_CWORD"]) - 1)
    return name, arguments[1:]


def _without_click() -> int:
    """Say that click is missing, without which no command can run; return the exit status."""
    from dialtools.system.errors import not_installed
    from dialtools.system.terminal import say

    error = not_installed("click")
    say(os.path.basename(sys.argv[0]), str(error))
    return error.exit_status
