"""Models that write text."""

import functools
import os
from typing import Any

from dialtools.errors import MissingError, OptionError
from dialtools.models.loading import load, network

_CLASSES = {"seq2seq": "AutoModelForSeq2SeqLM", "causal": "AutoModelForCausalLM"}
_CAUSAL = ("ForCausalLM", "LMHeadModel")  # how architectures with a causal head are called


def short(name: str) -> str:
    """Return a model's name for tables: the last part of its path or hub name.

    >>> short("facebook/bart-large-xsum"), short("runs/7/")
    ('bart-large-xsum', '7')
    """
    return os.path.basename(os.path.abspath(name))


@functools.lru_cache(maxsize=8)
def kind(name: str, offline: bool = False, trust_remote_code: bool = False) -> str:
    """Return "seq2seq" or "causal", as the model's configuration says."""
    config = load("AutoConfig", name, offline, trust_remote_code)
    if config.is_encoder_decoder:
        return "seq2seq"
    built = config.architectures or ["model of unknown architecture"]
    if built[0].endswith(_CAUSAL):
        return "causal"
    raise OptionError(f"{name} is a {built[0]}, which writes no text; if it does, say how: -g seq2seq or -g causal")


@functools.lru_cache(maxsize=1)
def writer(kind: str, name: str, device: str = "auto", precision: str = "float32", offline: bool = False,
           trust_remote_code: bool = False) -> tuple[Any, Any]:
    """Return a model that writes text, as (tokenizer, model), ready on its device; the last one is kept.

    kind: "seq2seq" or "causal"; a causal model is padded, and its input cut, at the beginning.
    device: a device of torch; "auto" is cuda where there is one, else cpu.
    precision: what weights and sums are kept in, a floating point type of torch.
    """
    tokenizer, model = network(_CLASSES[kind], name, device, precision, offline, trust_remote_code)
    tokenizer.padding_side = tokenizer.truncation_side = "left" if kind == "causal" else "right"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise MissingError(f"the tokenizer of {name} has no token for padding, and none for the end")
    return tokenizer, model
