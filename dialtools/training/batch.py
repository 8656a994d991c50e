"""Examples of training, batches of them as tensors, and the losses of a batch."""

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from dialtools import languages
from dialtools.models import likelihoods, speakers
from dialtools.plugins.objective import IGNORED, Batch, learned
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue
from dialtools.system.errors import OptionError

_OUTPUTS = {"attentions": "output_attentions", "states": "output_hidden_states"}


class Example(NamedTuple):
    """What a model is to write for an input, both as tokens."""

    input: tuple[int, ...]
    target: tuple  # with the end; of a scorer, numbers
    group: Hashable = None  # variants of one record, with one target, share it
    names: tuple[int, ...] = ()  # as in Batch, one for each token of the input; (): no names
    name_ids: frozenset[int] = frozenset()  # tokens of names, in the input or in the target
    target_names: tuple[int, ...] = ()  # as in Batch, one for each token of the target
    rows: Any = None  # of a scorer: what a tokenizer says of each text that is read apart


class Examples(NamedTuple):
    """Examples, and what happened to their texts."""

    examples: list[Example]
    cut_inputs: int
    cut_targets: int | None  # None: they are not texts
    unknown: float  # share of the tokens

    def facts(self) -> dict:
        """Return what the log tells of their texts."""
        facts = {"cut_inputs": self.cut_inputs, "cut_targets": self.cut_targets}
        known = {name: number for name, number in facts.items() if number is not None}
        return {**known, "unknown": self.unknown}

    def warnings(self, part: str) -> list[str]:
        """Return what is to be said of them; part: the option that names their files."""
        return [
            f"--{part}: {number} of {len(self.examples)} {what} are longer than --max-{option} and "
            "are cut"
            for what, option, number in (
                ("inputs", "input", self.cut_inputs),
                ("targets", "new-tokens", self.cut_targets),
            )
            if number
        ]


