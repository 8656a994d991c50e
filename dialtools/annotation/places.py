"""Where tokens stand in a record: in each turn, beside a "text", and under KEY_tokens for other strings.

The tokens of a string under KEY are a list; of a list of strings they are a
list of such lists, in its order.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dialtools.errors import RecordError
from dialtools.records import jsonl

ALSO = ("context", "reference", "prediction")


class Text(NamedTuple):
    """A text of a record, its tokens or None, and where it stands, in words."""

    text: str
    tokens: list[dict] | None
    where: str


def key(also: str) -> str:
    """Return the key of the tokens of a string.

    >>> key("reference")
    'reference_tokens'
    """
    return f"{also}_tokens"


def texts(view: dict, also: Iterable[str] = ()) -> list[Text]:
    """Return the texts of a record whose dialogue is a list, turns first; RecordError where it lacks one of `also`."""
    found = [Text(turn["text"], turn.get("tokens"), f"in turn {number}")
             for number, turn in enumerate(view.get("dialogue") or [], 1)]
    if view.get("text") is not None:
        found.append(Text(view["text"], view.get("tokens"), "beside its text"))
    for name in also:
        jsonl.check(view, name)
        strings = [view[name]] if isinstance(view[name], str) else view[name]
        found += [Text(string, there, f"of its {name}")
                  for string, there in zip(strings, _there(view, name, len(strings)), strict=True)]
    return found


def _there(view: dict, name: str, count: int) -> list:
    """Return the tokens, or None, of each string under a key."""
    tokens = view.get(key(name))
    if tokens is None:
        return [None] * count
    lists = [tokens] if isinstance(view[name], str) else tokens
    if not all(isinstance(one, list) and all(isinstance(token, dict) for token in one) for one in lists):
        raise RecordError(f'"{key(name)}" is a list of tokens for each string of "{name}"')
    if len(lists) != count:
        raise RecordError(f'"{key(name)}" has tokens for {len(lists)} texts, "{name}" has {count}')
    return lists


def placed(view: dict, also: Iterable[str], lists: Iterator[list[dict]]) -> dict:
    """Return the record with the next lists of tokens, one for each of its texts as `texts` has them."""
    made = dict(view)
    if view.get("dialogue"):
        made["dialogue"] = [{**turn, "tokens": next(lists)} for turn in view["dialogue"]]
    if view.get("text") is not None:
        made["tokens"] = next(lists)
    for name in also:
        made[key(name)] = next(lists) if isinstance(view[name], str) else [next(lists) for _ in view[name]]
    return made
