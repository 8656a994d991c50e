"""Welch's t test of two independent groups whose variances may differ.

t = difference of the means / √(s_a²/n_a + s_b²/n_b), with Satterthwaite's df.

effect is Cohen's d, the difference over the pooled standard deviation.

Source: Welch 1947, https://doi.org/10.1093/biomet/34.1-2.28.

>>> test([3.0, 4.0, 5.0], [1.0, 1.0, 1.0], 0.95)["df"]
2.0
"""

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import moments
from dialtools.statistics.effects import d_between
from dialtools.statistics.results import t_result, untestable


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of mean(a) - mean(b); it needs two values in each group and variance."""
    if none := untestable(a, b):
        return none
    difference, (error, df) = moments.gap(a, b), moments.welch_error(a, b)
    effect = d_between(difference, moments.pooled(a, b), error, len(a) + len(b), level, df)
    return t_result(difference, error, df, level, **effect)


TEST = HypothesisTest(test)
