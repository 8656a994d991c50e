"""Means of values in clusters, such as the records of one dialogue: intervals and differences.

The mean is that of all values, and its variance that of a ratio, by linearisation: a cluster
deviates by (its sum - mean × its number) / number of all values, and the variance is the sum of
the squares of these times C / (C - 1) for C clusters.  Intervals and p are those of t.  With one
value in each cluster this is Student's t; the difference of two means with the same clusters is
then the paired t test, with others Welch's.  Where some clusters are shared, the covariance is that
of these, and df is that of the smaller mean.

A mean of values that all are 0 or 1 is a proportion p, whose interval is Wilson's.  Its n is that of
independent values with the same variance, p (1 - p) / variance + 1, times (t of n - 1 / t of C - 1)²
for the degrees of freedom (Korn and Graubard 1998), and at most the number of values; where all
values are equal, so that nobody knows how alike those of a cluster are, it is C.  With one value in
each cluster this is Wilson's interval itself.

Source: Cochran 1977, Sampling techniques, third edition, sections 2.11 and 9A; Liang and Zeger
1986, https://doi.org/10.1093/biomet/73.1.13.
"""

from array import array
from collections.abc import Sequence
from itertools import groupby
from math import fsum, sqrt
from typing import NamedTuple

from dialtools.statistics import distributions, effects

LEVEL = 0.95
_ROUNDING = 1e-12


class ClusteredValues:
    """Values, each with the 64-bit key of its cluster; the order of the values never matters."""

    def __init__(self) -> None:
        self.keys, self.values = array("Q"), array("d")

    def add(self, key: int, value: float) -> None:
        """Add a value."""
        self.keys.append(key)
        self.values.append(value)

    def merge(self, other: "ClusteredValues") -> None:
        """Add the values of another sample."""
        self.keys.extend(other.keys)
        self.values.extend(other.values)


class Mean(NamedTuple):
    """A mean, how far each cluster deviates, and the largest value without its sign.

    Arrays, as there may be millions of clusters; keys are sorted.
    n: number of values.
    proportion_of: what all would be, such as 100, if the mean is a proportion; None of other means.
    """

    mean: float
    keys: array
    deviations: array
    largest: float
    n: int
    proportion_of: float | None


def mean(
    sample: ClusteredValues, factor: float = 1.0, proportion_of: float | None = None
) -> Mean | None:
    """Return the mean of values multiplied by a factor; None without values.

    proportion_of: what all would be, such as 100; the mean is a proportion if all values are 0 or this.
    """
    n = len(sample.values)
    if not n:
        return None
    key_of, values = sample.keys.__getitem__, sample.values
    centre = fsum(factor * value for value in values) / n
    keys, deviations = array("Q"), array("d")
    for key, places in groupby(sorted(range(n), key=key_of), key_of):
        keys.append(key)
        deviations.append(fsum(factor * values[place] - centre for place in places) / n)
    is_share = proportion_of is not None and all(
        factor * value in (0.0, proportion_of) for value in values
    )
    return Mean(
        centre,
        keys,
        deviations,
        max(abs(factor * value) for value in values),
        n,
        proportion_of if is_share else None,
    )


def interval(estimate: Mean | None, level: float = LEVEL) -> list[float] | None:
    """Return the interval of a mean, Wilson's of a proportion.

    None for fewer than two clusters, or values that are equal and no proportion.
    """
    if estimate is None or len(estimate.keys) < 2:
        return None
    if estimate.proportion_of:
        n = _independent(estimate, estimate.proportion_of, level)
        share = estimate.mean / estimate.proportion_of
        return [
            estimate.proportion_of * end for end in effects.proportion_interval(share, n, level)
        ]
    error = sqrt(_variance(estimate.deviations))
    if error <= _ROUNDING * estimate.largest:
        return None
    half = distributions.t_critical(level, len(estimate.deviations) - 1) * error
    return [estimate.mean - half, estimate.mean + half]


def difference(a: Mean, b: Mean) -> tuple[float, float] | None:
    """Return the standard error of the difference of two means, and its df; None if it is 0."""
    variance_a, variance_b = _variance(a.deviations), _variance(b.deviations)
    n, m = len(a.keys), len(b.keys)
    if min(n, m) < 2:
        return None
    pairs = _pairs(a, b)
    if len(pairs) == n == m:
        variance, df = _variance([x - y for x, y in pairs]), float(n - 1)
    elif not pairs:
        variance = variance_a + variance_b
        parts = variance_a**2 / (n - 1) + variance_b**2 / (m - 1)
        df = variance**2 / parts if variance else 0.0
    else:
        variance, df = variance_a + variance_b - 2 * _covariance(pairs), min(n, m) - 1.0
    error = sqrt(max(variance, 0.0))
    return None if error <= _ROUNDING * max(a.largest, b.largest) else (error, df)


def tested(a: Mean, b: Mean, tests: int = 1, level: float = LEVEL) -> dict:
    """Return p and ci of the difference a - b, corrected for a number of tests (Bonferroni).

    The interval of a difference of proportions is Newcombe's, also where there is no p.
    """
    tested_level, gap = 1 - (1 - level) / tests, a.mean - b.mean
    ci, p = None, None
    if spread := difference(a, b):
        error, df = spread
        half = distributions.t_critical(tested_level, df) * error
        ci, p = [gap - half, gap + half], min(1.0, tests * distributions.t_outside(gap / error, df))
    if a.proportion_of and b.proportion_of and min(len(a.keys), len(b.keys)) > 1:
        intervals = [interval(estimate, tested_level) or [] for estimate in (a, b)]
        errors = sqrt(_variance(a.deviations) * _variance(b.deviations))
        # of the two means, by the clusters that they share
        correlation = _covariance(_pairs(a, b)) / errors if errors else 0.0
        correlation = max(-1.0, min(correlation, 1.0))
        ci = effects.proportions_difference((a.mean, b.mean), intervals, correlation)
    return {"ci": ci, "p": p}


def _independent(share: Mean, proportion_of: float, level: float) -> float:
    """Return the number of independent values that would give a proportion the same variance."""
    part, clusters = share.mean / proportion_of, len(share.keys)
    variance = _variance(share.deviations) / proportion_of**2
    if part in (0.0, 1.0) or clusters == share.n:
        return clusters
    if variance <= _ROUNDING**2:
        return share.n
    n = part * (1 - part) / variance + 1
    if n > clusters:
        t_of_n, t = (distributions.t_critical(level, number - 1) for number in (n, clusters))
        n = max(clusters, n * (t_of_n / t) ** 2)
    return min(n, share.n)


def _pairs(a: Mean, b: Mean) -> list[tuple[float, float]]:
    """Return the deviations of the clusters that two means share."""
    of_b = dict(zip(b.keys, b.deviations, strict=True))
    return [(x, of_b[key]) for key, x in zip(a.keys, a.deviations, strict=True) if key in of_b]


def _covariance(pairs: list[tuple[float, float]]) -> float:
    return fsum(x * y for x, y in pairs) * len(pairs) / max(len(pairs) - 1, 1)


def _variance(deviations: Sequence[float]) -> float:
    number = len(deviations)
    if number < 2:
        return 0.0
    return fsum(value * value for value in deviations) * number / (number - 1)
