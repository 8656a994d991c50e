"""Vectors of length 1 divided into clusters: k-means, then Ward's hierarchy of the centres.

Ward compares all pairs, so that many vectors are first divided by k-means.

Source: section 6.2 of the paper on speech style embeddings: k-means with 10,000 centres, then
Ward's method; both by Euclidean distances of normalised vectors.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dialtools.system.errors import OptionError

SAMPLE = 5_000  # vectors whose silhouette is computed
AT_ONCE, IN_MEMORY = 100_000, 1 << 26  # vectors, numbers: k-means reads more in batches


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


def divided(vectors: Any, numbers: Sequence[int], centres: int, seed: int) -> Partition:
    """Return the partition with the number of clusters that has the highest silhouette.

    vectors: (vectors, dimensions), each of length 1.
    numbers: of clusters to try, in rising order.
    centres: of k-means; fewer vectors go to Ward as they are.
    """
    from scipy.cluster import hierarchy

    _check(len(vectors), numbers, centres)
    means, nearest = _k_means(vectors, centres, seed)
    merges = hierarchy.linkage(means, "ward")
    cuts = hierarchy.cut_tree(merges, numbers)
    tried = (
        {
            number: _silhouette(vectors, cut[nearest], seed)
            for number, cut in zip(numbers, cuts.T, strict=True)
        }
        if len(numbers) > 1
        else {}
    )
    best = max(tried, key=lambda number: (tried[number], -number)) if tried else numbers[0]
    cut = cuts[:, numbers.index(best)]
    labels, order = _numbered(cut[nearest])
    merged = _upper(merges, order[cut], best)
    sizes = [int((labels == number).sum()) for number in range(1, best + 1)]
    return Partition(labels, _distances(vectors, labels, best), sizes, merged, tried)


def _check(size: int, numbers: Sequence[int], centres: int) -> None:
    if numbers[-1] > size:
        raise OptionError(f"{numbers[-1]:,} clusters of {size:,} records: ask for fewer")
    if numbers[-1] > centres:
        raise OptionError(f"{numbers[-1]:,} clusters of {centres:,} centres: give more --centres")
    if len(numbers) > 1 and numbers[-1] >= size:
        raise OptionError(
            f"--choose: a silhouette needs more records than clusters; there are {size:,} records"
        )


def _k_means(vectors: Any, centres: int, seed: int) -> tuple[Any, Any]:
    """Return the centres, and the number of each vector's centre."""
    import numpy

    if len(vectors) <= centres:
        return numpy.array(vectors, float), numpy.arange(len(vectors))
    from sklearn.cluster import KMeans, MiniBatchKMeans

    if len(vectors) <= AT_ONCE and vectors.size <= IN_MEMORY:
        found = KMeans(centres, n_init=1, random_state=seed)
    else:
        found = MiniBatchKMeans(centres, n_init=1, random_state=seed, batch_size=10_000)
    nearest = found.fit_predict(vectors)
    taken, nearest = numpy.unique(nearest, return_inverse=True)  # a centre may be of no vector
    return found.cluster_centers_[taken].astype(float), nearest


def _silhouette(vectors: Any, labels: Any, seed: int) -> float:
    from sklearn.metrics import silhouette_score

    some = SAMPLE if len(vectors) > SAMPLE else None
    return float(silhouette_score(vectors, labels, sample_size=some, random_state=seed))


def _numbered(labels: Any) -> tuple[Any, Any]:
    """Return labels from 1, the largest cluster first, and the new number of each old one."""
    import numpy

    sizes = numpy.bincount(labels)
    firsts = numpy.full(len(sizes), len(labels))
    numpy.minimum.at(firsts, labels, numpy.arange(len(labels)))
    order = numpy.empty(len(sizes), int)
    order[numpy.lexsort((firsts, -sizes))] = numpy.arange(1, len(sizes) + 1)
    return order[labels], order


def _distances(vectors: Any, labels: Any, number: int) -> Any:
    """Return 1 minus the cosine of each vector with the mean of its cluster."""
    import numpy

    means = numpy.zeros((number, vectors.shape[1]))
    for start in range(0, len(vectors), SAMPLE):
        part = slice(start, start + SAMPLE)
        numpy.add.at(means, labels[part] - 1, vectors[part])
    lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
    means /= numpy.where(lengths > 0, lengths, 1)
    cosines = [
        (vectors[start : start + SAMPLE] * means[labels[start : start + SAMPLE] - 1]).sum(axis=1)
        for start in range(0, len(vectors), SAMPLE)
    ]
    return 1 - numpy.concatenate(cosines)


def _upper(merges: Any, labels: Any, number: int) -> Any:
    """Return the merges of the clusters alone, whose leaves are their numbers minus 1.

    labels: the cluster of each centre.
    """
    import numpy

    if number < 2:
        return None
    rows: list[list[float]] = []
    leaves, sizes = dict(enumerate(labels - 1)), dict.fromkeys(range(number), 1)
    for node, (one, other, height, _) in enumerate(merges, len(labels)):
        a, b = leaves[int(one)], leaves[int(other)]
        if a == b:
            leaves[node] = a
            continue
        leaves[node] = number + len(rows)
        sizes[leaves[node]] = sizes[a] + sizes[b]
        rows.append([min(a, b), max(a, b), height, sizes[leaves[node]]])
    return numpy.array(rows, float)
