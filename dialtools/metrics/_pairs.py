"""Pairs of texts that a model reads: each distinct pair once, all pairs of a call together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from dialtools.text import overlap

Pair = tuple[str, str]  # the prediction, and a text that it is compared with
Rule = Literal["max", "mean"]


def scores(
    values: Callable[[list[Pair]], Sequence[float]],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    rule: Rule,
) -> list[float]:
    """Return for each prediction the best value over its references, or their mean.

    values: a function from distinct pairs to a number each.

    >>> def ratios(pairs):
    ...     return [len(prediction) / len(text) for prediction, text in pairs]
    >>> scores(ratios, ["a"], [["ab", "abcd"]], "mean")
    [0.375]
    """
    known = _known(values, predictions, references)
    return overlap.best(
        str, lambda prediction, text: known[prediction, text], predictions, references, rule
    )


def truncated(
    is_long: Callable[[list[Pair]], Sequence[bool]],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    long: str,
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction in a pair that long=truncate has cut.

    is_long: a function from distinct pairs to whether each is too long for the model.
    """
    if long != "truncate":
        return [{}] * len(predictions)
    known = _known(is_long, predictions, references)
    return [
        {"truncated": 1} if any(known[prediction, text] for text in texts) else {}
        for prediction, texts in zip(predictions, references, strict=True)
    ]


def too_long(
    readings: Mapping[str, Any],
    long: str,
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> list[dict[str, int]]:
    """Return how many texts of each prediction are too long; readings: {text: what was read}."""
    return counted(
        "windowed" if long == "window" else "truncated",
        lambda text: int(readings[text].cut),
        predictions,
        references,
    )


def counted(
    name: str,
    number: Callable[[str], int],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> list[dict[str, int]]:
    """Return {name: sum over its texts} for each prediction, {} if that is 0."""
    sums = [
        sum(map(number, (prediction, *texts)))
        for prediction, texts in zip(predictions, references, strict=True)
    ]
    return [{name: total} if total else {} for total in sums]


def _known(
    values: Callable[[list[Pair]], Sequence],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[Pair, Any]:
    """Return the value of each distinct pair."""
    pairs = list(
        dict.fromkeys(
            (prediction, text)
            for prediction, texts in zip(predictions, references, strict=True)
            for text in texts
        )
    )
    return dict(zip(pairs, values(pairs), strict=True)) if pairs else {}
