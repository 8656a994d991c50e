"""Encoders: the states of the tokens of texts, and embeddings of texts made of them.

Each text is read once, the longest first.  A text that is longer than a model has positions can be
read in windows that overlap by half; a token has the state that it has in the window in which it is
farthest from either end.

A folder of sentence-transformers says how an embedding is pooled of tokens (1_Pooling) and how many
are read (sentence_bert_config.json); the default is the mean of all.
"""

import functools
import os
from collections.abc import Iterable
from importlib import import_module
from itertools import chain, islice
from types import ModuleType
from typing import Any, Literal, NamedTuple

from dialtools.models import checkpoints, folders, minibatches, readers
from dialtools.models.checkpoints import ANY, Place
from dialtools.models.folders import Checkpoint
from dialtools.models.readers import Engine, Reader
from dialtools.records.values import is_empty
from dialtools.system.errors import MissingError, OptionError, RecordError, need, show

Long = Literal["error", "truncate", "window"]

KEPT = 1 << 16  # tokens whose states are kept from call to call, beside those of the last call
POOLING = "1_Pooling"
_POOLINGS = ("mean", "cls")
# of sentence-transformers; a cosine is the same without the last
_STEPS = ("Transformer", "Pooling", "Normalize")


class TokenStates(NamedTuple):
    """A text read by an encoder."""

    ids: list[int]
    states: Any  # (tokens, dim), float32
    cut: bool  # was it longer than the encoder has positions?


class Frame(NamedTuple):
    """How many tokens a model puts around a text."""

    before: int
    around: int  # before it and after it


class Embedding(NamedTuple):
    """The embedding of a text."""

    vector: Any  # of length 1, float64
    cut: bool  # the text was longer than the limit
    bare: bool  # it has no tokens of its own


class Pooling(NamedTuple):
    """How an embedding is made of the states of tokens."""

    pooling: str  # mean or cls
    limit: int  # tokens that are read


@functools.lru_cache(maxsize=4)
def encoder(
    name: str,
    place: Place = Place(batch_size=32),
    layer: int | None = None,
    engine: Engine = "torch",
) -> "Encoder":
    """Return an encoder, ready on its device; the last few are kept.

    name: folder or hub name.
    layer: whose states are given, from 0 (no layer at all) to the number that the model has (None).
    """
    read_by = readers.ctranslate2 if engine == "ctranslate2" else readers.torch
    return Encoder(read_by(name, place, layer))


def libraries(engine: Engine) -> tuple[str, ...]:
    """Return the libraries of an engine."""
    return ("ctranslate2", "tokenizers") if engine == "ctranslate2" else ("torch", "transformers")


class Encoder:
    """A loaded encoder, with the states of the texts that it read last."""

    def __init__(self, reader: Reader):
        self.reader = reader
        empty, letter = reader.tokenize(["", "a"])
        self.frame = Frame(len(os.path.commonprefix([empty, letter])), len(empty))
        self._kept: dict[tuple[str, int, Long], TokenStates] = {}

    def read(
        self, texts: Iterable[str], long: Long = "truncate", limit: int = ANY
    ) -> dict[str, TokenStates]:
        """Return {text: its reading}; white space around a text does not count.

        long: what to do with a text longer than the encoder's positions or `limit`: error;
            truncate, at its end; window, see above.
        """
        limit = min(limit, self.reader.limit)
        keys = {text: (text.strip(), limit, long) for text in texts}
        new = [key for key in dict.fromkeys(keys.values()) if key not in self._kept]
        read = (
            dict(zip(new, self._read([text for text, *_ in new], long, limit), strict=True))
            if new
            else {}
        )
        readings = {
            key: read[key] if key in read else self._kept.pop(key)
            for key in dict.fromkeys(keys.values())
        }

        # of what was read before, the latest is kept
        room = KEPT - sum(len(reading.ids) for reading in readings.values())
        latest = {}
        for key, reading in reversed(self._kept.items()):
            room -= len(reading.ids)
            if room < 0:
                break
            latest[key] = reading
        self._kept = dict(reversed(latest.items())) | readings
        return {text: readings[key] for text, key in keys.items()}

    def _read(self, texts: list[str], long: Long, limit: int) -> list[TokenStates]:
        """Return what texts are read as."""
        tokens = self.reader.tokenize(texts)
        before, around = self.frame
        for text, ids in zip(texts, tokens, strict=True):
            if long == "error" and len(ids) > limit:
                raise RecordError(
                    f"{show(text, 30)} has {len(ids)} tokens, {limit} are what the "
                    "encoder can read: long=truncate cuts it"
                )
            inner = ids[before : before + len(ids) - around]
            if not is_empty(text) and {self.reader.unknown}.issuperset(inner):
                raise RecordError(
                    f"the encoder knows no token of {show(text, 40)}: give the text's "
                    "language (--lang) or another model"
                )
        rows_by_text = [rows(ids, self.frame, limit, long == "window") for ids in tokens]
        states = iter(
            minibatches.each(list(chain(*rows_by_text)), len, self.reader.run, self.reader.size)
        )
        return [
            TokenStates(
                *joined(ids, list(islice(states, len(text_rows))), self.frame, limit),
                cut=len(ids) > limit,
            )
            for ids, text_rows in zip(tokens, rows_by_text, strict=True)
        ]


