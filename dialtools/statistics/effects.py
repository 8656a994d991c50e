"""Standardised effects with their large-sample intervals."""

from math import atanh, hypot, inf, sqrt, tanh

from dialtools.statistics import distributions, t_distribution


def d_between(
    difference: float, pooled: float, error: float, n: int, level: float, df: float = inf
) -> dict:
    """Return Cohen's d of two groups of n values together.

    The interval is that of Hedges and Olkin 1985, chapter 5; error and df are those of the
    difference in the test.
    """
    d = difference / pooled
    return _around("d", d, hypot(error / pooled, d / sqrt(2 * n)), level, df)


def d_within(d_z: float, n: int, level: float) -> dict:
    """Return the standardised mean difference of n pairs (the same source, for one sample)."""
    return _around("d_z", d_z, sqrt((1 + d_z * d_z / 2) / n), level, inf)


def _around(name: str, size: float, error: float, level: float, df: float) -> dict:
    half = _critical(level, df) * error
    return {"effect": (name, size), "effect_ci": [size - half, size + half]}


def correlation_interval(
    r: float, error: float, level: float, df: float = inf
) -> list[float] | None:
    """Return the interval of a correlation by Fisher's transformation (Fisher 1915).

    error: the standard error of the inverse hyperbolic tangent of r, which is infinite at -1 and 1.
    """
    if abs(r) >= 1:
        return None
    half = _critical(level, df) * error
    return [tanh(atanh(r) - half), tanh(atanh(r) + half)]


def _critical(level: float, df: float) -> float:
    return distributions.normal_critical(level) if df == inf else t_distribution.critical(level, df)
