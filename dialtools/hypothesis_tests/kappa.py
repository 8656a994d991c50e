"""Cohen's kappa: how far do two raters agree beyond chance?

The values are the raters' labels, as numbers; weights=none counts only equal
labels, linear and quadratic count nearer labels as more agreement (quadratic is
QWK).  effect is kappa, from -1 to 1, with its large-sample interval, unless that
has no width; p is that of kappa = 0.

Source: Cohen 1968, https://doi.org/10.1037/h0026256; standard errors: Fleiss,
Cohen and Everitt 1969, https://doi.org/10.1037/h0028106.  Equal to
statsmodels.stats.inter_rater.cohens_kappa.

>>> round(test([1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 2.0, 2.0], 0.95)["effect"], 4)
0.5
"""

from collections import Counter
from collections.abc import Mapping
from math import fsum, sqrt
from typing import Literal

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions
from dialtools.statistics.results import no_result, result, too_few, whole_numbers

LABELS = 100  # more distinct values are hardly labels
_NO_VARIANCE = 1e-24  # rounding makes some 1e-31

PerPair = Mapping[tuple[float, float], float]  # of labels


def test(
    a: list[float],
    b: list[float],
    level: float,
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
) -> dict:
    """Return the agreement; it needs raters who give more than one label."""
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
    given = Counter(zip(a, b, strict=True))
    by_chance = {(x, y): p * q for x, p in rows.items() for y, q in columns.items()}
    expected = _mean(distance, by_chance)
    left = _mean(distance, given) / expected  # exactly 0 where all agree
    kappa = 1 - left
    # the mean distance of a label of one rater from the labels of the other
    row = {x: sum(distance[x, y] * q for y, q in columns.items()) / n for x in rows}
    column = {y: sum(distance[x, y] * p for x, p in rows.items()) / n for y in columns}
    chance = _variance(
        {(x, y): distance[x, y] - row[x] - column[y] for x, y in by_chance}, by_chance
    )
    variance = _variance(
        {(x, y): distance[x, y] - (row[x] + column[y]) * left for x, y in given}, given
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


TEST = HypothesisTest(test, paired=True)
