"""One-way analysis of variance: does any of several independent groups have another mean?

statistic is F, the variance between the groups over the variance within them,
which is assumed to be equal.  effect is eta squared, the share of the variance
between the groups, from 0 to 1.  Welch's test of each pair follows.

Source: Fisher 1925, Statistical methods for research workers.  Equal to
scipy.stats.f_oneway.

>>> round(test([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [5.0, 6.0, 7.0]], 0.95)["statistic"], 6)
13.0
"""

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import variance
from dialtools.statistics.results import result, untestable


def test(groups: list[list[float]], level: float) -> dict:
    """Return the test; it needs two values in each group and some variance within groups."""
    if none := untestable(*groups):
        return none
    f, p, share, df = variance.f_test(groups)
    return result("F", f, p, None, effect=("eta2", share), df=df)


TEST = HypothesisTest(test, takes="many", follow_up="welch", assumes=("equal variances",))
