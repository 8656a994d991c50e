"""Dialogues cut after each turn, with whether they go on."""

from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.records import dialogue, edits
from dialtools.system.errors import RecordError

GOES_ON, ENDS = "goes on", "ends"


def each(records: Iterable[dict]) -> Iterator[dict]:
    """Yield for each turn of a record the dialogue up to it; "label" is whether it goes on.

    "interlocutor" is who would answer: the last speaker before the turn who is somebody else, or,
    at the beginning, the first one after it. "cluster" keeps the records of a dialogue together.
    Raise RecordError for a record without turns, with a label of its own, or changed by a filter,
    whose edits no longer fit a part of it.

    >>> found = list(each([{"id": 7, "dialogue": "Ann: Hi\\nBob: Hello\\nAnn: Bye"}]))
    >>> [(part["id"], part["interlocutor"], part["label"]) for part in found]
    [('7-1', 'Bob', 'goes on'), ('7-2', 'Ann', 'goes on'), ('7-3', 'Bob', 'ends')]
    >>> found[1]["dialogue"], found[1]["cluster"]
    ('Ann: Hi\\nBob: Hello', '7')
    """
    for record in records:
        turns = dialogue.turns(record)
        _check(record, turns)
        for number in range(1, len(turns) + 1):
            part, _ = edits.apply(record, _cut(turns, number))
            part["id"] = f"{record['id']}-{number}"
            part["cluster"] = record.get("cluster") or str(record["id"])
            listener = interlocutor(turns, number)
            if listener is not None:
                part["interlocutor"] = listener
            part["label"] = ENDS if number == len(turns) else GOES_ON
            yield part


def interlocutor(turns: list[dict], number: int) -> Any:
    """Return who would answer the turn of a number, counted from 1; None if nobody else speaks.

    >>> interlocutor([{"speaker": "Ann"}, {"speaker": "Bob"}, {"speaker": "Bob"}], 3)
    'Ann'
    """
    own = turns[number - 1]["speaker"]
    near = [*reversed(turns[: number - 1]), *turns[number:]]
    return next((turn["speaker"] for turn in near if turn["speaker"] != own), None)


def _cut(turns: list[dict], number: int) -> list[list]:
    """Return the edit that leaves the first turns."""
    rest = turns[number:]
    return [["/dialogue", number, len(turns), rest, []]] if rest else []


def _check(record: dict, turns: list[dict]) -> None:
    if not turns:
        raise RecordError("no turn that could be the last", record)
    if "label" in record:
        raise RecordError('it has a "label" already: call that otherwise (--field)', record)
    by = next(
        (entry.get("by") for entry in record.get("history") or () if entry.get("edits")), None
    )
    if by:
        raise RecordError(f"the dialogue was changed by {by}: cut dialogues first", record)
