"""Checks of what t tests assume: normal differences, equal variances.

Normality is tested by skewness and kurtosis (D'Agostino and Pearson 1973,
https://doi.org/10.1093/biomet/60.3.613), equal variances by the deviations from
the medians (Brown and Forsythe 1974, https://doi.org/10.2307/2285659).
"""

from math import asinh, exp, fsum, log, sqrt

from dialtools.statistics import moments, variance

FEWEST = 20  # values for a test of normality, or for a bootstrap
FEW_RANKS = 10  # the distribution of fewer is far from smooth
DOUBT = 0.05


def few_drawn(number: int, what: str, doubt: str = "bootstrap intervals may be too narrow") -> str:
    """Return a note on a bootstrap of so few pairs, values or clusters; "" if they are enough."""
    return f"only {number} {what}: {doubt}" if number < FEWEST else ""


def normality(values: list[float]) -> float | None:
    """Return p of D'Agostino's K² for values that are not all equal; None for too few."""
    n = len(values)
    if n < FEWEST:
        return None
    centre, scale = moments.mean(values), moments.deviation(values)
    second, third, fourth = (
        fsum(((value - centre) / scale) ** k for value in values) / n for k in (2, 3, 4)
    )
    skewness, kurtosis = third / second**1.5, fourth / second**2
    return exp(-(_skewness_z(skewness, n) ** 2 + _kurtosis_z(kurtosis, n) ** 2) / 2)


def _skewness_z(skewness: float, n: int) -> float:
    y = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w = sqrt(2 * (beta - 1)) - 1
    return asinh(y / sqrt(2 / (w - 1))) / sqrt(log(w) / 2)


def _kurtosis_z(kurtosis: float, n: int) -> float:
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis - mean) / sqrt(variance)
    scale = sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    beta = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * scale
    a = 6 + 8 / beta * (2 / beta + sqrt(1 + 4 / beta**2))
    below = 1 + x * sqrt(2 / (a - 4))
    root = ((1 - 2 / a) / abs(below)) ** (1 / 3) * (1 if below > 0 else -1)
    return (1 - 2 / (9 * a) - root) / sqrt(2 / (9 * a))


def equal_variances(*groups: list[float]) -> float | None:
    """Return p of the Brown–Forsythe test; None if no group varies around its median."""
    from statistics import median

    if min(map(len, groups)) < 2:
        return None
    away = [
        [abs(value - middle) for value in values]
        for values, middle in zip(groups, map(median, groups), strict=False)
    ]
    return variance.f_test(away)[1] if variance.is_within(away) else None
