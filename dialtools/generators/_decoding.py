"""What seq2seq and causal share: what a model reads, how it searches or draws, what it wrote.

A model reads the record's "prompt", where the command made one, after its
"system_prompt"; else the "context", if there is one, a newline, and the
dialogue as "Name: text" lines, or else the "text".
"""

from collections.abc import Callable
from typing import Any, Literal

from dialtools import keyed, prompts
from dialtools.errors import MissingError, OptionError
from dialtools.models import loading, writers

LEAST = {"batch_size": 1, "beams": 1, "no_repeat_ngram_size": 0, "max_input": 1, "max_new_tokens": 1, "num_return": 1,
         "temperature": 1e-4, "top_k": 0, "top_p": 1e-4}
SAMPLING = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}
SILENT = {"device", "offline", "trust_remote_code"}  # options that leave the output as it is
Precision = Literal["float32", "bfloat16", "float16"]


def generate(kind: str, records: list[dict], *, model: str = "", batch_size: int = 8, beams: int | None = None,
             no_repeat_ngram_size: int = 3, length_penalty: float = 1.0, max_input: int = 1024,
             max_new_tokens: int = 128, num_return: int = 1, sample: bool = False, temperature: float = 1.0,
             top_k: int = 0, top_p: float = 1.0, seed: int = 0, precision: Precision = "float32",
             device: str = "auto", offline: bool = False, trust_remote_code: bool = False) -> list[dict]:
    """Return what a model writes for each record, and how many tokens it read and wrote.

    kind: "seq2seq" or "causal".
    model: folder or hub name.
    batch_size: how many records the model reads at once, in the order of the records.
    beams: width of the search; None is 4, or 1 with sample.
    no_repeat_ngram_size: no n-gram of so many tokens comes twice in an output; 0 allows all.
    length_penalty: a beam's score is divided by its length to this power; above 0 favours long outputs.
    max_input: tokens after which the input is cut; what the model has positions for, if that is less.
    max_new_tokens: tokens after which an output is cut.
    num_return: outputs for each record; above 1 the prediction is a list, best first or as drawn.
    sample: draw each token, by temperature, from the top_k likeliest (0: all) that together
        reach top_p; by seed and id alone, so that neither order nor batch matters.
    precision: of weights and sums.
    device: as torch calls it; "auto" is cuda where there is one, else cpu.
    offline: open no socket.
    trust_remote_code: run code that comes with the model.

    What is not named here is as the checkpoint's own generation settings have it.
    """
    tokenizer, network = writers.writer(kind, model, device, precision, offline, trust_remote_code)
    limit = _limit(tokenizer, network, kind, max_input, max_new_tokens)
    search = {"num_beams": _beams(beams, sample), "num_return_sequences": 1 if sample else num_return,
              "length_penalty": length_penalty, "max_new_tokens": max_new_tokens, "do_sample": False,
              "no_repeat_ngram_size": 0, "pad_token_id": tokenizer.pad_token_id}
    made: list[dict] = []
    for at in range(0, len(records), batch_size):
        window = records[at:at + batch_size]
        inputs, facts = _encoded(tokenizer, [prompt(record, kind) for record in window], limit)
        prefix = inputs["input_ids"].shape[1] if kind == "causal" else 1  # a decoder is given its first token
        steps = _without_repeats(no_repeat_ngram_size, prefix if kind == "causal" else 0)
        if sample:
            inputs = {name: ids.repeat_interleave(num_return, dim=0) for name, ids in inputs.items()}
            rngs = [keyed.rng(seed, kind, record["id"], n + 1) for record in window for n in range(num_return)]
            steps += _draws(temperature, top_k, top_p, [rng.getrandbits(63) for rng in rngs])
        rows = _run(network, inputs, steps, search)[:, prefix:].tolist()
        outputs = [_output(row, tokenizer, network, max_new_tokens) for row in rows]
        made += [_result(outputs[i * num_return:(i + 1) * num_return], fact) for i, fact in enumerate(facts)]
    return made


def settings(**options: Any) -> dict:
    """Return the options as they take effect; those are left out that change nothing in the output."""
    options["beams"] = _beams(options["beams"], options["sample"])
    _check(options)
    unused = SILENT if options["sample"] else {*SILENT, *SAMPLING, "sample", "seed"}
    return {name: value for name, value in options.items() if name not in unused}


def _check(options: dict) -> None:
    """Raise OptionError for options that are out of range or do not go together."""
    beams, outputs, sample = options["beams"], options["num_return"], options["sample"]
    if not options["model"]:
        raise OptionError("which model? --model PATH, a folder or a hub name")
    for name, least in LEAST.items():
        if not options[name] >= least:  # a NaN is not
            raise OptionError(f"{name} is at least {least}, not {options[name]}")
    if options["top_p"] > 1:
        raise OptionError(f"top_p is a probability, not {options['top_p']}")
    if sample and beams > 1:
        raise OptionError(f"sampling draws one token after the other and has no beams: beams=1, not {beams}")
    if not sample and any(options[name] != value for name, value in SAMPLING.items()):
        raise OptionError(f"{', '.join(SAMPLING)} are for sampling: add --sample (sample=yes)")
    if not sample and outputs > beams:
        raise OptionError(f"{beams} beams do not give {outputs} outputs: beams={outputs}, or sampling")


