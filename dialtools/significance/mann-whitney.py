"""Mann–Whitney U test of two independent groups: does one tend to have the larger values?

statistic is U, the number of pairs of a value of either group in which that of
a is larger, ties counting half, also those that only rounding breaks (0.15 and
the mean of 0.1 and 0.2).  Without ties, and with eight values or fewer in a
group, p is exact, else by the normal approximation with the variance corrected
for ties and with continuity correction.  It takes the groups to vary alike: where
the smaller one varies more, p may be far too small, but not the interval of effect.

effect is Cliff's delta, the share of pairs in which a is larger minus that in
which b is, from -1 to 1, which is the rank-biserial correlation too, with an
interval by Fisher's transformation and t, with the variances of the placements
of each group in the other, where they vary.  ci is that of the difference of the
means, by the bootstrap.

Source: Mann and Whitney 1947, https://doi.org/10.1214/aoms/1177730491; effect:
Cliff 1993, https://doi.org/10.1037/0033-2909.114.3.494; its error and df: Brunner
and Munzel 2000, https://doi.org/10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U.
Equal to scipy.stats.mannwhitneyu.

>>> test([3.0, 4.0, 5.0], [1.0, 2.0, 2.5], 0.95)["statistic"]
9.0
"""

from math import comb, sqrt

from dialtools.statistics import bootstrap as _bootstrap, distributions, moments
from dialtools.statistics.answers import answer, fisher, no_answer, welch_error
from dialtools.statistics.ranks import excess, midranks, placements
from dialtools.statistics.resampling import RESAMPLES, Interval

ASSUMES = ("equal variances of no effect",)
EXACT = 8


def test(a: list[float], b: list[float], level: float, *, interval: Interval = "bca", resamples: int = RESAMPLES,
         seed: int = 0) -> dict:
    """Return the test; there is none with an empty group, or where all values are equal."""
    n, m = len(a), len(b)
    if min(n, m) < 1:
        return no_answer(f"a test needs a value in each group, here are {n} and {m}")
    if moments.is_constant(a + b):
        return no_answer("all values of both groups are equal: there is nothing to rank", 0.0)
    ranks, ties = midranks(a + b)
    u = sum(ranks[:n]) - n * (n + 1) / 2
    exact = not ties and min(n, m) <= EXACT
    p = _exact(u, n, m) if exact else _approximate(u, n, m, ties)
    delta = 2 * u / (n * m) - 1
    effect_ci = _delta_ci(delta, placements(ranks[:n], a, m), placements(ranks[n:], b, n), level)
    ci = _bootstrap.of_gap(a, b, level, interval, resamples, seed)
    return answer("U", u, p, moments.gap(a, b), ci=ci, effect=("cliff", delta),
                  effect_ci=effect_ci, method="exact" if exact else "normal")


def _delta_ci(delta: float, of_a: list[float], of_b: list[float], level: float) -> list[float] | None:
    """Return the interval of delta; None where placements of a group do not vary, which tells nothing of its error."""
    if min(of_a) == max(of_a) or min(of_b) == max(of_b):
        return None
    error, df = welch_error(of_a, of_b)
    return fisher(delta, 2 * error / (1 - delta * delta), level, df)


def _exact(u: float, n: int, m: int) -> float:
    """Return p from the number of ways in which n of n + m ranks have each U: the coefficients of q-binomials."""
    ways = [1] + [0] * (n * m)
    for k in range(1, n + 1):
        for s in range(n * m, m + k - 1, -1):
            ways[s] -= ways[s - m - k]
        for s in range(k, n * m + 1):
            ways[s] += ways[s - k]
    tail = int(min(u, n * m - u))
    return min(1.0, 2 * sum(ways[:tail + 1]) / comb(n + m, n))


def _approximate(u: float, n: int, m: int, ties: list[int]) -> float:
    whole = n + m
    variance = n * m / 12 * (whole + 1 - excess(ties) / (whole * (whole - 1)))
    return min(1.0, distributions.normal_outside(max(abs(u - n * m / 2) - 0.5, 0) / sqrt(variance)))
