"""Span edits on a record: applied once, undone exactly; tokens follow the text.

An edit is [pointer, start, end, before, after].  The pointer (a JSON Pointer)
leads to a string, where start and end are code points and before and after
strings, or to a list, where they are indexes and lists.  Positions are those
of the unedited record; edits of one string or list do not overlap.  A sixth
item, a note that says what was done, goes with the edit wherever that goes.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from dialtools.records import dialogue
from dialtools.records.spans import moving
from dialtools.system.errors import RecordError, show


class _Spans(NamedTuple):
    """The spans beside a text: the key of the text, and how the spans change and move with it."""

    text: str
    changes: Callable[[list[dict], list[list]], list[list]]
    shifted: Callable[[list[dict], list[list], set[int]], list[dict]]


# Those of a list of strings are a list of lists.
_SPANS = {
    "tokens": _Spans("text", moving.changes, moving.shifted),
    "entities": _Spans("text", moving.entity_changes, moving.entities_shifted),
    **{
        f"{key}_tokens": _Spans(key, moving.changes, moving.shifted)
        for key in ("context", "reference", "prediction")
    },
}
_POINTER, _PLACE = itemgetter(0), itemgetter(1, 2)
_BESIDE = 20  # code points of an edit beside a span: a word, and signs
_LOST = "after the names were swapped, so that these cannot be followed: perturb first, then swap"
# The edits of a value, in their order, and what is edited below it, by the next part of a pointer.
# Plain tuples: a
# NamedTuple takes a sixth more time to apply and to undo edits.
_Node = tuple[list[list], dict[str, "_Node"]]


def apply(record: dict, edits: list[list]) -> tuple[dict, list[list]]:
    """Return the edited record and the edits as made: on the string, if the dialogue is one.

    Tokens (dicts with "form", "start", "end" beside a "text") and entities are
    shifted, and changed where an edit lies within one; what is put in the place
    of several tokens, or of more than an entity, has none.
    """
    if not edits:
        return dict(record), []
    if isinstance(record.get("dialogue"), str):
        edits = dialogue.flatten(record["dialogue"], edits)
    tree = _tree(edits)
    followed: list[list] = []
    _follow(record, tree[1], "", followed)
    made = edits + followed
    return _edited(
        record, _tree(made) if followed else tree, children_first=True, record=record
    ), made


def undo(record: dict, edits: list[list]) -> dict:
    """Return the record as it was before the edits; RecordError if it was changed since."""
    inverse = []
    try:
        for pointer, group in _by_pointer(edits).items():
            shift = 0
            for _, start, end, before, after, *_ in sorted(group, key=_PLACE):
                inverse.append([pointer, start + shift, start + shift + len(after), after, before])
                shift += len(after) - len(before)
        return _edited(dict(record), _tree(inverse), children_first=False, record=record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        problem = "cannot undo: the record no longer holds what was changed"
        if isinstance(error, KeyError) and isinstance(error.args[0], str):
            problem += (
                f"; there is no {show(error.args[0])}: the --…-key options of the change "
                "are wanted here, too"
            )
        raise RecordError(problem, record) from None


def redo(record: dict, edits: list[list]) -> dict:
    """Return the record with edits that `apply` made and `undo` has undone."""
    try:
        return _edited(dict(record), _tree(edits), children_first=True, record=record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise RecordError(
            "cannot redo: the record does not hold what was changed", record
        ) from None


def moved(
    spans: list[tuple[str, int, int]], edits: list[list], record: dict
) -> list[tuple[str, int, int]]:
    """Return where spans of texts, (pointer, start, end), are after edits of the record.

    A span grows and shrinks with the edits within it.  Raise RecordError for edits of turns or of
    much beside a span, which do not tell where what they hold comes from.

    >>> moved([("/text", 3, 6)], [["/text", 0, 2, "Hi", "Hello"], ["/text", 3, 6, "Ann", "Bo"]], {})
    [('/text', 6, 8)]
    """
    groups = _by_pointer(edits)
    if any(
        not isinstance(edit[4], str) or "\n" in edit[3] + edit[4]
        for edit in edits
        if edit[0] == "/dialogue"
    ):
        raise RecordError(f"turns were added, joined or split {_LOST}", record)
    return [
        (pointer, *_moved(start, end, groups.get(pointer, ()), record))
        for pointer, start, end in spans
    ]


def _moved(start: int, end: int, edits: Iterable[list], record: dict) -> tuple[int, int]:
    """Return where a span of a text stands after its edits, which do not overlap."""
    first, last = start, end
    for edit in edits:
        at, to, grown = edit[1], edit[2], len(edit[4]) - len(edit[3])
        if at < end and to > start and max(start - at, to - end) > _BESIDE:
            raise RecordError(f"a whole text was replaced {_LOST}", record)
        if to <= start:
            first += grown
            last += grown
        elif at < end:  # within it, or across one of its ends
            first += min(at - start, 0)
            last += max(to - end, 0) + grown
    return first, last


def _by_pointer(edits: list[list]) -> dict[str, list[list]]:
    groups: dict[str, list[list]] = {}
    for pointer, own in groupby(edits, _POINTER):
        groups.setdefault(pointer, []).extend(own)
    return groups


def _tree(edits: list[list]) -> _Node:
    """Return the edits by where they are, so that each container is copied once."""
    root: _Node = ([], {})
    for pointer, group in _by_pointer(edits).items():
        own, below = root
        for part in _path(pointer):
            own, below = below.setdefault(part, ([], {}))
        own += sorted(group, key=_PLACE)
    return root


@functools.lru_cache(maxsize=1000)
def _path(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _edited(value, node: _Node, children_first: bool, record: dict):
    """Return a copy with the edits of a node; a list is spliced after its items, in undo before."""
    own, below = node
    if own and not children_first:
        value = _spliced(value, own, record)
    if below:
        value = list(value) if isinstance(value, list) else dict(value)
        if isinstance(value, dict):
            _shift(value, below)
        for part, child in below.items():
            at = int(part) if isinstance(value, list) else part
            value[at] = (
                _edited(value[at], child, children_first, record)
                if child[1]
                else _spliced(value[at], child[0], record)
            )
    if own and children_first:
        value = _spliced(value, own, record)
    return value


def _spliced(value, edits: list[list], record: dict):
    pieces: list = []
    at = 0
    for edit in edits:
        start, end = edit[1], edit[2]
        if start < at or value[start:end] != edit[3]:
            raise RecordError(
                f"cannot edit {edit[0]} at {start}: it does not read as it should", record
            )
        pieces += value[at:start], edit[4]
        at = end
    pieces.append(value[at:])
    return "".join(pieces) if isinstance(value, str) else list(chain.from_iterable(pieces))


def _shift(value: dict, below: dict[str, _Node]) -> None:
    """Move spans beside the texts of a dict, except those that are replaced anyway."""
    if _SPANS.keys().isdisjoint(value):
        return
    for path, spans, made, kind in list(_beside(value, below)):
        own: list[list] = []
        inner = below
        for part in path:
            own, inner = inner.get(part, ([], {}))
        replaced = {i for edit in own for i in range(edit[1], edit[2])}
        shifted = kind.shifted(spans, made, replaced)
        key, *index = path
        if index:
            value[key] = [
                shifted if str(i) == index[0] else other for i, other in enumerate(value[key])
            ]
        else:
            value[key] = shifted


def _beside(
    value: dict, below: dict[str, _Node]
) -> Iterator[tuple[list[str], list[dict], list[list], _Spans]]:
    """Yield (path, spans, edits of their text, their kind) for the spans beside edited texts."""
    for key, kind in _SPANS.items():
        if kind.text in below and value.get(key):
            of_text, items = below[kind.text]
            if isinstance(value[kind.text], str):
                yield [key], value[key], of_text, kind
            else:
                for number, (of_item, _) in items.items():
                    yield [key, number], value[key][int(number)], of_item, kind


def _follow(value, below: dict[str, _Node], pointer: str, made: list[list]) -> None:
    """Add the edits of tokens and entities that follow from the edits of the texts beside them."""
    if isinstance(value, dict) and not _SPANS.keys().isdisjoint(value):
        for path, spans, of_text, kind in _beside(value, below):
            made += (
                ["/".join([pointer, *path]), *change] for change in kind.changes(spans, of_text)
            )
    for part, (_, inner) in below.items():
        if inner:
            _follow(
                value[int(part) if isinstance(value, list) else part],
                inner,
                f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}",
                made,
            )
