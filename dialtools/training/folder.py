"""The folder of a trained generator: the best model, its card, and the state of its training.

model.safetensors, config.json, …   the model of the best epoch, as transformers writes it
README.md                           the card: how it was made
dialtools.json, prompt.jinja, …     how it reads, for dt-generate (models/habits.py)
training.json, checkpoints/         the state of a training that has not ended
"""

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from platform import python_version
from typing import Any

from dialtools import __version__
from dialtools.models import folders
from dialtools.system.errors import MissingError, OptionError, need, show
from dialtools.system.files import open_output

STATE, CHECKPOINTS, CARD = "training.json", "checkpoints", "README.md"
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
    if go_on and not os.path.isfile(os.path.join(folder, STATE)):
        raise OptionError(f"--resume: {folder} holds no interrupted training")
    if go_on or overwrite:
        return
    if os.path.isfile(os.path.join(folder, STATE)):
        raise OptionError(
            f"{folder} holds an interrupted training: --resume continues it, "
            "--overwrite starts again"
        )
    if any(os.path.isfile(os.path.join(folder, file)) for file in ("config.json", folders.ADAPTER)):
        raise OptionError(f"{folder} holds a model: give --overwrite, or another folder")


def state_of(folder: str, settings: dict, go_on: bool) -> dict:
    """Return the state of a training: a new one, or the one to continue.

    Raise OptionError if the one to continue has other settings, OSError if there can be no folder.
    """
    os.makedirs(folder, exist_ok=True)
    if not go_on:
        return {
            "settings": settings,
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


def begin(folder: str, state: dict) -> None:
    """Write the state of a new training; what is left of an earlier one goes."""
    for name in (CHECKPOINTS, _PART):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    save_state(folder, state)


def _state(folder: str) -> dict:
    path = os.path.join(folder, STATE)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        return {
            name: found[name]
            for name in ("settings", "checkpoint", "epochs", "best", "seconds", "ended")
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


def end(folder: str) -> None:
    """Remove the state of a training that has ended."""
    shutil.rmtree(os.path.join(folder, CHECKPOINTS), ignore_errors=True)
    os.unlink(os.path.join(folder, STATE))


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
