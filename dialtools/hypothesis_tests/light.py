"""Light's kappa: the mean of Cohen's kappa over all pairs of raters.

Each --value is a rater.  weights is none (the ratings may be words), linear or quadratic, as in the
test kappa: with quadratic it is the mean quadratic weighted kappa (QWK).  A pair of raters is compared on the items
that both rated; lowest and highest are the extremes of the pairs.  effect_ci is the percentile
interval over resampled items.

Source: Light 1971, https://doi.org/10.1037/h0031643.

>>> items = [[1, 1, 1], [2, 2, 2], [3, 3, 2], [1, 2, 1]]
>>> round(test(items, 0.95, weights="quadratic")["effect"], 4)
0.6833
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import resampling
from dialtools.statistics.results import no_result, result, whole_numbers

LABELS = 100  # more distinct values are hardly labels
Weights = Literal["none", "linear", "quadratic"]


def test(
    items: Sequence[Sequence],
    level: float,
    *,
    weights: Weights = "none",
    resamples: int = 1000,
    seed: int = 0,
) -> dict:
    """Return the mean kappa; it needs two raters who give more than one label.

    items: the ratings of each item, None where a rater gave none.
    """
    import numpy

    labels = sorted({rating for item in items for rating in item if rating is not None})
    if len({len(item) for item in items}) > 1:
        return no_result("kappa compares raters: give each a --value of its own")
    if not 1 < len(labels) <= LABELS:
        return no_result(f"kappa compares 2 to {LABELS} labels, got {len(labels)}")
    distances = _distances(labels, weights)
    place = {label: at for at, label in enumerate(labels)}
    raters = numpy.array([[-1 if x is None else place[x] for x in item] for item in items]).T
    kappas = _known(_kappas(raters, distances))
    if not kappas:
        return no_result("kappa needs two raters who share items and give more than one label")

    def score(times: Any) -> float | None:
        own = _known(_kappas(numpy.repeat(raters, times, axis=1), distances))
        return sum(own) / len(own) if own else None

    ci = resampling.of_items(score, len(items), level, resamples, seed)
    mean = sum(kappas) / len(kappas)
    return result(
        "kappa",
        mean,
        None,
        None,
        effect=("kappa", mean),
        effect_ci=ci,
        lowest=min(kappas),
        highest=max(kappas),
        weights=weights,
        **whole_numbers(labels),
    )


def _known(kappas: list[float | None]) -> list[float]:
    """Return the kappas of all pairs; [] if one has none."""
    known = [kappa for kappa in kappas if kappa is not None]
    return known if len(known) == len(kappas) else []


def _distances(labels: list, weights: Weights):
    """Return the distance of each two labels (labels, labels), from 0 to 1."""
    import numpy

    if weights == "none":
        return 1.0 - numpy.eye(len(labels))
    values = numpy.array(labels, float)
    gaps = abs(values[:, None] - values[None, :]) / (values[-1] - values[0])
    return gaps if weights == "linear" else gaps**2


def _kappas(raters, distances) -> list[float | None]:
    """Return Cohen's kappa of each pair of raters; None without a disagreement by chance."""
    import numpy

    size, found = len(distances), []
    for one, other in combinations(raters, 2):
        both = (one >= 0) & (other >= 0)
        pairs = numpy.bincount(one[both] * size + other[both], minlength=size * size)
        table = pairs.reshape(size, size)
        n = table.sum()
        by_chance = (numpy.outer(table.sum(axis=1), table.sum(axis=0)) * distances).sum()
        found.append(1 - float(n * (table * distances).sum() / by_chance) if by_chance else None)
    return found


TEST = HypothesisTest(test, takes="raters", words={"weights": "none"})
