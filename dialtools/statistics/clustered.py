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

A mean of values of pairs of clusters varies with both of a pair, and pairs that share a cluster vary
together.  With pairs that share none as the estimate of the squared true mean, its variance is that of
a U statistic without bias where each cluster is in equally many pairs: the sum of the products of
deviations of pairs that share a cluster, each pair with itself included, by the number of ordered
pairs of pairs that share none.  It is at least that of as many independent values.

Source: Cochran 1977, Sampling techniques, third edition, sections 2.11 and 9A; Liang and Zeger
1986, https://doi.org/10.1093/biomet/73.1.13; of pairs Hoeffding 1948,
https://doi.org/10.1214/aoms/1177730196, and Fafchamps and Gubert 2007,
https://doi.org/10.1016/j.jdeveco.2006.05.005.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import fsum, sqrt
from operator import itemgetter
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


def mean_of_pairs(
    values: Iterable[tuple[tuple[int, int], float]],
) -> tuple[float, list[float] | None] | None:
    """Return the mean of values of pairs of clusters, and its interval; None without values.

    The interval is None for fewer than four clusters, or values that are equal.
    values: with the two clusters; those of the same two stand next to each other.
    """
    known = array("d")
    # of a cluster: the sum of deviations from the first value, and how many there are
    sums: dict[int, list[float]] = {}
    squared = mixed = sizes = 0.0  # over pairs of clusters, of such a row (d, n): d², d n, n²
    for both, rows in groupby(values, itemgetter(0)):
        deviation, count = 0.0, 0
        for _, value in rows:
            known.append(value)
            deviation += value - known[0]
            count += 1
        for cluster in both:
            row = sums.setdefault(cluster, [0.0, 0.0])
            row[0] += deviation
            row[1] += count
        squared += deviation * deviation
        mixed += deviation * count
        sizes += count * count
    if not (number := len(known)):
        return None
    mean = fsum(known) / number

    shift = mean - known[0]
    alone = squared - 2 * shift * mixed + shift * shift * sizes
    shared = fsum((d - shift * n) ** 2 for d, n in sums.values()) - alone
    apart = number * number - fsum(n * n for _, n in sums.values()) + sizes
    error = sqrt(max(shared / apart, alone / number**2)) if apart > 0 else 0.0
    if error <= _ROUNDING * max(max(known), -min(known)):
        return mean, None
    half = distributions.t_critical(LEVEL, len(sums) - 1) * error
    return mean, [mean - half, mean + half]


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


def tested(a: Mean, b: Mean, tests: int = 1) -> dict:
    """Return p and ci of the difference a - b, corrected for a number of tests (Bonferroni).

    The interval of a difference of proportions is Newcombe's, also where there is no p.
    """
    tested_level, gap = 1 - (1 - LEVEL) / tests, a.mean - b.mean
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
