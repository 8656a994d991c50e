"""What tests answer: always the same keys, and a reason where there is no answer."""

from collections.abc import Sequence
from math import atanh, hypot, inf, sqrt, tanh

from dialtools.statistics import distributions, moments, t_distribution


def answer(name: str, statistic: float, p: float, difference: float | None, *, ci: list[float] | None = None,
           effect: tuple[str, float | None] | None = None, effect_ci: list[float] | None = None,
           **more: object) -> dict:
    """Return the results of a test whose statistic has a name (t, W, …); effect: its name and size."""
    effect_name, size = effect or (None, None)
    return {"statistic_name": name, "statistic": statistic, "p": p, "difference": difference, "ci": ci,
            "effect_name": effect_name, "effect": size, "effect_ci": effect_ci, **more}


def no_answer(reason: str, difference: float | None = None, **more: object) -> dict:
    """Return the same keys where there is no statistic, and the reason."""
    return {"statistic_name": None, "statistic": None, "p": None, "difference": difference, "ci": None,
            "effect_name": None, "effect": None, "effect_ci": None, **more, "reason": reason}


def t_answer(difference: float, error: float, df: float, level: float, **effect) -> dict:
    """Return what a t test says of a difference with its standard error."""
    t, half = difference / error, t_distribution.critical(level, df) * error
    return answer("t", t, t_distribution.outside(t, df), difference, ci=[difference - half, difference + half],
                  **effect, df=df)


def mean_ci(values: Sequence[float], level: float) -> list[float]:
    """Return the t interval of the mean of values that vary."""
    error = moments.deviation(values) / sqrt(len(values))
    return t_answer(moments.mean(values), error, len(values) - 1, level)["ci"]


def welch_error(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Return the standard error of mean(a) - mean(b), of which one varies at least, and its df after Satterthwaite."""
    one, other = moments.deviation(a) / sqrt(len(a)), moments.deviation(b) / sqrt(len(b))
    error = hypot(one, other)
    return error, 1 / ((one / error)**4 / (len(a) - 1) + (other / error)**4 / (len(b) - 1))


def alpha(level: float) -> float:
    """Return what p must be below to be significant at a level: of 0.95 it is 0.05, which 1 - 0.95 is not quite."""
    return round(1 - level, 15)


def d_between(difference: float, pooled: float, error: float, n: int, level: float, df: float = inf) -> dict:
    """Return Cohen's d of two groups of n values together with its large-sample interval.

    That of Hedges and Olkin 1985, chapter 5, the error of the difference being the test's own, with its df.
    """
    d = difference / pooled
    return _around("d", d, hypot(error / pooled, d / sqrt(2 * n)), level, df)


def d_within(d_z: float, n: int, level: float) -> dict:
    """Return the standardised mean difference of n pairs with its large-sample interval (the same, for one sample)."""
    return _around("d_z", d_z, sqrt((1 + d_z * d_z / 2) / n), level)


def _around(name: str, size: float, error: float, level: float, df: float = inf) -> dict:
    half = _critical(level, df) * error
    return {"effect": (name, size), "effect_ci": [size - half, size + half]}


def _critical(level: float, df: float) -> float:
    return distributions.normal_critical(level) if df == inf else t_distribution.critical(level, df)


def fisher(r: float, error: float, level: float, df: float = inf) -> list[float] | None:
    """Return the interval of a correlation whose inverse hyperbolic tangent has a standard error (Fisher 1915).

    There is none at -1 and 1, where that tangent is infinite.
    """
    if abs(r) >= 1:
        return None
    half = _critical(level, df) * error
    return [tanh(atanh(r) - half), tanh(atanh(r) + half)]


def differences(a: list[float], b: list[float]) -> list[float]:
    """Return a - b, pair by pair; those that rounding alone keeps from 0 are 0."""
    return [x - y if abs(x - y) > moments.ROUNDING * max(abs(x), abs(y)) else 0.0 for x, y in zip(a, b, strict=True)]


def too_few(n: int, needed: int = 2) -> dict | None:
    """Return the answer for fewer pairs than a test needs; None for enough."""
    if n >= needed:
        return None
    wanted = {1: "a pair", 2: "two pairs"}.get(needed, f"{needed} pairs")
    return no_answer(f"a test needs {wanted}, here {'is' if n == 1 else 'are'} {n}")


def untestable(a: list[float], b: list[float]) -> dict | None:
    """Return the answer for independent groups that have too few values or no variance; None for others."""
    if min(len(a), len(b)) < 2:
        return no_answer(f"a test needs two values in each group, here are {len(a)} and {len(b)}")
    if moments.is_constant(a, of=a + b) and moments.is_constant(b, of=a + b):
        return no_answer("no variance: within each group all values are equal", moments.gap(a, b))
    return None
