"""Corrections of p for the number of tests.

bonferroni  p times the number of tests
holm        the same guarantee with a p that is never larger (Holm 1979,
            https://www.jstor.org/stable/4615733)
bh          control of the false discovery rate (Benjamini and Hochberg 1995,
            https://doi.org/10.1111/j.2517-6161.1995.tb02031.x)
"""

from collections.abc import Callable, Sequence
from itertools import accumulate

NAMES = ("holm", "bonferroni", "bh", "none")


def adjusted(p: Sequence[float], how: str) -> list[float]:
    """Return the corrected p in the given order, each at most 1.

    >>> adjusted([0.04, 0.01], "holm"), adjusted([0.04, 0.01], "bonferroni")
    ([0.04, 0.02], [0.08, 0.02])
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    sizes = [p[at] for at in order]
    made = dict(zip(order, _RULES[how](sizes), strict=True))
    return [min(1.0, made[at]) for at in range(len(p))]


def _holm(p: list[float]) -> list[float]:
    return list(accumulate((value * (len(p) - at) for at, value in enumerate(p)), max))


def _bh(p: list[float]) -> list[float]:
    rising = [value * len(p) / at for at, value in enumerate(p, 1)]
    return list(accumulate(reversed(rising), min))[::-1]


_RULES: dict[str, Callable[[list[float]], list[float]]] = {
    "holm": _holm, "bonferroni": lambda p: [value * len(p) for value in p], "bh": _bh, "none": list}
