"""RealPersonaChat: Japanese chats between real people, with their ratings.

A file holds one dialogue, as published, or one a line.  The speakers keep
their letter codes; "utterance_id" and "timestamp" stay with the turn,
"interlocutors" and the ratings ("evaluations") with the record.

Source: Yamashita et al. 2023, https://aclanthology.org/2023.paclic-1.85.

>>> from io import BytesIO
>>> turn = '{"utterance_id": 0, "interlocutor_id": "AA", "text": "どうも"}'
>>> item = f'{{"dialogue_id": 3, "interlocutors": ["AA", "AB"], "utterances": [{turn}]}}'
>>> found = read(BytesIO(item.encode()))
>>> next(found)[1]["dialogue"]
[{'speaker': 'AA', 'text': 'どうも', 'utterance_id': 0}]
"""

from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format


def read(file: BinaryIO, *, lang: str = "ja") -> items.Placed:
    """Yield a record for each dialogue."""
    return items.each(items.listed(file), record, lang)


def record(item: dict) -> Iterator[dict]:
    turns = [
        items.turn(utterance, items.get(utterance, "interlocutor_id"), "text", "interlocutor_id")
        for utterance in items.objects(item, "utterances")
    ]
    record = {"id": items.get(item, "dialogue_id", object), "dialogue": turns}
    yield items.keep(record, item, "dialogue_id", "utterances")


FORMAT = Format(read, recognise=items.like("{", "interlocutors", "utterances"))
