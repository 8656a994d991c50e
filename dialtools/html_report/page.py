"""A report: its sections as a page of HTML, a fragment of one, or pictures."""

import io
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from dialtools import __version__
from dialtools.html_report import drawing, parts
from dialtools.html_report.cases import WORST, Case
from dialtools.html_report.parts import Picture, Section
from dialtools.html_report.provenance import Making
from dialtools.records import history
from dialtools.system.errors import OptionError, need
from dialtools.system.files import open_output

MOST_GLANCES = 4  # worst cases on top


class Report:
    """A report; a notebook shows it.

    left: a sentence on the cases that are not shown.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Section],
        shown: Sequence[Case],
        making: Making,
        left: str = "",
    ):
        self.title, self.sections, self.cases, self.making = title, sections, shown, making
        self.left = left

    @property
    def glances(self) -> list[tuple[int, Case]]:
        """The worst case of each measure and kind of variants, with its place among the cases."""
        glances: dict[tuple[str, str], tuple[int, Case]] = {}
        for place, case in enumerate(self.cases, 1):
            if case.rank == WORST:
                glances.setdefault((case.measure, case.varied), (place, case))
        return list(glances.values())[:MOST_GLANCES]

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

    @property
    def pictures(self) -> list[Picture]:
        """All pictures, in their order."""
        return [picture for section in self.sections for picture in section.pictures]

    def save_pdf(self, path: str) -> set[str]:
        """Write the pictures to a PDF file, a page each; return characters that its font lacks."""
        need("matplotlib", "report")
        from matplotlib.backends.backend_pdf import PdfPages

        self._require_pictures("--pdf")
        written, metadata = io.BytesIO(), {"CreationDate": None}
        # the style comes first: fonts are written, in its type, when the file is closed
        with drawing.style() as lacking, PdfPages(written, metadata=metadata) as pages:
            for picture in self.pictures:
                pages.savefig(picture.draw(), bbox_inches="tight")
        with open_output(path) as file:
            file.write(written.getvalue())
        return lacking

    def save_pngs(self, folder: str) -> set[str]:
        """Write each picture to a PNG file in a folder; return characters that its font lacks."""
        self._require_pictures("--png")
        os.makedirs(folder, exist_ok=True)
        with drawing.style() as lacking:
            for name, picture in zip(_file_names(self.pictures), self.pictures, strict=True):
                picture.draw().savefig(
                    os.path.join(folder, f"{name}.png"), dpi=200, bbox_inches="tight"
                )
        return lacking

    def _require_pictures(self, option: str) -> None:
        if not self.pictures:
            raise OptionError(f"{option}: there is nothing to draw in these files")

    def _rendered(self, template: str, prefix: str) -> str:
        """Return a template filled in; prefix: of all ids."""
        from markupsafe import Markup

        jinja2 = need("jinja2", "report")
        folder = os.path.join(os.path.dirname(__file__), "templates")
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: parts.visible(value) if type(value) is str else value,
        )
        environment.filters |= {"tag": parts.tag, "cut": parts.cut, "typed": history.typed}
        style, script = (_content(folder, name) for name in ("page.css", "filters.js"))
        return environment.get_template(template).render(
            title=self.title,
            sections=self.sections,
            cases=self.cases,
            left=self.left,
            glances=self.glances,
            making=self.making,
            drawings={name: Markup(drawn) for name, drawn in self._drawn(prefix)},
            p=prefix,
            version=__version__,
            choices=self._choices(),
            style=Markup(style),
            script=Markup(script),
            digest=b64encode(sha256(script.encode()).digest()).decode(),
        )

    def _drawn(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield the name of each picture, and its SVG."""
        for number, picture in enumerate(self.pictures, 1):
            with drawing.style():
                figure = picture.draw()
            texts = parts.visible(picture.title), parts.visible(picture.description)
            yield picture.name, drawing.svg(figure, f"{prefix}picture-{number}", *texts)

    def _choices(self) -> dict[str, list[str]]:
        """Return what readers can choose rows and cases by."""
        rows = [
            *self.cases,
            *(row for section in self.sections for table in section.tables for row in table.rows),
        ]
        return {
            name: sorted({getattr(row, name) for row in rows} - {""})
            for name in ("system", "lang", "kind")
        }


def _content(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def _file_names(pictures: Iterable[Picture]) -> list[str]:
    names: list[str] = []
    for picture in pictures:
        name = re.sub(r"[^\w.-]+", "-", picture.name).strip("-")[:80] or "picture"
        names.append(name if name not in names else f"{name}-{len(names)}")
    return names
