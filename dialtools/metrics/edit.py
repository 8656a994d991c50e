"""Edit similarity, 1 minus edits by the length of the longer text, from 0 to 1; higher is better.

The normalised edit distance of characters (code points, Levenshtein) as a similarity. White space
at both ends does not count; case and everything else does. Two empty texts are equal (1).

>>> score(["the cat sat", ""], [["the cats sit"], [""]])
[0.8333333333333334, 1.0]
"""

from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.text import overlap


def score(
    predictions: list[str], references: list[list[str]], *, refs: Literal["max", "mean"] = "max"
) -> list[float]:
    """Return the similarity of each prediction.

    refs: take the best of several references (max), or their mean.
    """
    return overlap.best(str.strip, _similarity, predictions, references, refs)


def _similarity(prediction: str, reference: str) -> float:
    return 1 - overlap.edits(prediction, reference) / max(len(prediction), len(reference), 1)


METRIC = Metric(score, range=(0, 1), symmetric=True)
