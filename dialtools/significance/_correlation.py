"""What the correlations have in common."""

from collections.abc import Callable
from math import copysign, fsum, hypot, inf, sqrt

from dialtools import moments
from dialtools.significance import _t_distribution as t_distribution
from dialtools.significance._answers import answer, no_answer, too_few


def uncorrelatable(a: list[float], b: list[float]) -> dict | None:
    """Return the answer where there is no correlation; None where there is."""
    if none := too_few(len(a), 3):
        return none
    constant = next((name for name, values in (("first", a), ("second", b)) if moments.is_constant(values)), None)
    return no_answer(f"no correlation: the {constant} values are all equal") if constant else None


def correlated(name: str, a: list[float], b: list[float], correlation: Callable[[list[float], list[float]], float],
               ci: Callable[[float], list[float] | None]) -> dict:
    """Return a correlation with its p by Student's t."""
    if none := uncorrelatable(a, b):
        return none
    r, df = correlation(a, b), len(a) - 2
    t = r * sqrt(df / ((1 - r) * (1 + r))) if abs(r) < 1 else inf
    p = t_distribution.outside(t, df) if t < inf else 0.0
    return answer(name, r, p, None, effect=(name, r), effect_ci=ci(r), df=df)


def product_moment(a: list[float], b: list[float]) -> float:
    """Return Pearson's r of two samples that both vary."""
    one, other = ([value - values[0] for value in values] for values in (a, b))
    one, other = ([value - moments.mean(values) for value in values] for values in (one, other))
    one, other = ([value / hypot(*values) for value in values] for values in (one, other))
    r = fsum(x * y for x, y in zip(one, other, strict=True))
    return r if abs(r) < 1 - 4e-16 else copysign(1.0, r)
