r"""Telegram: chats as Telegram Desktop exports them in JSON (result.json).

The file holds one chat, or all of them; each is a record with its "id" and its
name as the "title".  A turn has its "time" in ISO 8601, and "forwarded_from" if it
was somebody else's.  Texts that are lists of entities (links, mentions, bold type)
are joined.  telegram:gap=60 makes a record of each conversation: it ends where
nobody wrote for 60 minutes.

Left out and counted: media without text, service messages (calls, who joined), and
chats without any text.  A deleted account speaks under its number.

>>> from io import BytesIO
>>> said = '{"type": "message", "date": "2024-03-05T15:45:00", "from": "Ann", "text": "Hi"}'
>>> chat = f'{{"name": "Ann", "type": "personal_chat", "id": 7, "messages": [{said}]}}'
>>> next(read(BytesIO(chat.encode())))[1]["dialogue"]
[{'speaker': 'Ann', 'text': 'Hi', 'time': '2024-03-05T15:45:00'}]
"""

from collections import Counter
from typing import BinaryIO

from dialtools.conversion import chats, items
from dialtools.plugins.format import Format
from dialtools.records import history
from dialtools.system.errors import RecordError, about, show

_LISTS = ("chats", "left_chats")


def read(file: BinaryIO, *, gap: int = 0) -> items.Placed:
    """Yield the record of each chat, or of each conversation; the whole file is held.

    gap: minutes of silence that end a conversation; 0: a chat is one.
    """
    value = items.document(file)
    if value == []:
        return
    if isinstance(value, dict) and "messages" in value:
        placed = [("1", value)]
    else:
        lists = [value[key] for key in _LISTS if key in value] if isinstance(value, dict) else []
        if not lists:
            raise RecordError('no export of Telegram: no "messages", no "chats"', place="1")
        with about(place="1"):
            listed = [chat for chat_list in lists for chat in items.objects(chat_list, "list")]
        placed = [(f"chat {number}", chat) for number, chat in enumerate(listed, 1)]
    chats_read = [(place, chat, *_turns(place, chat)) for place, chat in placed]
    empty = sum(not turns for _, _, turns, _ in chats_read)
    if empty == len(chats_read):
        raise RecordError("no chat has a message with a text", place="1")
    for place, chat, turns, counts in chats_read:
        if not turns:
            continue
        counts["chats_without_text"], empty = empty, 0  # counted with the first that has one
        signature = history.signature("telegram", gap=gap or None)
        title = {"title": chat["name"]} if isinstance(chat.get("name"), str) else {}
        for record in chats.records(turns, signature, counts, str(chat.get("id", "")), gap):
            yield place, {**record, **title}


def _turns(place: str, chat: dict) -> tuple[list[dict], Counter]:
    """Return the turns of a chat, and how much has no text."""
    counts: Counter[str] = Counter()
    turns = []
    with about(place=place):
        for message in items.objects(chat, "messages"):
            text = _text(message.get("text") or "")
            if message.get("type") == "service":
                counts["notices"] += 1
                continue
            if not text.strip():
                counts["media"] += 1
                continue
            speaker = message.get("from") or message.get("from_id") or message.get("actor")
            if not isinstance(speaker, str) or not speaker.strip():
                raise RecordError(f"nobody has written message {show(message.get('id'))}")
            turn = {"speaker": speaker, "text": text, "time": items.get(message, "date")}
            if message.get("forwarded_from"):
                turn["forwarded_from"] = message["forwarded_from"]
            turns.append(turn)
    return turns, counts


def _text(value: object) -> str:
    """Return a text: a string, or a list of strings and of entities with a text.

    >>> _text(["See ", {"type": "link", "text": "x.org"}, "!"])
    'See x.org!'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return value["text"]
    if isinstance(value, list):
        return "".join(map(_text, value))
    raise RecordError(f"a text is a string or a list of them, not {show(value)}")


def recognise(head: bytes) -> bool:
    """Tell whether it begins with an object with these keys, whose messages are dated."""
    is_chat, are_chats = (
        items.like("{", "type", *names)(head)
        for names in (("messages", "date", "from"), ("chats", "list"))
    )
    return is_chat or are_chats


FORMAT = Format(read, recognise=recognise)
