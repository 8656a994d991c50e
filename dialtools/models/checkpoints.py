"""Models of transformers from folders and the hub, on their devices: configurations, tokenizers, weights.

Weights are read from safetensors alone, unless the user allows pickled ones;
code that a model brings along is run only where the user allows it, and a
folder is read without looking at the hub.
"""

import functools
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from dialtools.models import folders, minibatches, speakers
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError, need

Precision = Literal["float32", "bfloat16", "float16"]

ANY = sys.maxsize  # positions, of a model without a limit
SETTINGS = "generation_config.json"  # of how a model writes
CLASSES = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
}
# as architectures are called
_KINDS = {"ForCausalLM": "causal", "LMHeadModel": "causal", "ForMaskedLM": "masked"}
# words of a vocab.txt that stand for no text, such as [speaker1]
_SIGN = re.compile(r"\[(?!unused)[^\[\]]+\]")
# models whose positions are counted from after that of padding
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


class Place(NamedTuple):
    """Where a model runs, and how."""

    precision: Precision = "float32"
    device: str = "auto"
    offline: bool = False
    batch_size: int = 16


def device_of(name: str) -> str:
    """Return an existing device; "auto" is cuda if present, else cpu."""
    torch = need("torch", "models")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name).item()  # "meta" takes numbers and gives none
    except (RuntimeError, AssertionError):  # the latter where torch was built without CUDA
        raise MissingError(f"no device {name!r} here; --device cpu always works") from None
    return name


def precision_of(precision: str, device: str) -> str:
    """Return the precision; "auto" is bfloat16 on a GPU that has it, else float32."""
    if precision != "auto":
        return precision
    place = device_of(device)
    if not place.startswith("cuda"):
        return "float32"
    # torch's own is_bf16_supported() also accepts emulation, and checks the first GPU alone.
    major, _ = need("torch", "models").cuda.get_device_capability(place)
    return "bfloat16" if major >= 8 else "float32"


def load(what: str, model: Checkpoint, **options: Any) -> Any:
    """Load a model with a class of transformers. Raise MissingError if that fails.

    For an adapter, load the model that the adapter is for.
    """
    name = model.name
    for folder in (name, folders.base(name)):  # before the libraries, which take seconds
        folders.check_folder(folder)
        # an error where it is no JSON: transformers would do without it
        folders.read_json(folder, SETTINGS)
        if "use_safetensors" in options:
            folders.check_weights(folder, allow_pickle=not options["use_safetensors"])
    need("torch", "models")
    transformers = need("transformers", "models")
    # an adapter may have a tokenizer of its own, and the configuration of its labels
    if what != "AutoTokenizer" and not (
        what == "AutoConfig" and folders.read_json(name, "config.json")
    ):
        name = folders.base(name)
    local = model.offline or os.path.isdir(name)
    with hushed(offline=local):
        try:
            return getattr(transformers, what).from_pretrained(
                name, local_files_only=local, trust_remote_code=model.trust_remote_code, **options
            )
        except MemoryError:
            raise
        except Exception as error:  # the files are foreign, and each library fails in its own way
            raise MissingError(_explained(name, model.offline, str(error))) from error


def _explained(name: str, offline: bool, reason: str) -> str:
    shown = " ".join(reason.partition("Model type should be one of")[0].split())[:300]
    if "trust_remote_code" in reason:
        return f"{name} comes with code of its own: read it, and allow it (trust_remote_code)"
    if "safetensors" in reason and "does not appear to have" in reason:
        return folders.unsafe(name)
    if "Weights only load failed" in reason:
        return f"torch does not read the weights of {name}: the pickle holds more than weights"
    if os.path.isdir(name):
        return f"cannot load the model in {name}: {shown}"
    if offline:
        return (
            f"the model {name} is not on this machine: leave out --offline, or get it with: hf "
            f"download {name}"
        )
    return (
        f"cannot get the model {name}: {shown} (is the name right? a folder with the model "
        "will do, too)"
    )


def architecture(config: Any) -> str:
    """Return the name of a model's class, such as BertForMaskedLM."""
    return (config.architectures or ["model of unknown architecture"])[0]


