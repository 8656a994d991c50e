"""ROUGE-Lsum, the F1 of the longest common subsequences of lines, from 0 to 1; higher is better.

Each line of the reference is compared with all lines of the prediction; what
any of them shares with it counts.  Without line ends it is ROUGE-L: put each
sentence on a line of its own.  Of several references the best counts.  An
empty text scores 0.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score
package (without stemming) to the last digit.

>>> score(["it sat\\nthe cat"], [["the cat\\nit is here"]])
[0.6666666666666665]
"""

from dialtools import overlap

RANGE = (0, 1)
BY_LANGUAGE = {"tok": "tokenizer"}


def score(predictions: list[str], references: list[list[str]], *, tok: str = "rouge") -> list[float]:
    """Return the ROUGE-Lsum of each prediction; tok names a tokenizer of tokenizers.py."""
    return overlap.best(overlap.sentence_lcs_f1, predictions, references, tok)
