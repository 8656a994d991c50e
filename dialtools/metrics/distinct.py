"""Distinct n-grams divided by all, from 0 to 1; higher is more varied.

distinct1 counts words, distinct2 pairs and distinct4 runs of four words.  Short texts score higher
because they have less room for repetition.  A text with too few words for one n-gram scores 0.
Results have the value of the data set, whose texts repeat each other, and beside it the mean over
records.  It falls with the number of texts, so compare only data sets or groups of the same size; it
has neither interval nor test, as texts that are drawn twice repeat each other.

Source: Li et al. 2016, https://aclanthology.org/N16-1014.

>>> distinct1.score(["no no no yes"]), distinct2.score(["no no no yes"])
([0.5], [0.6666666666666666])
>>> distinct4.corpus.score(distinct4.corpus.statistics(["no no no yes so", "no no no yes so"]))
0.5
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from dialtools.plugins.metric import Corpus, Metric
from dialtools.text import overlap, tokenizers


def score(n: int, predictions: list[str], *, tok: str = "words") -> list[float]:
    """Return the share of distinct n-grams in each prediction; tok: one of text/tokenizers.py."""
    return list(map(of_record, statistics(n, predictions, tok=tok)))


def statistics(n: int, predictions: list[str], *, tok: str = "words") -> list[dict[str, int]]:
    """Return how often each n-gram is in a prediction; it is written as words joined by spaces."""
    tokenize = tokenizers.named(tok)
    if n == 1:
        return [dict(Counter(tokenize(text))) for text in predictions]
    return [
        dict(Counter(map(" ".join, overlap.windows(tokenize(text), n)))) for text in predictions
    ]


def of_record(row: Mapping[str, float]) -> float:
    """Return the share in a record from its statistics."""
    return share([row])


def share(rows: Iterable[Mapping[str, float]]) -> float:
    """Return the share of distinct n-grams among all, 0 if there are none."""
    distinct: set[str] = set()
    count = 0.0
    for row in rows:
        distinct.update(row)
        count += sum(row.values())
    return len(distinct) / max(count, 1)


distinct1 = Metric(
    partial(score, 1),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(statistics, 1), share, of_record=of_record, resampled=False),
    summary="Distinct-1, different words divided by all of a prediction, from 0 to 1; higher is more varied.",
)
distinct2 = Metric(
    partial(score, 2),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(statistics, 2), share, of_record=of_record, resampled=False),
    summary="Distinct-2, different pairs of words divided by all of them, from 0 to 1; higher is more varied.",
)
distinct4 = Metric(
    partial(score, 4),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(statistics, 4), share, of_record=of_record, resampled=False),
    summary="Distinct-4, different runs of four words divided by all, from 0 to 1; higher is more varied.",
)
