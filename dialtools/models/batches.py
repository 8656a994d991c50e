"""Batches for models: what is of like length goes together, the longest first."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

TOKENS = 4096  # of a batch, padding included; one text may have more

Row = TypeVar("Row")
Result = TypeVar("Result")


def each(rows: Sequence[Row], length: Callable[[Row], int], work: Callable[[list[Row]], Sequence[Result]],
         size: int) -> list[Result]:
    """Return what `work` makes of each row, in the order of the rows; it gets up to `size` of them at once.

    >>> each(["a", "dddd", "bb"], len, lambda rows: [f"{row} of {len(rows)}" for row in rows], 2)
    ['a of 1', 'dddd of 2', 'bb of 2']
    """
    lengths = list(map(length, rows))
    found: dict[int, Result] = {}
    for batch in _longest_first(lengths, size):
        found.update(zip(batch, work([rows[at] for at in batch]), strict=True))
    return [found[at] for at in range(len(rows))]


def _longest_first(lengths: list[int], size: int) -> Iterator[list[int]]:
    """Yield the places of rows, batch by batch."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if batch and (len(batch) >= size or lengths[batch[0]] * (len(batch) + 1) > TOKENS):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def padded(rows: Sequence[Sequence[int]], device: Any, pad: int = 0) -> tuple[Any, Any]:
    """Return rows of token ids, filled up at their ends, and the mask of what is theirs: (rows, tokens) each."""
    import torch

    width = max(map(len, rows))
    ids = [[*row, *[pad] * (width - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)
