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

from dialtools.statistics import variance
from dialtools.statistics.answers import answer, no_answer

GROUPS, FOLLOW_UP = "many", "welch"
ASSUMES = ("equal variances",)


def test(groups: list[list[float]], level: float) -> dict:
    """Return the test; there is none with fewer than two values in a group, or no variance within any."""
    if min(map(len, groups)) < 2:
        return no_answer(f"a test needs two values in each group, here are {', '.join(str(len(g)) for g in groups)}")
    if not variance.is_within(groups):
        return no_answer("no variance: within each group all values are equal")
    f, p, share, df = variance.f_test(groups)
    return answer("F", f, p, None, effect=("eta2", share), df=df)
