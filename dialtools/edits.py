"""Span edits on a record: applied once, undone exactly; tokens follow the text.

An edit is [pointer, start, end, before, after].  The pointer (a JSON Pointer)
leads to a string, where start and end are code points and before and after
strings, or to a list, where they are indexes and lists.  Positions are those
of the unedited record; edits of one string or list do not overlap.  A sixth
item, a note that says what was done, goes with the edit wherever that goes.
"""

import functools
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from dialtools import dialogue
from dialtools.errors import RecordError, show
from dialtools.spans import moving


class _Spans(NamedTuple):
    """What stands beside a text: under which key the text is, and how the spans change and move with it."""

    text: str
    changes: Callable[[list[dict], list[list]], list[list]]
    shifted: Callable[[list[dict], list[list], set[int]], list[dict]]


class _Node(NamedTuple):
    """The edits of a value, in their order, and those of what is in it."""

    edits: list[list]
    below: dict[str, "_Node"]  # by the next part of a pointer


_SPANS = {"tokens": _Spans("text", moving.changes, moving.shifted),  # of a list of strings they are a list of lists
          "entities": _Spans("text", moving.entity_changes, moving.entities_shifted),
          **{f"{key}_tokens": _Spans(key, moving.changes, moving.shifted)
             for key in ("context", "reference", "prediction")}}
_PLACE = itemgetter(1, 2)
_UNEDITED = _Node([], {})


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
    _follow(record, tree, "", followed)
    made = edits + followed
    return _edited(record, _tree(made) if followed else tree, children_first=True, record=record), made


def undo(record: dict, edits: list[list]) -> dict:
    """Return the record as it was before the edits; RecordError where it was changed since, or they are none."""
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
            problem += f"; there is no {show(error.args[0])}: the --…-key options of the change are wanted here, too"
        raise RecordError(problem, record) from None


def _by_pointer(edits: list[list]) -> dict[str, list[list]]:
    groups: dict[str, list[list]] = {}
    for edit in edits:
        groups.setdefault(edit[0], []).append(edit)
    return groups


def _tree(edits: list[list]) -> _Node:
    """Return the edits by where they are, so that each container is copied once."""
    root = _Node([], {})
    for pointer, group in _by_pointer(edits).items():
        node = root
        for part in _path(pointer):
            node = node.below.get(part) or node.below.setdefault(part, _Node([], {}))
        node.edits.extend(sorted(group, key=_PLACE))
    return root


@functools.lru_cache(maxsize=1000)
def _path(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _edited(value, node: _Node, children_first: bool, record: dict):
    """Return a copy with the edits of a node made; a list is spliced after its items, or before when undoing."""
    if node.edits and not children_first:
        value = _spliced(value, node.edits, record)
    if node.below:
        value = list(value) if isinstance(value, list) else dict(value)
        if isinstance(value, dict):
            _shift(value, node)
        for part, below in node.below.items():
            at = int(part) if isinstance(value, list) else part
            value[at] = _edited(value[at], below, children_first, record)
    if node.edits and children_first:
        value = _spliced(value, node.edits, record)
    return value


def _spliced(value, edits: list[list], record: dict):
    pieces: list = []
    at = 0
    for edit in edits:
        start, end = edit[1], edit[2]
        if start < at or value[start:end] != edit[3]:
            raise RecordError(f"cannot edit {edit[0]} at {start}: it does not read as it should", record)
        pieces += value[at:start], edit[4]
        at = end
    pieces.append(value[at:])
    return "".join(pieces) if isinstance(value, str) else list(chain.from_iterable(pieces))


def _shift(value: dict, node: _Node) -> None:
    """Move what stands beside the texts of a dict, but for what is replaced anyway."""
    if _SPANS.keys().isdisjoint(value):
        return
    for path, spans, made, kind in list(_beside(value, node)):
        own = node
        for part in path:
            own = own.below.get(part, _UNEDITED)
        replaced = {i for edit in own.edits for i in range(edit[1], edit[2])}
        shifted = kind.shifted(spans, made, replaced)
        key, *index = path
        if index:
            value[key] = [shifted if str(i) == index[0] else other for i, other in enumerate(value[key])]
        else:
            value[key] = shifted


def _beside(value: dict, node: _Node) -> Iterator[tuple[list[str], list[dict], list[list], _Spans]]:
    """Yield (path, spans, edits of their text, their kind) for what stands beside an edited text."""
    for key, kind in _SPANS.items():
        text = node.below.get(kind.text)
        if text and value.get(key):
            if isinstance(value[kind.text], str):
                yield [key], value[key], text.edits, kind
            else:
                for number, item in text.below.items():
                    yield [key, number], value[key][int(number)], item.edits, kind


def _follow(value, node: _Node, pointer: str, made: list[list]) -> None:
    """Add the edits of tokens and entities that follow from the edits of the texts beside them."""
    if isinstance(value, dict) and not _SPANS.keys().isdisjoint(value):
        for path, spans, of_text, kind in _beside(value, node):
            made += (["/".join([pointer, *path]), *change] for change in kind.changes(spans, of_text))
    for part, child in node.below.items():
        if child.below:
            _follow(value[int(part) if isinstance(value, list) else part], child,
                    f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}", made)
