"""Cohen's kappa of labels: agreement beyond chance, from -1 to 1; higher is better, 0 is chance.

This is a value of a data set; it is 1 where everything has the same label. A single record scores
1 if its labels are the same, else 0; the mean over records is the accuracy. White space and case
count as in accuracy.

Source: Cohen 1960, https://doi.org/10.1177/001316446002000104; equal to scikit-learn's
cohen_kappa_score.

>>> predictions, references = ["a", "a", "b", "b"], [["a"], ["b"], ["b"], ["b"]]
>>> from_statistics(statistics(predictions, references))
0.5
"""

from collections.abc import Iterable

from dialtools.metrics import _labels
from dialtools.plugins.metric import Corpus, Metric

counts, statistics = _labels.left_out, _labels.statistics


def score(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[float | None]:
    """Return 1.0 or 0.0 for each prediction; refs as in accuracy."""
    return _labels.agreement(predictions, references, refs)


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return the kappa of a data set from the statistics of its records, or sums of them."""
    counts = _labels.summed(rows)
    true, predicted = _labels.marginals(counts)
    n = sum(counts.values())
    agreed = sum(count for (one, other), count in counts.items() if one == other)
    by_chance = sum(count * predicted[label] for label, count in true.items()) / n if n else 0
    return _labels.kappa(n - agreed, n - by_chance, n)


METRIC = Metric(
    score,
    range=(0, 1),
    symmetric=True,
    corpus=Corpus(statistics, from_statistics, mean="their accuracy", bounds=(-1, 1)),
    pairs=_labels.pairs,
    counts=counts,
)
