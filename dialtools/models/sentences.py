"""Embeddings of sentences: one vector for a text.

A folder of sentence-transformers defines the pooling of tokens (1_Pooling) and the
number of tokens read (sentence_bert_config.json); the default is the mean of all.
"""

import functools
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dialtools.models import checkpoints, encoders, folders, readers
from dialtools.system.errors import MissingError, OptionError, need

POOLING = "1_Pooling"
_KNOWN = ("mean", "cls")
# of sentence-transformers; a cosine is the same without the last
_STEPS = ("Transformer", "Pooling", "Normalize")


class Manner(NamedTuple):
    """The pooling of the states of tokens."""

    pooling: str  # mean or cls
    limit: int  # tokens that are read


class Embedding(NamedTuple):
    """The embedding of a text."""

    vector: Any  # of length 1, float64
    cut: bool  # the text was longer than the limit
    bare: bool  # it has no tokens of its own


def embeddings(name: str, texts: Sequence[str], offline: bool = False) -> list[list[float]]:
    """Return an embedding of length 1 for each text, cut to the model's positions."""
    found = vectors(encoders.encoder(name, offline=offline), manner(name, offline), texts)
    return [found[text].vector.tolist() for text in texts]


def vectors(
    encoder: encoders.Encoder,
    manner: Manner,
    texts: Iterable[str],
    long: encoders.Long = "truncate",
) -> dict[str, Embedding]:
    """Return {text: its embedding}."""
    return {
        text: Embedding(
            _pooled(reading, manner.pooling), reading.cut, len(reading.ids) == encoder.frame.around
        )
        for text, reading in encoder.read(texts, long, manner.limit).items()
    }


def _pooled(reading: encoders.Reading, pooling: str) -> Any:
    import numpy

    vector = (
        reading.states.mean(0, dtype="float64")
        if pooling == "mean"
        else reading.states[0].astype("float64")
    )
    return vector / numpy.linalg.norm(vector)


def transformer(name: str, device: str = "auto", offline: bool = False) -> Any:
    """Return an encoder of sentence-transformers, with all that stands behind its pooling."""
    library = need("sentence_transformers", "train")
    try:
        with checkpoints.hushed(offline=offline):
            return library.SentenceTransformer(
                name, device=None if device == "auto" else device, local_files_only=offline
            )
    except (OSError, ValueError) as error:
        raise MissingError(
            f"cannot load the encoder {name}: {' '.join(str(error).split())[:200]}"
        ) from None


@functools.lru_cache(maxsize=8)
def manner(name: str, offline: bool = False) -> Manner:
    """Return the pooling of a model's folder. Raise OptionError if it is not supported."""
    folder = folders.located(folders.Checkpoint(name, offline))
    steps = [
        str(step.get("type", "")).rpartition(".")[2]
        for step in folders.said(folder, "modules.json", list) or ()
    ]
    wanted = _pooling(folders.said(folder, os.path.join(POOLING, "config.json")) or {})
    if len(wanted) > 1 or wanted[0] not in _KNOWN or not set(steps).issubset(_STEPS):
        raise OptionError(
            f"{name} makes its embeddings by {', '.join([*steps, *wanted])}; "
            f"only {' or '.join(_KNOWN)} is supported"
        )
    said = folders.said(folder, "sentence_bert_config.json") or {}
    if said.get("do_lower_case"):
        raise OptionError(f"{name} needs lower-case texts, which are not supported")
    return Manner(wanted[0], said.get("max_seq_length") or readers.ANY)


def _pooling(said: dict[str, Any]) -> list[str]:
    """Return the poolings in a configuration of either generation of sentence-transformers.

    >>> _pooling({"pooling_mode_mean_tokens": True}), _pooling({"pooling_mode": "cls"})
    (['mean'], ['cls'])
    """
    now = said.get("pooling_mode") or []
    found = [now] if isinstance(now, str) else list(now)
    for key, on in said.items():
        if key.startswith("pooling_mode_") and on is True:
            name = key.removeprefix("pooling_mode_")
            found.append(name.removesuffix("_tokens").removesuffix("_token"))
    return found or ["mean"]
