"""Krippendorff's alpha: how far do any number of raters agree beyond chance?

Each --value is a rater, or a list of ratings.  A rater may skip items; items with fewer than two
ratings are left out and counted.  effect is alpha: 1 for perfect agreement, 0 for what chance
gives, below 0 for systematic disagreement.  scale sets the distance of two ratings: nominal
(equal or not; the ratings may be words), ordinal (the ratings between them) or interval (the
square of their difference).  effect_ci is the percentile interval over resampled items.

Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.

>>> items = [[1, 1, None], [2, 2, 3], [3, 3, 3], [2, None, 2]]
>>> round(test(items, 0.95, scale="interval")["effect"], 4)
0.8393
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import resampling
from dialtools.statistics.results import no_result, result, whole_numbers
from dialtools.system.errors import OptionError, show

Scale = Literal["nominal", "ordinal", "interval"]
LABELS = 100  # more distinct ratings are no ordinal scale


def test(
    items: Sequence[Sequence],
    level: float,
    *,
    scale: Scale = "nominal",
    resamples: int = 1000,
    seed: int = 0,
) -> dict:
    """Return alpha; it needs two items with two ratings each, and two different ratings.

    items: the ratings of each item, None where a rater gave none.
    """
    rated = [[rating for rating in item if rating is not None] for item in items]
    paired = [item for item in rated if len(item) > 1]
    labels = sorted({rating for item in paired for rating in item})
    about: dict[str, Any] = {
        "too_few_ratings": len(rated) - len(paired),
        "scale": scale,
        **whole_numbers(labels),
    }
    if len(paired) < 2 or len(labels) < 2:
        return no_result(
            "alpha needs two items with two ratings each, and two different ratings", **about
        )
    if scale != "nominal" and isinstance(labels[0], str):
        raise OptionError(f"krippendorff: an {scale} scale has numbers, not {show(labels[0])}")
    if scale == "ordinal" and len(labels) > LABELS:
        return no_result(
            f"an ordinal scale has up to {LABELS} ratings, these are {len(labels)}", **about
        )
    import numpy

    score = (
        _interval_alpha(paired, labels)
        if scale == "interval"
        else _label_alpha(paired, labels, scale)
    )
    ci = resampling.items_interval(score, len(paired), level, resamples, seed)
    alpha: Any = score(numpy.ones(len(paired)))
    return result("alpha", alpha, None, None, effect=("alpha", alpha), effect_ci=ci, **about)


def _interval_alpha(items: list[list[float]], labels: list[float]) -> Callable[[Any], float | None]:
    """Return the function that computes alpha of an interval scale from the items' weights."""
    import numpy

    centre = labels[len(labels) // 2]  # squares of large ratings would lose their differences
    sizes = numpy.array([len(item) for item in items], float)
    sums = numpy.array([sum(x - centre for x in item) for item in items])
    squares = numpy.array([sum((x - centre) ** 2 for x in item) for item in items])
    within = 2 * (sizes * squares - sums**2) / (sizes - 1)

    def alpha(weights: Any) -> float | None:
        weights = weights.astype(float)  # products of whole numbers with others are slow
        n, total, square = weights @ sizes, weights @ sums, weights @ squares
        expected = 2 * (n * square - total**2) / (n - 1)
        return 1 - float(weights @ within / expected) if expected > 0 else None

    return alpha


def _label_alpha(items: list[list], labels: list, scale: str) -> Callable[[Any], float | None]:
    """Return the function that computes alpha of a nominal or ordinal scale, likewise."""
    import numpy

    places = {label: place for place, label in enumerate(labels)}
    counts = numpy.zeros((len(items), len(labels)))
    for row, item in zip(counts, items, strict=True):
        for label, count in Counter(item).items():
            row[places[label]] = count
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)

    def alpha(weights: Any) -> float | None:
        weights = weights.astype(float)
        totals = weights @ counts
        together = (shares * weights[:, None]).T @ counts
        together -= numpy.diag(weights @ shares)  # a rating is no pair with itself
        if scale == "nominal":
            apart = 1 - numpy.eye(len(labels))
        else:
            # squares of the ratings between two, half their own
            ranks = numpy.cumsum(totals) - totals / 2
            apart = (ranks[:, None] - ranks[None, :]) ** 2
        expected = float((numpy.outer(totals, totals) * apart).sum()) / (totals.sum() - 1)
        return 1 - float((together * apart).sum()) / expected if expected > 0 else None

    return alpha


TEST = HypothesisTest(test, takes="raters", words={"scale": "nominal"})
