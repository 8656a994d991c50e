"""Unigram F1 of words in common, from 0 to 1; higher is better.

As in question answering: a word counts as often as it occurs in both texts, and the best of
several references counts. Two texts without a word agree (1); if only one has none, the score is
0. Unlike the SQuAD script it keeps articles, and it drops all punctuation in every language.

Source: Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, section 6.1.

>>> score(["the cat sat", ""], [["the cat is here"], [""]])
[0.5714285714285715, 1.0]
"""

from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.text import overlap, tokenizers


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "words",
    refs: Literal["max", "mean"] = "max",
) -> list[float]:
    """Return the F1 of each prediction.

    tok: a tokenizer of wording/tokenizers.py.
    refs: take the best of several references (max), or their mean.
    """
    known = overlap.bags(tokenizers.named(tok), predictions, references)
    common = overlap.in_bags(predictions, references)

    def compare(own: list, others: list) -> list[float]:
        scores = overlap.f1s(common, own, others)
        return [
            value if one or other else 1.0
            for value, one, other in zip(scores, own, others, strict=False)
        ]

    return overlap.best_of(known, compare, predictions, references, refs)


METRIC = Metric(score, range=(0, 1), symmetric=True, by_language={"tok": "words"})
