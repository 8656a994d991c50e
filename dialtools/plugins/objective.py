"""What an objective declares: a loss that dt-train generator adds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Objective:
    """A loss that dt-train generator adds to the cross-entropy of the references.

    loss(batch, outputs, model, *, options): a scalar tensor, already weighted (the option "weight"
        is its factor).  batch: a training.batch.Batch, examples as tensors on the model's device;
        outputs: what the model returns for batch.inputs; model: as transformers made it.
    needs: what it needs beside the logits.  "variants": the variants of a record stand in one
        batch, and some record has several; "attentions", "states": the outputs hold attentions,
        hidden states; "names": the batch tells which tokens are names of speakers; "embeddings":
        input embeddings are trained, which --lora does not; "step": the batch is a whole step, the
        parts of all processes together, and the outputs are None.
    count(batch, model): over how many things of a batch the loss is a mean, such as positions, by
        which the parts of a step are weighted; by default, the rows of the batch.
    prepare(model, tokenizer, *, options): counts for the log, or None; called once before training,
        and again when a training is resumed, to add parameters or to check options.

    An option "language" gets the language of the records, which must be one.
    """

    loss: Callable[..., Any]
    needs: tuple[str, ...] = ()
    count: Callable[..., Any] | None = None
    prepare: Callable[..., Any] | None = None
    summary: str = ""
