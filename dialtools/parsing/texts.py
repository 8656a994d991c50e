"""The texts of a record and their tokens: in each turn, beside "text", under KEY_tokens.

The tokens of a string under KEY are a list; those of a list of strings are a
list of such lists, in its order.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dialtools.records import validation
from dialtools.system.errors import RecordError

ALSO = ("context", "reference", "prediction")


class Text(NamedTuple):
    """A text of a record, its tokens or None, and its place in words."""

    text: str
    tokens: list[dict] | None
    where: str


def key(also: str) -> str:
    """Return the key for the tokens of a string.

    >>> key("reference")
    'reference_tokens'
    """
    return f"{also}_tokens"


def texts(view: dict, also: Iterable[str] = ()) -> list[Text]:
    """Return the texts of a record whose dialogue is a list, turns first.

    also: further keys; RecordError if one is missing.
    """
    found = [
        Text(turn["text"], turn.get("tokens"), f"in turn {number}")
        for number, turn in enumerate(view.get("dialogue") or [], 1)
    ]
    if view.get("text") is not None:
        found.append(Text(view["text"], view.get("tokens"), "beside its text"))
    for name in also:
        validation.require(view, name)
        strings = [view[name]] if isinstance(view[name], str) else view[name]
        tokens = _tokens(view, name, len(strings))
        found += [
            Text(string, own, f"of its {name}") for string, own in zip(strings, tokens, strict=True)
        ]
    return found


def _tokens(view: dict, name: str, count: int) -> list:
    """Return the tokens, or None, of each string under a key."""
    tokens = view.get(key(name))
    if tokens is None:
        return [None] * count
    lists = [tokens] if isinstance(view[name], str) else tokens
    if not all(
        isinstance(own, list) and all(isinstance(token, dict) for token in own) for own in lists
    ):
        raise RecordError(f'"{key(name)}" must be a list of tokens for each string of "{name}"')
    if len(lists) != count:
        raise RecordError(f'"{key(name)}" has tokens for {len(lists)} texts, "{name}" has {count}')
    return lists


def with_tokens(view: dict, also: Iterable[str], lists: Iterator[list[dict]]) -> dict:
    """Return the record with the next list of tokens for each of its `texts`."""
    made = dict(view)
    if view.get("dialogue"):
        made["dialogue"] = [{**turn, "tokens": next(lists)} for turn in view["dialogue"]]
    if view.get("text") is not None:
        made["tokens"] = next(lists)
    for name in also:
        is_one = isinstance(view[name], str)
        made[key(name)] = next(lists) if is_one else [next(lists) for _ in view[name]]
    return made
