"""Bootstrap intervals of a mean, or of the difference of two means.

For 10,000 values and more they are t intervals, which differ from the bootstrap's by less than
its own error.
"""

from collections.abc import Sequence
from math import sqrt

from dialtools.statistics import moments, resampling, results
from dialtools.statistics.resampling import Interval

MANY = 10_000


def of_mean(
    values: Sequence[float], level: float, kind: Interval, resamples: int, seed: int
) -> list[float] | None:
    """Return the interval of a mean; None if all values are equal."""
    import numpy

    n = len(values)
    if min(values) == max(values):
        return None
    if n >= MANY:
        error = moments.deviation(values) / sqrt(n)
        return results.t_result(moments.mean(values), error, n - 1, level)["ci"]
    sample = numpy.array(values)
    drawn = resampling.bootstrap(sample[:, None], lambda sums: sums[:, 0], resamples, seed) / n
    return resampling.interval(kind, level, float(sample.mean()), drawn, sample)


def of_gap(
    a: Sequence[float], b: Sequence[float], level: float, kind: Interval, resamples: int, seed: int
) -> list[float] | None:
    """Return the interval of mean(a) - mean(b); the groups are drawn independently."""
    import numpy

    if min(a) == max(a) and min(b) == max(b):
        return None
    if min(len(a), len(b)) >= MANY:
        return results.t_result(moments.gap(a, b), *moments.welch_error(a, b), level)["ci"]
    one, other = numpy.array(a), numpy.array(b)
    drawn = [
        resampling.bootstrap(group[:, None], lambda sums: sums[:, 0], resamples, seed, at)
        / len(group)
        for at, group in enumerate((one, other))
    ]
    gap = float(one.mean() - other.mean())
    influence = numpy.concatenate([(one - one.mean()) / len(a), (other.mean() - other) / len(b)])
    return resampling.interval(kind, level, gap, drawn[0] - drawn[1], influence)
