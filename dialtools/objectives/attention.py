"""Cross-attention insensitivity: variants of a record are attended to alike.

What a model looks at while it writes is not to depend on the names.  For each variant the
attentions of the last layer's heads, (heads, output, input), are averaged over the output; the
values of the tokens of one occurrence of a speaker's name are summed; the rows of the K variants
of a record are padded with zeros to one length.  The loss is

    L_ca = 1 / K (K - 1) · sum over k ≠ l of MSE(CA_k, CA_l)

averaged over the records of a step; those with one variant count for nothing.

A causal model has no cross-attention.  There the same is done with its self-attention, from the
positions that predict the output to the tokens of the input; the rest of a row, which goes to
the output itself, is left out.  A model without attention (Mamba, RWKV) is an error.

Source: Jia et al. 2023, Reducing Sensitivity on Speaker Names for Text Generation from Dialogues,
section 3.1, equation 3; there for an encoder with a decoder, K = 2, and the weight 1.
Departures: padding counts neither in the input nor in the output.

>>> import torch
>>> from types import SimpleNamespace
>>> from dialtools.plugins.objective import Batch
>>> inputs = {"attention_mask": torch.tensor([[1, 1, 0], [1, 1, 1]]), "labels": torch.ones(2, 1)}
>>> names = torch.tensor([[1, 0, 0], [1, 1, 0]])  # in the second row a name of two tokens
>>> batch = Batch(inputs, torch.tensor([0, 0]), names, [], None)
>>> heads = torch.tensor([[.5, .5, 0], [.4, .4, .2]]).view(2, 1, 1, 3)
>>> loss(batch, {"cross_attentions": [heads]}, None)  # ((.5 - .8)² + (.5 - .2)²) / 2
tensor(0.0900)
"""

from collections.abc import Sequence
from typing import Any

from dialtools.objectives import _variants
from dialtools.plugins.objective import IGNORED, Objective


def loss(batch: Any, outputs: Any, model: Any, *, weight: float = 1.0) -> Any:
    """Return the weighted distance between the attentions of variants.

    weight: α of the paper.
    """
    heads, is_causal = _variants.last(outputs, "cross_attentions", "attentions", "attentions")
    read = batch.inputs["attention_mask"] > 0  # (rows, input)
    if is_causal:
        read = read & (batch.inputs["labels"] == IGNORED)
    positions = _variants.predicting(batch.inputs["labels"], is_causal)

    def unified(row: int) -> Any:
        mean = heads[row][:, positions[row]].mean(1)[:, read[row]]  # (heads, input)
        return summed(mean, batch.names[row][read[row]].tolist())

    return weight * _variants.distance(batch, unified, padded, heads[..., :0].sum())


def count(batch: Any, model: Any) -> int:
    """Return the number of records with several variants."""
    return len(_variants.rows(batch.groups))


def summed(values: Any, names: list[int]) -> Any:
    """Return values, (heads, tokens), with those of one occurrence of a name summed in one place.

    names: for each token the number of the occurrence that it belongs to, 0 for none.
    """
    import torch

    places: list[int] = []
    known: dict[int, int] = {}
    count = 0
    for name in names:
        place = known.get(name, count)
        if name:
            known[name] = place
        count = max(count, place + 1)
        places.append(place)
    indexes = torch.tensor(places, dtype=torch.long, device=values.device)
    return values.new_zeros(len(values), count).index_add(1, indexes, values)


def padded(values: Sequence[Any]) -> list[Any]:
    """Return values, (heads, places) each, with zeros up to the longest."""
    from torch.nn.functional import pad

    width = max(value.shape[1] for value in values)
    return [pad(value, (0, width - value.shape[1])) for value in values]


OBJECTIVE = Objective(loss, count=count, needs=("variants", "attentions", "names"))
