"""The power of a comparison: how likely its test finds the effect seen, and the n that 80 % takes.

Each effect has its method: noncentral t, also for the resampling tests of means; for correlations
Fisher's transformation, with the standard errors of their intervals; for signs and ranks the
normal distribution, with the variance that there is without an effect (Noether 1987,
https://doi.org/10.1080/01621459.1987.10478478).
"""

from collections.abc import Callable, Sequence
from math import atanh, hypot, sqrt

from dialtools.statistics import moments, power
from dialtools.statistics.answers import differences

Chance = Callable[[float], float]  # n, pairs or values in each of two groups -> power

_FISHER: dict[str, tuple[int, Callable[[float], float]]] = {  # how many pairs are lost, r -> variance
    "r": (3, lambda r: 1.0), "rho": (3, lambda r: 1 + r * r / 2), "tau-b": (4, lambda r: 0.437)}
_NOETHER = {"sign": 1.0, "odds ratio": 1.0, "rank-biserial": 0.75, "cliff": 1.5}  # of n effect²: (standard errors)²
_METHODS = dict.fromkeys(("d", "d_z"), "noncentral t") | dict.fromkeys(_FISHER, "Fisher transformation") | \
    dict.fromkeys(_NOETHER, "normal (Noether 1987)")


def powers(outcome: dict, columns: Sequence[list[float]], level: float) -> dict:
    """Return power, n_needed (pairs, or values in each of two groups) and power_method; null where there are none."""
    if outcome.get("p") is None or _why_none(outcome, level):
        return {"power": None, "n_needed": None, "power_method": None}
    now, chance = _chances(outcome, columns, level)
    return {"power": now, "n_needed": None if _is_beyond(outcome) else power.needed(chance),
            "power_method": _METHODS[outcome["effect_name"]]}


def notes(result: dict, level: float) -> list[str]:
    """Return why a result that has a p has no power, or no n that is needed."""
    if "groups" in result:
        return ["no power of all groups together: that of each two stands with them"]
    if result.get("p") is None or result["n_needed"] is not None:
        return []
    if why := _why_none(result, level):
        return [f"no power: {why}"]
    if _is_beyond(result):
        return ["no n would show equivalence: the difference seen is beyond the margin"]
    return [f"80 % power would take more than {power.MOST:,} {'values in each group' if 'n_a' in result else 'pairs'}"]


def _why_none(outcome: dict, level: float) -> str | None:
    """Return why an answer with a p has no power; None where it has."""
    if "clusters" in outcome:
        return "pairs of one cluster hang together (other tests, with --per cluster, have it)"
    if outcome.get("effect_name") not in _METHODS:
        return "it is told of effects that are a d, of ranks or signs, or a correlation"
    if "margin" in outcome:
        return None if level > 0.5 else "equivalence at a level of 0.5 or less has none"
    return None if _size(outcome) else "there is no difference to be found"


def _is_beyond(outcome: dict) -> bool:
    return "margin" in outcome and abs(outcome["difference"]) >= outcome["margin"]


def _size(outcome: dict) -> float:
    """Return the effect; of an odds ratio, which may be infinite, that of the signs."""
    if "pairs_a" not in outcome:
        return outcome["effect"]
    return (outcome["pairs_a"] - outcome["pairs_b"]) / (outcome["pairs_a"] + outcome["pairs_b"])


def _chances(outcome: dict, columns: Sequence[list[float]], level: float) -> tuple[float, Chance]:
    """Return the power now, and that of any n."""
    name, n = outcome["effect_name"], len(columns[0])
    if name == "d":
        # groups that are as large as each other have the mean of both variances, whatever d is pooled from now
        effect = outcome["difference"] / hypot(*map(moments.deviation, columns)) * sqrt(2)
        now = power.of_t(outcome["statistic"], 1, outcome["df"], level)
        return now, lambda n: power.of_t(effect, n / 2, 2 * n - 2, level)
    chance = _of_differences(outcome, columns, level) if name == "d_z" else _of_normal(outcome, n, level)
    m = len(columns[1])
    return chance(2 * n * m / (n + m)), chance  # of pairs, n; of groups, as many values as two equal ones have


def _of_differences(outcome: dict, columns: Sequence[list[float]], level: float) -> Chance:
    if "margin" not in outcome:
        return lambda n: power.of_t(outcome["effect"], n, n - 1, level)
    deviation = moments.deviation(differences(*columns))
    near, margin = outcome["difference"] / deviation, outcome["margin"] / deviation
    return lambda n: power.of_tost(near, margin, n, level)


def _of_normal(outcome: dict, n: int, level: float) -> Chance:
    """Return the chance of an effect that stands so many standard errors from 0; pairs that are equal say nothing."""
    name, size = outcome["effect_name"], abs(_size(outcome))
    if name in _FISHER:
        lost, variance = _FISHER[name]
        z = atanh(min(size, 1 - 2**-53)) / sqrt(variance(size))
        return lambda n: power.of_normal(z * sqrt(max(n - lost, 0)), level)
    counted = outcome["pairs_a"] + outcome["pairs_b"] if "pairs_a" in outcome else n - outcome.get("zeros", 0)
    shift = size * sqrt(_NOETHER[name] * counted / n)
    return lambda n: power.of_normal(shift * sqrt(n), level)
