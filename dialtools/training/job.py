"""A training that a user asks for, whatever is trained."""

from collections.abc import Sequence
from typing import NamedTuple

from dialtools.system.errors import OptionError
from dialtools.system.files import STANDARD


class Job(NamedTuple):
    """What a training starts from, what it learns from, and where it ends."""

    command: str  # the command line, for the card
    model: str
    train: tuple[str, ...]
    dev: tuple[str, ...]
    folder: str
    seed: int
    go_on: bool
    overwrite: bool


def check_files(train: Sequence[str], dev: Sequence[str], processes: int = 1) -> None:
    """Raise OptionError for a file that is given twice, or that several processes cannot share."""
    for name, paths in (("train", train), ("dev", dev)):
        if len(set(paths)) < len(paths):
            raise OptionError(f"--{name}: a file is given twice")
        if STANDARD in paths and processes > 1:
            raise OptionError(f"--{name}: several processes cannot share standard input")
