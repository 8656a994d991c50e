"""chrF, the F-score of character 6-grams, from 0 to 100; higher is better (chrF++: words=2).

Results have corpus chrF, and beside it the mean over records. With several references the best
counts. An empty prediction or reference scores 0. White space does not count; case does.

Source: Popovic 2015, https://aclanthology.org/W15-3049, and 2017 (chrF++),
https://aclanthology.org/W17-4770; equal to sacrebleu to the last digit (Post 2018,
https://aclanthology.org/W18-6319), which backend=sacrebleu runs itself.

>>> [round(value, 2) for value in score(["the cat sat"], [["the cat is here"]])]
[38.43]
>>> [round(value, 2) for value in score(["the cat sat"], [["the cat is here"]], words=2)]
[39.87]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from dialtools.plugins.metric import Corpus, Metric, of_backend
from dialtools.system.errors import OptionError
from dialtools.text import overlap

_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    order: int = 6,
    words: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    backend: Literal["sacrebleu"] | None = None,
) -> list[float]:
    """Return the chrF of each prediction.

    order: longest n-gram of characters; words: of words, 0 for none; at most overlap.LONGEST.
    beta: weight of recall relative to precision, from 1 to 1000.
    """
    _check(order, words, beta)
    if backend:
        from sacrebleu.metrics import CHRF

        chrf = CHRF(order, words, beta, lowercase)
        return [
            chrf.sentence_score(prediction, texts).score
            for prediction, texts in zip(predictions, references, strict=True)
        ]
    rows = statistics(
        predictions, references, order=order, words=words, beta=beta, lowercase=lowercase
    )
    return [of_record(row, beta=beta) for row in rows]


def statistics(
    predictions: list[str],
    references: list[list[str]],
    *,
    order: int = 6,
    words: int = 0,
    beta: int = 2,
    lowercase: bool = False,
) -> list[list[int]]:
    """Return the numbers of n-grams by order: the prediction's, the best reference's, common ones."""
    _check(order, words, beta)
    texts = overlap.of_each(str.lower if lowercase else str, predictions, references)
    pairs = {
        _unordered(prediction, reference): None
        for prediction, texts_of_record in zip(predictions, references, strict=True)
        for reference in texts_of_record
    }
    sequences = {text: "".join(form.split()) for text, form in texts.items()}
    columns = [_SharedNgrams(sequences, overlap.shared_ngrams(sequences, pairs, order), order)]
    if words:
        tokens = {text: _words(form) for text, form in texts.items()}
        columns.append(_SharedNgrams(tokens, overlap.shared_ngrams(tokens, pairs, words), words))

    def row(prediction: str, reference: str) -> list[int]:
        return [number for counted in columns for number in counted.row(prediction, reference)]

    rows = []
    for prediction, texts_of_record in zip(predictions, references, strict=True):
        candidates = [row(prediction, text) for text in texts_of_record]
        is_single = len(candidates) == 1
        rows.append(
            candidates[0]
            if is_single
            else max(candidates, key=lambda counts: _f_score(counts, beta))
        )
    return rows


def of_record(row: Sequence[int], *, beta: int = 2) -> float:
    """Return the chrF of a record from its statistics."""
    return _f_score(row, beta)


def from_statistics(rows: Iterable[Sequence[int]], *, beta: int = 2) -> float:
    """Return the corpus chrF from the statistics of its records, or sums of them."""
    return _f_score([sum(column) for column in zip(*rows, strict=True)], beta)


def _check(order: int, words: int, beta: int) -> None:
    bounds = {
        "order": (order, 1, overlap.LONGEST),
        "words": (words, 0, overlap.LONGEST),
        "beta": (beta, 1, 1000),
    }
    for name, (value, least, most) in bounds.items():
        if not least <= value <= most:
            raise OptionError(f"chrf: {name} is from {least} to {most}, not {value}")


class _SharedNgrams(NamedTuple):
    """The characters or words of texts, and how many n-grams of each order pairs of them share."""

    sequences: Mapping[str, Sequence]
    common: Mapping[tuple[str, str], list[int]]
    order: int

    def row(self, prediction: str, reference: str) -> Iterator[int]:
        """Yield the prediction's, the reference's and common n-grams of each order."""
        length, reference_length = len(self.sequences[prediction]), len(self.sequences[reference])
        for n, shared in enumerate(self.common[_unordered(prediction, reference)]):
            # Where the reference has no n-gram of an order, those of the prediction do not count.
            yield from (
                (max(length - n, 0), reference_length - n, shared)
                if reference_length > n
                else (0, 0, 0)
            )


def _unordered(one: str, other: str) -> tuple[str, str]:
    """Return a pair of texts in one order: variants are compared both ways."""
    return (one, other) if one <= other else (other, one)


def _words(text: str) -> list[str]:
    """Return words, with one punctuation mark at the end, else at the beginning, split off."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _SIGNS:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in _SIGNS:
            words += word[0], word[1:]
        else:
            words.append(word)
    return words


def _f_score(row: Sequence[int], beta: int) -> float:
    """Return the F-score of mean precision and recall over the orders that both texts have."""
    precision = recall = 0.0
    orders = 0
    for ngrams, reference_ngrams, shared in zip(row[::3], row[1::3], row[2::3], strict=True):
        if ngrams and reference_ngrams:
            precision += shared / ngrams
            recall += shared / reference_ngrams
            orders += 1
    if not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return 100 * ((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


METRIC = Metric(
    score,
    range=(0, 100),
    corpus=Corpus(statistics, from_statistics, of_record=of_record),
    libraries=of_backend,
)
