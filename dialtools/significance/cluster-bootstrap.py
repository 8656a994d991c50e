"""Cluster bootstrap: as the paired bootstrap, but whole clusters are drawn anew.

Questions on one dialogue, or variants of it, are not independent: a test that
takes them to be finds too much.  Here all pairs of a cluster are drawn
together; the difference is the mean over pairs, so that a large cluster counts
for more.  A record without a cluster is one by itself (its id).  p is no less
than 2 / 2^clusters.  effect is none, since a deviation between pairs says little
where they hang together.

Source: Field and Welsh 2007, https://doi.org/10.1111/j.1467-9868.2007.00593.x.

>>> a, b = [1.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0]
>>> test(a, b, 0.95, clusters=["x", "x", "y", "z"], interval="percentile")["clusters"]
3
"""

from collections.abc import Callable, Sequence

from dialtools.statistics import pairs as _pairs
from dialtools.statistics.answers import answer
from dialtools.statistics.resampling import RESAMPLES, Interval

PAIRED = CLUSTERS = True
ASSUMES = ("many values",)


def test(a: list, b: list, level: float, *, clusters: Sequence[str | int], interval: Interval = "bca",
         resamples: int = RESAMPLES, seed: int = 0, score: Callable[[list[float]], float] | None = None) -> dict:
    """Return the test of a - b; there is none where all differences are the same, or with one cluster.

    clusters: that of each pair.
    score: as in bootstrap.
    """
    pairs = _pairs.Pairs(a, b, score, clusters)
    if none := pairs.undrawable():
        return none
    drawn = pairs.drawn(resamples, seed)
    return answer("difference", pairs.difference, pairs.drawn_p(drawn), pairs.difference,
                  ci=pairs.interval(drawn, level, interval), clusters=len(pairs.rows), resamples=resamples)
