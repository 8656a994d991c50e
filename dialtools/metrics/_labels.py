"""Labels of classes, and how often each true label goes with each predicted one.

Pairs of labels are counted under "true<TAB>predicted", so that the counts of records add up to
those of a data set.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

Pair = tuple[str, str]  # true, predicted
Counts = Mapping[str, float]


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
    for (label, prediction), count in counts.items():
        true[label] += count  # type: ignore[assignment]
        predicted[prediction] += count  # type: ignore[assignment]
    return true, predicted
