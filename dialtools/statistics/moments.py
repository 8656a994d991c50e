"""Means, differences and deviations, exact to the last bits for large, tiny and distant values.

Differences from one of the values are summed, so that 1e9 + 0.1 and 1e9 + 0.2
are distinguished as well as 0.1 and 0.2.
"""

from collections.abc import Iterable, Sequence
from math import fsum, hypot, inf, isqrt, sqrt

ROUNDING = 2**-50  # a few units in the last place
_HELD = 4096  # terms that a sum holds before it adds them up


class Sum:
    """An exact sum of a stream of numbers, whatever their order or grouping.

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
        """Return the sum, rounded once; infinity if it overflows."""
        try:
            return fsum(self.terms)
        except OverflowError:
            return inf


def order(one: float, other: float) -> int:
    """Return 1 if one is larger, -1 if it is smaller, 0 if they differ by rounding alone.

    >>> order(0.3, 0.2), order(0.2, 0.3), order(0.3, 0.1 + 0.2)
    (1, -1, 0)
    """
    alike = abs(one - other) <= ROUNDING * max(abs(one), abs(other)) < inf
    return 0 if alike else (one > other) - (one < other)


def _parts(terms: list[float]) -> list[float]:
    """Return the fewest numbers with exactly the sum of the terms: the rounded sum, its error, …"""
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
    """Return the population standard deviation (ddof 0), correctly rounded.

    Computed in integers, ten times as fast as the fractions of statistics.pstdev.
    """
    ratios = [value.as_integer_ratio() for value in values]
    common = max([bottom for _, bottom in ratios])  # all are powers of 2
    numbers = [top * (common // bottom) for top, bottom in ratios]
    top = len(numbers) * sum([number * number for number in numbers]) - sum(numbers) ** 2
    bottom = (len(numbers) * common) ** 2
    shift = max(112 + bottom.bit_length() - top.bit_length(), 0) // 2
    root = isqrt((top << 2 * shift) // bottom)
    inexact = root * root * bottom != top << 2 * shift
    return (root | inexact) / (1 << shift)  # the last bit decides ties


def is_constant(values: Sequence[float], of: Sequence[float] = ()) -> bool:
    """Tell whether the values are equal except for rounding.

    of: the numbers that the values are differences of, if they are differences.
    """
    return max(values) - min(values) <= ROUNDING * max(map(abs, of or values))


def pooled(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the pooled standard deviation of two groups."""
    df = len(a) + len(b) - 2
    return hypot(deviation(a) * sqrt((len(a) - 1) / df), deviation(b) * sqrt((len(b) - 1) / df))


def gap(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the mean of a minus the mean of b."""
    return mean(a, a[0]) - mean(b, a[0])


def differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Return a - b pair by pair, with 0 for a difference that is rounding alone."""
    return [
        x - y if abs(x - y) > ROUNDING * max(abs(x), abs(y)) else 0.0
        for x, y in zip(a, b, strict=True)
    ]


def welch_error(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Return the standard error of mean(a) - mean(b) and Satterthwaite's df; a or b must vary."""
    one, other = deviation(a) / sqrt(len(a)), deviation(b) / sqrt(len(b))
    error = hypot(one, other)
    return error, 1 / ((one / error) ** 4 / (len(a) - 1) + (other / error) ** 4 / (len(b) - 1))
