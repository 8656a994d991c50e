"""Exact match, 1 where the prediction equals a reference, else 0; from 0 to 1, higher is better.

White space at both ends does not count; case, punctuation and everything else does. An empty
prediction matches an empty reference, which marks an unanswerable question.

>>> score(["Yes ", "yes"], [["Yes", "No"], ["Yes"]])
[1.0, 0.0]
"""

from dialtools.plugins.metric import Metric


def score(predictions: list[str], references: list[list[str]]) -> list[float]:
    """Return 1.0 or 0.0 for each prediction."""
    return [
        float(prediction.strip() in [text.strip() for text in texts])
        for prediction, texts in zip(predictions, references, strict=True)
    ]


METRIC = Metric(score, range=(0, 1), symmetric=True)
