"""The variance between groups over that within them: F, for groups and for their deviations from something."""

from collections.abc import Sequence
from itertools import chain
from math import hypot, sqrt

from dialtools.statistics import distributions, moments


def is_within(groups: Sequence[list[float]]) -> bool:
    """Does any group vary, by more than rounding makes of the largest value?"""
    every = list(chain.from_iterable(groups))
    return not all(moments.is_constant(group, of=every) for group in groups)


def f_test(groups: Sequence[list[float]]) -> tuple[float, float, float, list[int]]:
    """Return F, p, the share of the sum of squares that is between the groups, and the degrees of freedom.

    Of groups of two or more, some of which vary.  Roots of sums of squares neither overflow nor vanish.
    """
    origin = groups[0][0]
    middle = moments.mean(list(chain.from_iterable(groups)), origin)
    between = hypot(*(sqrt(len(group)) * (moments.mean(group, origin) - middle) for group in groups))
    within = hypot(*(sqrt(len(group) - 1) * moments.deviation(group) for group in groups))
    above, below = len(groups) - 1, sum(map(len, groups)) - len(groups)
    f = (between / within)**2 * below / above
    return f, distributions.f_beyond(f, above, below), (between / hypot(between, within))**2, [above, below]
