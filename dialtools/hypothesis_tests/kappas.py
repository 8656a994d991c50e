"""Agreement of raters beyond chance by kappa: of two (kappa), of pairs (light), of many (fleiss).

kappa: the values are the raters' labels, as numbers; weights=none counts only equal labels, linear
and quadratic count nearer labels as more agreement (quadratic is QWK).  effect is kappa, from -1 to
1, with its large-sample interval, unless that has no width; p is that of kappa = 0.  Source: Cohen
1968, https://doi.org/10.1037/h0026256; standard errors: Fleiss, Cohen and Everitt 1969,
https://doi.org/10.1037/h0028106.  Equal to statsmodels.stats.inter_rater.cohens_kappa.

light: each --value is a rater.  weights is none (the ratings may be words), linear or quadratic, as
in the test kappa: with quadratic it is the mean quadratic weighted kappa (QWK).  A pair of raters is
compared on the items that both rated; lowest and highest are the extremes of the pairs.  effect_ci
is the percentile interval over resampled items.  Source: Light 1971,
https://doi.org/10.1037/h0031643.

fleiss: each --value is a rater, or a list of ratings, which may be words; the raters of one item
need not be those of another.  effect is kappa: 1 for perfect agreement, 0 for what chance gives.  p
is that of kappa = 0, by the large-sample standard error; effect_ci is the percentile interval over
resampled items.  Where items differ in their number of ratings, use krippendorff.  Source: Fleiss
1971, https://doi.org/10.1037/h0031619; standard error: Fleiss, Nee and Landis 1979,
https://doi.org/10.1037/0033-2909.86.5.974.  Equal to statsmodels.stats.inter_rater.fleiss_kappa.

>>> round(kappa.test([1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 2.0, 2.0], 0.95)["effect"], 4)
0.5
>>> items = [[1, 1, 1], [2, 2, 2], [3, 3, 2], [1, 2, 1]]
>>> round(light.test(items, 0.95, weights="quadratic")["effect"], 4)
0.6833
>>> round(fleiss.test([["a", "a"], ["a", "b"], ["b", "b"]], 0.95)["effect"], 4)
0.3333
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum, sqrt
from typing import Any, Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, resampling
from dialtools.statistics.results import no_result, result, too_few, whole_numbers

LABELS = 100  # more distinct values are hardly labels
_NO_VARIANCE = 1e-24  # rounding makes some 1e-31

Weights = Literal["none", "linear", "quadratic"]
PerPair = Mapping[tuple[float, float], float]  # of labels


def agreement_of_two(
    a: list[float], b: list[float], level: float, *, weights: Weights = "none"
) -> dict:
    """Return Cohen's kappa; it needs raters who give more than one label."""
    if none := too_few(len(a), 1):
        return none
    labels = sorted({*a, *b})
    if len(labels) > LABELS:
        return no_result(f"kappa compares up to {LABELS} labels, got {len(labels)}")
    for rater in (a, b):
        if len(set(rater)) == 1:
            return no_result(f"a rater gives no label but {rater[0]:g}: no agreement beyond chance")
    n, rows, columns = len(a), Counter(a), Counter(b)
    distance = {(x, y): _distance(x, y, labels, weights) for x in rows for y in columns}
    counts = Counter(zip(a, b, strict=True))
    by_chance = {(x, y): p * q for x, p in rows.items() for y, q in columns.items()}
    expected = _mean(distance, by_chance)
    disagreement = _mean(distance, counts) / expected  # exactly 0 where all agree
    kappa = 1 - disagreement

    # the mean distance of a label of one rater from the labels of the other
    row = {x: sum(distance[x, y] * q for y, q in columns.items()) / n for x in rows}
    column = {y: sum(distance[x, y] * p for x, p in rows.items()) / n for y in columns}
    chance = _variance(
        {(x, y): distance[x, y] - row[x] - column[y] for x, y in by_chance}, by_chance
    )
    variance = _variance(
        {(x, y): distance[x, y] - (row[x] + column[y]) * disagreement for x, y in counts}, counts
    )
    if chance < _NO_VARIANCE:
        return no_result("no variance by chance")
    z = kappa / (sqrt(chance / n) / expected)
    half = distributions.normal_critical(level) * sqrt(variance / n) / expected
    return result(
        "z",
        z,
        distributions.normal_outside(z),
        None,
        effect=("kappa", kappa),
        effect_ci=[kappa - half, kappa + half] if variance >= _NO_VARIANCE else None,
        agreement=sum(x == y for x, y in zip(a, b, strict=True)) / n,
        weights=weights,
        **whole_numbers(labels),
    )


