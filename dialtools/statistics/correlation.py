"""Correlations: their p by Student's t, and Pearson's r."""

from collections.abc import Callable
from math import copysign, fsum, hypot, sqrt

from dialtools.statistics import effects, moments, t_distribution
from dialtools.statistics.results import no_result, result, too_few


def uncorrelatable(a: list[float], b: list[float]) -> dict | None:
    """Return the result for samples that have no correlation; None for others."""
    if none := too_few(len(a), 3):
        return none
    for name, values in (("first", a), ("second", b)):
        if moments.is_constant(values):
            return no_result(f"no correlation: all {name} values are equal")
    return None


def correlated(
    name: str, a: list[float], b: list[float], error: Callable[[float], float], level: float
) -> dict:
    """Return the correlation of two samples, or of their ranks, under its name.

    error: r -> the standard error of Fisher's transformation, for more than three pairs.
    """
    r, df = product_moment(a, b), len(a) - 2
    p = t_distribution.outside(r * sqrt(df / ((1 - r) * (1 + r))), df) if abs(r) < 1 else 0.0
    ci = effects.correlation_interval(r, error(r), level) if df > 1 else None
    return result(name, r, p, None, effect=(name, r), effect_ci=ci, df=df)


def product_moment(a: list[float], b: list[float]) -> float:
    """Return Pearson's r of two samples that both vary."""
    r = fsum(x * y for x, y in zip(_standardised(a), _standardised(b), strict=True))
    return r if abs(r) < 1 - 4e-16 else copysign(1.0, r)


def _standardised(values: list[float]) -> list[float]:
    """Return the values around their mean, with a sum of squares of 1."""
    moved = [value - values[0] for value in values]  # far from 0 their mean would be rounded
    mean = moments.mean(moved)
    centred = [value - mean for value in moved]
    length = hypot(*centred)
    return [value / length for value in centred]
