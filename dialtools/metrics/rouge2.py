"""ROUGE-2, the F1 of word pairs in common, from 0 to 1; higher is better.

A pair of neighbouring words counts as often as it occurs in both texts.  Of several references the
best counts.  A text of fewer than two
words scores 0.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score
package (without stemming) to the last digit.

>>> score(["the cat sat"], [["the cat is here"]])
[0.4]
"""

from dialtools import overlap

RANGE = (0, 1)
BY_LANGUAGE = {"tok": "tokenizer"}


def score(predictions: list[str], references: list[list[str]], *, tok: str = "rouge") -> list[float]:
    """Return the ROUGE-2 of each prediction; tok names a tokenizer of tokenizers.py."""
    return overlap.best(overlap.ngram_f1, predictions, references, 2, tok)
