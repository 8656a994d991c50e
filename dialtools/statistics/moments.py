"""Means and deviations of samples, exact to the last bits: far from 0, tiny or huge.

Sums are of differences from one of the values, so that 1e9 + 0.1 and
1e9 + 0.2 are told apart as well as 0.1 and 0.2 are.
"""

from collections.abc import Iterable, Sequence
from math import fsum, hypot, inf, isqrt, sqrt

ROUNDING = 2**-50  # a few units in the last place
_HELD = 4096  # numbers that a sum holds before it adds them up


class Sum:
    """A sum of numbers that come one by one, exact: their order, and which of them were summed apart, changes nothing.

    >>> both, other = Sum([1e16, 1.0]), Sum([1.0, -1e16])
    >>> both.add(*other.terms)
    >>> both.value()
    2.0
    """

    def __init__(self, terms: Iterable[float] = ()):
        self.terms = list(terms)

    def add(self, *terms: float) -> None:
        """Add numbers, or the terms of another sum."""
        self.terms += terms
        if len(self.terms) > _HELD:
            self.terms = _parts(self.terms) if self.value() < inf else [inf]

    def value(self) -> float:
        """Return the sum, rounded once; infinity where no number is as large."""
        try:
            return fsum(self.terms)
        except OverflowError:
            return inf


def order(one: float, other: float) -> int:
    """Return 1 where one is larger than the other, -1 where it is smaller, 0 where rounding alone keeps them apart.

    >>> order(0.3, 0.2), order(0.2, 0.3), order(0.3, 0.1 + 0.2)
    (1, -1, 0)
    """
    alike = abs(one - other) <= ROUNDING * max(abs(one), abs(other)) < inf
    return 0 if alike else (one > other) - (one < other)


def _parts(terms: list[float]) -> list[float]:
    """Return the fewest numbers whose sum is that of the terms, to the last bit: the rounded sum, what it lacks, …"""
    parts: list[float] = []
    while part := fsum([*terms, *(-other for other in parts)]):
        parts.append(part)
    return parts


def mean(values: Sequence[float], origin: float = 0.0) -> float:
    """Return the mean of the values minus the origin."""
    return fsum(value - origin for value in values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation (ddof 1) of two or more values."""
    origin = values[0]
    centre = mean(values, origin)
    return hypot(*((value - origin) - centre for value in values)) / sqrt(len(values) - 1)


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation of all values there are (ddof 0), correctly rounded.

    In whole numbers, as statistics.pstdev does with fractions, ten times slower.
    """
    ratios = [value.as_integer_ratio() for value in values]
    common = max([bottom for _, bottom in ratios])  # all are powers of 2
    numbers = [top * (common // bottom) for top, bottom in ratios]
    top = len(numbers) * sum([number * number for number in numbers]) - sum(numbers) ** 2
    bottom = (len(numbers) * common) ** 2
    shift = max(112 + bottom.bit_length() - top.bit_length(), 0) // 2
    root = isqrt((top << 2 * shift) // bottom)
    inexact = root * root * bottom != top << 2 * shift
    return (root | inexact) / (1 << shift)  # the last bit, far below those that count, turns a tie the right way


def is_constant(values: Sequence[float], of: Sequence[float] = ()) -> bool:
    """Do the values differ by nothing, or by no more than rounding made of them?

    of: the numbers that the values are differences of, if they are.
    """
    return max(values) - min(values) <= ROUNDING * max(map(abs, of or values))


def pooled(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the deviation of two groups together, each around its own mean."""
    df = len(a) + len(b) - 2
    return hypot(deviation(a) * sqrt((len(a) - 1) / df), deviation(b) * sqrt((len(b) - 1) / df))


def gap(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the mean of a minus the mean of b."""
    return mean(a, a[0]) - mean(b, a[0])
