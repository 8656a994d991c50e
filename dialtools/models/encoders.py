"""Encoders: the states of the tokens of texts, each text read once, the longest first."""

import functools
import os
from collections.abc import Iterable
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

from dialtools.models import checkpoints, ctencoders, minibatches, windows
from dialtools.models.folders import Checkpoint
from dialtools.models.readers import ANY, Engine, Precision, Reader, layer_of
from dialtools.system.errors import MissingError, RecordError, show
from dialtools.text.tokenizers import is_empty

KEPT = 1 << 16  # tokens whose states are kept from call to call, beside those of the last call
# what a configuration has one value of for each layer
_OF_LAYERS = ("attention_window", "layer_types")

Long = Literal["error", "truncate", "window"]


class Reading(NamedTuple):
    """A text read by an encoder."""

    ids: list[int]
    states: Any  # (tokens, dim), float32
    cut: bool  # was it longer than the encoder has positions?


class Encoder:
    """A loaded encoder, with the states of the texts that it read last."""

    def __init__(self, reader: Reader):
        self.reader = reader
        around, whole = reader.tokenize(["", "a"])
        self.frame = windows.Frame(len(os.path.commonprefix([around, whole])), len(around))
        self._kept: dict[tuple[str, int, Long], Reading] = {}

    def read(
        self, texts: Iterable[str], long: Long = "truncate", limit: int = ANY
    ) -> dict[str, Reading]:
        """Return {text: its reading}; white space around a text does not count.

        long: what to do with a text longer than the encoder's positions or `limit`: error;
            truncate, at its end; window, see windows.py.
        """
        limit = min(limit, self.reader.limit)
        keys = {text: (text.strip(), limit, long) for text in texts}
        new = [key for key in dict.fromkeys(keys.values()) if key not in self._kept]
        made = (
            dict(zip(new, self._read([text for text, *_ in new], long, limit), strict=True))
            if new
            else {}
        )
        found = {
            key: made[key] if key in made else self._kept.pop(key)
            for key in dict.fromkeys(keys.values())
        }
        self._keep(found)
        return {text: found[key] for text, key in keys.items()}

    def _read(self, texts: list[str], long: Long, limit: int) -> list[Reading]:
        """Return what texts are read as."""
        tokens = self.reader.tokenize(texts)
        for text, ids in zip(texts, tokens, strict=True):
            self._check(text, ids, limit, long)
        rows = [windows.rows(ids, self.frame, limit, long == "window") for ids in tokens]
        states = iter(minibatches.each(list(chain(*rows)), len, self.reader.run, self.reader.size))
        readings = []
        for ids, own in zip(tokens, rows, strict=True):
            joined = windows.joined(ids, list(islice(states, len(own))), self.frame, limit)
            readings.append(Reading(*joined, cut=len(ids) > limit))
        return readings

    def _keep(self, found: dict[tuple[str, int, Long], Reading]) -> None:
        """Keep what was read now, and of what was read before the latest."""
        room = KEPT - sum(len(reading.ids) for reading in found.values())
        latest = {}
        for key, reading in reversed(self._kept.items()):
            room -= len(reading.ids)
            if room < 0:
                break
            latest[key] = reading
        self._kept = dict(reversed(latest.items())) | found

    def _check(self, text: str, ids: list[int], limit: int, long: Long) -> None:
        if long == "error" and len(ids) > limit:
            raise RecordError(
                f"{show(text, 30)} has {len(ids)} tokens, {limit} are what the "
                "encoder can read: long=truncate cuts it"
            )
        before, around = self.frame
        if not is_empty(text) and {self.reader.unknown}.issuperset(
            ids[before : before + len(ids) - around]
        ):
            raise RecordError(
                f"the encoder knows no token of {show(text, 40)}: give the text's "
                "language (--lang) or another model"
            )


@functools.lru_cache(maxsize=4)
def encoder(
    name: str,
    layer: int | None = None,
    engine: Engine = "torch",
    precision: Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 32,
) -> Encoder:
    """Return an encoder, ready on its device; the last few are kept.

    name: folder or hub name.
    layer: whose states are given, from 0 (no layer at all) to the number that the model has (None).
    """
    if engine == "ctranslate2":
        return Encoder(ctencoders.reader(name, layer, precision, device, offline, batch_size))
    return Encoder(_reader(name, layer, precision, device, offline, batch_size))


def libraries(engine: Engine) -> tuple[str, ...]:
    """Return the libraries of an engine."""
    return ("ctranslate2", "tokenizers") if engine == "ctranslate2" else ("torch", "transformers")


def _reader(
    name: str, layer: int | None, precision: Precision, device: str, offline: bool, batch_size: int
) -> Reader:
    """Return a reader of torch."""
    checkpoint = Checkpoint(name, offline)
    config = checkpoints.load("AutoConfig", checkpoint)
    asked = layer_of(
        name, config.to_dict() | {"num_hidden_layers": config.num_hidden_layers}, layer
    )
    # Not every model can do without any layer.
    fewer = _fewer(config, max(asked, 1)) if asked < config.num_hidden_layers else {}
    tokenizer, model = checkpoints.network(
        "AutoModel", checkpoint, device, precision, spare="pooler.", **fewer
    )
    pad = next(
        (pad for pad in (tokenizer.pad_token_id, config.pad_token_id) if pad is not None), None
    )
    if pad is None:
        raise MissingError(f"the tokenizer of {name} has no token for padding")
    places = min(
        checkpoints.positions(tokenizer, model.config, "encoder"), tokenizer.model_max_length
    )
    ends = frozenset(
        token for token in (tokenizer.cls_token_id, tokenizer.sep_token_id) if token is not None
    )
    return Reader(
        lambda texts: tokenizer(texts, verbose=False)["input_ids"],
        functools.partial(_run, model, pad, asked),
        minibatches.size(config, batch_size),
        places,
        ends,
        tokenizer.unk_token_id,
    )


def _fewer(config: Any, layers: int) -> dict[str, Any]:
    """Return what a configuration says of layers, of the first ones: their number, and what each
    of them is.
    """
    told = config.to_dict()
    lists = {name: told[name][:layers] for name in _OF_LAYERS if isinstance(told.get(name), list)}
    return {"num_hidden_layers": layers, **lists}


def _run(model: Any, pad: int, layer: int, rows: list[list[int]]) -> list[Any]:
    """Return the states of rows of tokens, the last ones, or those before any layer."""
    ids, mask = minibatches.padded(rows, model.device, pad)
    with checkpoints.inference():
        found = model(ids, attention_mask=mask, output_hidden_states=not layer)
    states = found.last_hidden_state if layer else found.hidden_states[0]  # (rows, tokens, dim)
    return [
        own[: len(row)].copy() for own, row in zip(states.float().cpu().numpy(), rows, strict=True)
    ]
