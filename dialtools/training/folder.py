"""The folder of a trained model: the model, its card, and the state and log of its training.

model.safetensors, config.json, …   the model of the best epoch, as its library writes it
README.md                           the card: how it was made
dialtools.json, prompt.jinja, …     how it reads, for dt-generate (models/folders.py)
training.json                       how far the training is, and its log
epoch-1/, epoch-2/, …               with --keep-epochs the model of each epoch, with such a card
checkpoints/                        of a training that has not ended
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import EACCES, ENOTDIR
from platform import python_version

from dialtools import __version__
from dialtools.models import folders
from dialtools.system.errors import MissingError, OptionError, need, show
from dialtools.system.files import open_output
from dialtools.training.steps import Share

STATE, CHECKPOINTS, CARD = folders.TRAINING, "checkpoints", "README.md"
_OF_EPOCH = ("epoch", "step", "warnings", "seconds", "tokens_per_second", "padding", "batch_tokens")
BOUND = "The licences of the model it started from and of the data may bind it."
_EPOCH = re.compile(r"epoch-\d+")  # folders of --keep-epochs
_PART = ".part"  # folder of a model that is not yet whole


def check(folder: str, model: str, go_on: bool, overwrite: bool) -> None:
    """Raise OptionError for a folder that holds another run, or the model to start from."""
    check_again(go_on, overwrite)
    home, start = os.path.realpath(folder), os.path.realpath(model)
    of_epoch = _EPOCH.fullmatch(os.path.basename(start)) and os.path.dirname(start) == home
    if os.path.isdir(model) and (start == home or of_epoch):
        raise OptionError(
            f"--output-dir {folder} {'holds' if of_epoch else 'is'} the model to start from, which would be lost: "
            "name another folder"
        )
    if overwrite:
        return
    if os.path.isfile(os.path.join(folder, STATE)):
        if go_on:
            return
        if not _state(folder).ended:
            raise OptionError(
                f"{folder} holds an interrupted training: --resume continues it, "
                "--overwrite starts again"
            )
    elif not any(
        os.path.isfile(os.path.join(folder, file)) for file in ("config.json", folders.ADAPTER)
    ):
        return
    raise OptionError(f"{folder} holds a model: give --overwrite, or another folder")


def check_again(go_on: bool, overwrite: bool) -> None:
    """Raise OptionError if a training is to go on and to start again."""
    if go_on and overwrite:
        raise OptionError("--resume continues a training, --overwrite starts again: give only one")


@dataclass
class State:
    """How far a training is, as the file training.json of its folder says."""

    folder: str
    settings: dict  # which must be the same when it goes on
    about: dict = field(default_factory=dict)  # the record of the data
    checkpoint: str | None = None  # the last whole one
    epochs: list[dict] = field(default_factory=list)  # their records
    best: dict | None = None  # the record of the best epoch
    seconds: float = 0.0
    ended: bool = False
    inside: dict | None = None  # sums of an epoch that the checkpoint stands within

    def begin(self, about: dict, share: Share) -> Iterator[dict]:
        """Write the state of a training that begins or goes on, and yield its log.

        Checkpoints that the state does not name go, and so do epochs that an earlier training kept.
        Processes but the first do nothing.
        """
        if share.rank == 0:
            of_others = (
                [] if self.epochs or not os.path.isdir(self.folder) else os.listdir(self.folder)
            )
            for name in filter(_EPOCH.fullmatch, of_others):
                shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
            shutil.rmtree(os.path.join(self.folder, _PART), ignore_errors=True)
            self.about = about
            self.save()
            yield from self.log()

    def log_of_ended(self, share: Share) -> Iterator[dict]:
        """Yield the log of a training that has ended; processes but the first yield nothing."""
        if share.rank == 0:
            self.end()  # the training may have been killed before it did
            yield from self.log()
            yield self.record_of_best()

    def log(self) -> Iterator[dict]:
        """Yield a record of the data and one for each epoch.

        Where earlier runs have ended epochs, the first record says how many, as "resumed".
        """
        epochs = len(self.epochs)
        yield {**self.about, **({"resumed": epochs} if epochs else {})}
        yield from self.epochs

    def record_of_best(self) -> dict:
        """Return the record that ends the log."""
        return record_of_best(self.best or {}, self.seconds, self.folder)

    def save(self, inside: dict | None = None) -> None:
        """Write the state; then remove checkpoints that it does not name.

        inside: sums of the epoch that the training is in, where they have changed.
        """
        inside = self.inside if inside is None else inside
        os.makedirs(self.folder, exist_ok=True)
        facts = {name: getattr(self, name) for name in _FACTS}
        if inside is not None:
            facts["inside"] = inside
        with open_output(os.path.join(self.folder, STATE)) as file:
            file.write((json.dumps(facts, ensure_ascii=False, indent=1) + "\n").encode())
        home = os.path.join(self.folder, CHECKPOINTS)
        for name in os.listdir(home) if os.path.isdir(home) else ():
            if name.startswith("checkpoint-") and name != self.checkpoint:
                shutil.rmtree(os.path.join(home, name), ignore_errors=True)

    def checkpoint_folder(self) -> str | None:
        """Return the folder of the last whole checkpoint, None if there is none."""
        if self.checkpoint is None:
            return None
        path = os.path.join(self.folder, CHECKPOINTS, self.checkpoint)
        if not os.path.isdir(path):
            raise MissingError(f"--resume: the checkpoint {path} is gone; --overwrite starts again")
        return path

    def end(self) -> None:
        """Write that the training has ended, and remove its checkpoints."""
        self.checkpoint, self.ended = None, True
        self.save()
        shutil.rmtree(os.path.join(self.folder, CHECKPOINTS), ignore_errors=True)


_FACTS = ("settings", "about", "checkpoint", "epochs", "best", "seconds", "ended")


def state_of(folder: str, settings: dict, go_on: bool) -> State:
    """Return the state of a training: the one to continue, or a new one if there is none.

    Raise OptionError if the one to continue has other settings, OSError if there can be no folder.
    """
    place = os.path.abspath(folder)
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), folder)
    if not os.access(place, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), folder)
    if go_on and os.path.isfile(os.path.join(folder, STATE)):
        state = _state(folder)
        check_settings(folder, state.settings, settings)
        return state
    return State(folder, settings)


def _state(folder: str) -> State:
    path = os.path.join(folder, STATE)
    try:
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        return State(folder, **{name: facts[name] for name in _FACTS}, inside=facts.get("inside"))
    except (ValueError, LookupError, TypeError) as error:
        raise MissingError(f"{path} is damaged, or is not a state of training: {error!r}") from None


def check_settings(folder: str, before: Mapping, now: Mapping) -> None:
    """Raise OptionError if a training is to go on with other settings."""
    for name in (*now, *before):
        if before.get(name) != now.get(name):
            raise OptionError(
                f"--resume: the training in {folder} has other settings: {name} was "
                f"{show(before.get(name))}, now {show(now.get(name))}"
            )


def record_of_best(best: dict, seconds: float, folder: str) -> dict:
    """Return the record that ends a log; best: the record of the best epoch."""
    facts = {name: value for name, value in best.items() if name not in _OF_EPOCH}
    return {"best": best["epoch"], **facts, "seconds": round(seconds, 1), "model": folder}


def save_model(
    folder: str, writers: Iterable[Callable[[str], object]], files: Mapping[str, bytes]
) -> None:
    """Write a model, its tokenizer and further files; they take their places when all are whole.

    writers: write parts of the model into a folder, such as a save_pretrained.
    """
    part = os.path.join(folder, _PART)
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    try:
        for write in writers:
            write(part)
        for name, content in files.items():
            with open(os.path.join(part, name), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

        written = os.listdir(part)
        for old in os.listdir(folder):  # shards of a larger model, an adapter where there is none
            if old.endswith((".safetensors", ".safetensors.index.json")) and old not in written:
                os.unlink(os.path.join(folder, old))
        for name in sorted(written, key=lambda name: name == "config.json"):  # that one last
            place = os.path.join(folder, name)
            if os.path.isdir(place):
                shutil.rmtree(place)
            os.replace(os.path.join(part, name), place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions of all that trains, for a card."""
    extras = {"torch": "models", "transformers": "models"}
    numbers = {
        name: need(name.replace("-", "_"), extras.get(name, "train")).__version__
        for name in libraries
    }
    return {"dialtools": __version__, **numbers, "Python": python_version()}


def card(
    title: str, what: str, about: Mapping[str, object], epochs: list[dict] | None, bound: str
) -> bytes:
    """Return a model card: a title, how the model was made, and a table of the epochs.

    what: the model and its command: "A model for dt-parse, trained by dt-train".
    about: rows; what is None was not asked for, and is left out.
    epochs: None for no table.
    bound: whose licence may bind the model.
    """

    def cell(value: object) -> str:
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        return " ".join(shown.split()).replace("|", "\\|")

    rows = "".join(
        f"| {name} | {cell(value)} |\n" for name, value in about.items() if value is not None
    )
    names = [
        name
        for name, value in (epochs[0] if epochs else {}).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    head = f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n" if names else ""
    curve = "".join(
        f"| {' | '.join(cell(epoch.get(name)) for name in names)} |\n" for epoch in epochs or ()
    )
    table = rows if epochs is None else f"{rows}\n{head}{curve}"
    return f"""\
# {title}

{what} of dialtools {__version__}.

| | |
| --- | --- |
{table}
{bound}
""".encode()
