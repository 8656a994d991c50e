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
the encoder knows, is an error. Sensitivity takes 0 to 1 as the scale; a score may be below 0.

Source: Zhang et al. 2020, https://openreview.net/forum?id=SkeHuCVFDr; within 1e-6 of the package
bert-score, called with one pair at a time, on transformers 5. (In larger batches that package now
and then takes a negative similarity for 0; on transformers 4 RoBERTa puts a space before the first
word.) backend=bert_score runs the package, one pair at a time.

>>> round(f1(0.5, 1.0), 4), f1(0.0, 0.0)
(0.6667, 0.0)
"""

import functools
import os
from collections.abc import Callable
from itertools import chain
from typing import Any, Literal, NamedTuple

from dialtools.languages import Language, get
from dialtools.metrics import _pairs, _rarity
from dialtools.models import checkpoints, encoders, folders, readers
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.readers import Engine
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.records import history
from dialtools.system.errors import MissingError, OptionError, need

Scores = tuple[float, float, float]  # precision, recall, F1
MOST_TOKENS = 1 << 30  # of a text, in the package


@flat
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
    engine: Engine = "torch",
    place: Place = Place(batch_size=32),
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
    layer = default_layer(model, place.offline) if layer is None else layer
    column = "prf".index(value)
    low = baseline(language, model, layer)[column] if rescale else 0.0
    if backend:
        if (idf, long, engine, place.precision) != ("", "truncate", "torch", "float32"):
            raise OptionError(
                "bertscore: idf, long, engine and precision are ours, not those of "
                "backend=bert_score"
            )

        def compare(pairs: list[_pairs.Pair]) -> list[Scores]:
            scorer = package(model, layer, place.device, place.offline)
            return [
                tuple(part.item() for part in scorer.score([prediction], [text]))
                if prediction.strip() and text.strip()
                else (0.0, 0.0, 0.0)
                for prediction, text in pairs
            ]

    else:
        encoder = encoders.encoder(model, place, layer, engine)

        def compare(pairs: list[_pairs.Pair]) -> list[Scores]:
            return _compared(pairs, encoder, long, idf)

    return _pairs.scores(
        lambda pairs: [(scores[column] - low) / (1 - low) for scores in compare(pairs)],
        predictions,
        references,
        refs,
    )


@flat
def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str,
    layer: int | None,
    long: encoders.Long,
    engine: Engine,
    place: Place,
) -> list[dict[str, int]]:
    """Return how many texts of each record are too long for the encoder."""
    layer = default_layer(model, place.offline) if layer is None else layer
    encoder = encoders.encoder(model, place, layer, engine)
    readings = encoder.read([*predictions, *chain(*references)], long)
    return _pairs.too_long(readings, long, predictions, references)


def described(options: dict) -> dict[str, object]:
    """Return the layer, and a digest of the file of texts."""
    layer, idf = options["layer"], options["idf"]
    return {
        "layer": default_layer(options["model"], options["offline"]) if layer is None else layer,
        "idf": history.digits_of(idf) if idf else "no",
    }


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    package = ("bert-score",) if options["backend"] or options["rescale"] else ()
    return package + encoders.libraries(options["engine"])


class _Weighed(NamedTuple):
    """A text with tokens, ready to compare."""

    states: Any  # (tokens, dim), each of length 1
    weights: Any  # of tokens, which sum to 1


def _compared(
    pairs: list[_pairs.Pair], encoder: encoders.Encoder, long: encoders.Long, idf: str
) -> list[Scores]:
    """Return the scores of pairs (prediction, reference)."""
    ends = encoder.reader.ends
    weigh = (
        _rarity.of_tokens("bertscore", idf, encoder.reader.tokenize)
        if idf
        else lambda token: token not in ends
    )
    readings = encoder.read([text for pair in pairs for text in pair], long)
    weighed = {
        text: _weighed(reading, weigh, encoder.frame.around) for text, reading in readings.items()
    }
    scores: dict[_pairs.Pair, Scores] = {}
    for prediction, text in pairs:
        if (text, prediction) in scores:  # variants are compared both ways
            recall, precision, f = scores[text, prediction]
            scores[prediction, text] = precision, recall, f
            continue
        predicted, expected = weighed[prediction], weighed[text]
        precision = recall = 0.0
        if predicted is not None and expected is not None:
            # (tokens of the prediction, tokens of the reference)
            similar = predicted.states @ expected.states.T
            precision = float(similar.max(1) @ predicted.weights)
            recall = float(similar.max(0) @ expected.weights)
        scores[prediction, text] = precision, recall, f1(precision, recall)
    return [scores[pair] for pair in pairs]


def _weighed(
    reading: encoders.TokenStates, weigh: Callable[[int], float], around: int
) -> _Weighed | None:
    """Return a text ready to compare, None if it is empty; around: tokens of an empty text."""
    import numpy

    weights = numpy.array([float(weigh(token)) for token in reading.ids])
    if len(reading.ids) <= around or not weights.sum():
        return None
    lengths = numpy.linalg.norm(reading.states, axis=1, keepdims=True)
    return _Weighed(reading.states / lengths, weights / weights.sum())


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 where the two cancel out."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def default_layer(model: str, offline: bool = False) -> int:
    """Return the layer that agrees best with people on WMT16, from bert-score 0.3.13.

    Raise OptionError for a model that bert-score has none for.
    """
    with open(os.path.join(os.path.dirname(__file__), "bertscore.tsv"), encoding="utf-8") as file:
        layers = dict(line.split("\t") for line in file.readlines()[1:])
    if model in layers:
        return int(layers[model])
    config = (
        folders.read_json(model, "config.json")
        or checkpoints.load("AutoConfig", Checkpoint(model, offline)).to_dict()
    )
    most = readers.number_of_layers(config)
    among = f", of 0 to {most}" if most else ""
    raise OptionError(
        f"bertscore: which layer of {model}{among}? bert-score has no default for it: layer=NUMBER"
    )


def baseline(language: Language, model: str, layer: int) -> Scores:
    """Return the score of unrelated texts. Raise OptionError if none has been published."""
    from importlib.util import find_spec

    package = find_spec("bert_score")  # which importing would take seconds
    if package is None or not package.origin:
        raise MissingError(
            "the baselines are those of the library bert-score, which is not "
            "installed: pip install 'dialtools[models]'"
        )
    folder = os.path.join(os.path.dirname(package.origin), "rescale_baseline", language.tag)
    path = os.path.join(folder, f"{model}.tsv")
    if os.path.isabs(model) or not os.path.isfile(path):
        raise OptionError(
            f"bertscore: no baseline of {model} in {language.tag} has been published: rescale=no"
        )
    with open(path, encoding="utf-8") as file:
        rows = {int(row[0]): row[1:] for row in (line.split(",") for line in file.readlines()[1:])}
    if layer not in rows:
        raise OptionError(
            f"bertscore: no baseline of layer {layer} of {model} in {language.tag} "
            "has been published"
        )
    precision, recall, f = map(float, rows[layer])
    return precision, recall, f


@functools.lru_cache(maxsize=1)
def package(model: str, layer: int, device: str, offline: bool) -> Any:
    """Return a scorer of the package bert-score."""
    bert_score = need("bert_score", "models")
    # checks the folder, and says what is wrong in one line
    checkpoints.tokenizer_of(Checkpoint(model, offline))
    with checkpoints.hushed(offline=offline or os.path.isdir(model)):
        scorer = bert_score.BERTScorer(
            model_type=model, num_layers=layer, device=checkpoints.device_of(device)
        )
    # a tokenizer without a maximal length has one that the library tokenizers cannot take
    limit = checkpoints.positions(scorer._tokenizer, scorer._model.config, "encoder")
    scorer._tokenizer.model_max_length = min(limit, MOST_TOKENS)
    return scorer


METRIC = Metric(
    score,
    range=(0, 1),
    window=512,
    by_language={"model": "bertscore"},
    counts=counts,
    libraries=libraries,
    described=described,
)
