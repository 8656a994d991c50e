"""Mann–Whitney U test of two independent groups: does one tend to have the larger values?

statistic is U, the number of pairs of a value of each group in which the value
of a is larger; ties count half, also values that differ by rounding alone (0.15
and the mean of 0.1 and 0.2).  Without ties and with at most eight values in a
group p is exact, otherwise the normal approximation with the variance corrected
for ties and with continuity correction.  Equal variances are assumed: if the
smaller group varies more, p may be far too small, but effect_ci is not.

effect is Cliff's delta, the share of pairs in which a is larger minus the share
in which b is larger, from -1 to 1 (also called rank-biserial correlation), with
an interval by Fisher's transformation and t from the variances of the placements
of each group in the other.  ci is the bootstrap interval of the difference of the
means.

Source: Mann and Whitney 1947, https://doi.org/10.1214/aoms/1177730491; effect:
Cliff 1993, https://doi.org/10.1037/0033-2909.114.3.494; its error and df: Brunner
and Munzel 2000, https://doi.org/10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U.
Equal to scipy.stats.mannwhitneyu.

>>> test([3.0, 4.0, 5.0], [1.0, 2.0, 2.5], 0.95)["statistic"]
9.0
"""

from math import comb, sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import bootstrap, distributions, moments
from dialtools.statistics.effects import correlation_interval
from dialtools.statistics.ranks import excess, midranks, placements
from dialtools.statistics.resampling import RESAMPLES, Interval
from dialtools.statistics.results import no_result, result, too_few_in_groups

EXACT = 8


def test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict:
    """Return the test; it needs a value in each group, and values that are not all equal."""
    n, m = len(a), len(b)
    if none := too_few_in_groups(a, b, needed=1):
        return none
    if moments.is_constant(a + b):
        return no_result("all values of both groups are equal", 0.0)
    ranks, ties = midranks(a + b)
    u = sum(ranks[:n]) - n * (n + 1) / 2
    exact = not ties and min(n, m) <= EXACT
    p = _exact(u, n, m) if exact else _approximate(u, n, m, ties)
    delta = 2 * u / (n * m) - 1
    effect_ci = _delta_ci(delta, placements(ranks[:n], a, m), placements(ranks[n:], b, n), level)
    ci = bootstrap.of_gap(a, b, level, interval, resamples, seed)
    return result(
        "U",
        u,
        p,
        moments.gap(a, b),
        ci=ci,
        effect=("cliff", delta),
        effect_ci=effect_ci,
        method="exact" if exact else "normal",
    )


def _delta_ci(
    delta: float, of_a: list[float], of_b: list[float], level: float
) -> list[float] | None:
    """Return the interval of delta; None if the placements of a group do not vary."""
    if min(of_a) == max(of_a) or min(of_b) == max(of_b):
        return None
    error, df = moments.welch_error(of_a, of_b)
    return correlation_interval(delta, 2 * error / (1 - delta * delta), level, df)


def _exact(u: float, n: int, m: int) -> float:
    """Return p from the number of choices of n of n + m ranks with each U (q-binomials)."""
    ways = [1] + [0] * (n * m)
    for k in range(1, n + 1):
        for s in range(n * m, m + k - 1, -1):
            ways[s] -= ways[s - m - k]
        for s in range(k, n * m + 1):
            ways[s] += ways[s - k]
    tail = int(min(u, n * m - u))
    return min(1.0, 2 * sum(ways[: tail + 1]) / comb(n + m, n))


def _approximate(u: float, n: int, m: int, ties: list[int]) -> float:
    whole = n + m
    variance = n * m / 12 * (whole + 1 - excess(ties) / (whole * (whole - 1)))
    return min(1.0, distributions.normal_outside(max(abs(u - n * m / 2) - 0.5, 0) / sqrt(variance)))


TEST = HypothesisTest(test, assumes=("equal variances of no effect",))
