"""Models of transformers by folder or hub name: sequence-to-sequence, and causal language models.

A seq2seq model (BART, T5, Pegasus, …) reads the record's "context", if any, a newline, and the
dialogue as "Name: text" lines, or else the "text".  Input that is too long loses its end.  Defaults
are those of Jia et al. 2023 (Reducing Sensitivity on Speaker Names): 4 beams, no trigram twice,
length penalty 1, 1024 tokens of input.

A causal model (GPT-2, Llama, …) continues the same and a newline; only the continuation is the
prediction.  Input that is too long loses its beginning: together with max_new_tokens it must fit
into the model's positions.  no_repeat_ngram_size counts the output alone: names and phrases of the
prompt may recur (transformers counts the prompt).

Both search by beams, or sample; the checkpoint's own generation settings give whatever no option
names.  inference/ makes inputs and outputs, the engines (models/engine_*.py) run the models.
"""

from functools import partial
from typing import Any

from dialtools.inference import writing
from dialtools.inference.cache import Arrived
from dialtools.models import checkpoints, folders, writers
from dialtools.models.decoding import Decoding, Runtime
from dialtools.models.folders import Checkpoint
from dialtools.plugins import options
from dialtools.plugins.generator import Generator
from dialtools.system.errors import OptionError

SAMPLING = ("temperature", "top_k", "top_p")
# fields that a signature names only if they differ from the default
_PARTS = {"number": "num_return"}  # of the signature that are called otherwise
_UNSAID = (
    "stop_at_beams",
    "renormalize",
    "repetition_penalty",
    "min_new_tokens",
    "stop",
    "truncate",
    "src_lang",
    "tgt_lang",
    "sample",
    "logprobs",
)


@options.flat
def generate(
    kind: str,
    records: list[dict],
    *,
    model: str = "",
    runtime: Runtime = Runtime(),
    decoding: Decoding = Decoding(),
    seed: int = 0,
    arrived: Arrived | None = None,
) -> list[dict]:
    """Return a model's output for each record, and the numbers of tokens read and written.

    kind: "seq2seq" or "causal".
    model: folder or hub name.
    seed: samples depend on it and on the id alone, not on order or batch.
    arrived: gets the outputs of each batch by their places among the records.
    """
    checkpoint = Checkpoint(model, runtime.offline, runtime.trust_remote_code, runtime.allow_pickle)
    writer = writers.writer(kind, checkpoint, runtime.engine, runtime.device, _precision(runtime))
    return writing.outputs(
        writer, kind, records, folders.with_habits(decoding, model), runtime, seed, arrived
    )


@options.flat
def settings(
    *, model: str, runtime: Runtime = Runtime(), decoding: Decoding = Decoding(), seed: int = 0
) -> dict:
    """Return the options that change the output, as they take effect."""
    _check(model, runtime, decoding)
    decoding = folders.with_habits(decoding, model)
    shown: dict[str, Any] = {"model": model}
    if runtime.engine != "torch":
        shown["engine"] = runtime.engine
    if not runtime.exact and runtime.engine != "vllm":
        shown |= {name: getattr(runtime, name) for name in ("window", "batch_size", "batch_tokens")}
    default = Decoding()
    shown |= {
        _PARTS.get(name, name): value
        for name, value in decoding._replace(beams=decoding.width)._asdict().items()
        if not (name in _UNSAID and value == getattr(default, name))
        and (decoding.sample or name not in SAMPLING)
    }
    if decoding.sample:
        shown["seed"] = seed
    if runtime.exact:
        shown["exact"] = True
    return {**shown, "precision": _precision(runtime)}


def _check(model: str, runtime: Runtime, decoding: Decoding) -> None:
    """Raise OptionError for options that are out of range or exclude each other."""
    if not model:
        raise OptionError("No model given: use --model PATH, a folder or a hub name.")
    options.check(runtime, decoding)
    if not decoding.temperature >= 1e-4:
        raise OptionError(f"temperature is at least 0.0001, not {decoding.temperature}")
    if decoding.top_p > 1:
        raise OptionError(f"top_p is a probability, not {decoding.top_p}")
    if (decoding.min_new_tokens or 0) > decoding.max_new_tokens:
        raise OptionError(f"min_new_tokens={decoding.min_new_tokens} is more than max_new_tokens")
    if runtime.exact and runtime.precision not in ("auto", "float32"):
        raise OptionError(f"exact=yes needs float32, not {runtime.precision}")
    _check_number(decoding)
    writers.stop_texts(decoding.stop)


def _check_number(decoding: Decoding) -> None:
    """Raise OptionError for beams and outputs that do not fit a search or sampling."""
    if decoding.sample:
        if decoding.width > 1:
            raise OptionError(f"sampling has no beams: beams=1, not {decoding.width}")
    elif options.changed(decoding).keys() & {*SAMPLING}:
        raise OptionError(f"{', '.join(SAMPLING)} are for sampling: add --sample (sample=yes)")
    elif decoding.number > decoding.width:
        raise OptionError(
            f"{decoding.width} beams cannot give {decoding.number} outputs: "
            f"beams={decoding.number}, or sampling"
        )


def _precision(runtime: Runtime) -> str:
    return (
        "float32" if runtime.exact else checkpoints.precision_of(runtime.precision, runtime.device)
    )


seq2seq = Generator(
    partial(generate, "seq2seq"),
    settings=settings,
    summary="A sequence-to-sequence model of transformers (BART, T5, Pegasus, …), by folder or hub name.",
)
causal = Generator(
    partial(generate, "causal"),
    settings=settings,
    summary="A causal language model of transformers (GPT-2, Llama, …), by folder or hub name.",
)
