"""Conversations with a language model: messages with a role, made turns.

Messages of a system or a developer at the beginning are the "context".  A message without text,
such as a call of a tool alone, is left out and counted; so are pictures beside a text.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from dialtools.conversion import chats, items
from dialtools.system.errors import RecordError, show

INSTRUCTING = {"system", "developer"}
_CALLS = {"tool_calls", "function_call", "refusal", "audio"}  # in place of a content
_TEXTS = ("text", "input_text", "output_text", "summary_text")  # parts with a "text"


class Names(NamedTuple):
    """How a format calls the keys of a message."""

    format: str
    role: str
    content: str


def record(item: dict, messages: list, names: Names, *used: str) -> dict:
    """Return the record of a conversation, with the other keys of its item.

    used: keys of the item that are not kept.
    """
    counts: Counter[str] = Counter()
    turns = list(_turns(messages, names, counts))
    first = next(
        (at for at, turn in enumerate(turns) if turn["speaker"] not in INSTRUCTING), len(turns)
    )
    made: dict = {"dialogue": turns[first:]}
    if first:
        if item.get("context") is not None:
            raise RecordError(
                'there is a "context", and a message of the system, which would be '
                "one, too; jq -c 'del(.context)' first leaves that out"
            )
        made["context"] = "\n\n".join(turn["text"] for turn in turns[:first])
        used = (*used, "context")
    if not made["dialogue"]:
        raise RecordError("no message with a text but of the system")
    return chats.noted(items.keep(made, item, *used), names.format, counts)


def _turns(messages: list, names: Names, counts: Counter) -> Iterator[dict]:
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
        yield items.keep(
            {"speaker": speaker, "text": text},
            message,
            names.role,
            names.content,
            "name",
            "refusal",
        )


def _text(content: object, counts: Counter) -> str:
    """Return the text of a message, "" for none: a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise RecordError(f"the text of a message is a string or a list, not {show(content)}")
    texts = [_of_part(part) for part in content]
    counts["parts_without_text"] += sum(text is None for text in texts)
    return "\n".join(text for text in texts if text)


def _of_part(part: object) -> str | None:
    """Return the text of a part of a message, None for a picture, a sound or a file."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise RecordError(f"a part of a message must be an object, not {show(part)}")
    key = "refusal" if part.get("type") == "refusal" else "text"
    text = part.get(key) if part.get("type") in (*_TEXTS, "refusal") else None
    return text if isinstance(text, str) else None
