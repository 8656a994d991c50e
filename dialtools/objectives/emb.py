"""A second input embedding for names of speakers; it adds no loss.

A model gets two more embeddings, one for tokens of a speaker's name and one for all others, and
adds one of them to the embedding of each token that it reads (models/speakers.py).  They are
trained with it, saved in its folder, and used by dt-generate and by the metrics that run it.
A causal model has them for its input only.

Which tokens are names follows from the history of dt-swap-names, or else from the labels of the
turns and the mentions of speakers, as dt-swap-names finds them.  A text that a metric reads has
only its labels and their mentions: one without labels has no names.

Source: the approach Emb of Jia et al. 2023, Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues, section 2.2, after Gu et al. 2020 and He et al. 2021: whether the model
should be sensitive to a token.  Departure: both embeddings begin as zeros.

>>> import torch
>>> loss(None, {"logits": torch.ones(1, 2, 3)}, None)
tensor(0.)
"""

from typing import Any

from dialtools.models import speakers
from dialtools.plugins.objective import Objective


def loss(batch: Any, outputs: Any, model: Any) -> Any:
    """Return 0."""
    return outputs["logits"][..., :0].sum()


def prepare(model: Any, tokenizer: Any) -> None:
    """Give the model the embedding, unless it has one."""
    speakers.add(model)


OBJECTIVE = Objective(loss, needs=("names",), prepare=prepare)
