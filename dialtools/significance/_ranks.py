"""Ranks with ties: equal values share the mean of their places."""

from collections.abc import Sequence


def midranks(values: Sequence[float], rounding: float = 0.0) -> tuple[list[float], list[int]]:
    """Return the rank of each value, from 1, and how many values stand in each tie of two or more.

    rounding: values that follow each other at no more than this are a tie.

    >>> midranks([5.0, 1.0, 5.0])
    ([2.5, 1.0, 2.5], [2])
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, ties, first = [0.0] * len(values), [], 0
    for after in range(1, len(order) + 1):
        if after == len(order) or values[order[after]] - values[order[after - 1]] > rounding:
            for place in order[first:after]:
                ranks[place] = (first + after + 1) / 2
            ties += [after - first] if after - first > 1 else []
            first = after
    return ranks, ties


def excess(ties: Sequence[int]) -> int:
    """Return the sum of t^3 - t over ties, by which variances of rank sums shrink."""
    return sum(t**3 - t for t in ties)
