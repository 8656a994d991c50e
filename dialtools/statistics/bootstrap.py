"""The bootstrap of a mean difference, of pairs or of two groups, for tests that bring no interval of their own.

From 10,000 values on it is the t interval, from which no bootstrap would differ by more than its own error.
"""

from collections.abc import Sequence

from dialtools.statistics import answers, moments, resampling
from dialtools.statistics.resampling import Interval

MANY = 10_000


def of_mean(values: Sequence[float], level: float, kind: Interval, resamples: int, seed: int) -> list[float] | None:
    """Return the interval of the mean of values drawn anew; None for values that are all equal."""
    import numpy

    n = len(values)
    if min(values) == max(values):
        return None
    if n >= MANY:
        return answers.mean_ci(values, level)
    sample = numpy.array(values)
    drawn = resampling.bootstrap(sample[:, None], lambda sums: sums[:, 0], resamples, seed) / n
    return resampling.interval(kind, level, float(sample.mean()), drawn, sample)


def of_gap(a: Sequence[float], b: Sequence[float], level: float, kind: Interval, resamples: int,
           seed: int) -> list[float] | None:
    """Return the interval of mean(a) - mean(b), both groups drawn anew each by itself."""
    import numpy

    if min(a) == max(a) and min(b) == max(b):
        return None
    if min(len(a), len(b)) >= MANY:
        return answers.t_answer(moments.gap(a, b), *answers.welch_error(a, b), level)["ci"]
    one, other = numpy.array(a), numpy.array(b)
    drawn = [resampling.bootstrap(group[:, None], lambda sums: sums[:, 0], resamples, seed, at) / len(group)
             for at, group in enumerate((one, other))]
    gap = float(one.mean() - other.mean())
    influence = numpy.concatenate([(one - one.mean()) / len(a), (other.mean() - other) / len(b)])
    return resampling.interval(kind, level, gap, drawn[0] - drawn[1], influence)
