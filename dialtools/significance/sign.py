"""Sign test: is a as often larger than b as it is smaller?

Pairs with equal values are dropped (and counted as zeros); p is that of a fair
coin, exact.  statistic is the number of pairs in which a is larger.

effect is the share of the other pairs in which a is larger, minus that in
which b is.  ci is that of the mean difference, by the bootstrap.

Source: Dixon and Mood 1946, https://doi.org/10.1080/01621459.1946.10501898.

>>> test([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 4.0], 0.95)["p"]
0.25
"""

from dialtools.statistics import bootstrap as _bootstrap, distributions, moments
from dialtools.statistics.answers import answer, differences, no_answer, too_few
from dialtools.statistics.resampling import RESAMPLES, Interval

PAIRED = True


def test(a: list[float], b: list[float], level: float, *, interval: Interval = "bca", resamples: int = RESAMPLES,
         seed: int = 0) -> dict:
    """Return the test of a - b; there is none where all differences are 0."""
    if none := too_few(len(a)):
        return none
    every = differences(a, b)
    more, fewer = sum(d > 0 for d in every), sum(d < 0 for d in every)
    if not more + fewer:
        return no_answer("all differences are 0: no pair has a sign", 0.0, zeros=len(every))
    ci = _bootstrap.of_mean(every, level, interval, resamples, seed)
    return answer("positive", more, distributions.binomial_outside(more, more + fewer), moments.mean(every), ci=ci,
                  effect=("sign", (more - fewer) / (more + fewer)), zeros=len(every) - more - fewer)
