"""Accuracy at k, 1 if the reference is among the first k of a list, from 0 to 1; higher is better.

The prediction is a list, best first; a single text is a list of one. White space and case count as
in accuracy. Any of several references may match. A list shorter than k is used as it is. The mean
over records is the accuracy of a data set.

Source: accuracy@1, accuracy@5, … of linking mentions to concepts; equal to scikit-learn's
top_k_accuracy_score.

>>> score([["knee", "hip", "joint"], ["knee"]], [["joint"], ["hip"]], k=3)
[1.0, 0.0]
"""

from dialtools.metrics._labels import label
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError


def score(predictions: list[list[str]], references: list[list[str]], *, k: int = 5) -> list[float]:
    """Return 1.0 or 0.0 for each n-best list; k: how many of its items count, 1 or more."""
    if k < 1:
        raise OptionError(f"accuracy_at: k is 1 or more, not {k}")
    return [
        float(not set(map(label, found[:k])).isdisjoint(map(label, texts)))
        for found, texts in zip(predictions, references, strict=True)
    ]


METRIC = Metric(score, range=(0, 1), needs=("predictions", "reference"))
