"""Dialogues cut before their last turn, which becomes the reference: what is to be said next."""

from collections.abc import Iterable, Iterator

from dialtools.errors import RecordError
from dialtools.records import dialogue, edits


def cut(records: Iterable[dict]) -> Iterator[dict]:
    """Yield each record without its last turn, the text of which is the reference, whatever that was before.

    A dialogue of fewer than two turns, or whose last turn has no text, or one that was perturbed or renamed, is a
    RecordError: each variant would have a reference of its own.

    >>> list(cut([{"id": 1, "dialogue": "Ann: Hi\\nBob: Hello", "reference": "A greeting."}]))
    [{'id': 1, 'dialogue': 'Ann: Hi', 'reference': 'Hello'}]
    """
    for record in records:
        turns = dialogue.turns(record)
        if len(turns) < 2 or not turns[-1]["text"].strip():
            raise RecordError("no next response: that needs two turns, the last with a text", record)
        by = _changed_by(record, turns[-1])
        if by:
            raise RecordError(f"the last turn, which is to be the reference, was changed by {by}: cut dialogues first",
                              record)
        last = len(turns) - 1
        begun, _ = edits.apply(record, [["/dialogue", last, last + 1, turns[last:], []]])
        begun.pop("reference_tokens", None)
        yield {**begun, "reference": turns[-1]["text"]}


def _changed_by(record: dict, last: dict) -> str | None:
    """Return which filter changed the last turn by edits that were not undone since, None where none did."""
    entries = record.get("history") or []
    undone = {entry["undoes"] for entry in entries if "undoes" in entry}
    for number, entry in reversed(list(enumerate(entries))):
        if entry.get("edits") and number not in undone:
            record = edits.undo(record, entry["edits"])
            before = dialogue.turns(record)[-1:]
            if [(turn["speaker"], turn["text"]) for turn in before] != [(last["speaker"], last["text"])]:
                return entry.get("by")
    return None
