"""The outputs for one source: each as a record of its own, those worth keeping, the best of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Literal

from dialtools import expressions
from dialtools.errors import RecordError, nearest, show, show_names
from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.statistics import moments

Reject = Callable[[dict, str], None]
Drop = Literal["repeats", "bare"]

NBEST = "nbest"
_OWN = re.compile(rf"/?{NBEST}:[0-9]+$")


def exploded(record: dict) -> list[dict]:
    """Return a record for each output of an n-best list, as variants nbest:1, nbest:2, …

    What is told of them together is left out, such as scores.  Each has its own of the
    "prediction_tokens", where these are a list for each output.
    """
    texts, tokens = record.get("prediction"), record.get("prediction_tokens")
    if not isinstance(texts, list):
        return [record]
    own: list[dict] = [{}] * len(texts)
    if isinstance(tokens, list) and len(tokens) == len(texts) and all(isinstance(one, list) for one in tokens):
        own = [{"prediction_tokens": one} for one in tokens]
    plain = {key: value for key, value in record.items() if key not in dialogue.OF_PREDICTION}
    return [{**plain, "prediction": text, **own[number - 1], "variant": history.variant(record, NBEST, number)}
            for number, text in enumerate(texts, 1)]


def groups(records: Iterable[dict]) -> Iterator[list[dict]]:
    """Yield together the records that differ only in which output of a list they have, in the order of the first."""
    for source in history.groups(records):
        alike: dict[str, list[dict]] = {}  # variants need not stand together in it
        for record in source:
            alike.setdefault(_base(record), []).append(record)
        yield from alike.values()


def _base(record: dict) -> str:
    return _OWN.sub("", record.get("variant") or "")


def chosen(group: list[dict], *, drop: Iterable[Drop], echo: Iterable[str], keep: str | None, rank: str | None,
           reject: Reject) -> list[dict]:
    """Return what is left of the outputs for one source."""
    for record in group:
        if not isinstance(record.get("prediction"), str):
            raise RecordError("--drop, --echo, --keep and --rank look at one prediction a record: a list is made "
                              "into several by --explode", record)
    steps = (partial(_unique, drop=drop, echo=echo), partial(_good, keep=keep), partial(_best, rank=rank))
    for step in steps:
        group = step(group, reject=reject) if group else group
    return group


def _unique(group: list[dict], drop: Iterable[Drop], echo: Iterable[str], reject: Reject) -> list[dict]:
    """Return those whose output is neither like the input nor one that came before, no echo and not bare."""
    first, kept = group[0], []
    seen = {_collapsed(text): "a repeat of the input"
            for text in (first.get("text"), dialogue.text(dialogue.turns(first))) if text} if "repeats" in drop else {}
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


def _good(group: list[dict], keep: str | None, reject: Reject) -> list[dict]:
    """Return those of which an expression is true; a score that is null is a reason to reject."""
    if keep is None:
        return group
    true, kept = expressions.condition(keep), []
    for record in group:
        try:
            if true(_scores(record, keep)):
                kept.append(record)
            else:
                reject(record, f"not {keep}")
        except expressions.Unknown as error:
            reject(record, f"{error}, for {keep}")
    return kept


def _best(group: list[dict], rank: str | None, reject: Reject) -> list[dict]:
    """Return the record with the highest rank, the first of equal ones, as if it were the only output.

    Ranks that rounding alone keeps apart are equal.
    """
    if rank is None:
        return group
    value, values = expressions.number(rank), dict[int, float]()
    for number, record in enumerate(group):
        try:
            values[number] = value(_scores(record, rank))
        except expressions.Unknown as error:
            reject(record, f"{error}, for {rank}")
    if not values:
        return []
    place = reduce(lambda one, other: other if moments.order(values[other], values[one]) > 0 else one, values)
    for number in values:
        if number != place:
            reject(group[number], "not the best")
    return [_only(group[place])]


def _only(record: dict) -> dict:
    """Return the record with its variant called as before its output was one of several."""
    variant = _base(record)
    if variant:
        return {**record, "variant": variant}
    return {key: value for key, value in record.items() if key != "variant"}


def _scores(record: dict, text: str) -> dict:
    """Return the scores of a record; RecordError where a label of the expression is none that it was scored by."""
    scores = record.get("scores") or {}
    signatures = [entry["signature"] for entry in record.get("history") or ()
                  if isinstance(entry.get("signature"), dict)]
    known = list(dict.fromkeys([*scores, *(label for signature in signatures for label in signature)]))
    for label in expressions.labels(text):
        if label not in known:
            raise RecordError(f"no score {show(label)}{nearest(label, known)}; the record has "
                              f"{show_names(known) or 'none'}", record)
        score = scores.get(label)
        if not isinstance(score, (bool, type(None))) and not is_number(score):  # NaN would be better than any other
            raise RecordError(f"the score {show(label)} is a number or null, here is {show(score)}", record)
    return scores
