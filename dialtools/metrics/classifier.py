"""Probability of a label under a classifier, from 0 to 1; neutral, as the label may be good or bad.

It classifies one text (is it toxic, of which style) or a pair of texts. With other=first, the
text that predictions are compared with comes before the prediction (premise and hypothesis, an
utterance and the next); with other=second, after it. against=context, dialogue or any key names
that text. of=text classifies the "text" of records, of=KEY any other key.

A model of dt-train scorer reads of a record what it was trained on, its probability is a
calibrated one, and it cuts long texts as in its training.

The model's configuration chooses the activation: sigmoid for several labels at once or a single
label, none for regression, softmax otherwise; `activation` overrides it (summaries of a model
of regression want activation=none, for its numbers are no shares). A text without words is
classified as it is. A text or pair that the model cannot read at once is an error, unless
long=truncate cuts it.

>>> score([], model="some/model", label="toxic")
[]
"""

import functools
from typing import Any

from dialtools.metrics import _pairs, _readings
from dialtools.models import classifiers, likelihoods
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError

needs, counts = _readings.needs, _readings.counts
described, libraries = _readings.described, _readings.libraries


def bounds(options: dict) -> tuple[float, float] | None:
    """Return the lowest and highest score; None for a model whose numbers are no probabilities."""
    return None if options["activation"] == "none" else (0, 1)


def score(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    label: str = "",
    other: _readings.Other = "none",
    activation: classifiers.Activation | None = None,
    refs: _pairs.Rule = "max",
    long: classifiers.Long | None = None,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the probability of a label for each text.

    predictions: or the records, for a model of dt-train scorer.
    references: unless other=none, a column of lists of the compared texts.
    model: folder or hub name.  label: one of the model's.
    other: the place of the compared text: none, first or second.
    activation: from the model's numbers to probabilities; None: as its configuration says.
    refs: take the highest probability of several other texts (max), or the mean.
    long: treatment of texts that are too long; None: as the model was trained, else an error.
    """
    if not model or not label:
        raise OptionError(
            "classifier: which model, and which label? classifier:model=PATH,label=toxic"
        )
    values = functools.partial(
        classifiers.probabilities,
        model,
        label=label,
        activation=activation,
        long=long,
        device=device,
        precision=precision,
        offline=offline,
        batch_size=batch_size,
    )
    return _readings.scores(values, (predictions, *references), model, other, refs)


METRIC = Metric(
    score,
    bounds=bounds,
    window=256,
    needs=needs,
    counts=counts,
    libraries=libraries,
    described=described,
)
