"""Decoder-hidden-state insensitivity: variants of a record are written from the same states.

Under teacher forcing the last hidden states of the decoder are to be the same whatever the
speakers are called, but where the token that a state predicts belongs to a speaker's name.  These
states are left out, and the others of the K variants of a record are cut to the fewest of them.
The loss is

    L_dh = 1 / K (K - 1) · sum over k ≠ l of MSE(DH_k, DH_l)

averaged over the records of a step; those with one variant, or without a state that is left,
count for nothing.  The last states of a causal model are those that predict the output.

Source: Jia et al. 2023, Reducing Sensitivity on Speaker Names for Text Generation from Dialogues,
section 3.2, equation 4; there for a decoder beside an encoder, with K = 2 and the weight 10
(summarisation, questions) or 1 (reading comprehension).  The paper does not say which token a
state predicts: here it is the one that the reference has next.
Departures: a batch without `target_names` leaves out each token that belongs to a name anywhere.

>>> import torch
>>> from dialtools.plugins.objective import Batch
>>> inputs = {"labels": torch.tensor([[7, 5], [8, 5]])}
>>> batch = Batch(inputs, torch.tensor([0, 0]), None, [{7}, {8}], None)
>>> made = torch.tensor([[[9., 9.], [1., 2.]], [[0., 0.], [1., 4.]]])
>>> loss(batch, {"decoder_hidden_states": [made]}, None, weight=1)  # (0² + 2²) / 2
tensor(2.)
"""

from collections.abc import Sequence
from typing import Any

from dialtools.objectives import _variants
from dialtools.plugins.objective import Objective


def loss(batch: Any, outputs: Any, model: Any, *, weight: float = 10.0) -> Any:
    """Return the weighted distance between the states of variants.

    weight: β of the paper.
    """
    states, is_causal = _variants.last(
        outputs, "decoder_hidden_states", "hidden_states", "hidden states"
    )
    places = _unnamed(batch, is_causal)
    return weight * _variants.distance(
        batch, lambda row: states[row][places[row]], cut, states[..., :0].sum()
    )


def count(batch: Any, model: Any) -> int:
    """Return the number of records with several variants, each of which has a state that is left."""
    places = _unnamed(batch, not model.config.is_encoder_decoder)
    return sum(all(places[row] for row in rows) for rows in _variants.rows(batch.groups))


def _unnamed(batch: Any, is_causal: bool) -> list[list[int]]:
    """Return for each row the positions that predict a label which belongs to no name."""
    labels = batch.inputs["labels"]
    if batch.target_names is not None:
        named = (batch.target_names > 0).tolist()
    else:
        named = [
            [label in ids for label in row]
            for row, ids in zip(labels.tolist(), batch.name_ids, strict=True)
        ]
    return [
        [place for place in places if not names[place + is_causal]]
        for places, names in zip(_variants.predicting(labels, is_causal), named, strict=True)
    ]


def cut(values: Sequence[Any]) -> list[Any]:
    """Return values, (positions, dim) each, cut to the fewest positions."""
    fewest = min(map(len, values))
    return [value[:fewest] for value in values]


OBJECTIVE = Objective(loss, count=count, needs=("variants", "states", "names"))
