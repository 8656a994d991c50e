"""Fleiss' kappa: do several raters, the same number for each item, agree beyond chance?

Each --value is a rater, or a list of ratings, which may be words; the raters of one item need not
be those of another.  effect is kappa: 1 for perfect agreement, 0 for what chance gives.  p is that
of kappa = 0, by the large-sample standard error; effect_ci is the percentile interval over
resampled items.  Where items differ in their number of ratings, use krippendorff.

Source: Fleiss 1971, https://doi.org/10.1037/h0031619; standard error: Fleiss, Nee and Landis 1979,
https://doi.org/10.1037/0033-2909.86.5.974.  Equal to
statsmodels.stats.inter_rater.fleiss_kappa.

>>> round(test([["a", "a"], ["a", "b"], ["b", "b"]], 0.95)["effect"], 4)
0.3333
"""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Any

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, resampling
from dialtools.statistics.results import no_result, result, whole_numbers


def test(items: Sequence[Sequence], level: float, *, resamples: int = 1000, seed: int = 0) -> dict:
    """Return kappa; it needs two different ratings, and as many ratings for each item.

    items: the ratings of each item, None where a rater gave none.
    """
    import numpy

    rated = [Counter(rating for rating in item if rating is not None) for item in items]
    sizes = sorted({item.total() for item in rated})
    labels = sorted(set().union(*rated))
    if len(sizes) > 1:
        return no_result(
            f"items have {sizes[0]} to {sizes[-1]} ratings: kappa needs as many for "
            "each, krippendorff does not"
        )
    if len(labels) < 2 or sizes[0] < 2:
        return no_result("kappa needs two ratings of each item, and two different ratings")
    counts = numpy.array([[item[label] for label in labels] for item in rated], float)
    n, m = len(counts), sizes[0]
    ci = resampling.of_items(
        lambda times: _kappa(numpy.repeat(counts, times, axis=0), m), n, level, resamples, seed
    )
    kappa: Any = _kappa(counts, m)
    shares = counts.sum(axis=0) / (n * m)
    chance = float((shares * (1 - shares)).sum())
    skew = float((shares * (1 - shares) * (1 - 2 * shares)).sum())
    z = kappa / (sqrt(2 * (chance**2 - skew)) / (chance * sqrt(n * m * (m - 1))))
    return result(
        "z",
        z,
        distributions.normal_outside(z),
        None,
        effect=("kappa", kappa),
        effect_ci=ci,
        scale="nominal",
        **whole_numbers(labels),
    )


def _kappa(counts, m: int) -> float | None:
    """Return kappa of counts (items, labels) with m ratings of each item; None without variety."""
    shares = counts.sum(axis=0) / counts.sum()
    by_chance = float((shares**2).sum())
    agreed = float(((counts**2).sum(axis=1) - m).mean()) / (m * (m - 1))
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else None


TEST = HypothesisTest(test, takes="raters", words=True)
