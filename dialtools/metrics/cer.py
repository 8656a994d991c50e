"""Character error rate, edits by the length of the reference, from 0 to 1 and more; lower is better.

Edits are insertions, deletions and replacements of characters (code points), the
fewest that make the reference of the prediction (Levenshtein).  White space at
both ends does not matter; case and all else does.  Two empty texts score 0, a
text against an empty reference the number of its characters.  `edit` is the
same on a bounded scale.

>>> score(["the cat sat"], [["the cats sit"]])
[0.16666666666666666]
"""

from typing import Literal

from dialtools.wording import overlap

RANGE = (float("inf"), 0)


def score(predictions: list[str], references: list[list[str]], *, refs: Literal["min", "mean"] = "min") -> list[float]:
    """Return the rate of each prediction; refs: of several references the best counts (min), or their mean."""
    return overlap.best(str.strip, _rate, predictions, references, refs)


def _rate(prediction: str, reference: str) -> float:
    return overlap.edits(prediction, reference) / max(len(reference), 1)
