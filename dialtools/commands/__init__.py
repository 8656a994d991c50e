"""The commands, one file each, and `main`, which every program of bin/ calls."""

import os
import sys


def main() -> None:
    """Run the command by whose name the program was called: dt-swap-names is swap_names.py."""
    import atexit
    import gc
    from importlib import import_module

    from dialtools.system.process import end_at_once

    end_at_once()  # Ctrl-C among the imports below ends the program without a traceback
    # Records and modules are trees: looking for cycles among them costs a tenth of the time,
    # and at the end as much as importing all modules of our own.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    # orjson reads 1,024 levels of lists and objects, and copying makes three calls for each.
    sys.setrecursionlimit(5_000)
    program = os.path.basename(sys.argv[0]).removesuffix(".exe").removesuffix(".py")
    name, arguments = program.removeprefix("dt-").replace("-", "_"), sys.argv[1:]
    if name == "dt":
        name, arguments = _chosen(arguments)
    try:
        command = import_module(f"dialtools.commands.{name}").main
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        from dialtools.system.errors import not_installed
        from dialtools.system.terminal import say

        missing = not_installed("click")
        say(program, str(missing))
        sys.exit(missing.exit_status)
    command(arguments)


def _chosen(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the command that `dt COMMAND …` runs, with its arguments; else dt itself.

    A shell that asks dt COMMAND for completions asks that command.
    """
    from importlib.util import find_spec

    asked = os.environ.get("COMP_WORDS", "").split() if "_DT_COMPLETE" in os.environ else []
    words = arguments or asked[1:]
    name = words[0].removeprefix("dt-").replace("-", "_") if words else ""
    is_complete = bool(arguments) or len(asked) > 2 or int(os.environ.get("COMP_CWORD") or 0) > 1
    is_command = name.isidentifier() and not name.startswith("_") and name != "dt"
    if not (is_complete and is_command and find_spec(f"dialtools.commands.{name}")):
        return "dt", arguments
    if asked:
        os.environ[f"_DT_{name.upper()}_COMPLETE"] = os.environ.pop("_DT_COMPLETE")
        os.environ["COMP_WORDS"] = os.environ["COMP_WORDS"].split(maxsplit=1)[1]
        os.environ["COMP_CWORD"] = str(int(os.environ["COMP_CWORD"]) - 1)
    return name, arguments[1:]
