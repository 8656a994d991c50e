"""Distinct-1, different words divided by all of a prediction, from 0 to 1; higher is more varied.

Short texts score higher, for they have less room to repeat themselves.  A text
without a word scores 0.
This is the value of each record and its mean; that of the whole data set, whose
texts repeat each other, is what `from_statistics` gives.  It falls with the number
of texts: it compares data sets, or groups, of one size alone.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> score(["no no no yes"])
[0.5]
>>> from_statistics(statistics(["no no no yes so", "no no no yes so"]))
0.3
"""

from collections.abc import Iterable

from dialtools.metrics import _distinct

NEEDS = ("prediction",)
BY_LANGUAGE = {"tok": "words"}


def score(predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of different words in each prediction; tok names a tokenizer of tokenizers.py."""
    return [_distinct.share([row]) for row in statistics(predictions, tok=tok)]


def statistics(predictions: list[str], *, tok: str = "words") -> list[list[str]]:
    """Return the words of each prediction."""
    return _distinct.statistics(predictions, 1, tok)


def from_statistics(rows: Iterable[list[str]]) -> float:
    """Return the share of different words in a data set from the statistics of its records; sums would not do."""
    return _distinct.share(rows)
