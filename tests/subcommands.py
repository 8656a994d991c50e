"""The commands within a command, such as generator within dt-train."""

from importlib import import_module
from importlib.util import find_spec

import click


def of(name: str) -> dict[str, click.Command]:
    """Return {name: command} of those within the command of a file, {} where there are none."""
    if find_spec(f"dialtools.commands.{name}") is None:
        return {}
    main = import_module(f"dialtools.commands.{name}").main
    return {part: main.get_command(None, part) for part in getattr(main, "parts", {})}
