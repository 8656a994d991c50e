"""Student's t distribution for any positive degrees of freedom.

The probability beyond -t and t is the regularised incomplete beta function I_x(df/2, 1/2)
at x = df / (df + t²), here by the continued fraction of Didonato and Morris 1992,
https://doi.org/10.1145/131766.131776, summed by the method of Lentz.  The relative error
is below 1e-12, far out in the tails too.  Importing scipy would take a second.
"""

from itertools import count
from math import exp, gamma, hypot, log, log1p, pi, sqrt

_LAST_BIT = 3e-16


def outside(t: float, df: float) -> float:
    """Return the two-sided p, the probability beyond -|t| and |t|; 0.0 if it is below 1e-308."""
    return _areas(t, df)[1]


def critical(level: float, df: float) -> float:
    """Return the t for which the probability between -t and t is `level` (between 0 and 1).

    The logarithm of either area is a concave function of log t, so Newton's method with short
    first steps converges from any start.
    """
    t = 1.0
    for _ in range(200):
        between, beyond = _areas(t, df)
        if level < 0.5:  # the smaller area is the exact one
            missing = log(level / between) * between
        else:
            missing = -log((1 - level) / beyond) * beyond
        step = missing / (2 * t * _density(t, df))
        t *= exp(max(-1.0, min(step, 1.0)))
        if abs(step) < 1e-12:
            break
    return t


def _areas(t: float, df: float) -> tuple[float, float]:
    """Return the probabilities between -|t| and |t| and beyond them; the smaller one is exact."""
    r = abs(t) / sqrt(df)
    a = df / 2
    x, y = (1 / hypot(1, r)) * (1 / hypot(1, r)), (r / hypot(1, r)) * (r / hypot(1, r))
    front = exp(-a * _log_of_one_and_square(r)) * sqrt(y / pi) * _gamma_ratio(a)
    if abs(t) > 1:
        beyond = front / fraction(a, 0.5, x, (a + 0.5) * y - 0.5, y)
        return 1 - beyond, beyond
    between = front / fraction(0.5, a, y, 0.5 - (a + 0.5) * y, x)
    return between, 1 - between


def _density(t: float, df: float) -> float:
    power = -(df + 1) / 2 * _log_of_one_and_square(t / sqrt(df))
    return exp(power) * _gamma_ratio(df / 2) / sqrt(pi * df)


def _log_of_one_and_square(r: float) -> float:
    return log1p(r * r) if r < 1e100 else 2 * log(r)  # larger squares overflow


def _gamma_ratio(a: float) -> float:
    """Return gamma(a + 1/2) / gamma(a), for large a by Stirling's series."""
    if a < 25:
        return gamma(a + 0.5) / gamma(a)
    return sqrt(a) * exp(a * log1p(0.5 / a) - 0.5 + stirling(a + 0.5) - stirling(a))


def stirling(a: float) -> float:
    """Return the error of Stirling's formula for log(gamma(a)), to 1e-13 from a = 15 on."""
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / a**2) / a**2) / a**2) / a


def fraction(a: float, b: float, x: float, gap: float, y: float) -> float:
    """Return x^a y^b / B(a, b) / I_x(a, b).

    gap: a - (a + b) x, and y: 1 - x; both could not be computed exactly from an x near 1.
    """
    value = c = a * (gap + 1) / (a + 1)
    d = 0.0
    for n in count(1):
        over = (a + n - 1) * (a + b + n - 1) * n * (b - n) * x * x / (a + 2 * n - 1) ** 2
        under = (
            n
            + n * (b - n) * x / (a + 2 * n - 1)
            + (a + n) * (gap + 1 + n * (1 + y)) / (a + 2 * n + 1)
        )
        d, c = 1 / (under + over * d), under + over / c
        value *= c * d
        if abs(c * d - 1) < _LAST_BIT:
            break
    return value
