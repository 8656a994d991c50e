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
from dialtools.statistics.distributions import f_critical
from dialtools.statistics.results import no_result, result
from dialtools.system.errors import OptionError


class MeanSquares(NamedTuple):
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
    squares = mean_squares(rated)
    error = squares.within if model == 1 else squares.rest
    if not error:
        return no_result(
            "no variance within items: the raters agree exactly"
            if squares.items
            else "all ratings are equal",
            **left_out,
        )
    n, k = squares.n, squares.k
    f, df, df_error = squares.items / error, n - 1, n * (k - 1) if model == 1 else (n - 1) * (k - 1)
    # of the ratings of a single rater
    if model == 2:
        bias = k * (squares.raters - squares.rest) / n
        icc = (squares.items - squares.rest) / (squares.items + (k - 1) * squares.rest + bias)
        bounds = list(absolute_agreement_bounds(squares, icc, level))
    else:
        icc = (squares.items - error) / (squares.items + (k - 1) * error)
        low, high = f / f_critical(level, df, df_error), f * f_critical(level, df_error, df)
        bounds = [(end - 1) / (end + k - 1) for end in (low, high)]
    if of == "mean":
        # of k raters (Spearman and Brown)
        icc, *bounds = (k * single / (1 + (k - 1) * single) for single in (icc, *bounds))
    return result(
        "F",
        f,
        distributions.f_beyond(f, df, df_error),
        None,
        effect=("icc", icc),
        # of the mean of raters one may have no end
        effect_ci=bounds if all(map(isfinite, bounds)) else None,
        **left_out,
    )


def mean_squares(items: list[list[float]]) -> MeanSquares:
    """Return the mean squares of items that the same number of raters rated."""
    n, k = len(items), len(items[0])
    grand = fsum(map(fsum, items)) / (n * k)
    rows = [fsum(item) / k - grand for item in items]
    columns = [fsum(column) / n - grand for column in zip(*items, strict=True)]
    within = fsum(
        (x - grand - row) ** 2 for item, row in zip(items, rows, strict=True) for x in item
    )
    rest = fsum(
        (x - grand - row - column) ** 2
        for item, row in zip(items, rows, strict=True)
        for x, column in zip(item, columns, strict=True)
    )
    return MeanSquares(
        n,
        k,
        k * fsum(row**2 for row in rows) / (n - 1),
        n * fsum(column**2 for column in columns) / (k - 1),
        within / (n * (k - 1)),
        rest / ((n - 1) * (k - 1)),
    )


def absolute_agreement_bounds(
    squares: MeanSquares, icc: float, level: float
) -> tuple[float, float]:
    """Return the bounds of the ICC of a single rater in model 2; infinite without freedom."""
    n, k = squares.n, squares.k
    a = k * icc / (n * (1 - icc)) if icc < 1 else inf
    b = 1 + k * icc * (n - 1) / (n * (1 - icc)) if icc < 1 else inf
    parts = a * squares.raters, b * squares.rest
    v = sum(parts) ** 2 / (parts[0] ** 2 / (k - 1) + parts[1] ** 2 / ((n - 1) * (k - 1)))
    if not v:
        return -inf, inf
    spread = k * squares.raters + (k * n - k - n) * squares.rest
    low, high = f_critical(level, n - 1, v), f_critical(level, v, n - 1)
    return (
        n * (squares.items - low * squares.rest) / (low * spread + n * squares.items),
        n * (high * squares.items - squares.rest) / (spread + n * high * squares.items),
    )


TEST = HypothesisTest(test, takes="raters")
