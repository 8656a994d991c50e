"""Distinct-2, different pairs of neighbouring words divided by all of them, from 0 to 1.

High where a text does not repeat itself; short texts score higher.  A text
of fewer than two words scores 0.  This is the value of each record and its mean, not
the distinct-2 of the whole data set.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> score(["no no no yes"])
[0.6666666666666666]
"""

from dialtools import overlap

NEEDS = ("prediction",)
BY_LANGUAGE = {"tok": "words"}


def score(predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of different word pairs of each prediction; tok names a tokenizer of tokenizers.py."""
    return [overlap.distinct(prediction, 2, tok) for prediction in predictions]
