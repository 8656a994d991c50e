"""Different n-grams as a share of all; shared by distinct1, distinct2 and distinct4."""

from collections import Counter
from collections.abc import Iterable, Mapping

from dialtools.text import overlap, tokenizers


def statistics(predictions: list[str], n: int, tok: str) -> list[dict[str, int]]:
    """Return how often each n-gram is in a prediction; it is written as words joined by spaces."""
    tokenize = tokenizers.named(tok)
    if n == 1:
        return [dict(Counter(tokenize(text))) for text in predictions]
    return [
        dict(Counter(map(" ".join, overlap.windows(tokenize(text), n)))) for text in predictions
    ]


def share(rows: Iterable[Mapping[str, float]]) -> float:
    """Return the share of different n-grams among all, 0 if there are none."""
    different: set[str] = set()
    count = 0.0
    for row in rows:
        different.update(row)
        count += sum(row.values())
    return len(different) / max(count, 1)
