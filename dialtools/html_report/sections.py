"""What a page is made of: sections of sentences, tables and pictures; numbers and texts as they are shown.

Of the data's texts, what is long is cut.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

from dialtools.comparison.verdicts import shown
from dialtools.html_report.answers import Verdict
from dialtools.html_report.style import Mark
from dialtools.tables import grids

LONGEST_TEXT = 4_000  # characters


class TableCell(NamedTuple):
    """A cell of a table: its text, whether it is a number, and a small line below it."""

    text: str
    is_number: bool = False
    below: str = ""


class Line(NamedTuple):
    """A row of a table, with what readers choose rows by."""

    cells: Sequence[TableCell]
    system: str = ""
    lang: str = ""
    kind: str = ""


class Table(NamedTuple):
    """A table: what it shows, the names of its columns, its rows.

    heads: what several columns have in common, and how many they are.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Line]
    heads: Sequence[tuple[str, int]] = ()


class Picture(NamedTuple):
    """A picture: a name for files, its title, what it shows in words.

    draw: makes the figure.
    table: its numbers, where no table of its section has them.
    """

    name: str
    title: str
    description: str
    draw: Callable[[], Any]
    table: Table | None = None


class Section(NamedTuple):
    """A section of the page; name: for links."""

    name: str
    title: str
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    verdicts: Sequence[Verdict] = ()


def line(
    values: Iterable[TableCell | str | int | float | None],
    system: str = "",
    lang: str = "",
    kind: str = "",
) -> Line:
    """Return a row of texts, counts (int) and numbers (float); a dash stands for a missing one."""
    cells = []
    for value in values:
        if isinstance(value, str):
            value = TableCell(value)
        elif isinstance(value, int):
            value = TableCell(f"{value:,}", True)
        elif not isinstance(value, TableCell):
            value = number(value)
        cells.append(value)
    return Line(cells, system, lang, kind)


def number(value: float | None, below: str = "", places: int = 2) -> TableCell:
    """Return the cell of a number."""
    return TableCell("–" if value is None else shown(value, places), True, below)


def interval(ci: Sequence[float] | None, places: int = 2) -> TableCell:
    """Return the cell of an interval."""
    return TableCell(f"{shown(ci[0], places)} to {shown(ci[1], places)}" if ci else "", True)


def p_of(result: Mapping) -> TableCell:
    """Return the cell of the p of a result, the corrected one if there is one."""
    p = result.get("p_adjusted", result.get("p"))
    return TableCell("–" if p is None else grids.probability(p), True)


def marks_table(caption: str, columns: Sequence[str], marks: Sequence[Mark]) -> Table:
    """Return the numbers of a picture of dots; columns: of rows, perhaps of series, of values and,
    if there is one more, of intervals.
    """
    rows = []
    for mark in marks:
        names = [TableCell(mark.row), TableCell(mark.series)][: max(len(columns) - 2, 1)]
        cells = [*names, number(mark.value), interval(mark.ci)]
        rows.append(line(cells[: len(columns)]))
    return Table(caption, columns, rows)


def not_shown(
    items: Sized,
    most: int,
    what: str,
    where: str = "the table has all",
    which: str = "first {most:,} of {all:,} {what}",
) -> str:
    """Return a sentence on the items after the first ones; "" if there are none.

    >>> not_shown("abc", 2, "systems")
    ' Shown are the first 2 of 3 systems; the table has all.'
    """
    if len(items) <= most:
        return ""
    return f" Shown are the {which.format(most=most, all=len(items), what=what)}; {where}."


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Return a text without what is beyond some thousand characters, and how much that is.

    >>> cut("abcdef", 4)
    'abcd … (2 more characters)'
    """
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"
