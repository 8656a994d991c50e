"""Ranks with ties: equal values share the mean of their places."""

from collections.abc import Sequence

from dialtools.statistics import moments


def midranks(values: Sequence[float], rounding: float = 0.0) -> tuple[list[float], list[int]]:
    """Return the rank of each value, from 1, and how many values stand in each tie of two or more.

    Values are a tie, too, that rounding alone keeps apart, as the mean of 0.1 and 0.2 and 0.15.
    rounding: values that follow each other at no more than this are one as well.

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
        if after < len(order) and not _is_above(rising[after], rising[first], rising[after - 1], rounding):
            continue
        for at in order[first:after]:
            ranks[at] = (first + 1 + after) / 2
        if after - first > 1:
            ties.append(after - first)
        first = after
    return ranks, ties


def _is_above(value: float, lowest: float, before: float, rounding: float) -> bool:
    """Is a value above the tie that goes from the lowest to the one before it?"""
    return value - before > rounding and value - lowest > moments.ROUNDING * max(value, -lowest)


def placements(ranks: Sequence[float], values: Sequence[float], others: int, rounding: float = 0.0) -> list[float]:
    """Return for each value the share of so many others that is below it; a tie is below by half.

    ranks: those of the values, among values and others.
    """
    own = midranks(values, rounding)[0]
    return [(rank - among_own) / others for rank, among_own in zip(ranks, own, strict=True)]


def excess(ties: Sequence[int]) -> int:
    """Return the sum of t^3 - t over ties, by which variances of rank sums shrink."""
    return sum(t**3 - t for t in ties)
