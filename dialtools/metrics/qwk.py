"""Quadratic weighted kappa of ratings, from -1 to 1; higher is better, 0 is chance.

Labels are numbers, and a disagreement counts with the square of their distance. This is a value
of a data set; it is 1 where everything has the same rating. A single record scores minus the
squared distance, 0 where the ratings are the same. A rating that is not a number is an error.

Source: Cohen 1968, https://doi.org/10.1037/h0026256; equal to scikit-learn's cohen_kappa_score
with weights="quadratic" and, as labels, all whole numbers from the lowest rating to the highest
(without them it drops ratings that nobody gave from the scale).

>>> predictions, references = ["1", "2", "3"], [["1"], ["2"], ["5"]]
>>> score(predictions, references)
[0.0, 0.0, -4.0]
>>> from_statistics(statistics(predictions, references))
0.6666666666666667
"""

from collections.abc import Iterable

from dialtools.metrics import _labels
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError, show

LARGEST = 1e100  # whose square is a number still


def score(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[float | None]:
    """Return minus the squared distance of each prediction; refs as in accuracy."""
    rows = pairs(predictions, references, refs=refs)
    return [0.0 - (_number(row[0][0]) - _number(row[0][1])) ** 2 if row else None for row in rows]


def counts(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[dict[str, int]]:
    """Return {"undecided": 1} for each record that is left out because of a tie."""
    return _labels.undecided(pairs(predictions, references, refs=refs), references)


def pairs(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[list[_labels.Pair]]:
    """Return the true and the predicted rating of each record, 3.0 written as 3."""
    ratings = [list(map(_rating, texts)) for texts in references]
    return _labels.pairs(list(map(_rating, predictions)), ratings, refs=refs)


def statistics(
    predictions: list[str], references: list[list[str]], *, refs: _labels.Refs = "max"
) -> list[dict[str, int]]:
    """Return the counted pair of ratings of each record."""
    return _labels.counted(pairs(predictions, references, refs=refs))


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return the kappa of a data set from the statistics of its records, or sums of them."""
    counts = _labels.summed(rows)
    n = sum(counts.values())
    if not n:
        return 0.0
    true, predicted = _labels.marginals(counts)
    numbers = {label: _number(label) for label in sorted({*true, *predicted})}
    disagreement = sum(
        count * (numbers[one] - numbers[other]) ** 2 for (one, other), count in counts.items()
    )
    # the sum over all pairs of ratings, from the moments of both sides about one centre
    centre = sum((true[label] + predicted[label]) * numbers[label] for label in numbers) / (2 * n)
    squares = sum(
        (true[label] + predicted[label]) * (numbers[label] - centre) ** 2 for label in numbers
    )
    one_side, other_side = (
        sum(count * (numbers[label] - centre) for label, count in side.items())
        for side in (true, predicted)
    )
    return _labels.kappa(disagreement, squares - 2 * one_side * other_side / n, n)


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


METRIC = Metric(
    score,
    better="higher",
    texts="numbers",
    corpus=Corpus(
        statistics, from_statistics, mean="minus their mean squared distance", bounds=(-1, 1)
    ),
    pairs=pairs,
    counts=counts,
)
