"""Share of names in what an output hangs on, from 0 to 1; neutral.

A model says how likely the prediction is, given the input; each part of the input gets a weight for its
part in that. The score is the share of the weights, without their signs, that falls on names of speakers:
labels and mentions, as dt-swap-names finds them. The weights go into the record, under "attribution" by
label:
value     what is explained: the natural logarithm of the prediction's probability, the end included (not
          of an output that was cut)
names     the score
even      the score if all parts had the same weight: the share of names among them
outside   the share of all weights that falls on what is no text of the record (the template of a prompt, signs
          between turns, special tokens), and does not count in the others
spans     [JSON Pointer, start, end, weight], in code points of a turn's speaker or text, of "text" or
          "context"; above 0 it speaks for the prediction. Without their signs the weights sum to 1

With against=original what is explained is a difference: the logarithm of the prediction's probability minus
that of the original's prediction, in the names of the variant, both under the variant's input. So it is
asked what makes the model say the one and not the other; where they are the same there is no score (counted
as outputs the same). against=reference, or any key, likewise. Score before dt-swap-names --restore.

method is one of
gradient   the derivative by a token's embedding times the embedding, summed over the dimensions
attention  how much the output's tokens attend to a token, the mean over layers, heads and them; of a
           difference the one minus the other
occlusion  how much the value falls if a part is left out: of a turn or text the words that are no names, or
           a name wherever it stands, which becomes #Person1# or the like. A part's weight is that of all
           its places, by their length

occlusion also goes with generators that tell no likelihoods: generator=longest, ./mine.py or any of dt-generate's,
or endpoint=URL with the server's name of its model. The value then is how alike the prediction and the
output without the part are: 1 minus their edit distance in characters over the length of the longer one.

The model reads a record as dt-generate lets it, so give both the same prompt, max_input and max_new_tokens.
Weights of a causal model's attention are without its first token, which models attend to where they attend
to nothing.

Source: gradients: Simonyan et al. 2014, https://arxiv.org/abs/1312.6034; occlusion: Li et al. 2016,
https://arxiv.org/abs/1612.08220; differences: Yin and Neubig 2022, https://aclanthology.org/2022.emnlp-main.14.

>>> score([], model="some/model")
[]
"""

import functools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

from dialtools.inference import identity_check, inputs, locating, prompts, views
from dialtools.inference.locating import Located, TextPlace
from dialtools.models import (
    attributions,
    checkpoints,
    engine_torch,
    folders,
    likelihoods,
    multilingual,
)
from dialtools.models.checkpoints import Place
from dialtools.models.decoding import Decoding, Prompting
from dialtools.models.likelihoods import Query
from dialtools.models.multilingual import Languages
from dialtools.models.writers import Writer, end_tokens
from dialtools.names import restoration
from dialtools.plugins import registry
from dialtools.plugins.metric import Explained, Metric
from dialtools.plugins.options import flat
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, about

DIGITS = 6  # of a weight, after the point
GENERATED = "dt-generate"
Known = Annotated[Decoding, "max_input", "truncate", "max_new_tokens", "src_lang", "tgt_lang"]
Shown = Annotated[Prompting, "prompt", "system_prompt"]


class Part(NamedTuple):
    """A part of what is read, with its weight; places: in the record, none of a part of no text."""

    places: list[TextPlace]
    is_name: bool
    weight: float


class Case(NamedTuple):
    """A record as it is read, and the outputs that its value is of.

    outputs: (1, the prediction), and (-1, what it is compared with).
    is_cut: the output has no end.
    """

    record: dict
    located: Located
    outputs: list[tuple[int, str]]
    is_cut: bool


# of (a view, its case): the value and counts
Values = Callable[[list[tuple[dict, Case]]], list[tuple[float, dict[str, int]]]]


class Model(NamedTuple):
    """A model of likelihoods as dt-generate reads with it; most: tokens of input."""

    kind: str
    network: Any
    writer: Writer
    decoding: Decoding
    most: int

    def read(self, view: dict) -> inputs.Read:
        """Return what the model reads of a view of a record."""
        decoding = self.decoding
        side, source = decoding.truncate, decoding.src_lang
        return inputs.rows([view], self.writer, self.kind, self.most, side, source, named=True)[0]

    def asked(self, read: inputs.Read, text: str, case: Case) -> Query:
        """Return the row that asks how likely a text is after what was read."""
        tokenizer, ends = self.writer.tokenizer, end_tokens(self.writer.settings)
        if self.kind == "causal":
            ids = (*likelihoods.encoded(tokenizer, text), *([] if case.is_cut else ends[:1]))
            positions = len(read.ids) + len(ids)
        else:
            languages = Languages(self.decoding.src_lang, self.decoding.tgt_lang)
            with about(case.record):
                multilingual.tell(tokenizer, languages._replace(lang=dialogue.lang(case.record)))
            ids = tuple(tokenizer(text_target=text, verbose=False)["input_ids"])
            ids = ids[:-1] if case.is_cut and ids[-1] in ends else ids
            positions = len(ids)
        limit = checkpoints.positions(tokenizer, self.writer.config, "decoder")
        if positions > limit:
            raise RecordError(
                f"{positions} tokens with the output, and the model has positions for {limit}",
                case.record,
            )
        return likelihoods.continuation(self.network, read.ids, ids, read.names)


