"""Loads and keeps models; the only place that knows devices, precision and the hub.

Weights are read from safetensors only, code that a model brings along is run
only where the user allows it, and a folder is read without looking at the hub.
"""

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialtools.errors import MissingError, OptionError, need

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
    config = _load("AutoConfig", name, offline, trust_remote_code)
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
    place = _device(device)
    tokenizer = _tokenizer(name, offline, trust_remote_code)
    tokenizer.padding_side = tokenizer.truncation_side = "left" if kind == "causal" else "right"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model, report = _load(_CLASSES[kind], name, offline, trust_remote_code, use_safetensors=True,
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


def _tokenizer(name: str, offline: bool, trust_remote_code: bool) -> Any:
    tokenizer = _load("AutoTokenizer", name, offline, trust_remote_code)
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):  # what transformers makes up
        raise MissingError(f"{name} has no tokenizer: write it there with save_pretrained()")
    return tokenizer


@functools.lru_cache(maxsize=1)
def encoder(name: str, device: str = "auto", offline: bool = False) -> tuple[Any, Any]:
    """Return a sentence encoder, as (tokenizer, model), ready on its device; the last one is kept."""
    _check_pooling(name)
    tokenizer = _tokenizer(name, offline, False)
    if _load("AutoConfig", name, offline, False).is_encoder_decoder or tokenizer.pad_token is None:
        raise OptionError(f"{name} writes texts: a sentence encoder is a model such as all-MiniLM-L6-v2")
    model, report = _load("AutoModel", name, offline, False, use_safetensors=True, output_loading_info=True)
    lacking = [key for key in report["missing_keys"] if not key.startswith("pooler.")]  # which the mean leaves aside
    if lacking:
        raise MissingError(f"{name} has no weights for {len(lacking)} parts of the model, such as {lacking[0]}")
    return tokenizer, model.to(_device(device)).eval()


def _check_pooling(name: str) -> None:
    """Raise OptionError for a folder of sentence-transformers that says that embeddings are no means."""
    import json

    path = os.path.join(name, "1_Pooling", "config.json")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        if not (said.get("pooling_mode_mean_tokens") or said.get("pooling_mode") == "mean"):
            raise OptionError(f"{name} does not take the mean of its states, which is all that is done here")


def embeddings(name: str, texts: list[str], offline: bool = False) -> list[list[float]]:
    """Return an embedding of length 1 for each text: the mean of the encoder's last states over its tokens.

    A text is cut where the model has no further positions.
    """
    torch = need("torch", "models")
    tokenizer, model = encoder(name, offline=offline)
    batch = tokenizer(texts, padding=True, truncation=True, max_length=positions(tokenizer, model, "encoder"),
                      return_tensors="pt").to(model.device)
    with torch.inference_mode():
        states = model(**batch).last_hidden_state  # (texts, tokens, dim)
    mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)  # (texts, tokens, 1)
    means = (states * mask).sum(1) / mask.sum(1)
    return torch.nn.functional.normalize(means).tolist()


def positions(tokenizer: Any, model: Any, side: str) -> int:
    """Return how many tokens the encoder or the decoder can tell apart by position; sys.maxsize for any number."""
    part = getattr(model.config, side, None) or model.config.get_text_config()
    names = (f"max_{side}_position_embeddings", "max_position_embeddings")
    found = [getattr(part, name) for name in names if isinstance(getattr(part, name, None), int)]
    # Some models keep a few of their positions for padding: only the tokenizer knows.
    return min(found[0], tokenizer.model_max_length) if found else sys.maxsize


def _device(name: str) -> str:
    torch = need("torch", "models")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError):  # the latter where torch was built without CUDA
        raise MissingError(f"no device {name!r} here; --device cpu always works") from None
    return name


def _load(what: str, name: str, offline: bool, trust_remote_code: bool, **options: Any) -> Any:
    """Return what a class of transformers makes of a folder or a hub name; MissingError where it cannot."""
    need("torch", "models")
    transformers = need("transformers", "models")
    _check_folder(name)
    local = offline or os.path.isdir(name)
    failures = (OSError, ValueError, ImportError, RuntimeError, need("safetensors", "models").SafetensorError,
                need("huggingface_hub.errors", "models").StrictDataclassError)
    with hushed(offline=local):
        try:
            return getattr(transformers, what).from_pretrained(
                name, local_files_only=local, trust_remote_code=trust_remote_code, **options)
        except failures as error:
            raise MissingError(_explained(name, offline, str(error))) from error


def _check_folder(name: str) -> None:
    """Raise MissingError for a path that is no model folder; a hub name passes."""
    if os.path.isdir(name):
        files = os.listdir(name)
        if "config.json" not in files:
            raise MissingError(f"{name} is no model folder: there is no config.json in it")
        if not any(file.endswith(".safetensors") for file in files):
            raise MissingError(f"{name} has no weights in safetensors, and no others are read: "
                               "load the model where you trust it and write it with save_pretrained()")
    elif name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise MissingError(f"there is no model folder {name}")


def _explained(name: str, offline: bool, reason: str) -> str:
    shown = " ".join(reason.split())[:300]
    if "trust_remote_code" in reason:
        return f"{name} comes with code of its own: read it, and allow it with --trust-remote-code"
    if os.path.isdir(name):
        return f"cannot load the model in {name}: {shown}"
    if offline:
        return f"the model {name} is not on this machine: leave out --offline, or get it with: hf download {name}"
    return f"cannot get the model {name}: {shown} (is the name right? a folder with the model will do, too)"


@contextmanager
def hushed(offline: bool = False) -> Iterator[None]:
    """Keep transformers and the hub quiet for the length of a block, and off the network if asked to.

    Downloads still show their progress, as they do only on a terminal.
    """
    import logging
    import warnings

    from huggingface_hub import constants
    from huggingface_hub.utils import enable_progress_bars
    from transformers.utils import logging as bars

    loggers = {name: logging.getLogger(name) for name in ("transformers", "huggingface_hub")}
    levels = {name: logger.level for name, logger in loggers.items()}
    shown, cut_off = bars.is_progress_bar_enabled(), constants.HF_HUB_OFFLINE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for logger in loggers.values():
                logger.setLevel(logging.ERROR)
            bars.disable_progress_bar()
            enable_progress_bars()
            constants.HF_HUB_OFFLINE = offline or cut_off
            yield
        finally:
            for name, logger in loggers.items():
                logger.setLevel(levels[name])
            if shown:
                bars.enable_progress_bar()
            constants.HF_HUB_OFFLINE = cut_off
