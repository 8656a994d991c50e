"""A page as HTML, as a fragment of another page, and its pictures as files."""

import io
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

from dialtools import __version__
from dialtools.html_report import style
from dialtools.html_report.cases import Case
from dialtools.html_report.choices import WORST
from dialtools.html_report.provenance import Making
from dialtools.html_report.sections import Picture, Section, cut
from dialtools.html_report.style import visible
from dialtools.records import history
from dialtools.system.errors import OptionError, need
from dialtools.system.files import open_output

MOST_GLANCES = 4  # worst cases on top
# spaces at which no line ends: between a number and its unit, its sign, the end of its interval
_TOGETHER = re.compile(
    r"(?<=\d) (?=%|to [−\d]|sources|pairs|points)|(?<=\d to) |(?<=%) (?=CI)|(?<=CI) (?=[−\d])"
    r"|(?<=\b[np]) (?=[=<>])|(?<=[=<>±]) (?=[−\d])"
)
_FILTERS = ("system", "lang", "kind")  # what readers choose rows and cases by


class Report:
    """A report; a notebook shows it.

    left_out: a sentence on the cases that are not shown.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Section],
        cases: Sequence[Case],
        making: Making,
        left_out: str = "",
    ):
        self.title, self.sections, self.cases, self.making = title, sections, cases, making
        self.left_out = left_out

    @property
    def glances(self) -> list[tuple[int, Case]]:
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
        environment.filters |= {
            "tag": tag,
            "cut": cut,
            "typed": history.typed,
            "together": together,
        }
        stylesheet, script = (
            loader.get_source(environment, name)[0] for name in ("page.css", "filters.js")
        )
        drawings = {}
        for number, picture in enumerate(self.pictures, 1):
            with style.style():
                figure = picture.draw()
            texts = visible(picture.title), visible(picture.description)
            drawings[picture.name] = Markup(style.svg(figure, f"{prefix}picture-{number}", *texts))
        tables = (table for section in self.sections for table in section.tables)
        filtered = [*self.cases, *(row for table in tables for row in table.rows)]
        choices = {
            key: sorted({name for row in filtered for name in getattr(row, key).split("\n")} - {""})
            for key in _FILTERS
        }
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


def tag(lang: str) -> str:
    """Return a language tag for an attribute; "" for what is none."""
    is_tag = re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", lang) and lang != "und"
    return lang if is_tag else ""


def together(text: str) -> str:
    """Return a text in which no line ends between a number and its unit.

    >>> together("5 % (95 % CI 1 to 9), p = 0.03")
    '5\xa0% (95\xa0%\xa0CI\xa01\xa0to\xa09), p\xa0=\xa00.03'
    """
    return _TOGETHER.sub("\N{NO-BREAK SPACE}", text)
