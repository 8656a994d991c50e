"""Encoders as engines run them: torch, or ctranslate2 with the library tokenizers.

The latter is ready before transformers would be.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from dialtools.models import checkpoints, ctranslate, folders, minibatches
from dialtools.models.checkpoints import ANY, Place
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError, OptionError, need

Engine = Literal["torch", "ctranslate2"]

# encoders that ctranslate2 can take
KINDS = ("bert", "distilbert", "roberta", "xlm-roberta", "camembert")
# classes of tokenizers that give no meaning to tokens
_PLAIN = ("PreTrainedTokenizerFast", "TokenizersBackend", None)
# what a configuration has one value of for each layer
_OF_LAYERS = ("attention_window", "layer_types")


class Reader(NamedTuple):
    """An encoder run by an engine."""

    tokenize: Callable[[list[str]], list[list[int]]]  # with the tokens that belong around a text
    # rows of ids -> states, (tokens, dim) each, of numpy
    run: Callable[[list[list[int]]], list[Any]]
    size: int  # rows at once
    limit: int  # tokens that it has positions for
    ends: frozenset[int]  # its [CLS] and [SEP]
    unknown: int | None


def torch(name: str, place: Place, layer: int | None) -> Reader:
    """Return an encoder run by torch."""
    checkpoint = Checkpoint(name, place.offline)
    config = checkpoints.load("AutoConfig", checkpoint)
    values = config.to_dict()
    layer = layer_of(name, values | {"num_hidden_layers": config.num_hidden_layers}, layer)
    fewer: dict[str, Any] = {}
    if layer < config.num_hidden_layers:
        fewer["num_hidden_layers"] = max(layer, 1)  # not every model can do without any layer
        for key in _OF_LAYERS:
            if isinstance(values.get(key), list):
                fewer[key] = values[key][: max(layer, 1)]
    tokenizer, model = checkpoints.network(
        "AutoModel", checkpoint, place.device, place.precision, spare="pooler.", **fewer
    )
    pads = (tokenizer.pad_token_id, config.pad_token_id)
    pad = next((pad for pad in pads if pad is not None), None)
    if pad is None:
        raise MissingError(f"the tokenizer of {name} has no token for padding")
    positions = checkpoints.positions(tokenizer, model.config, "encoder")
    ends = {tokenizer.cls_token_id, tokenizer.sep_token_id} - {None}

    def run(rows: list[list[int]]) -> list[Any]:
        """Return the states of rows of tokens, the last ones, or those before any layer."""
        ids, mask = minibatches.padded(rows, model.device, pad)
        with checkpoints.inference():
            outputs = model(ids, attention_mask=mask, output_hidden_states=not layer)
        states = outputs.last_hidden_state if layer else outputs.hidden_states[0]
        matrices = states.float().cpu().numpy()  # (rows, tokens, dim)
        return [matrix[: len(row)].copy() for matrix, row in zip(matrices, rows, strict=True)]

    return Reader(
        lambda texts: tokenizer(texts, verbose=False)["input_ids"],
        run,
        minibatches.size(config, place.batch_size),
        min(positions, tokenizer.model_max_length),
        frozenset(ends),
        tokenizer.unk_token_id,
    )


def layer_of(name: str, config: Mapping[str, Any], layer: int | None) -> int:
    """Return the layer to take states from. Raise OptionError for a missing one, or no encoder."""
    architectures = config.get("architectures")
    first = architectures[0] if isinstance(architectures, list) and architectures else ""
    if (
        config.get("is_encoder_decoder")
        or config.get("is_decoder")
        or str(first).endswith(("ForCausalLM", "LMHeadModel"))
    ):
        raise OptionError(
            f"{name} writes texts: an encoder is a model such as roberta-large or all-MiniLM-L6-v2"
        )
    layers = number_of_layers(config)
    if layer is not None and not 0 <= layer <= layers:
        raise OptionError(f"{name} has {layers} layers: layer is 0 to {layers}, not {layer}")
    return layers if layer is None else layer


def number_of_layers(config: Mapping[str, Any]) -> int:
    """Return the number of layers that a configuration names, or 0."""
    return config.get("num_hidden_layers") or config.get("n_layers") or config.get("n_layer") or 0


def ctranslate2(name: str, place: Place, layer: int | None) -> Reader:
    """Return an encoder run by ctranslate2. Raise OptionError for one that it cannot run."""
    folder = folders.located(Checkpoint(name, place.offline))
    config = folders.read_json(folder, "config.json") or {}
    layer = layer_of(name, config, layer)
    if config.get("model_type") not in KINDS or place.precision != "float32":
        raise OptionError(
            f"engine=ctranslate2 is for {', '.join(KINDS)} in float32, not for "
            f"{config.get('model_type')} in {place.precision}: engine=torch"
        )
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.isfile(path):
        raise MissingError(
            f"{name} has no tokenizer.json, which engine=ctranslate2 reads: engine=torch"
        )
    tokenizer = need("tokenizers", "models").Tokenizer.from_file(path)
    tokenizer.no_truncation()  # what the file says of lengths is for other uses
    tokenizer.no_padding()

    settings = folders.read_json(folder, "tokenizer_config.json") or {}
    maps = settings, folders.read_json(folder, "special_tokens_map.json") or {}

    def special(key: str) -> int | None:
        """Return a token by the first file that tells it."""
        token = next((tokens[key] for tokens in maps if tokens.get(key)), "")
        return tokenizer.token_to_id(token if isinstance(token, str) else token["content"])

    ends: set[Any] = {special("cls_token"), special("sep_token")} - {None}
    if not ends and settings.get("tokenizer_class") not in _PLAIN:
        ends = set(tokenizer.encode("").ids)
    library = need("ctranslate2", "fast")
    device = ctranslate.place(place.device)
    with _with_layers(folder, config, layer) as lower:
        converted = ctranslate.converted(Checkpoint(lower, place.offline))
        model = library.Encoder(converted, **device, compute_type="float32")

    def run(rows: list[list[int]]) -> list[Any]:
        """Return the last states of rows of tokens."""
        import numpy

        states = model.forward_batch(rows).last_hidden_state.to_device(library.Device.cpu)
        matrices = numpy.array(states)  # (rows, tokens, dim)
        return [matrix[: len(row)].copy() for matrix, row in zip(matrices, rows, strict=True)]

    limit = checkpoints.positions_of_texts(
        config.get("max_position_embeddings"), config["model_type"], config.get("pad_token_id")
    )
    return Reader(
        lambda texts: [encoding.ids for encoding in tokenizer.encode_batch(texts)],
        run,
        place.batch_size,
        min(limit, settings.get("model_max_length") or ANY),
        frozenset(ends),
        special("unk_token"),
    )


@contextmanager
def _with_layers(folder: str, config: dict[str, Any], layers: int) -> Iterator[str]:
    """Make a temporary folder with the same weights and fewer layers; none if there are so many."""
    key = "n_layers" if config["model_type"] == "distilbert" else "num_hidden_layers"
    if layers == config.get(key):
        yield folder
        return
    with TemporaryDirectory() as lower:
        for entry in os.scandir(folder):
            if entry.is_file() and entry.name != "config.json":
                os.symlink(os.path.realpath(entry.path), os.path.join(lower, entry.name))
        with open(os.path.join(lower, "config.json"), "w", encoding="utf-8") as opened:
            json.dump(config | {key: layers}, opened)
        yield lower
