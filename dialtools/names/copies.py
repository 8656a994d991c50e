"""Copies of the input in an output, and the original text behind them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from dialtools.records import dialogue

NEAR = 12  # code points on either side that a copy has in common with the input


class Input:
    """The renamed input as one text, with the original of each changed part."""

    def __init__(self, record: dict, edits: Iterable[list]):
        changed: dict[str, list[list]] = {}
        for edit in edits:
            changed.setdefault(edit[0], []).append(edit)
        parts: list[str] = []
        self.spans: list[tuple[int, int, str]] = []  # what was changed: from, to, what it was
        at = 0
        for pointer, text in _texts(record):
            self.spans += _moved(changed.get(pointer, ()), at)
            parts += [text, ": " if pointer.endswith("/speaker") else "\n"]
            at += len(text) + len(parts[-1])
        self.text = "".join(parts)

    def before(self, text: str, start: int, end: int, near: int = NEAR) -> str | None:
        """Return the original of a part of an output, None if the input does not tell.

        The input tells if it has the same text with the same neighbours in a line, and the
        same original in all such places.
        """
        first = max(start - near, text.rfind("\n", 0, start) + 1)
        last = text[end : end + near].partition("\n")[0]
        copied = text[first:end] + last
        found = set()
        at = self.text.find(copied)
        while at >= 0:
            found.add(self._was(at + start - first, at + end - first))
            at = self.text.find(copied, at + 1)
        return found.pop() if len(found) == 1 else None

    def _was(self, start: int, end: int) -> str | None:
        """Return what a part of the text was, None where a change goes beyond it."""
        parts, at = [], start
        first = bisect_left(self.spans, start, key=lambda span: span[1])
        for left, right, was in self.spans[
            first : bisect_right(self.spans, end, key=lambda span: span[0])
        ]:
            if right <= start or left >= end:  # what was deleted before it (d'Hugo) is not its own
                continue
            if left < start or right > end:
                return None
            parts += [self.text[at:left], was]
            at = right
        return "".join([*parts, self.text[at:end]])


def _texts(record: dict) -> Iterator[tuple[str, str]]:
    """Yield (pointer, text) of all that a system reads of a record; a dialogue that is a string is
    one text.
    """
    if isinstance(record.get("dialogue"), str):
        yield "/dialogue", record["dialogue"]
        record = {**record, "dialogue": []}
    for pointer, text in dialogue.strings(record):
        if not pointer.startswith(("/reference", "/prediction")):
            yield pointer, text


def _moved(edits: Iterable[list], by: int) -> Iterator[tuple[int, int, str]]:
    """Yield where the edits of a text stand when they are made, moved by some code points: from,
    to, what was there.
    """
    for _, start, _, before, after, *_ in sorted(edits, key=lambda edit: (edit[1], edit[2])):
        yield start + by, start + by + len(after), before
        by += len(after) - len(before)
