"""The power of t tests: how likely a difference of this size is found, and how many pairs or values it takes.

Noncentral t by the series of Lenth 1989, https://doi.org/10.2307/2347693; equal
to the power of statsmodels.
"""

from math import exp, lgamma, log, sqrt

from dialtools.significance import _distributions as distributions
from dialtools.significance import _t_distribution as t_distribution

WANTED = 0.8
MOST = 10_000_000  # no study is larger
_DROPPED = 40  # exp(-40) of the largest summand


def power(effect: float, n: float, df: float, level: float) -> float:
    """Return the probability that a two-sided t test at a level finds an effect.

    effect: in standard deviations, as d or d_z.
    n: pairs; of two groups n_a n_b / (n_a + n_b).
    """
    t, shift = t_distribution.critical(level, df), abs(effect) * sqrt(n)
    if shift > 100 + 20 * t:  # all but 1e-20
        return 1.0
    if shift > 1000:  # and so is t, of very few values: what is normal in it is nothing beside the deviation
        return 1 - distributions.chi2_beyond(df * (shift / t)**2, int(df))
    return 1 - below(t, df, shift) + below(-t, df, shift)


def needed(effect: float, level: float, paired: bool, wanted: float = WANTED) -> int | None:
    """Return how many pairs, or values in each of two groups, give the wanted power; None where too many would."""
    def enough(n: int) -> bool:
        return power(effect, n if paired else n / 2, n - 1 if paired else 2 * n - 2, level) >= wanted

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def below(t: float, df: float, shift: float) -> float:
    """Return the probability of a noncentral t below t."""
    if t < 0:
        return 1 - below(-t, df, -shift)
    tail = distributions.normal_outside(shift) / 2
    base = tail if shift >= 0 else 1 - tail  # that of a normal value below -shift
    half, sign = shift * shift / 2, 1 if shift > 0 else -1
    if not t or not half:
        return base if not t else 1 - t_distribution.outside(t, df) / 2
    x, y = t * t / (df + t * t), df / (df + t * t)
    reach = sqrt(2 * _DROPPED * max(half, 1)) + _DROPPED
    total = 0.0
    for j in range(max(0, int(half - reach)), int(half + reach)):
        even = exp(j * log(half) - half - lgamma(j + 1))
        odd = exp((j + 0.5) * log(half) - half - lgamma(j + 1.5))
        total += even * distributions.beta_area(j + 0.5, df / 2, x, y)
        total += sign * odd * distributions.beta_area(j + 1, df / 2, x, y)
    return min(1.0, max(0.0, base + total / 2))
