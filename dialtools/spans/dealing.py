"""Edits of a text dealt to its tokens: which part of an edit is whose, and which tokens are gone.

An edit of more than one token that leaves their letters, in another case or two
in the other order, is dealt to them letter by letter.  One that takes text away
leaves what follows it.  One that puts another text in their place drops those
that it touches; what it leaves as it was at its ends is cut off first, if that
saves a token that it would cut through.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from os.path import commonprefix


def dealt(tokens: list[dict], edits: list[list]) -> tuple[list[list], dict[int, list[list]]]:
    """Return the edits as they fit, and those of each token that they touch, by index.

    edits: [pointer, start, end, before, after], sorted, positions in the old text.
    """
    made: list[list] = []
    inside: dict[int, list[list]] = {}
    for edit, first, last in _touching(tokens, edits):
        made.append(edit)
        for i, own in enumerate(_dealt(edit, tokens[first:last]), first):
            inside.setdefault(i, []).append(own)
    return made, inside


def fitted(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return the edits without what they leave as it was, as far as that matters to the tokens."""
    if all(retypes(edit) or not _shares(edit) for edit in edits):  # of most texts, and quickly seen
        return edits
    return [edit for edit, _, _ in _touching(tokens, edits)]


def _touching(tokens: list[dict], edits: list[list]) -> Iterator[tuple[list, int, int]]:
    """Yield each edit as it fits, and the indexes of the tokens that it touches, from and to."""
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    for edit in edits:
        first, last = _touched(edit, starts, ends)
        if last > first and not _within(edit, tokens[first]) and _shares(edit):
            edit = _trimmed(edit, tokens[first:last])
            first, last = _touched(edit, starts, ends)
        yield edit, first, last


def _touched(edit: list, starts: list[int], ends: list[int]) -> tuple[int, int]:
    start, end = edit[1:3]
    first = bisect_right(ends, start)  # the first token that ends after the start
    return first, bisect_left(starts, end, lo=first)


def _shares(edit: list) -> bool:
    """Do the old and the new text begin, or end, alike?  Of one old letter that does not matter: it is in one token."""
    before, after = edit[3:5]
    return len(before) > 1 and after != "" and (before[0] == after[0] or before[-1] == after[-1])


def _within(edit: list, token: dict) -> bool:
    return token["start"] <= edit[1] and edit[2] <= token["end"]


def _trimmed(edit: list, touched: Sequence[dict]) -> list:
    """Return an edit without what it leaves as it was at its ends: beside tokens, and all that it holds of one."""
    pointer, start, end, before, after = edit[:5]
    least, most = touched[0], touched[-1]
    limit = least["start"] if start <= least["start"] else touched[1]["start"] if len(touched) > 1 else end
    same = min(len(commonprefix((before, after))), limit - start)
    if start > least["start"] and start + same < least["end"]:
        same = 0
    start, before, after = start + same, before[same:], after[same:]
    limit = most["end"] if most["end"] <= end else touched[-2]["end"] if len(touched) > 1 else start
    same = min(len(commonprefix((before[::-1], after[::-1]))), end - max(limit, start))
    if end < most["end"] and end - same > most["start"]:
        same = 0
    return [pointer, start, end - same, before[:len(before) - same], after[:len(after) - same]]


def _dealt(edit: list, touched: list[dict]) -> list[list]:
    """Return the edit of each token that an edit touches; one that is gone has nothing left."""
    if touched and _within(edit, touched[-1]):
        return [edit]
    parts = [part(edit, token["start"], token["end"]) for token in touched]
    if retypes(edit) or not touched:
        return parts
    if not _keeps(edit, touched[-1]["start"]):
        return [[edit[0], token["start"], token["end"], token["form"], ""] for token in touched]
    return [[*own[:4], ""] for own in parts[:-1]] + [[*parts[-1][:4], edit[4]]]


def _keeps(edit: list, at: int) -> bool:
    """Does an edit only take away what stands before a place, or all, and leave the rest but for its case?"""
    return not edit[4] or (edit[1] < at and edit[3][at - edit[1]:].casefold() == edit[4].casefold())


def retypes(edit: list) -> bool:
    """Does an edit write the same letters, each in its place but for its case, or two the other way round?"""
    before, after = edit[3:5]
    return len(before) == len(after) and (before.casefold() == after.casefold() or before == after[1::-1])


def part(edit: list, start: int, end: int) -> list:
    """Return the part of an edit within a span, of which it writes as many letters as there were."""
    pointer, at, to, before, after = edit[:5]
    first, last = max(at, start), min(to, end)
    return [pointer, first, last, before[first - at:last - at], after[first - at:last - at]]
