"""Examples of training, and batches of them as tensors."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

IGNORED = -100  # label of what is no target, as transformers has it


class Example(NamedTuple):
    """What a model is to write for an input, both as tokens."""

    input: tuple[int, ...]
    target: tuple  # with the end; of a scorer, numbers
    group: Hashable = None  # variants of one record, with one target, share it
    names: tuple[int, ...] = ()  # as in Batch, one for each token of the input; (): no names
    name_ids: frozenset[int] = frozenset()  # tokens of names, in the input or in the target
    target_names: tuple[int, ...] = ()  # as in Batch, one for each token of the target
    rows: Any = None  # of a scorer: what a tokenizer says of each text that is read apart


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
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        named = self.target_names
        return self._replace(
            inputs=inputs,
            groups=self.groups.to(device),
            names=self.names.to(device),
            target_names=None if named is None else named.to(device),
        )


def learned(batch: Batch, model: Any) -> Any:
    """Return for each label whether the model predicts it: (B, T), of a causal model (B, T - 1).

    A causal model predicts no first label.
    """
    labels = batch.inputs["labels"]
    return (labels if model.config.is_encoder_decoder else labels[:, 1:]) != IGNORED


def batch(kind: str, examples: Sequence[Example], tokenizer: Any) -> Batch:
    """Return examples as a batch; kind: "seq2seq" or "causal"."""
    import torch

    def tensor(rows: list[list[int]], pad: int) -> Any:
        width = max(map(len, rows))
        return torch.tensor([row + [pad] * (width - len(row)) for row in rows])

    read = [[*example.input, *(example.target if kind == "causal" else ())] for example in examples]
    labels = [
        [*([IGNORED] * len(example.input) if kind == "causal" else ()), *example.target]
        for example in examples
    ]
    inputs = {
        "input_ids": tensor(read, tokenizer.pad_token_id),
        "attention_mask": tensor([[1] * len(row) for row in read], 0),
        "labels": tensor(labels, IGNORED),
    }
    names = [
        [*example.names, *[0] * (len(row) - len(example.names))]
        for example, row in zip(examples, read, strict=True)
    ]
    target_names = [
        [
            *([0] * len(example.input) if kind == "causal" else ()),
            *(example.target_names or [0] * len(example.target)),
        ]
        for example in examples
    ]
    numbers = {
        group: number
        for number, group in enumerate(dict.fromkeys(example.group for example in examples))
    }
    return Batch(
        inputs,
        torch.tensor([numbers[example.group] for example in examples]),
        tensor(names, 0),
        [example.name_ids for example in examples],
        tokenizer,
        tensor(target_names, 0),
    )
