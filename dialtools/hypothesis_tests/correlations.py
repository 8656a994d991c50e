"""Correlations of two values, and of which of two metrics correlates better with ratings.

pearson: effect is r, from -1 to 1, with its interval by Fisher's transformation; p is that of r = 0
for normal values, by Student's t with n - 2 df.  Source: Fisher 1915,
https://doi.org/10.2307/2331838.  Equal to scipy.stats.pearsonr.

spearman: effect is rho, from -1 to 1, the Pearson correlation of the ranks (ties share their mean
rank), with its interval by Fisher's transformation and the standard error √((1 + rho²/2) / (n - 3));
p is by t with n - 2 df.  Source: Spearman 1904, https://doi.org/10.2307/1412159; interval: Bonett
and Wright 2000, https://doi.org/10.1007/BF02294183.

kendall: effect is tau-b, from -1 to 1, corrected for ties, with its interval by Fisher's
transformation and the standard error √(0.437 / (n - 4)).  Without ties p is exact up to 33 pairs,
else by the normal approximation with the variance corrected for ties.  Source: Kendall 1945,
https://doi.org/10.2307/2332303; interval: Bonett and Wright 2000.

pairwise is the accuracy with which one value puts two records, or with --per system two systems, into
the order of the other: effect is the share of all pairs in the same order, from 0 to 1; a pair that both
tie counts, and one that only one of them ties does not.  Without ties it is (tau-b + 1) / 2.  p is that
of kendall; there is no interval.  Source: Kocmi et al. 2021, https://aclanthology.org/2021.wmt-1.57;
ties: Deutsch, Foster and Freitag 2023, https://aclanthology.org/2023.emnlp-main.798.

The coefficients and p of spearman and kendall are equal to scipy.stats.spearmanr and kendalltau,
except that values that differ by rounding alone (two ROUGE scores of 2/3 from other sums) are tied
here.

williams compares two dependent correlations: two or more --value of the same records, each with the
ratings --versus.  difference is r of a minus r of b with the ratings, for Pearson's r; mean_a and
mean_b are the two correlations.  ci is the interval of Zou.  Correlations of ranks, and of values
far from normal, are better tested with correlation-permutation.  Source: Williams 1959,
https://doi.org/10.1111/j.2517-6161.1959.tb00346.x, as in Steiger 1980,
https://doi.org/10.1037/0033-2909.87.2.245, equation 7; interval: Zou 2007,
https://doi.org/10.1037/1082-989X.12.4.399.

>>> round(pearson.test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], 0.95)["effect"], 4)
0.8
>>> spearman.test([1.0, 2.0, 3.0, 4.0], [1.0, 8.0, 27.0, 64.0], 0.95)["effect"]
1.0
>>> round(kendall.test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], 0.95)["effect"], 4)
0.6667
>>> round(pairwise.test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], 0.95)["effect"], 4)
0.8333
>>> tied = [0.15, (0.1 + 0.2) / 2, 1.0, 2.0]  # 5 / √(5 × 6), not 1
>>> kendall.test(tied, [1.0, 2.0, 3.0, 4.0], 0.95)["effect"]
0.9128709291752769
>>> round(compared(0.5, 0.3, 0.4, 103, 0.95)["statistic"], 3)  # r_ac, r_bc, r_ab, n
2.097
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from math import comb, sqrt
from typing import Any, NamedTuple

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions
from dialtools.statistics.effects import correlation_interval, product_moment
from dialtools.statistics.moments import midranks
from dialtools.statistics.results import correlated, no_result, result, uncorrelatable

EXACT = 33  # pairs of kendall
ACCURACY = "pairwise accuracy"


def linear_correlation(a: list[float], b: list[float], level: float) -> dict:
    """Return Pearson's correlation; it needs three pairs, and samples that vary."""
    if none := uncorrelatable(a, b):
        return none
    return correlated("r", a, b, lambda r: 1 / sqrt(len(a) - 3), level)


def rank_correlation(a: list[float], b: list[float], level: float) -> dict:
    """Return Spearman's correlation; it needs the same."""
    if none := uncorrelatable(a, b):
        return none
    ranks_a, ranks_b = midranks(a)[0], midranks(b)[0]
    return correlated(
        "rho", ranks_a, ranks_b, lambda rho: sqrt((1 + rho * rho / 2) / (len(a) - 3)), level
    )


class Orders(NamedTuple):
    """How many pairs of n records two values put into the same order or the opposite one, or tie."""

    n: int
    same: int
    opposite: int
    tied_by_both: int
    ties_a: list[int]  # sizes of groups of equal values
    ties_b: list[int]

    @property
    def pairs(self) -> int:
        return comb(self.n, 2)


def orders(a: list[float], b: list[float]) -> Orders:
    """Return the orders of all pairs of records."""
    a, b = midranks(a)[0], midranks(b)[0]
    ranks = list(zip(a, b, strict=True))
    ties_a, ties_b, ties_both = (
        [count for count in Counter(values).values() if count > 1] for values in (a, b, ranks)
    )
    tied_a, tied_b, tied_both = (
        sum(comb(t, 2) for t in ties) for ties in (ties_a, ties_b, ties_both)
    )

    # pairs in falling order, without ties
    rising: list[float] = []
    opposite = 0
    for _, rank in sorted(ranks):
        place = bisect_right(rising, rank)
        opposite += len(rising) - place
        rising.insert(place, rank)
    same = comb(len(a), 2) - tied_a - tied_b + tied_both - opposite
    return Orders(len(a), same, opposite, tied_both, ties_a, ties_b)


