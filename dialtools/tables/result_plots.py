"""What dt-score and dt-ttest --plot draw on standard error: what a number hides."""

import sys
from collections.abc import Callable, Iterable, Iterator
from os.path import commonprefix

from dialtools.system import terminal
from dialtools.tables import plots

MOST = 20  # plots, and rows of one
_BARS = ("consistency", "corpus", "mean")  # of results that are drawn as bars


class Plots:
    """Looks at sources and results as they pass, and draws them at the end.

    Memory: some counts for each metric and group.
    """

    def __init__(self) -> None:
        plots.require_library()
        self.counts: dict[tuple[str, ...], list[int]] = {}
        self.results: list[dict] = []

    def of_sources(self, sources: Iterable[dict]) -> Iterator[dict]:
        """Yield sources of dt-score --sensitivity; their S are counted."""
        for source in sources:
            for label, value in source.get("scores", {}).items():
                if label.startswith("S:") and value is not None:
                    self._count(source, label, value)
            yield source

    def _count(self, source: dict, label: str, value: float) -> None:
        named = (source.get("system"), source.get("lang"), source.get("group"))
        key = label, *(str(name) for name in named if name is not None)
        if key in self.counts or len(self.counts) < MOST:
            own = self.counts.setdefault(key, [0] * plots.BINS)
            own[min(int(value * plots.BINS / 100), plots.BINS - 1)] += 1

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
        width = min(terminal.columns(), 100)
        encoding = getattr(sys.stderr, "encoding", None) or "ascii"
        ascii = not encoding.lower().replace("-", "").startswith("utf")
        sys.stderr.write(plots.said(self._drawn(width, ascii)))

    def _drawn(self, width: int, ascii: bool) -> Iterator[list[str]]:
        for (label, *names), counts in self.counts.items():
            title = f"{label} of {sum(counts)} sources, in percent: {' '.join(names)}"
            yield plots.distribution(title, counts, width, ascii)
        compared = [one for one in self.results if one.get("ci") and "b" in one]
        if compared:
            rows = [
                (label, one["difference"], *one["ci"])
                for label, one in zip(_pairs(compared), compared, strict=True)
            ]
            unit = compared[0].get("unit", "as given")
            yield plots.intervals(
                f"differences with intervals, unit: {unit}", rows[:MOST], width, ascii
            )
        for key in _BARS:
            for metric in dict.fromkeys(one.get("metric") for one in self.results):
                own = [
                    one
                    for one in self.results
                    if one.get("metric") == metric and one.get(key) is not None
                ]
                if len(own) > 1:
                    title = f"{key} of {metric}, unit: {own[0].get('unit', 'as given')}"
                    values = [float(one[key]) for one in own]
                    rows = list(zip(_names(own), values, strict=True))
                    yield plots.bars(title, rows[:MOST], width, ascii)


def _pairs(results: list[dict]) -> list[str]:
    """Return what is compared, without the folder that all share; of several values, which."""
    names = [str(one[key]) for one in results for key in ("a", "b")]
    shared = commonprefix(names).rpartition("/")
    start = len(shared[0] + shared[1])
    several = len({one["value"] for one in results}) > 1
    return [
        f"{str(one['a'])[start:]} − {str(one['b'])[start:]}"
        + (f" {one['value'].removeprefix('scores.')}" if several else "")
        for one in results
    ]


def _names(results: list[dict]) -> list[str]:
    """Return what tells results from each other."""
    keys = [
        key
        for key in ("system", "lang", "kind", "group")
        if len({repr(one.get(key)) for one in results}) > 1
    ]
    return [
        " ".join(dict.fromkeys(str(one[key]) for key in keys if one.get(key) is not None))
        for one in results
    ]
