"""The parts of a page: sections of sentences, tables and pictures."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dialtools.tables import tables


class Cell(NamedTuple):
    """A cell of a table: its text, whether it is a number, and a small line below it."""

    text: str
    is_number: bool = False
    below: str = ""


class Line(NamedTuple):
    """A row of a table, with what readers choose rows by."""

    cells: Sequence[Cell]
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
    """A picture: a name for files, its title, what it shows in words, and its numbers.

    draw: makes the figure.
    """

    name: str
    title: str
    description: str
    draw: Callable[[], Any]
    table: Table


class Verdict(NamedTuple):
    """What was found, the numbers that show it, and whether it is more than chance.

    is_certain: None without a test.
    """

    claim: str
    numbers: str = ""
    is_certain: bool | None = None


class Section(NamedTuple):
    """A section of the page; name: for links."""

    name: str
    title: str
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    verdicts: Sequence[Verdict] = ()


def first(
    items: Sequence, most: int, what: str, where: str = "the table has all"
) -> tuple[list, str]:
    """Return the first of some items, and a sentence on the others, if there are more.

    >>> first("abc", 2, "systems")
    (['a', 'b'], ' Shown are the first 2 of 3 systems; the table has all.')
    """
    left = (
        f" Shown are the first {most:,} of {len(items):,} {what}; {where}."
        if len(items) > most
        else ""
    )
    return list(items[:most]), left


def number(value: float | None, places: int = 2) -> Cell:
    """Return the cell of a number."""
    return Cell("–" if value is None else shown(value, places), True)


def count(value: int) -> Cell:
    """Return the cell of a count."""
    return Cell(f"{value:,}", True)


def interval(ci: Sequence[float] | None, places: int = 2) -> Cell:
    """Return the cell of an interval."""
    if not ci:
        return Cell("", True)
    return Cell(f"{shown(ci[0], places)} to {shown(ci[1], places)}", True)


def spec(label: str) -> str:
    """Return the label of a metric with the last parts of paths alone.

    >>> spec("S:bertscore:model=/home/me/models/roberta-large,layer=17")
    'S:bertscore:model=roberta-large,layer=17'
    """
    return re.sub(r"(?<==)[^,=]*/([^,/=]+)", r"\1", label)


def p_of(result: Mapping) -> Cell:
    """Return the cell of the p of a result, the corrected one if there is one."""
    p = result.get("p_adjusted", result.get("p"))
    return Cell("–" if p is None else tables.probability(p), True)


def shown(value: float, places: int = 2) -> str:
    """Return a number as people read it, with a true minus.

    >>> shown(-1.234)
    '−1.23'
    """
    return tables.rounded(value, places).replace("-", "−")


def with_interval(
    value: float, ci: Sequence[float] | None, unit: str = "", level: float = 0.95, why: str = ""
) -> str:
    """Return a number and its interval for a sentence; why: of its level.

    >>> with_interval(7.194, [1.548, 12.84], "percent")
    '7.19 % (95 % CI 1.55 to 12.84)'
    """
    number = shown(value) + (" %" if unit.startswith("percent") else "")
    return f"{number} ({100 * level:.4g} % CI {interval(ci).text}{why})" if ci else number
