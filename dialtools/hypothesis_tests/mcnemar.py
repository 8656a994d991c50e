"""McNemar's test of paired yes or no answers: is one of them yes where the other is no more often?

The values are 0 and 1 (in percent, 0 and 100).  method=exact treats the b + c
pairs that differ as throws of a fair coin; corrected is chi-squared with
continuity correction, (|b - c| - 1)² / (b + c), and asymptotic the same without
correction, both with 1 df; for b = c it is 0, as in R.

effect is the odds ratio b / c of the pairs that differ, with its Wald interval
on the logarithmic scale, unless b or c is 0.  The difference is that of the shares
of 1, with Newcombe's interval from the Wilson intervals of both (his method 8).
pairs_a and pairs_b count the pairs in which only a, or only b, is 1.

Source: McNemar 1947, https://doi.org/10.1007/BF02295996; interval: Newcombe 1998, Improved
confidence intervals for the difference between binomial proportions based on paired data.  Equal to
statsmodels.stats.contingency_tables.mcnemar.

>>> test([1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], 0.95)["p"]
0.25
"""

from math import exp, log, sqrt
from typing import Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, effects
from dialtools.statistics.results import no_result, result, too_few


def test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    method: Literal["exact", "corrected", "asymptotic"] = "exact",
) -> dict:
    """Return the test; it needs values of 0 and 1, or 0 and 100, and a pair that differs."""
    if none := too_few(len(a), 1):
        return none
    yes = 100.0 if 100 in a + b else 1.0
    if unknown := next((value for value in a + b if value not in (0, yes)), None):
        return no_result(f"values must be 0 or {yes:g}, got {unknown:g}")
    n, pairs = len(a), list(zip(a, b, strict=True))
    only_a, only_b = sum(x > y for x, y in pairs), sum(x < y for x, y in pairs)
    if not only_a + only_b:
        return no_result("a and b agree on every pair", 0.0, pairs_a=0, pairs_b=0)
    statistic: float
    if method == "exact":
        name, statistic = "min", min(only_a, only_b)
        p = distributions.binomial_outside(only_a, only_a + only_b)
    else:
        gap = abs(only_a - only_b)
        gap = max(gap - 1, 0) if method == "corrected" else gap
        name, statistic = "chi2", gap**2 / (only_a + only_b)
        p = distributions.chi2_beyond(statistic, 1)
    ratio, ratio_ci = None, None
    if only_a and only_b:
        ratio = only_a / only_b
        half = distributions.normal_critical(level) * sqrt(1 / only_a + 1 / only_b)
        ratio_ci = [exp(log(ratio) - half), exp(log(ratio) + half)]
    return result(
        name,
        statistic,
        p,
        yes * (only_a - only_b) / n,
        ci=[yes * end for end in _difference_of_shares(pairs, level)],
        effect=("odds ratio", ratio),
        effect_ci=ratio_ci,
        pairs_a=only_a,
        pairs_b=only_b,
        method=method,
    )


def _difference_of_shares(pairs: list[tuple[float, float]], level: float) -> list[float]:
    """Return the interval of the share of yes in a minus that in b."""
    n = len(pairs)
    yes_a, yes_b = (sum(x > 0 for x in answers) for answers in zip(*pairs, strict=True))
    intervals = [effects.proportion_interval(yes / n, n, level) for yes in (yes_a, yes_b)]
    spread = sqrt(yes_a * (n - yes_a) * yes_b * (n - yes_b))
    yes_both = sum(x > 0 < y for x, y in pairs)
    # 0 where one of the answers never varies
    phi = (n * yes_both - yes_a * yes_b) / spread if spread else 0.0
    return effects.proportions_difference((yes_a / n, yes_b / n), intervals, phi)


TEST = HypothesisTest(test, paired=True)
