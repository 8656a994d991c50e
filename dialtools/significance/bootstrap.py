"""Paired bootstrap test: does the difference keep its sign when the pairs are drawn anew?

Pairs are drawn with replacement; p is the share of samples whose difference
lies at least as far from the observed one as that lies from 0, (c + 1) / (n + 1),
and no less than 2 / 2^pairs, than which the permutation test finds none: samples
of few pairs show nothing.  Scores that are no means, such as corpus BLEU, are
computed anew from the statistics of the pairs drawn.  effect is d_z.

Source: Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 16;
Koehn 2004, https://aclanthology.org/W04-3250.

>>> test([2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0], 0.95, interval="percentile")["ci"]
[1.5, 3.5]
"""

from collections.abc import Callable

from dialtools.statistics import pairs as _pairs
from dialtools.statistics.answers import answer
from dialtools.statistics.resampling import RESAMPLES, Interval

PAIRED = True
ASSUMES = ("many values",)


def test(a: list, b: list, level: float, *, interval: Interval = "bca", resamples: int = RESAMPLES, seed: int = 0,
         score: Callable[[list[float]], float] | None = None) -> dict:
    """Return the test of a - b; there is none where all differences are the same.

    score: sums of statistics -> a corpus score, where a and b hold statistics; None: they hold numbers.
    """
    pairs = _pairs.Pairs(a, b, score)
    if none := pairs.undrawable():
        return none
    drawn = pairs.drawn(resamples, seed)
    return answer("difference", pairs.difference, pairs.drawn_p(drawn), pairs.difference,
                  ci=pairs.interval(drawn, level, interval), **pairs.effect(level), resamples=resamples)
