"""What dt-score and dt-ttest --plot draw on standard error, in characters: what a number hides.

Distributions, bars and intervals are drawn by plotext.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import Any

from dialtools.system import errors, terminal

MOST = 20  # plots, and rows of one
ROWS = 8  # of one on a screen: plotext draws no plot that is higher
_BINS = 20  # of a distribution from 0 to 100
_BARS = ("consistency", "corpus", "mean")  # of results that are drawn as bars
_ASCII = str.maketrans("┌┐└┘├┤┬┴┼│─█−…", "+++++++++|-#-.")


class Plots:
    """Looks at sources and results as they pass, and draws them at the end.

    Memory: some counts for each metric and group.  Raises MissingError, with the command that
    installs it, unless plotext is there.
    """

    def __init__(self) -> None:
        errors.need("plotext", "report")
        self.counts: dict[tuple[str, ...], list[int]] = {}
        self.results: list[dict] = []
        self.width, self.ascii = 0, False

    def of_sources(self, sources: Iterable[dict]) -> Iterator[dict]:
        """Yield sources of dt-score --sensitivity; their S are counted."""
        for source in sources:
            named = [source.get(key) for key in ("system", "lang", "group")]
            names = [str(name) for name in named if name is not None]
            for label, value in source.get("scores", {}).items():
                key = label, *names
                is_shown = key in self.counts or len(self.counts) < MOST
                if label.startswith("S:") and value is not None and is_shown:
                    counts = self.counts.setdefault(key, [0] * _BINS)
                    counts[min(int(value * _BINS / 100), _BINS - 1)] += 1
            yield source

    def of_results(self, results: Iterable[dict]) -> Iterator[dict]:
        """Yield results, which are kept."""
        for result in results:
            self.results.append(result)
            yield result

    def around(self, stage: Callable) -> Callable:
        """Return a stage of dt-score whose sources and results are looked at."""
        return lambda records: self.of_results(stage(self.of_sources(records)))

    def draw(self) -> None:
        """Write the plots to standard error, as wide as the terminal but at most 100 columns."""
        self.width = min(terminal.columns(), 100)
        encoding = getattr(sys.stderr, "encoding", None) or "ascii"
        self.ascii = not encoding.lower().replace("-", "").startswith("utf")
        plots = [self._distribution(*key) for key in self.counts.items()]
        compared = [result for result in self.results if result.get("ci") and "b" in result]
        if compared:
            unit = compared[0].get("unit", "as given")
            rows = [
                (label, result["difference"], *result["ci"])
                for label, result in zip(_pairs(compared), compared, strict=True)
            ]
            plots.append(self._rows(f"differences with intervals, unit: {unit}", rows[:MOST]))
        for key in _BARS:
            for metric in dict.fromkeys(result.get("metric") for result in self.results):
                measured = [
                    result
                    for result in self.results
                    if result.get("metric") == metric and result.get(key) is not None
                ]
                if len(measured) > 1:
                    title = f"{key} of {metric}, unit: {measured[0].get('unit', 'as given')}"
                    values = [float(result[key]) for result in measured]
                    rows = list(zip(_names(measured), values, strict=True))
                    plots.append(self._rows(title, rows[:MOST]))
        # an empty line before each
        sys.stderr.write("".join("\n" + "\n".join(lines) + "\n" for lines in plots))

    def _distribution(self, key: tuple[str, ...], counts: Sequence[int]) -> list[str]:
        """Return the lines of a histogram of numbers from 0 to 100."""
        label, *names = key
        title = f"{label} of {sum(counts)} sources, in percent: {' '.join(names)}"
        figure = self._figure(title, 9)
        # some five whole numbers at most on the axis
        ticks = list(range(0, max(counts) + 1, max(1, -(-max(counts) // 4))))
        figure.ruler("y").ticks(ticks, [f"{number:,}" for number in ticks])
        starts = [str(100 * number // _BINS) for number in range(_BINS)]
        figure.draw(figure.bar(starts, list(counts), marker="█", width=0.8))
        return self._lines(figure)

    def _rows(self, title: str, rows: Sequence[tuple]) -> list[str]:
        """Return the lines of a bar from 0 for each (label, value), or of a point with its interval
        for each (label, value, low, high).
        """
        lines: list[str] = []
        ends = [0.0, *(end for _, *ends in rows for end in ends[-2:])]
        low, high = min(ends), max(ends)
        for start in range(0, len(rows), ROWS):
            part = rows[start : start + ROWS]
            figure, places = self._figure(title, 2 * len(part) + 4), list(range(len(part), 0, -1))
            if len(part[0]) == 2:
                values = [value for _, value in part]
                mark: dict[str, Any] = {"orientation": "h", "marker": "█", "width": 0.01}
                figure.draw(figure.bar(places, values, **mark))
            else:
                middles = [(low + high) / 2 for *_, low, high in part]
                halves = [(high - low) / 2 for *_, low, high in part]
                figure.draw(figure.error(middles, places, [0.0] * len(part), halves))
            ruler = figure.ruler("y")  # two lines a row
            ruler.ticks(places, [f"{self._short(label)} {value:.2f}" for label, value, *_ in part])
            ruler.lim(0.5, len(places) + 0.5)
            figure.ruler("x").lim(low, high if high > low else 1.0)
            lines += self._lines(figure)
        return lines

    def _figure(self, title: str, height: int) -> Any:
        figure = errors.need("plotext", "report").figure
        figure.clear()
        figure.plot_size(self.width, height)
        figure.title(terminal.visible(title))
        return figure

    def _short(self, label: str) -> str:
        """Return a label that leaves more than half of a plot free; of a long one, both ends."""
        label, most = terminal.visible(label), 2 * self.width // 5
        half = (most - 1) // 2
        return label if len(label) <= most else f"{label[:half]}…{label[-half:]}"

    def _lines(self, figure: Any) -> list[str]:
        text = errors.need("plotext", "report").uncolorize(str(figure.build()))
        lines = [line.rstrip() for line in text.splitlines() if line.strip(" │")]
        return [line.translate(_ASCII) for line in lines] if self.ascii else lines


def _pairs(results: list[dict]) -> list[str]:
    """Return what is compared, without the folder that all share; of several values, which."""
    names = [str(result[key]) for result in results for key in ("a", "b")]
    start = commonprefix(names).rfind("/") + 1
    has_values = len({result["value"] for result in results}) > 1
    return [
        f"{str(result['a'])[start:]} − {str(result['b'])[start:]}"
        + (f" {result['value'].removeprefix('scores.')}" if has_values else "")
        for result in results
    ]


def _names(results: list[dict]) -> list[str]:
    """Return what tells results from each other."""
    keys = [
        key
        for key in ("system", "lang", "kind", "group")
        if len({repr(result.get(key)) for result in results}) > 1
    ]
    return [
        " ".join(dict.fromkeys(str(result[key]) for key in keys if result.get(key) is not None))
        for result in results
    ]
