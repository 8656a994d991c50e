"""Models of transformers for CTranslate2: converted once, and kept for all users.

They are kept in the folder dialtools/ctranslate2 of the user's cache
($XDG_CACHE_HOME, or ~/.cache), under a digest of the model's folder.  A separate
process converts a model: making an int8 model spoils the weights that torch has
in memory.
"""

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any, Literal

from dialtools.models import checkpoints, folders, speakers
from dialtools.system import stable_hash
from dialtools.system.errors import MissingError, need

Precision = Literal["float32", "float16", "bfloat16", "int8"]


def converted(model: folders.Checkpoint, precision: str = "float32") -> str:
    """Return the folder of a converted model. Raise MissingError if the conversion fails.

    model: an encoder, a causal or a seq2seq model of transformers.
    precision: of the weights, a Precision.

    Two processes may convert the same model at once; the first to finish keeps its result.
    """
    made_by = need("ctranslate2", "fast").__version__
    source = folders.located(model)
    speakers.refuse(source, "ctranslate2")
    folders.check_weights(source, model.allow_pickle)
    digest = f"{stable_hash.digest(folders.content(model), precision, made_by):016x}"
    parent = os.path.join(folders.cache(), "ctranslate2")
    folder = os.path.join(parent, digest)
    if not os.path.isdir(folder):
        try:
            os.makedirs(parent, exist_ok=True)
        except OSError as error:
            reason = f"{error.strerror}; XDG_CACHE_HOME names another place for converted models"
            raise OSError(error.errno, reason, parent) from None
        with TemporaryDirectory(dir=parent, prefix=".", ignore_cleanup_errors=True) as place:
            made = os.path.join(place, "model")
            allowed = []
            if model.trust_remote_code:
                allowed.append("code")
            if model.allow_pickle:
                allowed.append("pickle")
            _convert_apart(model.name, source, made, precision, *allowed)
            _keep(made, folder)
    return folder


def configuration(model: folders.Checkpoint) -> Any:
    """Return a model's configuration, its positions limited to the layers' sliding window.

    Beyond the window (Mistral, Gemma, Qwen) CTranslate2 and transformers differ.
    """
    config = checkpoints.load("AutoConfig", model)
    # T5Gemma has one for each side
    for part in (config.get_text_config(), getattr(config, "encoder", config)):
        window = getattr(part, "sliding_window", None)
        if window:
            part.max_position_embeddings = min(part.max_position_embeddings, window)
    return config


def vocabulary(folder: str) -> list[str]:
    """Return the tokens of a converted model that writes: more than its tokenizer knows, or fewer
    (MarianMT).
    """
    [name] = {"shared_vocabulary.json", "target_vocabulary.json", "vocabulary.json"} & set(
        os.listdir(folder)
    )
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def place(name: str) -> dict[str, Any]:
    """Return a device as models of CTranslate2 take it; MissingError unless it is there: auto,
    cpu, cuda, cuda:1 …
    """
    kind, _, number = name.partition(":")
    count = (
        need("ctranslate2", "fast").get_cuda_device_count()
        if kind == "cuda"
        else int(kind == "cpu")
    )
    if name != "auto" and (number or "0") not in map(str, range(count)):
        raise MissingError(f"ctranslate2 has no device {name!r} here; --device cpu always works")
    return {"device": kind, "device_index": int(number or 0)}


def _convert_apart(name: str, source: str, *given: str) -> None:
    """Call ctconverter.convert in a new process, and report its errors in one line."""
    # -c would search the working directory first.
    code = (
        "import sys; sys.path = list(filter(None, sys.path)); "
        "from dialtools.models import ctconverter; ctconverter.convert(*sys.argv[1:])"
    )
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # it may not be installed
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", code, source, *given],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if done.returncode < 0:
        raise MissingError(
            f"converting {name} for ctranslate2 was stopped by signal "
            f"{-done.returncode}; perhaps memory ran out"
        )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        if "Error: [Errno " in lines[-1]:
            raise OSError(
                f"converting {name} for ctranslate2 into {folders.cache()}: "
                f"{lines[-1].partition('] ')[2]}"
            )
        kind, _, reason = lines[-1].partition(": ")
        # what lacks, torch lacks, too
        other = "" if kind.endswith(".MissingError") else "; --engine torch takes it"
        raise MissingError(f"ctranslate2 cannot take {name}: {reason[:300] or kind}{other}")


def _keep(made: str, folder: str) -> None:
    """Move a folder to its place once it is on the disk; keep another process's folder there."""
    for file in os.scandir(made):
        with open(file.path, "rb") as written:
            os.fsync(written.fileno())
    try:
        os.rename(made, folder)
    except OSError:
        if not os.path.isdir(folder):
            raise
