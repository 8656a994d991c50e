"""Paired t test: is the mean of the differences within pairs other than 0?

t = mean of the differences / (their standard deviation / √n), df = n - 1.  The
differences are taken to be independent, and their mean to be normal, which it
nearly is from some dozens of pairs on.

effect is Cohen's d, the mean difference over the pooled standard deviation of
the two groups, so that it compares with that of unpaired tests; d_z is the mean
difference over the standard deviation of the differences.

Source: Student 1908, https://doi.org/10.2307/2331554; d_z: Lakens 2013,
https://doi.org/10.3389/fpsyg.2013.00863.

>>> round(test([1.0, 4.0, 4.0], [1.0, 2.0, 3.0], 0.95)["t"], 4)
1.7321
"""

from math import sqrt

from dialtools import moments
from dialtools.significance._t_tests import answer, no_answer

PAIRED = True


def test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of a - b; with fewer than two pairs, or no variance of their differences, there is none."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    n = len(differences)
    if n < 2:
        return no_answer(None, f"a test needs two pairs, here {'is' if n == 1 else 'are'} {n}") | {"d_z": None}
    difference = moments.mean(differences)
    if moments.is_constant(differences, of=a + b):
        return no_answer(difference, f"no variance: all differences are {difference:.6g}") | {"d_z": None}
    deviation = moments.deviation(differences)
    d = difference / moments.pooled(a, b)
    return answer(difference, deviation / sqrt(n), n - 1, level, d) | {"d_z": difference / deviation}
