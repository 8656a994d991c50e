"""Tails of the normal, chi-squared, F and binomial distributions.

The relative error is below 1e-10, far out in the tails too.  Importing scipy would take a second.
"""

from math import comb, erfc, exp, gamma, lgamma, log, log1p, pi, sqrt

from dialtools.statistics.t_distribution import fraction, stirling


def normal_outside(z: float) -> float:
    """Return the probability beyond -|z| and |z| together: the two-sided p."""
    return erfc(abs(z) / sqrt(2))


def normal_critical(level: float) -> float:
    """Return the z for which the probability between -z and z is `level`."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf((1 - level) / 2)


def chi2_beyond(value: float, df: int) -> float:
    """Return the probability of chi-squared above a value, by the finite series."""
    if not value:
        return 1.0
    half, odd = value / 2, df % 2
    powers = (i + odd / 2 for i in range(df // 2))
    series = sum(exp(power * log(half) - half - lgamma(power + 1)) for power in powers)
    return (erfc(sqrt(half)) if odd else 0.0) + series


def f_beyond(value: float, between: float, within: float) -> float:
    """Return the probability of F above a value; between, within: its degrees of freedom."""
    whole = within + between * value
    return beta_area(within / 2, between / 2, within / whole, between * value / whole)


def binomial_outside(count: int, n: int) -> float:
    """Return the two-sided p of a number of heads in n throws of a fair coin."""
    few = min(count, n - count)
    if n <= 1000:
        return min(1.0, 2 * sum(comb(n, k) for k in range(few + 1)) / 2**n)
    return min(1.0, 2 * beta_area(n - few, few + 1, 0.5, 0.5))


def beta_area(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b).

    y: 1 - x, which could not be computed exactly from an x near 1.
    """
    if not x or not y:
        return 1.0 if x else 0.0
    front, gap = a * b / (a + b) * _binomial(a, b, x, y), a * y - b * x
    if gap > 0:
        return front / fraction(a, b, x, gap, y)
    return 1 - front / fraction(b, a, y, -gap, x)


def _binomial(a: float, b: float, x: float, y: float) -> float:
    """Return gamma(a + b + 1) / gamma(a + 1) / gamma(b + 1) x^a y^b (Loader 2000)."""
    n = a + b
    power = _rest(n) - _rest(a) - _rest(b) - _deviance(a, n * x) - _deviance(b, n * y)
    return exp(power) * sqrt(n / (2 * pi * a * b))


def _rest(n: float) -> float:
    """Return log(gamma(n + 1)) minus Stirling's formula."""
    if n <= 15:
        return log(gamma(n + 1)) - (n + 0.5) * log(n) + n - log(2 * pi) / 2
    return stirling(n)


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x, exact also for x near the mean."""
    gap = x - mean
    return x * log1p(gap / mean) - gap
