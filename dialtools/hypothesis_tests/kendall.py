"""Kendall's tau-b: how many more pairs of pairs are in the same order than in the opposite one?

effect is tau-b, from -1 to 1, corrected for ties, with its interval by Fisher's
transformation and the standard error √(0.437 / (n - 4)).  Without ties p is
exact up to 33 pairs, else by the normal approximation with the variance
corrected for ties.

Source: Kendall 1945, https://doi.org/10.2307/2332303; interval: Bonett and Wright
2000, https://doi.org/10.1007/BF02294183.  tau-b and p are equal to scipy.stats.kendalltau,
except that values that differ by rounding alone (two ROUGE scores of 2/3 from
other sums) are tied here.

>>> round(test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], 0.95)["effect"], 4)
0.6667
>>> tied = [0.15, (0.1 + 0.2) / 2, 1.0, 2.0]  # 5 / √(5 × 6), not 1
>>> test(tied, [1.0, 2.0, 3.0, 4.0], 0.95)["effect"]
0.9128709291752769
"""

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from math import comb, factorial, sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions
from dialtools.statistics.correlation import uncorrelatable
from dialtools.statistics.effects import correlation_interval
from dialtools.statistics.ranks import midranks
from dialtools.statistics.results import result

EXACT = 33


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the correlation; it needs three pairs, and samples that vary."""
    if none := uncorrelatable(a, b):
        return none
    n, a, b = len(a), midranks(a)[0], midranks(b)[0]
    both = list(zip(a, b, strict=True))
    ties_a, ties_b, ties_both = _ties(a), _ties(b), _ties(both)
    pairs, discordant = comb(n, 2), _inversions([y for _, y in sorted(both)])
    tied_a, tied_b, tied_both = (
        sum(comb(t, 2) for t in ties) for ties in (ties_a, ties_b, ties_both)
    )
    gap = pairs - tied_a - tied_b + tied_both - 2 * discordant
    tau = gap / sqrt((pairs - tied_a) * (pairs - tied_b))  # one root, so that 1 and -1 are exact
    fewer = min(discordant, pairs - discordant)
    exact = not ties_a and not ties_b and (n <= EXACT or fewer <= 1)
    p = _exact(n, fewer) if exact else _approximate(n, gap, ties_a, ties_b)
    ci = correlation_interval(tau, sqrt(0.437 / (n - 4)), level) if n > 4 else None
    return result(
        "tau-b",
        tau,
        p,
        None,
        effect=("tau-b", tau),
        effect_ci=ci,
        method="exact" if exact else "normal",
    )


def _ties(values: list) -> list[int]:
    """Return the sizes of ties."""
    return [count for count in Counter(values).values() if count > 1]


def _inversions(values: list[float]) -> int:
    """Return the number of pairs of values in falling order, without ties."""
    rising: list[float] = []
    inversions = 0
    for value in values:
        place = bisect_right(rising, value)
        inversions += len(rising) - place
        rising.insert(place, value)
    return inversions


def _exact(n: int, discordant: int) -> float:
    """Return p from the number of orders with each number of inversions (Mahonian numbers)."""
    ways = [1] + [0] * discordant
    for k in range(2, n + 1):  # value k is in falling order with 0 to k - 1 of the others
        sums = [0, *accumulate(ways)]
        ways = [sums[s + 1] - sums[max(0, s - k + 1)] for s in range(discordant + 1)]
    return min(1.0, 2 * sum(ways) / factorial(n))


def _approximate(n: int, gap: int, ties_a: list[int], ties_b: list[int]) -> float:
    def weighted(ties: list[int]) -> tuple[int, int, int]:
        return (
            sum(t * (t - 1) * (2 * t + 5) for t in ties),
            sum(t * (t - 1) * (t - 2) for t in ties),
            sum(t * (t - 1) for t in ties),
        )

    (v_a, three_a, two_a), (v_b, three_b, two_b) = weighted(ties_a), weighted(ties_b)
    m = n * (n - 1)
    variance = (
        (m * (2 * n + 5) - v_a - v_b) / 18
        + two_a * two_b / (2 * m)
        + three_a * three_b / (9 * m * (n - 2))
    )
    return distributions.normal_outside(gap / sqrt(variance))


TEST = HypothesisTest(test, paired=True)
