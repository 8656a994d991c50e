"""Generation by models of transformers, seq2seq and causal: batches, seeds, outputs.

_inputs.py makes the inputs, the engines (models/engine_*.py) run the models.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from dialtools import keyed, options
from dialtools.errors import OptionError, RecordError
from dialtools.generators import _inputs
from dialtools.models import devices, minibatches, stops, writers
from dialtools.models.decoding import Decoding, Runtime
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import Input, Output, Search

SAMPLING = ("temperature", "top_k", "top_p")
# fields that a signature names only if they differ from the default
_PARTS = {"number": "num_return"}  # of the signature that are called otherwise
_UNSAID = ("early_stopping", "renormalize", "repetition_penalty", "min_new_tokens", "stop",
           "truncate", "src_lang", "tgt_lang", "sample")


@options.flat
def generate(kind: str, records: list[dict], *, model: str = "", runtime: Runtime = Runtime(),
             decoding: Decoding = Decoding(), seed: int = 0) -> list[dict]:
    """Return a model's output for each record, and the numbers of tokens read and written.

    kind: "seq2seq" or "causal".
    model: folder or hub name.
    seed: samples depend on it and on the id alone, not on order or batch.
    """
    checkpoint = Checkpoint(model, runtime.offline, runtime.trust_remote_code, runtime.allow_pickle)
    writer = writers.writer(kind, checkpoint, runtime.engine, runtime.device, _precision(runtime))
    most = _inputs.limit(writer, kind, decoding.max_input, decoding.max_new_tokens)
    start, first = _inputs.languages(writer, decoding.src_lang, decoding.tgt_lang)
    if decoding.min_new_tokens is None:
        decoding = decoding._replace(min_new_tokens=writer.settings.min_new_tokens)
    search = Search(decoding, stops.texts(decoding.stop), start if kind == "seq2seq" else None,
                    first, runtime.exact)
    read = _inputs.rows(records, writer, kind, most, decoding.truncate, decoding.src_lang)
    rows = [Input(ids, _seeds(kind, seed, record, decoding.number) if decoding.sample else ())
            for record, (ids, _) in zip(records, read, strict=True)]
    size = 1 if runtime.exact else minibatches.size(writer.config, runtime.batch_size)
    made = _written(rows, lambda some: writer.write(some, search), batch_size=size,
                    batch_tokens=runtime.batch_tokens, whole=runtime.engine == "vllm")
    return [_result(made[row], record, writer.tokenizer, search, facts)
            for record, row, (_, facts) in zip(records, rows, read, strict=True)]


@options.flat
def settings(*, model: str, runtime: Runtime = Runtime(), decoding: Decoding = Decoding(),
             seed: int = 0) -> dict:
    """Return the options that change the output, as they take effect."""
    _check(model, runtime, decoding)
    shown: dict[str, Any] = {"model": model}
    if runtime.engine != "torch":
        shown["engine"] = runtime.engine
    if not runtime.exact and runtime.engine != "vllm":
        shown |= {name: getattr(runtime, name) for name in ("window", "batch_size", "batch_tokens")}
    default = Decoding()
    shown |= {_PARTS.get(name, name): value
              for name, value in decoding._replace(beams=decoding.width)._asdict().items()
              if not (name in _UNSAID and value == getattr(default, name))
              and (decoding.sample or name not in SAMPLING)}
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
        raise OptionError(f"{decoding.width} beams cannot give {decoding.number} outputs: "
                          f"beams={decoding.number}, or sampling")


def _precision(runtime: Runtime) -> str:
    return "float32" if runtime.exact else devices.precision_of(runtime.precision, runtime.device)


def _seeds(kind: str, seed: int, record: dict, number: int) -> tuple[int, ...]:
    return tuple(keyed.rng(seed, kind, record["id"], n + 1).getrandbits(63) for n in range(number))


def _written(rows: list[Input], write: Callable[[list[Input]], list[list[Output]]], *,
             batch_size: int, batch_tokens: int, whole: bool) -> dict[Input, list[Output] | None]:
    """Return the outputs for each distinct input; None if memory runs out for it alone.

    whole: the engine makes its own batches.
    """
    distinct = list(dict.fromkeys(rows))
    if whole:
        return dict(zip(distinct, write(distinct), strict=True))
    made = minibatches.each(distinct, lambda row: len(row.ids),
                            partial(minibatches.halved, work=write), batch_size, batch_tokens)
    return dict(zip(distinct, made, strict=True))


def _result(outputs: list[Output] | None, record: dict, tokenizer: Any, search: Search,
            facts: dict) -> dict:
    """Return the prediction of a record, a list for several outputs, and its facts."""
    if outputs is None:
        raise RecordError(f"not enough memory for this record alone, {facts['input_tokens']} "
                          "tokens: use fewer --beams, a smaller --max-input or another --precision",
                          record)
    texts, lengths, ends = zip(*(_text(output, tokenizer, search.stop) for output in outputs),
                               strict=True)
    facts = {**facts, "unfinished": "length" in ends}
    if len(outputs) == 1:
        return {"prediction": texts[0], **facts, "output_tokens": lengths[0], "finish": ends[0]}
    result = {"prediction": list(texts), **facts, "output_tokens": list(lengths),
              "finish": list(ends)}
    if outputs[0].score is not None:
        result["beam_scores"] = [output.score for output in outputs]
    return result


def _text(output: Output, tokenizer: Any, ends: tuple[str, ...]) -> tuple[str, int, str]:
    """Return the text of an output, its number of tokens, and its end: stop or length."""
    text = tokenizer.decode(output.ids, skip_special_tokens=True)
    end = stops.place(text, ends)
    if end >= 0:
        return text[:end].strip(), _until(output.ids, tokenizer, ends), "stop"
    return text.strip(), len(output.ids), "stop" if output.ended else "length"


def _until(ids: list[int], tokenizer: Any, ends: tuple[str, ...]) -> int:
    """Return the number of tokens up to the first text that ends an output."""
    for length in range(1, len(ids)):
        if stops.place(tokenizer.decode(ids[:length], skip_special_tokens=True), ends) >= 0:
            return length
    return len(ids)
