"""Spearman rank correlation: how nearly do the pairs rise together, along any curve?

effect is rho, from -1 to 1, the Pearson correlation of the ranks (ties share
their mean rank), with its interval by Fisher's transformation and the standard
error √((1 + rho²/2) / (n - 3)); p is by t with n - 2 df.

Source: Spearman 1904, https://doi.org/10.2307/1412159; interval: Bonett and
Wright 2000, https://doi.org/10.1007/BF02294183.  rho and p are equal to
scipy.stats.spearmanr, except that values that differ by rounding alone are tied here.

>>> test([1.0, 2.0, 3.0, 4.0], [1.0, 8.0, 27.0, 64.0], 0.95)["effect"]
1.0
"""

from math import sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics.correlation import correlated, uncorrelatable
from dialtools.statistics.ranks import midranks


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the correlation; it needs three pairs, and samples that vary."""
    if none := uncorrelatable(a, b):
        return none
    return correlated(
        "rho",
        midranks(a)[0],
        midranks(b)[0],
        lambda rho: sqrt((1 + rho * rho / 2) / (len(a) - 3)),
        level,
    )


TEST = HypothesisTest(test, paired=True, assumes=("many ranks",))
