"""Unigram F1 of words in common, from 0 to 1; higher is better.

As in question answering: a word counts as often as it occurs in both texts,
of several references the best counts, and where neither text has a word the
two agree (1); where only one has none the score is 0.  Unlike the script of
SQuAD this keeps articles and, in every language, drops all punctuation.

Source: Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, section 6.1.

>>> score(["the cat sat", ""], [["the cat is here"], [""]])
[0.5714285714285715, 1.0]
"""

from typing import Literal

from dialtools import overlap

RANGE = (0, 1)
SYMMETRIC = True
BY_LANGUAGE = {"tok": "words"}


def score(predictions: list[str], references: list[list[str]], *, tok: str = "words",
          refs: Literal["max", "mean"] = "max") -> list[float]:
    """Return the F1 of each prediction.

    tok: one of tokenizers.py.
    refs: of several references the best counts (max), or their mean.
    """
    compare = overlap.f1_of(overlap.in_bags(predictions, references))
    return overlap.best(overlap.bags(tok), lambda one, other: compare(one, other) if one or other else 1.0,
                        predictions, references, refs)
