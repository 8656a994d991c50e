"""Vectors of length 1 divided into clusters, kept on disk before that, and drawn as a tree after.

Clusters are those of k-means, then Ward's hierarchy of its centres: Ward compares all pairs, so
that many vectors are first divided by k-means.

Source: section 6.2 of the paper on speech style embeddings: k-means with 10,000 centres, then
Ward's method; both by Euclidean distances of normalised vectors.
"""

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dialtools.records import jsonl
from dialtools.system.errors import OptionError, RecordError, need

SAMPLE = 5_000  # vectors whose silhouette is computed
AT_ONCE, IN_MEMORY = 100_000, 1 << 26  # vectors, numbers: k-means reads more in batches
ROW = 0.22  # inches for each cluster of a tree


class Partition(NamedTuple):
    """Clusters of vectors, numbered from 1, the largest first.

    labels: the cluster of each vector (vectors,).
    distances: 1 minus the cosine of each vector with its cluster's mean (vectors,).
    sizes: the number of vectors of each cluster.
    merges: Ward's merges of the clusters, as in scipy.cluster.hierarchy.linkage; none of one.
    silhouettes: {number of clusters: mean silhouette, from -1 to 1}, of those that were tried.
    """

    labels: Any
    distances: Any
    sizes: list[int]
    merges: Any
    silhouettes: dict[int, float]


class Spool:
    """Records with a vector each, in temporary files that vanish when it is closed.

    Memory does not grow with their number.
    """

    def __init__(self) -> None:
        self._records, self._vectors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.size = self.dimensions = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *error: object) -> None:
        self._records.close()
        self._vectors.close()

    def add(self, records: Iterable[dict], vectors: Iterable[Any]) -> None:
        """Keep records and their vectors. Raise RecordError for a vector of another length."""
        import numpy

        for record, vector in zip(records, vectors, strict=True):
            row = numpy.asarray(vector, numpy.float32)
            self.dimensions = self.dimensions or len(row)
            if len(row) != self.dimensions:
                raise RecordError(
                    f"its vector has {len(row):,} numbers, the first has {self.dimensions:,}",
                    record,
                )
            self._records.write(jsonl.dumps(record))
            self._vectors.write(row.tobytes())
            self.size += 1

    def vectors(self) -> Any:
        """Return all vectors (records, dimensions), float32, mapped from disk."""
        import numpy

        self._vectors.flush()
        return numpy.memmap(self._vectors, numpy.float32, "r", shape=(self.size, self.dimensions))

    def records(self) -> Iterator[dict]:
        """Yield the records in the order in which they came."""
        self._records.seek(0)
        yield from map(jsonl.loads, self._records)


def divided(vectors: Any, numbers: Sequence[int], centres: int, seed: int) -> Partition:
    """Return the partition with the number of clusters that has the highest silhouette.

    vectors: (vectors, dimensions), each of length 1.
    numbers: of clusters to try, in rising order.
    centres: of k-means; fewer vectors go to Ward as they are.
    """
    import numpy
    from scipy.cluster import hierarchy

    size, most = len(vectors), numbers[-1]
    if most > size:
        raise OptionError(f"{most:,} clusters of {size:,} records: ask for fewer")
    if most > centres:
        raise OptionError(f"{most:,} clusters of {centres:,} centres: give more --centres")
    if len(numbers) > 1 and most >= size:
        raise OptionError(
            f"--choose: a silhouette needs more records than clusters; there are {size:,} records"
        )
    means, nearest = _k_means(vectors, centres, seed)
    merges = hierarchy.linkage(means, "ward")
    cuts = dict(zip(numbers, hierarchy.cut_tree(merges, numbers).T, strict=True))
    best, silhouettes = numbers[0], dict[int, float]()
    if len(numbers) > 1:
        from sklearn.metrics import silhouette_score

        sample = SAMPLE if size > SAMPLE else None
        for number, cut in cuts.items():
            silhouettes[number] = float(
                silhouette_score(vectors, cut[nearest], sample_size=sample, random_state=seed)
            )
        best = max(silhouettes, key=lambda number: (silhouettes[number], -number))

    # numbered from 1, the largest first, then those whose first vector comes first
    labels = cuts[best][nearest]
    sizes = numpy.bincount(labels)
    firsts = numpy.full(len(sizes), len(labels))
    numpy.minimum.at(firsts, labels, numpy.arange(len(labels)))
    order = numpy.lexsort((firsts, -sizes))
    new_numbers = numpy.empty(len(sizes), int)
    new_numbers[order] = numpy.arange(1, len(sizes) + 1)
    labels = new_numbers[labels]
    return Partition(
        labels,
        _distances(vectors, labels, best),
        sizes[order].tolist(),
        _merges_of_clusters(merges, new_numbers[cuts[best]], best),
        silhouettes,
    )


