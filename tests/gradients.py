"""The losses and the gradient of one step of dt-train generator with all objectives.

    python tests/gradients.py FOLDER BATCH_TOKENS PREFIX

trains tiny models without dropout on FOLDER/train.jsonl, all of it in one step, and writes
PREFIX.RANK.pt: for each kind of model the losses of the log, and the gradient of all weights as
the optimiser gets it, of length 1.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

import dialtools
from dialtools.models.decoding import Prompting
from dialtools.training.recipe import Machine, Reading, Recipe

ROOT = Path(__file__).parent.parent
MODEL = "tiny:layers=1,hidden=32,heads=2,vocabulary=430,dropout=0,kind="
# weights with which each has a part in the gradient
OBJECTIVES = (
    "attention:weight=30000",
    "states:weight=1",
    "target:weight=0.1,spec={spec}",
    "attribute:weight=5,spec={spec}",
    "subspace:weight=3,spec={spec}",
    "emb",
)


def first(batch: Any, outputs: Any, model: Any) -> Any:
    """A user's own objective, a mean over rows."""
    return outputs["logits"][:, 0].logsumexp(-1).mean()


def measured(folder: Path, output: str, batch_tokens: int) -> dict[str, dict]:
    """Return of each kind of model the losses of a step, {} where no log is, and its gradient."""
    objectives = [*(one.format(spec=folder / "terms.tsv") for one in OBJECTIVES), first]
    steps = {}
    for kind in ("seq2seq", "causal"):
        log, [gradient] = trained(folder, f"{output}-{kind}", batch_tokens, objectives, kind=kind)
        losses = {"loss": log[1]["loss"], **log[1]["objectives"]} if log else {}
        steps[kind] = {"losses": losses, "gradient": gradient}
    return steps


def trained(
    folder: Path,
    output: str,
    batch_tokens: int,
    objectives: list,
    *,
    kind: str = "seq2seq",
    batch_size: int = 1000,
    clip: float = 1.0,
) -> tuple[list[dict], list[Any]]:
    """Return the log of an epoch, and the gradient of each of its steps, no longer than `clip`."""
    gradients: list[Any] = []

    def remember(optimiser: Any, *given: Any) -> None:
        weights = [weight for group in optimiser.param_groups for weight in group["params"]]
        grads = [weight.grad.flatten() for weight in weights if weight.grad is not None]
        gradients.append(torch.cat(grads))

    hook = register_optimizer_step_pre_hook(remember)
    try:
        log = list(
            dialtools.train_generator(
                model=MODEL + kind,
                train=[str(folder / "train.jsonl")],
                dev=[str(folder / "dev.jsonl")],
                output_dir=output,
                objective=objectives,
                prompting=Prompting(),
                reading=Reading(dev_outputs=1, max_new_tokens=16),
                recipe=Recipe(epochs=1, batch_size=batch_size),
                machine=Machine(batch_tokens=batch_tokens, device="cpu", offline=True),
                settings={"max_grad_norm": clip},
                allow_blind=True,
            )
        )
    finally:
        hook.remove()
    return log, gradients


def processes(folder: Path, batch_tokens: int, number: int) -> list[subprocess.Popen]:
    """Start so many processes of one training, which speak over gloo."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(number)}
    line = [sys.executable, __file__, str(folder), str(batch_tokens), str(folder / "spread")]
    return [
        subprocess.Popen(
            line,
            cwd=ROOT,
            env=os.environ
            | shared
            | {"RANK": str(rank), "LOCAL_RANK": str(rank), "PYTHONPATH": str(ROOT)},
        )
        for rank in range(number)
    ]


def of(running: list[subprocess.Popen]) -> list[dict[str, dict]]:
    """Return what each of these processes measures."""
    assert not any(process.wait(300) for process in running)
    return [torch.load(f"{process.args[-1]}.{rank}.pt") for rank, process in enumerate(running)]


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = measured(Path(sys.argv[1]), f"{sys.argv[3]}-model", int(sys.argv[2]))
    torch.save(found, f"{sys.argv[3]}.{os.environ.get('RANK', 0)}.pt")
