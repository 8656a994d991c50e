"""Draw the dimensions against each other: scatter.py METRIC PRECISION PICTURE SOURCES…

Each point is a dialogue and a kind; SOURCES are files of dt-score --robustness --per-source, a colour each.  The
largest hundredth of each dimension is left out, as a score near 0 makes a change of thousands of percent.
"""

import json
import sys
from itertools import combinations

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def main(metric: str, precision: str, picture: str, *files: str) -> None:
    labels = {"consistency": metric, "saliency": metric, "faithfulness": precision}
    figure, panels = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    for (x, y), axes in zip(combinations(labels, 2), panels, strict=True):
        points = {}
        for file in files:
            with open(file, encoding="utf-8") as lines:
                sources = [source for source in map(json.loads, lines) if source["variant"]]
            pairs = [
                tuple(source["scores"][f"{name}:{labels[name]}"] for name in (x, y))
                for source in sources
            ]
            points[sources[0]["system"]] = [pair for pair in pairs if None not in pair]
        everything = [pair for pairs in points.values() for pair in pairs]
        limits = [
            sorted(column)[int(0.99 * (len(column) - 1))]
            for column in zip(*everything, strict=False)
        ]
        for system, pairs in points.items():
            kept = [pair for pair in pairs if pair[0] <= limits[0] and pair[1] <= limits[1]]
            axes.scatter(*zip(*kept, strict=False), s=8, alpha=0.5, label=system)
        axes.set(xlabel=f"Δ{x}, %", ylabel=f"Δ{y}, %")
    panels[0].legend()
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main(*sys.argv[1:])
