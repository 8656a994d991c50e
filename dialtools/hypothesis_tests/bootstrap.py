"""Paired bootstrap test: does the difference keep its sign when the pairs are drawn anew?

Pairs are drawn with replacement; p is the share of samples whose difference
lies at least as far from the observed one as the observed one from 0, (c + 1) /
(n + 1), and at least 2 / 2^pairs, the least p of a permutation test.  Scores
that are not means, such as corpus BLEU, are computed from the statistics of the
drawn pairs.  effect is d_z.

Source: Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 16;
Koehn 2004, https://aclanthology.org/W04-3250.

>>> test([2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0], 0.95, interval="percentile")["ci"]
[1.5, 3.5]
"""

from collections.abc import Callable

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics.paired_samples import PairedSample
from dialtools.statistics.resampling import RESAMPLES, Interval


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
    """Return the test of a - b; it needs differences that vary.

    score: sums of statistics -> corpus score, if a and b hold statistics; None for numbers.
    """
    return PairedSample(a, b, score).bootstrap_test(level, interval, resamples, seed)


TEST = HypothesisTest(test, paired=True, assumes=("many values",))
