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

from dialtools import dialogue
from dialtools.errors import RecordError
from dialtools.spans import moving

# What stands beside a text: under which key the text is, and how the spans change and move with it.  Of a list of
# strings they are a list of lists.
_SPANS = {"tokens": ("text", moving.changes, moving.shifted),
          "entities": ("text", moving.entity_changes, moving.entities_shifted),
          **{f"{key}_tokens": (key, moving.changes, moving.shifted) for key in ("context", "reference", "prediction")}}
_PLACE = itemgetter(1, 2)
_HERE = object()  # the key, in a tree of pointers, of the edits of a node itself
_ONLY_HERE = {_HERE}  # those of one that has nothing edited below it


def apply(record: dict, edits: list[list]) -> tuple[dict, list[list]]:
    """Return the edited record and the edits as made: on the string, if the dialogue is one.

    Tokens (dicts with "form", "start", "end" beside a "text") and entities are
    shifted, and changed where an edit lies within one; what is put in the place
    of several tokens, or of more than an entity, has none.
    """
    record = dict(record)  # a new one even where there is nothing to edit
    if not edits:
        return record, []
    if isinstance(record.get("dialogue"), str):
        edits = dialogue.flatten(record["dialogue"], edits)
    tree = _tree(edits)
    followed: list[list] = []
    _follow(record, tree, "", followed)
    made = edits + followed
    return _edited(record, _tree(made) if followed else tree, children_first=True, record=record), made


def undo(record: dict, edits: list[list]) -> dict:
    """Return the record as it was before the edits; RecordError where it was changed since, or they are none."""
    record, inverse = dict(record), []
    try:
        for pointer, group in _by_pointer(edits).items():
            shift = 0
            for _, start, end, before, after, *_ in sorted(group, key=_PLACE):
                inverse.append([pointer, start + shift, start + shift + len(after), after, before])
                shift += len(after) - len(before)
        return _edited(record, _tree(inverse), children_first=False, record=record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise RecordError("cannot undo: the record no longer holds what was changed", record) from None


def _by_pointer(edits: list[list]) -> dict[str, list[list]]:
    groups: dict[str, list[list]] = {}
    for edit in edits:
        groups.setdefault(edit[0], []).append(edit)
    return groups


def _tree(edits: list[list]) -> dict:
    """Return {part: subtree, _HERE: edits}, so that each container is copied once."""
    root: dict = {}
    for pointer, group in _by_pointer(edits).items():
        node = root
        for part in _path(pointer):
            node = node.setdefault(part, {})
        node[_HERE] = sorted(group, key=_PLACE)
    return root


@functools.lru_cache(maxsize=1000)
def _path(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _edited(value, tree: dict, children_first: bool, record: dict):
    """Return a copy with the edits of a tree made; a list is spliced after its items, or before when undoing."""
    own = tree.get(_HERE)
    if own and len(tree) == 1:
        return _spliced(value, own, record)
    if own and not children_first:
        value = _spliced(value, own, record)
    value = list(value) if isinstance(value, list) else dict(value)
    if isinstance(value, dict):
        _shift(value, tree)
    for part, below in tree.items():
        if part is not _HERE:
            at = int(part) if isinstance(value, list) else part
            value[at] = _edited(value[at], below, children_first, record)
    return _spliced(value, own, record) if own and children_first else value


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


def _shift(value: dict, tree: dict) -> None:
    """Move what stands beside the texts of a dict, but for what is replaced anyway."""
    if _SPANS.keys().isdisjoint(value):
        return
    for path, spans, made, _, shift in list(_beside(value, tree)):
        node = tree
        for part in path:
            node = node.get(part, {})
        replaced = {i for edit in node.get(_HERE, []) for i in range(edit[1], edit[2])}
        shifted = shift(spans, made, replaced)
        key, *index = path
        if index:
            value[key] = [shifted if str(i) == index[0] else other for i, other in enumerate(value[key])]
        else:
            value[key] = shifted


def _beside(value: dict, tree: dict) -> Iterator[tuple[list[str], list[dict], list[list], Callable, Callable]]:
    """Yield (path, spans, edits of their text, their functions in _SPANS) for what stands beside an edited text."""
    for key, (text, *functions) in _SPANS.items():
        if text in tree and value.get(key):
            if isinstance(value[text], str):
                yield [key], value[key], tree[text].get(_HERE, []), *functions
            else:
                for part in [part for part in tree[text] if part is not _HERE]:
                    yield [key, part], value[key][int(part)], tree[text][part].get(_HERE, []), *functions


def _follow(value, tree: dict, pointer: str, made: list[list]) -> None:
    """Add the edits of tokens and entities that follow from the edits of the texts beside them."""
    if isinstance(value, dict) and not _SPANS.keys().isdisjoint(value):
        for path, spans, own, changes, _ in _beside(value, tree):
            made += (["/".join([pointer, *path]), *change] for change in changes(spans, own))
    for part, below in tree.items():
        if part is not _HERE and below.keys() != _ONLY_HERE:
            _follow(value[int(part) if isinstance(value, list) else part], below,
                    f"{pointer}/{part.replace('~', '~0').replace('/', '~1')}", made)