@flat
def explain(
    records: list[dict],
    references: Sequence[list[str]] = (),
    *,
    model: str = "",
    method: Literal["gradient", "attention", "occlusion"] = "gradient",
    generator: str = "",
    endpoint: str = "",
    against: str = "",
    prompting: Shown = Prompting(),
    decoding: Known = Decoding(),
    place: Place = Place(batch_size=8),
) -> list[Explained]:
    """Return the share of names of each record, with the weights.

    references: what the prediction is compared with, if anything.
    model: folder or hub name, or the server's name.
    method: gradient, attention or occlusion (see above).
    generator, endpoint: what writes the outputs of occlusion, where no model tells likelihoods.
    against: key of what the prediction is compared with.
    """
    is_local = not generator and not endpoint
    if not model and not generator:
        raise OptionError(
            "attribution: which model? attribution:model=PATH, a folder or a hub name"
        )
    if not is_local and method != "occlusion":
        raise OptionError(f"method={method} needs a model; generators have method=occlusion")
    ask = views.asker(views.trained(prompting, model if is_local else None))
    results = [Explained(None)] * len(records)
    cases: dict[int, Case] = {}
    for number, record in enumerate(records):
        outputs = [(1, dialogue.best(record))]
        if against:
            outputs.append((-1, _compared(references[number][0], record, against)))
        if len({text.strip() for _, text in outputs}) < len(outputs):
            results[number] = Explained(None, None, {"same_output": 1})
            continue
        written = [entry for entry in record.get("history") or () if entry.get("by") == GENERATED]
        is_cut = bool(written and written[-1].get("unfinished"))
        cases[number] = Case(record, locating.located(record, ask), outputs, is_cut)
    if not cases:
        return results

    if not is_local:
        options = {**decoding._asdict(), "model": model, "endpoint": endpoint}
        options["offline"] = place.offline
        values: Values = partial(_alike, generator or "endpoint", options)
        explained = _left_out(list(cases.values()), views.naming(ask), values)
    elif method == "occlusion":
        reader = _model(model, method, decoding, place)
        values = partial(_likelihoods, reader, place.batch_size)
        explained = _left_out(list(cases.values()), views.naming(ask), values)
    else:
        reader = _model(model, method, decoding, place)
        explained = _weighed(list(cases.values()), reader, method, place.batch_size)
    return [*({**dict(enumerate(results)), **dict(zip(cases, explained, strict=True))}).values()]


def _compared(text: str, record: dict, against: str) -> str:
    """Return what a prediction is compared with; the original's output with the variant's names."""
    if against != "original":
        return text
    with about(record):
        return restoration.renamed(text, record, dialogue.language(record))


def _model(name: str, method: str, decoding: Decoding, place: Place) -> Model:
    """Return a model as dt-generate reads with it."""
    kind = likelihoods.kind(name, place.offline)
    if kind == "masked":
        raise OptionError(f"{name} is a masked model, which writes nothing")
    tokenizer, network = attributions.loaded(kind, name, place, method)
    writer, decoding = (
        engine_torch.over(kind, tokenizer, network),
        folders.with_habits(decoding, name),
    )
    if multilingual.many(tokenizer) and not decoding.tgt_lang:
        raise OptionError(f"{name} writes many languages: which one? tgt_lang=CODE")
    most = inputs.limit(writer, kind, decoding.max_input, decoding.max_new_tokens)
    return Model(kind, network, writer, decoding, most)


def _weighed(
    cases: list[Case], reader: Model, method: attributions.Method, size: int
) -> list[Explained]:
    """Return the tokens that a model reads as weighed parts."""
    reads = [reader.read(case.located.view) for case in cases]
    rows = [
        [reader.asked(read, text, case) for _, text in case.outputs]
        for read, case in zip(reads, cases, strict=True)
    ]
    distinct = list(dict.fromkeys(row for of_case in rows for row in of_case))
    weights = attributions.weights(method, reader.network, distinct, size)
    known = dict(zip(distinct, weights, strict=True))
    explained = []
    for case, read, of_case in zip(cases, reads, rows, strict=True):
        signed = [(sign, *known[row]) for (sign, _), row in zip(case.outputs, of_case, strict=True)]
        parts = []
        for number, (start, end) in enumerate(read.places):
            place = case.located.token(start, end)
            weight = math.fsum(sign * of_row[number] for sign, _, of_row in signed)
            parts.append(Part([place] if place else [], read.names[number] > 0, weight))
        value = math.fsum(sign * value for sign, value, _ in signed)
        explained.append(_summed(value, parts, {"truncated": int(read.facts["truncated"])}))
    return explained


