"""What the correlations have in common."""

from collections.abc import Callable
from math import copysign, fsum, hypot, sqrt

from dialtools.statistics import moments, t_distribution
from dialtools.statistics.answers import answer, no_answer, too_few


def uncorrelatable(a: list[float], b: list[float]) -> dict | None:
    """Return the answer where there is no correlation; None where there is."""
    if none := too_few(len(a), 3):
        return none
    for name, values in (("first", a), ("second", b)):
        if moments.is_constant(values):
            return no_answer(f"no correlation: the {name} values are all equal")
    return None


def correlated(name: str, a: list[float], b: list[float], correlation: Callable[[list[float], list[float]], float],
               ci: Callable[[float], list[float] | None]) -> dict:
    """Return a correlation with its p by Student's t."""
    if none := uncorrelatable(a, b):
        return none
    r, df = correlation(a, b), len(a) - 2
    p = t_distribution.outside(r * sqrt(df / ((1 - r) * (1 + r))), df) if abs(r) < 1 else 0.0
    return answer(name, r, p, None, effect=(name, r), effect_ci=ci(r), df=df)


def product_moment(a: list[float], b: list[float]) -> float:
    """Return Pearson's r of two samples that both vary."""
    r = fsum(x * y for x, y in zip(_standardised(a), _standardised(b), strict=True))
    return r if abs(r) < 1 - 4e-16 else copysign(1.0, r)


def _standardised(values: list[float]) -> list[float]:
    """Return the values around their mean, their squares adding up to 1."""
    moved = [value - values[0] for value in values]  # far from 0 their mean would be rounded
    mean = moments.mean(moved)
    centred = [value - mean for value in moved]
    length = hypot(*centred)
    return [value / length for value in centred]
