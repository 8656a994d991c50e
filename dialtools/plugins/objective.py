"""What an objective declares, a loss that dt-train generator adds, and the batches that it reads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

IGNORED = -100  # label of what is no target, as transformers has it


@dataclass(frozen=True, eq=False)
class Objective:
    """A loss that dt-train generator adds to the cross-entropy of the references.

    loss(batch, outputs, model, *, options): a scalar tensor, already weighted (the option "weight"
        is its factor).  batch: a Batch, examples as tensors on the model's device;
        outputs: what the model returns for batch.inputs, without a loss of its own; model: as
        transformers made it.
    needs: what it needs, by default "logits": the outputs hold those of all positions, (B, T,
        vocabulary), else only those that predict a label, (labels, vocabulary).  "variants": the
        variants of a record stand in one batch, and some record has several; "attentions",
        "states": the outputs hold attentions, hidden states; "names": the batch tells which tokens
        are names of speakers; "embeddings": input embeddings are trained, which --lora does not;
        "step": the batch is a whole step, the parts of all processes together, and the outputs are
        None.
    count(batch, model): over how many things of a batch the loss is a mean, such as positions, by
        which the parts of a step are weighted; by default, the rows of the batch.
    prepare(model, tokenizer, *, options): counts for the log, or None; called once before training,
        and again when a training is resumed, to add parameters or to check options.

    An option "language" gets the language of the records, which must be one.
    """

    loss: Callable[..., Any]
    needs: tuple[str, ...] = ("logits",)
    count: Callable[..., Any] | None = None
    prepare: Callable[..., Any] | None = None
    summary: str = ""


class Batch(NamedTuple):
    """Examples as tensors, padded on the right: B rows, of L tokens read and T labels each.

    A causal model reads its input and then the target, and L = T.
    """

    inputs: dict[str, Any]  # input_ids and attention_mask (B, L), labels (B, T); IGNORED is padding
    groups: Any  # (B,): rows with the same number are variants of one record
    names: Any  # (B, L): 0, or the number ≥ 1 of an occurrence of a speaker's name in the row
    name_ids: list[frozenset[int]]  # for each row: tokens that belong to a name of its own
    tokenizer: Any
    target_names: Any = None  # (B, T): as names, for the labels; None: not known

    def to(self, device: Any) -> "Batch":
        """Return the batch on a device."""
        target_names = self.target_names
        return self._replace(
            inputs={name: tensor.to(device) for name, tensor in self.inputs.items()},
            groups=self.groups.to(device),
            names=self.names.to(device),
            target_names=None if target_names is None else target_names.to(device),
        )


def learned(batch: Batch, model: Any) -> Any:
    """Return for each label whether the model predicts it: (B, T), of a causal model (B, T - 1).

    A causal model predicts no first label.
    """
    labels = batch.inputs["labels"]
    return (labels if model.config.is_encoder_decoder else labels[:, 1:]) != IGNORED
