"""A training by the Trainer of transformers: its steps, and what happens after each epoch.

The Trainer knows optimiser, schedule, precision, processes and checkpoints.  One of its batches
is a whole step here, which is cut into parts that fit into memory.
"""

import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from dialtools.models import checkpoints, minibatches
from dialtools.system.errors import MissingError, need
from dialtools.training import folder as folders
from dialtools.training import guards, processes, steps
from dialtools.training.batch import Example
from dialtools.training.losses import Losses, Step
from dialtools.training.recipe import Machine, Recipe


class Plan(NamedTuple):
    """All that a training needs."""

    kind: str
    model: Any
    tokenizer: Any
    losses: Callable[[Any, Any, list[Example]], Losses]  # as called, the model itself, a part
    of_step: Callable[[Any, list[Example]], Step]  # the model itself, a step
    steps: steps.Steps
    recipe: Recipe
    machine: Machine
    rate: float
    precision: str
    seed: int
    folder: str
    share: processes.Share


class Meter:
    """Sums over an epoch, and how many tokens are read at once."""

    def __init__(self, most: int):
        self.most = most
        self.begin()

    def begin(self) -> None:
        """Begin an epoch."""
        self.seconds = self.entropy = self.learned = self.tokens = self.cells = 0.0
        self.added: dict[str, float] = {}

    def add(self, part: list[Example], losses: Losses) -> None:
        """Add a part of a step."""
        self.entropy += float(losses.entropy.detach())
        self.learned += losses.tokens
        self.tokens += steps.tokens(part)
        self.cells += losses.cells

    def add_objectives(self, added: dict[str, Any], number: int) -> None:
        """Add what a part has of the objectives of its step; number: steps of an epoch."""
        for label, value in added.items():
            self.added[label] = self.added.get(label, 0.0) + float(value.detach()) / number

    def facts(self, share: processes.Share, device: Any) -> dict:
        """Return the means of the epoch, over all processes."""
        labels = list(self.added)
        entropy, learned, tokens, cells, *added = processes.summed(
            [
                self.entropy,
                self.learned,
                self.tokens,
                self.cells,
                *(self.added[label] for label in labels),
            ],
            share,
            device,
        )
        return {
            "loss": entropy / learned,
            **({"objectives": dict(zip(labels, added, strict=True))} if labels else {}),
            "padding": 1 - tokens / cells,
            "tokens_per_second": round(tokens / self.seconds),
        }


class Stopped(Exception):
    """Nobody waits for a training any more."""


def train(
    plan: Plan,
    checkpoint: str | None,
    *,
    ended: Callable[[dict, Any, Callable], bool],
    stopped: Callable[[], bool],
    saved: Callable[[str], None],
) -> None:
    """Train, from a checkpoint or from the beginning.

    ended: takes the facts of an epoch, the model and a context of its precision; returns whether
        the training is to end.
    stopped: tells whether nobody waits for the training any more.
    saved: called with the name of each checkpoint that is whole.
    """
    need("accelerate", "train")
    transformers, meter = need("transformers", "models"), Meter(plan.machine.batch_tokens)
    base: Any = transformers.TrainerCallback

    class Epochs(base):
        """What happens between steps and between epochs."""

        def on_epoch_begin(self, args, state, control, **more):
            meter.begin()

        def on_step_end(self, args, state, control, **more):
            if stopped():
                raise Stopped

        def on_epoch_end(self, args, state, control, model=None, **more):
            facts = {
                "epoch": round(state.epoch),
                "step": state.global_step,
                **meter.facts(plan.share, args.device),
            }
            if meter.most != plan.machine.batch_tokens:
                facts["batch_tokens"] = meter.most
            control.should_training_stop = ended(facts, model, _context(plan, args.device))

        def on_save(self, args, state, control, **more):
            saved(f"checkpoint-{state.global_step}")

    with checkpoints.hushed(offline=plan.machine.offline):
        trainer = _trainer(transformers, plan, meter, Epochs())
        for callback in (transformers.PrinterCallback, transformers.ProgressCallback):
            trainer.remove_callback(callback)
        trainer.train(resume_from_checkpoint=checkpoint)


