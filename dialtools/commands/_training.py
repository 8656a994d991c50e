"""What the commands of dt-train share: options of data, folder and continuation, and the log."""

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from dialtools.models.decoding import Prompting
from dialtools.pipeline import sink
from dialtools.plugins import registry
from dialtools.plugins.options import gathered_all
from dialtools.system import terminal
from dialtools.system.errors import OptionError, masked
from dialtools.training.recipe import Job

_RESUME = click.option(
    "--resume",
    "go_on",
    is_flag=True,
    help="Continue where the same command was interrupted; begin if it never ran, and write the "
    "log of a training that is complete.",
)
_OVERWRITE = click.option(
    "--overwrite", is_flag=True, help="Train again even if the folder has a model."
)
AGAIN = (_RESUME, _OVERWRITE)
ALLOW_BLIND = click.option(
    "--allow-blind", is_flag=True, help="Accept a model that does not read its input."
)

SET = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another argument of the library's Trainer; such as optim=adafactor, "
    "lr_scheduler_type=cosine or save_steps=500. Repeat for several.",
)

# headings of --help, and what it only lists
SECTIONS = {
    "What is learned": (
        "target references task of pair profile group vectors objective vary variants "
        "speaker_tokens class_weights head loss margin folds repeats cluster"
    ).split(),
    "What is read": [
        *Prompting._fields,
        *"max_input truncate max_new_tokens language add_tokens src_lang tgt_lang".split(),
    ],
    "Training": (
        "epochs learning_rate weight_decay warmup batch_size lora lora_alpha lora_dropout "
        "early_stopping best keep_epochs beams dev_outputs settings seed"
    ).split(),
    "Model and machine": (
        "batch_tokens gradient_checkpointing precision device trust_remote_code allow_pickle "
        "allow_blind"
    ).split(),
}
RARE = (
    "system_prompt shots shot_count examples each extract truncate add_tokens src_lang tgt_lang "
    "weight_decay warmup lora_alpha lora_dropout beams dev_outputs batch_tokens precision "
    "gradient_checkpointing trust_remote_code allow_pickle allow_blind references profile head "
    "class_weights repeats cluster"
).split()


def data(made: str, records: str = "Records", dev_required: bool = True) -> tuple[Callable, ...]:
    """Return the options of files to learn from and of the folder for what is made.

    records: what the files hold.
    """
    return (
        click.option(
            "--train",
            multiple=True,
            required=True,
            metavar="FILE",
            help=f"{records} to learn from; repeat for several.",
        ),
        click.option(
            "--dev",
            multiple=True,
            required=dev_required,
            metavar="FILE",
            help=f"{records} to choose the best epoch by; repeat for several.",
        ),
        click.option(
            "--output-dir", required=True, metavar="FOLDER", help=f"Folder for the {made}."
        ),
    )


def job(
    command: str,
    model: str,
    train: Iterable[str],
    dev: Iterable[str],
    output_dir: str,
    seed: int,
    go_on: bool,
    overwrite: bool,
    settings: Mapping[str, Any],
) -> Job:
    """Return a training that is asked for."""
    trained, tested = registry.several(train), registry.several(dev)
    return Job(command, model, trained, tested, output_dir, seed, go_on, overwrite, settings)


def run(
    train: Callable[..., Iterator[dict]],
    by: str,
    kinds: Mapping[str, Any],
    given: dict[str, Any],
    *before: Any,
    is_log: bool = True,
) -> None:
    """Run a training with the options of the command line, and write its log.

    kinds: of the values whose fields are options, by their parameters.
    before: what the training takes beside the command line.
    """
    output, progress, quiet = (given.pop(name) for name in ("output", "progress", "quiet"))
    values = gathered_all(kinds, given)
    command_line = masked(shlex.join(["dt-train", *sys.argv[1:]]))  # without secrets of addresses
    records = train(command_line, *before, **values)
    epochs = next(value.epochs for value in values.values() if hasattr(value, "epochs"))
    _write_log(records, by, epochs, output, progress and is_log, quiet or not is_log)


def _write_log(
    records: Iterator[dict], by: str, epochs: int, output: str, progress: bool, quiet: bool
) -> None:
    """Write the log of a training, from its first process; then raise guards.Blind if it is so."""
    from dialtools.training import steps

    if steps.share().rank:
        for _ in records:
            raise OptionError("a process that is not the first has written")
        return
    ends: list[Exception] = []
    sink.write_log(_told(records, by, ends), by, epochs, output, progress, quiet)
    for error in ends:
        raise error


def _told(records: Iterator[dict], by: str, ends: list[Exception]) -> Iterator[dict]:
    """Yield records, and tell their warnings and what earlier runs did.

    What ends them comes into `ends`.
    """
    from dialtools.training import guards

    epochs = resumed = 0
    try:
        for record in records:
            for warning in record.get("warnings", ()):
                terminal.say(by, warning)
            epochs += "epoch" in record
            resumed = record.get("resumed", resumed)
            if "best" in record and resumed == epochs:
                terminal.say(
                    by, f"the training in {record['model']} is complete: nothing was left to do"
                )
            yield record
    except guards.Blind as error:
        ends.append(error)
