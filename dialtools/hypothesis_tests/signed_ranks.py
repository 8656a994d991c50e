"""Tests of paired values by their signs and ranks: wilcoxon and sign of two groups, friedman of more.

wilcoxon: statistic is W, the sum of the ranks of the positive differences.  Differences of 0 are
dropped before ranking (Wilcoxon's rule; zeros=pratt ranks them and then drops their ranks); ties
share their mean rank, also differences that differ by rounding alone (0.3 - 0.2 and 0.2 - 0.1).  p
is exact for up to 50 differences other than 0, with ties or zeros=pratt for up to 13, otherwise the
normal approximation with the variance corrected for ties, without continuity correction.  effect is
the rank-biserial correlation, (W+ - W-) / (W+ + W-), from -1 to 1, with an interval by Fisher's
transformation and the variance of the placements of the differences among their opposites.  Source:
Wilcoxon 1945, https://doi.org/10.2307/3001968; Pratt 1959,
https://doi.org/10.1080/01621459.1959.10501526; effect: Kerby 2014,
https://doi.org/10.2466/11.IT.3.1; its error: Hoeffding 1948,
https://doi.org/10.1214/aoms/1177730196.  Equal to scipy.stats.wilcoxon of the differences that are
not 0 (of all, for pratt).

sign: pairs with equal values are dropped and counted as zeros; p is the exact p of a fair coin.
statistic is the number of pairs in which a is larger.  effect is the share of the other pairs in
which a is larger, minus the share in which b is larger.  Source: Dixon and Mood 1946,
https://doi.org/10.1080/01621459.1946.10501898.

Of both, ci is the bootstrap interval of the mean difference.

friedman: the values of each id are ranked among the groups, ties sharing their mean rank; statistic
is chi-squared with one df less than groups, corrected for ties.  effect is Kendall's W, the
agreement of the ids on an order, from 0 to 1.  Wilcoxon's test of each pair follows.  Source:
Friedman 1937, https://doi.org/10.2307/2279372.  Equal to scipy.stats.friedmanchisquare, except that
values that differ by rounding alone are tied here.

>>> wilcoxon.test([1.0, 4.0, 6.0], [0.0, 1.0, 1.0], 0.95)["p"]
0.25
>>> sign.test([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 4.0], 0.95)["p"]
0.25
>>> groups = [[1.0, 2.0, 1.0], [2.0, 3.0, 2.0], [3.0, 4.0, 3.0]]
>>> round(friedman.test(groups, 0.95)["p"], 4)
0.0498
"""

from math import sqrt
from typing import Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, moments
from dialtools.statistics.effects import correlation_interval
from dialtools.statistics.moments import excess, midranks, placements
from dialtools.statistics.resampling import RESAMPLES, Interval, mean_interval
from dialtools.statistics.results import no_result, result, too_few

EXACT, EXACT_WITH_TIES = 50, 13


def signed_rank_test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict:
    """Return the test of a - b; it needs a difference that is not 0."""
    if none := too_few(len(a)):
        return none
    gaps = moments.differences(a, b)
    n = len(gaps) - gaps.count(0)
    if not n:
        return no_result("all differences are 0", 0.0, zeros=len(gaps))
    ranked = gaps if zeros == "pratt" else [gap for gap in gaps if gap]
    rounding = moments.ROUNDING * max(map(abs, a + b))
    ranks, ties = midranks([abs(gap) for gap in ranked], rounding)
    of_gaps = [rank for rank, gap in zip(ranks, ranked, strict=True) if gap]
    plus = sum(rank for rank, gap in zip(ranks, ranked, strict=True) if gap > 0)
    total = sum(of_gaps)
    exact = n <= (EXACT_WITH_TIES if ties or len(ranked) > n else EXACT)
    if exact:
        p = distributions.signed_ranks_outside(plus, of_gaps)
    else:
        # each rank adds a quarter of its square as variance
        variance = sum(rank * rank for rank in of_gaps) / 4
        p = distributions.normal_outside((plus - total / 2) / sqrt(variance))
    r, effect_ci = 2 * plus / total - 1, None
    if abs(r) != 1:
        k = len(ranked)
        among_opposites = midranks([*ranked, *(-gap for gap in ranked)], rounding)[0][:k]
        error = 4 * moments.deviation(placements(among_opposites, ranked, k, rounding)) / sqrt(k)
        error = error * (k * (k + 1) / 2 / total) / (1 - r * r)
        effect_ci = correlation_interval(r, error, level)
    return result(
        "W",
        plus,
        p,
        moments.mean(gaps),
        ci=mean_interval(gaps, level, interval, resamples, seed),
        effect=("rank-biserial", r),
        effect_ci=effect_ci,
        zeros=len(gaps) - n,
        method="exact" if exact else "normal",
    )


def sign_test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict:
    """Return the test of a - b; it needs a difference that is not 0."""
    if none := too_few(len(a)):
        return none
    gaps = moments.differences(a, b)
    more, fewer = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    if not more + fewer:
        return no_result("all differences are 0", 0.0, zeros=len(gaps))
    return result(
        "positive",
        more,
        distributions.binomial_outside(more, more + fewer),
        moments.mean(gaps),
        ci=mean_interval(gaps, level, interval, resamples, seed),
        effect=("sign", (more - fewer) / (more + fewer)),
        zeros=len(gaps) - more - fewer,
    )


def friedman_test(groups: list[list[float]], level: float) -> dict:
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
    p = distributions.chi2_beyond(chi2, k - 1)
    return result("chi2", chi2, p, None, effect=("W", chi2 / (n * (k - 1))), df=k - 1)


wilcoxon = HypothesisTest(
    signed_rank_test,
    paired=True,
    summary="Wilcoxon signed-rank test: are the differences within pairs symmetric around 0?",
)
sign = HypothesisTest(
    sign_test, paired=True, summary="Sign test: is a as often larger than b as it is smaller?"
)
friedman = HypothesisTest(
    friedman_test,
    takes="many",
    paired=True,
    follow_up="wilcoxon",
    summary="Friedman test of several groups on the same ids: does any tend to be higher than others?",
)
