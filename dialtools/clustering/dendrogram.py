"""The dendrogram of clusters: as SVG, as merges, as what each cluster joins."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from dialtools.clustering.partition import Partition
from dialtools.system.errors import need

ROW = 0.22  # inches for each cluster


def svg(partition: Partition, names: Sequence[str] = ()) -> bytes:
    """Return the picture: a leaf for each cluster with its number, size and name.

    names: of the clusters in their order, such as their most typical words.
    """
    matplotlib = need("matplotlib", "report")
    from matplotlib.figure import Figure

    labels = [f"{number}  ({size:,})" for number, size in enumerate(partition.sizes, 1)]
    if names:
        labels = [f"{label}  {name}" for label, name in zip(labels, names, strict=True)]
    written = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "dialtools", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 1 + ROW * len(labels)), layout="constrained")
        axes = figure.subplots()
        if partition.merges is not None:
            draw(axes, partition.merges, labels, "#4a6785")
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return written.getvalue()


def draw(axes: Any, merges: Any, labels: Sequence[str], colour: str) -> None:
    """Draw merges as scipy.cluster.hierarchy.linkage gives them, with the leaves on the right."""
    from scipy.cluster import hierarchy

    hierarchy.dendrogram(
        merges,
        orientation="left",
        labels=list(labels),
        ax=axes,
        leaf_font_size=9,
        color_threshold=0,
        above_threshold_color=colour,
    )
    axes.set_xlabel("distance of merged clusters (Ward)")
    axes.spines[["left", "right", "top"]].set_visible(False)


def joins(merges: Any) -> dict[int, tuple[int, float]]:
    """Return which cluster each one joins, and at what distance, which says all that merges do.

    A group of clusters is called by its smallest number; of two that merge, that with the larger
    number joins the other.  Cluster 1 joins none.

    >>> joins([[0, 2, 1.5, 2], [1, 3, 4.0, 3]])
    {3: (1, 1.5), 2: (1, 4.0)}
    """
    rows = [] if merges is None else list(merges)
    first = {leaf: leaf + 1 for leaf in range(len(rows) + 1)}
    found = {}
    for node, (one, other, height, _) in enumerate(rows, len(rows) + 1):
        low, high = sorted((first[int(one)], first[int(other)]))
        found[high], first[node] = (low, float(height)), low
    return found


def merges(joined: Mapping[int, tuple[int, float]]) -> list[list[float]]:
    """Return the merges that joins() tells of.

    >>> merges({2: (1, 4.0), 3: (1, 1.5)})
    [[0, 2, 1.5, 2], [1, 3, 4.0, 3]]
    """
    nodes = {number: (number - 1, 1) for number in range(1, len(joined) + 2)}
    rows: list[list[float]] = []
    for high, (low, height) in sorted(joined.items(), key=lambda item: item[1][1]):
        (one, more), (other, others) = nodes[low], nodes[high]
        rows.append([min(one, other), max(one, other), height, more + others])
        nodes[low] = len(joined) + len(rows), more + others
    return rows
