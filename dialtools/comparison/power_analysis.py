"""The power of a comparison to find the effect seen, and the n needed for 80 %.

Each effect has its method: noncentral t, also for the resampling tests of means; for correlations
Fisher's transformation, with the standard errors of their intervals; for signs and ranks the
normal distribution with the variance under the null hypothesis (Noether 1987,
https://doi.org/10.1080/01621459.1987.10478478).
"""

from collections.abc import Callable, Iterator, Sequence
from math import atanh, hypot, sqrt

from dialtools.statistics import moments, power

Chance = Callable[[float], float]  # n, pairs or values in each of two groups -> power

_FISHER: dict[str, tuple[int, Callable[[float], float]]] = {  # lost pairs, r -> variance
    "r": (3, lambda r: 1.0),
    "rho": (3, lambda r: 1 + r * r / 2),
    "tau-b": (4, lambda r: 0.437),
}
# (standard errors)² divided by n effect²
_NOETHER = {"sign": 1.0, "odds ratio": 1.0, "rank-biserial": 0.75, "cliff": 1.5}
_METHODS = {
    "d": "noncentral t",
    "d_z": "noncentral t",
    **dict.fromkeys(_FISHER, "Fisher transformation"),
    **dict.fromkeys(_NOETHER, "normal (Noether 1987)"),
}


def powers(tested: dict, columns: Sequence[list[float]], level: float) -> dict:
    """Return power, n_needed (pairs, or values in each of two groups) and power_method, or None."""
    if tested.get("p") is None or _why_none(tested, level):
        return {"power": None, "n_needed": None, "power_method": None}
    now, chance = _chances(tested, columns, level)
    return {
        "power": now,
        "n_needed": None if _is_beyond(tested) else power.needed(chance),
        "power_method": _METHODS[tested["effect_name"]],
    }


def notes(result: dict, level: float) -> Iterator[str]:
    """Yield why a result with a p has no power or no needed n."""
    if "groups" in result:
        yield "no power for all groups together; see their pairs"
    elif result.get("p") is None or result["n_needed"] is not None:
        return
    elif why := _why_none(result, level):
        yield f"no power: {why}"
    elif _is_beyond(result):
        yield "no n would show equivalence: the difference seen is beyond the margin"
    else:
        unit = "values in each group" if "n_a" in result else "pairs"
        yield f"80 % power needs more than {power.MOST:,} {unit}"


def _why_none(tested: dict, level: float) -> str | None:
    """Return why a test with a p has no power; None if it has."""
    if "clusters" in tested:
        return "pairs of one cluster are dependent (use --per cluster with another test)"
    if tested.get("effect_name") not in _METHODS:
        return "it is defined for d, effects of ranks or signs, and correlations"
    if "margin" in tested:
        return None if level > 0.5 else "equivalence has none at a level of 0.5 or less"
    return None if _size(tested) else "the effect seen is 0"


def _is_beyond(tested: dict) -> bool:
    return "margin" in tested and abs(tested["difference"]) >= tested["margin"]


def _size(tested: dict) -> float:
    """Return the effect; for an odds ratio, which may be infinite, the effect of signs."""
    if "pairs_a" not in tested:
        return tested["effect"]
    return (tested["pairs_a"] - tested["pairs_b"]) / (tested["pairs_a"] + tested["pairs_b"])


def _chances(tested: dict, columns: Sequence[list[float]], level: float) -> tuple[float, Chance]:
    """Return the power of this test, and of the test with any n."""
    name, n, m = tested["effect_name"], len(columns[0]), len(columns[1])
    if name == "d":
        # groups of equal size have the mean of both variances, however d was pooled
        effect = tested["difference"] / hypot(*map(moments.deviation, columns)) * sqrt(2)
        now = power.of_t(tested["statistic"], 1, tested["df"], level)
        return now, lambda n: power.of_t(effect, n / 2, 2 * n - 2, level)
    if name != "d_z":
        chance = _of_normal(tested, n, level)
    elif "margin" not in tested:

        def chance(n: float) -> float:
            return power.of_t(tested["effect"], n, n - 1, level)
    else:
        deviation = moments.deviation(moments.differences(*columns))
        effect, margin = tested["difference"] / deviation, tested["margin"] / deviation

        def chance(n: float) -> float:
            return power.of_tost(effect, margin, n, level)

    return chance(2 * n * m / (n + m)), chance  # n for pairs, for groups that of two equal ones


def _of_normal(tested: dict, n: int, level: float) -> Chance:
    """Return the power of a correlation, or of signs and ranks, in which zeros do not count."""
    name, size = tested["effect_name"], abs(_size(tested))
    if name in _FISHER:
        lost, variance = _FISHER[name]
        z = atanh(min(size, 1 - 2**-53)) / sqrt(variance(size))
        return lambda n: power.of_normal(z * sqrt(max(n - lost, 0)), level)
    counted = (
        tested["pairs_a"] + tested["pairs_b"] if "pairs_a" in tested else n - tested.get("zeros", 0)
    )
    shift = size * sqrt(_NOETHER[name] * counted / n)
    return lambda n: power.of_normal(shift * sqrt(n), level)
