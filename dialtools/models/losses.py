"""Losses of tokens by a network, computed only at the places asked for.

Each distinct row is read once, rows of like length together, and logits, of
which there are as many as the vocabulary has tokens, are made only for the
places that are asked for.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dialtools.models import checkpoints, minibatches, speakers
from dialtools.system.errors import need


class Query(NamedTuple):
    """A row of tokens, and the places and tokens whose losses are asked for."""

    ids: tuple[int, ...]  # of a seq2seq model what its decoder reads
    places: tuple[int, ...]  # those outputs from which the losses are taken
    targets: tuple[int, ...]  # the tokens that are looked for there
    source: tuple[int, ...] = ()  # what an encoder reads
    names: tuple[int, ...] = ()  # of what is read first: tokens of speakers' names, 0 for others


def of_texts(model: Any, rows: Sequence[list[Query]], batch_size: int) -> list[list[float]]:
    """Return, for each text, the losses of its rows, one after the other."""
    return gathered(
        functools.partial(_losses, model), rows, minibatches.size(model.config, batch_size)
    )


def gathered(
    work: Callable[[list[Query]], list[list[float]]], rows: Sequence[list[Query]], batch_size: int
) -> list[list[float]]:
    """Return, for each text, the losses of its rows, which `work` finds for a batch of distinct
    ones.
    """
    distinct = list(dict.fromkeys(row for own in rows for row in own))
    made = minibatches.each(distinct, lambda row: len(row.source) + len(row.ids), work, batch_size)
    losses = dict(zip(distinct, made, strict=True))
    return [[loss for row in own for loss in losses[row]] for own in rows]


def _losses(model: Any, rows: list[Query]) -> list[list[float]]:
    """Return the losses of each row of a batch."""
    torch = need("torch", "models")
    ids, mask = minibatches.padded([row.source or row.ids for row in rows], model.device)
    given = {"input_ids": ids, "attention_mask": mask}
    if rows[0].source:
        given["decoder_input_ids"], _ = minibatches.padded([row.ids for row in rows], model.device)
    names, _ = minibatches.padded(
        [row.names or (0,) * len(row.source or row.ids) for row in rows], model.device
    )
    numbers = torch.tensor(
        [number for number, row in enumerate(rows) for _ in row.places], device=model.device
    )
    places = torch.tensor([place for row in rows for place in row.places], device=model.device)
    targets = torch.tensor([target for row in rows for target in row.targets], device=model.device)
    with checkpoints.inference(), _only(model, numbers, places), speakers.told(model, names):
        logits = model(**given).logits  # (asked, vocabulary), or (rows, tokens, vocabulary)
        logits = logits if logits.dim() == 2 else logits[numbers, places]
        losses = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")
    return [part.tolist() for part in losses.split([len(row.places) for row in rows])]


@contextmanager
def _only(model: Any, numbers: Any, places: Any) -> Iterator[None]:
    """Let the model's head see only the states that are asked for: (rows, tokens, dim) becomes
    (asked, dim).
    """
    head = model.get_output_embeddings()
    if head is None:
        yield
        return
    hook = head.register_forward_pre_hook(
        lambda module, given: (
            (given[0][numbers, places], *given[1:]) if given[0].dim() == 3 else None
        )
    )
    try:
        yield
    finally:
        hook.remove()
