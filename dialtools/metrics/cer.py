"""Character error rate, edits by the reference's length, from 0 to 1 and more; lower is better.

The smallest number of insertions, deletions and replacements of characters (code points) that
turn the prediction into the reference (Levenshtein). White space at both ends does not count;
case and everything else does. Two empty texts score 0; a text against an empty reference scores
its number of characters. `edit` is the same on a bounded scale.

>>> score(["the cat sat"], [["the cats sit"]])
[0.16666666666666666]
"""

from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.text import overlap


def score(
    predictions: list[str], references: list[list[str]], *, refs: Literal["min", "mean"] = "min"
) -> list[float]:
    """Return the rate of each prediction.

    refs: take the best of several references (min), or their mean.
    """
    return overlap.best(str.strip, _rate, predictions, references, refs)


def _rate(prediction: str, reference: str) -> float:
    return overlap.edits(prediction, reference) / max(len(reference), 1)


METRIC = Metric(score, range=(float("inf"), 0))
