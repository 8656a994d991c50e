"""Intervals of proportions and of their differences, which hold where all values are equal, too.

That of a proportion is Wilson's score interval (Wilson 1927,
https://doi.org/10.1080/01621459.1927.10502953).  That of a difference combines two of these
(Newcombe 1998, Interval estimation for the difference between independent proportions, method 10;
Improved confidence intervals … based on paired data, method 8).
"""

from collections.abc import Sequence
from math import sqrt

from dialtools.statistics import distributions


def interval(share: float, n: float, level: float) -> list[float]:
    """Return the interval of a share of n independent values.

    >>> [round(end, 4) for end in interval(0.75, 4, 0.95)], interval(1.0, 200, 0.95)[1]
    ([0.3006, 0.9544], 1.0)
    """
    z = distributions.normal_critical(level)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # rounding keeps the ends of 0 and 1 from being just these
    return [middle - half if share > 0 else 0.0, middle + half if share < 1 else 1.0]


def difference(
    shares: Sequence[float], intervals: Sequence[Sequence[float]], correlation: float = 0.0
) -> list[float]:
    """Return the interval of the first share minus the second from the interval of each.

    correlation: of the two shares as estimates, from -1 to 1; 0 for those of independent values.
    """
    (a, b), ((a_low, a_high), (b_low, b_high)) = shares, intervals

    def reach(x: float, y: float) -> float:
        return sqrt(max(x * x + y * y - 2 * correlation * x * y, 0.0))

    return [a - b - reach(a - a_low, b_high - b), a - b + reach(a_high - a, b - b_low)]
