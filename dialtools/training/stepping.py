"""The Trainer of generators and scorers: a transformers Trainer, one of whose batches is a step.

A step is cut into parts that fit into memory, each of which adds to its gradients; losses and
gradients are the same however it is cut, and spread over processes.
"""

import os
from collections.abc import Callable
from contextlib import nullcontext
from time import perf_counter
from typing import Any, NamedTuple

from dialtools.models import checkpoints, minibatches
from dialtools.system.errors import MissingError, need
from dialtools.training import folder as folders
from dialtools.training import guards, settings, steps, tiny
from dialtools.training.batch import Example, Examples, Losses, Step
from dialtools.training.course import Fitting, Judge, Keeping, Training, autocast
from dialtools.training.folder import State
from dialtools.training.recipe import Job, Machine, Recipe, rate
from dialtools.training.steps import Share, Steps


class Plan(NamedTuple):
    """All that a training by steps needs."""

    job: Job
    model: Any
    tokenizer: Any
    losses: Callable[[Any, Any, list[Example]], Losses]  # as called, the model itself, a part
    of_step: Callable[[Any, list[Example]], Step]  # the model itself, a step
    steps: Steps
    recipe: Recipe
    machine: Machine

    @property
    def share(self) -> Share:
        """Return which of several processes this is."""
        return steps.share()

    @property
    def precision(self) -> str:
        """Return the numbers that the model computes with."""
        return checkpoints.precision_of(self.machine.precision, self.machine.device)

    @property
    def rate(self) -> float:
        """Return the highest learning rate."""
        return rate(self.recipe, tiny.shape(self.job.model) is not None)

    def facts(self, train: Examples, dev: Examples) -> dict:
        """Return what the log tells first of examples, model and recipe."""
        weights = list(self.model.parameters())
        return {
            "examples": len(train.examples),
            "dev": len(dev.examples),
            "steps": len(self.steps),
            "weights": sum(weight.numel() for weight in weights),
            "trained": sum(weight.numel() for weight in weights if weight.requires_grad),
            **train.facts(),
            "learning_rate": self.rate,
            "precision": self.precision,
            "processes": self.share.number,
            "recipe": self.recipe._asdict() | self.job.set(),
        }

    def card(self, before: dict, state: State) -> dict:
        """Return the rows of the model's card; before: those that stand before the settings."""
        return {
            "command": self.job.command or "none: called from Python",
            **before,
            **state.settings,
            "learning_rate": self.rate,
            "precision": self.precision,
            **folders.versions("torch", "transformers", "accelerate"),
        }


class Meter:
    """Sums over an epoch, and how many tokens are read at once."""

    def __init__(self, plan: Plan):
        self.plan, self.share, self.steps = plan, plan.share, len(plan.steps)
        self.most = plan.machine.batch_tokens
        self.begin({})

    def begin(self, sums: dict) -> None:
        """Begin an epoch, or go on within one that has come to these sums."""
        names = ("seconds", "entropy", "learned", "tokens", "cells")
        self.sums: dict[str, Any] = {name: sums.get(name, 0.0) for name in names}
        self.sums["steps"] = self.plan.steps.done = sums.get("steps", 0)
        self.sums["added"] = dict(sums.get("added", {}))  # of objectives, by label

    def add(self, part: list[Example], losses: Losses) -> None:
        """Add a part of a step."""
        self.sums["entropy"] += float(losses.entropy.detach())
        self.sums["learned"] += losses.tokens
        self.sums["tokens"] += steps.tokens(part)
        self.sums["cells"] += losses.cells

    def add_objectives(self, added: dict[str, Any]) -> None:
        """Add what a part has of the objectives of its step."""
        sums = self.sums["added"]
        for label, value in added.items():
            sums[label] = sums.get(label, 0.0) + float(value.detach()) / self.steps

    def is_end(self, state: Any) -> bool:
        """Return whether a step was the last of its epoch."""
        return state.global_step % self.steps == 0

    def facts(self, state: Any, device: Any) -> dict:
        """Return the means of the epoch, over all processes; state: the Trainer's."""
        labels = list(self.sums["added"])
        names = ("entropy", "learned", "tokens", "cells")
        entropy, learned, tokens, cells, *added = self.share.summed(
            [
                *(self.sums[name] for name in names),
                *(self.sums["added"][label] for label in labels),
            ],
            device,
        )
        return {
            "step": state.global_step,
            "loss": entropy / learned,
            **({"objectives": dict(zip(labels, added, strict=True))} if labels else {}),
            "padding": 1 - tokens / cells,
            "tokens_per_second": round(tokens / self.sums["seconds"]),
            **({} if self.most == self.plan.machine.batch_tokens else {"batch_tokens": self.most}),
        }


