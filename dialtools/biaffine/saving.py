"""Models in folders: settings, vocabulary and weights; a card for readers; what is needed to go on with training."""

import hashlib
import json
import os
from typing import Any

from dialtools import __version__
from dialtools.biaffine import network
from dialtools.biaffine.predicting import Model
from dialtools.biaffine.vocabulary import Vocabulary
from dialtools.errors import MissingError, need, show
from dialtools.files import open_output

FORMAT = "dialtools parser"
VERSION = 1  # of the folder's files and of the network; another one is not read
CONFIG, VOCABULARY, WEIGHTS, CARD, STATE = (
    "config.json", "vocabulary.json", "model.safetensors", "README.md", "training.safetensors")


def exists(folder: str) -> bool:
    """Is there a model in a folder?"""
    return os.path.isfile(os.path.join(folder, CONFIG))


def interrupted(folder: str) -> bool:
    """Is there a state of training in a folder, which has not ended?"""
    return os.path.isfile(os.path.join(folder, STATE))


def load(folder: str) -> Model:
    """Return the model of a folder; MissingError where there is none, or one that this version cannot read."""
    config = _json(folder, CONFIG)
    if config.get("format") != FORMAT:
        raise MissingError(f"{folder} holds no parser that dt-train made: {CONFIG} is of something else")
    if config.get("version") != VERSION:
        raise MissingError(f"the parser in {folder} is of version {show(config.get('version'))}, and version {VERSION} "
                           "is read: train it anew")
    vocabulary = _json(folder, VOCABULARY)
    try:
        counts = {name: len(entries) for name, entries in vocabulary.items()}
        built = network.build(network.Sizes(**config["sizes"]), counts)
        built.load_state_dict(need("safetensors.torch", "models").load_file(os.path.join(folder, WEIGHTS)))
        found = hashes(built, vocabulary, config["pieces"])
        if config | found != found | config:  # an older model has no hash of its vocabulary
            raise ValueError(f"{CONFIG} has other hashes")
    except FileNotFoundError:
        raise MissingError(f"the parser in {folder} has no weights: there is no {WEIGHTS}") from None
    except _damage() as error:
        raise MissingError(f"the parser in {folder} is damaged, or its files are of several: {_said(error)}") from error
    return Model(built.eval(), vocabulary, config | found)


def hashes(built: Any, vocabulary: Vocabulary, pieces: dict[str, str]) -> dict[str, str]:
    """Return what the settings say of weights and vocabulary, so that those of several models are not mixed up."""
    weights = hashlib.sha256()
    for name, weight in sorted(built.state_dict().items()):
        weights.update(name.encode() + weight.numpy().tobytes())
    words = hashlib.sha256(json.dumps([vocabulary, sorted(pieces.items())]).encode())  # json indents in slow Python
    return {"hash": weights.hexdigest(), "vocabulary_hash": words.hexdigest()}


def _damage() -> tuple[type[Exception], ...]:
    """Return the errors of files that do not hold what they should."""
    return (need("safetensors", "models").SafetensorError, AssertionError, AttributeError, LookupError, RuntimeError,
            TypeError, ValueError)


def _said(error: Exception) -> str:
    """Return the last line of an error, where torch tells what does not fit; KeyError is known by its name."""
    return f"{type(error).__name__}: {error}".splitlines()[-1].strip()


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


def load_state(folder: str) -> tuple[dict[str, Any], dict]:
    """Return what `save_state` wrote."""
    path = os.path.join(folder, STATE)
    try:
        with need("safetensors", "models").safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["facts"])
    except _damage() as error:
        raise MissingError(f"{path} is damaged, or holds no state of a training: {_said(error)}") from error


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
