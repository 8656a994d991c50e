"""Williams' test: does one metric correlate better with the ratings than another?

It compares two dependent correlations: two or more --value of the same records, each with the
ratings --versus.  difference is r of a minus r of b with the ratings, for Pearson's r; mean_a
and mean_b are the two correlations.  ci is the interval of Zou.  Correlations of ranks, and of
values far from normal, are better tested with correlation-permutation.

Source: Williams 1959, https://doi.org/10.1111/j.2517-6161.1959.tb00346.x, as in Steiger 1980,
https://doi.org/10.1037/0033-2909.87.2.245, equation 7; interval: Zou 2007,
https://doi.org/10.1037/1082-989X.12.4.399.

>>> round(compared(0.5, 0.3, 0.4, 103, 0.95)["statistic"], 3)  # r_ac, r_bc, r_ab, n
2.097
"""

from math import sqrt
from typing import Any

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import effects, t_distribution
from dialtools.statistics.correlation import product_moment, uncorrelatable
from dialtools.statistics.results import no_result, result


def test(a: list[float], b: list[float], against: list[float], level: float) -> dict:
    """Return the test of r(a, against) - r(b, against); it needs four records that vary."""
    for one in (a, b):
        if none := uncorrelatable(one, against):
            return none
    if len(a) < 4:
        return no_result(f"the test needs at least 4 records, got {len(a)}")
    return compared(
        product_moment(a, against), product_moment(b, against), product_moment(a, b), len(a), level
    )


def compared(r_a: float, r_b: float, r_ab: float, n: int, level: float) -> dict:
    """Return the test of two correlations with the same ratings.

    r_a, r_b: correlation of a and of b with the ratings.
    r_ab: correlation of a with b.
    """
    means: dict[str, Any] = {"mean_a": r_a, "mean_b": r_b}
    if max(map(abs, (r_a, r_b, r_ab))) >= 1:
        return no_result("a correlation is exactly 1 or -1", r_a - r_b, **means)
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
    t = (r_a - r_b) * sqrt((n - 1) * (1 + r_ab) / spread)
    return result(
        "t",
        t,
        t_distribution.outside(t, n - 3),
        r_a - r_b,
        ci=_interval(r_a, r_b, r_ab, n, level),
        effect=("difference of r", r_a - r_b),
        df=n - 3,
        **means,
    )


def _interval(r_a: float, r_b: float, r_ab: float, n: int, level: float) -> list[float] | None:
    """Return Zou's interval of the difference of two correlations that share the ratings."""
    error = 1 / sqrt(n - 3)
    one = effects.correlation_interval(r_a, error, level)
    other = effects.correlation_interval(r_b, error, level)
    if one is None or other is None:
        return None
    shared = ((r_ab - r_a * r_b / 2) * (1 - r_a**2 - r_b**2 - r_ab**2) + r_ab**3) / (
        (1 - r_a**2) * (1 - r_b**2)
    )
    (low_a, high_a), (low_b, high_b) = one, other
    below, above = r_a - low_a, high_b - r_b
    low = below**2 + above**2 - 2 * shared * below * above
    below, above = high_a - r_a, r_b - low_b
    high = below**2 + above**2 - 2 * shared * below * above
    return [r_a - r_b - sqrt(max(0.0, low)), r_a - r_b + sqrt(max(0.0, high))]


TEST = HypothesisTest(test, takes="against", paired=True)
