"""Encoders as engines offer them: how they read, their layers and positions."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from dialtools.system.errors import OptionError

ANY = sys.maxsize  # tokens, for a model without positions

Engine = Literal["torch", "ctranslate2"]
Precision = Literal["float32", "bfloat16", "float16"]
# count from after padding
_SHIFTED = (
    "camembert",
    "data2vec-text",
    "ibert",
    "lilt",
    "longformer",
    "luke",
    "mpnet",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
)


class Reader(NamedTuple):
    """An encoder run by an engine."""

    tokenize: Callable[[list[str]], list[list[int]]]  # with the tokens that belong around a text
    # rows of ids -> states, (tokens, dim) each, of numpy
    run: Callable[[list[list[int]]], list[Any]]
    size: int  # rows at once
    limit: int  # tokens that it has positions for
    ends: frozenset[int]  # its [CLS] and [SEP]
    unknown: int | None


def layer_of(name: str, config: Mapping[str, Any], layer: int | None) -> int:
    """Return the layer to take states from. Raise OptionError for a missing one, or no encoder."""
    built = (config.get("architectures") or [""])[0]
    if (
        config.get("is_encoder_decoder")
        or config.get("is_decoder")
        or built.endswith(("ForCausalLM", "LMHeadModel"))
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


def positions(places: Any, model_type: str | None, pad: int | None) -> int:
    """Return the number of positions for tokens of a text, ANY if unlimited.

    places: the number in the configuration; -1 for XLNet, which has no limit.

    >>> positions(514, "roberta", 1), positions(512, "bert", 0), positions(-1, "xlnet", 5) == ANY
    (512, 512, True)
    """
    if not isinstance(places, int) or places < 1:
        return ANY
    return places - (pad or 0) - 1 if model_type in _SHIFTED else places
