"""Embeddings of sentences: what an encoder makes of a text, as one vector.

A folder of sentence-transformers says how its tokens become one (1_Pooling),
and how many are read (sentence_bert_config.json); the mean of all tokens where
there is none.
"""

import functools
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dialtools.errors import OptionError
from dialtools.models import encoders, folders, readers

POOLING = "1_Pooling"
_KNOWN = ("mean", "cls")
_STEPS = ("Transformer", "Pooling", "Normalize")  # of sentence-transformers; a cosine is the same without the last


class Manner(NamedTuple):
    """How the states of tokens become an embedding."""

    pooling: str  # mean or cls
    limit: int  # tokens that are read


class Embedding(NamedTuple):
    """What a text became."""

    vector: Any  # of length 1, float64
    cut: bool  # was it longer than what is read?
    bare: bool  # has it no token but those that the model puts around a text?


def embeddings(name: str, texts: Sequence[str], offline: bool = False) -> list[list[float]]:
    """Return an embedding of length 1 for each text; a text is cut where the model has no further positions."""
    found = vectors(encoders.encoder(name, offline=offline), manner(name, offline), texts)
    return [found[text].vector.tolist() for text in texts]


def vectors(encoder: encoders.Encoder, manner: Manner, texts: Iterable[str],
            long: encoders.Long = "truncate") -> dict[str, Embedding]:
    """Return {text: its embedding}."""
    return {text: Embedding(_pooled(reading, manner.pooling), reading.cut, len(reading.ids) == encoder.frame.around)
            for text, reading in encoder.read(texts, long, manner.limit).items()}


def _pooled(reading: encoders.Reading, pooling: str) -> Any:
    import numpy

    vector = reading.states.mean(0, dtype="float64") if pooling == "mean" else reading.states[0].astype("float64")
    return vector / numpy.linalg.norm(vector)


@functools.lru_cache(maxsize=8)
def manner(name: str, offline: bool = False) -> Manner:
    """Return what a model's folder says of embeddings; OptionError where it wants what is not done here."""
    folder = folders.located(folders.Checkpoint(name, offline))
    steps = [str(step.get("type", "")).rpartition(".")[2] for step in folders.said(folder, "modules.json") or ()]
    wanted = _pooling(folders.said(folder, os.path.join(POOLING, "config.json")) or {})
    if len(wanted) > 1 or wanted[0] not in _KNOWN or not set(steps).issubset(_STEPS):
        raise OptionError(f"{name} makes its embeddings by {', '.join([*steps, *wanted])}; "
                          f"what is done here is {' or '.join(_KNOWN)} alone")
    said = folders.said(folder, "sentence_bert_config.json") or {}
    if said.get("do_lower_case"):
        raise OptionError(f"{name} wants its texts in lower case, which is not done here")
    return Manner(wanted[0], said.get("max_seq_length") or readers.ANY)


def _pooling(said: dict[str, Any]) -> list[str]:
    """Return what makes one vector of several, as two generations of sentence-transformers write it.

    >>> _pooling({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}), _pooling({"pooling_mode": "cls"})
    (['mean'], ['cls'])
    """
    now = said.get("pooling_mode") or []
    found = [now] if isinstance(now, str) else list(now)
    for key, on in said.items():
        if key.startswith("pooling_mode_") and on is True:
            found.append(key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token"))
    return found or ["mean"]
