"""Dialogues cut before their last turn, which becomes the reference."""

from collections.abc import Iterable, Iterator

from dialtools.records import dialogue, edits
from dialtools.system.errors import RecordError


def cut(records: Iterable[dict]) -> Iterator[dict]:
    """Yield each record without its last turn, whose text replaces the reference.

    Raise RecordError for a dialogue of fewer than two turns, or with a last turn that is empty,
    perturbed or renamed: each variant would have a reference of its own.

    >>> list(cut([{"id": 1, "dialogue": "Ann: Hi\\nBob: Hello", "reference": "A greeting."}]))
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
        last = len(turns) - 1
        begun, _ = edits.apply(record, [["/dialogue", last, last + 1, turns[last:], []]])
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
