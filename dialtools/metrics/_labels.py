"""Labels of classes, and how often each true label goes with each predicted one.

A label is a text without white space around it, and with single spaces within; case counts. Pairs
of labels are counted under "true<TAB>predicted", so that the counts of records add up to those of
a data set.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

Refs = Literal["max", "majority"]
Pair = tuple[str, str]  # true, predicted
Counts = Mapping[str, float]


def pairs(
    predictions: Sequence[str], references: Sequence[Sequence[str]], *, refs: Refs = "max"
) -> list[list[Pair]]:
    """Return the true and the predicted label of each record; [] for a tie or no reference.

    refs: the true label is the predicted one if any reference has it, else the first (max); or the
    label of most references (majority).
    """
    return [
        _pair(label(prediction), [label(text) for text in texts], refs)
        for prediction, texts in zip(predictions, references, strict=True)
    ]


def agreement(
    predictions: Sequence[str], references: Sequence[Sequence[str]], refs: Refs
) -> list[float | None]:
    """Return 1.0 if the labels of a record are the same, else 0.0; None for a tie."""
    return [
        float(pair[0][0] == pair[0][1]) if pair else None
        for pair in pairs(predictions, references, refs=refs)
    ]


def left_out(
    predictions: Sequence[str], references: Sequence[Sequence[str]], *, refs: Refs = "max"
) -> list[dict[str, int]]:
    """Return {"undecided": 1} for each record that is left out because of a tie."""
    return undecided(pairs(predictions, references, refs=refs), references)


def statistics(
    predictions: Sequence[str], references: Sequence[Sequence[str]], *, refs: Refs = "max"
) -> list[dict[str, int]]:
    """Return the counted pair of labels of each record."""
    return counted(pairs(predictions, references, refs=refs))


def undecided(
    rows: Iterable[Sequence[Pair]], references: Sequence[Sequence[str]]
) -> list[dict[str, int]]:
    """Return {"undecided": 1} for each record with a tie."""
    return [
        {"undecided": 1} if texts and not row else {}
        for row, texts in zip(rows, references, strict=True)
    ]


def counted(rows: Iterable[Iterable[Pair]]) -> list[dict[str, int]]:
    """Return the counted pairs of each record."""
    return [dict(Counter("\t".join(pair) for pair in row)) for row in rows]


def summed(rows: Iterable[Counts]) -> dict[Pair, float]:
    """Return the counts of a data set by pair."""
    total: Counter = Counter()
    for row in rows:
        total.update(row)
    return {tuple(key.split("\t")): count for key, count in total.items() if count}


def f1(counts: Mapping[Pair, float]) -> dict[str, float]:
    """Return the F1 of each label, from 0 to 1, sorted by label; 0 if it is never right."""
    true, predicted = marginals(counts)
    return {
        label: 2 * counts.get((label, label), 0) / (true[label] + predicted[label])
        for label in sorted({*true, *predicted})
    }


def marginals(counts: Mapping[Pair, float]) -> tuple[Counter, Counter]:
    """Return how often each label is the true one, and how often the predicted one."""
    true, predicted = Counter[str](), Counter[str]()
    for (one, other), count in counts.items():
        true[one] += count  # type: ignore[assignment]
        predicted[other] += count  # type: ignore[assignment]
    return true, predicted


def kappa(disagreement: float, by_chance: float, n: float) -> float:
    """Return 1 - disagreement / disagreement by chance; 1 for a single label, 0 without n."""
    return 1 - disagreement / by_chance if by_chance else float(n > 0)


def label(text: str) -> str:
    """Return the label in a text."""
    return " ".join(text.split())


def _pair(predicted: str, found: list[str], refs: Refs) -> list[Pair]:
    if not found:
        return []
    if refs == "max":
        return [(predicted if predicted in found else found[0], predicted)]
    (first, votes), *others = Counter(found).most_common(2)
    return [] if others and others[0][1] == votes else [(first, predicted)]
