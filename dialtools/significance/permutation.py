"""Paired permutation test (approximate randomisation): would the labels a and b do as well exchanged?

Under the null either label may stand at either value of a pair.  p is the share
of random exchanges whose difference is at least as far from 0 as the observed
one, (c + 1) / (n + 1); where all exchanges are no more than `resamples`, they
are all tried and p is exact.

It needs no variance and no normality.  Scores that are no means, such as corpus
BLEU, are computed anew from exchanged statistics.  effect is d_z; ci is that of
the difference, by the bootstrap; there are none where all differences are the same.

Source: Noreen 1989, Computer-intensive methods for testing hypotheses; Riezler
and Maxwell 2005, https://aclanthology.org/W05-0908.

>>> test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 0.95)["p"]
0.25
"""

from collections.abc import Callable

from dialtools.statistics import bootstrap as _bootstrap, pairs as _pairs
from dialtools.statistics.answers import answer
from dialtools.statistics.resampling import RESAMPLES, Interval

PAIRED = True


def test(a: list, b: list, level: float, *, interval: Interval = "bca", resamples: int = RESAMPLES, seed: int = 0,
         score: Callable[[list[float]], float] | None = None) -> dict:
    """Return the test of a - b; there is none where a and b are the same throughout.

    score: sums of statistics -> a corpus score, where a and b hold statistics; None: they hold numbers.
    """
    pairs = _pairs.Pairs(a, b, score)
    if none := pairs.untestable():
        return none
    p, tried = pairs.exchanged(resamples, seed)
    if pairs.is_constant():  # has no deviation, and no interval
        return answer("difference", pairs.difference, p, pairs.difference, resamples=tried)
    ci = pairs.interval(pairs.drawn(resamples, seed), level, interval) if score else \
        _bootstrap.of_mean(pairs.gaps, level, interval, resamples, seed)
    return answer("difference", pairs.difference, p, pairs.difference, ci=ci, **pairs.effect(level), resamples=tried)
