"""Unigram F1 of words in common, from 0 to 1; higher is better.

As in question answering: a word counts as often as it occurs in both texts,
of several references the best counts, and where neither text has a word the
two agree (1); where only one has none the score is 0.  Unlike the script of
SQuAD this keeps articles and, in every language, drops all punctuation.

Source: Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, section 6.1.

>>> score(["the cat sat", ""], [["the cat is here"], [""]])
[0.5714285714285715, 1.0]
"""

from dialtools import overlap, tokenizers

RANGE = (0, 1)
BY_LANGUAGE = {"tok": "words"}


def score(predictions: list[str], references: list[list[str]], *, tok: str = "words") -> list[float]:
    """Return the F1 of each prediction; tok names a tokenizer of tokenizers.py."""
    return overlap.best(_f1, predictions, references, tok)


def _f1(prediction: str, reference: str, tok: str) -> float:
    tokenize = tokenizers.named(tok)
    if not tokenize(prediction) and not tokenize(reference):
        return 1.0
    return overlap.ngram_f1(prediction, reference, 1, tok)
