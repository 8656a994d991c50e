"""Next-sentence prediction: does a text go on where another ended?  The task of BERT's training."""

import functools
from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints, classifiers, minibatches
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import RecordError

IS_NEXT = 0  # the place of this answer in every such head


@functools.lru_cache(maxsize=4)
def loaded(name: str, device: str, precision: str, offline: bool) -> tuple[Any, Any]:
    """Return (tokenizer, model); the last few are kept."""
    tokenizer, model = checkpoints.network(
        "AutoModelForNextSentencePrediction", Checkpoint(name, offline), device, precision
    )
    tokenizer.truncation_side = "left"  # what was said last counts most
    return tokenizer, model


def probabilities(
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    long: classifiers.Long = "error",
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the probability that the second text of each pair follows the first.

    long: treatment of pairs that are too long; truncate cuts the beginning of the first text.
    """
    tokenizer, model = loaded(name, device, precision, offline)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    rows = [_row(tokenizer, pair, limit, long) for pair in pairs]

    def work(rows: list[dict]) -> list[float]:
        batch = tokenizer.pad(rows, padding=True, return_tensors="pt", verbose=False).to(
            model.device
        )
        with checkpoints.inference():
            return model(**batch).logits.float().softmax(-1)[:, IS_NEXT].tolist()

    return minibatches.each(
        rows, lambda row: len(row["input_ids"]), work, minibatches.size(model.config, batch_size)
    )


def too_long(
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
) -> list[bool]:
    """Return which pairs are too long for the model."""
    tokenizer, model = loaded(name, device, precision, offline)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    return [len(tokenizer(*pair, verbose=False)["input_ids"]) > limit for pair in pairs]


def _row(tokenizer: Any, pair: tuple[str, str], limit: int, long: classifiers.Long) -> dict:
    """Return the tokens of a pair. Raise RecordError if it is too long."""
    row = tokenizer(*pair, verbose=False)
    number = len(row["input_ids"])
    if number <= limit:
        return dict(row)
    if long == "error":
        raise RecordError(
            f"{number} tokens, and the model has positions for {limit}: "
            "long=truncate cuts the turns before"
        )
    alone = len(tokenizer("", pair[1], verbose=False)["input_ids"])
    if alone >= limit:
        raise RecordError(
            f"the text alone has {alone} tokens, and the model has positions for {limit}"
        )
    return dict(tokenizer(*pair, truncation="only_first", max_length=limit))
