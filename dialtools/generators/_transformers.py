"""What seq2seq and causal share: how a model searches or draws, in which batches, what it wrote.

What a model reads is the business of _inputs.py, how it is run that of its
engine (models/engine_*.py).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from dialtools import keyed
from dialtools.errors import OptionError, RecordError
from dialtools.generators import _inputs
from dialtools.models import devices, minibatches, stops, writers
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import Engine, Output, Precision, Input, Search

LEAST = {"window": 1, "batch_size": 1, "batch_tokens": 1, "beams": 1, "no_repeat_ngram_size": 0, "max_input": 1,
         "max_new_tokens": 1, "min_new_tokens": 0, "num_return": 1, "temperature": 1e-4, "top_k": 0, "top_p": 1e-4,
         "repetition_penalty": 1e-4}
SAMPLING = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}
SILENT = {"device", "offline", "trust_remote_code", "allow_pickle"}  # options that leave the output as it is
BATCHING = {"window", "batch_size", "batch_tokens"}
UNSAID = {"engine": "torch", "early_stopping": False, "renormalize": False, "repetition_penalty": None,
          "min_new_tokens": None, "stop": "", "truncate": None, "src_lang": "", "tgt_lang": "",
          "exact": False}  # what a signature does not say


def generate(kind: str, records: list[dict], *, model: str = "", engine: Engine = "torch", window: int = 64,
             batch_size: int = 8, batch_tokens: int = 8192, beams: int | None = None, no_repeat_ngram_size: int = 3,
             length_penalty: float = 1.0, early_stopping: bool = False, renormalize: bool = False,
             repetition_penalty: float | None = None, max_input: int = 1024, truncate: _inputs.Side | None = None,
             max_new_tokens: int = 128, min_new_tokens: int | None = None, stop: str = "", num_return: int = 1,
             src_lang: str = "", tgt_lang: str = "", sample: bool = False, temperature: float = 1.0, top_k: int = 0,
             top_p: float = 1.0, seed: int = 0, exact: bool = False, precision: Precision = "auto",
             device: str = "auto", offline: bool = False, trust_remote_code: bool = False,
             allow_pickle: bool = False) -> list[dict]:
    """Return what a model writes for each record, and how many tokens it read and wrote.

    kind: "seq2seq" or "causal".
    model: folder or hub name.
    engine: what runs it: torch; ctranslate2, which is faster on a CPU; vllm, for causal models on a GPU.
    window: how many records are handed over at once, to be put into batches by length.
    batch_size, batch_tokens: how many records, and tokens of input with padding, the model reads at once.
    beams: width of the search; None is 4, or 1 with sample.
    no_repeat_ngram_size: no n-gram of so many tokens comes twice in an output; 0 allows all.
    length_penalty: a beam's score is divided by its length to this power; above 0 favours long outputs.
    early_stopping: end a search as soon as as many outputs as beams have ended; else as the model's settings have it.
    renormalize: where tokens are forbidden, let the probabilities of the others sum to 1 in a search.
    repetition_penalty: above 1 makes tokens of the output less likely to come again.
    max_input: tokens that the model reads at most; what it has positions for, if that is less.
    truncate: where longer input is cut, left or right, or error; None is right, and left for a causal model.
    max_new_tokens: tokens after which an output is cut.
    min_new_tokens: tokens that it has at least.
    stop: text before which an output ends, or a JSON list of such texts.
    num_return: outputs for each record; above 1 the prediction is a list, best first or as drawn.
    src_lang, tgt_lang: languages of input and output, as a model for many languages calls them; src_lang is what it
        has for the record's "lang", if it is not named.
    sample: draw each token, by temperature, from the top_k likeliest (0: all) that together
        reach top_p; by seed and id alone, so that neither order nor batch matters.
    exact: read record by record, in float32, with deterministic kernels: no output depends on other records.
    precision: of weights and sums; auto is bfloat16 on a GPU that has it, else float32; int8 is for ctranslate2.
    device: as torch calls it; "auto" is cuda where there is one, else cpu.
    offline: open no socket.
    trust_remote_code: run code that comes with the model.
    allow_pickle: read pickled weights where there are none in safetensors.

    What is not named here is as the checkpoint's own generation settings have it.
    """
    checkpoint = Checkpoint(model, offline, trust_remote_code, allow_pickle)
    writer = writers.writer(kind, checkpoint, engine, device, _precision(exact, precision, device))
    most = _inputs.limit(writer, kind, max_input, max_new_tokens)
    start, first = _inputs.languages(writer, src_lang, tgt_lang)
    least = writer.settings.min_new_tokens if min_new_tokens is None else min_new_tokens
    search = Search(_beams(beams, sample), num_return, max_new_tokens, least, length_penalty,
                    early_stopping or None, renormalize or None, no_repeat_ngram_size, repetition_penalty, sample,
                    temperature, top_k, top_p, stops.texts(stop), start if kind == "seq2seq" else None, first, exact)
    read = _inputs.rows(records, writer, kind, most, truncate, src_lang)
    rows = [Input(ids, _seeds(kind, seed, record, num_return) if sample else ())
            for record, (ids, _) in zip(records, read, strict=True)]
    size = 1 if exact else minibatches.size(writer.config, batch_size)
    made = _written(rows, lambda some: writer.write(some, search), batch_size=size,
                    batch_tokens=batch_tokens, whole=engine == "vllm")
    return [_result(made[row], record, writer.tokenizer, search, facts)
            for record, row, (_, facts) in zip(records, rows, read, strict=True)]


def settings(**options: Any) -> dict:
    """Return the options as they take effect; those are left out that change nothing in the output."""
    options["beams"] = _beams(options["beams"], options["sample"])
    _check(options)
    options["precision"] = _precision(options["exact"], options["precision"], options["device"])
    unused = SILENT if options["sample"] else {*SILENT, *SAMPLING, "sample", "seed"}
    if options["exact"] or options["engine"] == "vllm":
        unused = {*unused, *BATCHING}
    return {name: value for name, value in options.items()
            if name not in unused and not (name in UNSAID and value == UNSAID[name])}


def _check(options: dict) -> None:
    """Raise OptionError for options that are out of range or do not go together."""
    beams, outputs, sample = options["beams"], options["num_return"], options["sample"]
    if not options["model"]:
        raise OptionError("which model? --model PATH, a folder or a hub name")
    for name, least in LEAST.items():
        if options[name] is not None and not options[name] >= least:  # a NaN is not
            raise OptionError(f"{name} is at least {least}, not {options[name]}")
    if options["top_p"] > 1:
        raise OptionError(f"top_p is a probability, not {options['top_p']}")
    if (options["min_new_tokens"] or 0) > options["max_new_tokens"]:
        raise OptionError(f"min_new_tokens={options['min_new_tokens']} is more than max_new_tokens")
    if sample and beams > 1:
        raise OptionError(f"sampling draws one token after the other and has no beams: beams=1, not {beams}")
    if not sample and any(options[name] != value for name, value in SAMPLING.items()):
        raise OptionError(f"{', '.join(SAMPLING)} are for sampling: add --sample (sample=yes)")
    if not sample and outputs > beams:
        raise OptionError(f"{beams} beams do not give {outputs} outputs: beams={outputs}, or sampling")
    if options["exact"] and options["precision"] not in ("auto", "float32"):
        raise OptionError(f"--exact is in float32, not in {options['precision']}")
    stops.texts(options["stop"])


def _beams(beams: int | None, sample: bool) -> int:
    if beams is None:
        return 1 if sample else 4
    return beams


def _precision(exact: bool, precision: str, device: str) -> str:
    return "float32" if exact else devices.precision_of(precision, device)


def _seeds(kind: str, seed: int, record: dict, number: int) -> tuple[int, ...]:
    return tuple(keyed.rng(seed, kind, record["id"], n + 1).getrandbits(63) for n in range(number))


def _written(rows: list[Input], write: Callable[[list[Input]], list[list[Output]]], *, batch_size: int,
             batch_tokens: int, whole: bool) -> dict[Input, list[Output] | None]:
    """Return what is written for each distinct row; None where memory does not even suffice for it alone.

    whole: the engine makes up its batches by itself.
    """
    distinct = list(dict.fromkeys(rows))
    if whole:
        return dict(zip(distinct, write(distinct), strict=True))
    made = minibatches.each(distinct, lambda row: len(row.ids), partial(minibatches.halved, work=write), batch_size,
                            batch_tokens)
    return dict(zip(distinct, made, strict=True))


def _result(outputs: list[Output] | None, record: dict, tokenizer: Any, search: Search, facts: dict) -> dict:
    """Return what comes back for a record: one text, or a list where several were asked for."""
    if outputs is None:
        raise RecordError(f"not enough memory for this record alone, {facts['input_tokens']} tokens: fewer --beams, a "
                          "smaller --max-input or --precision need less", record)
    texts, lengths, ends = zip(*(_told(output, tokenizer, search.stop) for output in outputs), strict=True)
    facts = {**facts, "unfinished": "length" in ends}
    if len(outputs) == 1:
        return {"prediction": texts[0], **facts, "output_tokens": lengths[0], "finish": ends[0]}
    result = {"prediction": list(texts), **facts, "output_tokens": list(lengths), "finish": list(ends)}
    if outputs[0].score is not None:
        result["beam_scores"] = [output.score for output in outputs]
    return result


def _told(output: Output, tokenizer: Any, ends: tuple[str, ...]) -> tuple[str, int, str]:
    """Return the text of an output, its number of tokens, and why it ends: stop, or length."""
    text = tokenizer.decode(output.ids, skip_special_tokens=True)
    end = stops.place(text, ends)
    if end >= 0:
        return text[:end].strip(), _until(output.ids, tokenizer, ends), "stop"
    return text.strip(), len(output.ids), "stop" if output.ended else "length"


def _until(ids: list[int], tokenizer: Any, ends: tuple[str, ...]) -> int:
    """Return how many tokens it takes to write one of the texts that end an output."""
    for length in range(1, len(ids)):
        if stops.place(tokenizer.decode(ids[:length], skip_special_tokens=True), ends) >= 0:
            return length
    return len(ids)