def order_correlation(a: list[float], b: list[float], level: float) -> dict:
    """Return Kendall's correlation; it needs the same."""
    if none := uncorrelatable(a, b):
        return none
    of_pairs = orders(a, b)
    n, pairs, gap = of_pairs.n, of_pairs.pairs, of_pairs.same - of_pairs.opposite
    untied_a, untied_b = (
        pairs - sum(comb(t, 2) for t in ties) for ties in (of_pairs.ties_a, of_pairs.ties_b)
    )
    tau = gap / sqrt(untied_a * untied_b)  # one root, so that 1 and -1 are exact
    fewer = min(of_pairs.opposite, pairs - of_pairs.opposite)
    exact = not of_pairs.ties_a and not of_pairs.ties_b and (n <= EXACT or fewer <= 1)
    return result(
        "tau-b",
        tau,
        distributions.inversions_outside(fewer, n)
        if exact
        else distributions.normal_outside(
            gap / sqrt(_variance_of_gap(n, of_pairs.ties_a, of_pairs.ties_b))
        ),
        None,
        effect=("tau-b", tau),
        effect_ci=correlation_interval(tau, sqrt(0.437 / (n - 4)), level) if n > 4 else None,
        method="exact" if exact else "normal",
    )


def order_accuracy(a: list[float], b: list[float], level: float) -> dict:
    """Return the share of pairs in the same order; it needs the same."""
    tested = order_correlation(a, b, level)
    if tested["p"] is None:
        return tested
    of_pairs = orders(a, b)
    accuracy = (of_pairs.same + of_pairs.tied_by_both) / of_pairs.pairs
    return tested | {"effect_name": ACCURACY, "effect": accuracy, "effect_ci": None}


def _variance_of_gap(n: int, ties_a: Sequence[int], ties_b: Sequence[int]) -> float:
    """Return the variance of concordant minus discordant pairs with ties of these sizes."""
    (v_a, three_a, two_a), (v_b, three_b, two_b) = (
        (
            sum(t * (t - 1) * (2 * t + 5) for t in ties),
            sum(t * (t - 1) * (t - 2) for t in ties),
            sum(t * (t - 1) for t in ties),
        )
        for ties in (ties_a, ties_b)
    )
    m = n * (n - 1)
    return (
        (m * (2 * n + 5) - v_a - v_b) / 18
        + two_a * two_b / (2 * m)
        + three_a * three_b / (9 * m * (n - 2))
    )


def williams_test(a: list[float], b: list[float], against: list[float], level: float) -> dict:
    """Return the test of r(a, against) - r(b, against); it needs four records that vary."""
    for values in (a, b):
        if none := uncorrelatable(values, against):
            return none
    if len(a) < 4:
        return no_result(f"the test needs at least 4 records, got {len(a)}")
    return compared(
        product_moment(a, against), product_moment(b, against), product_moment(a, b), len(a), level
    )


def compared(r_a: float, r_b: float, r_ab: float, n: int, level: float) -> dict:
    """Return the test of two correlations with the same ratings.

    r_a, r_b: correlation of a and of b with the ratings.
    r_ab: correlation of a with b.
    """
    means: dict[str, Any] = {"mean_a": r_a, "mean_b": r_b}
    if max(map(abs, (r_a, r_b, r_ab))) >= 1:
        return no_result("a correlation is exactly 1 or -1", r_a - r_b, **means)
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
    t = (r_a - r_b) * sqrt((n - 1) * (1 + r_ab) / spread)
    return result(
        "t",
        t,
        distributions.t_outside(t, n - 3),
        r_a - r_b,
        ci=_zou_interval(r_a, r_b, r_ab, n, level),
        effect=("difference of r", r_a - r_b),
        df=n - 3,
        **means,
    )


def _zou_interval(r_a: float, r_b: float, r_ab: float, n: int, level: float) -> list[float] | None:
    """Return the interval of the difference of two correlations that share the ratings."""
    error = 1 / sqrt(n - 3)
    interval_a = correlation_interval(r_a, error, level)
    interval_b = correlation_interval(r_b, error, level)
    if interval_a is None or interval_b is None:
        return None
    shared = ((r_ab - r_a * r_b / 2) * (1 - r_a**2 - r_b**2 - r_ab**2) + r_ab**3) / (
        (1 - r_a**2) * (1 - r_b**2)
    )

    def reach(x: float, y: float) -> float:
        return sqrt(max(0.0, x**2 + y**2 - 2 * shared * x * y))

    (low_a, high_a), (low_b, high_b) = interval_a, interval_b
    return [
        r_a - r_b - reach(r_a - low_a, high_b - r_b),
        r_a - r_b + reach(high_a - r_a, r_b - low_b),
    ]


pearson = HypothesisTest(
    linear_correlation,
    paired=True,
    summary="Pearson correlation: how near a line do the pairs lie?",
)
spearman = HypothesisTest(
    rank_correlation,
    paired=True,
    assumes=("many ranks",),
    summary="Spearman rank correlation: how nearly do the pairs rise together, along any curve?",
)
kendall = HypothesisTest(
    order_correlation,
    paired=True,
    summary="Kendall's tau-b: how many more pairs of pairs are in the same order than in the "
    "opposite one?",
)
pairwise = HypothesisTest(
    order_accuracy,
    paired=True,
    summary="Pairwise accuracy: how many pairs, such as of systems, do two values put into the same "
    "order?",
)
williams = HypothesisTest(
    williams_test,
    takes="against",
    paired=True,
    summary="Williams' test: does one metric correlate better with the ratings than another?",
)
