"""Paired permutation test (approximate randomisation): do exchanged labels differ as much?

Under the null hypothesis the labels of a pair are exchangeable.  p is the share
of random exchanges whose difference is at least as far from 0 as the observed
one, (c + 1) / (n + 1); if there are at most `resamples` exchanges, all are tried
and p is exact.

It assumes neither variance nor normality.  Scores that are not means, such as
corpus BLEU, are computed from exchanged statistics.  effect is d_z and ci the
bootstrap interval of the difference, unless all differences are equal.

Source: Noreen 1989, Computer-intensive methods for testing hypotheses; Riezler
and Maxwell 2005, https://aclanthology.org/W05-0908.

>>> test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 0.95)["p"]
0.25
"""

from collections.abc import Callable

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import bootstrap
from dialtools.statistics.paired_samples import PairedSample
from dialtools.statistics.resampling import RESAMPLES, Interval
from dialtools.statistics.results import result


def test(
    a: list,
    b: list,
    level: float,
    *,
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
    score: Callable[[list[float]], float] | None = None,
) -> dict:
    """Return the test of a - b; it needs a difference that is not 0.

    score: sums of statistics -> corpus score, if a and b hold statistics; None for numbers.
    """
    pairs = PairedSample(a, b, score)
    if none := pairs.untestable():
        return none
    p, tried = pairs.exchanged(resamples, seed)
    more: dict = {}
    if not pairs.is_constant():
        ci = (
            pairs.interval(level, interval, resamples, seed)
            if score
            else bootstrap.of_mean(pairs.gaps, level, interval, resamples, seed)
        )
        more = {"ci": ci, **pairs.effect(level)}
    return result("difference", pairs.difference, p, pairs.difference, **more, resamples=tried)


TEST = HypothesisTest(test, paired=True)
