"""Examples made of records, by the functions with which dt-generate makes its inputs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dialtools.inference import inputs, prompts
from dialtools.models import multilingual
from dialtools.models.writers import Writer, end_tokens
from dialtools.names import occurrences
from dialtools.records import dialogue, validation
from dialtools.system.errors import OptionError, RecordError, about, show
from dialtools.training.batch import Example
from dialtools.training.recipe import Reading

Ask = Callable[[dict], list[dict]]


class Maker(NamedTuple):
    """What makes examples of records: a view of each, and tokens of the view."""

    ask: Ask  # record -> views, as generation.views.asker returns it
    each: str | None  # "turn": a view stands for a turn
    reading: Reading
    kind: str  # "seq2seq" or "causal"
    writer: Writer
    named: bool = False  # follow the names of speakers


class Made(NamedTuple):
    """Examples, and what happened to their texts."""

    examples: list[Example]
    cut_inputs: int
    cut_targets: int
    unknown: float  # share of the tokens of inputs and targets


def made(records: Iterable[dict], maker: Maker) -> Made:
    """Return the examples of records; RecordError for one without a target or an input."""
    examples: list[Example] = []
    cut = {"input": 0, "target": 0}
    reading, tokenizer = maker.reading, maker.writer.tokenizer
    most = inputs.limit(maker.writer, maker.kind, reading.max_input, reading.max_new_tokens)
    inputs.languages(maker.writer, reading.src_lang, reading.tgt_lang)  # which checks them
    if multilingual.many(tokenizer):
        if not reading.tgt_lang:
            raise OptionError(
                "No language of the targets given: use --tgt-lang CODE, as this model writes many."
            )
        tokenizer.tgt_lang = reading.tgt_lang
    for record in records:
        views = maker.ask(record)
        found = inputs.rows(
            views, maker.writer, maker.kind, most, reading.truncate, reading.src_lang, maker.named
        )
        cut["input"] += sum(read.facts["truncated"] for read in found)
        for number, text in enumerate(_texts(record, maker)):
            for read, view, said in zip(
                found, views, _parts(record, views, text, maker.each), strict=True
            ):
                target, whole = _target(said, maker)
                cut["target"] += whole > len(target.ids)
                names = occurrences.numbered(target.places, said.names) if maker.named else ()
                group = (record.get("cluster"), record["id"], number, view.get("number"))
                examples.append(
                    Example(
                        read.ids,
                        tuple(target.ids),
                        group,
                        read.names,
                        _of_names(read, target.ids, names),
                        names,
                    )
                )
    return Made(examples, cut["input"], cut["target"], _unknown(examples, tokenizer))


class Said(NamedTuple):
    """A text to learn, and where names of speakers stand in it."""

    text: str
    names: Sequence[occurrences.Span] = ()


def _texts(record: dict, maker: Maker) -> list[Said]:
    """Return the texts to learn for a record."""
    texts = targets(record, maker.reading)
    if not maker.named:
        return [Said(text) for text in texts]
    with about(record):
        same = targets(prompts.marked(record), maker.reading)
        return [
            Said(text, occurrences.followed(text, other))
            for text, other in zip(texts, same, strict=True)
        ]


def _of_names(read: inputs.Read, target: list[int], names: tuple[int, ...]) -> frozenset[int]:
    """Return the tokens that belong to a name, in what is read or in what is learned."""
    pairs = [*zip(read.ids, read.names, strict=False), *zip(target, names, strict=False)]
    return frozenset(token for token, name in pairs if name)


def targets(record: dict, reading: Reading) -> list[str]:
    """Return the texts to learn for a record, one or several; RecordError where there is none."""
    validation.need(record, reading.target)
    value = record[reading.target]
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RecordError(
            f'"{reading.target}" must be a text or a list of texts, not {show(value)}', record
        )
    if not texts or not all(text.strip() for text in texts):
        raise RecordError(f'"{reading.target}" is empty: there is nothing to learn', record)
    return texts[:1] if reading.references == "first" else texts


def _parts(record: dict, views: list[dict], said: Said, each: str | None) -> list[Said]:
    """Return the text to learn for each view: the whole, or of a dialogue the turn of the view."""
    if not each:
        return [said]
    turns = dialogue.turns({"dialogue": said.text})
    if len(turns) != len(dialogue.turns(record)):
        raise RecordError(
            f"with --each turn the text to learn is a dialogue: it has {len(turns)} "
            f"turns, and the record's {len(dialogue.turns(record))}",
            record,
        )
    texts = [turns[view["number"]]["text"] for view in views]
    if not all(text.strip() for text in texts):
        raise RecordError("with --each turn each turn has a text to learn: one is empty", record)
    return [Said(text) for text in texts]


def _target(said: Said, maker: Maker) -> tuple[inputs.Tokens, int]:
    """Return the tokens of a text to learn, with their end, and their number before a cut."""
    tokenizer, most = maker.writer.tokenizer, maker.reading.max_new_tokens
    if maker.kind == "causal":
        found = inputs.encoded(tokenizer, said.text, maker.named, add_special_tokens=False)
        ids, places = found.ids[: most - 1], found.places[: most - 1]
        return inputs.Tokens([*ids, _end(maker.writer)], [*places, (0, 0)]), len(found.ids) + 1
    if not maker.named:  # as a target: some tokenizers frame it otherwise
        ids = tokenizer(text_target=said.text, verbose=False)["input_ids"]
        short = (
            ids
            if len(ids) <= most
            else tokenizer(text_target=said.text, truncation=True, max_length=most)["input_ids"]
        )
        return inputs.Tokens(short), len(ids)
    found = inputs.encoded(tokenizer, said.text, True)
    if len(found.ids) <= most:
        return found, len(found.ids)
    return inputs.encoded(tokenizer, said.text, True, truncation=True, max_length=most), len(
        found.ids
    )


def _end(writer: Writer) -> int:
    """Return the token that ends a text of a causal model."""
    ends = end_tokens(writer.settings)
    own = writer.tokenizer.eos_token_id
    return own if own in ends or not ends else ends[0]


def _unknown(examples: list[Example], tokenizer: Any) -> float:
    """Return the share of tokens that the vocabulary lacks."""
    unknown = tokenizer.unk_token_id
    if unknown is None or not examples:
        return 0.0
    rows = [row for example in examples for row in (example.input, example.target)]
    return sum(row.count(unknown) for row in rows) / sum(map(len, rows))
