"""Outputs of a classifier or of a model of regression, for one text or a pair of texts.

classifier is the probability of a label, which may be good or bad: is the text toxic, of which style, does
it follow?  The model's configuration chooses the activation: sigmoid for several labels at once or a single
label, none for regression, softmax otherwise; `activation` overrides it (summaries of a model of regression
want activation=none, for its numbers are no shares).

regressor is the number of a model of regression.

With other=first, the text that predictions are compared with comes before the prediction (premise and
hypothesis, an utterance and the next); with other=second, after it.  against=context, dialogue or any key
names that text.  of=text reads the "text" of records, of=KEY any other key.  A text without words is read as
it is.  A text or pair that the model cannot read at once is an error, unless long=truncate cuts it.

A model of dt-train scorer reads of a record what it was trained on, unless of=prediction or another key says
what; one that was trained on pairs, or behind a profile, refuses that.  It cuts long texts as in its training.
Its probability is a calibrated one, and its number is in the unit of what it has learned.

>>> classifier.score([], model="some/model", label="toxic"), regressor.score([], model="some/model")
([], [])
"""

from collections.abc import Sequence
from typing import Any

from dialtools.metrics import _pairs, _readings
from dialtools.models import classifiers, scorers
from dialtools.models.checkpoints import Place
from dialtools.models.scorers import Text
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that a metric reads."""
    if scorers.of(options["model"]) and not options["of"]:
        return ("record",)
    return ("prediction",) if options["other"] == "none" else ("prediction", "reference")


@flat
def probability(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    label: str = "",
    other: _readings.Other = "none",
    activation: classifiers.Activation | None = None,
    refs: _pairs.Rule = "max",
    long: classifiers.Long | None = None,
    of: str = "",
    place: Place = Place(),
) -> list[float]:
    """Return the probability of a label for each text.

    predictions: or the records, for a model of dt-train scorer that reads as in its training.
    references: unless other=none, a column of lists of the compared texts.
    model: folder or hub name.  label: one of the model's.
    other: the place of the compared text: none, first or second.
    activation: from the model's numbers to probabilities; None: as its configuration says.
    refs: take the highest probability of several other texts (max), or the mean.
    long: treatment of texts that are too long; None: as the model was trained, else an error.
    of: key of the text that a model of dt-train scorer reads instead of what it was trained on.
    """
    if not model or not label:
        raise OptionError(
            "classifier: which model, and which label? classifier:model=PATH,label=toxic"
        )

    def values(texts: Sequence[Text]) -> list[float]:
        return classifiers.probabilities(model, texts, label, place, activation, long)

    return _readings.scores(values, (predictions, *references), model, other, refs, of)


@flat
def number(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    other: _readings.Other = "none",
    refs: _pairs.Rule = "max",
    long: classifiers.Long | None = None,
    of: str = "",
    place: Place = Place(),
) -> list[float]:
    """Return the model's number for each text.

    refs: take the highest number over several other texts (max), or the mean.
    The other options are those of classifier.
    """
    if not model:
        raise OptionError("regressor: which model? regressor:model=PATH")

    def values(texts: Sequence[Text]) -> list[float]:
        return classifiers.numbers(model, texts, place, long)

    return _readings.scores(values, (predictions, *references), model, other, refs, of)


@flat
def truncated(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    other: _readings.Other = "none",
    long: classifiers.Long | None = None,
    of: str = "",
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut, by itself or with another text."""
    return _readings.truncated((predictions, *references), model, other, long, place, of)


def described(options: dict) -> dict[str, object]:
    """Return the options that follow from the model."""
    return {"long": "truncate" if classifiers.cuts(options["model"], options["long"]) else "error"}


def bounds(options: dict) -> tuple[float, float] | None:
    """Return the lowest and highest score; None for a model whose numbers are no probabilities."""
    return None if options["activation"] == "none" else (0, 1)


classifier = Metric(
    probability,
    bounds=bounds,
    window=256,
    needs=needs,
    counts=truncated,
    libraries=("torch", "transformers"),
    described=described,
    summary="Probability of a label under a classifier, from 0 to 1; neutral, as the label may be good or bad.",
)
regressor = Metric(
    number,
    window=256,
    needs=needs,
    counts=truncated,
    libraries=("torch", "transformers"),
    described=described,
    summary="Number of a model of regression, from minus infinity to infinity; neutral.",
)
