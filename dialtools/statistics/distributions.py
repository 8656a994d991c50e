"""Tails of distributions: t, normal, chi-squared, F, binomial, and those of ranks under the null.

The relative error is below 1e-10, of t below 1e-12, far out in the tails too.  Importing scipy
would take a second.

The areas of t are the regularised incomplete beta function I_x(df/2, 1/2) at x = df / (df + t²),
here by the continued fraction of Didonato and Morris 1992, https://doi.org/10.1145/131766.131776,
summed by the method of Lentz.
"""

from collections.abc import Sequence
from itertools import accumulate, count
from math import comb, erfc, exp, factorial, gamma, hypot, lgamma, log, log1p, pi, sqrt

_LAST_BIT = 3e-16


def normal_outside(z: float) -> float:
    """Return the probability beyond -|z| and |z| together: the two-sided p."""
    return erfc(abs(z) / sqrt(2))


def normal_critical(level: float) -> float:
    """Return the z for which the probability between -z and z is `level`."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf((1 - level) / 2)


def t_outside(t: float, df: float) -> float:
    """Return the two-sided p, the probability beyond -|t| and |t|; 0.0 if it is below 1e-308.

    df: any positive number.
    """
    return _t_areas(t, df)[1]


def t_critical(level: float, df: float) -> float:
    """Return the t for which the probability between -t and t is `level` (between 0 and 1).

    The logarithm of either area is a concave function of log t, so Newton's method with short
    first steps converges from any start.
    """
    t = 1.0
    for _ in range(200):
        between, beyond = _t_areas(t, df)
        if level < 0.5:  # the smaller area is the exact one
            missing = log(level / between) * between
        else:
            missing = -log((1 - level) / beyond) * beyond
        power = -(df + 1) / 2 * _log_of_one_and_square(t / sqrt(df))
        density = exp(power) * _gamma_ratio(df / 2) / sqrt(pi * df)
        step = missing / (2 * t * density)
        t *= exp(max(-1.0, min(step, 1.0)))
        if abs(step) < 1e-12:
            break
    return t


def _t_areas(t: float, df: float) -> tuple[float, float]:
    """Return the probabilities between -|t| and |t| and beyond them; the smaller one is exact."""
    r = abs(t) / sqrt(df)
    a = df / 2
    x, y = (1 / hypot(1, r)) * (1 / hypot(1, r)), (r / hypot(1, r)) * (r / hypot(1, r))
    front = exp(-a * _log_of_one_and_square(r)) * sqrt(y / pi) * _gamma_ratio(a)
    if abs(t) > 1:
        beyond = front / _fraction(a, 0.5, x, (a + 0.5) * y - 0.5, y)
        return 1 - beyond, beyond
    between = front / _fraction(0.5, a, y, 0.5 - (a + 0.5) * y, x)
    return between, 1 - between


def _log_of_one_and_square(r: float) -> float:
    return log1p(r * r) if r < 1e100 else 2 * log(r)  # larger squares overflow


def _gamma_ratio(a: float) -> float:
    """Return gamma(a + 1/2) / gamma(a), for large a by Stirling's series."""
    if a < 25:
        return gamma(a + 0.5) / gamma(a)
    return sqrt(a) * exp(a * log1p(0.5 / a) - 0.5 + _stirling_error(a + 0.5) - _stirling_error(a))


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
    total = within + between * value
    return beta_area(within / 2, between / 2, within / total, between * value / total)


def f_critical(level: float, between: float, within: float) -> float:
    """Return the F that is exceeded with the probability of one tail, by bisection."""
    low, high = 0.0, 1.0
    while f_beyond(high, between, within) > (1 - level) / 2:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if f_beyond(middle, between, within) > (1 - level) / 2:
            low = middle
        else:
            high = middle
    return high


def binomial_outside(heads: int, n: int) -> float:
    """Return the two-sided p of a number of heads in n throws of a fair coin."""
    fewer = min(heads, n - heads)
    if n <= 1000:
        return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / 2**n)
    return min(1.0, 2 * beta_area(n - fewer, fewer + 1, 0.5, 0.5))


def beta_area(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by Loader 2000.

    y: 1 - x, which could not be computed exactly from an x near 1.
    """
    if not x or not y:
        return 1.0 if x else 0.0

    def gamma_error(n: float) -> float:
        """Return log(gamma(n + 1)) minus Stirling's formula."""
        if n <= 15:
            return log(gamma(n + 1)) - (n + 0.5) * log(n) + n - log(2 * pi) / 2
        return _stirling_error(n)

    def deviance(value: float, mean: float) -> float:
        """Return value log(value / mean) + mean - value, exact also near the mean."""
        gap = value - mean
        return value * log1p(gap / mean) - gap

    n = a + b
    power = (
        gamma_error(n) - gamma_error(a) - gamma_error(b) - deviance(a, n * x) - deviance(b, n * y)
    )
    # gamma(a + b + 1) / gamma(a + 1) / gamma(b + 1) x^a y^b
    binomial = exp(power) * sqrt(n / (2 * pi * a * b))
    front, gap = a * b / (a + b) * binomial, a * y - b * x
    if gap > 0:
        return front / _fraction(a, b, x, gap, y)
    return 1 - front / _fraction(b, a, y, -gap, x)


def _stirling_error(a: float) -> float:
    """Return the error of Stirling's formula for log(gamma(a)), to 1e-13 from a = 15 on."""
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / a**2) / a**2) / a**2) / a


def _fraction(a: float, b: float, x: float, gap: float, y: float) -> float:
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


def signed_ranks_outside(plus: float, ranks: Sequence[float]) -> float:
    """Return the two-sided p of a sum of the ranks with a positive sign, all signs alike likely.

    ranks: those of all differences; ties have halves.  It counts the subsets with each sum.
    """
    doubled, ways = [round(2 * rank) for rank in ranks], [1]
    for rank in doubled:
        shift = [0] * rank
        ways = [out + within for out, within in zip(ways + shift, shift + ways, strict=True)]
    tail = min(round(2 * plus), sum(doubled) - round(2 * plus))
    return min(1.0, 2 * sum(ways[: tail + 1]) / 2 ** len(ranks))


def rank_sum_outside(u: float, n: int, m: int) -> float:
    """Return the two-sided p of Mann and Whitney's U of groups of n and m values without ties.

    It counts the choices of n of n + m ranks with each U (q-binomials).
    """
    ways = [1] + [0] * (n * m)
    for k in range(1, n + 1):
        for s in range(n * m, m + k - 1, -1):
            ways[s] -= ways[s - m - k]
        for s in range(k, n * m + 1):
            ways[s] += ways[s - k]
    tail = int(min(u, n * m - u))
    return min(1.0, 2 * sum(ways[: tail + 1]) / comb(n + m, n))


def inversions_outside(inversions: int, n: int) -> float:
    """Return the two-sided p of at most half of all inversions in an order of n values.

    It counts the orders with each number of inversions (Mahonian numbers).
    """
    ways = [1] + [0] * inversions
    for k in range(2, n + 1):  # value k is in falling order with 0 to k - 1 of the others
        sums = [0, *accumulate(ways)]
        ways = [sums[s + 1] - sums[max(0, s - k + 1)] for s in range(inversions + 1)]
    return min(1.0, 2 * sum(ways) / factorial(n))
