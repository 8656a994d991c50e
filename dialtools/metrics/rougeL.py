"""ROUGE-L, the F1 of the longest common subsequence of words, from 0 to 1; higher is better.

The subsequence may have gaps; line ends are spaces.  Of several references the
best counts.  An empty text scores 0.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score
package (without stemming) to the last digit.

>>> score(["the cat sat"], [["the cat is here"]])
[0.5714285714285715]
"""

from dialtools import overlap

RANGE = (0, 1)
BY_LANGUAGE = {"tok": "tokenizer"}


def score(predictions: list[str], references: list[list[str]], *, tok: str = "rouge") -> list[float]:
    """Return the ROUGE-L of each prediction; tok names a tokenizer of tokenizers.py."""
    return overlap.best(overlap.lcs_f1, predictions, references, tok)
