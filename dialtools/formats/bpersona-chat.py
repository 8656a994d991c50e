"""BPersona-chat: English and Japanese chats, each turn with a translation judged good or bad.

A line is {"chat_id", "direction", "system", "turns": [{"person", "source",
"translation", "good"}, …]}.  A turn's text is its source; the translation and
the judgement (y, n, u, null) stay with it.  "lang" is the language of the
source, the first of the direction.  The chats of several systems share their
ids.  A turn without a person gets #Person1#.

Source: Li et al. 2022, https://github.com/cl-tohoku/BPersona-chat.

>>> from io import BytesIO
>>> turn = b'{"person": "person 1", "source": "hi", "translation": "salut", "good": "y"}'
>>> head = b'{"chat_id": "7", "direction": "en-fr", "system": "human", "turns": ['
>>> found = read(BytesIO(head + turn + b"]}"))
>>> next(found)[1]["dialogue"]
[{'speaker': 'person 1', 'text': 'hi', 'translation': 'salut', 'good': 'y'}]
"""

from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show


def read(file: BinaryIO) -> items.Placed:
    """Yield a record for each chat."""
    return items.each(items.json_lines(file), _record)


def _record(item: dict) -> Iterator[dict]:
    direction = items.get(item, "direction")
    lang, hyphen, into = direction.partition("-")
    if not (lang and into):
        raise RecordError(
            f"a direction must be two languages, such as en-ja, not {show(direction)}"
        )
    turns = [_turn(turn) for turn in items.objects(item, "turns")]
    yield items.keep(
        {
            "id": items.get(item, "chat_id", object),
            "lang": lang,
            "dialogue": turns,
            "system": items.get(item, "system"),
        },
        item,
        "chat_id",
        "turns",
    )


def _turn(turn: dict) -> dict:
    nobody = items.get(turn, "person", object) is None
    speaker = items.speaker(0) if nobody else items.get(turn, "person")
    return items.keep(
        {"speaker": speaker, "text": items.get(turn, "source")}, turn, "person", "source"
    )


def recognise(head: bytes) -> bool:
    """Tell whether it begins with an object with these keys."""
    return items.begins(head, b"{") and {"chat_id", "direction", "turns"} <= items.keys(head)


FORMAT = Format(read, recognise=recognise)
