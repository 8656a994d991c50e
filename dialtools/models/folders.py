"""Folders of models: their files, what dt-train keeps in them, and the cache folder of dialtools."""

import functools
import os
from typing import Any, NamedTuple

from dialtools.models.decoding import Decoding, Side
from dialtools.plugins.options import fits
from dialtools.system.errors import MissingError, need, show
from dialtools.system.files import sha256

ADAPTER = "adapter_config.json"  # says that a folder of peft holds what is added to a model
HABITS = "dialtools.json"  # how a model that dt-train made reads
TRAINING = "training.json"  # what dt-train keeps of a training
PICKLED = ".bin"
# files that make a model what it is
_PARTS = (".json", ".safetensors", ".model", ".txt", ".jinja", ".py")


class Checkpoint(NamedTuple):
    """A model, and the permissions for loading it."""

    name: str  # a folder, or a name on the hub
    offline: bool = False  # open no socket
    trust_remote_code: bool = False  # run code that comes with it
    allow_pickle: bool = False  # read pickled weights where there are none in safetensors


def check_folder(name: str) -> None:
    """Raise MissingError for a path that is no folder of a model or adapter; a hub name passes."""
    if os.path.isdir(name):
        files = os.listdir(name)
        if "config.json" not in files and ADAPTER not in files:
            raise MissingError(f"{name} is no model folder: there is no config.json in it")
    elif name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise MissingError(f"there is no model folder {name}")


def check_weights(name: str, allow_pickle: bool = False) -> None:
    """Raise MissingError for a folder without safetensors, or without pickled weights if allowed."""
    if os.path.isdir(name) and not _hold(name, ".safetensors"):
        if not allow_pickle:
            raise MissingError(unsafe(name))
        if not _hold(name, PICKLED):
            raise MissingError(
                f"{name} has no weights: there is no file *.safetensors in it, and no *{PICKLED}"
            )


def unsafe(name: str) -> str:
    """Return the message for a model without weights in safetensors."""
    return (
        f"{name} has no weights in safetensors, and others, which may hold code, are not read: "
        "load the model where you trust it and write it with save_pretrained() (or give "
        "allow_pickle=yes to dt-generate)"
    )


def read_json(folder: str, file: str, kind: type = dict) -> Any:
    """Return the content of a JSON file in a model's folder, None if there is no such file.

    Raise MissingError if it is not of the kind, dict or list.
    """
    import json

    path = os.path.join(folder, file)
    if not os.path.isfile(path):
        return None
    try:
        with open(path, encoding="utf-8") as opened:
            content = json.load(opened)
    except (ValueError, RecursionError) as error:
        raise MissingError(f"{path} is no JSON: {error}") from None
    if not isinstance(content, kind):
        raise MissingError(f"{path} is no JSON {'object' if kind is dict else 'list'}")
    return content


def typed(kind: Any, values: Any, path: str) -> Any:
    """Return a JSON object as a NamedTuple.

    Raise MissingError, with path and key, for a value that a field cannot have.
    """
    if not isinstance(values, dict):
        raise MissingError(f"{path} is damaged: here is {show(values)} instead of an object")
    for key, value in values.items():
        if key not in kind._fields:
            raise MissingError(f'{path} is of another version: "{key}" is not known')
        if not fits(value, kind.__annotations__[key], of_file=True):
            raise MissingError(f'{path} is damaged: "{key}" cannot be {show(value)}')
    for key in kind._fields:
        if key not in values and key not in kind._field_defaults:
            raise MissingError(f'{path} is damaged: there is no "{key}"')
    return kind(**values)


def _hold(folder: str, ending: str) -> bool:
    return any(file.endswith(ending) for file in os.listdir(folder))


def base(name: str) -> str:
    """Return the model that an adapter in a folder is for; any other folder or hub name unchanged."""
    adapter = read_json(name, ADAPTER)
    if adapter is None:
        return name
    if not adapter.get("base_model_name_or_path"):
        raise MissingError(
            f"{os.path.join(name, ADAPTER)} does not say which model it is for: "
            'there is no "base_model_name_or_path"'
        )
    return adapter["base_model_name_or_path"]


def located(model: Checkpoint) -> str:
    """Return the folder of a model: its own, or the hub's local one, downloaded if needed."""
    name = model.name
    check_folder(name)
    if os.path.isdir(name):
        return os.path.abspath(name)
    hub = need("huggingface_hub", "models")
    errors = need("huggingface_hub.errors", "models")
    get = functools.partial(hub.snapshot_download, name, local_files_only=model.offline)
    try:
        folder = get(allow_patterns=[f"*{end}" for end in _PARTS])
        if model.allow_pickle and not _hold(folder, ".safetensors"):
            folder = get(allow_patterns=[f"*{end}" for end in (*_PARTS, PICKLED)])
        return folder
    except (OSError, ValueError, errors.HfHubHTTPError) as error:
        shown = " ".join(str(error).split())[:300]
        raise MissingError(f"cannot get the model {name}: {shown}") from error


@functools.lru_cache(maxsize=8)  # it reads gigabytes
def digest(model: Checkpoint) -> str:
    """Return a digest of a model's files, 32 hexadecimal digits; an adapter's covers its model.

    A file from the hub counts by its name in the hub's cache, and is not read again.
    """
    import hashlib
    import json

    folder = located(model)
    parts = _PARTS if _hold(folder, ".safetensors") else (*_PARTS, PICKLED)
    total = hashlib.blake2b(digest_size=16)
    for file in sorted(os.listdir(folder)):
        if file.endswith(parts) and file != TRAINING:
            total.update(json.dumps([file, _digest_of_file(os.path.join(folder, file))]).encode())
    if base(folder) != folder:
        total.update(digest(model._replace(name=base(folder))).encode())
    return total.hexdigest()


def _digest_of_file(path: str) -> str:
    """Return a digest of a file."""
    blob = os.path.basename(os.path.realpath(path))
    if os.path.islink(path) and len(blob) == 64 and not set(blob) - set("0123456789abcdef"):
        return blob  # a SHA-256
    return sha256(path)


def cache() -> str:
    """Return dialtools' folder in $XDG_CACHE_HOME or ~/.cache; it may not exist yet."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "dialtools")


class Habits(NamedTuple):
    """What a generator was trained with, kept in its folder for whoever runs it."""

    max_input: int | None = None  # tokens; longer input was cut
    truncate: Side | None = None
    src_lang: str = ""
    tgt_lang: str = ""
    prompting: dict[str, Any] = {}  # fields of decoding.Prompting; files are in the folder


def habits(name: str) -> Habits:
    """Return the habits of the model in a folder; none for any other."""
    values = read_json(name, HABITS) or {}
    known = {key: value for key, value in values.items() if key in Habits._fields}
    path = os.path.join(name, HABITS)
    trained = typed(Habits, known, path)
    if trained.max_input is not None and trained.max_input < 1:
        raise MissingError(f'{path} is damaged: "max_input" cannot be {trained.max_input}')
    return trained


def dumps(values: Any) -> bytes:
    """Return the content of the file of habits."""
    import json

    return (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode()


def with_habits(decoding: Decoding, name: str) -> Decoding:
    """Return options of a model with what it was trained with, where they do not say otherwise."""
    trained = habits(name)
    return decoding._replace(
        max_input=min(decoding.max_input, trained.max_input or decoding.max_input),
        truncate=decoding.truncate or trained.truncate,
        src_lang=decoding.src_lang or trained.src_lang,
        tgt_lang=decoding.tgt_lang or trained.tgt_lang,
    )
