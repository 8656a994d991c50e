"""How pictures look: colours, type, marks that several of them share; a figure as SVG of a page.

In SVG texts stay texts: the page shows every script in the reader's own fonts, and needs none
itself.  Colours become variables of the page's style, so that a picture follows the reader's theme.
"""

import io
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from textwrap import fill, wrap
from typing import Any, NamedTuple

from dialtools.system import terminal
from dialtools.system.errors import need

INK, MUTED, LINE = "#1b2126", "#5a6670", "#d5dbe0"
SERIES = ("#1f5fa9", "#b4500c", "#1e7547", "#7b3fa1", "#a72a5d", "#5a6900", "#00707a", "#85572a")
MARKERS = "os^Dvp*X"
WIDTH = 4.9  # inches; 72 points each: letters are large enough where a phone shows them
LONGEST = 26  # columns of a label, or of one line of it
MOST_LINES = 3  # of a label
_LINE = 50  # columns of a legend's line
_ACROSS = 44  # columns of a line of the horizontal axis's name
_ROW = 0.3  # inches that a row takes
_LABEL = 0.17  # inches that a line of a label takes
# where the name of a point may stand: to the right or left of it, above or below
_BESIDE = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dialtools",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.labelsize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 1.6,
    "pdf.fonttype": 42,
    "axes.unicode_minus": True,
    "text.parse_math": False,
}

_COLOURS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES, 1)},
}
_ID = re.compile(r'(\bid="|href="#|url\(#)([\w-]+)')
_GROUP = re.compile(r'<g id="[^"]*">')
_FONT = re.compile(r"font: (?:[\w ]+ )?([\d.]+px)[^;\"]*")
_FAMILY = re.compile(r"font-family: [^;\"]*;? ?")
_OPENING = re.compile(r"^.*?<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", re.DOTALL)
_ASIDE = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)


# Overrides and embeddings of direction would turn the text around them, too.
_HIDDEN = {
    code: f"\u27e8U+{code:04X}\u27e9" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F))
}
_HIDDEN |= {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n\r"}
_HIDDEN |= {0x7F: "\u2421"}


class Mark(NamedTuple):
    """A value of a row, with its interval."""

    row: str
    series: str
    value: float
    ci: list[float] | None = None


def visible(text: str) -> str:
    """Return a text with a sign for each control character.

    >>> visible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    return text.translate(_HIDDEN)


def colour(number: int) -> str:
    """Return the colour of a series."""
    return SERIES[number % len(SERIES)]


def marker(number: int) -> dict[str, str]:
    """Return the colour and the marker of a series."""
    return {"color": colour(number), "marker": MARKERS[number % len(MARKERS)]}


@contextmanager
def style() -> Iterator[set[str]]:
    """Draw in our style; yield the set that gets the characters that matplotlib's font lacks."""
    matplotlib = need("matplotlib", "report")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    lacking: set[str] = set()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lacking
    for warning in caught:
        if glyph := re.match(r"Glyph (\d+)", str(warning.message)):
            lacking.add(chr(int(glyph[1])))


def figure(height: float, rows: int = 1, **options: Any) -> tuple[Any, Sequence[Any]]:
    """Return a new figure of our width, and its axes from the top down."""
    need("matplotlib", "report")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, 1, squeeze=False, **options)[:, 0]


def short(label: str, most: int = LONGEST) -> str:
    """Return a label that is not too long for a picture; of a long one, both ends.

    >>> short("a" * 30 + "b" * 30, 9)
    'aaaa…bbbb'
    """
    label = " ".join(visible(label).split())
    label = f" {label}" if label.startswith("_") else label  # which legends would leave out
    if terminal.width(label) <= most:
        return label
    half = (most - 1) // 2 // (2 if terminal.width(label) > 1.5 * len(label) else 1)
    return f"{label[:half]}…{label[-half:]}"


def lines(label: str) -> str:
    """Return a label in as many lines as it takes, but at most three.

    >>> lines("lead − longest · polysemous · rouge2")
    'lead − longest ·\\npolysemous · rouge2'
    """
    label = short(label, LONGEST * MOST_LINES)
    wide = terminal.width(label) > 1.5 * len(label)
    return "\n".join(
        wrap(
            label,
            LONGEST // 2 if wide else LONGEST,
            max_lines=MOST_LINES,
            placeholder=" …",
            break_on_hyphens=False,
        )
    )


def height(labels: Sequence[str], series: int = 1) -> float:
    """Return the height of axes with a row for each label, in inches."""
    most = max((lines(label).count("\n") + 1 for label in labels), default=1)
    return 0.95 + len(labels) * max(_ROW, 0.15 * series, 0.1 + _LABEL * most)


def height_of(marks: Sequence[Mark]) -> float:
    """Return the height of axes with dots, in inches."""
    series = len({mark.series for mark in marks})
    return height(list(dict.fromkeys(mark.row for mark in marks)), series)


