"""The bootstrap of a mean difference, of pairs or of two groups, for tests that bring no interval of their own.

From 10,000 values on it is the t interval, from which no bootstrap would differ by more than its own error.
"""

from collections.abc import Sequence

from dialtools.significance import _resampling as resampling
from dialtools.significance import paired, welch
from dialtools.significance._resampling import Interval

MANY = 10_000


def of_mean(values: Sequence[float], level: float, kind: Interval, resamples: int, seed: int) -> list[float] | None:
    """Return the interval of the mean of values drawn anew; None for values that are all equal."""
    import numpy

    if len(values) >= MANY:
        return paired.test(list(values), [0.0] * len(values), level)["ci"]
    sample = numpy.array(values)
    n = len(sample)
    if not numpy.ptp(sample):
        return None
    drawn = resampling.bootstrap(sample[:, None], lambda sums: sums[:, 0], resamples, seed) / n
    return resampling.interval(kind, level, float(sample.mean()), drawn, (sample.sum() - sample) / max(n - 1, 1))


def of_gap(a: Sequence[float], b: Sequence[float], level: float, kind: Interval, resamples: int,
           seed: int) -> list[float] | None:
    """Return the interval of mean(a) - mean(b), both groups drawn anew each by itself."""
    import numpy

    if min(len(a), len(b)) >= MANY:
        return welch.test(list(a), list(b), level)["ci"]
    one, other = numpy.array(a), numpy.array(b)
    if not numpy.ptp(one) and not numpy.ptp(other):
        return None
    drawn = [resampling.bootstrap(group[:, None], lambda sums: sums[:, 0], resamples, seed, at) / len(group)
             for at, group in enumerate((one, other))]
    gap = float(one.mean() - other.mean())
    left = [(group.sum() - group) / max(len(group) - 1, 1) - group.mean() for group in (one, other)]
    # Efron and Tibshirani 1993, chapter 14.3: the influence of each value of either group on the gap
    influence = numpy.concatenate([left[0] * (len(a) - 1) / len(a), -left[1] * (len(b) - 1) / len(b)])
    return resampling.interval(kind, level, gap, drawn[0] - drawn[1], influence)
