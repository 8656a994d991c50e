"""What bertscore needs besides the weights of a model: layers, baselines, the rarity of tokens."""

import functools
import os
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from math import log
from typing import Any

from dialtools.languages import Language
from dialtools.models import checkpoints, devices, folders, readers
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError, OptionError, need

Baseline = tuple[float, float, float]  # of precision, recall, F1


@functools.lru_cache(maxsize=1)
def layers() -> dict[str, int]:
    """Return {encoder: the layer that agrees best with people on WMT16}, from bert-score 0.3.13."""
    with open(os.path.join(os.path.dirname(__file__), "bertscore.tsv"), encoding="utf-8") as file:
        return {
            model: int(layer)
            for model, layer in (line.split("\t") for line in file.readlines()[1:])
        }


def layer(model: str, offline: bool = False) -> int:
    """Return the layer for a model. Raise OptionError if bert-score has none."""
    if model not in layers():
        config = (
            folders.said(model, "config.json")
            or checkpoints.load("AutoConfig", Checkpoint(model, offline)).to_dict()
        )
        most = readers.number_of_layers(config)
        among = f", of 0 to {most}" if most else ""
        raise OptionError(
            f"bertscore: which layer of {model}{among}? bert-score has no default "
            "for it: layer=NUMBER"
        )
    return layers()[model]


def baselines(language: Language, model: str) -> str:
    """Return the path of a model's published baselines in a language, which may not exist."""
    from importlib.util import find_spec

    found = find_spec("bert_score")  # which importing would take seconds
    if found is None or not found.origin:
        raise MissingError(
            "the baselines are those of the library bert-score, which is not "
            "installed: pip install 'dialtools[models]'"
        )
    return os.path.join(
        os.path.dirname(found.origin), "rescale_baseline", language.tag, f"{model}.tsv"
    )


@functools.lru_cache(maxsize=32)
def baseline(language: Language, model: str, layer: int) -> Baseline:
    """Return the score of unrelated texts. Raise OptionError if none has been published."""
    path = baselines(language, model)
    if os.path.isabs(model) or not os.path.isfile(path):
        raise OptionError(
            f"bertscore: no baseline of {model} in {language.tag} has been published: rescale=no"
        )
    with open(path, encoding="utf-8") as file:
        rows = {int(row[0]): row[1:] for row in (line.split(",") for line in file.readlines()[1:])}
    if layer not in rows:
        raise OptionError(
            f"bertscore: no baseline of layer {layer} of {model} in {language.tag} "
            "has been published"
        )
    precision, recall, f1 = map(float, rows[layer])
    return precision, recall, f1


@functools.lru_cache(maxsize=4)
def rarity(path: str, tokenize: Callable[[list[str]], list[list[int]]]) -> Callable[[int], float]:
    """Return a function from a token to its idf in a file of texts, one a line.

    The idf is log((N + 1) / (n + 1)), where n of the N texts have the token.
    """
    try:
        # not splitlines(), which ends lines within a text, too
        lines = _content(path).decode().split("\n")
    except UnicodeDecodeError as error:
        byte = f"{error.object[error.start]:#x}"
        raise OptionError(f"bertscore: {path}: not UTF-8: byte {byte}") from None
    texts = [line.strip() for line in lines if line.strip()]
    counts = Counter(token for ids in tokenize(texts) for token in set(ids))
    return lambda token: log((len(texts) + 1) / (counts[token] + 1))


@functools.lru_cache(maxsize=4)
def digest(path: str) -> str:
    """Return a digest of a file."""
    return blake2b(_content(path), digest_size=4).hexdigest()


def _content(path: str) -> bytes:
    if not os.path.isfile(path):
        raise OptionError(
            f"bertscore: idf=FILE, not {path!r}: a file of texts, one a line, such "
            "as the references of the whole data set; those of a few records will "
            "not do"
        )
    with open(path, "rb") as file:
        return file.read()


@functools.lru_cache(maxsize=1)
def package(model: str, layer: int, device: str, offline: bool) -> Any:
    """Return a scorer of the package bert-score."""
    bert_score = need("bert_score", "models")
    # checks the folder, and says what is wrong in one line
    checkpoints.tokenizer_of(Checkpoint(model, offline))
    with checkpoints.hushed(offline=offline or os.path.isdir(model)):
        return bert_score.BERTScorer(
            model_type=model, num_layers=layer, device=devices.device_of(device)
        )
