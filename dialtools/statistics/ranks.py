"""Ranks with ties: equal values share the mean of their places."""

from collections.abc import Sequence

from dialtools.statistics import moments


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
    rising = [values[at] for at in order]
    ranks, ties = [0.0] * len(values), []
    first = 0
    for after in range(1, len(order) + 1):
        if after < len(order):
            value, lowest = rising[after], rising[first]
            above = value - lowest > moments.ROUNDING * max(value, -lowest)
            if not above or value - rising[after - 1] <= rounding:
                continue
        for at in order[first:after]:
            ranks[at] = (first + 1 + after) / 2
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
    own = midranks(values, rounding)[0]
    return [(rank - among_own) / others for rank, among_own in zip(ranks, own, strict=True)]


def excess(ties: Sequence[int]) -> int:
    """Return the sum of t^3 - t over ties of size t, which reduces variances of rank sums."""
    return sum(t**3 - t for t in ties)
