"""BERTScore, how well the tokens of two texts match, from 0 to 1 in practice; higher is better.

Tokens are compared by the cosine of an encoder's states. Precision is the mean, over the tokens
of the prediction, of the best match; recall is the same over the reference; value=f is their F1.
`model` is any encoder, a folder or a hub name; the default is bert-score's for the language. The
default `layer` is bert-score's too, and must be given for a model that it has none for. idf=FILE
weights tokens by their rarity in a file of texts, one a line: take the references of the whole
data set, because rarity within a few records would make a score depend on its neighbours.
rescale=yes maps the published score of unrelated texts to 0.

A text without a token scores 0, even against another. A text longer than the encoder's positions
is truncated as in bert-score and counted (truncated); long=window reads it in overlapping windows
(counted as windowed), and long=error refuses it. A text with letters, none of them in a token that
the encoder knows, is an error. RANGE is the scale for sensitivity; a score may be below 0.

Source: Zhang et al. 2020, https://openreview.net/forum?id=SkeHuCVFDr; within 1e-6 of the package
bert-score, called with one pair at a time, on transformers 5. (In larger batches that package now
and then takes a negative similarity for 0; on transformers 4 RoBERTa puts a space before the first
word.) backend=bert_score runs the package, one pair at a time.

>>> round(f1(0.5, 1.0), 4), f1(0.0, 0.0)
(0.6667, 0.0)
"""

import functools
from collections.abc import Callable
from itertools import chain
from typing import Any, Literal, NamedTuple

from dialtools.languages import Language, get
from dialtools.metrics import _bertscore, _pairs
from dialtools.models import encoders
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError

RANGE = (0, 1)

Scores = tuple[float, float, float]  # precision, recall, F1
_COLUMN = {"p": 0, "r": 1, "f": 2}


class _Weighed(NamedTuple):
    """A text with tokens, ready to compare."""

    states: Any  # (tokens, dim), each of length 1
    weights: Any  # of tokens, which sum to 1


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "bert-base-multilingual-cased",
    layer: int | None = None,
    value: Literal["f", "p", "r"] = "f",
    idf: str = "",
    rescale: bool = False,
    long: encoders.Long = "truncate",
    refs: _pairs.Rule = "max",
    engine: encoders.Engine = "torch",
    precision: encoders.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 32,
    backend: Literal["bert_score"] | None = None,
    language: Language = get("en"),
) -> list[float]:
    """Return the BERTScore of each prediction.

    model: folder or hub name.
    layer: the layer of the compared states, from 0 to the number of layers.
    value: F1, precision or recall.
    refs: take the best of several references (max), or their mean.
    idf: a file of texts, one a line.  rescale: by the published baseline.
    long: what to do with a text that is too long: error, truncate, window.
    engine: ctranslate2 is faster on a CPU; it converts the model once and caches it.
    """
    layer = _bertscore.layer(model, offline) if layer is None else layer
    column = _COLUMN[value]
    low = _bertscore.baseline(language, model, layer)[column] if rescale else 0.0
    if backend:
        if (idf, long, engine, precision) != ("", "truncate", "torch", "float32"):
            raise OptionError(
                "bertscore: idf, long, engine and precision are ours, not those of "
                "backend=bert_score"
            )
        compared = functools.partial(
            _by_package, model=model, layer=layer, device=device, offline=offline
        )
    else:
        encoder = encoders.encoder(model, layer, engine, precision, device, offline, batch_size)
        compared = functools.partial(_compared, encoder=encoder, long=long, idf=idf)
    return _pairs.scores(
        lambda pairs: [(found[column] - low) / (1 - low) for found in compared(pairs)],
        predictions,
        references,
        refs,
    )


def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str,
    layer: int | None,
    long: encoders.Long,
    engine: encoders.Engine,
    precision: encoders.Precision,
    device: str,
    offline: bool,
    batch_size: int,
) -> list[dict[str, int]]:
    """Return how many texts of each record are too long for the encoder."""
    layer = _bertscore.layer(model, offline) if layer is None else layer
    encoder = encoders.encoder(model, layer, engine, precision, device, offline, batch_size)
    found = encoder.read([*predictions, *chain(*references)], long)
    return _pairs.too_long(found, long, predictions, references)


def described(options: dict) -> dict[str, object]:
    """Return the layer, and a digest of the file of texts."""
    layer, idf = options["layer"], options["idf"]
    known = _bertscore.layer(options["model"], options["offline"]) if layer is None else layer
    return {"layer": known, "idf": _bertscore.digest(idf) if idf else "no"}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    package = ("bert-score",) if options["backend"] or options["rescale"] else ()
    return package + encoders.libraries(options["engine"])


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 where the two cancel out."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _compared(
    pairs: list[_pairs.Pair], encoder: encoders.Encoder, long: encoders.Long, idf: str
) -> list[Scores]:
    """Return the scores of pairs (prediction, reference)."""
    if idf:
        weigh = _bertscore.rarity(idf, encoder.reader.tokenize)
    else:

        def weigh(token: int) -> float:
            return float(token not in encoder.reader.ends)

    readings = encoder.read([text for pair in pairs for text in pair], long)
    weighed = {
        text: _weighed(reading, weigh, encoder.frame.around) for text, reading in readings.items()
    }
    found: dict[_pairs.Pair, Scores] = {}
    for prediction, text in pairs:
        if (text, prediction) in found:  # variants are compared both ways
            recall, precision, f = found[text, prediction]
            found[prediction, text] = precision, recall, f
        else:
            found[prediction, text] = _matched(weighed[prediction], weighed[text])
    return [found[pair] for pair in pairs]


def _weighed(
    reading: encoders.Reading, weigh: Callable[[int], float], around: int
) -> _Weighed | None:
    """Return a text ready to compare, None if it is empty; around: tokens of an empty text."""
    import numpy

    weights = numpy.array([weigh(token) for token in reading.ids])
    if len(reading.ids) <= around or not weights.sum():
        return None
    lengths = numpy.linalg.norm(reading.states, axis=1, keepdims=True)
    return _Weighed(reading.states / lengths, weights / weights.sum())


def _matched(predicted: _Weighed | None, expected: _Weighed | None) -> Scores:
    if predicted is None or expected is None:
        return 0.0, 0.0, 0.0
    # (tokens of the prediction, tokens of the other)
    similar = predicted.states @ expected.states.T
    precision = float(similar.max(1) @ predicted.weights)
    recall = float(similar.max(0) @ expected.weights)
    return precision, recall, f1(precision, recall)


def _by_package(
    pairs: list[_pairs.Pair], model: str, layer: int, device: str, offline: bool
) -> list[Scores]:
    scorer = _bertscore.package(model, layer, device, offline)
    return [
        tuple(part.item() for part in scorer.score([one], [text]))
        if one.strip() and text.strip()
        else (0.0, 0.0, 0.0)
        for one, text in pairs
    ]


METRIC = Metric(
    score,
    range=RANGE,
    window=512,
    by_language={"model": "bertscore"},
    counts=counts,
    libraries=libraries,
    described=described,
)
