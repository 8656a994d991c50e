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
from dialtools.statistics import distributions, proportions
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
    if other := next((value for value in a + b if value not in (0, yes)), None):
        return no_result(f"values must be 0 or {yes:g}, got {other:g}")
    n, pairs = len(a), list(zip(a, b, strict=True))
    only_a, only_b = sum(x > y for x, y in pairs), sum(x < y for x, y in pairs)
    if not only_a + only_b:
        return no_result("a and b agree on every pair", 0.0, pairs_a=0, pairs_b=0)
    shares = [sum(map(bool, rater)) / n for rater in (a, b)]
    intervals = [proportions.interval(share, n, level) for share in shares]
    ends = proportions.difference(shares, intervals, _phi(pairs))
    name, statistic, p = _tested(only_a, only_b, method)
    ratio, ratio_ci = _odds(only_a, only_b, level)
    return result(
        name,
        statistic,
        p,
        yes * (only_a - only_b) / n,
        ci=[yes * end for end in ends],
        effect=("odds ratio", ratio),
        effect_ci=ratio_ci,
        pairs_a=only_a,
        pairs_b=only_b,
        method=method,
    )


def _tested(more: int, fewer: int, method: str) -> tuple[str, float, float]:
    """Return the name of the statistic, its value, and p."""
    if method == "exact":
        return "min", min(more, fewer), distributions.binomial_outside(more, more + fewer)
    gap = abs(more - fewer)
    if method == "corrected":
        gap = max(gap - 1, 0)
    chi2 = gap**2 / (more + fewer)
    return "chi2", chi2, distributions.chi2_beyond(chi2, 1)


def _phi(pairs: list[tuple[float, float]]) -> float:
    """Return the correlation of the two answers; 0 where one of them never varies."""
    n, both = len(pairs), sum(x > 0 < y for x, y in pairs)
    ones, others = sum(x > 0 for x, _ in pairs), sum(y > 0 for _, y in pairs)
    spread = sqrt(ones * (n - ones) * others * (n - others))
    return (n * both - ones * others) / spread if spread else 0.0


def _odds(more: int, fewer: int, level: float) -> tuple[float | None, list[float] | None]:
    if not more or not fewer:
        return None, None
    half = distributions.normal_critical(level) * sqrt(1 / more + 1 / fewer)
    return more / fewer, [exp(log(more / fewer) - half), exp(log(more / fewer) + half)]


TEST = HypothesisTest(test, paired=True)
