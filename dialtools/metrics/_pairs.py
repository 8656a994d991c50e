"""What a model reads, such as pairs of texts: each distinct one once, all of a call together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from dialtools.text import overlap

Pair = tuple[str, str]  # the prediction, and a text that it is compared with
Rule = Literal["max", "mean"]
Item = TypeVar("Item")
Value = TypeVar("Value")


def of_distinct(
    values: Callable[[list[Item]], Sequence[Value]], items: Iterable[Item]
) -> dict[Item, Value]:
    """Return the value of each distinct item."""
    distinct = list(dict.fromkeys(items))
    return dict(zip(distinct, values(distinct), strict=True)) if distinct else {}


def of_each(values: Callable[[list[Item]], Sequence[Value]], items: Sequence[Item]) -> list[Value]:
    """Return the value of each item."""
    known = of_distinct(values, items)
    return [known[item] for item in items]


def marked(flags: Iterable[bool], name: str = "truncated") -> list[dict[str, int]]:
    """Return {name: 1} for each flag that is set, else {}."""
    return [{name: 1} if flag else {} for flag in flags]


def _flat(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[Pair]:
    for prediction, texts in zip(predictions, references, strict=True):
        yield from ((prediction, text) for text in texts)


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
    known = of_distinct(values, _flat(predictions, references))
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
    known = of_distinct(is_long, _flat(predictions, references))
    return marked(
        any(known[prediction, text] for text in texts)
        for prediction, texts in zip(predictions, references, strict=True)
    )


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
