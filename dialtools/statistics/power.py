"""The power of a test to find the effect seen, and the n needed for 80 %.

Each effect has its method: noncentral t, also for the resampling tests of means; for correlations
Fisher's transformation, with the standard errors of their intervals; for signs and ranks the
normal distribution with the variance under the null hypothesis (Noether 1987,
https://doi.org/10.1080/01621459.1987.10478478); for proportions Cohen's h (Cohen 1988, chapter 6).

The power of t tests is a tail of the noncentral t, here by the series of Lenth 1989,
https://doi.org/10.2307/2347693, of both sides together, in which every other summand cancels.
"""

from collections.abc import Callable, Iterator, Sequence
from math import atanh, exp, hypot, lgamma, log, sqrt

from dialtools.statistics import distributions, moments

WANTED = 0.8
MOST = 10_000_000  # the largest sample size that is tried
_STEPS = 400  # of an integral
_DROPPED = 40  # exp(-40) of the largest summand
_NOTHING = 1e-300  # 0 has no logarithm

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
        "n_needed": None if _is_beyond(tested) else needed(chance),
        "power_method": "normal (Cohen 1988)" if "h" in tested else _METHODS[tested["effect_name"]],
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
        yield f"80 % power needs more than {MOST:,} {unit}"


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
    """Return the effect; for an odds ratio, which may be infinite, that of signs, or Cohen's h."""
    if "h" in tested:
        return tested["h"]
    if "pairs_a" not in tested:
        return tested["effect"]
    return (tested["pairs_a"] - tested["pairs_b"]) / (tested["pairs_a"] + tested["pairs_b"])


def _chances(tested: dict, columns: Sequence[list[float]], level: float) -> tuple[float, Chance]:
    """Return the power of this test, and of the test with any n."""
    name, n, m = tested["effect_name"], len(columns[0]), len(columns[1])
    if name == "d":
        # groups of equal size have the mean of both variances, however d was pooled
        effect = tested["difference"] / hypot(*map(moments.deviation, columns)) * sqrt(2)
        now = of_t(tested["statistic"], 1, tested["df"], level)
        return now, lambda n: of_t(effect, n / 2, 2 * n - 2, level)
    if name != "d_z":
        chance = _of_ranks_or_correlation(tested, n, level)
    elif "margin" not in tested:

        def chance(n: float) -> float:
            return of_t(tested["effect"], n, n - 1, level)
    else:
        deviation = moments.deviation(moments.differences(*columns))
        effect, margin = tested["difference"] / deviation, tested["margin"] / deviation

        def chance(n: float) -> float:
            return of_tost(effect, margin, n, level)

    return chance(2 * n * m / (n + m)), chance  # n for pairs, for groups that of two equal ones


def _of_ranks_or_correlation(tested: dict, n: int, level: float) -> Chance:
    """Return the power of proportions, a correlation, or signs and ranks, in which zeros do not count."""
    name, size = tested["effect_name"], abs(_size(tested))
    if "h" in tested:
        return lambda n: of_normal(size * sqrt(n / 2), level)
    if name in _FISHER:
        lost, variance = _FISHER[name]
        z = atanh(min(size, 1 - 2**-53)) / sqrt(variance(size))
        return lambda n: of_normal(z * sqrt(max(n - lost, 0)), level)
    counted = (
        tested["pairs_a"] + tested["pairs_b"] if "pairs_a" in tested else n - tested.get("zeros", 0)
    )
    shift = size * sqrt(_NOETHER[name] * counted / n)
    return lambda n: of_normal(shift * sqrt(n), level)


def of_t(effect: float, n: float, df: float, level: float) -> float:
    """Return the probability that a two-sided t test finds an effect.

    effect: in standard deviations, as d or d_z.
    n: number of pairs, or n_a n_b / (n_a + n_b) for two groups.
    """
    t, shift = distributions.t_critical(level, df), abs(effect) * sqrt(n)
    if shift > 100 + 20 * t:  # all but 1e-20
        return 1.0
    if shift > 1000:  # so is t, of very few values: only their deviation matters
        return 1 - distributions.chi2_beyond(df * (shift / t) ** 2, int(df))
    x, y = t * t / (df + t * t), df / (df + t * t)
    half = max(shift * shift / 2, _NOTHING)
    reach = sqrt(2 * _DROPPED * max(half, 1)) + _DROPPED
    missed = sum(
        exp(j * log(half) - half - lgamma(j + 1)) * distributions.beta_area(j + 0.5, df / 2, x, y)
        for j in range(max(0, int(half - reach)), int(half + reach))
    )
    return min(1.0, max(0.0, 1 - missed))


def of_tost(effect: float, margin: float, n: float, level: float) -> float:
    """Return the probability that two one-sided t tests of n pairs show equivalence.

    Effect and margin are in standard deviations; the level is above 0.5.  The probability given
    the sample's standard deviation is integrated over its distribution by Simpson's rule.
    """
    df = n - 1
    slope = distributions.t_critical(2 * level - 1, df) / sqrt(n)
    low, high = max(1e-9, 1 - 10 / sqrt(2 * df)), min(1 + 10 / sqrt(2 * df), margin / slope)
    if low >= high:
        return 0.0
    front, width = log(2) + df / 2 * log(df / 2) - lgamma(df / 2), (high - low) / _STEPS
    total = 0.0
    for step in range(_STEPS + 1):
        deviation = low + step * width
        reach = margin - slope * deviation
        within = (
            1
            - _normal_above((reach - effect) * sqrt(n))
            - _normal_above((reach + effect) * sqrt(n))
        )
        weight = 1 if step in (0, _STEPS) else 2 + step % 2 * 2
        density = exp(front + (df - 1) * log(deviation) - df * deviation * deviation / 2)
        total += weight * within * density
    return min(1.0, total * width / 3)


def of_normal(shift: float, level: float) -> float:
    """Return the power of a normal statistic whose mean is `shift` standard errors from 0."""
    z = distributions.normal_critical(level)
    return _normal_above(z - shift) + _normal_above(z + shift)


def _normal_above(z: float) -> float:
    tail = distributions.normal_outside(z) / 2
    return tail if z > 0 else 1 - tail


def needed(chance: Callable[[int], float]) -> int | None:
    """Return the least n of at least 2 whose chance reaches WANTED; None beyond MOST.

    chance: a function that grows with n.
    """
    high = 2
    while chance(high) < WANTED:
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= WANTED else (middle, high)
    return high
