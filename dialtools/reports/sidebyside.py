"""Records before and after their last edits, side by side, for the eye."""

from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest

from dialtools import terminal
from dialtools.records import dialogue, edits, history

FIRST = 5  # records that are shown
_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"


def render(records: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of the first records that were changed, as wide as the terminal."""
    changed = (record for record in records if any(entry.get("edits")
                                                   for entry in history.run(record)))
    width, colours = max((terminal.columns() - 3) // 2, 2), terminal.colours()
    for record in islice(changed, FIRST):
        yield from (f"{line}\n".encode() for line in lines(record, width, colours))


def lines(record: dict, width: int, colours: bool) -> Iterator[str]:
    """Yield the lines of a record in two columns of a width; changes may be red and green."""
    before = record
    for entry in reversed(history.run(record)):
        before = edits.undo(before, entry["edits"])
    yield f"{record['id']}  {record.get('variant', '')}"
    for old, new in _rows(_texts(before), _texts(record)):
        before_colour, after_colour = (_RED, _GREEN) if colours and old != new else ("", "")
        columns = [list(_wrapped(text, width)) for text in (old, new)]
        for left, right in zip_longest(*columns, fillvalue=""):
            space = " " * (width - terminal.width(left))
            before_cell, after_cell = _coloured(left, before_colour), _coloured(right, after_colour)
            yield f"{before_cell}{space} | {after_cell}".rstrip()
    yield ""


def _rows(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts, before and after; equal texts stand side by side."""
    from difflib import SequenceMatcher

    for _, first, last, new_first, new_last in SequenceMatcher(None, before, after,
                                                               autojunk=False).get_opcodes():
        yield from zip_longest(before[first:last], after[new_first:new_last], fillvalue="")


def _texts(record: dict) -> list[str]:
    turns = [f"{turn['speaker']}: {turn['text']}" for turn in dialogue.turns(record)]
    others = [text for pointer, text in dialogue.strings(record)
              if not pointer.startswith("/dialogue/")]
    return turns + others


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text in a column, broken at spaces where there are any."""
    text = " ".join(text.split())
    start = used = 0
    for place, character in enumerate(text):
        used += terminal.width(character)
        while used > width:
            cut = text.rfind(" ", start + 1, place + 1)
            end = cut if cut > 0 else place
            yield text[start:end]
            start = end + (text[end] == " ")
            used = terminal.width(text[start:place + 1])
    yield text[start:]


def _coloured(text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}" if colour and text else text