def _distance(x: float, y: float, labels: list[float], weights: str) -> float:
    """Return the distance of two labels, from 0 to 1."""
    if weights == "none":
        return float(x != y)
    distance = abs(x - y) / (labels[-1] - labels[0])
    return distance if weights == "linear" else distance**2


def _mean(values: PerPair, counts: PerPair) -> float:
    return fsum(count * values[pair] for pair, count in counts.items()) / sum(counts.values())


def _variance(values: PerPair, counts: PerPair) -> float:
    mean = _mean(values, counts)
    return _mean({pair: (values[pair] - mean) ** 2 for pair in counts}, counts)


def agreement_of_pairs(
    items: Sequence[Sequence],
    level: float,
    *,
    weights: Weights = "none",
    resamples: int = 1000,
    seed: int = 0,
) -> dict:
    """Return Light's mean kappa; it needs two raters who give more than one label.

    items: the ratings of each item, None where a rater gave none.
    """
    import numpy

    labels = sorted({rating for item in items for rating in item if rating is not None})
    if len({len(item) for item in items}) > 1:
        return no_result("kappa compares raters: give each a --value of its own")
    if not 1 < len(labels) <= LABELS:
        return no_result(f"kappa compares 2 to {LABELS} labels, got {len(labels)}")
    steps: Weights = "none" if weights == "none" else "linear"
    distances = numpy.array([[_distance(x, y, labels, steps) for y in labels] for x in labels])
    if weights == "quadratic":
        distances = distances**2  # of numpy, which rounds otherwise than Python's power
    places = {label: place for place, label in enumerate(labels)}
    raters = numpy.array([[-1 if x is None else places[x] for x in item] for item in items]).T
    kappas = _kappas_of_pairs(raters, distances)
    if not kappas:
        return no_result("kappa needs two raters who share items and give more than one label")

    def mean_kappa(times: Any) -> float | None:
        drawn = _kappas_of_pairs(numpy.repeat(raters, times, axis=1), distances)
        return sum(drawn) / len(drawn) if drawn else None

    mean = sum(kappas) / len(kappas)
    return result(
        "kappa",
        mean,
        None,
        None,
        effect=("kappa", mean),
        effect_ci=resampling.items_interval(mean_kappa, len(items), level, resamples, seed),
        lowest=min(kappas),
        highest=max(kappas),
        weights=weights,
        **whole_numbers(labels),
    )


def _kappas_of_pairs(raters: Any, distances: Any) -> list[float]:
    """Return Cohen's kappa of each pair of raters; [] if one has no disagreement by chance.

    raters: the place of each one's label for each item, or -1 (raters, items).
    distances: of labels (labels, labels).
    """
    import numpy

    size, kappas = len(distances), []
    for a, b in combinations(raters, 2):
        both = (a >= 0) & (b >= 0)
        pairs = numpy.bincount(a[both] * size + b[both], minlength=size * size)
        table = pairs.reshape(size, size)
        by_chance = (numpy.outer(table.sum(axis=1), table.sum(axis=0)) * distances).sum()
        if not by_chance:
            return []
        kappas.append(1 - float(table.sum() * (table * distances).sum() / by_chance))
    return kappas


def agreement_of_many(
    items: Sequence[Sequence], level: float, *, resamples: int = 1000, seed: int = 0
) -> dict:
    """Return Fleiss' kappa; it needs two different ratings, and as many ratings for each item.

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

    def kappa_of(counts: Any) -> float | None:
        """Return kappa of counts (items, labels); None without variety."""
        shares = counts.sum(axis=0) / counts.sum()
        by_chance = float((shares**2).sum())
        agreed = float(((counts**2).sum(axis=1) - m).mean()) / (m * (m - 1))
        return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else None

    kappa: Any = kappa_of(counts)
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
        effect_ci=resampling.items_interval(
            lambda times: kappa_of(numpy.repeat(counts, times, axis=0)), n, level, resamples, seed
        ),
        scale="nominal",
        **whole_numbers(labels),
    )


kappa = HypothesisTest(
    agreement_of_two,
    paired=True,
    summary="Cohen's kappa: how far do two raters agree beyond chance?",
)
light = HypothesisTest(
    agreement_of_pairs,
    takes="raters",
    words={"weights": "none"},
    summary="Light's kappa: the mean of Cohen's kappa over all pairs of raters.",
)
fleiss = HypothesisTest(
    agreement_of_many,
    takes="raters",
    words=True,
    summary="Fleiss' kappa: do several raters, the same number for each item, agree beyond chance?",
)
