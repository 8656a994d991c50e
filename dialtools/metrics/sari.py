"""SARI, how well a text is simplified: words added, kept and deleted, from 0 to 100; higher is better.

The prediction is compared with its source ("text", or the key of source=KEY) and with all
references at once, over n-grams of one to four words, in lower case, cut as for bleu
(Japanese and Thai into characters).

Two implementations are in use, and both are here. The score of a record, and the mean of these, is
that of the package evaluate: deletions count by precision, and where there is nothing to add, keep
or delete, that is right, so that a copy of a source that should stay as it is has 100. The score of
the data set is that of EASSE: n-grams are counted over all records, deletions count by F1, and
where there is nothing to do the F1 is 0.

Source: Xu et al. 2016, https://aclanthology.org/Q16-1029; equal to evaluate's sari, and to
corpus_sari of EASSE (Alva-Manchego et al. 2019, https://aclanthology.org/D19-3009) with its
defaults, to the last digit. EASSE wants as many references of each source; here they may differ.

>>> text, prediction = ["About 95 species are currently accepted ."], ["About 95 you now get in ."]
>>> known = ["About 95 species are currently known .", "About 95 species are now accepted ."]
>>> references = [[*known, "95 species are now accepted ."]]
>>> score(text, prediction, references)  # as the page of evaluate's sari has it
[26.953601953601954]
>>> from_statistics(statistics(text, prediction, references))
31.350246975246975
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError, show
from dialtools.text import overlap, tokenizers

ORDERS = (1, 2, 3, 4)
NUMBERS = 3  # of n-grams, for each operation of an order


class Sides(NamedTuple):
    """The n-grams of one order; those of source and prediction once for each reference."""

    source: Counter
    prediction: Counter
    references: Counter


def score(
    sources: list[str],
    predictions: list[str],
    references: list[list[str]],
    *,
    source: str = "text",
    tok: str = "13a",
) -> list[float]:
    """Return the SARI of each prediction.

    source: key of the source text.  tok: a tokenizer of text/tokenizers.py.
    """
    tokenize = tokenizers.named(tok)
    scores = []
    # an empty text is one word for evaluate, which splits it at single spaces
    rows = _rows(sources, predictions, references, source, lambda text: tokenize(text) or [""])
    for orders in rows:
        means = [sum(values) / len(ORDERS) for values in zip(*map(_shares, orders), strict=True)]
        scores.append(100 * (sum(means) / len(means)))
    return scores


def statistics(
    sources: list[str],
    predictions: list[str],
    references: list[list[str]],
    *,
    source: str = "text",
    tok: str = "13a",
) -> list[list[int]]:
    """Return numbers of n-grams of each order that are added, kept and deleted: those where
    prediction and references agree, the prediction's, the references'.
    """
    rows = _rows(sources, predictions, references, source, tokenizers.named(tok))
    return [[number for sides in orders for number in _numbers(sides)] for orders in rows]


def from_statistics(rows: Iterable[Sequence[float]]) -> float:
    """Return the SARI of a data set from the statistics of its records, or sums of them."""
    sums = [sum(column) for column in zip(*rows, strict=True)]
    f1s = [overlap.f1(*sums[place : place + NUMBERS]) for place in range(0, len(sums), NUMBERS)]
    operations = [sum(f1 / len(ORDERS) for f1 in f1s[place::3]) for place in range(3)]
    return sum(100.0 * operation for operation in operations) / 3


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads."""
    return (options["source"], "prediction", "reference")


def _rows(
    sources: list[str],
    predictions: list[str],
    references: list[list[str]],
    source: str,
    tokenize: Callable[[str], list[str]],
) -> Iterator[list[Sides]]:
    """Yield the n-grams of each record, by order."""

    def ngrams(text: str) -> list[Counter]:
        tokens = tokenize(text.lower())
        return [Counter(overlap.windows(tokens, n)) for n in ORDERS]

    for text, prediction, texts in zip(sources, predictions, references, strict=True):
        if not isinstance(text, str):
            raise RecordError(
                f'"{source}" is a string, where it is what was simplified, here is {show(text)}'
            )
        before, after, *expected = map(ngrams, (text, prediction, *texts))
        yield [
            Sides(
                Counter({ngram: count * len(texts) for ngram, count in before[order].items()}),
                Counter({ngram: count * len(texts) for ngram, count in after[order].items()}),
                sum((counts[order] for counts in expected), Counter()),
            )
            for order in range(len(ORDERS))
        ]


def _shares(sides: Sides) -> tuple[float, float, float]:
    """Return F1 of what is kept, precision of what is deleted, F1 of what is added; 0/0 is 1."""
    source, prediction, references = sides
    kept, to_keep = source & prediction, source & references
    right = kept & references
    keep = _f1(_mean_share(right, kept), right.total() / to_keep.total() if to_keep else 1.0)
    deleted = source - prediction
    delete = _mean_share(deleted - references, deleted)
    added, to_add = prediction.keys() - source.keys(), references.keys() - source.keys()
    both = len(added & to_add)
    add = _f1(both / len(added) if added else 1.0, both / len(to_add) if to_add else 1.0)
    return keep, delete, add


def _mean_share(right: Mapping[object, int], counts: Mapping[object, int]) -> float:
    """Return the mean, over n-grams, of the share of their counts that is right."""
    shares = sum(number / counts[ngram] for ngram, number in right.items())
    return shares / len(counts) if counts else 1.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _numbers(sides: Sides) -> list[int]:
    """Return the numbers of n-grams that are added, kept and deleted: both, prediction, references."""
    source, prediction, references = sides
    added, to_add = prediction.keys() - source.keys(), references.keys() - source.keys()
    kept, to_keep = source & prediction, source & references
    deleted, to_delete = source - prediction, source - references
    return [
        *(len(added & to_add), len(added), len(to_add)),
        *((kept & to_keep).total(), kept.total(), to_keep.total()),
        *((deleted & to_delete).total(), deleted.total(), to_delete.total()),
    ]


METRIC = Metric(
    score,
    range=(0, 100),
    needs=needs,
    references="all",
    by_language={"tok": "bleu_tokenizer"},
    corpus=Corpus(statistics, from_statistics, mean="SARI as of the package evaluate"),
)
