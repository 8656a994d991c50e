"""Edits of two steps in the other order: what a later step did, had the earlier one done nothing.

Only edits of texts and of turns have an order; those of tokens and entities follow from them.
"""

from collections.abc import Iterable

from dialtools.records import edits
from dialtools.system.errors import RecordError

TURNS = "/dialogue"


def exchanged(earlier: list[list], later: list[list]) -> tuple[list[list], list[list]]:
    """Return what comes first if the later edits do, and then the earlier ones.

    Raise RecordError for a later edit of what an earlier one wrote, or of turns that one changed.

    >>> exchanged([["/text", 0, 2, "Hi", "Hello"]], [["/text", 9, 12, "Ann", "Annie"]])
    ([['/text', 6, 9, 'Ann', 'Annie']], [['/text', 0, 2, 'Hi', 'Hello']])
    >>> exchanged([["/dialogue", 0, 0, [], [{}]]], [["/dialogue/1/text", 0, 0, "", "Um, "]])
    ([['/dialogue/0/text', 0, 0, '', 'Um, ']], [['/dialogue', 0, 0, [], [{}]]])
    """
    groups = _by_pointer(earlier)
    turns = [edit for edit in groups.get(TURNS, ()) if _is_of_turns(edit)]
    first = []
    for pointer, start, end, *texts in later:
        if number := _turn(pointer):
            pointer = _renumbered(pointer, _before(pointer, *number, turns)[0])
        start, end = _before(pointer, start, end, groups.get(pointer, ()))
        if pointer == TURNS and isinstance(texts[1], list):
            for changed in groups:
                if (number := _turn(changed)) and start <= number[0] < end:
                    raise _dependent(changed)
        first.append([pointer, start, end, *texts])

    # those that stand before a place in the text between both steps
    groups_between = _by_pointer(later)
    turns_between = [edit for edit in groups_between.get(TURNS, ()) if _is_of_turns(edit)]
    then = []
    for pointer, group in groups.items():
        between = pointer
        if number := _turn(pointer):
            place = number[0] + _growth(turns, number[0])
            between = _renumbered(pointer, place)
            pointer = _renumbered(pointer, number[0] + _growth(turns_between, place))
        written = 0
        for _, start, end, old, new, *note in group:
            growth = _growth(groups_between.get(between, ()), start + written)
            then.append([pointer, start + growth, end + growth, old, new, *note])
            written += len(new) - len(old)
    return first, then


def reapplied(record: dict, made: list[list]) -> tuple[dict, list[list]]:
    """Return a record with edits that were made of another copy of it, and the edits as made here.

    The edits are of texts and turns alone, those of a dialogue that is one string of that string.
    """
    if not isinstance(record.get("dialogue"), str):
        return edits.apply(record, made)
    of_dialogue = [edit for edit in made if edit[0] == TURNS]
    changed, others = edits.apply(
        edits.redo(record, of_dialogue), [edit for edit in made if edit[0] != TURNS]
    )
    return changed, of_dialogue + others


def _by_pointer(made: Iterable[list]) -> dict[str, list[list]]:
    groups: dict[str, list[list]] = {}
    for edit in sorted(made, key=lambda edit: edit[1:3]):
        groups.setdefault(edit[0], []).append(edit)
    return groups


def _is_of_turns(edit: list) -> bool:
    return isinstance(edit[4], list)


def _turn(pointer: str) -> tuple[int, int] | None:
    """Return the number of the turn that a pointer leads into, and the next; None for no turn."""
    if not pointer.startswith(f"{TURNS}/"):
        return None
    number = int(pointer.split("/")[2])
    return number, number + 1


def _renumbered(pointer: str, number: int) -> str:
    return "/".join([TURNS, str(number), *pointer.split("/")[3:]])


def _before(pointer: str, start: int, end: int, earlier: Iterable[list]) -> tuple[int, int]:
    """Return where a span of an edited text, or list, was before; earlier: its edits in order."""
    growth = 0
    for _, first, _, old, new, *_ in earlier:
        if end <= first + growth:
            break
        if start < first + growth + len(new):
            raise _dependent(pointer)
        growth += len(new) - len(old)
    return start - growth, end - growth


def _growth(made: Iterable[list], place: int) -> int:
    """Return by how much the edits that end before a place lengthen the text, or list."""
    return sum(len(new) - len(old) for _, _, end, old, new, *_ in made if end <= place)


def _dependent(pointer: str) -> RecordError:
    return RecordError(f"what it wrote at {pointer} was changed later")
