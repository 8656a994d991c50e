"""Models of transformers, from folders and the hub: configurations, tokenizers, weights; and their messages.

Weights are read from safetensors alone, unless the user allows pickled ones;
code that a model brings along is run only where the user allows it, and a
folder is read without looking at the hub.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialtools.errors import MissingError, need
from dialtools.models import devices, folders, minibatches, readers
from dialtools.models.folders import Checkpoint

SETTINGS = "generation_config.json"  # of how a model writes
CLASSES = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM", "seq2seq": "AutoModelForSeq2SeqLM"}
_KINDS = {"ForCausalLM": "causal", "LMHeadModel": "causal", "ForMaskedLM": "masked"}  # as architectures are called


def load(what: str, model: Checkpoint, **options: Any) -> Any:
    """Return what a class of transformers makes of a model; MissingError where it cannot.

    Of an adapter: what it makes of the model that the adapter is for.
    """
    from pickle import UnpicklingError

    name = model.name
    for folder in (name, folders.base(name)):  # before the libraries, which take seconds
        folders.check_folder(folder)
        folders.said(folder, SETTINGS)  # an error where it is no JSON: transformers would do without it
        if "use_safetensors" in options:
            folders.check_weights(folder, allow_pickle=not options["use_safetensors"])
    need("torch", "models")
    transformers = need("transformers", "models")
    if what != "AutoTokenizer":  # an adapter may have one of its own
        name = folders.base(name)
    local = model.offline or os.path.isdir(name)
    # TypeError and AttributeError are how transformers 4 takes a folder without a tokenizer, or one that 5 has written,
    # AssertionError is how torch takes padding beyond the embeddings.
    failures = (OSError, ValueError, ImportError, RuntimeError, EOFError, TypeError, AttributeError, AssertionError,
                UnpicklingError, need("safetensors", "models").SafetensorError,
                need("huggingface_hub.errors", "models").StrictDataclassError)
    with hushed(offline=local):
        try:
            return getattr(transformers, what).from_pretrained(
                name, local_files_only=local, trust_remote_code=model.trust_remote_code, **options)
        except failures as error:
            raise MissingError(_explained(name, model.offline, str(error))) from error


def architecture(config: Any) -> str:
    """Return what a model's configuration calls its class, such as BertForMaskedLM."""
    return (config.architectures or ["model of unknown architecture"])[0]


def kind(config: Any) -> str:
    """Return "causal", "masked" or "seq2seq", as a model's configuration says; "" for any other model."""
    if config.is_encoder_decoder:
        return "seq2seq"
    return next((kind for end, kind in _KINDS.items() if architecture(config).endswith(end)), "")


def tokenizer_of(model: Checkpoint) -> Any:
    """Return a tokenizer of a model; MissingError for one that transformers makes up."""
    name = model.name
    own = not os.path.isdir(name) or os.path.isfile(os.path.join(name, "tokenizer_config.json"))
    tokenizer = load("AutoTokenizer", model if own else model._replace(name=folders.base(name)))
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):  # what transformers makes up
        raise MissingError(f"{name} has no tokenizer: write it there with save_pretrained()")
    known = tokenizer.get_vocab()
    lacking = [token for token in getattr(tokenizer, "lang_token_to_id", ()) if token not in known]
    tokenizer.add_tokens(lacking, special_tokens=True)  # else M2M-100 would write them into its texts
    return tokenizer


