"""Means, differences, deviations and ranks, exact to the last bits for large, tiny, distant values.

Differences from one of the values are summed, so that 1e9 + 0.1 and 1e9 + 0.2
are distinguished as well as 0.1 and 0.2.
"""

from collections.abc import Iterable, Sequence
from math import fsum, hypot, inf, isqrt, sqrt

ROUNDING = 2**-50  # a few units in the last place
_HELD = 4096  # terms that a sum holds before it adds them up


class Sum:
    """An exact sum of a stream of numbers, whatever their order or grouping.

    >>> left, right = Sum([1e16, 1.0]), Sum([1.0, -1e16])
    >>> left.add(*right.terms)
    >>> left.value()
    2.0
    """

    def __init__(self, terms: Iterable[float] = ()):
        self.terms = list(terms)

    def add(self, *terms: float) -> None:
        """Add numbers, or the terms of another sum."""
        self.terms += terms
        if len(self.terms) <= _HELD:
            return
        if self.value() == inf:
            self.terms = [inf]
            return

        # the fewest numbers with exactly the same sum: the rounded sum, its error, …
        parts: list[float] = []
        while part := fsum([*self.terms, *(-part for part in parts)]):
            parts.append(part)
        self.terms = parts

    def value(self) -> float:
        """Return the sum, rounded once; infinity if it overflows."""
        try:
            return fsum(self.terms)
        except OverflowError:
            return inf


def order(x: float, y: float) -> int:
    """Return 1 if x is larger, -1 if it is smaller, 0 if they differ by rounding alone.

    >>> order(0.3, 0.2), order(0.2, 0.3), order(0.3, 0.1 + 0.2)
    (1, -1, 0)
    """
    alike = abs(x - y) <= ROUNDING * max(abs(x), abs(y)) < inf
    return 0 if alike else (x > y) - (x < y)


def mean(values: Sequence[float], origin: float = 0.0) -> float:
    """Return the mean of the values minus the origin."""
    return fsum(value - origin for value in values) / len(values)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of those values that there are, None of none."""
    numbers = [value for value in values if value is not None]
    return fsum(numbers) / len(numbers) if numbers else None


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
    error_a, error_b = deviation(a) / sqrt(len(a)), deviation(b) / sqrt(len(b))
    error = hypot(error_a, error_b)
    inverse = (error_a / error) ** 4 / (len(a) - 1) + (error_b / error) ** 4 / (len(b) - 1)
    return error, 1 / inverse


def midranks(values: Sequence[float], rounding: float = 0.0) -> tuple[list[float], list[int]]:
    """Return the rank of each value, from 1, and the sizes of ties.

    Values that differ by rounding alone, such as 0.15 and the mean of 0.1 and 0.2, are tied.
    rounding: a larger difference that still counts as rounding.

    >>> midranks([5.0, 1.0, 5.0])
    ([2.5, 1.0, 2.5], [2])
    >>> midranks([0.15, (0.1 + 0.2) / 2])
    ([1.5, 1.5], [2])
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    rising = [values[place] for place in order]
    ranks, ties = [0.0] * len(values), []
    first = 0
    for after in range(1, len(order) + 1):
        if after < len(order):
            value, lowest = rising[after], rising[first]
            above = value - lowest > ROUNDING * max(value, -lowest)
            if not above or value - rising[after - 1] <= rounding:
                continue
        for place in order[first:after]:
            ranks[place] = (first + 1 + after) / 2
        if after - first > 1:
            ties.append(after - first)
        first = after
    return ranks, ties


def placements(
    ranks: Sequence[float], values: Sequence[float], others: int, rounding: float = 0.0
) -> list[float]:
    """Return the share of the other values below each value; ties count half.

    ranks: the ranks of the values among values and others.
    others: the number of other values.
    """
    within = midranks(values, rounding)[0]
    return [(rank - rank_within) / others for rank, rank_within in zip(ranks, within, strict=True)]


def excess(ties: Sequence[int]) -> int:
    """Return the sum of t^3 - t over ties of size t, which reduces variances of rank sums."""
    return sum(t**3 - t for t in ties)
