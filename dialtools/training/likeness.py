"""How well vectors of texts tell alike texts from others."""

from itertools import combinations
from typing import Any

from dialtools.statistics.effects import product_moment
from dialtools.statistics.moments import is_constant, midranks
from dialtools.training.pairs import Examples

MOST = 2000  # texts of groups that are compared with each other
BEST = {
    "binary": "auc",
    "graded": "spearman",
    "groups": "auc",
    "positive": "accuracy@1",
    "vectors": "accuracy@1",
}


def measured(found: Examples, vectors: Any, others: Any) -> dict[str, float]:
    """Return the measures of a kind of examples, from 0 to 1 (spearman from -1); higher is better.

    binary, groups: "auc", the probability that a pair of alike texts is nearer than another pair.
    graded: "spearman", the correlation of cosine and target.
    positive, vectors: "accuracy@1" and "accuracy@5", the share of texts whose own partner is the
    nearest, or among the five nearest, of all partners; partners that are equal count as one.

    vectors, others: of the texts and their partners (examples, dimensions), of length 1.
    """
    if found.kind == "groups":
        return {"auc": _auc_of_groups(found.groups[:MOST], vectors[:MOST])}
    if found.kind in ("binary", "graded"):
        cosines = (vectors * others).sum(axis=1).tolist()
        if found.kind == "binary":
            return {"auc": auc(cosines, found.targets)}
        one, other = midranks(cosines)[0], midranks(found.targets)[0]
        return {"spearman": 0.0 if is_constant(one) else product_moment(one, other)}
    return {f"accuracy@{k}": accuracy_at(vectors, others, k) for k in (1, 5)}


def auc(scores: list[float], targets: list[float]) -> float:
    """Return the area under the ROC curve, ties counted as half; 0.5 without both targets.

    >>> auc([0.9, 0.4, 0.5, 0.1], [1, 1, 0, 0])
    0.75
    """
    placed = midranks(scores)[0]
    positive = [rank for rank, target in zip(placed, targets, strict=True) if target == 1]
    n, m = len(positive), len(targets) - len(positive)
    return (sum(positive) - n * (n + 1) / 2) / (n * m) if n and m else 0.5


def _auc_of_groups(groups: list[int], vectors: Any) -> float:
    cosines = vectors @ vectors.T
    pairs = list(combinations(range(len(groups)), 2))
    return auc(
        [float(cosines[pair]) for pair in pairs],
        [float(groups[one] == groups[other]) for one, other in pairs],
    )


def accuracy_at(vectors: Any, others: Any, k: int) -> float:
    """Return the share of vectors with fewer than k partners nearer than their own."""
    import numpy

    distinct, own = numpy.unique(numpy.asarray(others), axis=0, return_inverse=True)
    own, hits = own.reshape(-1), 0
    for start in range(0, len(vectors), MOST):
        part = slice(start, start + MOST)
        cosines = vectors[part] @ distinct.T
        mine = numpy.take_along_axis(cosines, own[part, None], 1)
        hits += int(((cosines > mine).sum(axis=1) < k).sum())
    return hits / len(vectors)
