"""Keys and values of prompts, computed once for all that goes on from them.

transformers reads a prompt once for each beam and sample, and for each prompt anew what several
begin with: a system prompt, the shots of a template, the first turns of variants.
"""

import inspect
from collections.abc import Sequence
from typing import Any

from dialtools.models import minibatches, speakers

WORTHWHILE = 16  # tokens that prompts must share for a step of their own to pay


def read(
    network: Any, prompts: Sequence[Sequence[int]], copies: int, device: Any, pad: int
) -> tuple[Any, Any, Any]:
    """Return the token ids of prompts, their mask, and what a causal model has read of them.

    copies: beams or samples that go on from each prompt.

    Ids and mask are (prompts, tokens) and end together; padding follows the tokens that all
    prompts share.  The keys and values are those of (prompts * copies) rows, of all tokens but
    the last or, for one copy, of the shared ones; None where generate() is to read everything.
    """
    import torch

    shared = shared_tokens(prompts) if len(prompts) > 1 else 0
    if shared < WORTHWHILE:
        shared = 0
    is_read = (shared or copies > 1) and reads_in_parts(network)
    shared = shared if is_read else 0
    ids, mask = minibatches.padded([row[shared:] for row in prompts], device, pad, left=True)
    start = torch.tensor([prompts[0][:shared]] * len(prompts), dtype=ids.dtype, device=device)
    ids, mask = torch.cat([start, ids], 1), torch.cat([torch.ones_like(start), mask], 1)
    return ids, mask, _keys_and_values(network, ids, mask, shared, copies) if is_read else None


def shared_tokens(prompts: Sequence[Sequence[int]]) -> int:
    """Return with how many tokens all prompts begin, not counting the last token of any.

    >>> shared_tokens([(5, 6, 7, 8), (5, 6, 9)]), shared_tokens([(5, 6), (5, 6, 7)])
    (2, 1)
    """
    most = min(map(len, prompts)) - 1
    columns = zip(*(prompt[:most] for prompt in prompts), strict=True)
    return next((place for place, tokens in enumerate(columns) if len(set(tokens)) > 1), most)


def reads_in_parts(network: Any) -> bool:
    """Tell whether a model reads a prompt in parts: it is told positions, and attends to all before."""
    from transformers import DynamicCache

    settings = network.generation_config
    if speakers.has(network) or network._is_stateful or settings.cache_implementation:
        return False
    names = inspect.signature(network.base_model.forward).parameters
    return (
        settings.use_cache is not False
        and {"position_ids", "past_key_values"} <= names.keys()
        and not any(DynamicCache(config=network.config).is_sliding)
    )


def _keys_and_values(network: Any, ids: Any, mask: Any, shared: int, copies: int) -> Any:
    from transformers import DynamicCache

    cache = DynamicCache(config=network.config)
    positions = (mask.cumsum(1) - 1).clamp(min=0)

    def step(rows: slice, start: int, end: int) -> None:
        network.base_model(
            input_ids=ids[rows, start:end],
            attention_mask=mask[rows, :end],
            position_ids=positions[rows, start:end],
            past_key_values=cache,
            use_cache=True,
        )

    if shared:
        step(slice(1), 0, shared)
        cache.batch_repeat_interleave(len(ids))
    last = ids.shape[1] - 1
    if copies > 1 and shared < last:
        step(slice(None), shared, last)
    cache.batch_repeat_interleave(copies)
    return cache
