"""What the commands of dt-train share: options of data, folder and continuation, and the log."""

import shlex
import sys
from collections.abc import Callable, Iterator

import click

from dialtools.pipeline import cli
from dialtools.system import terminal
from dialtools.system.addresses import masked
from dialtools.system.errors import OptionError
from dialtools.training import guards, processes

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


def data(made: str, dev_required: bool = True) -> tuple[Callable, ...]:
    """Return the options of files to learn from and of the folder for what is made."""
    return (
        click.option(
            "--train",
            multiple=True,
            required=True,
            metavar="FILE",
            help="Records to learn from; repeat for several.",
        ),
        click.option(
            "--dev",
            multiple=True,
            required=dev_required,
            metavar="FILE",
            help="Records to choose the best epoch by; repeat for several.",
        ),
        click.option(
            "--output-dir", required=True, metavar="FOLDER", help=f"Folder for the {made}."
        ),
    )


def command_line() -> str:
    """Return the command line for a model card, without secrets of addresses."""
    return masked(shlex.join(["dt-train", *sys.argv[1:]]))


def write_log(
    records: Iterator[dict], by: str, epochs: int, output: str, progress: bool, quiet: bool
) -> None:
    """Write the log of a training, from its first process; then raise guards.Blind if it is so."""
    if processes.share().rank:
        for _ in records:
            raise OptionError("a process that is not the first has written")
        return
    ends: list[Exception] = []
    cli.write_log(_told(records, by, ends), by, epochs, output, progress, quiet)
    for error in ends:
        raise error


def _told(records: Iterator[dict], by: str, ends: list[Exception]) -> Iterator[dict]:
    """Yield records, and tell their warnings and what earlier runs did.

    What ends them comes into `ends`.
    """
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
