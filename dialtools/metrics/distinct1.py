"""Distinct-1, different words divided by all words of a prediction, from 0 to 1.

High where a text does not repeat itself; short texts score higher.  A text
without a word scores 0.  This is the value of each record and its mean, not
the distinct-1 of the whole data set.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> score(["no no no yes"])
[0.5]
"""

from dialtools import overlap

NEEDS = ("prediction",)
BY_LANGUAGE = {"tok": "words"}


def score(predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of different words of each prediction; tok names a tokenizer of tokenizers.py."""
    return [overlap.distinct(prediction, 1, tok) for prediction in predictions]
