"""Distances between the variants of one record in a batch."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from dialtools.plugins.objective import IGNORED
from dialtools.system.errors import OptionError


def rows(groups: Any) -> list[list[int]]:
    """Return the rows of each record that has several variants in a batch.

    groups: (rows,), as in Batch.
    """
    records: dict[int, list[int]] = {}
    for row, group in enumerate(groups.tolist()):
        records.setdefault(group, []).append(row)
    return [members for members in records.values() if len(members) > 1]


def distance(
    batch: Any,
    of_row: Callable[[int], Any],
    fitted: Callable[[Sequence[Any]], Sequence[Any]],
    zero: Any,
) -> Any:
    """Return the mean over records of the mean squared error over all pairs of variants.

    The mean over the ordered pairs k ≠ l, 1 / K (K - 1) times their sum, is that over the
    unordered ones, as the error is symmetric.  Records with one variant do not count.

    of_row: what a variant has, a tensor.
    fitted: the tensors of one record's variants, given one shape.
    zero: the value without any pair, a tensor.
    """
    import torch

    distances = []
    for members in rows(batch.groups):
        variants = fitted([of_row(row) for row in members])
        if variants[0].numel():
            loss = torch.nn.functional.mse_loss
            errors = [loss(*pair) for pair in combinations(variants, 2)]
            distances.append(torch.stack(errors).mean())
    return torch.stack(distances).mean() if distances else zero


def last(outputs: Any, of_decoder: str, of_causal: str, what: str) -> tuple[Any, bool]:
    """Return the last layer's attentions or states, and whether a causal model gave them.

    of_decoder, of_causal: their names in the outputs of models of the two kinds.
    """
    for name in (of_decoder, of_causal):
        layers = outputs.get(name)
        if layers and layers[-1] is not None:
            return layers[-1].float(), name == of_causal
    raise OptionError(f"this model gives no {what}, which the objective compares")


def predicting(labels: Any, is_causal: bool) -> list[list[int]]:
    """Return for each row the positions at which its labels are predicted, in order.

    A decoder predicts a label at its own position, a causal model one position before.
    """
    return [
        [
            place - is_causal
            for place, label in enumerate(row)
            if label != IGNORED and place >= is_causal
        ]
        for row in labels.tolist()
    ]
