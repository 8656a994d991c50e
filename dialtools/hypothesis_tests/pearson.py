"""Pearson correlation: how near a line do the pairs lie?

effect is r, from -1 to 1, with its interval by Fisher's transformation; p is
that of r = 0 for normal values, by Student's t with n - 2 df.

Source: Fisher 1915, https://doi.org/10.2307/2331838.  Equal to
scipy.stats.pearsonr.

>>> round(test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], 0.95)["effect"], 4)
0.8
"""

from math import sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics.correlation import correlated, uncorrelatable


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the correlation; it needs three pairs, and samples that vary."""
    if none := uncorrelatable(a, b):
        return none
    return correlated("r", a, b, lambda r: 1 / sqrt(len(a) - 3), level)


TEST = HypothesisTest(test, paired=True)
