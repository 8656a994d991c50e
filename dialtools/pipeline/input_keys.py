"""--key: keys of records that the input calls otherwise, such as prediction=summary."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from dialtools.system.errors import OptionError, nearest

# what records may call otherwise; the rest is written by our own commands
NAMES = tuple("id cluster lang dialogue text context reference prediction system variant".split())


class KeyType(click.ParamType):
    """KEY=NAME, a key of ours and what the input calls it.

    read: the keys that the command uses.
    """

    name = "key"

    def __init__(self, read: Iterable[str]):
        self.read = tuple(read)

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        key, _, name = value.partition("=")
        if not key or not name:
            self.fail(f"{value!r} is not KEY=NAME, such as {self.read[-1]}=NAME", param, ctx)
        return key, name

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list:
        from click.shell_completion import CompletionItem

        return [CompletionItem(f"{key}=") for key in self.read if key.startswith(incomplete)]


def option(*read: str) -> Callable:
    """Make --key; read: the keys that the command uses."""

    def gathered(ctx: click.Context, param: click.Parameter, pairs: tuple) -> dict[str, str]:
        key = dict(pairs)
        if len(key) < len(pairs):
            raise OptionError("--key: a key of ours has one name in the input, not two")
        renaming(key)
        return key

    keys = dict.fromkeys(read)
    return click.option(
        "--key",
        type=KeyType(keys),
        multiple=True,
        metavar="KEY=NAME",
        callback=gathered,
        help=f"Read NAME of the input as KEY, such as {read[-1]}=NAME; repeat for several. "
        f"The command uses {', '.join(keys)}.",
    )


def renaming(key: Mapping[str, str] | None) -> dict[str, str]:
    """Return {the input's key: our key} of {our key: the input's key}; none may stand for two."""
    key = key or {}
    for our_key in key:
        if our_key not in NAMES:
            raise OptionError(
                f"--key {our_key}={key[our_key]}: no key of records is called {our_key}"
                f"{nearest(our_key, NAMES)}; there are {', '.join(NAMES)}"
            )
    names = {name: our_key for our_key, name in key.items()}
    are_chained = any(name in key and key[name] != our_key for our_key, name in key.items())
    if len(names) < len(key) or are_chained:
        raise OptionError(f"--key: one key of the input cannot stand for two: {', '.join(names)}")
    return names


def check_names(paths: Iterable[str | None], where: str, key: Mapping[str, str]) -> None:
    """Raise OptionError for a key that --key reads under another name.

    paths: keys, and paths that begin with one, that the options `where` name; None is none.
    """
    heads = {path.partition(".")[0] for path in paths if path}
    for our_key, name in key.items():
        if name in heads and name != our_key:
            raise OptionError(
                f'with --key {our_key}={name} that key is called "{our_key}" in {where}'
            )