def _trainer(transformers: Any, plan: Plan, meter: Meter, epochs: Any) -> Any:
    """Return a Trainer of transformers whose batches are the steps of a plan."""

    class Stepping(transformers.Trainer):
        """A Trainer whose batches are lists of examples."""

        def get_train_dataloader(self):
            return plan.steps

        def floating_point_ops(self, inputs):
            return 0

        def training_step(self, model, inputs, num_items_in_batch=None):
            begun = perf_counter()
            model.train()
            while (loss := _tried(self, model, inputs, plan, meter)) is None:
                model.zero_grad()
                _halve(meter, inputs, plan)
            found = float(loss)  # waits for the device
            meter.seconds += perf_counter() - begun
            guards.check_finite(
                found, f"in step {self.state.global_step + 1} the loss", plan.folder
            )
            return loss

    return Stepping(
        model=plan.model,
        args=_arguments(plan, transformers),
        processing_class=plan.tokenizer,
        callbacks=[epochs],
    )


def _tried(trainer: Any, model: Any, examples: list[Example], plan: Plan, meter: Meter) -> Any:
    """Return the loss of a step after its backward passes, None if memory runs out."""
    try:
        return _step(trainer, model, examples, plan, meter)
    except (RuntimeError, MemoryError) as error:
        # of several processes, one cannot begin a step anew
        if not minibatches.out_of_memory(error) or plan.share.number > 1:
            raise
    return None


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
            f"--lora 8.  {guards.kept(plan.folder)}"
        )
    meter.most = max(1, largest // 2)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _context(plan: Plan, device: Any) -> Callable:
    """Return what makes a context in which a model computes with the precision of a plan."""
    torch = need("torch", "models")
    if plan.precision == "float32":
        return nullcontext
    return partial(torch.autocast, torch.device(device).type, getattr(torch, plan.precision))


def _arguments(plan: Plan, transformers: Any) -> Any:
    """Return the arguments of the Trainer."""
    recipe, machine, device = plan.recipe, plan.machine, plan.machine.device
    if device not in ("auto", "cpu") and plan.share.number == 1:
        os.environ["ACCELERATE_TORCH_DEVICE"] = device
    made = transformers.TrainingArguments(
        output_dir=os.path.join(plan.folder, folders.CHECKPOINTS),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=1,
        learning_rate=plan.rate,
        weight_decay=recipe.weight_decay,
        lr_scheduler_type="linear",
        warmup_steps=round(recipe.warmup * recipe.epochs * len(plan.steps)),
        max_grad_norm=1.0,
        logging_strategy="no",
        logging_nan_inf_filter=False,
        save_strategy="epoch",
        eval_strategy="no",
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        seed=plan.seed % 2**32,
        use_cpu=device == "cpu",
        optim="adamw_torch",
        bf16=plan.precision == "bfloat16",
        fp16=plan.precision == "float16",
        gradient_checkpointing=machine.gradient_checkpointing,
    )
    made._n_gpu = min(made.n_gpu, 1)  # else it would spread each batch over all GPUs
    return made


def _step(trainer: Any, model: Any, examples: list[Example], plan: Plan, meter: Meter) -> Any:
    """Return the mean cross-entropy of a step after its backward passes.

    model: as it is called, perhaps wrapped for several processes, each of which has its share.
    """
    import torch

    share, device, together = plan.share, trainer.args.device, plan.steps.together
    groups = steps.grouped(examples, together)
    context = _context(plan, device)
    own = [example for group in share.of(groups) for example in group]
    # one without a share takes part all the same, as the others wait for its gradients
    parts = list(steps.parts(own or examples[:1], meter.most, together))
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
                    label: value / max(1, step.counts[label]) * bool(own)
                    for label, value in losses.added.items()
                }
                if is_last:  # of whole steps: an equal share of each process
                    added |= {label: value / share.number for label, value in step.added.items()}
                loss = losses.entropy / step.tokens * bool(own) + sum(added.values())
            trainer.accelerator.backward(loss * share.number)  # gradients are averaged
        total = total + loss.detach()
        measured.append((part, losses, added))
    for part, losses, added in measured:
        meter.add_objectives(added, len(plan.steps))
        if own:
            meter.add(part, losses)
    return total
