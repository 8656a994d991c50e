"""Pairs of texts that a model reads: each distinct pair once, all pairs of a call together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from dialtools.wording import overlap

Pair = tuple[str, str]  # the prediction, and a text that it is compared with
Rule = Literal["max", "mean"]


def scores(values: Callable[[list[Pair]], Sequence[float]], predictions: Sequence[str],
           references: Sequence[Sequence[str]], rule: Rule) -> list[float]:
    """Return, for each prediction, the values of the pairs with its references, the best or their mean.

    values: distinct pairs -> a number for each.

    >>> scores(lambda pairs: [len(one) / len(other) for one, other in pairs], ["a"], [["ab", "abcd"]], "mean")
    [0.375]
    """
    pairs = _distinct(predictions, references)
    known = dict(zip(pairs, values(pairs), strict=True)) if pairs else {}
    return overlap.best(str, lambda prediction, text: known[prediction, text], predictions, references, rule)


def truncated(is_long: Callable[[list[Pair]], Sequence[bool]], predictions: Sequence[str],
              references: Sequence[Sequence[str]], long: str) -> list[dict[str, int]]:
    """Return, for each prediction, {"truncated": 1} where a pair with it was cut, as it is with long=truncate.

    is_long: distinct pairs -> whether they are longer than the model can read.
    """
    pairs = _distinct(predictions, references) if long == "truncate" else []
    cut = {pair for pair, found in zip(pairs, is_long(pairs), strict=True) if found} if pairs else set()
    return [{"truncated": 1} if any((prediction, text) in cut for text in texts) else {}
            for prediction, texts in zip(predictions, references, strict=True)]


def too_long(found: Mapping[str, Any], long: str, predictions: Sequence[str],
             references: Sequence[Sequence[str]]) -> list[dict[str, int]]:
    """Return, for each prediction, how many of its texts were too long for an encoder; found: what it made of each."""
    return counted("windowed" if long == "window" else "truncated", lambda text: int(found[text].cut), predictions,
                   references)


def counted(name: str, number: Callable[[str], int], predictions: Sequence[str],
            references: Sequence[Sequence[str]]) -> list[dict[str, int]]:
    """Return for each prediction {name: the sum of the numbers of its texts}, {} where that is 0."""
    sums = [sum(map(number, (one, *texts))) for one, texts in zip(predictions, references, strict=True)]
    return [{name: total} if total else {} for total in sums]


def _distinct(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Pair]:
    return list(dict.fromkeys((prediction, text) for prediction, texts in zip(predictions, references, strict=True)
                              for text in texts))
