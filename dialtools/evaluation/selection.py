"""The outputs for one source: each as a record of its own, the good ones, the best."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from itertools import chain
from typing import Literal

from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.statistics import expressions, moments
from dialtools.system.errors import RecordError, nearest, show, show_names

Reject = Callable[[dict, str], None]
Drop = Literal["repeats", "bare"]

NBEST = "nbest"
_OWN = re.compile(rf"/?{NBEST}:[0-9]+$")


def exploded(record: dict) -> list[dict]:
    """Return a record for each output of an n-best list, as variants nbest:1, nbest:2, …

    Values for the whole list, such as scores, are left out.  Each record has its own list of
    "prediction_tokens", if there is one for each output.
    """
    texts, tokens = record.get("prediction"), record.get("prediction_tokens")
    if not isinstance(texts, list):
        return [record]
    own: list[dict] = [{}] * len(texts)
    if isinstance(tokens, list) and len(tokens) == len(texts):
        if all(isinstance(one, list) for one in tokens):
            own = [{"prediction_tokens": one} for one in tokens]
    plain = {key: value for key, value in record.items() if key not in dialogue.OF_PREDICTION}
    return [
        {
            **plain,
            "prediction": text,
            **tokens_of,
            "variant": history.variant(record, NBEST, number),
        }
        for number, (text, tokens_of) in enumerate(zip(texts, own, strict=True), 1)
    ]


def groups(records: Iterable[dict]) -> Iterator[list[dict]]:
    """Yield the groups of records that differ only in the output of a list, in order."""
    for source in history.groups(records):
        alike: dict[str, list[dict]] = {}  # variants need not be adjacent
        for record in source:
            alike.setdefault(_base(record), []).append(record)
        yield from alike.values()


def _base(record: dict) -> str:
    return _OWN.sub("", record.get("variant") or "")


def selected(
    group: list[dict],
    *,
    drop: Iterable[Drop],
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
    steps = (
        partial(_unique, drop=drop, echo=echo),
        partial(_good, where=where),
        partial(_best, rank=rank),
    )
    for step in steps:
        group = step(group, reject=reject) if group else group
    return group


def _unique(
    group: list[dict], drop: Iterable[Drop], echo: Iterable[str], reject: Reject
) -> list[dict]:
    """Return the records whose output is no repeat, no echo and not bare."""
    first, kept = group[0], []
    seen = {}
    if "repeats" in drop:
        texts = (first.get("text"), dialogue.text(dialogue.turns(first)))
        seen = {_collapsed(text): "a repeat of the input" for text in texts if text}
    echoes = [_collapsed(text).casefold() for text in echo]
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


def _good(group: list[dict], where: str | None, reject: Reject) -> list[dict]:
    """Return the records for which an expression is true; a null score is not."""
    if where is None:
        return group
    true, labels, kept = expressions.condition(where), expressions.labels(where), []
    for record in group:
        try:
            if true(scores(record, labels)):
                kept.append(record)
            else:
                reject(record, f"not {where}")
        except expressions.Unknown as error:
            reject(record, f"{error}, for {where}")
    return kept


def _best(group: list[dict], rank: str | None, reject: Reject) -> list[dict]:
    """Return the record with the highest rank, the first of equal ones, without nbest:N.

    Ranks that differ by rounding alone are equal.
    """
    if rank is None:
        return group
    value, labels, values = expressions.number(rank), expressions.labels(rank), dict[int, float]()
    for number, record in enumerate(group):
        try:
            values[number] = value(scores(record, labels))
        except expressions.Unknown as error:
            reject(record, f"{error}, for {rank}")
    if not values:
        return []
    place = reduce(
        lambda one, other: other if moments.order(values[other], values[one]) > 0 else one, values
    )
    for number in values:
        if number != place:
            reject(group[number], "not the best")
    return [_only(group[place])]


def _only(record: dict) -> dict:
    """Return the record without nbest:N in its variant."""
    variant = _base(record)
    if variant:
        return {**record, "variant": variant}
    return {key: value for key, value in record.items() if key != "variant"}


def scores(record: dict, labels: Iterable[str]) -> dict:
    """Return the scores of a record; RecordError if it was not scored by one of the labels."""
    found = record.get("scores") or {}
    signatures = [
        entry["signature"]
        for entry in record.get("history") or ()
        if isinstance(entry.get("signature"), dict)
    ]
    known = list(dict.fromkeys(chain(found, *signatures)))
    for label in labels:
        if label not in known:
            raise RecordError(
                f"no score {show(label)}{nearest(label, known)}; the record has "
                f"{show_names(known) or 'none'}",
                record,
            )
        score = found.get(label)
        if not isinstance(score, (bool, type(None))) and not is_number(score):  # NaN beats all
            raise RecordError(
                f"the score {show(label)} must be a number or null, not {show(score)}", record
            )
    return found
