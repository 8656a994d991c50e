"""Intraclass correlation: how reliable are the ratings of several raters, or their mean?

Each --value is a rater; items that somebody did not rate are left out and counted.  effect is the
ICC, which is at most 1.  model is 1 (each item has raters of its own), 2 (the raters are a sample
and their levels count: absolute agreement) or 3 (these raters alone: consistency); of is one (a
single rater) or mean (the mean of all).  statistic is F, p that of an ICC of 0.

Source: Shrout and Fleiss 1979, https://doi.org/10.1037/0033-2909.86.2.420; intervals: McGraw and
Wong 1996, https://doi.org/10.1037/1082-989X.1.1.30.

>>> items = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
>>> [round(test(items, 0.95, model=model)["effect"], 2) for model in (1, 2, 3)]  # as published
[0.17, 0.29, 0.71]
"""

from collections.abc import Sequence
from math import fsum, inf, isfinite
from typing import Any, NamedTuple

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions
from dialtools.statistics.results import no_result, result
from dialtools.system.errors import OptionError


class Squares(NamedTuple):
    """Mean squares of n items and k raters: between items, between raters, within items, rest."""

    n: int
    k: int
    items: float
    raters: float
    within: float
    rest: float


def test(
    items: Sequence[Sequence[float | None]], level: float, *, model: int = 2, of: str = "one"
) -> dict:
    """Return the ICC; it needs two items that two raters rated, and items that differ.

    items: the ratings of each item, None where a rater gave none.
    """
    if model not in (1, 2, 3) or of not in ("one", "mean"):
        raise OptionError(f"icc: model is 1, 2 or 3, of is one or mean, not {model} and {of}")
    raters = max(map(len, items), default=0)
    rated = [
        [x for x in item if x is not None]
        for item in items
        if len(item) == raters and None not in item
    ]
    left_out: dict[str, Any] = {"too_few_ratings": len(items) - len(rated)}
    if len(rated) < 2 or raters < 2:
        return no_result("the ICC needs two items that two raters rated", **left_out)
    squares = _squares(rated)
    error = squares.within if model == 1 else squares.rest
    if not error:
        return no_result(
            "no variance within items: the raters agree exactly"
            if squares.items
            else "all ratings are equal",
            **left_out,
        )
    f, (df, rest) = squares.items / error, _freedom(squares, model)
    lower, upper = _interval(squares, model, f, df, rest, level)
    bounds = [_of(bound, raters, of) for bound in (lower, upper)]
    ci = bounds if all(map(isfinite, bounds)) else None  # of the mean of raters one may have no end
    icc = _of(_single(squares, model), raters, of)
    return result(
        "F",
        f,
        distributions.f_beyond(f, df, rest),
        None,
        effect=("icc", icc),
        effect_ci=ci,
        **left_out,
    )


def _squares(items: list[list[float]]) -> Squares:
    n, k = len(items), len(items[0])
    grand = fsum(map(fsum, items)) / (n * k)
    rows = [fsum(item) / k - grand for item in items]
    columns = [fsum(column) / n - grand for column in zip(*items, strict=True)]
    within = fsum(
        (x - grand - row) ** 2 for item, row in zip(items, rows, strict=True) for x in item
    )
    between = n * fsum(column**2 for column in columns)
    rest = fsum(
        (x - grand - row - column) ** 2
        for item, row in zip(items, rows, strict=True)
        for x, column in zip(item, columns, strict=True)
    )
    return Squares(
        n,
        k,
        k * fsum(row**2 for row in rows) / (n - 1),
        between / (k - 1),
        within / (n * (k - 1)),
        rest / ((n - 1) * (k - 1)),
    )


def _freedom(squares: Squares, model: int) -> tuple[float, float]:
    n, k = squares.n, squares.k
    return n - 1, n * (k - 1) if model == 1 else (n - 1) * (k - 1)


def _single(squares: Squares, model: int) -> float:
    """Return the ICC of a single rater."""
    n, k, items = squares.n, squares.k, squares.items
    if model == 1:
        return (items - squares.within) / (items + (k - 1) * squares.within)
    level = k * (squares.raters - squares.rest) / n if model == 2 else 0.0
    return (items - squares.rest) / (items + (k - 1) * squares.rest + level)


def _of(single: float, k: int, of: str) -> float:
    """Return the ICC of the mean of k raters from that of one (Spearman and Brown), if asked."""
    return single if of == "one" else k * single / (1 + (k - 1) * single)


def _interval(
    squares: Squares, model: int, f: float, df: float, rest: float, level: float
) -> tuple[float, float]:
    """Return the bounds of the ICC of a single rater."""
    n, k = squares.n, squares.k
    if model != 2:
        low, high = f / _critical(level, df, rest), f * _critical(level, rest, df)
        return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)
    icc = _single(squares, 2)
    a = k * icc / (n * (1 - icc)) if icc < 1 else inf
    b = 1 + k * icc * (n - 1) / (n * (1 - icc)) if icc < 1 else inf
    parts = a * squares.raters, b * squares.rest
    v = sum(parts) ** 2 / (parts[0] ** 2 / (k - 1) + parts[1] ** 2 / ((n - 1) * (k - 1)))
    spread = k * squares.raters + (k * n - k - n) * squares.rest
    low, high = _critical(level, df, v), _critical(level, v, df)
    return (
        n * (squares.items - low * squares.rest) / (low * spread + n * squares.items),
        n * (high * squares.items - squares.rest) / (spread + n * high * squares.items),
    )


def _critical(level: float, between: float, within: float) -> float:
    """Return the F that is exceeded with the probability of one tail, by bisection."""
    low, high = 0.0, 1.0
    while distributions.f_beyond(high, between, within) > (1 - level) / 2:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if distributions.f_beyond(middle, between, within) > (1 - level) / 2:
            low = middle
        else:
            high = middle
    return high


TEST = HypothesisTest(test, takes="raters")
