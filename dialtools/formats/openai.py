r"""OpenAI chats: messages with role and content, as for fine-tuning, requests and their logs.

An item is {"messages": [{"role", "content"}, …]}, in JSON Lines or a JSON array, or
a line of a batch file ("custom_id", "body"); a file with nothing but one list of
messages is a conversation, too.  The speaker of a turn is the message's "name",
else its role (user, assistant, tool).  Texts of the system or the developer at the
beginning are the "context".  The parts of a content are joined by line ends.

Left out and counted: messages without text, such as calls of tools alone, and parts
that are no text, such as pictures.  Other keys stay, "tool_calls" with its turn.

>>> from io import BytesIO
>>> said = b'{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}'
>>> list(read(BytesIO(b'{"messages": [' + said + b"]}")))
[('1', {'dialogue': [{'speaker': 'user', 'text': 'Hi'}], 'context': 'Be brief.'})]
"""

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import BinaryIO

from dialtools.conversion import items, messages
from dialtools.plugins.format import Format

_NAMES = messages.Names("openai", "role", "content")
_BARE = re.compile(rb'(\xef\xbb\xbf)?\s*\[\s*\{\s*"(role|content|name)"\s*:')


def read(file: BinaryIO) -> items.Placed:
    """Yield a record for each conversation; one line at a time, but a JSON array is held whole."""
    return items.each(_conversations(file), _record)


def _conversations(file: BinaryIO) -> items.Placed:
    """Yield the objects of JSON Lines, of a JSON array, or the only one, of several lines."""
    first = file.readline()
    while first.isspace():
        first = file.readline()
    rest: Iterable[bytes] = chain([first], file)
    if items.begins(first, b"{") and items.first_line(first) != "{":
        yield from items.json_lines(rest)
        return
    value = items.document(BytesIO(b"".join(rest)))
    if isinstance(value, list) and value and _is_message(value[0]):
        value = [{"messages": value}]
    yield from items.numbered(value if isinstance(value, list) else [value])


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "role" in value and "messages" not in value


def _record(item: dict) -> Iterator[dict]:
    body = item.get("body")
    if "messages" not in item and isinstance(body, dict):
        id = {"id": item["custom_id"]} if "custom_id" in item and "id" not in item else {}
        kept = {key: value for key, value in item.items() if key not in ("body", "custom_id")}
        item = {**id, **kept, **body}
    yield messages.record(item, items.get(item, "messages", list), _NAMES, "messages")


def recognise(head: bytes) -> bool:
    """Tell whether it begins with an object or a list of messages with these keys."""
    begins = items.begins(head, b"[") or items.begins(head, b"{")
    return bool(_BARE.match(head)) or (
        begins
        and {"messages", "role", "content"} <= items.keys(head)
        and not {"dialogue", "mapping"} & items.keys(head)
    )


FORMAT = Format(read, recognise=recognise)
