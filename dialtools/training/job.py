"""A training that a user asks for, whatever is trained."""

from typing import NamedTuple


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
