"""A table before it is written: cells, heads, and what stands above and below it."""

from collections.abc import Sequence
from typing import NamedTuple

NOTHING = "–"
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
LEVELS = ", ".join(f"{marks} p < {bound:g}" for bound, marks in reversed(STARS))


class Cell(NamedTuple):
    """A number or a text; spread: its interval, "± 1.3" or "[0.2, 4.1]"."""

    text: str
    spread: str = ""
    stars: str = ""
    best: bool = False


class Grid(NamedTuple):
    """A table.

    names: how many of the first columns name a row.
    blocks: the rows that begin a block.
    optional: the columns that are left out first where a line has no room, the last one first.
    aside: LaTeX has it as a comment.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[bool]
    above: Sequence[str] = ()
    names: int = 1
    blocks: Sequence[int] = ()
    optional: Sequence[int] = ()
    aside: bool = False

    def chosen(self, columns: Sequence[int]) -> "Grid":
        """Return the table with some of its columns."""
        rows = [[row[at] for at in columns] for row in self.rows]
        return self._replace(
            head=[self.head[at] for at in columns],
            rows=rows,
            right=[self.right[at] for at in columns],
            optional=(),
            names=sum(at < self.names for at in columns),
        )

    def turned(self) -> "Grid":
        """Return the table with a row for each column behind the one that names the rows."""
        columns = list(zip(*self.rows, strict=True))
        rows = [
            [Cell(name), *column] for name, column in zip(self.head[1:], columns[1:], strict=True)
        ]
        head = ["", *(cell.text for cell in columns[0])]
        return Grid(head, rows, [False, *[True] * (len(head) - 1)], self.above)


class Page(NamedTuple):
    """Tables, and what stands below them; verdicts are comments in LaTeX."""

    grids: Sequence[Grid]
    notes: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    signatures: Sequence[str] = ()


def stars(p: float | None) -> str:
    """Return the marks of a p."""
    return "" if p is None else next((marks for bound, marks in STARS if p < bound), "")
