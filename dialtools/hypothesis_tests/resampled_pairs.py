"""Tests of pairs that are drawn anew or exchanged, also of scores that are not means.

Scores that are not means, such as corpus BLEU, are computed from the statistics of the drawn or
exchanged pairs.  effect is d_z.

bootstrap: pairs are drawn with replacement; p is the share of samples whose difference lies at
least as far from the observed one as the observed one from 0, (c + 1) / (n + 1), and at least
2 / 2^pairs, the least p of a permutation test.  Source: Efron and Tibshirani 1993, An introduction
to the bootstrap, chapter 16; Koehn 2004, https://aclanthology.org/W04-3250.

permutation: under the null hypothesis the labels of a pair are exchangeable.  p is the share of
random exchanges whose difference is at least as far from 0 as the observed one, (c + 1) / (n + 1);
if there are at most `resamples` exchanges, all are tried and p is exact.  It assumes neither
variance nor normality.  ci is the bootstrap interval of the difference, unless all differences are
equal.  Source: Noreen 1989, Computer-intensive methods for testing hypotheses; Riezler and Maxwell
2005, https://aclanthology.org/W05-0908.

>>> bootstrap.test([2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0], 0.95, interval="percentile")["ci"]
[1.5, 3.5]
>>> permutation.test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 0.95)["p"]
0.25
"""

from collections.abc import Callable

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics.resampling import RESAMPLES, Interval, PairedSample


def bootstrap_test(
    a: list,
    b: list,
    level: float,
    *,
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
    score: Callable[[list[float]], float] | None = None,
) -> dict:
    """Return the test of a - b; it needs differences that vary.

    score: sums of statistics -> corpus score, if a and b hold statistics; None for numbers.
    """
    return PairedSample(a, b, score).bootstrap_test(level, interval, resamples, seed)


def permutation_test(
    a: list,
    b: list,
    level: float,
    *,
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
    score: Callable[[list[float]], float] | None = None,
) -> dict:
    """Return the test of a - b; it needs a difference that is not 0.  score: as in bootstrap."""
    return PairedSample(a, b, score).permutation_test(level, interval, resamples, seed)


bootstrap = HypothesisTest(
    bootstrap_test,
    paired=True,
    assumes=("many values",),
    summary="Paired bootstrap test: does the difference keep its sign when the pairs are drawn anew?",
)
permutation = HypothesisTest(
    permutation_test,
    paired=True,
    summary="Paired permutation test (approximate randomisation): do exchanged labels differ as much?",
)
