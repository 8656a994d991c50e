"""BLEU, sentence and corpus BLEU, from 0 to 100; higher is better.

Up to 4-grams, exponential smoothing, effective order: a text too short for 4-grams is scored by
the orders that it has, so that it reaches 100. Results have corpus BLEU, with sacrebleu's defaults
(no effective order), and beside it the mean over records. With several references, the n-grams of
all count, and the closest length. An empty prediction or reference scores 0.

tok is a tokenizer of sacrebleu's (13a, intl, zh, char, ja-mecab, ko-mecab, flores101, flores200,
spBLEU-1K, none), one of ours, or FILE.model, a SentencePiece model. Models of sacrebleu's are read
where it has them (~/.sacrebleu/models) and never downloaded: an error says how to get one.

Source: Papineni et al. 2002, https://aclanthology.org/P02-1040; equal to sacrebleu to the last
digit (Post 2018, https://aclanthology.org/W18-6319), which backend=sacrebleu runs itself.
smooth=nist is method 3 of Chen and Cherry 2014, https://aclanthology.org/W14-3346, as in NLTK,
without effective order.

>>> [round(value, 2) for value in score(["the cat sat here"], [["the cat is here"]])]
[35.36]
>>> rows = statistics(["a cat", "it sat over there"], [["a cat"], ["it sat over there now"]])
>>> from_statistics(rows)
84.64817248906144
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from math import exp, fsum, inf, log
from typing import Literal, NamedTuple

from dialtools.plugins.metric import Corpus, Metric, of_backend
from dialtools.system.errors import OptionError
from dialtools.text import overlap, tokenizers

Smooth = Literal["exp", "floor", "add-k", "none", "nist"]
_VALUES = {"floor": 0.1, "add-k": 1.0, "exp": 0.0, "none": 0.0}
NEVER = -9999999999  # what sacrebleu takes for the logarithm of 0


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "13a",
    smooth: Smooth = "exp",
    smooth_value: float | None = None,
    max_order: int = 4,
    lowercase: bool = False,
    backend: Literal["sacrebleu"] | None = None,
) -> list[float]:
    """Return the BLEU of each prediction.

    tok: a tokenizer of text/tokenizers.py.
    smooth: how to smooth an order without a match; smooth_value: for floor (0.1) and add-k (1).
    max_order: longest n-gram, from 1 to overlap.LONGEST.
    """
    _check(max_order, smooth_value)
    if backend:
        return _package(predictions, references, tok, smooth, smooth_value, max_order, lowercase)
    rows = statistics(predictions, references, tok=tok, max_order=max_order, lowercase=lowercase)
    return [_combined(row, smooth, smooth_value, max_order, True) for row in rows]


def of_record(
    row: Sequence[int],
    *,
    smooth: Smooth = "exp",
    smooth_value: float | None = None,
    max_order: int = 4,
) -> float:
    """Return the BLEU of a record from its statistics."""
    _check(max_order, smooth_value)
    return _combined(row, smooth, smooth_value, max_order, True)


def statistics(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "13a",
    max_order: int = 4,
    lowercase: bool = False,
) -> list[list[int]]:
    """Return each prediction's length, the closest reference's, matches and n-grams by order."""
    _check(max_order)
    known = overlap.of_each(_ngrams(tok, max_order, lowercase), predictions, references)
    matches: dict[tuple[str, str], Iterable[int]] = {}
    rows = []
    for prediction, texts in zip(predictions, references, strict=True):
        length, numbers, ngrams = known[prediction]
        if len(texts) == 1:
            text, reference = texts[0], known[texts[0]]
            shared = matches.get((text, prediction))  # variants are compared both ways
            if shared is None:
                shared = tuple(overlap.in_sets(ngrams, reference.ngrams))
                matches[prediction, text] = shared
            rows.append([length, reference.length, *shared, *numbers])
        else:  # the most that any reference has of an n-gram: in numbered sets that is their union
            lengths, _, sets_of_texts = zip(*[known[text] for text in texts], strict=True)
            unions = [set().union(*sets) for sets in zip(*sets_of_texts, strict=True)]
            closest = min(lengths, key=lambda words: (abs(length - words), words))
            rows.append([length, closest, *overlap.in_sets(ngrams, unions), *numbers])
    return rows


def from_statistics(
    rows: Iterable[Sequence[int]],
    *,
    smooth: Smooth = "exp",
    smooth_value: float | None = None,
    max_order: int = 4,
) -> float:
    """Return the corpus BLEU from the statistics of its records, or sums of them."""
    sums = [sum(column) for column in zip(*rows, strict=True)] or [0] * (2 + 2 * max_order)
    return _combined(sums, smooth, smooth_value, max_order, False)


def described(options: dict) -> dict[str, str]:
    """Return further parts of the signature."""
    return {"eff": "no" if options["smooth"] == "nist" else "yes"}


def _check(max_order: int, smooth_value: float | None = None) -> None:
    if not 1 <= max_order <= overlap.LONGEST:
        raise OptionError(f"bleu: max_order is from 1 to {overlap.LONGEST}, not {max_order}")
    if smooth_value is not None and not 0 < smooth_value < inf:
        raise OptionError(f"bleu: smooth_value is above 0, and finite, not {smooth_value:g}")


class _NgramSets(NamedTuple):
    """A text: number of tokens, number of n-grams of each order, the n-grams as numbers."""

    length: int
    numbers: list[int]
    ngrams: list[set]


@functools.lru_cache(maxsize=None)
def _ngrams(tok: str, max_order: int, lowercase: bool) -> Callable[[str], _NgramSets]:
    """Return a function from a text to its counts."""
    tokenize = tokenizers.named(tok)

    def counted(text: str) -> _NgramSets:
        tokens = tokenize((text.lower() if lowercase else text).rstrip())
        orders = range(1, max_order + 1)
        ngrams = [overlap.numbered(overlap.windows(tokens, n)) for n in orders]
        return _NgramSets(len(tokens), list(map(len, ngrams)), ngrams)

    return tokenizers.kept(counted)


def _combined(
    row: Sequence[float], smooth: Smooth, value: float | None, order: int, effective: bool
) -> float:
    """Return BLEU from statistics."""
    length, closest = row[0], row[1]
    correct, total = row[2 : 2 + order], row[2 + order :]
    if not correct[0]:  # where no word is shared nothing is
        return 0.0
    penalty = exp(1 - closest / length) if length < closest else 1.0
    if smooth == "nist":
        return 100 * (
            penalty * exp(fsum(1 / order * log(precision) for precision in _nist(correct, total)))
        )
    more = _VALUES[smooth] if value is None else value
    if smooth == "add-k":  # from the second order on
        correct, total = (
            [numbers[0], *(number + more for number in numbers[1:])] for numbers in (correct, total)
        )
    if all(correct):
        logs = [log(100 * right / count) for right, count in zip(correct, total, strict=True)]
    else:
        logs = _smoothed(correct, total, smooth, more)
    if not effective:
        logs += [NEVER] * (order - len(logs))
    return penalty * exp(sum(logs) / len(logs))


def _smoothed(
    correct: Sequence[float], total: Sequence[float], smooth: Smooth, value: float
) -> list[float]:
    """Return the logarithms of precisions in percent, up to the last order with an n-gram."""
    logs, halves = list[float](), 1
    for right, count in zip(correct, total, strict=True):
        if not count:
            break
        if right:
            logs.append(log(100 * right / count))
        elif smooth == "exp":
            halves *= 2
            logs.append(log(100 / halves / count))
        elif smooth == "floor" and value:
            logs.append(log(100 * value / count))
        else:
            logs.append(NEVER)
    return logs


def _nist(correct: Sequence[float], total: Sequence[float]) -> list[float]:
    """Return precisions; an order without a match halves the one before, from a half on."""
    precisions, halves = [], 1
    for right, count in zip(correct, total, strict=True):
        if right:
            precisions.append(right / count)
        else:
            halves *= 2
            precisions.append(1 / (halves * max(count, 1)))
    return precisions


def _package(
    predictions: list[str],
    references: list[list[str]],
    tok: str,
    smooth: Smooth,
    value: float | None,
    order: int,
    lowercase: bool,
) -> list[float]:
    """Return sacrebleu's own scores; it gets the tokens of tokenizers that it lacks."""
    from sacrebleu.metrics import BLEU

    if smooth == "nist":
        raise OptionError("bleu: sacrebleu has no smooth=nist")
    tokenizers.require(tok)  # or else sacrebleu would download a model
    has_tokenizer = tok in BLEU.TOKENIZERS and tok != "spm"  # of which it warns on standard error
    bleu = BLEU(
        lowercase,
        tokenize=tok if has_tokenizer else "none",
        smooth_method=smooth,
        smooth_value=value,
        max_ngram_order=order,
        effective_order=True,
    )
    cut = (
        str
        if has_tokenizer
        else lambda text: " ".join(tokenizers.named(tok)(text.lower() if lowercase else text))
    )
    return [
        bleu.sentence_score(cut(prediction), list(map(cut, texts))).score
        for prediction, texts in zip(predictions, references, strict=True)
    ]


METRIC = Metric(
    score,
    range=(0, 100),
    references="closest",
    subsets="max",
    by_language={"tok": "bleu_tokenizer"},
    corpus=Corpus(statistics, from_statistics, signature={"eff": "no"}, of_record=of_record),
    libraries=of_backend,
    described=described,
)
