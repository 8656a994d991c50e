"""Length ratio, words of prediction by words of reference, from 0 to any number; 1 is neutral.

Of several references the closest in length counts, and the shorter of two equally close ones. A
reference without a word counts as one word; two texts without any word have the ratio 1.

>>> score(["the cat sat", ""], [["the cat is here"], [""]])
[0.75, 1.0]
"""

from dialtools.plugins.metric import Metric
from dialtools.text import tokenizers


def score(
    predictions: list[str], references: list[list[str]], *, tok: str = "words"
) -> list[float]:
    """Return the ratio of each prediction; tok: a tokenizer of wording/tokenizers.py."""
    return [
        _ratio(prediction, texts, tok)
        for prediction, texts in zip(predictions, references, strict=True)
    ]


def _ratio(prediction: str, references: list[str], tok: str) -> float:
    count = tokenizers.named(tok)
    length = len(count(prediction))
    closest = min(
        (len(count(text)) for text in references), key=lambda other: (abs(length - other), other)
    )
    return length / max(closest, 1) if length or closest else 1.0


METRIC = Metric(score, references="closest", by_language={"tok": "words"})
