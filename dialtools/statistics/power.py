"""The power of tests, and the sample size for a given power.

The power of t tests is a tail of the noncentral t, here by the series of Lenth 1989,
https://doi.org/10.2307/2347693, of both sides together, in which every other summand cancels.
"""

from collections.abc import Callable
from math import exp, lgamma, log, sqrt

from dialtools.statistics import distributions, t_distribution

WANTED = 0.8
MOST = 10_000_000  # the largest sample size that is tried
_STEPS = 400  # of an integral
_DROPPED = 40  # exp(-40) of the largest summand
_NOTHING = 1e-300  # 0 has no logarithm


def of_t(effect: float, n: float, df: float, level: float) -> float:
    """Return the probability that a two-sided t test finds an effect.

    effect: in standard deviations, as d or d_z.
    n: number of pairs, or n_a n_b / (n_a + n_b) for two groups.
    """
    t, shift = t_distribution.critical(level, df), abs(effect) * sqrt(n)
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
    slope = t_distribution.critical(2 * level - 1, df) / sqrt(n)
    low, high = max(1e-9, 1 - 10 / sqrt(2 * df)), min(1 + 10 / sqrt(2 * df), margin / slope)
    if low >= high:
        return 0.0
    front, step = log(2) + df / 2 * log(df / 2) - lgamma(df / 2), (high - low) / _STEPS
    total = 0.0
    for at in range(_STEPS + 1):
        found = low + at * step
        reach = margin - slope * found
        near = (
            1
            - _normal_above((reach - effect) * sqrt(n))
            - _normal_above((reach + effect) * sqrt(n))
        )
        weight = 1 if at in (0, _STEPS) else 2 + at % 2 * 2
        total += weight * near * exp(front + (df - 1) * log(found) - df * found * found / 2)
    return min(1.0, total * step / 3)


def of_normal(shift: float, level: float) -> float:
    """Return the power of a normal statistic whose mean is `shift` standard errors from 0."""
    z = distributions.normal_critical(level)
    return _normal_above(z - shift) + _normal_above(z + shift)


def _normal_above(z: float) -> float:
    tail = distributions.normal_outside(z) / 2
    return tail if z > 0 else 1 - tail


def needed(chance: Callable[[int], float], wanted: float = WANTED) -> int | None:
    """Return the least n of at least 2 whose chance reaches `wanted`; None beyond MOST.

    chance: a function that grows with n.
    """
    high = 2
    while chance(high) < wanted:
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= wanted else (middle, high)
    return high
