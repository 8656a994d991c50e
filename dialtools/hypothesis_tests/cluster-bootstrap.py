"""Cluster bootstrap: as the paired bootstrap, but whole clusters are drawn anew.

Questions on one dialogue, or variants of it, are not independent, and tests
that assume independence find too much.  Here all pairs of a cluster are drawn
together; the difference is the mean over pairs, so a large cluster counts for
more.  A record without a cluster is its own cluster.  p is at least
2 / 2^clusters.  There is no effect, because the deviation between dependent pairs
means little.

Source: Field and Welsh 2007, https://doi.org/10.1111/j.1467-9868.2007.00593.x.

>>> a, b = [1.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0]
>>> test(a, b, 0.95, clusters=["x", "x", "y", "z"], interval="percentile")["clusters"]
3
"""

from collections.abc import Callable, Sequence

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics.resampling import RESAMPLES, Interval, PairedSample


def test(
    a: list,
    b: list,
    level: float,
    *,
    clusters: Sequence[str | int],
    interval: Interval = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
    score: Callable[[list[float]], float] | None = None,
) -> dict:
    """Return the test of a - b; it needs two clusters and differences that vary.

    clusters: the cluster of each pair.
    score: as in bootstrap.
    """
    return PairedSample(a, b, score, clusters).bootstrap_test(level, interval, resamples, seed)


TEST = HypothesisTest(test, paired=True, assumes=("many values",), clusters=True)
