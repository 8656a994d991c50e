"""Models that write text."""

import functools
import os
from typing import Any

from dialtools.errors import MissingError, OptionError, need
from dialtools.models.loading import device_of, load, tokenizer_of

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
    place = device_of(device)
    tokenizer = tokenizer_of(name, offline, trust_remote_code)
    tokenizer.padding_side = tokenizer.truncation_side = "left" if kind == "causal" else "right"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model, report = load(_CLASSES[kind], name, offline, trust_remote_code, use_safetensors=True,
                         dtype=getattr(need("torch", "models"), precision), output_loading_info=True,
                         ignore_mismatched_sizes=True)
    lacking = sorted(report["missing_keys"]) + [str(key[0]) for key in report["mismatched_keys"]]
    if lacking:  # transformers would fill them at random
        raise MissingError(f"{name} has no weights that fit {len(lacking)} parts of a {kind} model, "
                           f"such as {lacking[0]}")
    known = model.get_input_embeddings().weight.shape[0]
    if tokenizer.pad_token is None or max(tokenizer.get_vocab().values()) >= known:
        raise MissingError(f"the tokenizer of {name} does not fit: it has tokens that the model does not know, or "
                           "none for padding and none for the end")
    return tokenizer, model.to(place).eval()
