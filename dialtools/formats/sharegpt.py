r"""ShareGPT: conversations with a language model, as many fine-tuning sets have them.

An item is {"conversations": [{"from", "value"}, …]}, in a JSON array or JSON Lines;
"role" and "content" are understood, too.  The speakers keep their names (human,
gpt).  Texts of the system at the beginning, or under "system" in the item, are the
"context".  Messages without text are left out and counted.

>>> from io import BytesIO
>>> chat = b'[{"id": "a", "conversations": [{"from": "human", "value": "Hi"}]}]'
>>> list(read(BytesIO(chat)))
[('item 1', {'dialogue': [{'speaker': 'human', 'text': 'Hi'}], 'id': 'a'})]
"""

from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items, messages
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError

_KEYS = ("conversations", "conversation")


def read(file: BinaryIO) -> items.Placed:
    """Yield a record for each conversation; a JSON array is held whole."""
    return items.each(items.listed(file), _record)


def _record(item: dict) -> Iterator[dict]:
    key = next((key for key in _KEYS if key in item), _KEYS[0])
    said = items.get(item, key, list)
    if isinstance(item.get("system"), str):  # for us the system is who made a prediction
        if item.get("context") is not None:
            raise RecordError(
                'there is a "context", and a "system", which would be one, too; '
                "jq -c 'del(.context)' first leaves that out"
            )
        text = item["system"]
        item = {name: value for name, value in item.items() if name != "system"}
        item |= {"context": text} if text.strip() else {}
    is_openai = bool(said) and isinstance(said[0], dict) and "role" in said[0]
    names = ("role", "content") if is_openai else ("from", "value")
    yield messages.record(item, said, messages.Names("sharegpt", *names), key)


def recognise(head: bytes) -> bool:
    """Tell whether it begins with an object or a list of objects with these keys."""
    keys = items.keys(head)
    begins = items.begins(head, b"[") or items.begins(head, b"{")
    named = {"from", "value"} <= keys or {"role", "content"} <= keys
    return begins and "conversations" in keys and named and "dialogue" not in keys


FORMAT = Format(read, recognise=recognise)
