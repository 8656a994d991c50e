"""The folder of a trained model: the model, its card, and the state and log of its training.

model.safetensors, config.json, …   the model of the best epoch, as transformers writes it
README.md                           the card: how it was made
dialtools.json, prompt.jinja, …     how it reads, for dt-generate (models/habits.py)
training.json                       how far the training is, and its log
checkpoints/                        of a training that has not ended
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from platform import python_version
from typing import Any

from dialtools import __version__
from dialtools.models import folders
from dialtools.system.errors import MissingError, OptionError, need, show
from dialtools.system.files import open_output
from dialtools.training.processes import Share

STATE, CHECKPOINTS, CARD = folders.TRAINING, "checkpoints", "README.md"
_OF_EPOCH = ("epoch", "step", "warnings", "seconds", "tokens_per_second", "padding", "batch_tokens")
_PART = ".part"  # folder of a model that is not yet whole


def check(folder: str, model: str, go_on: bool, overwrite: bool) -> None:
    """Raise OptionError for a folder that holds another run, or the model to start from."""
    if go_on and overwrite:
        raise OptionError("--resume continues a training, --overwrite starts again: give only one")
    if os.path.isdir(model) and os.path.isdir(folder) and os.path.samefile(model, folder):
        raise OptionError(
            f"--output-dir {folder} is the model to start from, which would be lost: "
            "name another folder"
        )
    if overwrite:
        return
    if os.path.isfile(os.path.join(folder, STATE)):
        if not go_on and not _state(folder)["ended"]:
            raise OptionError(
                f"{folder} holds an interrupted training: --resume continues it, "
                "--overwrite starts again"
            )
        if go_on:
            return
    elif not any(
        os.path.isfile(os.path.join(folder, file)) for file in ("config.json", folders.ADAPTER)
    ):
        return
    raise OptionError(f"{folder} holds a model: give --overwrite, or another folder")


def state_of(folder: str, settings: dict, go_on: bool) -> dict:
    """Return the state of a training: the one to continue, or a new one if there is none.

    Raise OptionError if the one to continue has other settings, OSError if there can be no folder.
    """
    os.makedirs(folder, exist_ok=True)
    if not go_on or not os.path.isfile(os.path.join(folder, STATE)):
        return {
            "settings": settings,
            "about": {},
            "checkpoint": None,
            "epochs": [],
            "best": None,
            "seconds": 0.0,
            "ended": False,
        }
    state = _state(folder)
    before = state["settings"]
    for name in (*settings, *before):
        if before.get(name) != settings.get(name):
            raise OptionError(
                f"--resume: the training in {folder} has other settings: {name} was "
                f"{show(before.get(name))}, now {show(settings.get(name))}"
            )
    return state


def begin(folder: str, state: dict, about: dict) -> None:
    """Write the state of a training that begins or goes on; what it does not name goes.

    about: the record of the data.
    """
    shutil.rmtree(os.path.join(folder, _PART), ignore_errors=True)
    state["about"] = about
    save_state(folder, state)


def log_of_ended(folder: str, state: dict, share: Share) -> Iterator[dict]:
    """Yield the log of a training that has ended; processes but the first yield nothing."""
    if share.rank == 0:
        end(folder, state)  # the training may have been killed before it did
        yield from log(folder, state)


def log(folder: str, state: dict) -> Iterator[dict]:
    """Yield the log of a training: a record of the data, one for each epoch, one of the best.

    Where earlier runs have ended epochs, the first record says how many, as "resumed".
    """
    epochs = len(state["epochs"])
    yield {**state["about"], **({"resumed": epochs} if epochs else {})}
    yield from state["epochs"]
    if state["ended"]:
        yield best(folder, state)


def best(folder: str, state: dict) -> dict:
    """Return the record of the best epoch."""
    facts = {name: value for name, value in state["best"].items() if name not in _OF_EPOCH}
    seconds = round(state["seconds"], 1)
    return {"best": state["best"]["epoch"], **facts, "seconds": seconds, "model": folder}


def _state(folder: str) -> dict:
    path = os.path.join(folder, STATE)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        return {
            name: found[name]
            for name in ("settings", "about", "checkpoint", "epochs", "best", "seconds", "ended")
        }
    except (ValueError, LookupError, TypeError) as error:
        raise MissingError(f"{path} is damaged, or is not a state of training: {error!r}") from None


def save_state(folder: str, state: dict) -> None:
    """Write the state; then remove checkpoints that it does not name."""
    os.makedirs(folder, exist_ok=True)
    with open_output(os.path.join(folder, STATE)) as file:
        file.write(_dumps(state))
    home = os.path.join(folder, CHECKPOINTS)
    for name in os.listdir(home) if os.path.isdir(home) else ():
        if name != state["checkpoint"]:
            shutil.rmtree(os.path.join(home, name), ignore_errors=True)


def checkpoint(folder: str, state: dict) -> str | None:
    """Return the folder of the last whole checkpoint, None if there is none."""
    if state["checkpoint"] is None:
        return None
    path = os.path.join(folder, CHECKPOINTS, state["checkpoint"])
    if not os.path.isdir(path):
        raise MissingError(f"--resume: the checkpoint {path} is gone; --overwrite starts again")
    return path


def end(folder: str, state: dict) -> None:
    """Write that a training has ended, and remove its checkpoints."""
    state["checkpoint"], state["ended"] = None, True
    save_state(folder, state)
    shutil.rmtree(os.path.join(folder, CHECKPOINTS), ignore_errors=True)


def save_model(folder: str, parts: Iterable[Any], files: Mapping[str, bytes]) -> None:
    """Write a model, its tokenizer and further files; they take their places when all are whole.

    parts: what has a save_pretrained.
    """
    part = os.path.join(folder, _PART)
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    try:
        for one in parts:
            one.save_pretrained(part)
        for name, content in files.items():
            with open(os.path.join(part, name), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        made = os.listdir(part)
        for old in os.listdir(folder):  # shards of a larger model, an adapter where there is none
            if old.endswith((".safetensors", ".safetensors.index.json")) and old not in made:
                os.unlink(os.path.join(folder, old))
        for name in sorted(made, key=lambda name: name == "config.json"):  # that one last
            os.replace(os.path.join(part, name), os.path.join(folder, name))
    finally:
        shutil.rmtree(part, ignore_errors=True)


def versions() -> dict[str, str]:
    """Return the versions of all that trains, for a card."""
    found = {
        name: need(name, extra).__version__
        for name, extra in (
            ("torch", "models"),
            ("transformers", "models"),
            ("accelerate", "train"),
        )
    }
    return {"dialtools": __version__, **found, "Python": python_version()}


def card(
    title: str,
    about: Mapping[str, object],
    epochs: list[dict],
    use: str = "dt-generate --model",
    by: str = "dt-train generator",
) -> bytes:
    """Return a model card: a title, how the model was made, and a table of the epochs.

    What is None was not asked for, and is left out.
    """
    rows = "".join(
        f"| {name} | {_cell(value)} |\n" for name, value in about.items() if value is not None
    )
    names = (
        [
            name
            for name, value in epochs[0].items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        if epochs
        else []
    )
    head = f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n" if names else ""
    curve = "".join(
        f"| {' | '.join(_cell(epoch.get(name)) for name in names)} |\n" for epoch in epochs
    )
    return f"""\
# {title}

A model for {use}, trained by {by} of dialtools {__version__}.

| | |
| --- | --- |
{rows}
{head}{curve}
The licences of the model it started from and of the data may bind it.
""".encode()


def _cell(value: object) -> str:
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    return " ".join(shown.split()).replace("|", "\\|")


def _dumps(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
