"""Student's t test of two independent groups with equal variances.

t = difference of the means / (pooled deviation √(1/n_a + 1/n_b)), df = n_a + n_b - 2.
If the variances may differ, use welch.

effect is Cohen's d, the difference over the pooled standard deviation.

Source: Student 1908, https://doi.org/10.2307/2331554.

>>> test([3.0, 4.0, 5.0], [1.0, 2.0, 3.0], 0.95)["df"]
4
"""

from math import sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import moments
from dialtools.statistics.effects import d_between
from dialtools.statistics.results import t_result, untestable


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of mean(a) - mean(b); it needs two values in each group and variance."""
    if none := untestable(a, b):
        return none
    difference, pooled = moments.gap(a, b), moments.pooled(a, b)
    error = pooled * sqrt(1 / len(a) + 1 / len(b))
    effect = d_between(difference, pooled, error, len(a) + len(b), level)
    return t_result(difference, error, len(a) + len(b) - 2, level, **effect)


TEST = HypothesisTest(test, assumes=("equal variances",))
