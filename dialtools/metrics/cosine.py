"""Cosine of sentence embeddings, from -1 to 1; higher is better.

`model` is a sentence encoder, a folder or a hub name. A text's vector is the mean of its tokens'
states or the state of the first token (cls), whichever the folder's sentence-transformers
configuration says. A text that is too long for the encoder is truncated and counted (truncated);
long=window reads it in windows (counted as windowed), long=error refuses it. A text without a
token scores 0, even against another.

Source: Reimers and Gurevych 2019, https://aclanthology.org/D19-1410; equal to the package
sentence-transformers to about 1e-6.

>>> import numpy
>>> cosine(numpy.array([0.6, 0.8]), numpy.array([0.8, 0.6]))
0.96
"""

from itertools import chain
from typing import Any

from dialtools.metrics import _pairs
from dialtools.models import encoders, sentences
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    long: encoders.Long = "truncate",
    refs: _pairs.Rule = "max",
    engine: encoders.Engine = "torch",
    precision: encoders.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 32,
) -> list[float]:
    """Return the cosine of each prediction and its reference.

    model: folder or hub name.
    long: what to do with a text that is too long: error, truncate, window.
    refs: take the best of several references (max), or their mean.
    engine: ctranslate2 is faster on a CPU; it converts the model once and caches it.
    """
    found = _read(
        predictions, references, model, long, engine, precision, device, offline, batch_size
    )
    return overlap.best(
        lambda text: None if found[text].bare else found[text].vector,
        cosine,
        predictions,
        references,
        refs,
    )


def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str,
    long: encoders.Long,
    engine: encoders.Engine,
    precision: encoders.Precision,
    device: str,
    offline: bool,
    batch_size: int,
) -> list[dict[str, int]]:
    """Return how many texts of each record are too long for the encoder."""
    found = _read(
        predictions, references, model, long, engine, precision, device, offline, batch_size
    )
    return _pairs.too_long(found, long, predictions, references)


def cosine(one: Any, other: Any) -> float:
    """Return the cosine of two vectors of length 1; 0 if one is None."""
    return 0.0 if one is None or other is None else float(one @ other)


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return encoders.libraries(options["engine"])


def _read(
    predictions: list[str],
    references: list[list[str]],
    model: str,
    long: encoders.Long,
    engine: encoders.Engine,
    precision: encoders.Precision,
    device: str,
    offline: bool,
    batch_size: int,
) -> dict[str, sentences.Embedding]:
    """Return {text: its embedding}."""
    if not model:
        raise OptionError("cosine: which model? cosine:model=PATH, a folder or a hub name")
    encoder = encoders.encoder(model, None, engine, precision, device, offline, batch_size)
    return sentences.vectors(
        encoder, sentences.manner(model, offline), [*predictions, *chain(*references)], long
    )


METRIC = Metric(
    score, range=(-1, 1), symmetric=True, window=512, counts=counts, libraries=libraries
)
