"""What dt-select keeps: records with certain terms or other ids; of the outputs for one source
each as a record of its own, the good ones, the best.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import chain

from dialtools.evaluation import units
from dialtools.records import dialogue, history, jsonl, validation
from dialtools.records.wellformed import is_number
from dialtools.statistics import expressions, moments
from dialtools.system.errors import OptionError, RecordError, about, nearest, show, show_names
from dialtools.text import mentions, specifications

Reject = Callable[[dict, str], None]

BY = "dt-select"
NBEST = "nbest"
_OUTPUT = re.compile(rf"/?{NBEST}:[0-9]+$")
_GROUPS: dict[str, tuple[specifications.Group, ...]] = {
    "one": ("one",),
    "two": ("two",),
    "any": ("one", "two"),
}


def signature(
    explode: bool, drop: Iterable[str], echo: Iterable[str], where: str | None, rank: str | None
) -> str:
    """Return the signature of a selection of outputs, or ""; OptionError for a bad option."""
    if where is not None:
        expressions.condition(where)
        for label, number in expressions.bounds(where):
            units.require_possible(label, number)
    if rank is not None:
        expressions.number(rank)
    if not all(text.strip() for text in echo):
        raise OptionError("--echo needs a text that is not empty")
    options = {
        "explode": explode or None,
        "drop": drop or None,
        "echo": echo or None,
        "keep": where,
        "rank": rank,
    }
    return history.signature("select", **options) if any(options.values()) else ""


def ids_of(path: str, rename: dict[str, str] | None) -> set:
    """Return the ids of the records of a file; RecordError for a record without one."""
    (id_key,) = validation.exchange({"id": None}, rename)

    def refuse(key: str) -> None:
        raise RecordError(f'no "{id_key}", which --without needs')

    return {record["id"] for record in jsonl.read(path, note=refuse, rename=rename)}


def without(ids: set, records: Iterable[dict], reject: Reject) -> Iterator[dict]:
    """Yield the records with other ids; RecordError for 1 if "1" is among them, as from a table."""
    names = {str(id) for id in ids}
    for record in records:
        if record["id"] in ids:
            reject(record, "in --without")
        elif str(record["id"]) in names:
            kinds = (
                "a string here and an integer there"
                if isinstance(record["id"], str)
                else "an integer here and a string there"
            )
            raise RecordError(f"--without has the same id, but it is {kinds}", record)
        else:
            yield record


def with_terms(
    records: Iterable[dict], spec: specifications.Spec, group: str, reject: Reject
) -> Iterator[dict]:
    """Yield the records with a target and an attribute term, with these in their history.

    group: of the target terms, "one", "two" or "any"; attributes are those of "one", or of any.
    """
    signature = history.signature("select", terms=spec, group=group)
    wanted = {"target": _GROUPS[group], "attribute": _GROUPS["any" if group == "any" else "one"]}
    for record in records:
        terms: dict[str, list[str]] = {}  # in lower case, each once
        with about(record):
            for kind, groups in wanted.items():
                places = mentions.of_record(
                    record, spec, (kind,), groups, whole=kind == "attribute"
                )
                terms[kind] = list(
                    dict.fromkeys(place.term for _, _, found in places for place in found)
                )
        lacking = next((kind for kind in wanted if not terms[kind]), None)
        if lacking:
            reject(record, "without a target" if lacking == "target" else "without an attribute")
        else:
            yield history.add(record, BY, signature, **terms)


def exploded(record: dict) -> list[dict]:
    """Return a record for each output of an n-best list, as variants nbest:1, nbest:2, …

    Values for the whole list, such as scores, are left out.  Each record has its own list of
    "prediction_tokens", if there is one for each output.
    """
    texts, tokens = record.get("prediction"), record.get("prediction_tokens")
    if not isinstance(texts, list):
        return [record]
    own_tokens: list[dict] = [{}] * len(texts)
    if isinstance(tokens, list) and len(tokens) == len(texts):
        if all(isinstance(tokens_of, list) for tokens_of in tokens):
            own_tokens = [{"prediction_tokens": tokens_of} for tokens_of in tokens]
    plain = {key: value for key, value in record.items() if key not in dialogue.OF_PREDICTION}
    return [
        {
            **plain,
            "prediction": text,
            **tokens_of,
            "variant": history.variant(record, NBEST, number),
        }
        for number, (text, tokens_of) in enumerate(zip(texts, own_tokens, strict=True), 1)
    ]


def groups(records: Iterable[dict]) -> Iterator[list[dict]]:
    """Yield the groups of records that differ only in the output of a list, in order."""
    for source in history.groups(records):
        alike: dict[str, list[dict]] = {}  # variants need not be adjacent
        for record in source:
            alike.setdefault(_base(record), []).append(record)
        yield from alike.values()


def _base(record: dict) -> str:
    return _OUTPUT.sub("", record.get("variant") or "")


def selected(
    group: list[dict],
    *,
    drop: Iterable[str],
    echo: Iterable[str],
    where: str | None,
    rank: str | None,
    reject: Reject,
) -> list[dict]:
    """Return the selected outputs for one source."""
    for record in group:
        if not isinstance(record.get("prediction"), str):
            raise RecordError(
                "--drop, --echo, --where and --rank need one prediction a record: "
                "--explode makes several records of a list",
                record,
            )
    group = _unique(group, drop, echo, reject)
    if where is not None:
        holds, labels, good = expressions.condition(where), expressions.labels(where), []
        for record in group:
            try:
                if holds(scores(record, labels)):
                    good.append(record)
                else:
                    reject(record, f"not {where}")
            except expressions.Unknown as error:  # a null score
                reject(record, f"{error}, for {where}")
        group = good
    return _best(group, rank, reject) if rank is not None and group else group


def _unique(
    group: list[dict], drop: Iterable[str], echo: Iterable[str], reject: Reject
) -> list[dict]:
    """Return the records whose output is no repeat, no echo and not bare."""
    seen = {}
    if "repeats" in drop:
        texts = (group[0].get("text"), dialogue.text(dialogue.turns(group[0])))
        seen = {_collapsed(text): "a repeat of the input" for text in texts if text}
    echoes = [_collapsed(text).casefold() for text in echo]
    kept = []
    for record in group:
        text = _collapsed(record["prediction"])
        if "bare" in drop and not any(letter.isalnum() for letter in text):
            reject(record, "bare punctuation")
        elif any(part in text.casefold() for part in echoes):
            reject(record, "an echo of the prompt")
        elif text in seen:
            reject(record, seen[text])
        else:
            kept.append(record)
            if "repeats" in drop:
                seen[text] = "a repeat of another output"
    return kept


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _best(group: list[dict], rank: str, reject: Reject) -> list[dict]:
    """Return the record with the highest rank, the first of equal ones, without nbest:N.

    Ranks that differ by rounding alone are equal.
    """
    value, labels, ranks = expressions.number(rank), expressions.labels(rank), dict[int, float]()
    for number, record in enumerate(group):
        try:
            ranks[number] = value(scores(record, labels))
        except expressions.Unknown as error:
            reject(record, f"{error}, for {rank}")
    if not ranks:
        return []
    best = reduce(
        lambda first, second: second if moments.order(ranks[second], ranks[first]) > 0 else first,
        ranks,
    )
    for number in ranks:
        if number != best:
            reject(group[number], "not the best")
    record = {key: value for key, value in group[best].items() if key != "variant"}
    if variant := _base(group[best]):
        record = {**group[best], "variant": variant}
    return [record]


def scores(record: dict, labels: Iterable[str]) -> dict:
    """Return the scores of a record; RecordError if it was not scored by one of the labels."""
    scores = record.get("scores") or {}
    signatures = [
        entry["signature"]
        for entry in record.get("history") or ()
        if isinstance(entry.get("signature"), dict)
    ]
    known = list(dict.fromkeys(chain(scores, *signatures)))
    for label in labels:
        if label not in known:
            raise RecordError(
                f"no score {show(label)}{nearest(label, known)}; the record has "
                f"{show_names(known) or 'none'}",
                record,
            )
        score = scores.get(label)
        if not isinstance(score, (bool, type(None))) and not is_number(score):  # NaN beats all
            raise RecordError(
                f"the score {show(label)} must be a number or null, not {show(score)}", record
            )
    return scores
