"""Edits of a text dealt to its tokens: which part of an edit is whose, and which tokens are gone.

An edit of more than one token that leaves their letters, in another case or two
in the other order, is dealt to them letter by letter.  One that takes text away
leaves what follows it.  One that puts another text in their place drops those
that it touches; what it leaves as it was at its ends is cut off first, if that
saves a token that it would cut through.
"""

from bisect import bisect_left, bisect_right
from os.path import commonprefix


def dealt(tokens: list[dict], edits: list[list]) -> tuple[list[list], dict[int, list[list]]]:
    """Return the edits as they fit, and those of each touched token by its index ([] for none).

    edits: [pointer, start, end, before, after], sorted, positions in the old text.
    """
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    fitting: list[list] = []
    inside: dict[int, list[list]] = {}
    for edit in edits:
        touched = _touched(edit, starts, ends)
        fit = _fit(edit, tokens[touched.start : touched.stop])
        left = touched if fit is edit else _touched(fit, starts, ends)
        fitting.append(fit)
        for i in touched:
            inside.setdefault(i, [])
        for i, own in zip(left, _dealt(fit, tokens[left.start : left.stop]), strict=True):
            inside[i].append(own)
    return fitting, inside


def fitted(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return the edits without the text that they leave as it was, where that matters to tokens."""
    if all(retypes(edit) or not _shares(edit) for edit in edits):  # of most texts, and quickly seen
        return edits
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    touched = (_touched(edit, starts, ends) for edit in edits)
    return [
        _fit(edit, tokens[own.start : own.stop]) for edit, own in zip(edits, touched, strict=True)
    ]


def _touched(edit: list, starts: list[int], ends: list[int]) -> range:
    """Return the indexes of the tokens that an edit touches."""
    start, end = edit[1:3]
    first = bisect_right(ends, start)  # the first token that ends after the start
    return range(first, bisect_left(starts, end, lo=first))


def _fit(edit: list, touched: list[dict]) -> list:
    is_trimmed = touched and not _within(edit, touched[0]) and _shares(edit)
    return _trimmed(edit, touched) if is_trimmed else edit


def _shares(edit: list) -> bool:
    """Return whether old and new text, of more than a letter, begin or end alike."""
    before, after = edit[3:5]
    return len(before) > 1 and after != "" and (before[0] == after[0] or before[-1] == after[-1])


def _within(edit: list, token: dict) -> bool:
    return token["start"] <= edit[1] and edit[2] <= token["end"]


def _trimmed(edit: list, touched: list[dict]) -> list:
    """Return an edit without the unchanged text at its ends, if that frees a token."""
    pointer, start, end, before, after = edit[:5]
    first = _stays(
        before, after, [(token["start"] - start, token["end"] - start) for token in touched]
    )
    backwards = [(end - token["end"], end - token["start"]) for token in reversed(touched)]
    last = _stays(before[first:][::-1], after[first:][::-1], backwards)
    return [
        pointer,
        start + first,
        end - last,
        before[first : len(before) - last],
        after[first : len(after) - last],
    ]


def _stays(before: str, after: str, spans: list[tuple[int, int]]) -> int:
    """Return how many letters an edit leaves unchanged before a token, or over all of it.

    spans: where the tokens that it touches begin and end, counted from where the edit does.
    """
    alike = len(commonprefix((before, after)))
    (start, end), *others = spans
    if start >= 0:
        return min(alike, start)
    following = others[0][0] if others else len(before)
    return min(alike, following) if alike >= end else 0


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
    """Return whether an edit only deletes text before a place; the case of the rest may change."""
    return not edit[4] or (
        edit[1] < at and edit[3][at - edit[1] :].casefold() == edit[4].casefold()
    )


def retypes(edit: list) -> bool:
    """Return whether an edit keeps all letters, perhaps in another case, or swaps two."""
    before, after = edit[3:5]
    return len(before) == len(after) and (
        before.casefold() == after.casefold() or before == after[1::-1]
    )


def part(edit: list, start: int, end: int) -> list:
    """Return the part of an edit within a span; it writes as many letters as there were."""
    pointer, at, to, before, after = edit[:5]
    first, last = max(at, start), min(to, end)
    return [pointer, first, last, before[first - at : last - at], after[first - at : last - at]]
