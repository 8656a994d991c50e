"""Means of values in clusters, such as the records of one dialogue: intervals and differences.

The mean is that of all values, and its variance that of a ratio, by linearisation: a cluster
deviates by (its sum - mean × its number) / number of all values, and the variance is the sum of
the squares of these times C / (C - 1) for C clusters.  Intervals and p are those of t.  With one
value in each cluster this is Student's t; the difference of two means with the same clusters is
then the paired t test, with others Welch's.  Where some clusters are shared, the covariance is that
of these, and df is that of the smaller mean.

Source: Cochran 1977, Sampling techniques, third edition, sections 2.11 and 9A; Liang and Zeger
1986, https://doi.org/10.1093/biomet/73.1.13.
"""

from array import array
from collections.abc import Sequence
from itertools import groupby
from math import fsum, sqrt
from typing import NamedTuple

from dialtools.statistics import t_distribution

LEVEL = 0.95
_ROUNDING = 1e-12


class Sample:
    """Values, each with the 64-bit key of its cluster; the order of the values never matters."""

    def __init__(self) -> None:
        self.keys, self.values = array("Q"), array("d")

    def add(self, key: int, value: float) -> None:
        """Add a value."""
        self.keys.append(key)
        self.values.append(value)

    def merge(self, other: "Sample") -> None:
        """Add the values of another sample."""
        self.keys.extend(other.keys)
        self.values.extend(other.values)


class Mean(NamedTuple):
    """A mean, how far each cluster deviates, and the largest value without its sign.

    Arrays, as there may be millions of clusters; keys are sorted.
    """

    mean: float
    keys: array
    deviations: array
    largest: float


def mean(sample: Sample, factor: float = 1.0) -> Mean | None:
    """Return the mean of values multiplied by a factor; None without values."""
    n = len(sample.values)
    if not n:
        return None
    key_of, values = sample.keys.__getitem__, sample.values
    centre = fsum(factor * value for value in values) / n
    keys, deviations = array("Q"), array("d")
    for key, places in groupby(sorted(range(n), key=key_of), key_of):
        keys.append(key)
        deviations.append(fsum(factor * values[place] - centre for place in places) / n)
    return Mean(centre, keys, deviations, max(abs(factor * value) for value in values))


def interval(found: Mean | None, level: float = LEVEL) -> list[float] | None:
    """Return the interval of a mean; None for fewer than two clusters, or values that are equal."""
    error = 0.0 if found is None else sqrt(_variance(found.deviations))
    if found is None or error <= _ROUNDING * found.largest:
        return None
    half = t_distribution.critical(level, len(found.deviations) - 1) * error
    return [found.mean - half, found.mean + half]


def difference(a: Mean, b: Mean) -> tuple[float, float] | None:
    """Return the standard error of the difference of two means, and its df; None if it is 0."""
    one, other = _variance(a.deviations), _variance(b.deviations)
    n, m = len(a.keys), len(b.keys)
    if min(n, m) < 2:
        return None
    others = dict(zip(b.keys, b.deviations, strict=True))
    shared = [
        (own, others[key]) for key, own in zip(a.keys, a.deviations, strict=True) if key in others
    ]
    if len(shared) == n == m:
        gaps = [own - other for own, other in shared]
        variance, df = _variance(gaps), float(n - 1)
    elif not shared:
        variance = one + other
        df = variance**2 / (one**2 / (n - 1) + other**2 / (m - 1)) if variance else 0.0
    else:
        products = fsum(own * other for own, other in shared)
        variance = one + other - 2 * products * len(shared) / max(len(shared) - 1, 1)
        df = min(n, m) - 1.0
    error = sqrt(max(variance, 0.0))
    return None if error <= _ROUNDING * max(a.largest, b.largest) else (error, df)


def tested(a: Mean, b: Mean, tests: int = 1, level: float = LEVEL) -> dict:
    """Return p and ci of the difference a - b, corrected for a number of tests (Bonferroni)."""
    found = difference(a, b)
    if found is None:
        return {"ci": None, "p": None}
    error, df = found
    gap, half = a.mean - b.mean, t_distribution.critical(1 - (1 - level) / tests, df) * error
    p = min(1.0, tests * t_distribution.outside(gap / error, df))
    return {"ci": [gap - half, gap + half], "p": p}


def _variance(deviations: Sequence[float]) -> float:
    number = len(deviations)
    if number < 2:
        return 0.0
    return fsum(value * value for value in deviations) * number / (number - 1)
