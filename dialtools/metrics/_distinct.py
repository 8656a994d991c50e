"""Different n-grams as a share of all; shared by distinct1, distinct2 and distinct4."""

from collections.abc import Iterable

from dialtools.text import overlap, tokenizers


def statistics(predictions: list[str], n: int, tok: str) -> list[list[str]]:
    """Return the n-grams of each prediction, each as words joined by spaces."""
    tokenize = tokenizers.named(tok)
    if n == 1:
        return [list(tokenize(text)) for text in predictions]
    return [list(map(" ".join, overlap.windows(tokenize(text), n))) for text in predictions]


def share(rows: Iterable[list[str]]) -> float:
    """Return the share of different n-grams among all, 0 if there are none."""
    different: set[str] = set()
    count = 0
    for row in rows:
        different.update(row)
        count += len(row)
    return len(different) / max(count, 1)
