"""Batches for models: items of similar length together, the longest first."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

TOKENS = 4096  # of a batch, by default
_ALONE = (
    "bigbird_pegasus",
    "big_bird",
    "convbert",
    "fnet",
    "funnel",
    "mobilebert",
    "prophetnet",
    "recurrent_gemma",
    "rwkv",
)  # models whose results change with padding, in spite of a mask
_OUT_OF_MEMORY = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "bad_alloc",
    "status_alloc_failed",
)

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    rows: Sequence[Item],
    length: Callable[[Item], int],
    work: Callable[[list[Item]], Sequence[Result]],
    size: int,
    tokens: int = TOKENS,
) -> list[Result]:
    """Return the result of `work` for each row, in order; `work` gets up to `size` rows at once.

    tokens: of a batch, padding included; one row may have more.

    >>> each(["a", "dddd", "bb"], len, lambda rows: [f"{row} of {len(rows)}" for row in rows], 2)
    ['a of 1', 'dddd of 2', 'bb of 2']
    """
    lengths = list(map(length, rows))
    batches: list[list[int]] = []  # places of rows, the longest first
    for place in sorted(range(len(rows)), key=lambda place: -lengths[place]):
        batch = batches[-1] if batches else []
        if not batch or len(batch) >= size or lengths[batch[0]] * (len(batch) + 1) > tokens:
            batches.append([place])
        else:
            batch.append(place)
    results: dict[int, Result] = {}
    for batch in batches:
        results.update(zip(batch, work([rows[place] for place in batch]), strict=True))
    return [results[place] for place in range(len(rows))]


def size(config: Any, asked: int) -> int:
    """Return the batch size for a model: as asked, or 1 if a row's result depends on the others."""
    return 1 if config.model_type in _ALONE else asked


class Room:
    """How much a model reads at once; less from where memory has run out on.

    tokens: of a batch, padding included; 0 is as much as is asked for.
    """

    def __init__(self) -> None:
        self.tokens = 0

    def halved(
        self,
        rows: list[Item],
        length: Callable[[Item], int],
        work: Callable[[list[Item]], list[Result]],
        tell: Callable[[str], object],
    ) -> list[Result | None]:
        """Return the results for rows, halving batches if memory runs out; None for a row too large.

        tell: gets a sentence where there is less room than before.
        """
        tokens = len(rows) * max(map(length, rows))
        fits = not self.tokens or tokens <= self.tokens or len(rows) == 1
        if fits:
            try:
                return list(work(rows))
            except (RuntimeError, MemoryError) as error:
                if not out_of_memory(error):
                    raise
            _free()
            if len(rows) == 1:
                return [None]
            self.tokens = tokens // 2
            tell(
                f"memory ran out for {len(rows)} inputs of up to {tokens // len(rows):,} tokens: "
                f"from here on batch_tokens={self.tokens}"
            )
        half = len(rows) // 2
        first = self.halved(rows[:half], length, work, tell)
        return first + self.halved(rows[half:], length, work, tell)


def _free() -> None:
    """Give back what torch holds of a GPU's memory for later."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def out_of_memory(error: Exception) -> bool:
    """Tell whether torch or CTranslate2 raised this for lack of memory."""
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(sign in message for sign in _OUT_OF_MEMORY)


def padded(
    rows: Sequence[Sequence[int]], device: Any, pad: int = 0, left: bool = False
) -> tuple[Any, Any]:
    """Return rows of token ids, padded on the right, and their mask: (rows, tokens) each.

    left: pad on the left, so that all rows end together.
    """
    import torch

    width = max(map(len, rows))
    ids, mask = [], []
    for row in rows:
        gap = width - len(row)
        ids.append([pad] * gap + [*row] if left else [*row] + [pad] * gap)
        mask.append([0] * gap + [1] * len(row) if left else [1] * len(row) + [0] * gap)
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)
