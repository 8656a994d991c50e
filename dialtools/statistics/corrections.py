"""Corrections of p for the number of tests.

bonferroni  p times the number of tests
holm        the same guarantee with a p that is never larger (Holm 1979,
            https://www.jstor.org/stable/4615733)
bh          control of the false discovery rate (Benjamini and Hochberg 1995,
            https://doi.org/10.1111/j.2517-6161.1995.tb02031.x)

An interval beside a corrected p has the level at which the correction judged its
test, so that it excludes 0 just where the corrected p is small enough, if the test
without a correction does so.  Of m tests at alpha, of which r are significant:
bonferroni judges each at alpha / m (Dunn 1961,
https://doi.org/10.1080/01621459.1961.10482090), holm the k-th smallest p at
alpha / (m - k + 1) and all that are not significant at alpha / (m - r), and bh
all at alpha r / m (Benjamini and Yekutieli 2005, false coverage rate,
https://doi.org/10.1198/016214504000001907), or alpha / m for r = 0.  Only those
of bonferroni hold together with the level that was asked for.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

NAMES = ("holm", "bonferroni", "bh", "none")


def adjusted(p: Sequence[float], how: str) -> list[float]:
    """Return the corrected p in the given order, each at most 1.

    >>> adjusted([0.04, 0.01], "holm"), adjusted([0.04, 0.01], "bonferroni")
    ([0.04, 0.02], [0.08, 0.02])
    """
    m, order = len(p), sorted(range(len(p)), key=p.__getitem__)
    rising = [p[place] for place in order]
    corrected: Iterator[float]
    if how == "holm":
        corrected = accumulate((value * (m - k) for k, value in enumerate(rising)), max)
    elif how == "bh":
        falling = reversed([value * m / k for k, value in enumerate(rising, 1)])
        corrected = reversed(list(accumulate(falling, min)))
    else:
        corrected = iter([value * m for value in rising] if how == "bonferroni" else rising)
    by_place = dict(zip(order, corrected, strict=True))
    return [min(1.0, by_place[place]) for place in range(m)]


def alphas(p: Sequence[float], how: str, alpha: float) -> list[float]:
    """Return the bound that each p, not corrected, was judged by.

    >>> alphas([0.02, 0.001, 0.6], "holm", 0.06), alphas([0.02, 0.001, 0.6], "bh", 0.06)
    ([0.03, 0.02, 0.06], [0.04, 0.04, 0.04])
    """
    m, order = len(p), sorted(range(len(p)), key=p.__getitem__)
    significant = bisect_left(sorted(adjusted(p, how)), alpha)
    if how == "holm":
        ranks = {place: min(rank, significant) for rank, place in enumerate(order)}
        return [alpha / (m - ranks[place]) for place in range(m)]
    times = {"bonferroni": 1, "bh": max(significant, 1), "none": m}[how]
    return [alpha * times / m] * m