def rows(ids: list[int], frame: Frame, limit: int, several: bool) -> list[list[int]]:
    """Return a text's tokens as rows of up to `limit`, each with the frame around it; without
    several, the first.
    """
    first, inner, last = _parts(ids, frame)
    room = _room(frame, limit)
    starts = _starts(len(inner), room) if several else [0]
    return [first + inner[start : start + room] + last for start in starts]


def joined(ids: list[int], states: list[Any], frame: Frame, limit: int) -> tuple[list[int], Any]:
    """Return the tokens that were read, and their states, (tokens, dim), from those of the rows."""
    first, inner, last = _parts(ids, frame)
    room, before = _room(frame, limit), frame.before
    if len(states) == 1:
        return first + inner[:room] + last, states[0]
    import numpy

    starts = _starts(len(inner), room)
    parts = [states[0][:before]]
    # a window gives what is nearer to its middle than to those of its neighbours
    for number, start in enumerate(starts):
        begin = (starts[number - 1] + room + start) // 2 if number else 0
        is_last = number + 1 == len(starts)
        end = start + room if is_last else (start + room + starts[number + 1]) // 2
        parts.append(states[number][before + begin - start : before + end - start])
    return ids, numpy.concatenate([*parts, states[-1][before + room :]])


def _parts(ids: list[int], frame: Frame) -> tuple[list[int], list[int], list[int]]:
    end = len(ids) - (frame.around - frame.before)
    return ids[: frame.before], ids[frame.before : end], ids[end:]


def _room(frame: Frame, limit: int) -> int:
    """Return how many tokens of a text there is room for in a row."""
    return max(1, limit - frame.around)


def _starts(tokens: int, room: int) -> list[int]:
    """Return where windows begin; the last one ends with the text.

    >>> _starts(9, 4), _starts(3, 4)
    ([0, 2, 4, 5], [0])
    """
    return [*range(0, tokens - room, max(1, room // 2)), tokens - room] if tokens > room else [0]


def embeddings(
    name: str,
    texts: Iterable[str],
    place: Place = Place(batch_size=32),
    long: Long = "truncate",
    engine: Engine = "torch",
) -> dict[str, Embedding]:
    """Return {text: its embedding}. Raise OptionError if the model's pooling is not supported."""
    reader = encoder(name, place, None, engine)
    pooling, limit = manner(name, place.offline)

    def pooled(states: Any) -> Any:
        import numpy

        is_mean = pooling == "mean"
        vector = states.mean(0, dtype="float64") if is_mean else states[0].astype("float64")
        return vector / numpy.linalg.norm(vector)

    return {
        text: Embedding(
            pooled(reading.states), reading.cut, len(reading.ids) == reader.frame.around
        )
        for text, reading in reader.read(texts, long, limit).items()
    }


def vectors(name: str, texts: Iterable[str], offline: bool = False) -> list[list[float]]:
    """Return an embedding of length 1 for each text, cut to the model's positions."""
    texts = list(texts)
    known = embeddings(name, texts, Place(offline=offline, batch_size=32))
    return [known[text].vector.tolist() for text in texts]


@functools.lru_cache(maxsize=8)
def manner(name: str, offline: bool = False) -> Pooling:
    """Return the pooling of a model's folder. Raise OptionError if it is not supported."""
    folder = folders.located(Checkpoint(name, offline))
    steps = [
        str(step.get("type", "")).rpartition(".")[2]
        for step in folders.read_json(folder, "modules.json", list) or ()
    ]
    poolings = _poolings(folders.read_json(folder, os.path.join(POOLING, "config.json")) or {})
    if len(poolings) > 1 or poolings[0] not in _POOLINGS or not set(steps).issubset(_STEPS):
        raise OptionError(
            f"{name} makes its embeddings by {', '.join([*steps, *poolings])}; "
            f"only {' or '.join(_POOLINGS)} is supported"
        )
    config = folders.read_json(folder, "sentence_bert_config.json") or {}
    if config.get("do_lower_case"):
        raise OptionError(f"{name} needs lower-case texts, which are not supported")
    return Pooling(poolings[0], config.get("max_seq_length") or ANY)


def _poolings(config: dict[str, Any]) -> list[str]:
    """Return the poolings in a configuration of either generation of sentence-transformers.

    >>> _poolings({"pooling_mode_mean_tokens": True}), _poolings({"pooling_mode": "cls"})
    (['mean'], ['cls'])
    """
    mode = config.get("pooling_mode") or []
    poolings = [mode] if isinstance(mode, str) else list(mode)
    for key, value in config.items():
        if key.startswith("pooling_mode_") and value is True:
            name = key.removeprefix("pooling_mode_")
            poolings.append(name.removesuffix("_tokens").removesuffix("_token"))
    return poolings or ["mean"]


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


def modules_of_library(name: Literal["losses", "modules"]) -> ModuleType:
    """Return the losses or the layers of sentence-transformers, which 5.4 moved."""
    need("sentence_transformers", "train")
    try:
        return import_module(f"sentence_transformers.sentence_transformer.{name}")
    except ModuleNotFoundError:
        return import_module(f"sentence_transformers.{name.replace('modules', 'models')}")
