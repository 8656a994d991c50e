"""A page: the sections it is made of, and how it becomes HTML, a fragment of another page, pictures.

A section has sentences, tables and pictures.  Of the data's texts, what cannot be seen is made
visible and what is long is cut.
"""

import io
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from dialtools import __version__
from dialtools.html_report import style
from dialtools.html_report.style import Mark, visible
from dialtools.records import history
from dialtools.system.errors import OptionError, need
from dialtools.system.files import open_output
from dialtools.tables import tables

if TYPE_CHECKING:
    from dialtools.html_report.cases import Case
    from dialtools.html_report.provenance import Making

LONGEST_TEXT = 4_000  # characters
WORST, MEDIAN = "worst", "median"  # ranks of cases
MOST_GLANCES = 4  # worst cases on top
_FILTERS = ("system", "lang", "kind")  # what readers choose rows and cases by


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


class Report:
    """A report; a notebook shows it.

    left_out: a sentence on the cases that are not shown.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Section],
        cases: "Sequence[Case]",
        making: "Making",
        left_out: str = "",
    ):
        self.title, self.sections, self.cases, self.making = title, sections, cases, making
        self.left_out = left_out

    @property
    def glances(self) -> "list[tuple[int, Case]]":
        """The worst case of each measure and kind of variants, with its place among the cases."""
        glances: dict[tuple[str, str], tuple[int, Case]] = {}
        for place, case in enumerate(self.cases, 1):
            if case.rank == WORST:
                glances.setdefault((case.measure, case.varied), (place, case))
        return list(glances.values())[:MOST_GLANCES]

    @property
    def pictures(self) -> list[Picture]:
        """All pictures, in their order."""
        return [picture for section in self.sections for picture in section.pictures]

    def html(self) -> str:
        """Return the page."""
        return self._rendered("page.html", "")

    def fragment(self) -> str:
        """Return the page as a part of another one."""
        content = repr((self.title, self.making.files))
        return self._rendered("fragment.html", f"dt{sha256(content.encode()).hexdigest()[:8]}-")

    def _repr_html_(self) -> str:
        return self.fragment()

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self.sections)} sections, {len(self.cases)} cases)"

    def save(self, path: str) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def save_pdf(self, path: str) -> set[str]:
        """Write the pictures to a PDF file, a page each; return characters that its font lacks."""
        need("matplotlib", "report")
        from matplotlib.backends.backend_pdf import PdfPages

        self._require_pictures("--pdf")
        written, metadata = io.BytesIO(), {"CreationDate": None}
        # the style comes first: fonts are written, in its type, when the file is closed
        with style.style() as lacking, PdfPages(written, metadata=metadata) as pages:
            for picture in self.pictures:
                pages.savefig(picture.draw(), bbox_inches="tight")
        with open_output(path) as file:
            file.write(written.getvalue())
        return lacking

    def save_pngs(self, folder: str) -> set[str]:
        """Write each picture to a PNG file in a folder; return characters that its font lacks."""
        self._require_pictures("--png")
        os.makedirs(folder, exist_ok=True)
        names: list[str] = []
        with style.style() as lacking:
            for picture in self.pictures:
                name = re.sub(r"[^\w.-]+", "-", picture.name).strip("-")[:80] or "picture"
                names.append(name if name not in names else f"{name}-{len(names)}")
                path = os.path.join(folder, f"{names[-1]}.png")
                picture.draw().savefig(path, dpi=200, bbox_inches="tight")
        return lacking

    def _require_pictures(self, option: str) -> None:
        if not self.pictures:
            raise OptionError(f"{option}: there is nothing to draw in these files")

    def _rendered(self, template: str, prefix: str) -> str:
        """Return a template filled in; prefix: of all ids."""
        from markupsafe import Markup

        jinja2 = need("jinja2", "report")
        loader = jinja2.FileSystemLoader(os.path.join(os.path.dirname(__file__), "templates"))
        environment = jinja2.Environment(
            loader=loader,
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: visible(value) if type(value) is str else value,
        )
        environment.filters |= {"tag": tag, "cut": cut, "typed": history.typed}
        stylesheet, script = (
            loader.get_source(environment, name)[0] for name in ("page.css", "filters.js")
        )
        drawings = {}
        for number, picture in enumerate(self.pictures, 1):
            with style.style():
                figure = picture.draw()
            texts = visible(picture.title), visible(picture.description)
            drawings[picture.name] = Markup(style.svg(figure, f"{prefix}picture-{number}", *texts))
        all_tables = (table for section in self.sections for table in section.tables)
        filtered = [*self.cases, *(row for table in all_tables for row in table.rows)]
        choices = {key: sorted({getattr(row, key) for row in filtered} - {""}) for key in _FILTERS}
        return environment.get_template(template).render(
            title=self.title,
            sections=self.sections,
            cases=self.cases,
            left_out=self.left_out,
            glances=self.glances,
            making=self.making,
            drawings=drawings,
            p=prefix,
            version=__version__,
            choices=choices,
            style=Markup(stylesheet),
            script=Markup(script),
            digest=b64encode(sha256(script.encode()).digest()).decode(),
        )


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
    return TableCell("–" if p is None else tables.probability(p), True)


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


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Return a text without what is beyond some thousand characters, and how much that is.

    >>> cut("abcdef", 4)
    'abcd … (2 more characters)'
    """
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def tag(lang: str) -> str:
    """Return a language tag for an attribute; "" for what is none."""
    is_tag = re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", lang) and lang != "und"
    return lang if is_tag else ""
