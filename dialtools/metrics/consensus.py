"""Consensus with references: how much a text shares of what is telling in them.

A text is its n-grams of one to four words, each weighted by how rare it is in the references of the
whole data set.  cider is the cosine of prediction and reference, the mean over the four orders and
over the references, times 10.  ciderD, which evaluations of captions show as CIDEr, counts an n-gram
no more often than the reference has it, and takes off for another length.

df=FILE has the references of the whole data set: records, JSON Lines, such as the input itself; all
references of an id are one document.  It must be given, because rarity within a few records would
make a score depend on its neighbours.  Records of another language do not count.  An n-gram that no
reference has is as rare as one that a single document has.  A text of fewer than four words lacks
some orders, which count 0, so that it does not reach 10 even against itself.

Words are runs of letters and digits in lower case; Chinese and Japanese texts are cut into
characters, unless tok=jieba or tok=fugashi makes words of them.

Source: Vedantam et al. 2015, https://arxiv.org/abs/1411.5726; the words are not stemmed, as in all
implementations.  Given the same tokens, ciderD is the Cider of the package pycocoevalcap, and cider
is that of the authors' cidereval, to 1e-12.  Those cut texts as the Penn Treebank does (it 's) and
drop punctuation; tok=space takes texts that are cut already.

>>> weigh = inverse({"a": 1, "b": 2}, 2)
>>> texts = vectors(["a", "b"], weigh), vectors(["a", "c"], weigh)
>>> round(similarity(None, *texts), 4)  # 10/4 of the cosine of (1, 0, 0) and (1, 0, 1); no pair is shared
1.7678
"""

import functools
import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from math import exp, log, sqrt
from typing import NamedTuple

from dialtools.languages import Language, get
from dialtools.plugins.metric import Metric
from dialtools.records import dialogue, history, jsonl
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import overlap, tokenizers

ORDERS = (1, 2, 3, 4)
SIGMA = 6.0  # words more or fewer, of the penalty of ciderD

Vector = dict[object, float]  # n-gram -> how often it is there times its weight


class TextVectors(NamedTuple):
    """A text: a vector for each order, their lengths, and how many pairs of words there are."""

    orders: list[Vector]
    norms: list[float]
    pairs: int


def score(
    sigma: float | None,
    predictions: list[str],
    references: list[list[str]],
    *,
    df: str = "",
    tok: str = "words",
    language: Language = get("en"),
) -> list[float]:
    """Return the CIDEr of each prediction.

    sigma: ciderD clips counts, and takes off 39 % where so many words are more or fewer; None: cider.
    df: file of records with the references of the data set.  tok: a tokenizer of text/tokenizers.py.
    """
    weigh = rarity(df, tok, language.tag)
    tokenize = tokenizers.named(tok)
    return overlap.best(
        lambda text: vectors(tokenize(text.lower()), weigh),
        partial(similarity, sigma),
        predictions,
        references,
        "mean",
    )


@functools.lru_cache(maxsize=4)
def rarity(path: str, tok: str, lang: str) -> Callable[[object], float]:
    """Return a function from an n-gram to its idf in the references of a file of records.

    The idf is log(N / n), where n of the N ids with references have the n-gram, or none has it and
    n is 1.
    """
    if not os.path.isfile(path):  # nor is a pipe, which could not be read again for the signature
        raise OptionError(
            f"cider: df=FILE, not {path!r}: a file of records with the references of the whole "
            "data set, such as the input"
        )
    tokenize = tokenizers.lenient(tok)
    documents: dict[object, set] = {}
    try:
        for record in jsonl.read(path):
            if record.get("lang") in (None, lang):
                for text in dialogue.references(record):
                    tokens = tokenize(text.lower())
                    ngrams = documents.setdefault(record["id"], set())
                    ngrams.update(*(overlap.windows(tokens, n) for n in ORDERS))
    except RecordError as error:  # not of the record that is scored
        raise OptionError(f"cider: df={error}") from None
    if len(documents) < 2:
        raise OptionError(
            f'cider: {path} has {len(documents)} ids with a "reference" in {lang}: what is rare '
            "shows only where there are many"
        )
    counts = Counter(ngram for ngrams in documents.values() for ngram in ngrams)
    return inverse(counts, len(documents))


def inverse(counts: Mapping[object, int], documents: int) -> Callable[[object], float]:
    """Return the idf of n-grams; counts: how many of the documents have each."""
    return lambda ngram: log(documents) - log(max(1, counts.get(ngram, 0)))


def vectors(tokens: list[str], weigh: Callable[[object], float]) -> TextVectors:
    """Return the vectors of a text; weigh: the idf of an n-gram."""
    orders = [
        {
            ngram: count * weigh(ngram)
            for ngram, count in Counter(overlap.windows(tokens, n)).items()
        }
        for n in ORDERS
    ]
    norms = [sqrt(sum(weight**2 for weight in vector.values())) for vector in orders]
    return TextVectors(orders, norms, max(0, len(tokens) - 1))


def similarity(sigma: float | None, predicted: TextVectors, expected: TextVectors) -> float:
    """Return the CIDEr of a text against one reference; sigma: as in score."""
    cosines = []
    for vector, reference, *norms in zip(
        predicted.orders, expected.orders, predicted.norms, expected.norms, strict=True
    ):
        product = sum(
            (weight if sigma is None else min(weight, reference[ngram])) * reference[ngram]
            for ngram, weight in vector.items()
            if ngram in reference
        )
        cosines.append(product / (norms[0] * norms[1]) if all(norms) else 0.0)
    mean = 10 * sum(cosines) / len(cosines)
    # the programs count pairs of words where they speak of length
    longer = predicted.pairs - expected.pairs
    return mean if sigma is None else mean * exp(-(longer**2) / (2 * sigma**2))


def described(options: dict) -> dict[str, object]:
    """Return digits that identify the content of the file of references."""
    path = options["df"]
    return {"df": history.digits_of(path) if path else "no"}


cider = Metric(
    partial(score, None),
    range=(0, 10),
    reaches_best=False,
    references="mean",
    by_language={"tok": "words"},
    described=described,
    summary="CIDEr, the telling n-grams that texts share with their references, from 0 to 10; higher is better.",
)
ciderD = Metric(
    partial(score, SIGMA),
    range=(0, 10),
    reaches_best=False,
    references="mean",
    by_language={"tok": "words"},
    described=described,
    summary="CIDEr-D, CIDEr with clipped counts and alike lengths, from 0 to 10; higher is better.",
)
