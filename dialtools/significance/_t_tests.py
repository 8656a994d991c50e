"""What the t tests have in common: the shape of an answer, and why there may be none."""

from dialtools import moments
from dialtools.significance import _t_distribution as t_distribution


def answer(difference: float, error: float, df: float, level: float, d: float) -> dict:
    """Return what a t test says of a difference with its standard error, and Cohen's d beside it."""
    t, half = difference / error, t_distribution.critical(level, df) * error
    return {"t": t, "df": df, "p": t_distribution.outside(t, df), "difference": difference,
            "ci": [difference - half, difference + half], "effect": d, "effect_name": "d"}


def no_answer(difference: float | None, reason: str) -> dict:
    """Return the same keys where there is no t, and the reason."""
    return {"t": None, "df": None, "p": None, "difference": difference, "ci": None,
            "effect": None, "effect_name": "d", "reason": reason}


def untestable(a: list[float], b: list[float]) -> dict | None:
    """Return the answer for independent groups that have too few values or no variance; None for others."""
    if min(len(a), len(b)) < 2:
        return no_answer(None, f"a test needs two values in each group, here are {len(a)} and {len(b)}")
    if moments.is_constant(a) and moments.is_constant(b):
        return no_answer(moments.gap(a, b), "no variance: within each group all values are equal")
    return None
