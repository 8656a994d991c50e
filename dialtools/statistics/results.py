"""The result of a test: always the same keys, and a reason where there is no statistic."""

from collections.abc import Collection

from dialtools.statistics import moments, t_distribution, variance


def result(
    name: str,
    statistic: float,
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
    return {
        "statistic_name": None,
        "statistic": None,
        "p": None,
        "difference": difference,
        "ci": None,
        "effect_name": None,
        "effect": None,
        "effect_ci": None,
        **more,
        "reason": reason,
    }


def t_result(difference: float, error: float, df: float, level: float, **effect) -> dict:
    """Return the result of a t test from a difference and its standard error."""
    t, half = difference / error, t_distribution.critical(level, df) * error
    return result(
        "t",
        t,
        t_distribution.outside(t, df),
        difference,
        ci=[difference - half, difference + half],
        **effect,
        df=df,
    )


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
    if variance.is_within(groups):
        return None
    return no_result(
        "no variance: all values within each group are equal",
        moments.gap(*groups) if len(groups) == 2 else None,
    )


def alpha(level: float) -> float:
    """Return the bound of a significant p; rounded, as 1 - 0.95 is a little more than 0.05."""
    return round(1 - level, 15)
