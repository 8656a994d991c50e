"""Dialogues cut: before their last turn, which becomes the reference, or after each turn."""

from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.records import dialogue, edits
from dialtools.system.errors import RecordError

GOES_ON, ENDS = "goes on", "ends"
_WORK = "cut dialogues"  # which is done before there are predictions


def before_last(records: Iterable[dict], overwrite: bool = False) -> Iterator[dict]:
    """Yield each record without its last turn, whose text replaces the reference.

    Raise RecordError for a dialogue of fewer than two turns, or with a last turn that is empty,
    perturbed or renamed: each variant would have a reference of its own; and for one with a
    prediction, unless `overwrite` drops that.

    >>> list(before_last([{"id": 1, "dialogue": "Ann: Hi\\nBob: Hello", "reference": "Greetings"}]))
    [{'id': 1, 'dialogue': 'Ann: Hi', 'reference': 'Hello'}]
    """
    for record in records:
        turns = dialogue.turns(record)
        if len(turns) < 2 or not turns[-1]["text"].strip():
            raise RecordError("no next response: it needs two turns, the last with a text", record)
        by = _changed_by(record, turns[-1])
        if by:
            raise RecordError(
                f"the last turn, the new reference, was changed by {by}: cut dialogues first",
                record,
            )
        begun = _first(dialogue.unpredicted(record, overwrite, _WORK), turns, len(turns) - 1)
        begun.pop("reference_tokens", None)
        yield {**begun, "reference": turns[-1]["text"]}


def _changed_by(record: dict, last: dict) -> str | None:
    """Return the filter that changed the last turn by edits not undone since, or None."""
    entries = record.get("history") or []
    undone = {entry["undoes"] for entry in entries if "undoes" in entry}
    for number, entry in reversed(list(enumerate(entries))):
        if entry.get("edits") and number not in undone:
            record = edits.undo(record, entry["edits"])
            before = dialogue.turns(record)[-1:]
            texts = [(turn["speaker"], turn["text"]) for turn in before]
            if texts != [(last["speaker"], last["text"])]:
                return entry.get("by")
    return None


def after_each(records: Iterable[dict], overwrite: bool = False) -> Iterator[dict]:
    """Yield for each turn of a record the dialogue up to it; "label" is whether it goes on.

    "interlocutor" is who would answer: the last speaker before the turn who is somebody else, or,
    at the beginning, the first one after it. "cluster" keeps the records of a dialogue together.
    Raise RecordError for a record without turns, with a label of its own, or changed by a filter,
    whose edits no longer fit a part of it; and for one with a prediction, unless `overwrite` drops
    that.

    >>> parts = list(after_each([{"id": 7, "dialogue": "Ann: Hi\\nBob: Hello\\nAnn: Bye"}]))
    >>> [(part["id"], part["interlocutor"], part["label"]) for part in parts]
    [('7-1', 'Bob', 'goes on'), ('7-2', 'Ann', 'goes on'), ('7-3', 'Bob', 'ends')]
    >>> parts[1]["dialogue"], parts[1]["cluster"]
    ('Ann: Hi\\nBob: Hello', '7')
    """
    for record in records:
        turns = dialogue.turns(record)
        if not turns:
            raise RecordError("no turn that could be the last", record)
        if "label" in record:
            raise RecordError('it has a "label" already: call that otherwise (--field)', record)
        edited = (entry.get("by") for entry in record.get("history") or () if entry.get("edits"))
        by = next(edited, None)
        if by:
            reason = f"the dialogue was changed by {by}: cut dialogues first"
            raise RecordError(reason, record)
        record = dialogue.unpredicted(record, overwrite, _WORK)
        for number in range(1, len(turns) + 1):
            part = _first(record, turns, number)
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
    speaker = turns[number - 1]["speaker"]
    near = [*reversed(turns[: number - 1]), *turns[number:]]
    return next((turn["speaker"] for turn in near if turn["speaker"] != speaker), None)


def _first(record: dict, turns: list[dict], number: int) -> dict:
    """Return a record with its first turns alone."""
    later = turns[number:]
    edit = [["/dialogue", number, len(turns), later, []]] if later else []
    return edits.apply(record, edit)[0]
