"""MoverScore, what it costs to turn one text's words into another's, from -1 to 1; higher is better.

Each token carries a weight, and that of the prediction is moved to the tokens of the reference. To
move it costs the distance between an encoder's states, of length 1; the score is 1 minus the least
cost of all (earth mover's distance). The rest of a word that is cut into pieces (##ing) and
punctuation weigh nothing. idf=FILE weights tokens by their rarity in a file of texts, one a line:
those of references, and of predictions too, unless idf_predictions=FILE has those of the system.

`model` is any encoder, a folder or a hub name, and `layer` the one whose states are compared, by
default the last. The paper's own is a BERT tuned on MNLI, which its package gets from its
authors; take one such. A text without a token scores 0. Long texts as in bertscore.

Source: Zhao et al. 2019, https://aclanthology.org/D19-1053, over single words; within 1e-6 of their
moverscore_v2.py, which takes the last layer.

>>> import numpy
>>> round(least_cost(numpy.array([[0.0, 1.0], [1.0, 0.5]]), [0.5, 0.5], [0.5, 0.5]), 3)
0.25
"""

import string
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from dialtools.metrics import _pairs, _rarity
from dialtools.models import checkpoints, encoders
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.readers import Engine
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.records import history
from dialtools.system.errors import OptionError, need

PUNCTUATION = frozenset(string.punctuation)


@flat
def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    layer: int | None = None,
    idf: str = "",
    idf_predictions: str = "",
    long: encoders.Long = "truncate",
    refs: _pairs.Rule = "max",
    engine: Engine = "torch",
    place: Place = Place(batch_size=32),
) -> list[float]:
    """Return the MoverScore of each prediction.

    model: folder or hub name.  layer: of the compared states; None: the last.
    idf, idf_predictions: files of texts, one a line.
    long: what to do with a text that is too long: error, truncate, window.
    refs: take the best of several references (max), or their mean.
    """
    if not model:
        raise OptionError(
            "moverscore: which model? moverscore:model=PATH, an encoder such as a BERT"
        )
    if idf_predictions and not idf:
        raise OptionError("moverscore: idf_predictions=FILE goes with idf=FILE of the references")
    encoder = encoders.encoder(model, place, layer, engine)
    carries = _carrying(model, place.offline)
    weigh = [
        _rarity.of_tokens("moverscore", path, encoder.reader.tokenize)
        if path
        else (lambda token: 1.0)
        for path in (idf_predictions or idf, idf)
    ]

    def values(pairs: list[_pairs.Pair]) -> list[float]:
        readings = encoder.read([text for pair in pairs for text in pair], long)
        return [
            _similarity(
                [
                    _weighed(readings[text], carries, weight, encoder.frame.around)
                    for text, weight in zip(pair, weigh, strict=True)
                ]
            )
            for pair in pairs
        ]

    return _pairs.scores(values, predictions, references, refs)


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
    encoder = encoders.encoder(model, place, layer, engine)
    readings = encoder.read([*predictions, *chain(*references)], long)
    return _pairs.too_long(readings, long, predictions, references)


def _carrying(model: str, offline: bool) -> Callable[[int], bool]:
    """Return a function that tells of a token whether it has weight."""
    vocabulary = checkpoints.tokenizer_of(Checkpoint(model, offline)).get_vocab()
    words = {number: token for token, number in vocabulary.items()}
    return lambda token: "##" not in words[token] and words[token] not in PUNCTUATION


def _weighed(
    reading: encoders.TokenStates,
    carries: Callable[[int], bool],
    weigh: Callable[[int], float],
    around: int,
) -> tuple[Any, Any] | None:
    """Return the states of tokens with weight, of length 1, and weights that sum to 1; else None.

    around: how many tokens an empty text has.
    """
    import numpy

    weights = numpy.array([weigh(token) if carries(token) else 0.0 for token in reading.ids])
    chosen = weights > 0
    if len(reading.ids) <= around or not chosen.any():
        return None
    states = reading.states[chosen].astype("float64")
    lengths = numpy.linalg.norm(states, axis=1, keepdims=True)
    return states / lengths, weights[chosen] / weights.sum()


def _similarity(sides: Sequence[tuple[Any, Any] | None]) -> float:
    """Return the score of two texts, 0 where one has no token with weight."""
    import numpy

    predicted, expected = sides
    if predicted is None or expected is None:
        return 0.0
    cosines = (predicted[0] @ expected[0].T).clip(-1, 1)  # (tokens of each)
    return 1.0 - least_cost(numpy.sqrt(2 - 2 * cosines), predicted[1], expected[1])


def least_cost(distances: Any, supply: Sequence[float], demand: Sequence[float]) -> float:
    """Return the least cost of moving weights that sum to 1 to others.

    distances: (number of places before, number after).
    """
    optimize, sparse = need("scipy.optimize", "reference"), need("scipy.sparse", "reference")
    before, after = distances.shape
    sums = sparse.vstack(
        [
            sparse.kron(sparse.eye_array(before), [[1.0] * after]),
            sparse.kron([[1.0] * before], sparse.eye_array(after)),
        ]
    ).tocsr()[:-1]  # the last follows from the others, and rounding must not contradict it
    solution = optimize.linprog(distances.ravel(), A_eq=sums, b_eq=[*supply, *demand][:-1])
    return float(solution.fun)


def described(options: dict) -> dict[str, object]:
    """Return the layer, and digests of the files of texts."""
    digests: dict[str, object] = {
        name: history.digits_of(options[name]) if options[name] else None
        for name in ("idf", "idf_predictions")
    }
    return digests | {"idf": digests["idf"] or "no"}


METRIC = Metric(
    score,
    range=(-1, 1),
    window=512,
    counts=counts,
    libraries=lambda options: (*encoders.libraries(options["engine"]), "scipy"),
    described=described,
)
