"""What a classifier or a model of regression reads: predictions, pairs of texts, or records.

A model of dt-train scorer chooses itself what it reads of a record, unless it is told (`of`).
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Literal

from dialtools.inference import readings
from dialtools.metrics import _pairs
from dialtools.models import classifiers, scorers
from dialtools.models.checkpoints import Place
from dialtools.models.scorers import Text
from dialtools.system.errors import OptionError

Other = Literal["none", "first", "second"]
Values = Callable[[list[Text]], Sequence[float]]


def scores(
    values: Values,
    columns: Sequence[Sequence[Any]],
    model: str,
    other: Other,
    rule: _pairs.Rule,
    of: str = "",
) -> list[float]:
    """Return the number of each prediction or record; of several compared texts the highest, or
    the mean of all.

    values: a function from distinct texts to a number each.
    columns: predictions, and the texts that they are compared with; or records.
    of: the key of the predictions, if a model of dt-train scorer is told to read them.
    """
    manner = scorers.of(model)
    if manner and of and (manner.pair or manner.profile or other != "none"):
        raise OptionError(f"{model} has learned to read two texts: it cannot read {of} alone")
    if manner and not of:
        texts_by_record = [readings.texts(record, manner) for record in columns[0]]
        known = _pairs.of_distinct(values, chain(*texts_by_record))
        rows = [[known[text] for text in texts] for texts in texts_by_record]
        return [max(row) if rule == "max" else sum(row) / len(row) for row in rows]
    if other != "none":
        return _pairs.scores(
            lambda pairs: values(_ordered(pairs, other)), columns[0], columns[1], rule
        )
    texts: list[Text] = [(text,) for text in columns[0]]
    return _pairs.of_each(values, texts)


def truncated(
    columns: Sequence[Sequence[Any]],
    model: str,
    other: Other,
    long: classifiers.Long | None,
    place: Place,
    of: str = "",
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut, by itself or with another text."""

    def too_long(texts: list[Text]) -> list[bool]:
        return classifiers.too_long(model, texts, place)

    predictions = columns[0]
    manner = scorers.of(model)
    if manner and not of:
        texts_by_record = [readings.texts(record, manner) for record in predictions]
        known = _pairs.of_distinct(too_long, chain(*texts_by_record))
        return _pairs.marked(any(known[text] for text in texts) for texts in texts_by_record)
    return _pairs.truncated(
        lambda pairs: too_long(_ordered(pairs, other)),
        predictions,
        [[""]] * len(predictions) if other == "none" else columns[1],
        long or ("truncate" if manner else "error"),
    )


def _ordered(pairs: list[_pairs.Pair], other: Other) -> list[Text]:
    """Return the texts that the model reads, in order, for each pair."""
    if other == "none":
        return [(prediction,) for prediction, _ in pairs]
    return [
        (text, prediction) if other == "first" else (prediction, text) for prediction, text in pairs
    ]
