"""The F test of the variance between groups against the variance within them."""

from collections.abc import Sequence
from itertools import chain
from math import hypot, sqrt

from dialtools.statistics import distributions, moments


def is_within(groups: Sequence[list[float]]) -> bool:
    """Tell whether any group varies by more than rounding of the largest value."""
    every = list(chain.from_iterable(groups))
    return not all(moments.is_constant(group, of=every) for group in groups)


def f_test(groups: Sequence[list[float]]) -> tuple[float, float, float, list[int]]:
    """Return F, p, the share of the sum of squares between the groups, and the degrees of freedom.

    Each group has two or more values, and at least one group varies.  Roots of sums of squares
    neither overflow nor vanish.
    """
    origin = groups[0][0]
    middle = moments.mean(list(chain.from_iterable(groups)), origin)
    between = hypot(
        *(sqrt(len(group)) * (moments.mean(group, origin) - middle) for group in groups)
    )
    within = hypot(*(sqrt(len(group) - 1) * moments.deviation(group) for group in groups))
    above, below = len(groups) - 1, sum(map(len, groups)) - len(groups)
    f = (between / within) ** 2 * below / above
    share = (between / hypot(between, within)) ** 2
    return f, distributions.f_beyond(f, above, below), share, [above, below]
