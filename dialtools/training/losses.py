"""Losses of a batch: the cross-entropy of its targets, and what objectives add."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dialtools import languages
from dialtools.models import speakers
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue
from dialtools.system.errors import OptionError
from dialtools.training.batch import IGNORED, Batch

_OUTPUTS = {"attentions": "output_attentions", "states": "output_hidden_states"}


class Losses(NamedTuple):
    """Losses of a batch, as tensors."""

    entropy: Any  # summed over the tokens to learn
    tokens: int  # to learn
    added: dict[str, Any]  # by each objective
    cells: int  # tokens that were read and learned, with padding


def needs(objectives: Sequence[Plugin]) -> set[str]:
    """Return what objectives need of data and outputs."""
    return {need for objective in objectives for need in objective.constant("NEEDS", ())}


def prepared(objectives: Sequence[Plugin], model: Any, tokenizer: Any) -> dict[str, dict]:
    """Let each objective that wants to prepare the model, and check its options; return counts."""
    found = {}
    for objective in objectives:
        prepare = objective.constant("prepare", None)
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


def of(run: Any, model: Any, batch: Batch, objectives: Sequence[Plugin] = ()) -> Losses:
    """Return the losses of a batch on the model's device.

    run: the model as it is called, perhaps wrapped for several processes.
    model: the model itself.
    """
    asked = {_OUTPUTS[need]: True for need in needs(objectives) if need in _OUTPUTS}
    with speakers.told(model, batch.names):
        outputs = run(**batch.inputs, **asked)
    labels = batch.inputs["labels"]
    learned = labels[:, 1:] if not model.config.is_encoder_decoder else labels
    tokens = int((learned != IGNORED).sum())
    cells = sum(
        batch.inputs[name].numel()
        for name in ("input_ids", "labels")
        if name == "input_ids" or model.config.is_encoder_decoder
    )
    added = {objective.label: objective.call(batch, outputs, model) for objective in objectives}
    for label, value in added.items():
        if getattr(value, "ndim", None) != 0:
            raise OptionError(
                f"{label} must return a loss, a tensor of no dimension, not {value!r:.60}"
            )
    return Losses(outputs.loss * tokens, tokens, added, cells)
