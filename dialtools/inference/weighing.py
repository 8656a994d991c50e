"""What an output hangs on: parts of what is read, with a weight for what each does for the output.

A part is a token, weighed by gradients or attention (models/attributions.py), or what may be left
out of a record (locating.units), weighed by what the value of the output loses without it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from dialtools.inference import identity_check, inputs, locating, views
from dialtools.inference.continuations import ContinuationModel
from dialtools.inference.locating import Located, TextPlace
from dialtools.models import attributions, likelihoods
from dialtools.models.likelihoods import Query
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.system.errors import RecordError


class WeighedPart(NamedTuple):
    """A part of what is read, with its weight; places: in the record, none of a part of no text."""

    places: list[TextPlace]
    is_name: bool
    weight: float


class ReadRecord(NamedTuple):
    """A record as it is read, and the outputs that its value is of.

    outputs: (1, the prediction), and (-1, what it is compared with).
    is_cut: the output has no end.
    """

    record: dict
    located: Located
    outputs: list[tuple[int, str]]
    is_cut: bool


class Weighed(NamedTuple):
    """What an output hangs on; value: what is explained, the sum over a case's outputs."""

    value: float
    parts: list[WeighedPart]
    counts: dict[str, int]


# of (a view, its case): the value and counts
Values = Callable[[list[tuple[dict, ReadRecord]]], list[tuple[float, dict[str, int]]]]


def tokens(
    cases: list[ReadRecord], reader: ContinuationModel, method: attributions.Method, size: int
) -> list[Weighed]:
    """Return the tokens that a model reads as weighed parts."""
    reads = [reader.read(case.located.view) for case in cases]
    rows = [
        [_asked(reader, read, text, case) for _, text in case.outputs]
        for read, case in zip(reads, cases, strict=True)
    ]
    distinct = list(dict.fromkeys(row for of_case in rows for row in of_case))
    weights = attributions.weights(method, reader.network, distinct, size)
    known = dict(zip(distinct, weights, strict=True))
    results = []
    for case, read, of_case in zip(cases, reads, rows, strict=True):
        signed = [(sign, *known[row]) for (sign, _), row in zip(case.outputs, of_case, strict=True)]
        parts = []
        for number, (start, end) in enumerate(read.places):
            place = case.located.token(start, end)
            weight = math.fsum(sign * of_row[number] for sign, _, of_row in signed)
            parts.append(WeighedPart([place] if place else [], read.names[number] > 0, weight))
        value = math.fsum(sign * value for sign, value, _ in signed)
        results.append(Weighed(value, parts, {"truncated": int(read.facts["truncated"])}))
    return results


def _asked(reader: ContinuationModel, read: inputs.Read, text: str, case: ReadRecord) -> Query:
    return reader.asked(read, reader.tokens(text, case.located.view, not case.is_cut), case.record)


def left_out(cases: list[ReadRecord], ask: views.Ask, values: Values) -> list[Weighed]:
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
    results = []
    for of_case in units:
        value, counts = next(known)
        parts = [WeighedPart(unit.places, unit.is_name, value - next(known)[0]) for unit in of_case]
        results.append(Weighed(value, parts, counts))
    return results


def by_likelihoods(
    reader: ContinuationModel, size: int, asked: list[tuple[dict, ReadRecord]]
) -> list[tuple[float, dict[str, int]]]:
    """Return the value of each case where a view of it is read, by a model's likelihoods."""
    reads = [reader.read(view) for view, _ in asked]
    rows = [
        [_asked(reader, read, text, case) for _, text in case.outputs]
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


def by_likeness(
    spec: str, options: dict, asked: list[tuple[dict, ReadRecord]]
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
