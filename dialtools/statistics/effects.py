"""Effects with their intervals: standardised differences, correlations, proportions.

The interval of a proportion is Wilson's score interval (Wilson 1927,
https://doi.org/10.1080/01621459.1927.10502953).  That of a difference combines two of these
(Newcombe 1998, Interval estimation for the difference between independent proportions, method 10;
Improved confidence intervals … based on paired data, method 8).  They hold where all values are
equal, too.
"""

from collections.abc import Sequence
from math import atanh, copysign, fsum, hypot, inf, sqrt, tanh

from dialtools.statistics import distributions, moments


def d_between(
    difference: float, pooled: float, error: float, n: int, level: float, df: float = inf
) -> dict:
    """Return Cohen's d of two groups of n values together.

    The interval is that of Hedges and Olkin 1985, chapter 5; error and df are those of the
    difference in the test.
    """
    d = difference / pooled
    return _around("d", d, hypot(error / pooled, d / sqrt(2 * n)), level, df)


def d_within(d_z: float, n: int, level: float) -> dict:
    """Return the standardised mean difference of n pairs (the same source, for one sample)."""
    return _around("d_z", d_z, sqrt((1 + d_z * d_z / 2) / n), level, inf)


def _around(name: str, size: float, error: float, level: float, df: float) -> dict:
    half = _critical(level, df) * error
    return {"effect": (name, size), "effect_ci": [size - half, size + half]}


def product_moment(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Pearson's r of two samples that both vary."""

    def standardised(values: Sequence[float]) -> list[float]:
        """Return the values around their mean, with a sum of squares of 1."""
        moved = [value - values[0] for value in values]  # far from 0 their mean would be rounded
        mean = moments.mean(moved)
        centred = [value - mean for value in moved]
        length = hypot(*centred)
        return [value / length for value in centred]

    r = fsum(x * y for x, y in zip(standardised(a), standardised(b), strict=True))
    return r if abs(r) < 1 - 4e-16 else copysign(1.0, r)


def correlation_interval(
    r: float, error: float, level: float, df: float = inf
) -> list[float] | None:
    """Return the interval of a correlation by Fisher's transformation (Fisher 1915).

    error: the standard error of the inverse hyperbolic tangent of r, which is infinite at -1 and 1.
    """
    if abs(r) >= 1:
        return None
    half = _critical(level, df) * error
    return [tanh(atanh(r) - half), tanh(atanh(r) + half)]


def _critical(level: float, df: float) -> float:
    normal = df == inf
    return distributions.normal_critical(level) if normal else distributions.t_critical(level, df)


def proportion_interval(share: float, n: float, level: float) -> list[float]:
    """Return the interval of a share of n independent values.

    >>> [round(end, 4) for end in proportion_interval(0.75, 4, 0.95)]
    [0.3006, 0.9544]
    >>> proportion_interval(1.0, 200, 0.95)[1]
    1.0
    """
    z = distributions.normal_critical(level)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # rounding keeps the ends of 0 and 1 from being just these
    return [middle - half if share > 0 else 0.0, middle + half if share < 1 else 1.0]


def proportions_difference(
    shares: Sequence[float], intervals: Sequence[Sequence[float]], correlation: float = 0.0
) -> list[float]:
    """Return the interval of the first share minus the second from the interval of each.

    correlation: of the two shares as estimates, from -1 to 1; 0 for those of independent values.
    """
    (a, b), ((a_low, a_high), (b_low, b_high)) = shares, intervals

    def reach(x: float, y: float) -> float:
        return sqrt(max(x * x + y * y - 2 * correlation * x * y, 0.0))

    return [a - b - reach(a - a_low, b_high - b), a - b + reach(a_high - a, b - b_low)]
