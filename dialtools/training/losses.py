"""Losses of a batch: the cross-entropy of its targets, and what objectives add."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dialtools import languages
from dialtools.models import speakers
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue
from dialtools.system.errors import OptionError
from dialtools.training.batch import Batch, learned

_OUTPUTS = {"attentions": "output_attentions", "states": "output_hidden_states"}


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


def prepared(objectives: Sequence[Plugin], model: Any, tokenizer: Any) -> dict[str, dict]:
    """Let each objective that wants to prepare the model, and check its options; return counts."""
    found = {}
    for objective in objectives:
        prepare = objective.declared.prepare
        if prepare:
            found[objective.label] = prepare(model, tokenizer, **objective.options) or {}
    return {label: counts for label, counts in found.items() if counts}


def of_language(objectives: Sequence[Plugin], records: Sequence[dict]) -> list[Plugin]:
    """Return objectives that know the language of the records, where they ask for it.

    Raise OptionError if they do and the records are of several.
    """
    tags = sorted({dialogue.lang(record) for record in records})
    found = [objective.given(language=languages.get(tags[0])) for objective in objectives]
    for objective in found:
        if "language" in objective.options and len(tags) > 1:
            raise OptionError(
                f"{objective.label} is for texts of one language, and --train has "
                f"{', '.join(tags)}: train on one of them"
            )
    return found


def of_step(model: Any, batch: Batch, objectives: Sequence[Plugin]) -> Step:
    """Return what belongs to a step as a whole; batch: all its examples, on the model's device."""
    in_parts, at_once = _divided(objectives)
    return Step(
        int(learned(batch, model).sum()),
        {objective.label: _count(objective, batch, model) for objective in in_parts},
        {objective.label: _value(objective, batch, None, model) for objective in at_once},
    )


def of(run: Any, model: Any, batch: Batch, objectives: Sequence[Plugin] = ()) -> Losses:
    """Return the losses of a part of a step, a batch on the model's device.

    run: the model as it is called, perhaps wrapped for several processes.
    model: the model itself.
    """
    asked = {_OUTPUTS[need]: True for need in needs(objectives) if need in _OUTPUTS}
    with speakers.told(model, batch.names):
        outputs = run(**batch.inputs, **asked)
    tokens = int(learned(batch, model).sum())
    cells = sum(
        batch.inputs[name].numel()
        for name in ("input_ids", "labels")
        if name == "input_ids" or model.config.is_encoder_decoder
    )
    in_parts, _ = _divided(objectives)
    added = {
        objective.label: _value(objective, batch, outputs, model) * _count(objective, batch, model)
        for objective in in_parts
    }
    return Losses(outputs.loss * tokens, tokens, added, cells)


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
