"""What a classifier or a model of regression reads: predictions, pairs of texts, or records.

A model of dt-train scorer chooses itself what it reads of a record.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from dialtools.inference import readings
from dialtools.metrics import _pairs
from dialtools.models import classifiers, likelihoods, scorers
from dialtools.models.scorers import Manner, Text

Other = Literal["none", "first", "second"]
Values = Callable[[list[Text]], Sequence[float]]


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that a metric reads."""
    if scorers.of(options["model"]):
        return ("record",)
    return ("prediction",) if options["other"] == "none" else ("prediction", "reference")


def scores(
    values: Values, columns: Sequence[Sequence[Any]], model: str, other: Other, rule: _pairs.Rule
) -> list[float]:
    """Return the number of each prediction or record; of several compared texts the highest, or
    the mean of all.

    values: a function from distinct texts to a number each.
    columns: predictions, and the texts that they are compared with; or records.
    """
    if manner := scorers.of(model):
        found = [readings.texts(record, manner) for record in columns[0]]
        known = _known(values, found)
        rows = [[known[text] for text in texts] for texts in found]
        return [max(row) if rule == "max" else sum(row) / len(row) for row in rows]
    if other != "none":
        return _pairs.scores(
            lambda pairs: values(_ordered(pairs, other)), columns[0], columns[1], rule
        )
    known = _known(values, [[(text,)] for text in columns[0]])
    return [known[text,] for text in columns[0]]


def counts(
    predictions: list[Any],
    *references: list[list[str]],
    model: str = "",
    other: Other = "none",
    long: classifiers.Long | None = None,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut, by itself or with another text."""

    def too_long(texts: list[Text]) -> list[bool]:
        return classifiers.too_long(
            model, texts, device=device, precision=precision, offline=offline
        )

    if manner := scorers.of(model):
        return _cut(too_long, predictions, manner)
    texts = [[""]] * len(predictions) if other == "none" else references[0]
    return _pairs.truncated(
        lambda pairs: too_long(_ordered(pairs, other)), predictions, texts, long or "error"
    )


def described(options: dict) -> dict[str, object]:
    """Return the options that follow from the model."""
    return {"long": "truncate" if classifiers.cuts(options["model"], options["long"]) else "error"}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return ("torch", "transformers")


def _known(values: Callable, found: Iterable[Iterable[Text]]) -> dict[Text, Any]:
    """Return the value of each distinct text."""
    distinct = list(dict.fromkeys(text for texts in found for text in texts))
    return dict(zip(distinct, values(distinct), strict=True)) if distinct else {}


def _cut(
    too_long: Callable[[list[Text]], list[bool]], records: Sequence[dict], manner: Manner
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each record with a text that is cut."""
    found = [readings.texts(record, manner) for record in records]
    known = _known(too_long, found)
    return [{"truncated": 1} if any(known[text] for text in texts) else {} for texts in found]


def _ordered(pairs: list[_pairs.Pair], other: Other) -> list[Text]:
    """Return the texts that the model reads, in order, for each pair."""
    if other == "none":
        return [(prediction,) for prediction, _ in pairs]
    return [
        (text, prediction) if other == "first" else (prediction, text) for prediction, text in pairs
    ]
