"""Encoders run by ctranslate2 and the library tokenizers, ready before transformers would be."""

import functools
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from dialtools.models import ctranslate, folders, readers
from dialtools.system.errors import MissingError, OptionError, need

# those that ctranslate2 can take
KINDS = ("bert", "distilbert", "roberta", "xlm-roberta", "camembert")
# classes that give no meaning to tokens
_PLAIN = ("PreTrainedTokenizerFast", "TokenizersBackend", None)


def reader(
    name: str,
    layer: int | None,
    precision: readers.Precision,
    device: str,
    offline: bool,
    batch_size: int,
) -> readers.Reader:
    """Return a reader of ctranslate2. Raise OptionError for a model that it cannot run."""
    folder = folders.located(folders.Checkpoint(name, offline))
    config = folders.said(folder, "config.json") or {}
    asked = readers.layer_of(name, config, layer)
    if config.get("model_type") not in KINDS or precision != "float32":
        raise OptionError(
            f"engine=ctranslate2 is for {', '.join(KINDS)} in float32, not for "
            f"{config.get('model_type')} in {precision}: engine=torch"
        )
    tokenizer = _tokenizer(name, folder)
    settings = folders.said(folder, "tokenizer_config.json") or {}
    told = settings, folders.said(folder, "special_tokens_map.json") or {}
    ends = {tokenizer.token_to_id(_token(told, key)) for key in ("cls_token", "sep_token")} - {None}
    if not ends and settings.get("tokenizer_class") not in _PLAIN:
        ends = set(tokenizer.encode("").ids)
    places = readers.positions(
        config.get("max_position_embeddings"), config["model_type"], config.get("pad_token_id")
    )
    return readers.Reader(
        lambda texts: [found.ids for found in tokenizer.encode_batch(texts)],
        functools.partial(_run, _encoder(folder, config, asked, device, offline)),
        batch_size,
        min(places, settings.get("model_max_length") or readers.ANY),
        frozenset(ends),
        tokenizer.token_to_id(_token(told, "unk_token")),
    )


def _tokenizer(name: str, folder: str) -> Any:
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.isfile(path):
        raise MissingError(
            f"{name} has no tokenizer.json, which engine=ctranslate2 reads: engine=torch"
        )
    found = need("tokenizers", "models").Tokenizer.from_file(path)
    found.no_truncation()  # what the file says of lengths is for other uses
    found.no_padding()
    return found


def _token(told: Iterable[dict[str, Any]], key: str) -> str:
    """Return a token of the tokenizer from the first that tells it, "" where none does."""
    token = next((one[key] for one in told if one.get(key)), "")
    return token if isinstance(token, str) else token["content"]


def _encoder(folder: str, config: dict[str, Any], layer: int, device: str, offline: bool) -> Any:
    """Return the encoder with so many layers; it is converted once."""
    ctranslate2 = need("ctranslate2", "fast")
    place = ctranslate.place(device)
    key = "n_layers" if config["model_type"] == "distilbert" else "num_hidden_layers"
    with _lower(folder, config, key, layer) as lower:
        return ctranslate2.Encoder(
            ctranslate.converted(folders.Checkpoint(lower, offline)),
            **place,
            compute_type="float32",
        )


@contextmanager
def _lower(folder: str, config: dict[str, Any], key: str, layer: int) -> Iterator[str]:
    """Make a temporary folder with the same weights and fewer layers."""
    if layer == config.get(key):
        yield folder
        return
    with TemporaryDirectory() as lower:
        for file in filter(
            os.path.isfile, (os.path.join(folder, file) for file in os.listdir(folder))
        ):
            if os.path.basename(file) != "config.json":
                os.symlink(os.path.realpath(file), os.path.join(lower, os.path.basename(file)))
        with open(os.path.join(lower, "config.json"), "w", encoding="utf-8") as opened:
            json.dump(config | {key: layer}, opened)
        yield lower


def _run(encoder: Any, rows: list[list[int]]) -> list[Any]:
    """Return the last states of rows of tokens."""
    import ctranslate2
    import numpy

    # (rows, tokens, dim)
    found = encoder.forward_batch(rows).last_hidden_state.to_device(ctranslate2.Device.cpu)
    return [own[: len(row)].copy() for own, row in zip(numpy.array(found), rows, strict=True)]
