"""Share of names in what an output hangs on, from 0 to 1; neutral.

A model says how likely the prediction is, given the input; each part of the input gets a weight for its
part in that. The score is the share of the weights, without their signs, that falls on names of speakers:
labels and mentions, as dt-swap-names finds them. The weights go into the record, under "attributions" by
label:
value     what is explained: the natural logarithm of the prediction's probability, the end included (not
          of an output that was cut)
names     the share of names
even      that share if all parts had the same weight: names are so many of them. With excess=yes the
          score is names minus even, from -1 to 1: above 0, names count for more than other words
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
           its places, by their length. The input is read once for each part, so it takes longest

occlusion also goes with generators that tell no likelihoods: generator=longest, ./mine.py or any of dt-generate's,
or endpoint=URL with the server's name of its model. The value then is how alike the prediction and the
output without the part are: 1 minus their edit distance in characters over the length of the longer one.

The model reads a record as dt-generate lets it, so give both the same prompt, max_input and max_new_tokens.
Predictions are kept without white space around them: a causal model's goes on as the texts of -g choice do.
Weights of a causal model's attention are without its first token, which models attend to where they attend
to nothing.

Source: gradients: Simonyan et al. 2014, https://arxiv.org/abs/1312.6034; occlusion: Li et al. 2016,
https://arxiv.org/abs/1612.08220; differences: Yin and Neubig 2022, https://aclanthology.org/2022.emnlp-main.14.

>>> score([], model="some/model")
[]
"""

import functools
import math
from functools import partial
from typing import Annotated, Any, Literal

from dialtools.inference import continuations, locating, prompts, views, weighing
from dialtools.inference.locating import TextPlace
from dialtools.inference.weighing import ReadRecord, Values, Weighed
from dialtools.models.checkpoints import Place
from dialtools.models.decoding import Decoding, Prompting
from dialtools.names import restoration
from dialtools.plugins.metric import Explained, Metric
from dialtools.plugins.options import flat
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, about

DIGITS = 6  # of a weight, after the point
GENERATED = "dt-generate"
Known = Annotated[Decoding, "max_input", "truncate", "max_new_tokens", "src_lang", "tgt_lang"]
Shown = Annotated[Prompting, "prompt", "system_prompt"]


@flat
def explain(
    records: list[dict],
    *references: list[list[str]],
    model: str = "",
    method: Literal["gradient", "attention", "occlusion"] = "gradient",
    generator: str = "",
    endpoint: str = "",
    against: str = "",
    excess: bool = False,
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
    excess: score how far the share is above that of names among the parts.
    """
    is_local = not generator and not endpoint
    if not model and not generator:
        raise OptionError(
            "attribution: which model? attribution:model=PATH, a folder or a hub name"
        )
    if not is_local and method != "occlusion":
        raise OptionError(f"method={method} needs a model; generators have method=occlusion")
    prompting = views.trained(prompting, model if is_local else None)
    if prompting.each:
        raise OptionError(
            f"attribution: {model} writes turn by turn, and what is explained is one text"
        )
    ask = views.asker(prompting)
    results = [Explained(None)] * len(records)
    cases: dict[int, ReadRecord] = {}
    for number, record in enumerate(records):
        is_cut, outputs = _is_cut(record), [(1, dialogue.best(record))]
        if against:
            texts = references[0][number]
            if len(texts) > 1:
                raise RecordError(
                    f'"{against}" holds {len(texts)} texts, and attribution compares with one',
                    record,
                )
            outputs.append((-1, _compared(texts[0], record, against)))
        if len({text.strip() for _, text in outputs}) < len(outputs):
            results[number] = Explained(None, None, {"same_output": 1})
            continue
        cases[number] = ReadRecord(record, locating.located(record, ask), outputs, is_cut)
    if not cases:
        return results

    asked = list(cases.values())
    if method != "occlusion":
        reader = continuations.reader(model, decoding, place, shows=method == "attention")
        weighed = weighing.tokens(asked, reader, method, place.batch_size)
    else:
        if is_local:
            reader = continuations.reader(model, decoding, place)
            values: Values = partial(weighing.by_likelihoods, reader, place.batch_size)
        else:
            options = {**decoding._asdict(), "model": model, "endpoint": endpoint}
            options["offline"] = place.offline
            values = partial(weighing.by_likeness, generator or "endpoint", options)
        weighed = weighing.left_out(asked, views.naming(ask), values)
    for number, one in zip(cases, weighed, strict=True):
        results[number] = _summed(one, excess)
    return results


def _is_cut(record: dict) -> bool:
    """Tell whether the prediction has no end. Raise RecordError if its names were restored since."""
    is_cut = is_made = is_restored = False
    for entry in record.get("history") or ():
        if entry.get("by") == GENERATED:
            is_cut, is_made, is_restored = bool(entry.get("unfinished")), True, False
        is_restored = is_restored or is_made and "undoes" in entry
    if is_restored:
        raise RecordError(
            "the input is no longer what the model read: attribution comes before --restore",
            record,
        )
    return is_cut


def _compared(text: str, record: dict, against: str) -> str:
    """Return what a prediction is compared with; the original's output with the variant's names."""
    if against != "original":
        return text
    with about(record):
        return restoration.renamed(text, record, dialogue.language(record))


def _summed(weighed: Weighed, excess: bool) -> Explained:
    """Return the share of names and the spans of weighed parts; excess: as in explain."""
    value, parts, counts = weighed
    counts = {name: number for name, number in counts.items() if number}
    of_texts = [part for part in parts if part.places]
    total = math.fsum(abs(part.weight) for part in of_texts)
    if not total:
        return Explained(None, None, {**counts, "without_weight": 1})
    share = math.fsum(abs(part.weight) for part in of_texts if part.is_name) / total
    even = sum(part.is_name for part in of_texts) / len(of_texts)
    spans: dict[TextPlace, float] = {}
    for part in of_texts:
        for place, length in zip(part.places, locating.shares(part.places), strict=True):
            spans[place] = spans.get(place, 0.0) + part.weight * length / total
    details = {
        "value": value,
        "names": share,
        "even": even,
        "outside": 1 - total / math.fsum(abs(part.weight) for part in parts),
        "spans": [
            [*place, rounded]
            for place, weight in spans.items()
            if (rounded := round(weight, DIGITS))
        ],
    }
    return Explained(share - even if excess else share, details, counts)


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


def bounds(options: dict) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    return (-1, 1) if options["excess"] else (0, 1)


METRIC = Metric(
    score,
    bounds=bounds,
    window=32,
    needs=needs,
    libraries=libraries,
    described=described,
    explain=explain,
    kept="attributions",
)
