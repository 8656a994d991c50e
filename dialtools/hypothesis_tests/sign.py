"""Sign test: is a as often larger than b as it is smaller?

Pairs with equal values are dropped and counted as zeros; p is the exact p of a
fair coin.  statistic is the number of pairs in which a is larger.

effect is the share of the other pairs in which a is larger, minus the share in
which b is larger.  ci is the bootstrap interval of the mean difference.

Source: Dixon and Mood 1946, https://doi.org/10.1080/01621459.1946.10501898.

>>> test([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 4.0], 0.95)["p"]
0.25
"""

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import bootstrap, distributions, moments
from dialtools.statistics.resampling import RESAMPLES, Interval
from dialtools.statistics.results import no_result, result, too_few


def test(
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
    ci = bootstrap.of_mean(gaps, level, interval, resamples, seed)
    p = distributions.binomial_outside(more, more + fewer)
    return result(
        "positive",
        more,
        p,
        moments.mean(gaps),
        ci=ci,
        effect=("sign", (more - fewer) / (more + fewer)),
        zeros=len(gaps) - more - fewer,
    )


TEST = HypothesisTest(test, paired=True)
