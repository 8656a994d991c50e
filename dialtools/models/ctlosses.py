"""Losses of tokens of a causal model by ctranslate2, on a CPU in a third of torch's time."""

import functools
from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints, ctranslate, losses
from dialtools.models.folders import Checkpoint
from dialtools.models.losses import Query
from dialtools.system.errors import OptionError, need


@functools.lru_cache(maxsize=2)
def loaded(name: str, device: str, precision: str, offline: bool) -> tuple[Any, Any, Any]:
    """Return (tokenizer, configuration, model of ctranslate2); the last ones are kept."""
    if precision != "float32":
        raise OptionError(f"engine=ctranslate2 is for float32, not for {precision}: engine=torch")
    ctranslate2 = need("ctranslate2", "fast")
    place = ctranslate.place(device)
    checkpoint = Checkpoint(name, offline)
    tokenizer, config = checkpoints.tokenizer_of(checkpoint), ctranslate.configuration(checkpoint)
    model = ctranslate2.Generator(
        ctranslate.converted(checkpoint, precision), **place, compute_type=precision
    )
    return tokenizer, config, model


def of_texts(
    tokenizer: Any, model: Any, rows: Sequence[list[Query]], batch_size: int
) -> list[list[float]]:
    """Return, for each text, the losses of its rows, one after the other; see losses.of_texts."""
    return losses.gathered(functools.partial(_losses, tokenizer, model), rows, batch_size)


def _losses(tokenizer: Any, model: Any, rows: list[Query]) -> list[list[float]]:
    """Return the losses of each row of a batch."""
    words = [tokenizer.convert_ids_to_tokens(row.ids) for row in rows]
    # which is no limit; by itself it would cut at 1024
    scored = model.score_batch(words, max_input_length=0)
    return [
        [-found.log_probs[place] for place in row.places]
        for row, found in zip(rows, scored, strict=True)
    ]