def _left_out(cases: list[Case], ask: views.Ask, values: Values) -> list[Explained]:
    """Return what may be left out of what is read as weighed parts."""
    units = [locating.units(case.record) for case in cases]
    for case, of_case in zip(cases, units, strict=True):
        if len(of_case) < 2:
            raise RecordError("a single part: there is nothing to leave it out of", case.record)
    asked = [
        (view, case)
        for case, of_case in zip(cases, units, strict=True)
        for view in (case.located.view, *(ask(unit.record)[0] for unit in of_case))
    ]
    known = iter(values(asked))
    explained = []
    for of_case in units:
        value, counts = next(known)
        parts = [Part(unit.places, unit.is_name, value - next(known)[0]) for unit in of_case]
        explained.append(_summed(value, parts, counts))
    return explained


def _likelihoods(
    reader: Model, size: int, asked: list[tuple[dict, Case]]
) -> list[tuple[float, dict[str, int]]]:
    """Return the value of each case where a view of it is read, by a model's likelihoods."""
    reads = [reader.read(view) for view, _ in asked]
    rows = [
        [reader.asked(read, text, case) for _, text in case.outputs]
        for read, (_, case) in zip(reads, asked, strict=True)
    ]
    losses = iter(
        likelihoods.losses(reader.network, [[row] for of_view in rows for row in of_view], size)
    )
    return [
        (
            math.fsum(-sign * math.fsum(next(losses)) for sign, _ in case.outputs),
            {"truncated": int(read.facts["truncated"])},
        )
        for read, (_, case) in zip(reads, asked, strict=True)
    ]


def _alike(
    spec: str, options: dict, asked: list[tuple[dict, Case]]
) -> list[tuple[float, dict[str, int]]]:
    """Return the value of each case where a generator reads a view of it, by what it writes."""
    plugin = registry.load("generators", spec)
    settings = plugin.given(**{name: value for name, value in options.items() if value}).defaults()
    plugin.declared.settings(**settings)  # which checks them
    answers = list(plugin.call([view for view, _ in asked], **settings))
    values = []
    for (view, case), answer in zip(asked, answers, strict=True):
        output = dialogue.best(answer)
        value = math.fsum(
            sign * (1 - identity_check.distance(text.strip(), output))
            for sign, text in case.outputs
        )
        is_other = view is case.located.view and output.strip() != case.outputs[0][1].strip()
        counts = {"truncated": int(answer.get("truncated") or 0), "other_output": int(is_other)}
        values.append((value, counts))
    return values


def _summed(value: float, parts: list[Part], counts: dict[str, int]) -> Explained:
    """Return the share of names and the spans of weighed parts."""
    counts = {name: number for name, number in counts.items() if number}
    of_texts = [part for part in parts if part.places]
    total = math.fsum(abs(part.weight) for part in of_texts)
    if not total:
        return Explained(None, None, {**counts, "without_weight": 1})
    share = math.fsum(abs(part.weight) for part in of_texts if part.is_name) / total
    spans: dict[TextPlace, float] = {}
    for part in of_texts:
        for place, length in zip(part.places, locating.shares(part.places), strict=True):
            spans[place] = spans.get(place, 0.0) + part.weight * length / total
    details = {
        "value": value,
        "names": share,
        "even": sum(part.is_name for part in of_texts) / len(of_texts),
        "outside": 1 - total / math.fsum(abs(part.weight) for part in parts),
        "spans": [
            [*place, rounded]
            for place, weight in spans.items()
            if (rounded := round(weight, DIGITS))
        ],
    }
    return Explained(share, details, counts)


@functools.wraps(explain)
def score(*columns: list, **options: Any) -> list[float | None]:
    """Return the share of names of each record; columns and options as those of explain."""
    return [explained.score for explained in explain(*columns, **options)]


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that it reads."""
    return ("record", "reference") if options["against"] else ("record",)


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it on this machine."""
    return () if options["generator"] or options["endpoint"] else ("torch", "transformers")


def described(options: dict) -> dict[str, object]:
    """Return digests of the files of prompts; leave out options without effect."""
    files = {name: options[name] for name in ("prompt", "system_prompt")}
    unused = {name for name, value in options.items() if value in ("", None)}
    if not libraries(options):
        unused |= {"max_input", "precision"}
    return {
        **{name: path and prompts.digest(prompts.content(path)) for name, path in files.items()},
        **dict.fromkeys(unused),
    }


METRIC = Metric(
    score,
    bounds=(0, 1),
    window=32,
    needs=needs,
    libraries=libraries,
    described=described,
    explain=explain,
    kept="attribution",
)
