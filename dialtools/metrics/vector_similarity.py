"""How near two texts are as vectors, of an encoder of sentences or of their words.

cosine compares the vectors that a sentence encoder gives to the texts; `model` is a folder or a hub
name.  A text's vector is the mean of its tokens' states or the state of the first token (cls),
whichever the folder's sentence-transformers configuration says.  A text that is too long for the
encoder is truncated and counted (truncated); long=window reads it in windows (counted as windowed),
long=error refuses it.

embedding_average is the cosine of the means of the vectors of words.

greedy_matching counts each word with the cosine of its best match in the other text: the mean of two
means, over the words of the prediction and over those of the reference.

For these two, vectors=FILE has a word and its numbers on each line, as fastText and word2vec write it.
`tok` finds the words; the default also lowercases them (for vectors of words with capitals: tok=space
or intl).  model=PATH uses a model's tokens and its input embeddings instead.  Words without a vector
are left out and counted (no_vector); a text with letters but without any vector is an error.

A text without a token or word scores 0, even against another.

Sources: cosine: Reimers and Gurevych 2019, https://aclanthology.org/D19-1410; equal to the package
sentence-transformers to about 1e-6.  embedding_average, greedy_matching: Liu et al. 2016,
https://aclanthology.org/D16-1230, section 3.2.

>>> import numpy
>>> average(numpy.array([[1.0, 0.0], [1.0, 2.0]]), numpy.array([[0.0, 3.0]]))
0.7071067811865475
>>> matched(numpy.array([[1.0, 0.0], [0.0, 2.0]]), numpy.array([[0.0, 3.0]]))
0.75
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from dialtools.metrics import _pairs, _vectors
from dialtools.models import encoders
from dialtools.models.checkpoints import Place
from dialtools.models.readers import Engine
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError
from dialtools.text import overlap, tokenizers


@flat
def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    long: encoders.Long = "truncate",
    refs: _pairs.Rule = "max",
    engine: Engine = "torch",
    place: Place = Place(batch_size=32),
) -> list[float]:
    """Return the cosine of each prediction and its reference.

    model: folder or hub name.
    long: what to do with a text that is too long: error, truncate, window.
    refs: take the best of several references (max), or their mean.
    engine: ctranslate2 is faster on a CPU; it converts the model once and caches it.
    """
    if not model:
        raise OptionError("cosine: which model? cosine:model=PATH, a folder or a hub name")
    embeddings = _vectors.embeddings(predictions, references, model, place, long, engine)
    return _vectors.cosines(embeddings, predictions, references, refs)


@flat
def too_long(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str,
    long: encoders.Long,
    engine: Engine,
    place: Place,
) -> list[dict[str, int]]:
    """Return how many texts of each record are too long for the encoder."""
    embeddings = _vectors.embeddings(predictions, references, model, place, long, engine)
    return _pairs.too_long(embeddings, long, predictions, references)


def score_words(
    compare: Callable[[Any, Any], float],
    predictions: list[str],
    references: list[list[str]],
    *,
    vectors: str = "",
    model: str = "",
    tok: str = "words",
    refs: _pairs.Rule = "max",
    offline: bool = False,
) -> list[float]:
    """Return the comparison of each prediction's vectors with those of its reference.

    vectors: a file of word vectors.  model: a folder or hub name, instead of vectors.
    tok: a tokenizer of text/tokenizers.py, for vectors.
    refs: take the best of several references (max), or their mean.
    """
    source = _vectors.WordSource(vectors, tok, model, offline)
    return overlap.best(
        lambda text: _vectors.of_words(source, text)[0], compare, predictions, references, refs
    )


def average(one: Any, other: Any) -> float:
    """Return the cosine of the means of two lists of vectors; 0 if one is empty or has mean 0."""
    if not len(one) or not len(other):
        return 0.0
    return float(_vectors.length_1(one.mean(0)) @ _vectors.length_1(other.mean(0)))


def matched(one: Any, other: Any) -> float:
    """Return the mean best cosine between two lists of vectors, both ways; 0 if one is empty."""
    if not len(one) or not len(other):
        return 0.0
    # (words of one, words of the other)
    similar = _vectors.length_1(one) @ _vectors.length_1(other).T
    return float(similar.max(1).mean() + similar.max(0).mean()) / 2


def without_vector(
    predictions: list[str],
    references: list[list[str]],
    *,
    vectors: str,
    model: str,
    tok: str,
    offline: bool,
) -> list[dict[str, int]]:
    """Return the number of each record's words without a vector."""
    source = _vectors.WordSource(vectors, tok, model, offline)
    return _pairs.counted(
        "no_vector", lambda text: _vectors.of_words(source, text)[1], predictions, references
    )


def described(options: dict) -> dict[str, object]:
    """Return the source of the vectors, and the tokenizer."""
    return {"model": None} if options["vectors"] else {"vectors": None, "tok": None}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the library that finds the words."""
    return ("transformers",) if options["model"] else tokenizers.libraries(options["tok"])


cosine = Metric(
    score,
    range=(-1, 1),
    symmetric=True,
    window=512,
    counts=too_long,
    libraries=lambda options: encoders.libraries(options["engine"]),
    summary="Cosine of sentence embeddings, from -1 to 1; higher is better.",
)
embedding_average = Metric(
    partial(score_words, average),
    range=(-1, 1),
    symmetric=True,
    by_language={"tok": "words"},
    counts=without_vector,
    libraries=libraries,
    described=described,
    summary="Cosine of the mean word vectors of two texts, from -1 to 1; higher is better (Embedding Average).",
)
greedy_matching = Metric(
    partial(score_words, matched),
    range=(-1, 1),
    symmetric=True,
    by_language={"tok": "words"},
    counts=without_vector,
    libraries=libraries,
    described=described,
    summary="Greedy Matching of word vectors, from -1 to 1; higher is better.",
)
