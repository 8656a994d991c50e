"""Dialogues cut before their last turn, which becomes the reference: what is to be said next."""

from collections.abc import Iterable, Iterator

from dialtools import dialogue, edits
from dialtools.errors import RecordError


def cut(records: Iterable[dict]) -> Iterator[dict]:
    """Yield each record without its last turn, the text of which is the reference, whatever that was before.

    A dialogue of fewer than two turns, or whose last turn has no text, is a RecordError.

    >>> list(cut([{"id": 1, "dialogue": "Ann: Hi\\nBob: Hello", "reference": "A greeting."}]))
    [{'id': 1, 'dialogue': 'Ann: Hi', 'reference': 'Hello'}]
    """
    for record in records:
        turns = dialogue.turns(record)
        if len(turns) < 2 or not turns[-1]["text"].strip():
            raise RecordError("no next response: that needs two turns, the last with a text", record)
        last = len(turns) - 1
        begun, _ = edits.apply(record, [["/dialogue", last, last + 1, turns[last:], []]])
        begun.pop("reference_tokens", None)
        yield {**begun, "reference": turns[-1]["text"]}
