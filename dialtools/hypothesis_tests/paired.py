"""Paired t test: is the mean of the differences within pairs other than 0?

t = mean of the differences / (their standard deviation / √n), df = n - 1.  It
assumes that differences are independent and that their mean is normal, as it
nearly is for some dozens of pairs.

effect is d_z, the mean difference over the standard deviation of the
differences; d is the mean difference over the pooled standard deviation of the
two groups, comparable with that of unpaired tests.

Source: Student 1908, https://doi.org/10.2307/2331554; d_z: Lakens 2013,
https://doi.org/10.3389/fpsyg.2013.00863.

>>> round(test([1.0, 4.0, 4.0], [1.0, 2.0, 3.0], 0.95)["statistic"], 4)
1.7321
"""

from math import sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import moments
from dialtools.statistics.effects import d_within
from dialtools.statistics.results import no_result, t_result, too_few


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of a - b; it needs two pairs, and differences that vary."""
    if none := too_few(len(a)):
        return none
    gaps, n = moments.differences(a, b), len(a)
    difference = moments.mean(gaps)
    if moments.is_constant(gaps, of=a + b):
        return no_result(f"no variance: all differences are {difference:.6g}", difference)
    deviation = moments.deviation(gaps)
    effect = d_within(difference / deviation, n, level)
    tested = t_result(difference, deviation / sqrt(n), n - 1, level, **effect)
    return tested | {"d": difference / moments.pooled(a, b)}


TEST = HypothesisTest(test, paired=True, assumes=("normal differences",))
