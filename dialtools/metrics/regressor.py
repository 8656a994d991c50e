"""Number of a model of regression, from minus infinity to infinity; neutral.

It is that of a text or a pair of texts. A model of dt-train scorer reads of a record what it was
trained on, and its number is in the unit of what it has learned. Any other reads the prediction
and, with other=first or second, the text that predictions are compared with before or behind it;
of=KEY and against=KEY name other texts.
A text without words is read as it is. A text or pair that the model cannot read at once is an
error, unless long=truncate cuts it; a model of dt-train scorer cuts as in its training.

>>> score([], model="some/model")
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


def score(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    other: _readings.Other = "none",
    refs: _pairs.Rule = "max",
    long: classifiers.Long | None = None,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the model's number for each text.

    predictions: or the records, for a model of dt-train scorer.
    references: unless other=none, a column of lists of the compared texts.
    model: folder or hub name.
    other: the place of the compared text: none, first or second.
    refs: take the highest number over several other texts (max), or the mean.
    long: treatment of texts that are too long; None: as the model was trained, else an error.
    """
    if not model:
        raise OptionError("regressor: which model? regressor:model=PATH")
    values = functools.partial(
        classifiers.numbers,
        model,
        long=long,
        device=device,
        precision=precision,
        offline=offline,
        batch_size=batch_size,
    )
    return _readings.scores(values, (predictions, *references), model, other, refs)


METRIC = Metric(
    score, window=256, needs=needs, counts=counts, libraries=libraries, described=described
)