def batch(kind: str, examples: Sequence[Example], tokenizer: Any) -> Batch:
    """Return examples as a batch; kind: "seq2seq" or "causal"."""
    import torch

    def tensor(rows: list[list[int]], pad: int) -> Any:
        width = max(map(len, rows))
        return torch.tensor([row + [pad] * (width - len(row)) for row in rows])

    def beside_inputs(filler: int, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return rows for the labels, which a causal model has for its input, too."""
        return [
            [*([filler] * len(example.input) if kind == "causal" else ()), *row]
            for example, row in zip(examples, rows, strict=True)
        ]

    targets = [example.target for example in examples]
    read = [[*example.input, *(example.target if kind == "causal" else ())] for example in examples]
    names = [
        [*example.names, *[0] * (len(row) - len(example.names))]
        for example, row in zip(examples, read, strict=True)
    ]
    target_names = [example.target_names or [0] * len(example.target) for example in examples]
    numbers = {
        group: number
        for number, group in enumerate(dict.fromkeys(example.group for example in examples))
    }
    return Batch(
        {
            "input_ids": tensor(read, tokenizer.pad_token_id),
            "attention_mask": tensor([[1] * len(row) for row in read], 0),
            "labels": tensor(beside_inputs(IGNORED, targets), IGNORED),
        },
        torch.tensor([numbers[example.group] for example in examples]),
        tensor(names, 0),
        [example.name_ids for example in examples],
        tokenizer,
        tensor(beside_inputs(0, target_names), 0),
    )


class Losses(NamedTuple):
    """Losses of a part of a step, as tensors: sums, so that those of all parts add up."""

    entropy: Any  # summed over the tokens to learn
    tokens: int  # to learn
    added: dict[str, Any]  # by each objective, summed over what it counts
    cells: int  # tokens that were read and learned, with padding


class Step(NamedTuple):
    """What belongs to a step as a whole, however it is cut and spread over processes."""

    tokens: int  # to learn
    counts: dict[str, int]  # what each objective is a mean over
    added: dict[str, Any]  # by objectives of whole steps, as tensors


def needs(objectives: Sequence[Plugin]) -> set[str]:
    """Return what objectives need of data and outputs."""
    return {need for objective in objectives for need in objective.declared.needs}


def of_language(objectives: Sequence[Plugin], records: Sequence[dict]) -> list[Plugin]:
    """Return objectives that know the language of the records, where they ask for it.

    Raise OptionError if they do and the records are of several.
    """
    tags = sorted({dialogue.lang(record) for record in records})
    bound = [objective.given(language=languages.get(tags[0])) for objective in objectives]
    for objective in bound:
        if "language" in objective.options and len(tags) > 1:
            raise OptionError(
                f"{objective.label} is for texts of one language, and --train has "
                f"{', '.join(tags)}: train on one of them"
            )
    return bound


def step_of(model: Any, batch: Batch, objectives: Sequence[Plugin]) -> Step:
    """Return what belongs to a step as a whole; batch: all its examples, on the model's device."""
    in_parts, at_once = _divided(objectives)
    return Step(
        int(learned(batch, model).sum()),
        {objective.label: _count(objective, batch, model) for objective in in_parts},
        {objective.label: _value(objective, batch, None, model) for objective in at_once},
    )


def losses_of(
    run: Any, model: Any, batch: Batch, objectives: Sequence[Plugin] = (), smoothing: float = 0.0
) -> Losses:
    """Return the losses of a part of a step, a batch on the model's device.

    run: the model as it is called, perhaps wrapped for several processes.
    model: the model itself.
    smoothing: share of the probability that is spread over all tokens.
    """
    entropy, outputs = _entropy(run, model, batch, needs(objectives), smoothing)
    tokens = int(learned(batch, model).sum())
    in_parts, _ = _divided(objectives)
    added = {
        objective.label: _value(objective, batch, outputs, model) * _count(objective, batch, model)
        for objective in in_parts
    }
    read = ("input_ids", "labels") if model.config.is_encoder_decoder else ("input_ids",)
    cells = sum(batch.inputs[name].numel() for name in read)
    return Losses(entropy, tokens, added, cells)


def _entropy(
    run: Any, model: Any, batch: Batch, needed: set[str], smoothing: float
) -> tuple[Any, Any]:
    """Return the cross-entropy, summed over the tokens to learn, and all that the model returns.

    Logits of other tokens, as of the input of a causal model, are not made unless they are needed:
    with a large vocabulary they take more memory than all else.
    """
    import torch

    labels = batch.inputs["labels"]
    inputs = {name: batch.inputs[name] for name in ("input_ids", "attention_mask")}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = likelihoods.shifted_right(model, labels)
    else:
        labels = labels[:, 1:]
    asked = {_OUTPUTS[need]: True for need in needed if need in _OUTPUTS}
    places = learned(batch, model).nonzero(as_tuple=True)
    lean = nullcontext() if "logits" in needed else likelihoods.only(model, *places)
    with speakers.told(model, batch.names), lean:
        outputs = run(**inputs, **asked)
    logits = outputs.logits if outputs.logits.dim() == 2 else outputs.logits[places]
    entropy = torch.nn.functional.cross_entropy(
        logits.float(), labels[places], reduction="sum", label_smoothing=smoothing
    )
    return entropy, outputs


def _divided(objectives: Sequence[Plugin]) -> tuple[list[Plugin], list[Plugin]]:
    """Return the objectives of parts of a step, and those of whole steps."""
    at_once = [objective for objective in objectives if "step" in objective.declared.needs]
    return [objective for objective in objectives if objective not in at_once], at_once


def _count(objective: Plugin, batch: Batch, model: Any) -> int:
    """Return over how many things the loss of an objective is a mean: by default, the rows."""
    count = objective.declared.count
    return count(batch, model) if count else len(batch.groups)


def _value(objective: Plugin, batch: Batch, outputs: Any, model: Any) -> Any:
    value = objective.call(batch, outputs, model)
    if getattr(value, "ndim", None) != 0:
        raise OptionError(
            f"{objective.label} must return a loss, a tensor of no dimension, not {value!r:.60}"
        )
    return value
