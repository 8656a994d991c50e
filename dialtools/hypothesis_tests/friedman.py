"""Friedman test of several groups on the same ids: does any tend to be higher than others?

The values of each id are ranked among the groups, ties sharing their mean rank;
statistic is chi-squared with one df less than groups, corrected for ties.
effect is Kendall's W, the agreement of the ids on an order, from 0 to 1.
Wilcoxon's test of each pair follows.

Source: Friedman 1937, https://doi.org/10.2307/2279372.  Equal to
scipy.stats.friedmanchisquare, except that values that differ by rounding alone
are tied here.

>>> round(test([[1.0, 2.0, 1.0], [2.0, 3.0, 2.0], [3.0, 4.0, 3.0]], 0.95)["p"], 4)
0.0498
"""

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions
from dialtools.statistics.ranks import excess, midranks
from dialtools.statistics.results import no_result, result, too_few


def test(groups: list[list[float]], level: float) -> dict:
    """Return the test of groups of paired values; it needs an id whose values are not all tied."""
    k, n = len(groups), len(groups[0])
    if none := too_few(n):
        return none
    ranked = [midranks(values) for values in zip(*groups, strict=True)]
    sums = [sum(column) for column in zip(*(ranks for ranks, _ in ranked), strict=True)]
    shrunk = 1 - sum(excess(ties) for _, ties in ranked) / (n * k * (k * k - 1))
    if not shrunk:
        return no_result("the groups are equal on every id")
    chi2 = 12 / (n * k * (k + 1)) * sum((s - n * (k + 1) / 2) ** 2 for s in sums) / shrunk
    return result(
        "chi2",
        chi2,
        distributions.chi2_beyond(chi2, k - 1),
        None,
        effect=("W", chi2 / (n * (k - 1))),
        df=k - 1,
    )


TEST = HypothesisTest(test, takes="many", paired=True, follow_up="wilcoxon")
