"""Scores of sums of statistics, such as corpus BLEU: bootstrap intervals, and how far they vary.

Clusters of records, such as all of one dialogue, are drawn with replacement, as many as there are;
the interval has the middle 95 % of the scores of 1,000 such samples.  Draws, seed and ranks are
those of sacrebleu --confidence: for records that are numbered in their order, each a cluster of its
own, the numbers are the same.

For comparisons a score is linearised (infinitesimal jackknife): a cluster deviates by its statistics
times the slopes of the score in their sums, as it does in a mean, whose slopes are constant.

Source: Koehn 2004, https://aclanthology.org/W04-3250; Post 2018,
https://aclanthology.org/W18-6319; Efron and Tibshirani 1993, An introduction to the bootstrap,
chapters 13 and 21.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dialtools.statistics import resampling
from dialtools.statistics.clustered import Mean

RESAMPLES, SEED = 1000, 12345
_BLOCK = 1 << 20  # draws that are held at once
_STEP = 2.0**-12  # of a sum: how far it is moved to find the slope there
_ROUNDING = 1e-12

Row = Sequence[float] | Mapping[str, float]  # numbers at places, or counts under names
Score = Callable[[Any], float]  # of a row of sums


class Sample:
    """Statistics of records, each with the 64-bit key of its cluster; their order never matters.

    Memory: 8 bytes a record, and 16 for each number that is not 0.
    """

    def __init__(self) -> None:
        self.keys = array("Q")
        self.columns: dict[int | str, int] = {}  # {place or name: its column}
        self.records, self.places, self.values = array("I"), array("I"), array("d")

    def add(self, key: int, row: Row) -> None:
        """Add the statistics of a record."""
        number, columns = len(self.keys), self.columns
        self.keys.append(key)
        for name, value in row.items() if isinstance(row, Mapping) else enumerate(row):
            column = columns.setdefault(name, len(columns))
            if value:
                self.records.append(number)
                self.places.append(column)
                self.values.append(value)

    def merge(self, other: "Sample") -> None:
        """Add the statistics of another sample."""
        number = len(self.keys)
        columns = [self.columns.setdefault(name, len(self.columns)) for name in other.columns]
        self.keys.extend(other.keys)
        self.records.extend(record + number for record in other.records)
        self.places.extend(columns[place] for place in other.places)
        self.values.extend(other.values)


class _Clusters(NamedTuple):
    """The statistics of clusters as entries, sorted by cluster, column and value.

    keys: of the clusters, sorted.
    names: of the columns, sorted.
    cluster, column, value: of each entry.
    """

    keys: Any  # (clusters,)
    names: list
    cluster: Any  # (entries,)
    column: Any
    value: Any

    def sums(self, counts: Any) -> Any:
        """Return the sums (samples, columns), with each cluster so often (samples, clusters)."""
        import numpy

        clusters, columns = len(self.keys), len(self.names)
        if clusters * columns <= 4 * len(self.value):
            places = self.cluster * columns + self.column
            matrix = numpy.bincount(places, self.value, clusters * columns)
            return counts @ matrix.reshape(clusters, columns)
        weighted = (
            numpy.bincount(self.column, self.value * row[self.cluster], columns) for row in counts
        )
        return numpy.stack(list(weighted))

    def row(self, sums: Sequence[float]) -> Row:
        """Return sums as `from_statistics` gets them: names with count 0 are left out."""
        if self.names and isinstance(self.names[0], int):
            return sums
        return {name: value for name, value in zip(self.names, sums, strict=True) if value}


def interval(sample: Sample, score: Score) -> list[float] | None:
    """Return the 95 % interval of a score; None for fewer than two clusters, or if all are alike."""
    clusters = _clusters(sample)
    if len(clusters.keys) < 2:
        return None
    scores = sorted(score(clusters.row(sums)) for sums in _resampled(clusters, RESAMPLES, SEED))
    tail = RESAMPLES // 40
    low, high = scores[tail], scores[-tail - 1]
    return None if high - low <= _ROUNDING * max(abs(low), abs(high)) else [low, high]


def _resampled(clusters: _Clusters, resamples: int, seed: int) -> Iterator[list[float]]:
    """Yield the sums of each sample of clusters."""
    import numpy

    number, draw = len(clusters.keys), resampling.rng(seed)
    step = max(1, _BLOCK // number)
    for start in range(0, resamples, step):
        samples = min(step, resamples - start)
        drawn = draw.integers(0, number, size=(samples, number))
        drawn += numpy.arange(0, samples * number, number)[:, None]
        counts = numpy.bincount(drawn.ravel(), minlength=samples * number)
        yield from clusters.sums(counts.reshape(samples, number).astype(float)).tolist()


def linearised(sample: Sample, score: Score) -> Mean | None:
    """Return a score as a mean of the deviations of clusters, to be compared; None without records."""
    import numpy

    clusters = _clusters(sample)
    number = len(clusters.keys)
    if not number:
        return None
    (whole,) = clusters.sums(numpy.ones((1, number)))
    slopes = numpy.zeros(len(whole))
    for column in numpy.flatnonzero(whole):
        step = numpy.zeros(len(whole))
        step[column] = _STEP * whole[column]
        higher, lower = (
            score(clusters.row(sums.tolist())) for sums in (whole + step, whole - step)
        )
        slopes[column] = (higher - lower) / (2 * step[column])
    weights = clusters.value * slopes[clusters.column]
    deviations = numpy.bincount(clusters.cluster, weights, number)
    deviations -= deviations.mean()
    observed = score(clusters.row(whole.tolist()))
    keys = array("Q", clusters.keys)
    return Mean(observed, keys, array("d", deviations), abs(observed), len(sample.keys), None)


def _clusters(sample: Sample) -> _Clusters:
    import numpy

    keys, cluster_of = numpy.unique(numpy.array(sample.keys), return_inverse=True)
    names = sorted(sample.columns)
    ranks = {name: rank for rank, name in enumerate(names)}
    rank_of = numpy.array([ranks[name] for name in sample.columns], dtype=int)
    entries = cluster_of[numpy.array(sample.records)], rank_of[numpy.array(sample.places)]
    order = numpy.lexsort((numpy.array(sample.values), *reversed(entries)))
    cluster, column = (own[order] for own in entries)
    return _Clusters(keys, names, cluster, column, numpy.array(sample.values)[order])
