"""A report: its sections, made of files, as a page of HTML, a fragment of one, or pictures."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from typing import Any

from dialtools import __version__
from dialtools.errors import OptionError, need
from dialtools.pages import (
    cases, compared, drawing, estimates, inputs, learned, naming, perplexities, provenance,
    raters, recognition, svg, systems, texts, verdicts)
from dialtools.pages.cases import Case
from dialtools.pages.material import CHANGE, Material
from dialtools.pages.parts import Cell, Line, Picture, Section, Table, count
from dialtools.pages.provenance import Making

_FINDINGS = ("level", "finding", "count", "place", "example")
_NOT_SHOWN = ("chain", "history", "file")
_CONFUSIONS = ("metric", "system", "true", "predicted", "n", "share")
MOST_LINES = 200  # of other results


class Report:
    """A report; a notebook shows it.

    left: a sentence on the cases that are not shown.
    """

    def __init__(self, title: str, sections: Sequence[Section], shown: Sequence[Case],
                 made: Making, left: str = ""):
        self.title, self.sections, self.cases, self.making = title, sections, shown, made
        self.left = left

    def html(self) -> str:
        """Return the page."""
        return self._rendered("page.html", "")

    def fragment(self) -> str:
        """Return the page as a part of another one."""
        given = repr((self.title, self.making.files))
        return self._rendered("fragment.html", f"dt{sha256(given.encode()).hexdigest()[:8]}-")

    def _repr_html_(self) -> str:
        return self.fragment()

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self.sections)} sections, {len(self.cases)} cases)"

    def save(self, path: str) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    @property
    def pictures(self) -> list[Picture]:
        """All pictures, in their order."""
        return [picture for section in self.sections for picture in section.pictures]

    def save_pdf(self, path: str) -> set[str]:
        """Write the pictures to a PDF file, a page each; return characters that its font lacks."""
        need("matplotlib", "report")
        from matplotlib.backends.backend_pdf import PdfPages

        self._require_pictures("--pdf")
        with PdfPages(path, metadata={"CreationDate": None}) as pages, drawing.style() as lacking:
            for picture in self.pictures:
                pages.savefig(picture.draw(), bbox_inches="tight")
        return lacking

    def save_pngs(self, folder: str) -> set[str]:
        """Write each picture to a PNG file in a folder; return characters that its font lacks."""
        self._require_pictures("--png")
        os.makedirs(folder, exist_ok=True)
        with drawing.style() as lacking:
            for name, picture in zip(_file_names(self.pictures), self.pictures, strict=True):
                picture.draw().savefig(os.path.join(folder, f"{name}.png"), dpi=200,
                                       bbox_inches="tight")
        return lacking

    def _require_pictures(self, option: str) -> None:
        if not self.pictures:
            raise OptionError(f"{option}: there is nothing to draw in these files")

    def _rendered(self, template: str, prefix: str) -> str:
        from markupsafe import Markup

        jinja2 = need("jinja2", "report")
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(os.path.join(os.path.dirname(__file__), "templates")),
            autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_finalized)
        environment.filters |= {"tag": texts.tag, "cut": texts.cut}
        drawings = {picture.name: Markup(drawn) for picture, drawn in self._drawn(prefix)}
        with_script = environment.get_template(template)
        return with_script.render(
            title=self.title, sections=self.sections, cases=self.cases, making=self.making,
            left=self.left,
            drawings=drawings, p=prefix, version=__version__, choices=self._choices(),
            style=_content("page.css"), script=_content("filters.js"),
            digest=_digest(_content("filters.js")))

    def _drawn(self, prefix: str) -> Iterator[tuple[Picture, str]]:
        for number, picture in enumerate(self.pictures, 1):
            with drawing.style():
                figure = picture.draw()
            yield picture, svg.drawn(figure, f"{prefix}picture-{number}",
                                     texts.visible(picture.title),
                                     texts.visible(picture.description))

    def _choices(self) -> dict[str, list[str]]:
        """Return what readers can choose rows and cases by."""
        rows = [*self.cases, *(row for section in self.sections for table in section.tables
                               for row in table.rows)]
        return {name: sorted({getattr(row, name) for row in rows} - {""})
                for name in ("system", "lang", "kind")}


def _finalized(value: Any) -> Any:
    return texts.visible(value) if type(value) is str else value


def _content(name: str) -> Any:
    from markupsafe import Markup

    path = os.path.join(os.path.dirname(__file__), "templates", name)
    with open(path, encoding="utf-8") as file:
        return Markup(file.read())


def _digest(text: str) -> str:
    from base64 import b64encode

    return b64encode(sha256(text.encode()).digest()).decode()


def _file_names(pictures: Iterable[Picture]) -> list[str]:
    found: list[str] = []
    for picture in pictures:
        name = re.sub(r"[^\w.-]+", "-", picture.name).strip("-")[:80] or "picture"
        found.append(name if name not in found else f"{name}-{len(found)}")
    return found


def made(given: Sequence[inputs.Source], title: str, sample: int) -> Report:
    """Return the report of files; sample: how many sources the numbers are of at most."""
    with ExitStack() as held_open:
        held = Material(sample)
        held.read(inputs.opened(given, held_open))
        if not any(file.lines for file in held.files):
            raise OptionError("there is nothing in the files to report")
        names = naming.names(held)
        numbers = estimates.all_of(held, names)
        if any(key.measure in ("S", "consistency") and key.metric != CHANGE for key in numbers):
            numbers = {key: own for key, own in numbers.items() if key.metric != CHANGE}
        sections = _sections(held, names, numbers)
        chosen, left = cases.chosen(held, names)
        shown = cases.shown(chosen, held, names)
        return Report(title, sections, shown, provenance.making(held), left.strip())


def _sections(held: Material, names: dict[tuple[int, str], str],
              numbers: dict[estimates.Key, estimates.Estimate]) -> list[Section]:
    rows = held.sample.rows()
    tests, remarks = list(held.results[recognition.TEST]), list(_sampled(held))
    own, remark = compared.tested(rows, names, {str(test.get("value")) for test in tests})
    remarks += [remark] if remark else []
    of_files = compared.systems_of_files(held.files, names)
    training = learned.training(held.results[recognition.EPOCH], held.files)
    by = next((str(result["by"]) for kind in (recognition.SENSITIVITY, recognition.QUALITY)
               for result in held.results[kind] if result.get("by")), "pool")
    found = [verdicts.section(held, numbers, [*tests, *own], names, remarks,
                              learned.best(held.results[recognition.EPOCH], held.files)),
             systems.table(numbers, by), verdicts.counted(held),
             systems.sensitivity(numbers, rows, names),
             systems.groups(numbers, held.results[recognition.GAP], by),
             systems.trends(rows, names), systems.robustness(numbers),
             compared.tests([*own, *tests], of_files, len(own)),
             perplexities.section(tests, rows, held.files, of_files), raters.agreement(tests),
             raters.ratings(tests),
             training, learned.clusters(held.cluster_sizes, held.clusters,
                                        held.results[recognition.OTHER]), _others(held)]
    return [section for section in found if section]


def _sampled(held: Material) -> Iterator[str]:
    """Yield that the numbers are those of a sample, if they are."""
    if held.sample.is_cut:
        yield (f"The numbers of sources and records are those of {held.sample.most:,} of "
               f"{held.sample.number:,} ids, chosen by a hash of the id; counts and the worst "
               "cases are of all, and so are the summaries that were given.")


def _others(held: Material) -> Section | None:
    """Return results that have no section of their own."""
    found = [_plain(held.results[kind], columns, caption) for kind, columns, caption in (
        (recognition.CONFUSION, _CONFUSIONS, "Confusions"),
        (recognition.FINDING, _FINDINGS, "What dt-check found")) if held.results[kind]]
    alike: dict[tuple[str, ...], list[dict]] = {}
    for result in held.results[recognition.OTHER]:
        alike.setdefault(tuple(key for key in result if key not in _NOT_SHOWN), []).append(result)
    found += [_plain(own, columns, f"Results {number}")
              for number, (columns, own) in enumerate(alike.items(), 1)]
    return Section("others", "Other results", [], found) if found else None


def _plain(results: Sequence[dict], columns: Sequence[str], caption: str) -> Table:
    shown = results[:MOST_LINES]
    left = f" (the first {MOST_LINES} of {len(results):,})" if len(results) > MOST_LINES else ""
    rows = [Line([_value(result.get(name)) for name in columns],
                 str(result.get("system") or "")) for result in shown]
    return Table(caption + left, columns, rows)


def _value(value: Any) -> Cell:
    """Return the cell of whatever a result has."""
    if isinstance(value, float):
        return Cell(f"{value:.4g}".replace("-", "−"), True)
    if type(value) is int:
        return count(value)
    return Cell("–" if value is None else texts.cut(str(value), 300))
