"""Permutation test of correlations: does one metric order texts more as people do than another?

It compares two or more --value of the same records, each by its correlation with the ratings
--versus; difference is that of a minus that of b.  correlation is kendall (tau-b), pearson or
spearman.  Under the null hypothesis the two metrics are exchangeable: both are standardised
(kendall and spearman: ranked), and each record's two numbers change places at random.  p is the
share of exchanges with a difference at least as far from 0, (c + 1) / (n + 1).

Source: PERM-BOTH of Deutsch, Dror and Roth 2021, https://doi.org/10.1162/tacl_a_00417.

>>> a, b, people = [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 5.0, 4.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0]
>>> round(test(a, b, people, 0.95)["difference"], 4)
0.8
"""

from collections.abc import Callable
from typing import Any, Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import resampling
from dialtools.statistics.moments import midranks
from dialtools.statistics.results import no_result, result, uncorrelatable

Correlation = Literal["kendall", "pearson", "spearman"]
MANY = 10_000  # records whose pairs kendall can hold


def test(
    a: list[float],
    b: list[float],
    against: list[float],
    level: float,
    *,
    correlation: Correlation = "kendall",
    resamples: int = 1000,
    seed: int = 0,
) -> dict:
    """Return the test of two correlations; it needs three records that vary."""
    import numpy

    for values in (a, b):
        if none := uncorrelatable(values, against):
            return none
    if correlation == "kendall" and len(a) > MANY:
        return no_result(
            f"kendall compares all pairs of up to {MANY:,} records, these are "
            f"{len(a):,}: use correlation=spearman"
        )
    columns = [
        numpy.array(values if correlation == "pearson" else midranks(values)[0])
        for values in (a, b, against)
    ]
    x, y, people = ((column - column.mean()) / column.std() for column in columns)
    correlated = (by_order if correlation == "kendall" else by_product)(x, y, people)
    draws, unswapped, null = resampling.rng(seed), numpy.zeros((1, len(a)), bool), []
    step = max(1, (1 << 22) // len(a))
    for start in range(0, resamples, step):
        swapped = draws.integers(0, 2, (min(step, resamples - start), len(a))).astype(bool)
        null.append(correlated(swapped) - correlated(~swapped))
    r_a, r_b = float(correlated(unswapped)[0]), float(correlated(~unswapped)[0])
    return result(
        "difference",
        r_a - r_b,
        resampling.p_of_drawn(numpy.concatenate(null), r_a - r_b),
        r_a - r_b,
        effect=(f"difference of {correlation}", r_a - r_b),
        mean_a=r_a,
        mean_b=r_b,
    )


def by_product(x: Any, y: Any, people: Any) -> Callable[[Any], Any]:
    """Return the function that correlates x, with y in its place where swapped, with people.

    swapped: True where y takes the place of x (resamples, records).
    """

    def correlated(swapped: Any) -> Any:
        mixed = x + swapped * (y - x)
        mixed -= mixed.mean(axis=1, keepdims=True)
        return _ratio(mixed @ people, ((mixed**2).sum(axis=1) * len(people)) ** 0.5)

    return correlated


def by_order(x: Any, y: Any, people: Any) -> Callable[[Any], Any]:
    """Return the same for tau-b, from the orders of all pairs of records."""
    import numpy

    def orders(left: Any, right: Any) -> Any:
        return numpy.sign(left[:, None] - right[None, :]).astype(numpy.float32)

    truth = orders(people, people)
    strict = float((truth != 0).sum())

    def correlated(swapped: Any) -> Any:
        taken = (~swapped).astype(numpy.float32), swapped.astype(numpy.float32)
        gap, untied = numpy.zeros(len(swapped)), numpy.zeros(len(swapped))
        for left, x_left in zip(taken, (x, y), strict=True):
            for right, x_right in zip(taken, (x, y), strict=True):
                order = orders(x_left, x_right)
                gap += ((left @ (order * truth)) * right).sum(axis=1, dtype=float)
                differs = (order != 0).astype(numpy.float32)
                untied += ((left @ differs) * right).sum(axis=1, dtype=float)
        return _ratio(gap, numpy.sqrt(strict * untied))

    return correlated


def _ratio(association: Any, spread: Any) -> Any:
    """Return correlations; 0 where the swapped values are all equal, and go with nothing."""
    import numpy

    return numpy.divide(association, spread, out=numpy.zeros(len(spread)), where=spread > 1e-12)


TEST = HypothesisTest(test, takes="against", paired=True)
