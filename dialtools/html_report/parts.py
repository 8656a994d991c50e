"""The parts of a page: sections of sentences, tables and pictures; texts and numbers as shown.

Of the data's texts, what cannot be seen is made visible and what is long is cut.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

from dialtools.tables import tables

LONGEST_TEXT = 4_000  # characters
_ALLOWED = "\t\n\r"
# Overrides and embeddings of direction would turn the text around them, too.
_HIDDEN = {
    code: f"\u27e8U+{code:04X}\u27e9" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F))
}
_HIDDEN |= {code: chr(0x2400 + code) for code in range(32) if chr(code) not in _ALLOWED}
_HIDDEN |= {0x7F: "\u2421"}
_LANG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


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
    """A claim, the numbers that show it, and whether it is more than chance.

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


def line(
    values: Iterable[Cell | str | int | float | None],
    system: str = "",
    lang: str = "",
    kind: str = "",
) -> Line:
    """Return a row of texts, counts (int) and numbers (float); a dash stands for a missing one."""
    cells = [
        value
        if isinstance(value, Cell)
        else Cell(value)
        if isinstance(value, str)
        else Cell(f"{value:,}", True)
        if isinstance(value, int)
        else number(value)
        for value in values
    ]
    return Line(cells, system, lang, kind)


def number(value: float | None, below: str = "", places: int = 2) -> Cell:
    """Return the cell of a number."""
    return Cell("–" if value is None else shown(value, places), True, below)


def interval(ci: Sequence[float] | None, places: int = 2) -> Cell:
    """Return the cell of an interval."""
    return Cell(f"{shown(ci[0], places)} to {shown(ci[1], places)}" if ci else "", True)


def p_of(result: Mapping) -> Cell:
    """Return the cell of the p of a result, the corrected one if there is one."""
    p = result.get("p_adjusted", result.get("p"))
    return Cell("–" if p is None else tables.probability(p), True)


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


def spec(label: str) -> str:
    """Return the label of a metric with the last parts of paths alone.

    >>> spec("S:bertscore:model=/home/me/models/roberta-large,layer=17")
    'S:bertscore:model=roberta-large,layer=17'
    """
    return re.sub(r"(?<==)[^,=]*/([^,/=]+)", r"\1", label)


def value_of(result: Mapping) -> str:
    """Return the label of the value that a test is of."""
    return str(result.get("value") or "").removeprefix("scores.")


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


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence.

    >>> listed("abc"), listed("a"), listed("")
    ('a, b and c', 'a', '')
    """
    *first, last = list(names) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def visible(text: str) -> str:
    """Return a text with a sign for each control character.

    >>> visible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    return text.translate(_HIDDEN)


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Return a text without what is beyond some thousand characters, and how much that is.

    >>> cut("abcdef", 4)
    'abcd … (2 more characters)'
    """
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def tag(lang: str) -> str:
    """Return a language tag for an attribute; "" for what is none."""
    return lang if _LANG.fullmatch(lang) and lang != "und" else ""
