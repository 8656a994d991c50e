"""Distinct-4, different runs of four words divided by all, from 0 to 1; higher is more varied.

Short texts score higher because they have less room for repetition. A text of fewer than four
words scores 0. The mean over records is not the value of the data set, whose texts repeat each
other: `from_statistics` gives that. It falls with the number of texts, so compare only data sets
or groups of the same size.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> score(["no no no yes"])
[1.0]
>>> from_statistics(statistics(["no no no yes so", "no no no yes so"]))
0.5
"""

from collections.abc import Iterable

from dialtools.metrics import _distinct
from dialtools.plugins.metric import Corpus, Metric


def score(predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of different runs of four words; tok: one of wording/tokenizers.py."""
    return [_distinct.share([row]) for row in statistics(predictions, tok=tok)]


def statistics(predictions: list[str], *, tok: str = "words") -> list[list[str]]:
    """Return the runs of four words of each prediction, joined by spaces."""
    return _distinct.statistics(predictions, 4, tok)


def from_statistics(rows: Iterable[list[str]]) -> float:
    """Return the share in a data set from the statistics of its records, not sums of them."""
    return _distinct.share(rows)


METRIC = Metric(
    score,
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(statistics, from_statistics),
)
