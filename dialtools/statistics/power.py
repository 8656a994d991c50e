"""The power of tests: how likely an effect of this size is found, and how many pairs or values that takes.

Of t tests by the noncentral t, by the series of Lenth 1989, https://doi.org/10.2307/2347693: of both sides
together, so that every other summand cancels out.
"""

from collections.abc import Callable
from math import exp, lgamma, log, sqrt

from dialtools.statistics import distributions, t_distribution

WANTED = 0.8
MOST = 10_000_000  # no study is larger
_STEPS = 400  # of an integral
_DROPPED = 40  # exp(-40) of the largest summand
_NOTHING = 1e-300  # 0 has no logarithm


def of_t(effect: float, n: float, df: float, level: float) -> float:
    """Return the probability that a two-sided t test at a level finds an effect.

    effect: in standard deviations, as d or d_z.
    n: pairs; of two groups n_a n_b / (n_a + n_b).
    """
    t, shift = t_distribution.critical(level, df), abs(effect) * sqrt(n)
    if shift > 100 + 20 * t:  # all but 1e-20
        return 1.0
    if shift > 1000:  # and so is t, of very few values: what is normal in it is nothing beside the deviation
        return 1 - distributions.chi2_beyond(df * (shift / t)**2, int(df))
    x, y = t * t / (df + t * t), df / (df + t * t)
    half = max(shift * shift / 2, _NOTHING)
    reach = sqrt(2 * _DROPPED * max(half, 1)) + _DROPPED
    missed = sum(exp(j * log(half) - half - lgamma(j + 1)) * distributions.beta_area(j + 0.5, df / 2, x, y)
                 for j in range(max(0, int(half - reach)), int(half + reach)))
    return min(1.0, max(0.0, 1 - missed))


def of_tost(effect: float, margin: float, n: float, level: float) -> float:
    """Return the probability that two one-sided t tests of n pairs find an effect to be within ±margin.

    Effect and margin in standard deviations; level above 0.5.  The probability that the mean is near
    enough, given the deviation that is found, is summed over these deviations, by Simpson's rule.
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
        near = 1 - _normal_above((reach - effect) * sqrt(n)) - _normal_above((reach + effect) * sqrt(n))
        weight = 1 if at in (0, _STEPS) else 2 + at % 2 * 2
        total += weight * near * exp(front + (df - 1) * log(found) - df * found * found / 2)
    return min(1.0, total * step / 3)


def of_normal(shift: float, level: float) -> float:
    """Return the probability that a normal statistic is significant whose mean is so many standard errors from 0."""
    z = distributions.normal_critical(level)
    return _normal_above(z - shift) + _normal_above(z + shift)


def _normal_above(z: float) -> float:
    tail = distributions.normal_outside(z) / 2
    return tail if z > 0 else 1 - tail


def needed(chance: Callable[[int], float], wanted: float = WANTED) -> int | None:
    """Return the least n, 2 or more, whose chance is the wanted one, if chances grow with n; None for none in reach."""
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
