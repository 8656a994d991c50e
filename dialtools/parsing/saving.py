"""Models in folders: settings, vocabulary and weights; a card for readers; what is needed to go on with training."""

import json
import os
from typing import Any

from dialtools import __version__
from dialtools.errors import MissingError, need
from dialtools.files import open_output
from dialtools.parsing import network
from dialtools.parsing.predicting import Model

FORMAT = "dialtools parser"
VERSION = 1  # of the folder's files and of the network; another one is not read
CONFIG, VOCABULARY, WEIGHTS, CARD, STATE = (
    "config.json", "vocabulary.json", "model.safetensors", "README.md", "training.safetensors")


def exists(folder: str) -> bool:
    """Is there a model in a folder?"""
    return os.path.isfile(os.path.join(folder, CONFIG))


def load(folder: str) -> Model:
    """Return the model of a folder; MissingError where there is none, or one that this version cannot read."""
    config = _json(folder, CONFIG)
    if config.get("format") != FORMAT:
        raise MissingError(f"{folder} holds no parser that dt-train made: {CONFIG} is of something else")
    if config["version"] != VERSION:
        raise MissingError(f"the parser in {folder} is of version {config['version']}, and version {VERSION} is read: "
                           "train it anew")
    vocabulary = _json(folder, VOCABULARY)
    counts = {name: len(entries) for name, entries in vocabulary.items()}
    built = network.build(network.Sizes(**config["sizes"]), counts)
    safetensors = need("safetensors.torch", "models")
    path = os.path.join(folder, WEIGHTS)
    try:
        built.load_state_dict(safetensors.load_file(path))
    except FileNotFoundError:
        raise MissingError(f"the parser in {folder} has no weights: there is no {WEIGHTS}") from None
    except (need("safetensors", "models").SafetensorError, RuntimeError) as error:
        raise MissingError(f"the weights in {path} do not fit: {str(error).splitlines()[0]}") from None
    return Model(built.eval(), vocabulary, config)


def _json(folder: str, name: str) -> dict:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingError(f"there is no parser in {folder}: no {name} (dt-train parser makes one)") from None
    except ValueError as error:
        raise MissingError(f"{os.path.join(folder, name)} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise MissingError(f"{os.path.join(folder, name)} holds no JSON object")
    return found


def save(folder: str, model: Model, card: str) -> None:
    """Write a model; each file appears when it is complete, the settings last."""
    safetensors = need("safetensors.torch", "models")
    os.makedirs(folder, exist_ok=True)
    files = {VOCABULARY: _dumped(model.vocabulary), WEIGHTS: safetensors.save(model.network.state_dict()),
             CARD: card.encode(), CONFIG: _dumped({"format": FORMAT, "version": VERSION, **model.config})}
    for name, data in files.items():
        _write(folder, name, data)


def save_state(folder: str, tensors: dict[str, Any], facts: dict) -> None:
    """Write what training goes on from: tensors, and facts that JSON can say."""
    safetensors = need("safetensors.torch", "models")
    os.makedirs(folder, exist_ok=True)
    _write(folder, STATE, safetensors.save(tensors, {"facts": json.dumps(facts)}))


def load_state(folder: str) -> tuple[dict[str, Any], dict] | None:
    """Return what `save_state` wrote; None where there is nothing, because training ended or never began."""
    path = os.path.join(folder, STATE)
    if not os.path.isfile(path):
        return None
    with need("safetensors", "models").safe_open(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["facts"])


def forget_state(folder: str) -> None:
    os.unlink(os.path.join(folder, STATE))


def card(facts: dict[str, str], title: str) -> str:
    """Return a model card: a title and a table."""
    rows = "".join(f"| {name} | {' '.join(value.split())} |\n" for name, value in facts.items())
    return f"# {title}\n\nA dependency parser for dt-parse, trained by dt-train of dialtools {__version__}.\n\n" \
           f"| | |\n| --- | --- |\n{rows}\nThe licence of the treebank may bind what is trained on it.\n"


def _dumped(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _write(folder: str, name: str, data: bytes) -> None:
    with open_output(os.path.join(folder, name)) as file:
        file.write(data)
