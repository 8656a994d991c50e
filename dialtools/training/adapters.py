"""Adapters: a few weights that are trained beside those of a model (LoRA, by peft)."""

import os
from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints
from dialtools.system.errors import need
from dialtools.training.recipe import Machine, Recipe


def added(
    model: Any, name: str, task: str, recipe: Recipe, machine: Machine, whole: Sequence[str] = ()
) -> Any:
    """Return a model with an adapter to train, or the model itself if none is asked for.

    name: the folder or hub name of the model, which the adapter's folder will tell.
    task: as peft calls it, such as SEQ_CLS.
    whole: parts of the model that are trained and kept as they are.
    """
    if not recipe.lora:
        return model
    peft = need("peft", "models")
    if machine.gradient_checkpointing:
        model.enable_input_require_grads()
    model.name_or_path = os.path.abspath(name) if os.path.isdir(name) else name
    with checkpoints.hushed():  # it says what it sets by itself
        made = peft.get_peft_model(
            model,
            peft.LoraConfig(
                r=recipe.lora,
                lora_alpha=recipe.lora_alpha or 2 * recipe.lora,
                lora_dropout=recipe.lora_dropout,
                target_modules="all-linear",
                modules_to_save=list(whole) or None,
                task_type=task,
            ),
        )
    made.peft_config["default"].base_model_name_or_path = model.name_or_path
    return made
