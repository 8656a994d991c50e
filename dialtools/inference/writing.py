"""Outputs of a model for records: inputs, batches, seeds, texts."""

from functools import partial
from typing import Any

from dialtools.inference import inputs
from dialtools.inference.cache import Arrived
from dialtools.models import minibatches, speakers, writers
from dialtools.models.decoding import Decoding, Runtime
from dialtools.models.writers import ModelInput, ModelOutput, Search, Writer
from dialtools.system import stable_hash, terminal
from dialtools.system.errors import RecordError


def outputs(
    writer: Writer,
    kind: str,
    records: list[dict],
    decoding: Decoding,
    runtime: Runtime,
    seed: int = 0,
    arrived: Arrived | None = None,
) -> list[dict]:
    """Return a model's output for each record, and the numbers of tokens read and written.

    kind: "seq2seq" or "causal".
    seed: samples depend on it and on the id alone, not on order or batch.
    arrived: gets the outputs of each batch by their places among the records.
    """
    most = inputs.limit(writer, kind, decoding.max_input, decoding.max_new_tokens)
    start, first = inputs.languages(writer, decoding.src_lang, decoding.tgt_lang)
    if decoding.min_new_tokens is None:
        decoding = decoding._replace(min_new_tokens=writer.settings.min_new_tokens)
    begin = start if kind == "seq2seq" else None
    search = Search(decoding, writers.stop_texts(decoding.stop), begin, first, runtime.exact)
    side, has_speakers = decoding.truncate, speakers.has(writer.config)
    read = inputs.rows(records, writer, kind, most, side, decoding.src_lang, has_speakers)

    def seeds(record: dict) -> tuple[int, ...]:
        numbers = range(1, decoding.number + 1) if decoding.sample else ()
        return tuple(stable_hash.rng(seed, kind, record["id"], n).getrandbits(63) for n in numbers)

    rows = [
        ModelInput(row.ids, seeds(record), row.names)
        for record, row in zip(records, read, strict=True)
    ]
    facts = [row.facts for row in read]
    results = _results(writer, search, rows, facts, runtime, arrived)
    for place, record in enumerate(records):
        if place not in results:
            raise RecordError(
                f"not enough memory for this record alone, {facts[place]['input_tokens']} "
                "tokens: use fewer --beams, a smaller max_input or another precision",
                record,
            )
    return [results[place] for place in range(len(records))]


def _results(
    writer: Writer,
    search: Search,
    rows: list[ModelInput],
    facts: list[dict],
    runtime: Runtime,
    arrived: Arrived | None,
) -> dict[int, dict]:
    """Return the results for inputs by their places; none where memory runs out for one alone."""
    places: dict[ModelInput, list[int]] = {}  # an input is read once, for several records
    for place, row in enumerate(rows):
        places.setdefault(row, []).append(place)
    results: dict[int, dict] = {}

    def write(together: int, batch: list[ModelInput]) -> list[list[ModelOutput]]:
        outputs = writer.write(batch, search)
        # what was read with fewer others than the options say
        fewer = {"batch_size": len(batch)} if len(batch) < together else {}
        new = {
            place: _result(of_row, writer.tokenizer, search, facts[place] | fewer)
            for row, of_row in zip(batch, outputs, strict=True)
            for place in places[row]
        }
        results.update(new)
        if arrived:
            arrived(new)
        return outputs

    if runtime.engine == "vllm":
        write(len(places), list(places))  # it makes its own batches
        return results
    room, tell = writer.room or minibatches.Room(), partial(terminal.say, "dt-generate")

    def length(row: ModelInput) -> int:
        return len(row.ids)

    def within_room(batch: list[ModelInput]) -> list[list[ModelOutput] | None]:
        return room.halved(batch, length, partial(write, len(batch)), tell)

    size = 1 if runtime.exact else minibatches.size(writer.config, runtime.batch_size)
    minibatches.each(list(places), length, within_room, size, runtime.batch_tokens)
    return results


def _result(outputs: list[ModelOutput], tokenizer: Any, search: Search, facts: dict) -> dict:
    """Return the prediction of a record, a list for several outputs, and its facts."""
    texts, lengths, ends = zip(
        *(_text(output, tokenizer, search.stop) for output in outputs), strict=True
    )
    facts = {**facts, "unfinished": "length" in ends}
    of_each: dict[str, list] = {
        "prediction": list(texts),
        "output_tokens": list(lengths),
        "finish": list(ends),
    }
    if search.decoding.logprobs:
        of_each["logprobs"] = [
            _logprobs(output, length, tokenizer, search.first)
            for output, length in zip(outputs, lengths, strict=True)
        ]
    if len(outputs) == 1:
        return {"prediction": texts[0], **facts, **{name: one for name, (one,) in of_each.items()}}
    result = {"prediction": list(texts), **facts, **of_each}
    if outputs[0].score is not None:
        result["beam_scores"] = [output.score for output in outputs]
    return result


def _logprobs(output: ModelOutput, length: int, tokenizer: Any, first: int | None) -> list[list]:
    """Return the tokens of an output, each with its log-probability; not the first if it is forced."""
    pairs = list(zip(output.ids, output.logprobs, strict=True))[:length]
    if pairs and pairs[0][0] == first:
        del pairs[0]
    return [[tokenizer.decode([token]), value] for token, value in pairs]


def _text(output: ModelOutput, tokenizer: Any, ends: tuple[str, ...]) -> tuple[str, int, str]:
    """Return the text of an output, its number of tokens, and its end: stop or length."""

    def decoded(length: int) -> str:
        return tokenizer.decode(output.ids[:length], skip_special_tokens=True)

    length = len(output.ids)
    text = decoded(length)
    end = writers.stop_place(text, ends)
    if end < 0:
        return text.strip(), length, "stop" if output.ended else "length"
    # up to the first text that ends an output
    lengths = (size for size in range(1, length) if writers.stop_place(decoded(size), ends) >= 0)
    return text[:end].strip(), next(lengths, length), "stop"