def network(what: str, checkpoint: Checkpoint, device: str, precision: str, spare: str = "",
            **changes: Any) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a class of transformers, on its device; MissingError where weights are lacking.

    precision: what weights and sums are kept in, a floating point type of torch.
    spare: how the names of weights begin that may be lacking.
    changes: of its configuration.

    An adapter of peft is merged into its model.
    """
    name, place, tokenizer = checkpoint.name, devices.device_of(device), tokenizer_of(checkpoint)
    model, report = load(what, checkpoint, use_safetensors=not checkpoint.allow_pickle or None,
                         dtype=getattr(need("torch", "models"), precision), output_loading_info=True,
                         ignore_mismatched_sizes=True, **changes)
    lacking = [key for key in sorted(report["missing_keys"]) if not (spare and key.startswith(spare))]
    lacking += [str(key[0]) for key in report["mismatched_keys"]]
    if lacking:  # transformers would fill them at random
        raise MissingError(f"{name} has no weights that fit {len(lacking)} parts of a "
                           f"{what.removeprefix('AutoModelFor')} model, such as {lacking[0]}")
    if max(tokenizer.get_vocab().values()) >= model.get_input_embeddings().weight.shape[0]:
        raise MissingError(f"the tokenizer of {name} does not fit: it has tokens that the model does not know")
    if getattr(model, "generation_config", None):
        _settle(model.generation_config)
    _remind(model)
    return tokenizer, _adapted(model, name).to(place).eval()


def _remind(model: Any) -> None:
    """Let a BigBird read each text by itself: one that is short would switch it to full attention for good."""
    part = next((part for part in model.modules() if hasattr(part, "set_attention_type")), None)
    if part is not None:
        kind = part.attention_type
        part.register_forward_pre_hook(lambda part, given: part.set_attention_type(kind))


def generation_settings(checkpoint: Checkpoint, config: Any) -> Any:
    """Return the generation settings that come with a model, or those in its configuration."""
    transformers, model = need("transformers", "models"), folders.base(checkpoint.name)
    local = checkpoint.offline or os.path.isdir(model)
    with hushed(offline=local):
        try:
            return _settle(transformers.GenerationConfig.from_pretrained(model, local_files_only=local))
        except OSError:
            return _settle(transformers.GenerationConfig.from_model_config(config))


def _settle(settings: Any) -> Any:
    """Let what is empty in generation settings be as if it were not there: a list of no tokens is no setting."""
    for name, value in vars(settings).items():
        if value in ([], {}):
            setattr(settings, name, None)
    return settings


def _adapted(model: Any, name: str) -> Any:
    """Return a model with the adapter in the folder `name` merged into it, if that is what is in there."""
    import warnings

    if folders.base(name) == name:
        return model
    peft = need("peft", "models")
    with hushed(offline=True), warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*missing adapter keys")  # it would fill them at random
        try:
            return peft.PeftModel.from_pretrained(model, name).merge_and_unload()
        except (OSError, ValueError, KeyError, RuntimeError, UserWarning) as error:
            raise MissingError(f"the adapter in {name} does not fit {folders.base(name)}: "
                               f"{' '.join(str(error).split())[:300]}") from error


def positions(tokenizer: Any, config: Any, side: str) -> int:
    """Return how many tokens the encoder or the decoder can tell apart by position; readers.ANY for any number."""
    part = getattr(config, side, None) or config.get_text_config()
    places = getattr(part, f"max_{side}_position_embeddings", None) or getattr(part, "max_position_embeddings", None)
    found = readers.positions(places, part.model_type, getattr(part, "pad_token_id", None))
    return found if found == readers.ANY else min(found, tokenizer.model_max_length)


def _explained(name: str, offline: bool, reason: str) -> str:
    shown = " ".join(reason.partition("Model type should be one of")[0].split())[:300]
    if "trust_remote_code" in reason:
        return f"{name} comes with code of its own: read it, and allow it with --trust-remote-code"
    if "safetensors" in reason and "does not appear to have" in reason:
        return folders.unsafe(name)
    if "Weights only load failed" in reason:
        return f"torch does not read the weights of {name}: the pickle holds more than weights"
    if os.path.isdir(name):
        return f"cannot load the model in {name}: {shown}"
    if offline:
        return f"the model {name} is not on this machine: leave out --offline, or get it with: hf download {name}"
    return f"cannot get the model {name}: {shown} (is the name right? a folder with the model will do, too)"


@contextmanager
def inference() -> Iterator[None]:
    """Let models run for their results alone, and quietly; MissingError where memory does not suffice."""
    torch = need("torch", "models")
    try:
        with torch.inference_mode(), hushed():
            yield
    except (RuntimeError, MemoryError) as error:
        if not minibatches.out_of_memory(error):
            raise
        raise MissingError("the device has not enough memory: a smaller --batch-size or --precision bfloat16 "
                           "needs less") from None


@contextmanager
def hushed(offline: bool = False) -> Iterator[None]:
    """Keep transformers, vLLM and the hub quiet for the length of a block, and off the network if asked to.

    Downloads still show their progress, as they do only on a terminal.
    """
    import logging
    import warnings

    from huggingface_hub import constants
    from huggingface_hub.utils import enable_progress_bars
    from transformers.utils import logging as bars

    loggers = {name: logging.getLogger(name) for name in ("transformers", "huggingface_hub", "vllm")}
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
