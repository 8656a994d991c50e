"""JSON Lines: one record a line, as every command reads and writes them.

Blank lines and a BOM are skipped.  Integers of any size are exact; NaN is an
error, and so is a line that is not a JSON object.

>>> from io import BytesIO
>>> list(read(BytesIO(b'{"id": 7, "text": "Hi"}')))
[('1', {'id': 7, 'text': 'Hi'})]
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.records import jsonl as records
from dialtools.system.errors import RecordError


def read(file: BinaryIO) -> items.Placed:
    """Yield the object on each line."""
    return items.json_lines(file)


def write(found: Iterable[dict]) -> Iterator[str]:
    """Yield each record as a line."""
    return (records.dumps(record).decode() for record in found)


def recognise(head: bytes) -> bool:
    """Is the first line a JSON object?  It may be longer than the head."""
    line = items.first_line(head)
    try:
        return isinstance(records.parse(line.encode()), dict)
    except RecordError:
        return line.startswith("{") and bool(items.keys(head)) and b"\n" not in head.strip()


FORMAT = Format(read, recognise=recognise, write=write)
