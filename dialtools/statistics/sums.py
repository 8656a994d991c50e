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


class ClusteredStatistics:
    """Statistics of records, each with the 64-bit key of its cluster; their order never matters.

    Rows are all lists of one length, or all counts under names.
    Memory: 8 bytes for a record and for each number of a list, 16 for a count.
    """

    def __init__(self) -> None:
        self.keys = array("Q")
        self.values = array("d")  # lists, one behind the other; or counts
        self.names: dict[str, int] = {}  # {name: its column}, of counts
        self.records, self.columns = array("I"), array("I")  # of each count

    def add(self, key: int, row: Row) -> None:
        """Add the statistics of a record."""
        if isinstance(row, Mapping):
            for name, count in row.items():
                self.records.append(len(self.keys))
                self.columns.append(self.names.setdefault(name, len(self.names)))
                self.values.append(count)
        else:
            self.values.extend(row)
        self.keys.append(key)

    def merge(self, other: "ClusteredStatistics") -> None:
        """Add the statistics of another sample."""
        number = len(self.keys)
        columns = [self.names.setdefault(name, len(self.names)) for name in other.names]
        self.records.extend(record + number for record in other.records)
        self.columns.extend(columns[column] for column in other.columns)
        self.values.extend(other.values)
        self.keys.extend(other.keys)


class _Lists(NamedTuple):
    """The sums of clusters at places; keys of the clusters are sorted."""

    keys: Any  # (clusters,)
    matrix: Any  # (clusters, places)

    def sums(self, times: Any) -> Any:
        """Return the sums (samples, places) of clusters that are there so often (samples, clusters)."""
        return times @ self.matrix

    def row(self, sums: Sequence[float]) -> Row:
        """Return sums as `Corpus.score` gets them."""
        return sums

    def deviations(self, slopes: Any) -> Any:
        """Return the sums of each cluster times the slopes (clusters,)."""
        return self.matrix @ slopes


class _Counts(NamedTuple):
    """The counts of clusters under names, most of which are 0; they are held as entries."""

    keys: Any  # (clusters,)
    names: list[str]
    cluster: Any  # (entries,)
    column: Any
    count: Any

    def sums(self, times: Any) -> Any:
        """Return the sums (samples, names) of clusters that are there so often (samples, clusters)."""
        import numpy

        width = len(self.names)
        each = (numpy.bincount(self.column, self.count * row[self.cluster], width) for row in times)
        return numpy.stack(list(each))

    def row(self, sums: Sequence[float]) -> Row:
        """Return sums as `Corpus.score` gets them: names with count 0 are left out."""
        return {name: value for name, value in zip(self.names, sums, strict=True) if value}

    def deviations(self, slopes: Any) -> Any:
        """Return the counts of each cluster times the slopes (clusters,)."""
        import numpy

        return numpy.bincount(self.cluster, self.count * slopes[self.column], len(self.keys))


def interval(sample: ClusteredStatistics, score: Score) -> list[float] | None:
    """Return the 95 % interval of a score; None for fewer than two clusters, or if all are alike."""
    clusters = _clusters(sample)
    if len(clusters.keys) < 2:
        return None
    scores = sorted(score(clusters.row(sums)) for sums in _resampled(clusters, RESAMPLES, SEED))
    tail = RESAMPLES // 40
    low, high = scores[tail], scores[-tail - 1]
    return None if high - low <= _ROUNDING * max(abs(low), abs(high)) else [low, high]


def _resampled(clusters: _Lists | _Counts, resamples: int, seed: int) -> Iterator[list[float]]:
    """Yield the sums of each sample of clusters."""
    import numpy

    number, draw = len(clusters.keys), resampling.rng(seed)
    step = max(1, _BLOCK // number)
    for start in range(0, resamples, step):
        samples = min(step, resamples - start)
        drawn = draw.integers(0, number, size=(samples, number))
        drawn += numpy.arange(0, samples * number, number)[:, None]
        times = numpy.bincount(drawn.ravel(), minlength=samples * number)
        yield from clusters.sums(times.reshape(samples, number).astype(float)).tolist()


def linearised(sample: ClusteredStatistics, score: Score) -> Mean | None:
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
    deviations = clusters.deviations(slopes)
    deviations -= deviations.mean()
    observed = score(clusters.row(whole.tolist()))
    keys = array("Q", clusters.keys)
    return Mean(observed, keys, array("d", deviations), abs(observed), len(sample.keys), None)


def _clusters(sample: ClusteredStatistics) -> _Lists | _Counts:
    """Return the sums of clusters, added up in an order that is not that of the records."""
    import numpy

    keys, values = numpy.asarray(sample.keys), numpy.asarray(sample.values)  # no copies
    if sample.names or not len(values):
        names = sorted(sample.names)
        ranks = {name: rank for rank, name in enumerate(names)}
        rank_of = numpy.array([ranks[name] for name in sample.names], dtype=int)
        distinct, cluster_of = numpy.unique(keys, return_inverse=True)
        cluster = cluster_of[numpy.array(sample.records)]
        column = rank_of[numpy.array(sample.columns)]
        order = numpy.lexsort((values, column, cluster))
        return _Counts(distinct, names, cluster[order], column[order], values[order])
    matrix = values.reshape(len(keys), -1)
    order = numpy.lexsort((*matrix.T, keys))
    distinct, starts = numpy.unique(keys[order], return_index=True)
    matrix = matrix[order]
    if len(distinct) < len(keys):
        matrix = numpy.add.reduceat(matrix, starts, axis=0)
    return _Lists(distinct, matrix)
