"""The result of a test: its keys, what cannot be tested, and assumptions of t tests in doubt.

Normality is tested by skewness and kurtosis (D'Agostino and Pearson 1973,
https://doi.org/10.1093/biomet/60.3.613), equal variances by the deviations from
the medians (Brown and Forsythe 1974, https://doi.org/10.2307/2285659).
"""

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from math import asinh, exp, fsum, hypot, log, sqrt

from dialtools.statistics import distributions, effects, moments

FEWEST = 20  # values for a test of normality, or for a bootstrap
FEW_RANKS = 10  # the distribution of fewer is far from smooth
DOUBT = 0.05  # p of an assumption in doubt


def result(
    name: str | None,
    statistic: float | None,
    p: float | None,
    difference: float | None,
    *,
    ci: list[float] | None = None,
    effect: tuple[str, float | None] | None = None,
    effect_ci: list[float] | None = None,
    **more: object,
) -> dict:
    """Return the result of a test.

    name: that of the statistic, such as t or W.
    effect: the name and the size of the effect.
    """
    effect_name, size = effect or (None, None)
    return {
        "statistic_name": name,
        "statistic": statistic,
        "p": p,
        "difference": difference,
        "ci": ci,
        "effect_name": effect_name,
        "effect": size,
        "effect_ci": effect_ci,
        **more,
    }


def no_result(reason: str, difference: float | None = None, **more: object) -> dict:
    """Return the same keys for a sample that cannot be tested, with the reason."""
    return result(None, None, None, difference) | more | {"reason": reason}


def t_result(difference: float, error: float, df: float, level: float, **effect) -> dict:
    """Return the result of a t test from a difference and its standard error."""
    t, half = difference / error, distributions.t_critical(level, df) * error
    return result(
        "t",
        t,
        distributions.t_outside(t, df),
        difference,
        ci=[difference - half, difference + half],
        **effect,
        df=df,
    )


def correlated(
    name: str, a: list[float], b: list[float], error: Callable[[float], float], level: float
) -> dict:
    """Return the correlation of two samples, or of their ranks, under its name; p is by Student's t.

    error: r -> the standard error of Fisher's transformation, for more than three pairs.
    """
    r, df = effects.product_moment(a, b), len(a) - 2
    p = distributions.t_outside(r * sqrt(df / ((1 - r) * (1 + r))), df) if abs(r) < 1 else 0.0
    ci = effects.correlation_interval(r, error(r), level) if df > 1 else None
    return result(name, r, p, None, effect=(name, r), effect_ci=ci, df=df)


def alpha(level: float) -> float:
    """Return the bound of a significant p; rounded, as 1 - 0.95 is a little more than 0.05."""
    return round(1 - level, 15)


def whole_numbers(ratings: Collection) -> dict:
    """Return {"whole_numbers": [lowest, highest]} of ratings that may be degrees and no names.

    These are three or more different whole numbers; of others the result is {}.

    >>> whole_numbers([1.0, 2.0, 5.0]), whole_numbers([0.0, 1.0]), whole_numbers(["a", "b", "c"])
    ({'whole_numbers': [1, 5]}, {}, {})
    """
    different = set(ratings)
    if len(different) < 3 or any(isinstance(one, str) or one % 1 for one in different):
        return {}
    return {"whole_numbers": [int(min(different)), int(max(different))]}


def too_few(n: int, needed: int = 2) -> dict | None:
    """Return the result for fewer pairs than a test needs; None if there are enough."""
    if n >= needed:
        return None
    pairs = "1 pair" if needed == 1 else f"{needed} pairs"
    return no_result(f"the test needs at least {pairs}, got {n}")


def too_few_in_groups(*groups: list[float], needed: int = 2) -> dict | None:
    """Return the result for groups with fewer values than a test needs; None if they are enough."""
    sizes = list(map(len, groups))
    if min(sizes) >= needed:
        return None
    values, got = "1 value" if needed == 1 else f"{needed} values", ", ".join(map(str, sizes))
    return no_result(f"the test needs at least {values} in each group, got {got}")


def untestable(*groups: list[float]) -> dict | None:
    """Return the result for groups with too few values or without variance, else None."""
    if none := too_few_in_groups(*groups):
        return none
    if _vary(groups):
        return None
    return no_result(
        "no variance: all values within each group are equal",
        moments.gap(*groups) if len(groups) == 2 else None,
    )


def uncorrelatable(a: list[float], b: list[float]) -> dict | None:
    """Return the result for samples that have no correlation; None for others."""
    if none := too_few(len(a), 3):
        return none
    for name, values in (("first", a), ("second", b)):
        if moments.is_constant(values):
            return no_result(f"no correlation: all {name} values are equal")
    return None


def few_drawn(number: int, unit: str, doubt: str = "bootstrap intervals may be too narrow") -> str:
    """Return a note on a bootstrap of so few pairs, values or clusters; "" if they are enough."""
    return f"only {number} {unit}: {doubt}" if number < FEWEST else ""


def normality(values: list[float]) -> float | None:
    """Return p of D'Agostino's K² for values that are not all equal; None for too few."""
    n = len(values)
    if n < FEWEST:
        return None
    centre, scale = moments.mean(values), moments.deviation(values)
    second, third, fourth = (
        fsum(((value - centre) / scale) ** k for value in values) / n for k in (2, 3, 4)
    )

    # z of the skewness
    y = third / second**1.5 * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w = sqrt(2 * (beta - 1)) - 1
    skewness_z = asinh(y / sqrt(2 / (w - 1))) / sqrt(log(w) / 2)

    # z of the kurtosis
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (fourth / second**2 - mean) / sqrt(variance)
    scale = sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    beta = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * scale
    a = 6 + 8 / beta * (2 / beta + sqrt(1 + 4 / beta**2))
    below = 1 + x * sqrt(2 / (a - 4))
    root = ((1 - 2 / a) / abs(below)) ** (1 / 3) * (1 if below > 0 else -1)
    kurtosis_z = (1 - 2 / (9 * a) - root) / sqrt(2 / (9 * a))
    return exp(-(skewness_z**2 + kurtosis_z**2) / 2)


def equal_variances(*groups: list[float]) -> float | None:
    """Return p of the Brown–Forsythe test; None if no group varies around its median."""
    from statistics import median

    if min(map(len, groups)) < 2:
        return None
    distances = [
        [abs(value - middle) for value in values]
        for values, middle in zip(groups, map(median, groups), strict=False)
    ]
    return f_test(distances)[1] if _vary(distances) else None


def _vary(groups: Sequence[list[float]]) -> bool:
    """Tell whether any group varies by more than rounding of the largest value."""
    values = list(chain.from_iterable(groups))
    return not all(moments.is_constant(group, of=values) for group in groups)


def f_test(groups: Sequence[list[float]]) -> tuple[float, float, float, list[int]]:
    """Test the variance between groups against that within them.

    Return F, p, the share of the sum of squares between the groups, and the degrees of freedom.
    Each group has two or more values, and at least one group varies.  Roots of sums of squares
    neither overflow nor vanish.
    """
    origin = groups[0][0]
    middle = moments.mean(list(chain.from_iterable(groups)), origin)
    between = hypot(
        *(sqrt(len(group)) * (moments.mean(group, origin) - middle) for group in groups)
    )
    within = hypot(*(sqrt(len(group) - 1) * moments.deviation(group) for group in groups))
    above, below = len(groups) - 1, sum(map(len, groups)) - len(groups)
    f = (between / within) ** 2 * below / above
    share = (between / hypot(between, within)) ** 2
    return f, distributions.f_beyond(f, above, below), share, [above, below]
