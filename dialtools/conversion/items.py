"""The items of a data file (lines, JSON objects), each with its place in the file.

A format reads items and makes records of each:

    def read(file):
        return items.each(items.array(file), _records)

A place, which errors name, is the number of a line, or "item N" in a JSON array,
N from 1.  An empty file has no items in any format.  Rows of tables are in
`rows.py`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO, TypeVar

from dialtools import registry
from dialtools.errors import RecordError, about, show, show_names
from dialtools.files import BOM, without_bom
from dialtools.records import jsonl as records

Item = TypeVar("Item")

OF_LINES = "; if it is an object of several lines, jq -c . makes it one line"
_KINDS = {str: "a string", bool: "true or false", list: "a list", dict: "an object"}
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(:?)', re.DOTALL)


def each(found: Iterable[tuple[str, Item]], make: Callable[[Item], Iterable[dict]],
         lang: str | None = None) -> Iterator[tuple[str, dict]]:
    """Yield (place, record) for each record made of each item; errors get the place.

    lang: language of records that name none.
    """
    for place, item in found:
        with about(place=place):
            for record in make(item):
                if lang is not None and record.get("lang") is None:
                    record = record | {"lang": lang}
                yield place, record


def lines(file: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield (number, line), each with its "\\n"; a BOM is dropped."""
    for number, data in enumerate(without_bom(file), 1):
        try:
            line = data.decode()
        except UnicodeDecodeError as error:
            raise RecordError(records.not_utf8(error).reason, place=str(number)) from None
        if line:
            yield str(number), line


def unended(line: str) -> str:
    """Return a line without its end."""
    return line.removesuffix("\n").removesuffix("\r")


def json_lines(file: Iterable[bytes]) -> Iterator[tuple[str, dict]]:
    """Yield (number, object) for each line that is not blank."""
    import jsonlines

    number = 0
    reader = jsonlines.Reader(file, loads=_loads)  # type: ignore[arg-type]
    try:
        for number, item in enumerate(reader.iter(allow_none=True), 1):
            if item is not None:
                yield str(number), item  # type: ignore[misc]
    except jsonlines.InvalidLineError as error:
        cause = error.__cause__
        reason = error.message
        if isinstance(cause, UnicodeDecodeError):
            reason = records.not_utf8(cause).reason
        raise RecordError(reason, place=str(error.lineno)) from None
    except RecordError as error:
        raise RecordError(error.reason, place=str(number + 1)) from None


def _loads(line: str) -> dict | None:
    """Return the object of a line, None for a blank line."""
    return records.loads(line.encode()) if line.strip() else None


def listed(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield the objects of JSON Lines or of a JSON array."""
    held = []  # up to the first line that is not blank
    for line in file:
        held.append(line)
        if first_line(line):
            break
    if held and begins(held[-1], b"{"):
        return json_lines(chain(held, file))
    return array(BytesIO(b"".join(held) + file.read()))


def array(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield ("item N", object) of each item of a JSON array."""
    value = document(file)
    if not isinstance(value, list):
        raise RecordError(f"expected a JSON array, not {show(value, 30)}"
                          f"{OF_LINES if isinstance(value, dict) else ''}", place="1")
    yield from numbered(value)


def numbered(values: list) -> Iterator[tuple[str, dict]]:
    """Yield ("item N", object) of each item of a list."""
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict):
            remedy = "; jq -c '.[] | {dialogue: .}' makes objects of lists of turns"
            remedy = remedy if isinstance(value, list) else ""
            raise RecordError(f"an item must be an object, not {show(value, 30)}{remedy}",
                              place=f"item {number}")
        yield f"item {number}", value


def document(file: BinaryIO) -> Any:
    """Return the JSON value of a whole file; [] for an empty file."""
    data = file.read().removeprefix(BOM)
    if not data or data.isspace():
        return []
    return records.parse(data)


def get(item: dict, key: str, kind: type = str) -> Any:
    """Return item[key]; RecordError if it is missing or of another kind."""
    if not isinstance(item, dict):
        raise RecordError(f"not an object: {show(item)}")
    if key not in item:
        raise RecordError(f'no "{key}"; there is {show_names(item) or "nothing"}')
    if kind is not object and type(item[key]) is not kind:
        raise RecordError(f'"{key}" must be {_KINDS[kind]}, not {show(item[key])}')
    return item[key]


def objects(item: dict, key: str) -> list[dict]:
    """Return item[key], a list of objects."""
    for value in get(item, key, list):
        if not isinstance(value, dict):
            raise RecordError(f'"{key}" must be a list of objects, not {show(value)}')
    return item[key]


def keep(record: dict, item: dict, *used: str) -> dict:
    """Return the record with all other keys of the item but the used ones."""
    return record | {key: value for key, value in item.items()
                     if key not in used and key not in record}


def speaker(number: int) -> str:
    """Return the label of the speaker of turn `number` (from 0) if two take turns without names."""
    return f"#Person{number % 2 + 1}#"


def written(to: str, found: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of records in a format."""
    return (line.encode() for line in registry.load("formats", to, "write").call(found))


def begins(head: bytes, mark: bytes) -> bool:
    """Does a file begin with a mark, ignoring white space and a BOM?"""
    return head.removeprefix(BOM).lstrip().startswith(mark)


def keys(head: bytes) -> set[str]:
    """Return the keys of JSON objects in the first bytes of a file."""
    return {name for name, colon in _STRING.findall(head.decode(errors="replace")) if colon}


def first_line(head: bytes) -> str:
    """Return the first line that is not blank, without its end; "" if there is none."""
    lines = head.removeprefix(BOM).splitlines()
    return next((line.decode(errors="replace") for line in lines if line.strip()), "")
