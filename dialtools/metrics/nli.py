"""Entailment, whether one text follows from another for a model of natural language inference.

entailment is the probability that the prediction and its reference say the same: each should follow
from the other, and the lower of both probabilities counts.  direction=mean takes their mean,
direction=back how far the prediction follows from the reference (it adds nothing), and
direction=forward how far the reference follows from the prediction (it leaves nothing out).  The
model is asked about an empty text as about any other.

summac is how far sentences follow from those of a source.  The model reads each sentence of the
source (premise) with each sentence of the prediction (hypothesis).  A sentence of the prediction gets
its highest probability of entailment by any sentence of the source; the score is the mean of these.
The source is the text that predictions are compared with: against=dialogue takes the dialogue, a line
a turn.  Sentences end at line ends and at the language's punctuation, as in rougeLsum.  A
prediction or source without a sentence scores 0.

Sources: entailment: Chen and Eger 2023, https://aclanthology.org/2023.tacl-1.47, who take either
direction or the mean.  summac: Laban et al. 2022, https://aclanthology.org/2022.tacl-1.10,
SummaC-ZS over sentences; there the highest probability of contradiction may be subtracted.

>>> entailment.score([], [], model="some/model"), summac.score([], [], model="some/model")
([], [])
>>> mean_of_best([[0.1, 0.7], [0.5, 0.3]])
0.6
"""

from collections.abc import Callable
from typing import Literal

from dialtools.languages import Language, get
from dialtools.metrics import _pairs
from dialtools.models import classifiers
from dialtools.models.checkpoints import Place
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError
from dialtools.text import sentences

Direction = Literal["min", "mean", "forward", "back"]


@flat
def both_ways(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    label: str = "entailment",
    direction: Direction = "min",
    refs: _pairs.Rule = "max",
    long: Literal["error", "truncate"] = "error",
    place: Place = Place(),
) -> list[float]:
    """Return the entailment of each prediction.

    direction: forward, the prediction is the premise; back, the reference is; min or mean of both.
    refs: take the best of several references (max), or their mean.
    The other options are those of summac.
    """
    if not model:
        raise OptionError(
            "entailment: which model? entailment:model=PATH, of natural language inference"
        )

    def values(pairs: list[_pairs.Pair]) -> list[float]:
        known = _pairs.of_distinct(
            lambda asked: classifiers.probabilities(model, asked, label, place, long=long),
            _premises(pairs, direction),
        )
        rows = [[known[asked] for asked in _premises([pair], direction)] for pair in pairs]
        return [min(row) if direction == "min" else sum(row) / len(row) for row in rows]

    return _pairs.scores(values, predictions, references, refs)


@flat
def counts_both_ways(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    direction: Direction = "min",
    long: Literal["error", "truncate"] = "error",
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut, or whose reference was."""

    def is_long(pairs: list[_pairs.Pair]) -> list[bool]:
        return [
            any(classifiers.too_long(model, _premises([pair], direction), place)) for pair in pairs
        ]

    return _pairs.truncated(is_long, predictions, references, long)


def _premises(pairs: list[_pairs.Pair], direction: Direction) -> list[_pairs.Pair]:
    """Return pairs (premise, hypothesis), in one direction or in both, one after the other."""
    forward, back = direction != "back", direction != "forward"
    return [
        asked
        for prediction, text in pairs
        for asked in [(prediction, text)] * forward + [(text, prediction)] * back
    ]


def by_options(options: dict) -> dict[str, object]:
    """Return whether prediction and reference may change places."""
    return {"symmetric": options["direction"] in ("min", "mean")}


@flat
def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    label: str = "entailment",
    refs: _pairs.Rule = "max",
    long: Literal["error", "truncate"] = "error",
    place: Place = Place(),
    language: Language = get("en"),
) -> list[float]:
    """Return the SummaC of each prediction.

    model: folder or hub name of a model of natural language inference.
    label: what it calls entailment.
    refs: take the best of several sources (max), or their mean.
    long: what to do with two sentences that the model cannot read at once.
    """
    if not model:
        raise OptionError("summac: which model? summac:model=PATH, of natural language inference")
    cut = sentences.with_lines(language)

    def values(pairs: list[_pairs.Pair]) -> list[float]:
        known = _pairs.of_distinct(
            lambda asked: classifiers.probabilities(model, asked, label, place, long=long),
            _sentence_pairs(pairs, cut),
        )
        return [
            mean_of_best(
                [
                    [known[premise, hypothesis] for premise in cut(source)]
                    for hypothesis in cut(prediction)
                ]
            )
            for prediction, source in pairs
        ]

    return _pairs.scores(values, predictions, references, refs)


def mean_of_best(rows: list[list[float]]) -> float:
    """Return the mean of each row's best, 0 if there are no rows."""
    return sum(max(row, default=0.0) for row in rows) / len(rows) if rows else 0.0


@flat
def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    long: Literal["error", "truncate"] = "error",
    place: Place = Place(),
    language: Language = get("en"),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction with a cut sentence, its own or its source's."""
    cut = sentences.with_lines(language)

    def is_long(pairs: list[_pairs.Pair]) -> list[bool]:
        return [
            any(classifiers.too_long(model, _sentence_pairs([pair], cut), place)) for pair in pairs
        ]

    return _pairs.truncated(is_long, predictions, references, long)


def _sentence_pairs(pairs: list[_pairs.Pair], cut: Callable[[str], list[str]]) -> list[_pairs.Pair]:
    """Return the pairs of sentences of source and prediction."""
    parts = {text: cut(text) for pair in pairs for text in pair}
    return [
        (premise, hypothesis)
        for prediction, source in pairs
        for hypothesis in parts[prediction]
        for premise in parts[source]
    ]


entailment = Metric(
    both_ways,
    range=(0, 1),
    symmetric=True,
    reaches_best=False,
    window=128,
    counts=counts_both_ways,
    by_options=by_options,
    libraries=("torch", "transformers"),
    summary="Entailment of prediction and reference by each other, a probability from 0 to 1; higher is better.",
)
summac = Metric(
    score,
    range=(0, 1),
    reaches_best=False,
    window=64,
    counts=counts,
    libraries=("torch", "transformers"),
    summary="SummaC, how far sentences follow from those of a source, from 0 to 1; higher is better.",
)
