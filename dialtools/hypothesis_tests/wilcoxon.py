"""Wilcoxon signed-rank test: are the differences within pairs symmetric around 0?

statistic is W, the sum of the ranks of the positive differences.  Differences of
0 are dropped before ranking (Wilcoxon's rule; zeros=pratt ranks them and then
drops their ranks); ties share their mean rank, also differences that differ by
rounding alone (0.3 - 0.2 and 0.2 - 0.1).  p is exact for up to 50 differences
other than 0, with ties or zeros=pratt for up to 13, otherwise the normal
approximation with the variance corrected for ties, without continuity correction.

effect is the rank-biserial correlation, (W+ - W-) / (W+ + W-), from -1 to 1,
with an interval by Fisher's transformation and the variance of the placements
of the differences among their opposites.  ci is the bootstrap interval of the
mean difference.

Source: Wilcoxon 1945, https://doi.org/10.2307/3001968; Pratt 1959,
https://doi.org/10.1080/01621459.1959.10501526; effect: Kerby 2014,
https://doi.org/10.2466/11.IT.3.1; its error: Hoeffding 1948,
https://doi.org/10.1214/aoms/1177730196.  Equal to scipy.stats.wilcoxon of
the differences that are not 0 (of all, for pratt).

>>> test([1.0, 4.0, 6.0], [0.0, 1.0, 1.0], 0.95)["p"]
0.25
"""

from math import sqrt
from typing import Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import bootstrap, distributions, moments
from dialtools.statistics.effects import correlation_interval
from dialtools.statistics.ranks import midranks, placements
from dialtools.statistics.resampling import RESAMPLES, Interval
from dialtools.statistics.results import no_result, result, too_few

EXACT, EXACT_WITH_TIES = 50, 13


def test(
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
    signed = [rank for rank, gap in zip(ranks, ranked, strict=True) if gap]
    plus = sum(rank for rank, gap in zip(ranks, ranked, strict=True) if gap > 0)
    exact = n <= (EXACT_WITH_TIES if ties or len(ranked) > n else EXACT)
    p = _exact(plus, signed) if exact else _approximate(plus, signed)
    r = 2 * plus / sum(signed) - 1
    effect_ci = _r_ci(r, ranked, sum(signed), rounding, level)
    ci = bootstrap.of_mean(gaps, level, interval, resamples, seed)
    return result(
        "W",
        plus,
        p,
        moments.mean(gaps),
        ci=ci,
        effect=("rank-biserial", r),
        effect_ci=effect_ci,
        zeros=len(gaps) - n,
        method="exact" if exact else "normal",
    )


def _r_ci(
    r: float, ranked: list[float], whole: float, rounding: float, level: float
) -> list[float] | None:
    """Return the interval of r; whole: the sum of the ranks of differences other than 0."""
    if abs(r) == 1:
        return None
    n = len(ranked)
    among_opposites = midranks([*ranked, *(-gap for gap in ranked)], rounding)[0][:n]
    error = 4 * moments.deviation(placements(among_opposites, ranked, n, rounding)) / sqrt(n)
    return correlation_interval(r, error * (n * (n + 1) / 2 / whole) / (1 - r * r), level)


def _exact(plus: float, ranks: list[float]) -> float:
    """Return p from the number of subsets of the ranks with each sum."""
    doubled, ways = [round(2 * rank) for rank in ranks], [1]  # ties have halves
    for rank in doubled:
        none = [0] * rank
        ways = [out + within for out, within in zip(ways + none, none + ways, strict=True)]
    tail = min(round(2 * plus), sum(doubled) - round(2 * plus))
    return min(1.0, 2 * sum(ways[: tail + 1]) / 2 ** len(ranks))


def _approximate(plus: float, ranks: list[float]) -> float:
    """Return p by the normal approximation; each rank adds a quarter of its square as variance."""
    variance = sum(rank * rank for rank in ranks) / 4
    return distributions.normal_outside((plus - sum(ranks) / 2) / sqrt(variance))


TEST = HypothesisTest(test, paired=True)
