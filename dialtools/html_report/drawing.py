"""How pictures look: colours, type, and the marks that several of them share."""

import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dialtools.html_report.texts import visible
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


class Mark(NamedTuple):
    """A value of a row, with its interval."""

    row: str
    series: str
    value: float
    ci: list[float] | None = None


@contextmanager
def style() -> Iterator[set[str]]:
    """Draw in our style; yield the set that gets the characters that matplotlib's font lacks."""
    matplotlib = need("matplotlib", "report")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    lacking: set[str] = set()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield lacking
    for one in said:
        if found := re.match(r"Glyph (\d+)", str(one.message)):
            lacking.add(chr(int(found[1])))


def figure(height: float, rows: int = 1, **options: Any) -> tuple[Any, Sequence[Any]]:
    """Return a new figure of our width, and its axes from the top down."""
    need("matplotlib", "report")
    from matplotlib.figure import Figure

    made = Figure(figsize=(WIDTH, height), layout="constrained")
    return made, made.subplots(rows, 1, squeeze=False, **options)[:, 0]


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
    from textwrap import wrap

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


def dots(
    axes: Any, marks: Sequence[Mark], label: str, zero: bool = False, series: Sequence[str] = ()
) -> None:
    """Draw a dot with its interval for each mark, a row for each name, the first one on top.

    zero: with a line at 0; else an axis of numbers that are never below 0 begins there.
    series: all that have colours, if there are others than those of the marks.
    """
    rows = list(dict.fromkeys(mark.row for mark in marks))
    series = series or list(dict.fromkeys(mark.series for mark in marks))
    for at, name in enumerate(series):
        own = [mark for mark in marks if mark.series == name]
        shift = (at - (len(series) - 1) / 2) * 0.66 / max(len(series), 1)
        places = [rows.index(mark.row) + shift for mark in own]
        colour = SERIES[at % len(SERIES)]
        for mark, place in zip(own, places, strict=True):
            if mark.ci:
                axes.plot(mark.ci, [place, place], color=colour, linewidth=1.4, zorder=2)
        axes.scatter(
            [mark.value for mark in own],
            places,
            color=colour,
            s=26,
            zorder=3,
            marker=MARKERS[at % len(MARKERS)],
            label=short(name),
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
    from textwrap import fill

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
    axes.figure.draw_without_rendering()  # which settles where the axes are
    inner, scale = axes.get_window_extent(), axes.figure.dpi / 72
    points = [tuple(axes.transData.transform(place[:2])) for place in named]
    taken = [(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in points]
    for (x, y), (*place, text) in zip(points, named, strict=True):
        width, tall = terminal.width(text) * 5.2 * scale, 11 * scale
        boxes = []
        for right, up in _BESIDE:
            left = x + right * (7 * scale + width / 2) - width / 2
            low = y + up * (7 * scale + tall / 2) - tall / 2
            boxes.append((left, low, left + width, low + tall))
        best = min(
            boxes,
            key=lambda box: (
                sum(_shared(box, other) for other in taken)
                + (box[2] - box[0]) * (box[3] - box[1])
                - _shared(box, inner.extents)
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


def _shared(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the area that two boxes share: (left, bottom, right, top)."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0


def logarithmic(axes: Any) -> None:
    """Make both axes logarithmic, with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for scale, axis in ((axes.set_xscale, axes.xaxis), (axes.set_yscale, axes.yaxis)):
        scale("log")
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.4g}"))
        axis.set_minor_formatter(NullFormatter())
