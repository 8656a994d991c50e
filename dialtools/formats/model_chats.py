r"""Conversations with a language model, as for fine-tuning, requests and their logs.

openai: an item is {"messages": [{"role", "content"}, …]}, in JSON Lines or a JSON array, or a line
of a batch file ("custom_id", "body"); a file with nothing but one list of messages is a
conversation, too.  The speaker of a turn is the message's "name", else its role (user, assistant,
tool).  Texts of the system or the developer at the beginning are the "context".  The parts of a
content are joined by line ends.

sharegpt: an item is {"conversations": [{"from", "value"}, …]}, in a JSON array or JSON Lines;
"role" and "content" are understood, too.  The speakers keep their names (human, gpt).  Texts of the
system at the beginning, or under "system" in the item, are the "context".

Left out and counted: messages without text, such as calls of tools alone, and parts that are no
text, such as pictures.  Other keys stay, "tool_calls" with its turn.

>>> from io import BytesIO
>>> chat = b'{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}'
>>> list(openai.read(BytesIO(b'{"messages": [' + chat + b"]}")))
[('1', {'dialogue': [{'speaker': 'user', 'text': 'Hi'}], 'context': 'Be brief.'})]
>>> chat = b'[{"id": "a", "conversations": [{"from": "human", "value": "Hi"}]}]'
>>> list(sharegpt.read(BytesIO(chat)))
[('item 1', {'dialogue': [{'speaker': 'human', 'text': 'Hi'}], 'id': 'a'})]
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import chats, items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError

_OPENAI = chats.MessageKeys("openai", "role", "content")
_BARE = re.compile(rb'(\xef\xbb\xbf)?\s*\[\s*\{\s*"(role|content|name)"\s*:')
_CONVERSATIONS = ("conversations", "conversation")


def read_openai(file: BinaryIO) -> items.Placed:
    """Yield a record for each conversation; one line at a time, but a JSON array is held whole."""

    def of_list(values: list) -> list:
        """Return conversations; a list of messages is one."""
        first = values[0] if values else None
        is_message = isinstance(first, dict) and "role" in first and "messages" not in first
        return [{"messages": values}] if is_message else values

    return items.each(items.listed(file, of_list), of_openai)


def of_openai(item: dict) -> Iterator[dict]:
    body = item.get("body")
    if "messages" not in item and isinstance(body, dict):
        id = {"id": item["custom_id"]} if "custom_id" in item and "id" not in item else {}
        request = {key: value for key, value in item.items() if key not in ("body", "custom_id")}
        item = {**id, **request, **body}
    yield chats.of_messages(item, items.get(item, "messages", list), _OPENAI, "messages")


def is_openai_file(head: bytes) -> bool:
    """Tell whether it begins with an object or a list of messages with these keys."""
    return bool(_BARE.match(head)) or (
        items.like("{[", "messages", "role", "content")(head)
        and not {"dialogue", "mapping"} & items.keys(head)
    )


def read_sharegpt(file: BinaryIO) -> items.Placed:
    """Yield a record for each conversation; a JSON array is held whole."""
    return items.each(items.listed(file), of_sharegpt)


def of_sharegpt(item: dict) -> Iterator[dict]:
    key = next((key for key in _CONVERSATIONS if key in item), _CONVERSATIONS[0])
    messages = items.get(item, key, list)
    system = item.get("system")
    if isinstance(system, str):  # for us the system is who made a prediction
        if item.get("context") is not None:
            raise RecordError(
                'there is a "context", and a "system", which would be one, too; '
                "jq -c 'del(.context)' first leaves that out"
            )
        item = {name: value for name, value in item.items() if name != "system"}
        item |= {"context": system} if system.strip() else {}
    is_openai = bool(messages) and isinstance(messages[0], dict) and "role" in messages[0]
    names = ("role", "content") if is_openai else ("from", "value")
    yield chats.of_messages(item, messages, chats.MessageKeys("sharegpt", *names), key)


def is_sharegpt(head: bytes) -> bool:
    """Tell whether it begins with an object or a list of objects with these keys."""
    keys = items.keys(head)
    has_messages = {"from", "value"} <= keys or {"role", "content"} <= keys
    return has_messages and "dialogue" not in keys and items.like("{[", "conversations")(head)


openai = Format(
    read_openai,
    recognise=is_openai_file,
    summary="OpenAI chats: messages with role and content, as for fine-tuning, requests and their "
    "logs.",
)
sharegpt = Format(
    read_sharegpt,
    recognise=is_sharegpt,
    summary="ShareGPT: conversations with a language model, as many fine-tuning sets have them.",
)