def prompt(record: dict, kind: str) -> str:
    """Return what a model reads of a record: its prompt, or else the record; after that a causal model goes on."""
    if record.get("prompt") is not None:
        return prompts.joined(record["prompt"], record.get("system_prompt"))
    return prompts.plain(record) + ("\n" if kind == "causal" else "")


def _beams(beams: int | None, sample: bool) -> int:
    return beams if beams is not None else 1 if sample else 4


def _limit(tokenizer: Any, network: Any, kind: str, max_input: int, max_new_tokens: int) -> int:
    """Return how many tokens of input the model can take; OptionError where the output alone is too long."""
    own = tokenizer.num_special_tokens_to_add()
    if max_input <= own:
        raise OptionError(f"max_input={max_input} has no room for text: {own} tokens are the model's own")
    places = loading.positions(tokenizer, network, "decoder")
    taken, limit = 1, loading.positions(tokenizer, network, "encoder")  # 1 is the decoder's first token
    if kind == "causal":
        taken, limit = own + 1, places - max_new_tokens
    if max_new_tokens + taken > places:
        raise OptionError(f"max_new_tokens={max_new_tokens} is too much: the model has positions for {places} tokens")
    return min(max_input, limit)


def _encoded(tokenizer: Any, texts: list[str], limit: int) -> tuple[dict, list[dict]]:
    """Return the batch as tensors, (texts, tokens) each, and for each text how long it is and whether it was cut."""
    whole = tokenizer(texts, verbose=False)["input_ids"]
    batch = tokenizer(texts, truncation=True, max_length=limit, padding=True, return_tensors="pt")
    facts = [{"input_tokens": min(len(ids), limit), "truncated": len(ids) > limit} for ids in whole]
    return {name: batch[name] for name in ("input_ids", "attention_mask")}, facts


def _without_repeats(size: int, start: int) -> list[Callable]:
    """Return a step that forbids n-grams that are there already; those before `start` (a prompt) do not count."""
    from transformers import NoRepeatNGramLogitsProcessor

    if not size:
        return []
    forbid = NoRepeatNGramLogitsProcessor(size)
    return [lambda ids, scores: forbid(ids[:, start:], scores)]


def _draws(temperature: float, top_k: int, top_p: float, seeds: list[int]) -> list[Callable]:
    """Return the steps that make a draw of the choice of the best token, with a seed for each row.

    The token with the highest logarithm of its probability plus Gumbel noise
    is a draw from the distribution (Gumbel-max): rows need not share a generator.
    """
    import torch
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def disturb(ids, scores):  # (rows, tokens), (rows, vocabulary) -> (rows, vocabulary)
        noise = [torch.empty(scores.shape[1]).exponential_(generator=generator) for generator in generators]
        return scores - torch.stack(noise).clamp_min(1e-30).log().to(scores.device)

    return [TemperatureLogitsWarper(temperature), *([TopKLogitsWarper(top_k)] if top_k else []),
            *([TopPLogitsWarper(top_p)] if top_p < 1 else []), disturb]


def _run(network: Any, inputs: dict, steps: list[Callable], search: dict) -> Any:
    """Return the token ids that the model makes, (rows, tokens), prompts included."""
    import torch

    placed = {name: ids.to(network.device) for name, ids in inputs.items()}
    try:
        with torch.inference_mode(), loading.hushed():
            return network.generate(**placed, logits_processor=steps, **search)
    except torch.cuda.OutOfMemoryError:
        raise MissingError("the device has not enough memory: a smaller --batch-size, fewer --beams or "
                           "--precision bfloat16 need less") from None


def _output(row: list[int], tokenizer: Any, network: Any, max_new_tokens: int) -> tuple[str, int, bool]:
    """Return the text of a row, its tokens without the end, and whether it was cut before it came to one."""
    config = network.generation_config
    ends = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
    length = next((at for at, token in enumerate(row) if token in ends), len(row))
    forced = int(config.forced_eos_token_id is not None)  # then the last token is the end, whatever came before
    text = tokenizer.decode(row[:length], skip_special_tokens=True).strip()
    return text, length, length >= max_new_tokens - forced


def _result(outputs: list[tuple[str, int, bool]], facts: dict) -> dict:
    """Return what comes back for a record: one text, or a list where several were asked for."""
    texts, lengths, cut = (list(column) for column in zip(*outputs, strict=True))
    one = len(texts) == 1
    return {"prediction": texts[0] if one else texts, **facts,
            "output_tokens": lengths[0] if one else lengths, "unfinished": any(cut)}
