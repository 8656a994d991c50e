"""Macro-F1 of labels: the mean of the F1 of each label, from 0 to 1; higher is better.

This is a value of a data set: each label that is true or predicted anywhere has the same weight,
and a label that is never right has F1 0. A single record scores 1 if its labels are the same, else
0; the mean over records is the accuracy. White space and case count as in accuracy.

Source: as in "Modeling collaborative dialogue in Minecraft with action-utterance model"; equal to
scikit-learn's f1_score with average="macro".

>>> predictions, references = ["a", "a", "b", "c"], [["a"], ["b"], ["b"], ["a"]]
>>> from_statistics(statistics(predictions, references))
0.38888888888888884
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
    """Return the macro-F1 of a data set from the statistics of its records, or sums of them."""
    found = _labels.f1(_labels.summed(rows)).values()
    return sum(found) / len(found) if found else 0.0


METRIC = Metric(
    score,
    range=(0, 1),
    symmetric=True,
    corpus=Corpus(statistics, from_statistics, mean="their accuracy"),
    pairs=_labels.pairs,
    counts=counts,
)
