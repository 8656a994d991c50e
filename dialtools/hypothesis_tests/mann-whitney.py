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

from math import sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, moments
from dialtools.statistics.effects import correlation_interval
from dialtools.statistics.moments import excess, midranks, placements
from dialtools.statistics.resampling import RESAMPLES, Interval, gap_interval
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
    if exact:
        p = distributions.rank_sum_outside(u, n, m)
    else:
        variance = n * m / 12 * (n + m + 1 - excess(ties) / ((n + m) * (n + m - 1)))
        distance = max(abs(u - n * m / 2) - 0.5, 0)
        p = min(1.0, distributions.normal_outside(distance / sqrt(variance)))
    delta, effect_ci = 2 * u / (n * m) - 1, None
    placed_a, placed_b = placements(ranks[:n], a, m), placements(ranks[n:], b, n)
    if min(placed_a) != max(placed_a) and min(placed_b) != max(placed_b):
        error, df = moments.welch_error(placed_a, placed_b)
        effect_ci = correlation_interval(delta, 2 * error / (1 - delta * delta), level, df)
    return result(
        "U",
        u,
        p,
        moments.gap(a, b),
        ci=gap_interval(a, b, level, interval, resamples, seed),
        effect=("cliff", delta),
        effect_ci=effect_ci,
        method="exact" if exact else "normal",
    )


TEST = HypothesisTest(test, assumes=("equal variances of no effect",))
