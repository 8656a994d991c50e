"""Two proportions of independent groups: is the share of yes in one of them higher?

The values are 0 and 1 (in percent, 0 and 100; true and false), one of each person or item, and none
is in both groups: for answers of the same ones there is mcnemar.  statistic is z, the difference by
its standard error under one common share; method=corrected takes Yates' continuity correction, so
that z² is the chi-squared of R's prop.test, and exact is Fisher's test, for small counts, whose
statistic is the yes of a.

The difference is that of the shares, with Newcombe's interval from the Wilson intervals of both (his
method 10), which stays within -100 and 100 %.  effect is the odds ratio, with its Wald interval on the
logarithmic scale, unless a count is 0.  yes_a and yes_b count the yes of each group; h is Cohen's,
the difference of 2 arcsin √share, of which --power is made.

Source: interval: Newcombe 1998, https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.
Equal to statsmodels.stats.proportion.proportions_ztest, and exact to scipy.stats.fisher_exact.

>>> round(test([1.0] * 3 + [0.0], [1.0] + [0.0] * 3, 0.95, method="exact")["p"], 4)
0.4857
"""

from math import asin, comb, copysign, exp, log, sqrt
from typing import Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, effects
from dialtools.statistics.results import no_result, result, too_few_in_groups

_EQUAL = 10**7  # as in scipy: tables that differ by less than a part of this are as likely


def test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    method: Literal["asymptotic", "corrected", "exact"] = "asymptotic",
) -> dict:
    """Return the test; it needs a value of 0 or 1, or of 0 or 100, in each group."""
    if none := too_few_in_groups(a, b, needed=1):
        return none
    all_yes = 100.0 if 100 in a + b else 1.0
    if unknown := next((value for value in a + b if value not in (0, all_yes)), None):
        return no_result(f"values must be 0 or {all_yes:g}, got {unknown:g}")
    n, m = len(a), len(b)
    yes_a, yes_b = a.count(all_yes), b.count(all_yes)
    difference = yes_a / n - yes_b / m
    if yes_a + yes_b in (0, n + m):
        return no_result("all answers of both groups are equal", 0.0, yes_a=yes_a, yes_b=yes_b)

    name, statistic = "yes", float(yes_a)
    if method == "exact":
        p = _exact(yes_a, yes_b, n, m)
    else:
        common = (yes_a + yes_b) / (n + m)
        error = sqrt(common * (1 - common) * (1 / n + 1 / m))
        correction = (1 / n + 1 / m) / 2 if method == "corrected" else 0.0
        name, statistic = "z", copysign(max(abs(difference) - correction, 0.0) / error, difference)
        p = distributions.normal_outside(statistic)

    ratio, ratio_ci = None, None
    cells = (yes_a, n - yes_a, yes_b, m - yes_b)
    if all(cells):
        ratio = yes_a * (m - yes_b) / (yes_b * (n - yes_a))
        half = distributions.normal_critical(level) * sqrt(sum(1 / cell for cell in cells))
        ratio_ci = [exp(log(ratio) - half), exp(log(ratio) + half)]
    shares = (yes_a / n, yes_b / m)
    intervals = [
        effects.proportion_interval(share, number, level)
        for share, number in zip(shares, (n, m), strict=True)
    ]
    return result(
        name,
        statistic,
        p,
        all_yes * difference,
        ci=[all_yes * end for end in effects.proportions_difference(shares, intervals)],
        effect=("odds ratio", ratio),
        effect_ci=ratio_ci,
        yes_a=yes_a,
        yes_b=yes_b,
        h=2 * (asin(sqrt(yes_a / n)) - asin(sqrt(yes_b / m))),
        method=method,
    )


def _exact(yes_a: int, yes_b: int, n: int, m: int) -> float:
    """Return Fisher's two-sided p: of all tables with these margins, those that are no likelier."""
    yes, seen, likely = yes_a + yes_b, comb(n, yes_a) * comb(m, yes_b), 0
    fewest, most = max(0, yes - m), min(n, yes)
    # in whole numbers, for those of 600 values are beyond floats; each follows from the one before
    ways = comb(n, fewest) * comb(m, yes - fewest)
    for k in range(fewest, most + 1):
        if ways * _EQUAL <= seen * (_EQUAL + 1):
            likely += ways
        ways = ways * (n - k) * (yes - k) // ((k + 1) * (m - yes + k + 1))
    return likely / comb(n + m, yes)


TEST = HypothesisTest(test)
