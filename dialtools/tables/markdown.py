"""Pages in Markdown."""

import re
from collections.abc import Iterator

from dialtools.tables.anything import one_line
from dialtools.tables.grids import Cell, Page

_MARKS = re.compile(r"([\\`*_|~]|<(?=\S)|&(?=#?\w+;)|(?<=!)\[|\[(?=[^\]]*\]\())")


def lines(page: Page, width: int) -> Iterator[str]:
    """Yield the lines of tables, each after what stands above it, and of a list of notes."""
    for grid in page.grids:
        for text in grid.above:
            yield from (escaped(text), "")
        if grid.head:
            rule = ["---:" if right else "---" for right in grid.right]
            rows = [list(map(escaped, grid.head)), rule, *(map(_cell, row) for row in grid.rows)]
            yield from (f"| {' | '.join(row)} |" for row in rows)
            yield ""
    notes = [*page.notes, *(f"signature: {signature}" for signature in page.signatures)]
    yield from (f"- {escaped(note)}" for note in notes)


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _MARKS.sub(r"\\\1", one_line(text))


def _cell(cell: Cell) -> str:
    return " ".join(escaped(part) for part in cell[:3] if part)
