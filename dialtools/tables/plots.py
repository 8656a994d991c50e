"""Small plots for a terminal, in characters: a distribution, bars, intervals; made by plotext."""

from collections.abc import Iterator, Sequence
from typing import Any

from dialtools.system import errors, terminal

BINS = 20  # of a distribution from 0 to 100
_ASCII = str.maketrans("┌┐└┘├┤┬┴┼│─█−…", "+++++++++|-#-.")
ROWS = 8  # of a plot of bars or intervals


def require_library() -> None:
    """Raise MissingError, with the command that installs it, unless plotext is there."""
    errors.need("plotext", "report")


def distribution(title: str, counts: Sequence[int], width: int, ascii: bool = False) -> list[str]:
    """Return the lines of a histogram of numbers from 0 to 100; counts: of BINS equal parts."""
    figure = _figure(title, width, 9)
    names = [str(100 * number // BINS) for number in range(BINS)]
    figure.ruler("y").ticks(*_whole(max(counts)))
    figure.draw(figure.bar(names, list(counts), marker="█", width=0.8))
    return _lines(figure, ascii)


def _whole(most: int) -> tuple[list[int], list[str]]:
    """Return some five whole numbers from 0 to a count at most, and how they are written."""
    numbers = list(range(0, most + 1, max(1, -(-most // 4))))
    return numbers, [f"{number:,}" for number in numbers]


def bars(
    title: str, rows: Sequence[tuple[str, float]], width: int, ascii: bool = False
) -> list[str]:
    """Return the lines of a bar for each label and value, from 0."""
    lines: list[str] = []
    for part in _parts(rows):
        figure, places = _figure(title, width, 2 * len(part) + 4), _places(part)
        figure.draw(
            figure.bar(
                places, [value for _, value in part], orientation="h", marker="█", width=0.01
            )
        )
        _name(figure, places, [f"{_short(label, width)} {value:.2f}" for label, value in part])
        _fit(figure, [value for _, value in rows])
        lines += _lines(figure, ascii)
    return lines


def intervals(
    title: str, rows: Sequence[tuple[str, float, float, float]], width: int, ascii: bool = False
) -> list[str]:
    """Return the lines of a point with its interval for each (label, value, low, high)."""
    lines: list[str] = []
    for part in _parts(rows):
        figure, places = _figure(title, width, 2 * len(part) + 4), _places(part)
        middles = [(low + high) / 2 for _, _, low, high in part]
        halves = [(high - low) / 2 for _, _, low, high in part]
        figure.draw(figure.error(middles, places, [0.0] * len(part), halves))
        _name(
            figure, places, [f"{_short(label, width)} {value:.2f}" for label, value, _, _ in part]
        )
        _fit(figure, [end for _, _, low, high in rows for end in (low, high)])
        lines += _lines(figure, ascii)
    return lines


def _parts(rows: Sequence[tuple]) -> Iterator[Sequence[tuple]]:
    """Yield rows that fit on a screen together: plotext draws no plot that is higher."""
    yield from (rows[start : start + ROWS] for start in range(0, len(rows), ROWS))


def _places(rows: Sequence[tuple]) -> list[int]:
    return list(range(len(rows), 0, -1))


def _fit(figure: Any, values: Sequence[float]) -> None:
    """Let the axis reach from the lowest value to the highest, and hold 0."""
    low, high = min(0.0, *values), max(0.0, *values)
    figure.ruler("x").lim(low, high if high > low else 1.0)


def _figure(title: str, width: int, height: int) -> Any:
    figure = errors.need("plotext", "report").figure
    figure.clear()
    figure.plot_size(width, height)
    figure.title(terminal.visible(title))
    return figure


def _name(figure: Any, places: list[int], names: list[str]) -> None:
    """Write names beside the rows of a figure, two lines a row."""
    ruler = figure.ruler("y")
    ruler.ticks(places, names)
    ruler.lim(0.5, len(places) + 0.5)


def _short(label: str, width: int) -> str:
    """Return a label that leaves more than half of a plot free; of a long one, both ends."""
    label, most = terminal.visible(label), 2 * width // 5
    half = (most - 1) // 2
    return label if len(label) <= most else f"{label[:half]}…{label[-half:]}"


def _lines(figure: Any, ascii: bool) -> list[str]:
    text = errors.need("plotext", "report").uncolorize(str(figure.build()))
    lines = [line.rstrip() for line in text.splitlines() if line.strip(" │")]
    return [line.translate(_ASCII) for line in lines] if ascii else lines


def said(parts: Iterator[list[str]]) -> str:
    """Return plots as one text, an empty line before each."""
    return "".join("\n" + "\n".join(lines) + "\n" for lines in parts)
