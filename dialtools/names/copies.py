"""Copies of the input in an output, and the original text behind them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from dialtools.records import dialogue

NEAR = 12  # code points on either side that a copy has in common with the input


class SystemInput:
    """The renamed input as one text, with the original of each changed part."""

    def __init__(self, record: dict, edits: Iterable[list]):
        edits_of: dict[str, list[list]] = {}
        for edit in edits:
            edits_of.setdefault(edit[0], []).append(edit)
        parts: list[str] = []
        # what was changed: start, end, original
        self.changed: list[tuple[int, int, str]] = []
        length = 0
        for pointer, text in _texts(record):
            shift = length
            ordered = sorted(edits_of.get(pointer, ()), key=lambda edit: (edit[1], edit[2]))
            for _, start, _, before, after, *_ in ordered:
                self.changed.append((start + shift, start + shift + len(after), before))
                shift += len(after) - len(before)
            parts += [text, ": " if pointer.endswith("/speaker") else "\n"]
            length += len(text) + len(parts[-1])
        self.text = "".join(parts)

    def before(self, text: str, start: int, end: int, near: int = NEAR) -> str | None:
        """Return the original of a part of an output, None if the input does not tell.

        The input tells if it has the same text with the same neighbours in a line, and the
        same original in all such places.
        """
        first = max(start - near, text.rfind("\n", 0, start) + 1)
        following = text[end : end + near].partition("\n")[0]
        copied = text[first:end] + following
        originals = set()
        place = self.text.find(copied)
        while place >= 0:
            originals.add(self._original(place + start - first, place + end - first))
            place = self.text.find(copied, place + 1)
        return originals.pop() if len(originals) == 1 else None

    def _original(self, start: int, end: int) -> str | None:
        """Return what a part of the text was, None where a change goes beyond it."""
        parts, place = [], start
        first = bisect_left(self.changed, start, key=lambda change: change[1])
        behind = bisect_right(self.changed, end, key=lambda change: change[0])
        for change_start, change_end, before in self.changed[first:behind]:
            # what was deleted before it (d'Hugo) is not its own
            if change_end <= start or change_start >= end:
                continue
            if change_start < start or change_end > end:
                return None
            parts += [self.text[place:change_start], before]
            place = change_end
        return "".join([*parts, self.text[place:end]])


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