def kind(config: Any) -> str:
    """Return "causal", "masked" or "seq2seq" by a model's configuration, "" for any other model."""
    if config.is_encoder_decoder:
        return "seq2seq"
    return next((kind for end, kind in _KINDS.items() if architecture(config).endswith(end)), "")


@functools.lru_cache(maxsize=8)
def kind_of(model: Checkpoint) -> tuple[str, str]:
    """Return the kind of a model, as above, and the name of its class."""
    config = load("AutoConfig", model)
    return kind(config), architecture(config)


def tokenizer_of(model: Checkpoint) -> Any:
    """Return a model's tokenizer. Raise MissingError for one that transformers makes up."""
    name = model.name
    if os.path.isdir(name) and not os.path.isfile(os.path.join(name, "tokenizer_config.json")):
        model = model._replace(name=folders.base(name))
    tokenizer = load("AutoTokenizer", model)
    if _is_made_up(tokenizer):  # a GPT-2 of Chinese, such as CDial-GPT, may have a BERT's vocab.txt
        tokenizer = load("BertTokenizer", model)
        signs = [token for token in tokenizer.get_vocab() if _SIGN.fullmatch(token)]
        tokenizer.add_tokens(signs, special_tokens=True)
    if _is_made_up(tokenizer):
        raise MissingError(f"{name} has no tokenizer: write it there with save_pretrained()")
    known = tokenizer.get_vocab()
    lacking = [token for token in getattr(tokenizer, "lang_token_to_id", ()) if token not in known]
    # else M2M-100 would write them into its texts
    tokenizer.add_tokens(lacking, special_tokens=True)
    return tokenizer


def _is_made_up(tokenizer: Any) -> bool:
    return len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens)


def end(tokenizer: Any, settings: Any) -> None:
    """Let a causal model without a token for the end of a text end with what separates texts.

    So it is where a GPT-2 has the tokenizer of a BERT: [SEP].  Settings with a token that the
    tokenizer does not have, such as the 50256 of another GPT-2, have none.
    """
    tokenizer.eos_token = tokenizer.eos_token or tokenizer.sep_token
    ends = settings.eos_token_id
    if max(ends if isinstance(ends, list) else [ends or 0]) >= len(tokenizer):
        settings.eos_token_id = None
    if settings.eos_token_id is None:
        settings.eos_token_id = tokenizer.eos_token_id


def network(
    what: str,
    checkpoint: Checkpoint,
    device: str,
    precision: str,
    spare: str | tuple[str, ...] = "",
    **changes: Any,
) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a class of transformers, on its device. Raise MissingError for
    missing weights.

    precision: floating point type of torch for weights and sums.
    spare: prefixes of weights that may be missing.
    changes: changes of the configuration.

    An adapter of peft is merged into its model.
    """
    name, device = checkpoint.name, device_of(device)
    tokenizer = tokenizer_of(checkpoint)
    model, report = load(
        what,
        checkpoint,
        use_safetensors=not checkpoint.allow_pickle or None,
        dtype=getattr(need("torch", "models"), precision),
        output_loading_info=True,
        ignore_mismatched_sizes=True,
        **changes,
    )
    lacking = [
        key for key in sorted(report["missing_keys"]) if not (spare and key.startswith(spare))
    ]
    lacking += [str(key[0]) for key in report["mismatched_keys"]]
    if lacking:  # transformers would fill them at random
        raise MissingError(
            f"{name} has no weights that fit {len(lacking)} parts of a "
            f"{what.removeprefix('AutoModelFor')} model, such as {lacking[0]}"
        )
    adapter = folders.read_json(name, folders.ADAPTER) or {}
    rows = model.get_input_embeddings().weight.shape[0]
    if adapter.get("trainable_token_indices") and rows < len(tokenizer):
        with hushed(offline=True):  # the adapter has what these tokens are
            rows = len(model.resize_token_embeddings(len(tokenizer), mean_resizing=False).weight)
    if max(tokenizer.get_vocab().values()) >= rows:
        raise MissingError(
            f"the tokenizer of {name} does not fit: it has tokens that the model does not know"
        )
    if getattr(model, "generation_config", None):
        _settle(model.generation_config)
        if what == CLASSES["causal"]:
            end(tokenizer, model.generation_config)
            speakers.mark_turns(model, tokenizer)

    # else a BigBird would switch to full attention at the first short text
    part = next((part for part in model.modules() if hasattr(part, "set_attention_type")), None)
    if part is not None:
        kind = part.attention_type
        part.register_forward_pre_hook(lambda part, inputs: part.set_attention_type(kind))

    if speakers.has(model):
        speakers.restore(model, folders.located(checkpoint._replace(name=folders.base(name))))
    return tokenizer, _adapted(model, name).to(device).eval()


def generation_settings(checkpoint: Checkpoint, config: Any, tokenizer: Any) -> Any:
    """Return a model's own generation settings, or those in its configuration."""
    transformers, model = need("transformers", "models"), folders.base(checkpoint.name)
    local = checkpoint.offline or os.path.isdir(model)
    with hushed(offline=local):
        try:
            settings = transformers.GenerationConfig.from_pretrained(model, local_files_only=local)
        except OSError:
            settings = transformers.GenerationConfig.from_model_config(config)
    _settle(settings)
    if kind(config) == "causal":
        end(tokenizer, settings)
    return settings


