"""The folder of a model: settings, vocabulary, weights, a card for readers, a state of training."""

import hashlib
import json
import os
from typing import Any

from dialtools import __version__
from dialtools.parsing import network
from dialtools.parsing.model import Model
from dialtools.parsing.vocabulary import Vocabulary
from dialtools.system.errors import MissingError, OptionError, need, show
from dialtools.system.files import open_output

FORMAT = "dialtools parser"
VERSION = 1  # of the files and of the network; no other version is read
CONFIG, VOCABULARY, WEIGHTS, CARD, STATE = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "README.md",
    "training.safetensors",
)
_FACTS = ("settings", "epochs", "step", "best", "seconds")  # of a state of training
_DAMAGE = AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError


def check(folder: str, go_on: bool, overwrite: bool) -> None:
    """Raise OptionError for a folder in which a training can neither begin nor go on."""
    if go_on and overwrite:
        raise OptionError("--resume continues a training, --overwrite starts again: give only one")
    if os.path.isfile(os.path.join(folder, CONFIG)) and not (overwrite or go_on and begun(folder)):
        raise OptionError(f"{folder} holds a model: give --overwrite, or --resume a training")


def begun(folder: str) -> bool:
    """Return whether a folder has the state of a training, which may have ended."""
    return os.path.isfile(os.path.join(folder, STATE))


def load(folder: str) -> Model:
    """Return the model of a folder; MissingError if there is none that this version can read."""
    config = _json(folder, CONFIG)
    if config.get("format") != FORMAT:
        raise MissingError(f"{folder} holds no parser of dt-train: {CONFIG} has another format")
    if config.get("version") != VERSION:
        raise MissingError(
            f"the parser in {folder} has version {show(config.get('version'))}; "
            f"only version {VERSION} is supported: train it again"
        )
    vocabulary = _json(folder, VOCABULARY)
    safetensors = need("safetensors.torch", "models")
    try:
        counts = {name: len(entries) for name, entries in vocabulary.items()}
        built = network.build(network.Sizes(**config["sizes"]), counts)
        built.load_state_dict(safetensors.load_file(os.path.join(folder, WEIGHTS)))
        found = hashes(built, vocabulary, config["pieces"])
        if config | found != found | config:  # an older model has no hash of its vocabulary
            raise ValueError(f"{CONFIG} has other hashes")
    except FileNotFoundError:
        raise MissingError(f"the parser in {folder} has no weights ({WEIGHTS})") from None
    except (*_DAMAGE, need("safetensors", "models").SafetensorError) as error:
        raise MissingError(
            f"the parser in {folder} is damaged, or mixes files of several models: "
            f"{_summary(error)}"
        ) from error
    return Model(built.eval(), vocabulary, config | found)


def hashes(built: Any, vocabulary: Vocabulary, pieces: dict[str, str]) -> dict[str, str]:
    """Return the hashes of weights and vocabulary, by which mixed files are detected."""
    weights = hashlib.sha256()
    for name, weight in sorted(built.state_dict().items()):
        weights.update(name.encode() + weight.numpy().tobytes())
    words = json.dumps([vocabulary, sorted(pieces.items())])  # without indent: that is slow
    return {
        "hash": weights.hexdigest(),
        "vocabulary_hash": hashlib.sha256(words.encode()).hexdigest(),
    }


def _summary(error: Exception) -> str:
    """Return the last line of an error, where torch says what does not fit, with its type."""
    return f"{type(error).__name__}: {error}".splitlines()[-1].strip()


def _json(folder: str, name: str) -> dict:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingError(
            f"no parser in {folder}: {name} is missing (dt-train parser makes one)"
        ) from None
    except ValueError as error:
        raise MissingError(f"{path} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise MissingError(f"{path} is not a JSON object")
    return found


def save(folder: str, model: Model, card: str) -> None:
    """Write a model; each file appears when it is complete, the settings last."""
    safetensors = need("safetensors.torch", "models")
    os.makedirs(folder, exist_ok=True)
    config = {"format": FORMAT, "version": VERSION, **model.config}
    _write(folder, VOCABULARY, _dumps(model.vocabulary))
    _write(folder, WEIGHTS, safetensors.save(model.network.state_dict()))
    _write(folder, CARD, card.encode())
    _write(folder, CONFIG, _dumps(config))


def save_state(folder: str, tensors: dict[str, Any], facts: dict) -> None:
    """Write a state of training: tensors, none where it has ended, and JSON."""
    safetensors = need("safetensors.torch", "models")
    os.makedirs(folder, exist_ok=True)
    _write(folder, STATE, safetensors.save(tensors, {"facts": json.dumps(facts)}))


def load_state(folder: str) -> tuple[dict[str, Any], dict]:
    """Return what `save_state` wrote."""
    path = os.path.join(folder, STATE)
    safetensors = need("safetensors", "models")
    try:
        with safetensors.safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}
            facts = json.loads(file.metadata()["facts"])
        return tensors, {name: facts[name] for name in _FACTS}
    except (*_DAMAGE, safetensors.SafetensorError) as error:
        raise MissingError(
            f"{path} is damaged, or is not a state of training: {_summary(error)}"
        ) from error


def card(facts: dict[str, str], title: str) -> str:
    """Return a model card: a title and a table."""
    rows = "".join(f"| {name} | {' '.join(value.split())} |\n" for name, value in facts.items())
    return f"""# {title}

A dependency parser for dt-parse, trained by dt-train of dialtools {__version__}.

| | |
| --- | --- |
{rows}
The licence of the treebank may bind what is trained on it.
"""


def _dumps(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _write(folder: str, name: str, data: bytes) -> None:
    with open_output(os.path.join(folder, name)) as file:
        file.write(data)
