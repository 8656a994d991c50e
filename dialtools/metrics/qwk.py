"""Quadratic weighted kappa of ratings, from -1 to 1; higher is better, 0 is chance.

Labels are numbers, and a disagreement counts with the square of their distance.
It is the value of a data set, which `from_statistics` gives (dt-score --stats);
1 where everything has one and the same rating.  A record by itself scores minus
the square of the distance, 0 where the ratings are the same; what is no number
is an error.

Source: Cohen 1968, https://doi.org/10.1037/h0026256; equal to scikit-learn's
cohen_kappa_score with weights="quadratic", given all whole numbers from the
lowest rating to the highest as labels (without that it takes those that
nobody gave out of the scale).

>>> predictions, references = ["1", "2", "3"], [["1"], ["2"], ["5"]]
>>> score(predictions, references)
[0.0, 0.0, -4.0]
>>> from_statistics(statistics(predictions, references))
0.6666666666666667
"""

from collections.abc import Iterable

from dialtools.errors import RecordError, show
from dialtools.metrics import _labels

TEXTS = "numbers"
LARGEST = 1e100  # whose square is a number still
MEAN = "minus their mean squared distance"


def score(predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max") -> list[float | None]:
    """Return minus the squared distance of each prediction; refs as in accuracy."""
    rows = pairs(predictions, references, refs=refs)
    return [0.0 - (_number(row[0][0]) - _number(row[0][1]))**2 if row else None for row in rows]


def counts(predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max") -> list[dict[str, int]]:
    """Return of each record whether it is left out, as undecided."""
    return _labels.undecided(pairs(predictions, references, refs=refs), references)


def pairs(predictions: list[str], references: list[list[str]], *,
          refs: _labels.Refs = "max") -> list[list[_labels.Pair]]:
    """Return the true and the predicted rating of each record, 3.0 written as 3."""
    ratings = [list(map(_rating, texts)) for texts in references]
    return _labels.pairs(list(map(_rating, predictions)), ratings, refs=refs)


def statistics(predictions: list[str], references: list[list[str]], *,
               refs: _labels.Refs = "max") -> list[dict[str, int]]:
    """Return the pair of ratings of each record, counted."""
    return _labels.counted(pairs(predictions, references, refs=refs))


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return the kappa of a data set from the statistics of its records; sums of rows do as well."""
    counts = _labels.summed(rows)
    found = _labels.labels(counts)
    return _labels.kappa(counts, {(one, other): (_number(one) - _number(other))**2 for one in found for other in found})


def _rating(text: str) -> str:
    return f"{_number(text):.15g}"


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not abs(found) < LARGEST:  # nor is nan
        raise RecordError(f"qwk compares ratings, which are numbers, here is {show(text)}")
    return found