def _settle(settings: Any) -> None:
    """Treat empty generation settings as missing: an empty list of tokens is no setting."""
    for name, value in vars(settings).items():
        if value in ([], {}):
            setattr(settings, name, None)


def _adapted(model: Any, name: str) -> Any:
    """Return a model with the adapter in the folder `name`, if it holds one, merged into it."""
    import warnings

    if folders.base(name) == name:
        return model
    peft = need("peft", "models")
    if speakers.PART in (folders.read_json(name, folders.ADAPTER).get("modules_to_save") or ()):
        speakers.add(model)
    with hushed(offline=True), warnings.catch_warnings():
        # it would fill them at random
        warnings.filterwarnings("error", message=".*missing adapter keys")
        try:
            return peft.PeftModel.from_pretrained(model, name).merge_and_unload()
        except (OSError, ValueError, KeyError, RuntimeError, UserWarning) as error:
            raise MissingError(
                f"the adapter in {name} does not fit {folders.base(name)}: "
                f"{' '.join(str(error).split())[:300]}"
            ) from error


def positions(tokenizer: Any, config: Any, side: str) -> int:
    """Return the number of positions of the encoder or the decoder, ANY if unlimited."""
    part = getattr(config, side, None) or config.get_text_config()
    places = getattr(part, f"max_{side}_position_embeddings", None) or getattr(
        part, "max_position_embeddings", None
    )
    limit = positions_of_texts(places, part.model_type, getattr(part, "pad_token_id", None))
    return limit if limit == ANY else min(limit, tokenizer.model_max_length)


def positions_of_texts(places: Any, model_type: str | None, pad: int | None) -> int:
    """Return the number of positions for tokens of a text, ANY if unlimited.

    places: the number in the configuration; -1 for XLNet, which has no limit.

    >>> positions_of_texts(514, "roberta", 1), positions_of_texts(512, "bert", 0)
    (512, 512)
    >>> positions_of_texts(-1, "xlnet", 5) == ANY
    True
    """
    if not isinstance(places, int) or places < 1:
        return ANY
    return places - (pad or 0) - 1 if model_type in _SHIFTED else places


@contextmanager
def inference(gradients: bool = False) -> Iterator[None]:
    """Run models quietly, without gradients unless asked. Raise MissingError if memory runs out."""
    torch = need("torch", "models")
    try:
        with torch.enable_grad() if gradients else torch.inference_mode(), hushed():
            yield
    except (RuntimeError, MemoryError) as error:
        if not minibatches.out_of_memory(error):
            raise
        raise MissingError(
            "not enough memory on the device: use a smaller --batch-size, or bfloat16 as the precision"
        ) from None


@contextmanager
def hushed(offline: bool = False) -> Iterator[None]:
    """Silence transformers, vLLM and the hub within a block, and stay off the network if offline.

    Downloads still show their progress, on a terminal only.
    """
    import logging
    import warnings

    from huggingface_hub import constants
    from huggingface_hub.utils import enable_progress_bars
    from transformers.utils import logging as bars

    loggers = {
        name: logging.getLogger(name) for name in ("transformers", "huggingface_hub", "vllm")
    }
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
