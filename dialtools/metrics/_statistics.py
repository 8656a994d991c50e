"""Statistics of records, which add up to those of a data set, such as counted pairs of labels.

Pairs of labels are counted under "true<TAB>predicted".
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Pair = tuple[str, str]  # true, predicted
Counts = Mapping[str, float]


def alone(score: Callable[..., float]) -> Callable[..., float]:
    """Return the function of one record's statistics that scores it as a data set by itself."""

    @functools.wraps(score)
    def of_record(row: Any, **options: Any) -> float:
        return score([row], **options)

    return of_record


def scored(
    statistics: Callable[..., list], of_record: Callable[[Any], float]
) -> Callable[..., list[float]]:
    """Return the function that makes the scores of records of their statistics, with its options."""

    @functools.wraps(statistics)
    def score(*columns: Any, **options: Any) -> list[float]:
        return list(map(of_record, statistics(*columns, **options)))

    return score


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