def trainer(plan: Plan, arguments: Any, meter: Meter, callback: Any) -> Any:
    """Return a Trainer of transformers whose batches are the steps of a plan."""
    need("accelerate", "train")
    base: Any = need("transformers", "models").Trainer

    class Stepping(base):
        """A Trainer whose batches are lists of examples."""

        def get_train_dataloader(self):
            return plan.steps

        def floating_point_ops(self, inputs):
            return 0

        def training_step(self, model, inputs, num_items_in_batch=None):
            begun = perf_counter()
            model.train()
            loss = None
            while loss is None:
                try:
                    loss = _step(self, model, inputs, plan, meter)
                except (RuntimeError, MemoryError) as error:
                    # of several processes, one cannot begin a step anew
                    if not minibatches.out_of_memory(error) or plan.share.number > 1:
                        raise
                if loss is None:  # only here is what the error holds free again
                    model.zero_grad()
                    _halve(meter, inputs, plan)
            number = float(loss)  # waits for the device
            meter.sums["seconds"] += perf_counter() - begun
            meter.sums["steps"] += 1
            guards.check_finite(
                number, f"in step {self.state.global_step + 1} the loss", plan.job.folder
            )
            return loss

    return Stepping(
        model=plan.model,
        args=arguments,
        processing_class=plan.tokenizer,
        callbacks=[callback],
    )


def _halve(meter: Meter, examples: list[Example], plan: Plan) -> None:
    """Halve what is read at once. Raise MissingError if one example is too much."""
    torch = need("torch", "models")
    together = plan.steps.together
    largest = max(map(steps.size, steps.parts(examples, meter.most, together)))
    least = max(map(steps.size, steps.grouped(examples, together)))
    if largest <= least:
        raise MissingError(
            f"not enough memory for one record, {least} tokens: use a smaller "
            "--max-input, --gradient-checkpointing, --precision bfloat16 or "
            f"--lora 8.  {guards.kept(plan.job.folder)}"
        )
    meter.most = max(1, largest // 2)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _step(trainer: Any, model: Any, examples: list[Example], plan: Plan, meter: Meter) -> Any:
    """Return the mean cross-entropy of a step after its backward passes.

    model: as it is called, perhaps wrapped for several processes, each of which has its share.
    """
    import torch

    share, device, together = plan.share, trainer.args.device, plan.steps.together
    context = autocast(plan.precision, device)
    groups = share.of(steps.grouped(examples, together))
    mine = [example for group in groups for example in group]
    # one without a share takes part all the same, as the others wait for its gradients
    parts = list(steps.parts(mine or examples[:1], meter.most, together))
    total = torch.zeros((), device=device)
    measured = []
    with context():
        step = plan.of_step(trainer.model, examples)
    for number, part in enumerate(parts, 1):
        is_last = number == len(parts)
        with nullcontext() if is_last else trainer.accelerator.no_sync(model):
            with context():
                losses = plan.losses(model, trainer.model, part)
                added = {
                    label: value / max(1, step.counts[label]) * bool(mine)
                    for label, value in losses.added.items()
                }
                if is_last:  # of whole steps: an equal share of each process
                    added |= {label: value / share.number for label, value in step.added.items()}
                loss = losses.entropy / step.tokens * bool(mine) + sum(added.values())
            trainer.accelerator.backward(loss * share.number)  # gradients are averaged
        total = total + loss.detach()
        measured.append((part, losses, added))
    for part, losses, added in measured:
        meter.add_objectives(added)
        if mine:
            meter.add(part, losses)
    return total


def training(plan: Plan, judge: Judge, keeping: Keeping, state: State) -> Training:
    """Return a training by steps, ready to begin; OptionError for values of --set."""
    recipe, machine = plan.recipe, plan.machine
    if machine.device not in ("auto", "cpu") and plan.share.number == 1:
        os.environ["ACCELERATE_TORCH_DEVICE"] = machine.device
    arguments = settings.trainer_arguments(
        plan.job,
        len(plan.steps),
        recipe.warmup,
        recipe.epochs,
        machine.device,
        {
            "per_device_train_batch_size": 1,
            "learning_rate": plan.rate,
            "weight_decay": recipe.weight_decay,
            "lr_scheduler_type": "linear",
            "max_grad_norm": 1.0,
            "logging_strategy": "no",
            "remove_unused_columns": False,
            "optim": "adamw_torch",
            "bf16": plan.precision == "bfloat16",
            "fp16": plan.precision == "float16",
            "gradient_checkpointing": machine.gradient_checkpointing,
            "ignore_data_skip": True,
        },
        machine.offline,
    )
    arguments._n_gpu = min(arguments.n_gpu, 1)  # else it would spread each batch over all GPUs
    meter = Meter(plan)
    fitting = Fitting(
        plan.job,
        plan.share,
        plan.machine.offline,
        plan.precision,
        lambda callback: trainer(plan, arguments, meter, callback),
        meter,
        judge,
        keeping,
        plan.recipe.early_stopping,
        plan.recipe.keep_epochs,
    )
    return Training(fitting, state)
