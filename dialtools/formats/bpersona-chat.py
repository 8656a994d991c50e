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
>>> found = FORMAT.read(BytesIO(head + turn + b"]}"))
>>> next(found)[1]["dialogue"]
[{'speaker': 'person 1', 'text': 'hi', 'translation': 'salut', 'good': 'y'}]
"""

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show


def record(item: dict) -> dict:
    direction = items.get(item, "direction")
    lang, hyphen, into = direction.partition("-")
    if not (lang and into):
        raise RecordError(
            f"a direction must be two languages, such as en-ja, not {show(direction)}"
        )
    turns = []
    for turn in items.objects(item, "turns"):
        is_nobody = items.get(turn, "person", object) is None
        speaker = items.speaker(0) if is_nobody else items.get(turn, "person")
        turns.append(items.turn(turn, speaker, "source", "person"))
    converted = {
        "id": items.get(item, "chat_id", object),
        "lang": lang,
        "dialogue": turns,
        "system": items.get(item, "system"),
    }
    return items.keep(converted, item, "chat_id", "turns")


FORMAT = Format(
    items.reader(items.json_lines, record),
    recognise=items.like("{", "chat_id", "direction", "turns"),
)