def dots(axes: Any, marks: Sequence[Mark], label: str, zero: bool = False) -> None:
    """Draw a dot with its interval for each mark, a row for each name, the first one on top.

    zero: with a line at 0; else an axis of numbers that are never below 0 begins there.
    """
    rows = list(dict.fromkeys(mark.row for mark in marks))
    series = list(dict.fromkeys(mark.series for mark in marks))
    for number, name in enumerate(series):
        of_series = [mark for mark in marks if mark.series == name]
        shift = (number - (len(series) - 1) / 2) * 0.66 / max(len(series), 1)
        places = [rows.index(mark.row) + shift for mark in of_series]
        for mark, place in zip(of_series, places, strict=True):
            if mark.ci:
                axes.plot(mark.ci, [place, place], color=colour(number), linewidth=1.4, zorder=2)
        axes.scatter(
            [mark.value for mark in of_series],
            places,
            s=26,
            zorder=3,
            label=short(name),
            **marker(number),
        )
    rows_of(axes, rows)
    across(axes, label)
    if zero:
        axes.axvline(0, color=MUTED, linewidth=1)
    else:
        low, high = axes.get_xlim()
        is_flat = not any(mark.value or mark.ci for mark in marks)
        low = low if any(mark.value < 0 for mark in marks) else -0.02 * (1 if is_flat else high)
        axes.set_xlim(low, 1 if is_flat else high)
    if len(series) > 1:
        legend(axes)


def rows_of(axes: Any, labels: Sequence[str]) -> None:
    """Name the rows of axes, the first one on top."""
    axes.set_yticks(range(len(labels)), [lines(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def across(axes: Any, label: str) -> None:
    """Name the horizontal axis, in as many lines as it takes."""
    axes.set_xlabel(fill(label, _ACROSS))


def legend(axes: Any) -> None:
    """Put a legend above axes, in as many columns as fit; the figure grows with its lines."""
    handles, labels = axes.get_legend_handles_labels()
    widest = max(map(terminal.width, labels))
    columns = max(1, min(len(labels), _LINE // (widest + 5)))
    lines = -(-len(labels) // columns)
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=columns,
        borderaxespad=0.2,
        handletextpad=0.4,
        columnspacing=1.4,
    )
    axes.figure.set_figheight(axes.figure.get_figheight() + 0.2 * (lines - 1))


def name(axes: Any, named: Sequence[tuple[float, float, str]]) -> None:
    """Write a name beside each point, where it covers no other point and no other name."""

    def shared_area(a: Sequence[float], b: Sequence[float]) -> float:
        """Return the area that two boxes share: (left, bottom, right, top)."""
        width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        return width * height if width > 0 and height > 0 else 0.0

    axes.figure.draw_without_rendering()  # which settles where the axes are
    inner, scale = axes.get_window_extent(), axes.figure.dpi / 72
    points = [tuple(axes.transData.transform(place[:2])) for place in named]
    taken = [(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in points]
    for (x, y), (*place, text) in zip(points, named, strict=True):
        width, tall = terminal.width(text) * 5.2 * scale, 11 * scale
        boxes = []
        for right, up in _BESIDE:
            start = x + right * (7 * scale + width / 2) - width / 2
            low = y + up * (7 * scale + tall / 2) - tall / 2
            boxes.append((start, low, start + width, low + tall))
        best = min(
            boxes,
            key=lambda box: (
                sum(shared_area(box, neighbour) for neighbour in taken)
                + (box[2] - box[0]) * (box[3] - box[1])
                - shared_area(box, inner.extents)
            ),
        )
        taken.append(best)
        axes.annotate(
            text,
            place,
            fontsize=9,
            ha="center",
            va="center",
            textcoords="offset points",
            xytext=(((best[0] + best[2]) / 2 - x) / scale, ((best[1] + best[3]) / 2 - y) / scale),
        )


def logarithmic(axes: Any) -> None:
    """Make both axes logarithmic, with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for scale, axis in ((axes.set_xscale, axes.xaxis), (axes.set_yscale, axes.yaxis)):
        scale("log")
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.4g}"))
        axis.set_minor_formatter(NullFormatter())


def svg(figure: Any, name: str, title: str, description: str) -> str:
    """Return a figure as an <svg> with a title and a description.

    name: begins all ids, so that no two pictures of a page share one.
    """
    written = io.StringIO()
    with style():
        figure.savefig(written, format="svg", transparent=True)

    def restyled(match: re.Match) -> str:
        """Return a tag with ids, fonts and colours of the page; what stands between tags is data."""
        tag = _ID.sub(rf"\g<1>{name}-\g<2>", _GROUP.sub("<g>", match[0]))
        tag = _FONT.sub(r"font-size: \1", _FAMILY.sub("", tag))
        for colour, variable in _COLOURS.items():
            tag = tag.replace(colour, variable)
        return tag

    text = _ASIDE.sub("", written.getvalue())
    opening = _OPENING.match(text)
    box = opening[1] if opening else "0 0 440 300"
    body = re.sub("<[^>]*>", restyled, text[opening.end() :] if opening else text)
    return (
        f'<svg class="picture" role="img" viewBox="{box}" stroke-linejoin="round" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escape(title)}'
        f'</title><desc id="{name}-text">{escape(description)}</desc>{body}'
    )
