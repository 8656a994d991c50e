"""Words counted: how varied a text is, how much it repeats itself, how long it is.

distinct1 is the share of distinct words among all words of a prediction, distinct2 that of pairs and
distinct4 that of runs of four words.  Short texts score higher because they have less room for
repetition.  A text with too few words for one n-gram scores 0.  Results have the value of the data set,
whose texts repeat each other, and beside it the mean over records.  It falls with the number of texts, so
compare only data sets or groups of the same size; it has neither interval nor test, as texts that are
drawn twice repeat each other.

repetition (seq-rep-4) is how much a text repeats itself: 0 if all runs of n words differ, near 1 if it
degenerates into a loop.  A text of n words or fewer scores 0.

length_ratio is the number of words of the prediction by that of the reference.  Of several references the
closest in length counts, and the shorter of two equally close ones.  A reference without a word counts as
one word; two texts without any word have the ratio 1.

Sources: distinct: Li et al. 2016, https://aclanthology.org/N16-1014.  repetition: Welleck et al. 2020,
https://openreview.net/forum?id=SJeYe0NtvH, section 6 (over words, where they count the tokens of their
model).

>>> distinct1.score(["no no no yes"]), distinct2.score(["no no no yes"])
([0.5], [0.6666666666666666])
>>> distinct4.corpus.score(distinct4.corpus.statistics(["no no no yes so", "no no no yes so"]))
0.5
>>> repetition.score(["I do not know I do not know", "I do"])
[0.2, 0.0]
>>> length_ratio.score(["the cat sat", ""], [["the cat is here"], [""]])
[0.75, 1.0]
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from dialtools.metrics import _statistics
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap, tokenizers


def ngram_counts(n: int, predictions: list[str], *, tok: str = "words") -> list[dict[str, int]]:
    """Return how often each n-gram is in a prediction; it is written as words joined by spaces.

    tok: a tokenizer of text/tokenizers.py.
    """
    texts = [overlap.windows(tokens, n) for tokens in map(tokenizers.named(tok), predictions)]
    return [dict(Counter(ngrams if n == 1 else map(" ".join, ngrams))) for ngrams in texts]


def share(rows: Iterable[Mapping[str, float]]) -> float:
    """Return the share of distinct n-grams among all, 0 if there are none."""
    distinct: set[str] = set()
    count = 0.0
    for row in rows:
        distinct.update(row)
        count += sum(row.values())
    return len(distinct) / max(count, 1)


def repeated(predictions: list[str], *, n: int = 4, tok: str = "words") -> list[float]:
    """Return the rate of each prediction.

    n: words in a run.  tok: a tokenizer of text/tokenizers.py.
    """
    if n < 1:
        raise OptionError(f"repetition: n is 1 or more, not {n}")
    texts = [overlap.windows(tokens, n) for tokens in map(tokenizers.named(tok), predictions)]
    return [(len(runs) - len(set(runs))) / len(runs) if runs else 0.0 for runs in texts]


def ratios(
    predictions: list[str], references: list[list[str]], *, tok: str = "words"
) -> list[float]:
    """Return the ratio of each prediction; tok: a tokenizer of text/tokenizers.py."""
    tokenize = tokenizers.named(tok)
    values = []
    for prediction, texts in zip(predictions, references, strict=True):
        length = len(tokenize(prediction))
        closest = min(
            (len(tokenize(text)) for text in texts), key=lambda words: (abs(length - words), words)
        )
        values.append(length / max(closest, 1) if length or closest else 1.0)
    return values


of_record = _statistics.alone(share)

distinct1 = Metric(
    _statistics.scored(partial(ngram_counts, 1), of_record),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(ngram_counts, 1), share, of_record=of_record, resampled=False),
    summary="Distinct-1, different words divided by all of a prediction, from 0 to 1; higher is more varied.",
)
distinct2 = Metric(
    _statistics.scored(partial(ngram_counts, 2), of_record),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(ngram_counts, 2), share, of_record=of_record, resampled=False),
    summary="Distinct-2, different pairs of words divided by all of them, from 0 to 1; higher is more varied.",
)
distinct4 = Metric(
    _statistics.scored(partial(ngram_counts, 4), of_record),
    bounds=(0, 1),
    needs=("prediction",),
    by_language={"tok": "words"},
    corpus=Corpus(partial(ngram_counts, 4), share, of_record=of_record, resampled=False),
    summary="Distinct-4, different runs of four words divided by all, from 0 to 1; higher is more varied.",
)
repetition = Metric(
    repeated,
    range=(1, 0),
    needs=("prediction",),
    by_language={"tok": "words"},
    summary="Repetition (seq-rep-4), runs of four words that came before by all, from 0 to 1; lower is better.",
)
length_ratio = Metric(
    ratios,
    references="closest",
    by_language={"tok": "words"},
    summary="Length ratio, words of prediction by words of reference, from 0 to any number; 1 is neutral.",
)