def _k_means(vectors: Any, centres: int, seed: int) -> tuple[Any, Any]:
    """Return the centres, and the number of each vector's centre."""
    import numpy

    if len(vectors) <= centres:
        return numpy.array(vectors, float), numpy.arange(len(vectors))
    from sklearn.cluster import KMeans, MiniBatchKMeans

    if len(vectors) <= AT_ONCE and vectors.size <= IN_MEMORY:
        k_means = KMeans(centres, n_init=1, random_state=seed)
    else:
        k_means = MiniBatchKMeans(centres, n_init=1, random_state=seed, batch_size=10_000)
    nearest = k_means.fit_predict(vectors)
    taken, nearest = numpy.unique(nearest, return_inverse=True)  # a centre may be of no vector
    return k_means.cluster_centers_[taken].astype(float), nearest


def _distances(vectors: Any, labels: Any, number: int) -> Any:
    """Return 1 minus the cosine of each vector with the mean of its cluster."""
    import numpy

    slices = [slice(start, start + SAMPLE) for start in range(0, len(vectors), SAMPLE)]
    means = numpy.zeros((number, vectors.shape[1]))
    for part in slices:
        numpy.add.at(means, labels[part] - 1, vectors[part])
    lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
    means /= numpy.where(lengths > 0, lengths, 1)
    cosines = [(vectors[part] * means[labels[part] - 1]).sum(axis=1) for part in slices]
    return 1 - numpy.concatenate(cosines)


def _merges_of_clusters(merges: Any, labels: Any, number: int) -> Any:
    """Return the merges of the clusters alone, whose leaves are their numbers minus 1.

    labels: the cluster of each centre.
    """
    import numpy

    if number < 2:
        return None
    rows: list[list[float]] = []
    leaves, sizes = dict(enumerate(labels - 1)), dict.fromkeys(range(number), 1)
    for node, (left, right, height, _) in enumerate(merges, len(labels)):
        a, b = leaves[int(left)], leaves[int(right)]
        if a == b:
            leaves[node] = a
            continue
        leaves[node] = number + len(rows)
        sizes[leaves[node]] = sizes[a] + sizes[b]
        rows.append([min(a, b), max(a, b), height, sizes[leaves[node]]])
    return numpy.array(rows, float)


def joins(merges: Any) -> dict[int, tuple[int, float]]:
    """Return which cluster each one joins, and at what distance, which says all that merges do.

    A group of clusters is called by its smallest number; of two that merge, that with the larger
    number joins the other.  Cluster 1 joins none.

    >>> joins([[0, 2, 1.5, 2], [1, 3, 4.0, 3]])
    {3: (1, 1.5), 2: (1, 4.0)}
    """
    rows = [] if merges is None else list(merges)
    first = {leaf: leaf + 1 for leaf in range(len(rows) + 1)}
    joined = {}
    for node, (a, b, height, _) in enumerate(rows, len(rows) + 1):
        low, high = sorted((first[int(a)], first[int(b)]))
        joined[high], first[node] = (low, float(height)), low
    return joined


def merges_of(joined: Mapping[int, tuple[int, float]]) -> list[list[float]]:
    """Return the merges that joins() tells of.

    >>> merges_of({2: (1, 4.0), 3: (1, 1.5)})
    [[0, 2, 1.5, 2], [1, 3, 4.0, 3]]
    """
    nodes = {number: (number - 1, 1) for number in range(1, len(joined) + 2)}
    rows: list[list[float]] = []
    for high, (low, height) in sorted(joined.items(), key=lambda item: item[1][1]):
        (a, size_a), (b, size_b) = nodes[low], nodes[high]
        rows.append([min(a, b), max(a, b), height, size_a + size_b])
        nodes[low] = len(joined) + len(rows), size_a + size_b
    return rows


def dendrogram(partition: Partition) -> bytes:
    """Return the tree as SVG: a leaf for each cluster with its number and size."""
    matplotlib = need("matplotlib", "report")
    from matplotlib.figure import Figure

    labels = [f"{number}  ({size:,})" for number, size in enumerate(partition.sizes, 1)]
    svg = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "dialtools", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 1 + ROW * len(labels)), layout="constrained")
        axes = figure.subplots()
        if partition.merges is not None:
            draw(axes, partition.merges, labels, "#4a6785")
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return svg.getvalue()


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


def summed(records: Iterable[dict], partition: Partition) -> Iterator[dict]:
    """Yield a result for each cluster: its size, mean distance, the record nearest its mean, and
    which cluster it joins at what distance.

    records: with their clusters.
    """
    clusters: dict[int, dict] = {}
    least: dict[int, float] = {}
    for record in records:
        label, distance = record["cluster_label"], record["cluster_distance"]
        cluster = clusters.setdefault(
            label, {"cluster_label": label, "n": 0, "distance": 0.0, "nearest": record["id"]}
        )
        cluster["n"] += 1
        cluster["distance"] += distance
        if distance < least.setdefault(label, distance):
            cluster["nearest"], least[label] = record["id"], distance
    joined = joins(partition.merges)
    for label, cluster in sorted(clusters.items()):
        into, height = joined.get(label, (None, None))
        mean = cluster["distance"] / cluster["n"]
        yield {**cluster, "distance": mean, "joins": into, "height": height}
