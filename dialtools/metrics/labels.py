"""Labels of classes or ratings, predicted and true: accuracy, F1 and agreement beyond chance.

A label is a text.  Case counts; white space around it does not, nor how much stands within it.  Of
several references any may match, or, with refs=majority, that of most of them must; a record whose
references have no majority gets no score and is counted as undecided.

accuracy is 1 where prediction and reference are alike; the mean over records is the accuracy of a
data set.

accuracy_at is 1 if the reference is among the first k of a list.  The prediction is a list, best
first; a single text is a list of one, and a list shorter than k is used as it is.  Any of several
references may match.

macro_f1 and kappa are values of a data set; a single record scores 1 if its labels are the same,
else 0, and the mean over records is the accuracy.  macro_f1 is the mean of the F1 of each label: each
that is true or predicted anywhere has the same weight, and a label that is never right has F1 0.
kappa is agreement beyond chance, and 1 where everything has the same label.

qwk is the quadratic weighted kappa of ratings.  Labels are numbers, and a disagreement counts with
the square of their distance.  This too is a value of a data set, 1 where everything has the same
rating; a single record scores minus the squared distance, 0 where the ratings are the same.  A rating
that is not a number is an error.

Sources: accuracy and macro_f1 as in "Modeling collaborative dialogue in Minecraft with
action-utterance model"; equal to scikit-learn's accuracy_score and f1_score with average="macro".
accuracy_at: accuracy@1, accuracy@5, … of linking mentions to concepts; equal to top_k_accuracy_score.
kappa: Cohen 1960, https://doi.org/10.1177/001316446002000104; equal to cohen_kappa_score.  qwk: Cohen
1968, https://doi.org/10.1037/h0026256; equal to cohen_kappa_score with weights="quadratic" and, as
labels, all whole numbers from the lowest rating to the highest (without them it drops ratings that
nobody gave from the scale).

>>> accuracy.score(["UTT", "ACT"], [["UTT"], ["UTT"]])
[1.0, 0.0]
>>> accuracy.score(["good", "good"], [["good", "bad", "good"], ["good", "bad"]], refs="majority")
[1.0, None]
>>> accuracy_at.score([["knee", "hip", "joint"], ["knee"]], [["joint"], ["hip"]], k=3)
[1.0, 0.0]
>>> predictions, references = ["a", "a", "b", "c"], [["a"], ["b"], ["b"], ["a"]]
>>> macro_f1.corpus.score(macro_f1.corpus.statistics(predictions, references))
0.38888888888888884
>>> predictions, references = ["a", "a", "b", "b"], [["a"], ["b"], ["b"], ["b"]]
>>> kappa.corpus.score(kappa.corpus.statistics(predictions, references))
0.5
>>> predictions, references = ["1", "2", "3"], [["1"], ["2"], ["5"]]
>>> qwk.score(predictions, references)
[0.0, 0.0, -4.0]
>>> qwk.corpus.score(qwk.corpus.statistics(predictions, references))
0.6666666666666667
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal

from dialtools.metrics import _statistics
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import OptionError, RecordError, show

Refs = Literal["max", "majority"]
Read = Callable[[str], str]  # text -> the label in it

LARGEST = 1e100  # rating whose square is a number still


def label(text: str) -> str:
    """Return the label in a text."""
    return " ".join(text.split())


def rating(text: str) -> str:
    """Return the rating in a text, 3.0 written as 3."""
    return f"{_number(text):.15g}"


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < LARGEST:  # nor is nan
        raise RecordError(f"qwk compares ratings, which are numbers, here is {show(text)}")
    return number


def pairs(
    read: Read,
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    refs: Refs = "max",
) -> list[list[_statistics.Pair]]:
    """Return the true and the predicted label of each record; [] for a tie or no reference.

    refs: the true label is the predicted one if any reference has it, else the first (max); or the
    label of most references (majority).
    """
    rows: list[list[_statistics.Pair]] = []
    for prediction, texts in zip(predictions, references, strict=True):
        predicted, labels = read(prediction), list(map(read, texts))
        row = []
        if labels and refs == "max":
            row = [(predicted if predicted in labels else labels[0], predicted)]
        elif labels:
            (first, votes), *second = Counter(labels).most_common(2)
            row = [] if second and second[0][1] == votes else [(first, predicted)]
        rows.append(row)
    return rows


def undecided(
    read: Read, predictions: list[str], references: list[list[str]], *, refs: Refs = "max"
) -> list[dict[str, int]]:
    """Return {"undecided": 1} for each record that is left out because of a tie."""
    rows = pairs(read, predictions, references, refs=refs)
    return [
        {"undecided": 1} if texts and not row else {}
        for row, texts in zip(rows, references, strict=True)
    ]


def counts(
    read: Read, predictions: list[str], references: list[list[str]], *, refs: Refs = "max"
) -> list[dict[str, int]]:
    """Return the counted pair of labels of each record."""
    return _statistics.counted(pairs(read, predictions, references, refs=refs))


def agreement(
    predictions: list[str], references: list[list[str]], *, refs: Refs = "max"
) -> list[float | None]:
    """Return 1.0 if the labels of a record are the same, else 0.0; None for a tie.

    refs: any of several references may match (max), or the label of most of them must (majority).
    """
    rows = pairs(label, predictions, references, refs=refs)
    return [float(row[0][0] == row[0][1]) if row else None for row in rows]


def squared_distances(
    predictions: list[str], references: list[list[str]], *, refs: Refs = "max"
) -> list[float | None]:
    """Return minus the squared distance of each prediction; refs as in accuracy."""
    rows = pairs(rating, predictions, references, refs=refs)
    return [0.0 - (_number(row[0][0]) - _number(row[0][1])) ** 2 if row else None for row in rows]


def among_first(
    predictions: list[list[str]], references: list[list[str]], *, k: int = 5
) -> list[float]:
    """Return 1.0 or 0.0 for each n-best list; k: how many of its items count, 1 or more."""
    if k < 1:
        raise OptionError(f"accuracy_at: k is 1 or more, not {k}")
    return [
        float(not set(map(label, candidates[:k])).isdisjoint(map(label, texts)))
        for candidates, texts in zip(predictions, references, strict=True)
    ]


def mean_f1(rows: Iterable[_statistics.Counts]) -> float:
    """Return the macro-F1 of a data set from the statistics of its records, or sums of them."""
    scores = _statistics.f1(_statistics.summed(rows)).values()
    return sum(scores) / len(scores) if scores else 0.0


def cohen(rows: Iterable[_statistics.Counts]) -> float:
    """Return the kappa of a data set from the statistics of its records, or sums of them."""
    counts = _statistics.summed(rows)
    true, predicted = _statistics.marginals(counts)
    n = sum(counts.values())
    agreed = sum(count for (label, prediction), count in counts.items() if label == prediction)
    by_chance = sum(count * predicted[label] for label, count in true.items()) / n if n else 0
    return _beyond_chance(n - agreed, n - by_chance, n)


def quadratic(rows: Iterable[_statistics.Counts]) -> float:
    """Return the weighted kappa of a data set from statistics of its records, or sums of them."""
    counts = _statistics.summed(rows)
    n = sum(counts.values())
    if not n:
        return 0.0
    true, predicted = _statistics.marginals(counts)
    numbers = {rating: _number(rating) for rating in sorted({*true, *predicted})}
    disagreement = sum(
        count * (numbers[rating] - numbers[prediction]) ** 2
        for (rating, prediction), count in counts.items()
    )

    # the sum over all pairs of ratings, from the moments of both sides about one centre
    ratings = {rating: true[rating] + predicted[rating] for rating in numbers}
    centre = sum(count * numbers[rating] for rating, count in ratings.items()) / (2 * n)
    squares = sum(count * (numbers[rating] - centre) ** 2 for rating, count in ratings.items())
    true_moment, predicted_moment = (
        sum(count * (numbers[rating] - centre) for rating, count in side.items())
        for side in (true, predicted)
    )
    return _beyond_chance(disagreement, squares - 2 * true_moment * predicted_moment / n, n)


def _beyond_chance(disagreement: float, by_chance: float, n: float) -> float:
    """Return 1 - disagreement / disagreement by chance; 1 for a single label, 0 without n."""
    return 1 - disagreement / by_chance if by_chance else float(n > 0)


accuracy = Metric(
    agreement,
    range=(0, 1),
    symmetric=True,
    pairs=partial(pairs, label),
    counts=partial(undecided, label),
    summary="Accuracy of labels, 1 where prediction and reference are alike, from 0 to 1; higher is better.",
)
accuracy_at = Metric(
    among_first,
    range=(0, 1),
    needs=("predictions", "reference"),
    summary="Accuracy at k, 1 if the reference is among the first k of a list, from 0 to 1; higher is better.",
)
macro_f1 = Metric(
    agreement,
    range=(0, 1),
    symmetric=True,
    corpus=Corpus(partial(counts, label), mean_f1, mean="their accuracy"),
    pairs=partial(pairs, label),
    counts=partial(undecided, label),
    summary="Macro-F1 of labels: the mean of the F1 of each label, from 0 to 1; higher is better.",
)
kappa = Metric(
    agreement,
    range=(0, 1),
    symmetric=True,
    corpus=Corpus(partial(counts, label), cohen, mean="their accuracy", bounds=(-1, 1)),
    pairs=partial(pairs, label),
    counts=partial(undecided, label),
    summary="Cohen's kappa of labels: agreement beyond chance, from -1 to 1; higher is better, 0 is chance.",
)
qwk = Metric(
    squared_distances,
    better="higher",
    texts="numbers",
    corpus=Corpus(
        partial(counts, rating),
        quadratic,
        mean="minus their mean squared distance",
        bounds=(-1, 1),
    ),
    pairs=partial(pairs, rating),
    counts=partial(undecided, rating),
    summary="Quadratic weighted kappa of ratings, from -1 to 1; higher is better, 0 is chance.",
)
