"""Generation by models of transformers, seq2seq and causal: their options, checked and shown.

generation/ makes inputs and outputs, the engines (models/engine_*.py) run the models.
"""

from typing import Any

from dialtools.inference import writing
from dialtools.inference.cache import Arrived
from dialtools.models import devices, habits, stops, writers
from dialtools.models.decoding import Decoding, Runtime
from dialtools.models.folders import Checkpoint
from dialtools.plugins import options
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
        writer, kind, records, habits.read(decoding, model), runtime, seed, arrived
    )


@options.flat
def settings(
    *, model: str, runtime: Runtime = Runtime(), decoding: Decoding = Decoding(), seed: int = 0
) -> dict:
    """Return the options that change the output, as they take effect."""
    _check(model, runtime, decoding)
    decoding = habits.read(decoding, model)
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
        raise OptionError(f"--exact needs float32, not {runtime.precision}")
    _check_number(decoding)
    stops.texts(decoding.stop)


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
    return "float32" if runtime.exact else devices.precision_of(runtime.precision, runtime.device)
