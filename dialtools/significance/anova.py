"""One-way analysis of variance: does any of several independent groups have another mean?

statistic is F, the variance between the groups over that within them, which is
taken to be the same in all.  effect is eta squared, the share of the variance
that is between the groups, from 0 to 1.  Which groups differ is for the
pairwise follow-up (Welch) to say.

Source: Fisher 1925, Statistical methods for research workers.  Equal to
scipy.stats.f_oneway.

>>> round(test([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [5.0, 6.0, 7.0]], 0.95)["statistic"], 6)
13.0
"""

from itertools import chain

from dialtools import moments
from dialtools.significance import _distributions as distributions
from dialtools.significance._answers import answer, no_answer

GROUPS, FOLLOW_UP = "many", "welch"


def test(groups: list[list[float]], level: float) -> dict:
    """Return the test; there is none with fewer than two values in a group, or no variance within any."""
    if min(map(len, groups)) < 2:
        return no_answer(f"a test needs two values in each group, here are {', '.join(str(len(g)) for g in groups)}")
    if all(map(moments.is_constant, groups)):
        return no_answer("no variance: within each group all values are equal")
    n, k, origin = sum(map(len, groups)), len(groups), groups[0][0]
    middle = moments.mean(list(chain.from_iterable(groups)), origin)
    between = sum(len(group) * (moments.mean(group, origin) - middle)**2 for group in groups)
    within = sum((len(group) - 1) * moments.deviation(group)**2 for group in groups)
    f = between / (k - 1) / (within / (n - k))
    return answer("F", f, distributions.f_beyond(f, k - 1, n - k), None, effect=("eta2", between / (between + within)),
                  df=[k - 1, n - k])
