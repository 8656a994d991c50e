"""Span edits on a record: applied once, undone exactly; tokens follow the text.

An edit is [pointer, start, end, before, after].  The pointer (a JSON Pointer) leads to a string,
where start and end are code points and before and after strings, or to a list, where they are
indexes and lists.  Positions are those of the unedited record; edits of one string or list do not
overlap.  A sixth item, a note that says what was done, goes with the edit wherever that goes.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from dialtools.records import dialogue, spans
from dialtools.system.errors import RecordError, show


class _Kind(NamedTuple):
    """A kind of spans: the key of their text, how edits change them, and how they move with it."""

    text: str
    changes: Callable[[list[dict], list[list]], list[list]]
    shifted: Callable[[list[dict], list[list], set[int]], list[dict]]


# Those of a list of strings are a list of lists.
_SPANS = {
    "tokens": _Kind("text", spans.token_changes, spans.tokens_shifted),
    "entities": _Kind("text", spans.entity_changes, spans.entities_shifted),
    **{
        f"{key}_tokens": _Kind(key, spans.token_changes, spans.tokens_shifted)
        for key in ("context", "reference", "prediction")
    },
}
_PLACE = itemgetter(1, 2)
_BESIDE = 20  # code points of an edit beside a span: a word, and signs
_LOST = "after the names were swapped, so that these cannot be followed: perturb first, then swap"
_UNFIT = (KeyError, IndexError, TypeError, ValueError, AttributeError)  # of edits of another record
# The edits of a value, in their order, and what is edited below it, by the next part of a pointer.
# Plain tuples: a NamedTuple takes a sixth more time to apply and to undo edits.
_Node = tuple[list[list], dict[str, "_Node"]]


def apply(record: dict, edits: list[list]) -> tuple[dict, list[list]]:
    """Return the edited record and the edits as made: on the string, if the dialogue is one.

    Tokens (dicts with "form", "start", "end" beside a "text") and entities are shifted, and changed
    where an edit lies within one; what is put in the place of several tokens, or of more than an
    entity, has none.
    """
    if not edits:
        return dict(record), []
    if isinstance(record.get("dialogue"), str):
        edits = dialogue.flatten(record["dialogue"], edits)
    tree = _tree(_by_pointer(edits))
    of_spans = list(_followed(record, tree[1], ""))
    if of_spans:
        edits = edits + of_spans
        tree = _tree(_by_pointer(edits))
    return _edited(record, tree, True, record), edits


def undo(record: dict, edits: list[list]) -> dict:
    """Return the record as it was before the edits; RecordError if it was changed since."""
    try:
        inverse = _by_pointer(edits)
        for pointer, group in inverse.items():
            shift = 0
            for place, (_, start, _, before, after, *_) in enumerate(group):
                first = start + shift
                group[place] = [pointer, first, first + len(after), after, before]
                shift += len(after) - len(before)
        return _edited(dict(record), _tree(inverse), False, record)
    except _UNFIT as error:
        problem = "cannot undo: the record no longer holds what was changed"
        if isinstance(error, KeyError) and isinstance(error.args[0], str):
            problem += (
                f"; there is no {show(error.args[0])}: the --key options of the change "
                "are wanted here, too"
            )
        raise RecordError(problem, record) from None


def redo(record: dict, edits: list[list]) -> dict:
    """Return the record with edits that `apply` made and `undo` has undone."""
    try:
        return _edited(dict(record), _tree(_by_pointer(edits)), True, record)
    except _UNFIT:
        raise RecordError(
            "cannot redo: the record does not hold what was changed", record
        ) from None


def of_texts(edits: list[list]) -> list[list]:
    """Return the edits of texts and turns, from which those of tokens and entities follow."""
    return [edit for edit in edits if _SPANS.keys().isdisjoint(edit[0].split("/"))]


def moved(
    places: list[tuple[str, int, int]], edits: list[list], record: dict
) -> list[tuple[str, int, int]]:
    """Return where spans of texts, (pointer, start, end), are after edits of the record.

    A span grows and shrinks with the edits within it.  Raise RecordError for edits of turns or of
    much beside a span, which do not tell where what they hold comes from.

    >>> moved([("/text", 3, 6)], [["/text", 0, 2, "Hi", "Hello"], ["/text", 3, 6, "Ann", "Bo"]], {})
    [('/text', 6, 8)]
    """
    for pointer, _, _, before, after, *_ in edits:
        if pointer == "/dialogue" and (not isinstance(after, str) or "\n" in before + after):
            raise RecordError(f"turns were added, joined or split {_LOST}", record)
    groups = _by_pointer(edits)
    moved_places = []
    for pointer, start, end in places:
        first, last = start, end
        for _, edit_start, edit_end, before, after, *_ in groups.get(pointer, ()):
            growth = len(after) - len(before)
            if edit_end <= start:
                first += growth
                last += growth
            elif edit_start < end:  # within the span, or across one of its ends
                if max(start - edit_start, edit_end - end) > _BESIDE:
                    raise RecordError(f"a whole text was replaced {_LOST}", record)
                first += min(edit_start - start, 0)
                last += max(edit_end - end, 0) + growth
        moved_places.append((pointer, first, last))
    return moved_places


def _by_pointer(edits: list[list]) -> dict[str, list[list]]:
    """Return the edits of each string or list, in their order there."""
    groups: dict[str, list[list]] = {}
    for edit in edits:
        groups.setdefault(edit[0], []).append(edit)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=_PLACE)
    return groups


def _tree(groups: dict[str, list[list]]) -> _Node:
    """Return edits by where they are, so that each container is copied once."""
    root: _Node = ([], {})
    for pointer, group in groups.items():
        node = root
        for part in pointer.split("/")[1:]:
            if "~" in part:
                part = part.replace("~1", "/").replace("~0", "~")
            node = node[1].setdefault(part, ([], {}))
        node[0].extend(group)
    return root


def _edited(value, node: _Node, children_first: bool, record: dict):
    """Return a copy with the edits of a node; a list is spliced after its items, in undo before."""
    edits, below = node
    if edits and not children_first:
        value = _spliced(value, edits, record)
    if below:
        value = list(value) if isinstance(value, list) else dict(value)
        if isinstance(value, dict) and not _SPANS.keys().isdisjoint(value):
            _shift(value, below)
        for part, child in below.items():
            place = int(part) if isinstance(value, list) else part
            value[place] = (
                _edited(value[place], child, children_first, record)
                if child[1]
                else _spliced(value[place], child[0], record)
            )
    if edits and children_first:
        value = _spliced(value, edits, record)
    return value


def _spliced(value, edits: list[list], record: dict):
    pieces: list = []
    end = 0  # of the edit before
    for edit in edits:
        start = edit[1]
        if start < end or value[start : edit[2]] != edit[3]:
            raise RecordError(
                f"cannot edit {edit[0]} at {start}: it does not read as it should", record
            )
        pieces += value[end:start], edit[4]
        end = edit[2]
    pieces.append(value[end:])
    return "".join(pieces) if isinstance(value, str) else list(chain.from_iterable(pieces))


def _shift(value: dict, below: dict[str, _Node]) -> None:
    """Move spans beside the texts of a dict, except those that are replaced anyway."""
    for path, list_of_spans, text_edits, kind in list(_beside(value, below)):
        node: _Node = ([], below)
        for part in path:
            node = node[1].get(part, ([], {}))
        replaced = {i for edit in node[0] for i in range(edit[1], edit[2])}
        shifted = kind.shifted(list_of_spans, text_edits, replaced)
        key, *index = path
        if index:
            value[key] = [
                shifted if str(i) == index[0] else item for i, item in enumerate(value[key])
            ]
        else:
            value[key] = shifted


def _beside(
    value: dict, below: dict[str, _Node]
) -> Iterator[tuple[list[str], list[dict], list[list], _Kind]]:
    """Yield (path, spans, edits of their text, their kind) for the spans beside edited texts."""
    for key, kind in _SPANS.items():
        if kind.text in below and value.get(key):
            text_edits, items = below[kind.text]
            if isinstance(value[kind.text], str):
                yield [key], value[key], text_edits, kind
            else:
                for index, (item_edits, _) in items.items():
                    yield [key, index], value[key][int(index)], item_edits, kind


def _followed(value, below: dict[str, _Node], pointer: str) -> Iterator[list]:
    """Yield the edits of tokens and entities that follow from the edits of the texts beside them."""
    if isinstance(value, dict) and not _SPANS.keys().isdisjoint(value):
        for path, list_of_spans, text_edits, kind in _beside(value, below):
            for change in kind.changes(list_of_spans, text_edits):
                yield ["/".join([pointer, *path]), *change]
    for part, (_, inner) in below.items():
        if inner:
            child = value[int(part) if isinstance(value, list) else part]
            escaped = part.replace("~", "~0").replace("/", "~1")
            yield from _followed(child, inner, f"{pointer}/{escaped}")
