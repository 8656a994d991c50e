"""Cohen's kappa: how far do two raters agree beyond chance?

The values are the raters' labels, numbers; weights=none counts agreement alone,
linear and quadratic take labels that lie nearer for more agreement (equal to
the quadratic weighted kappa, QWK).  effect is kappa, from -1 to 1, with its
large-sample interval (none where it has no width, as where all agree); p is that
of kappa = 0.

Source: Cohen 1968, https://doi.org/10.1037/h0026256; standard errors: Fleiss,
Cohen and Everitt 1969, https://doi.org/10.1037/h0028106.  Equal to
statsmodels.stats.inter_rater.cohens_kappa.

>>> round(test([1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 2.0, 2.0], 0.95)["effect"], 4)
0.5
"""

from collections import Counter
from math import sqrt
from typing import Literal

from dialtools.significance import _distributions as distributions
from dialtools.significance._answers import answer, no_answer, too_few

PAIRED = True
LABELS = 100  # more are no labels


def test(a: list[float], b: list[float], level: float, *,
         weights: Literal["none", "linear", "quadratic"] = "none") -> dict:
    """Return the agreement; there is none where a rater gives everything one label."""
    if none := too_few(len(a), 1):
        return none
    labels = sorted({*a, *b})
    if len(labels) > LABELS:
        return no_answer(f"kappa compares labels, here are {len(labels)} different values")
    constant = next((values[0] for values in (a, b) if len(set(values)) == 1), None)
    if constant is not None:
        return no_answer(f"a rater gives {constant:g} throughout: agreement cannot go beyond chance")
    weight = {(x, y): _agreement(x, y, labels, weights) for x in labels for y in labels}
    n, counts = len(a), Counter(zip(a, b, strict=True))
    rows, columns = ({x: count / n for x, count in Counter(values).items()} for values in (a, b))
    observed = sum(weight[pair] * count for pair, count in counts.items()) / n
    expected = sum(weight[x, y] * p * q for x, p in rows.items() for y, q in columns.items())
    kappa = (observed - expected) / (1 - expected)
    row = {x: sum(weight[x, y] * q for y, q in columns.items()) for x in labels}
    column = {y: sum(weight[x, y] * p for x, p in rows.items()) for y in labels}
    spread = sum(count / n * (weight[x, y] - (row[x] + column[y]) * (1 - kappa))**2 for (x, y), count in counts.items())
    chance = sum(p * q * (weight[x, y] - row[x] - column[y])**2 for x, p in rows.items() for y, q in columns.items())
    variance = spread - (kappa - expected * (1 - kappa))**2
    if chance - expected**2 <= 1e-15:  # not rounding alone
        return no_answer("chance makes no difference between these labels: there is no p")
    z = kappa / (sqrt((chance - expected**2) / n) / (1 - expected))
    half = distributions.normal_critical(level) * sqrt(max(variance, 0.0) / n) / (1 - expected)
    return answer("z", z, distributions.normal_outside(z), None, effect=("kappa", kappa),
                  effect_ci=[kappa - half, kappa + half] if variance > 1e-15 else None,
                  agreement=sum(x == y for x, y in zip(a, b, strict=True)) / n)


def _agreement(x: float, y: float, labels: list[float], weights: str) -> float:
    """Return what two labels count for, from 0 to 1."""
    if weights == "none":
        return float(x == y)
    return 1 - (abs(x - y) / (labels[-1] - labels[0]))**(1 if weights == "linear" else 2)
