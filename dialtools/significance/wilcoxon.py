"""Wilcoxon signed-rank test: are the differences within pairs symmetric around 0?

statistic is W, the sum of the ranks of the positive differences.  Zero
differences are dropped before ranking (Wilcoxon's rule; zeros=pratt ranks them
and then drops their ranks); ties, also those that only rounding breaks (0.3 - 0.2
and 0.2 - 0.1), share their mean rank.  p is exact for up to 50 differences
other than 0, with ties or zeros=pratt for up to 13, else by the normal
approximation with the variance corrected for ties, without continuity correction.

effect is the rank-biserial correlation, (W+ - W-) / (W+ + W-), from -1 to 1,
with an interval by Fisher's transformation.  ci is that of the mean
difference, by the bootstrap.

Source: Wilcoxon 1945, https://doi.org/10.2307/3001968; Pratt 1959,
https://doi.org/10.1080/01621459.1959.10501526; effect: Kerby 2014,
https://doi.org/10.2466/11.IT.3.1.  Equal to scipy.stats.wilcoxon of
the differences that are not 0 (of all, for pratt).

>>> test([1.0, 4.0, 6.0], [0.0, 1.0, 1.0], 0.95)["p"]
0.25
"""

from math import sqrt
from typing import Literal

from dialtools import moments
from dialtools.significance import _bootstrap
from dialtools.significance import _distributions as distributions
from dialtools.significance._answers import answer, differences, fisher, no_answer, too_few
from dialtools.significance._ranks import excess, midranks
from dialtools.significance._resampling import RESAMPLES, Interval

PAIRED = True
EXACT, EXACT_WITH_TIES = 50, 13


def test(a: list[float], b: list[float], level: float, *, zeros: Literal["wilcox", "pratt"] = "wilcox",
         interval: Interval = "bca", resamples: int = RESAMPLES, seed: int = 0) -> dict:
    """Return the test of a - b; there is none where all differences are 0."""
    if none := too_few(len(a)):
        return none
    every = differences(a, b)
    other = [d for d in every if d]
    if not other:
        return no_answer("all differences are 0: there is nothing to rank", 0.0, zeros=len(every))
    ranked, dropped = (every, len(every) - len(other)) if zeros == "pratt" else (other, 0)
    ranks, ties = midranks([abs(d) for d in ranked], moments.ROUNDING * max(map(abs, a + b)))
    plus = sum(rank for rank, d in zip(ranks, ranked, strict=True) if d > 0)
    whole = (len(ranks) * (len(ranks) + 1) - dropped * (dropped + 1)) / 2
    exact = len(other) <= (EXACT_WITH_TIES if ties or dropped else EXACT)
    signed = [rank for rank, d in zip(ranks, ranked, strict=True) if d]
    p = _exact(plus, signed) if exact else _approximate(plus, ranks, ties, dropped)
    r, n = 2 * plus / whole - 1, len(other)
    effect_ci = fisher(r, sqrt((2 * n**3 + 3 * n**2 + n) / 6) / ((n**2 + n) / 2), level)
    ci = _bootstrap.of_mean(every, level, interval, resamples, seed)
    return answer("W", plus, p, moments.mean(every), ci=ci, effect=("rank-biserial", r), effect_ci=effect_ci,
                  zeros=len(every) - n, method="exact" if exact else "normal")


def _exact(plus: float, ranks: list[float]) -> float:
    """Return p from the number of ways in which ranks, each counted or not, have each sum; ties have halves."""
    doubled, ways = [round(2 * rank) for rank in ranks], [1]
    for rank in doubled:
        ways = [(ways[s] if s < len(ways) else 0) + (ways[s - rank] if s >= rank else 0)
                for s in range(len(ways) + rank)]
    tail = min(round(2 * plus), sum(doubled) - round(2 * plus))
    return min(1.0, 2 * sum(ways[:tail + 1]) / 2**len(ranks))


def _approximate(plus: float, ranks: list[float], ties: list[int], dropped: int) -> float:
    n, m = len(ranks), dropped
    mean = (n * (n + 1) - m * (m + 1)) / 4
    # the zeros that Pratt ranks are a tie too, but not one that the variance counts
    counted = excess(ties) - (m**3 - m)
    variance = (n * (n + 1) * (2 * n + 1) - m * (m + 1) * (2 * m + 1) - counted / 2) / 24
    return distributions.normal_outside((plus - mean) / sqrt(variance))
