"""Conversations made turns: chats of messengers, and messages to and from a language model.

A chat is one record, or several where nobody wrote for a while.  Messages to a language model have
a role; those of a system or a developer at the beginning are the "context".  A message without
text, such as a call of a tool alone, is left out and counted; so are pictures beside a text.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from dialtools.conversion import items
from dialtools.records import history
from dialtools.system.errors import RecordError, show

BY = "dt-convert"
INSTRUCTING = {"system", "developer"}
_CALLS = {"tool_calls", "function_call", "refusal", "audio"}  # in place of a content
_TEXTS = ("text", "input_text", "output_text", "summary_text")  # parts with a "text"


def records(
    turns: Sequence[dict], signature: str, counts: Mapping[str, int], id: str = "", gap: int = 0
) -> Iterator[dict]:
    """Yield the record of a chat, or a record for each conversation in it.

    turns: with a "time" in ISO 8601, or as it was written.
    counts: what was left out, for the history of the first record.
    gap: minutes without a message that end a conversation; 0: they are all one.
    """
    conversations: list[list[dict]] = [[]]
    last: datetime | None = None
    for turn in turns:
        time = None  # that cannot be told ends no conversation
        with suppress(ValueError):
            time = datetime.fromisoformat(turn.get("time") or "")
        if gap and time and last and time - last > timedelta(minutes=gap):
            conversations.append([])
        conversations[-1].append(turn)
        last = time or last
    left_out = {name: count for name, count in counts.items() if count}
    for number, conversation in enumerate(conversations, 1):
        record: dict = {"id": id} if id else {}
        if id and len(conversations) > 1:
            record = {"id": f"{id}-{number}", "cluster": id}
        record["dialogue"] = conversation
        counted = {"messages": len(conversation), **(left_out if number == 1 else {})}
        yield history.add(record, BY, signature, counts=counted)


class MessageKeys(NamedTuple):
    """How a format calls the keys of a message."""

    format: str
    role: str
    content: str


def of_messages(item: dict, messages: list, names: MessageKeys, *used: str) -> dict:
    """Return the record of a conversation with a model, with the other keys of its item.

    used: keys of the item that are not kept.
    """
    counts: Counter[str] = Counter()
    turns = list(_turns(messages, names, counts))
    roles = [turn["speaker"] in INSTRUCTING for turn in turns]
    first = roles.index(False) if False in roles else len(turns)
    record: dict = {"dialogue": turns[first:]}
    if first:
        if item.get("context") is not None:
            raise RecordError(
                'there is a "context", and a message of the system, which would be '
                "one, too; jq -c 'del(.context)' first leaves that out"
            )
        record["context"] = "\n\n".join(turn["text"] for turn in turns[:first])
        used = (*used, "context")
    if not record["dialogue"]:
        raise RecordError("no message with a text but of the system")
    record = items.keep(record, item, *used)
    left_out = {name: count for name, count in counts.items() if count}
    if not left_out:
        return record
    return history.add(record, BY, history.signature(names.format), counts=left_out)


def _turns(messages: list, names: MessageKeys, counts: Counter) -> Iterator[dict]:
    for message in messages:
        if not isinstance(message, dict):
            raise RecordError(f"a message must be an object, not {show(message)}")
        role = items.get(message, names.role)
        if not _CALLS & message.keys():
            items.get(message, names.content, object)
        text = _text(message.get(names.content), counts)
        if not text and isinstance(message.get("refusal"), str):
            text = message["refusal"]
        if not text.strip():
            counts["messages_without_text"] += 1
            continue
        name = message.get("name")
        speaker = name if isinstance(name, str) and name.strip() else role
        if not speaker.strip():
            raise RecordError(f"a message of nobody: {show(message)}")
        used = (names.role, names.content, "name", "refusal")
        yield items.keep({"speaker": speaker, "text": text}, message, *used)


def _text(content: object, counts: Counter) -> str:
    """Return the text of a message, "" for none: a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise RecordError(f"the text of a message is a string or a list, not {show(content)}")
    texts = []
    for part in content:
        if not isinstance(part, (str, dict)):
            raise RecordError(f"a part of a message must be an object, not {show(part)}")
        text: object = part
        if isinstance(part, dict):  # else it may be a picture, a sound or a file
            kind = part.get("type")
            key = "refusal" if kind == "refusal" else "text" if kind in _TEXTS else ""
            text = part.get(key)
        if isinstance(text, str):
            texts.append(text)
        else:
            counts["parts_without_text"] += 1
    return "\n".join(filter(None, texts))
