"""Distinct-4, different runs of four words divided by all, from 0 to 1; higher is more varied.

Short texts score higher because they have less room for repetition. A text of fewer than four words
scores 0. Results have the value of the data set, whose texts repeat each other, and beside it the
mean over records. It falls with the number of texts, so compare only data sets or groups of the
same size; it has neither interval nor test, as texts that are drawn twice repeat each other.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> score(["no no no yes"])
[1.0]
>>> from_statistics(statistics(["no no no yes so", "no no no yes so"]))
0.5
"""

from collections.abc import Iterable, Mapping

from dialtools.metrics import _distinct
from dialtools.plugins.metric import Corpus, Metric


def score(predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of different runs of four words; tok: one of wording/tokenizers.py."""
    return list(map(of_record, statistics(predictions, tok=tok)))


def statistics(predictions: list[str], *, tok: str = "words") -> list[dict[str, int]]:
    """Return how often each run of four words of a prediction is there."""
    return _distinct.statistics(predictions, 4, tok)


def of_record(row: Mapping[str, float]) -> float:
    """Return the share in a record from its statistics."""
    return _distinct.share([row])


def from_statistics(rows: Iterable[Mapping[str, float]]) -> float:
    """Return the share in a data set from the statistics of its records, or sums of them."""
    return _distinct.share(rows)


METRIC = Metric(
    score,
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(statistics, from_statistics, of_record=of_record, resampled=False),
)
