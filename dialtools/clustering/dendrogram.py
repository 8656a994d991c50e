"""The dendrogram of clusters as SVG."""

import io
from collections.abc import Sequence

from dialtools.clustering.partition import Partition
from dialtools.errors import need

ROW = 0.22  # inches for each cluster


def svg(partition: Partition, names: Sequence[str] = ()) -> bytes:
    """Return the picture: a leaf for each cluster with its number, size and name.

    names: of the clusters in their order, such as their most typical words.
    """
    matplotlib = need("matplotlib", "report")
    from matplotlib.figure import Figure
    from scipy.cluster import hierarchy

    labels = [f"{number}  ({size:,})" for number, size in enumerate(partition.sizes, 1)]
    if names:
        labels = [f"{label}  {name}" for label, name in zip(labels, names, strict=True)]
    written = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "dialtools", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 1 + ROW * len(labels)), layout="constrained")
        axes = figure.subplots()
        if partition.merges is not None:
            hierarchy.dendrogram(partition.merges, orientation="left", labels=labels, ax=axes,
                                 leaf_font_size=9, color_threshold=0,
                                 above_threshold_color="#4a6785")
        axes.set_xlabel("distance of merged clusters (Ward)")
        axes.spines[["left", "right", "top"]].set_visible(False)
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return written.getvalue()
