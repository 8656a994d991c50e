"""The items of a data file (lines, JSON objects), each with its place in the file.

A format reads items and makes records of each:

    FORMAT = Format(items.reader(items.array, record, lang="en"), recognise=items.like("[", "id"))

A place, which errors name, is the number of a line, or "item N" in a JSON array,
N from 1.  An empty file has no items in any format.  Rows of tables are in
`rows.py`.

An item that is wrong by itself is yielded as its RecordError, so that --on-error
can go on after it; one that makes the rest of the file unreadable is raised.

A format is recognised by the beginning of a file: `like` tells what that must hold.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import chain, count
from typing import Any, BinaryIO, NamedTuple, TypeVar
from zipfile import ZipInfo

from dialtools.plugins import registry
from dialtools.records import jsonl as records
from dialtools.system.errors import DialtoolsError, RecordError, about, show, show_names
from dialtools.system.files import BOM, without_bom
from dialtools.system.packed import HELD, RATIO

Item = TypeVar("Item")
Placed = Iterator[tuple[str, dict | RecordError]]  # a place, and what stands there

OF_LINES = "; if it is an object of several lines, jq -c . makes it one line"
_KINDS = {str: "a string", bool: "true or false", list: "a list", dict: "an object"}
MOST = 1 << 32  # bytes of what may be unpacked
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(:?)', re.DOTALL)


class FoundItem(NamedTuple):
    """What a format has found in a file."""

    format: registry.Plugin  # with the options that were given
    item: dict | RecordError


def each(
    placed_items: Iterable[tuple[str, Item | RecordError]],
    make: Callable[[Item], Iterable[dict]],
    lang: str | None = None,
) -> Placed:
    """Yield (place, record) for each record made of each item, or the item's RecordError.

    lang: language of records that name none.
    """
    for place, item in placed_items:
        if isinstance(item, RecordError):
            yield place, item
            continue
        try:
            for record in make(item):
                if lang is not None and record.get("lang") is None:
                    record = record | {"lang": lang}
                yield place, record
        except RecordError as error:
            yield place, error


def reader(
    items_of: Callable[[BinaryIO], Placed],
    make: Callable[[dict], dict],
    lang: str | None = None,
) -> Callable[..., Placed]:
    """Return the `read` of a format that makes a record of each item of a file.

    lang: language of records that name none, unless another is given; None: there is no option.
    """

    def read(file: BinaryIO) -> Placed:
        """Yield a record for each item of a file."""
        return each(items_of(file), lambda item: [make(item)])

    def read_in_language(file: BinaryIO, *, lang: str = lang or "") -> Placed:
        """Yield a record for each item of a file."""
        return each(items_of(file), lambda item: [make(item)], lang)

    return read if lang is None else read_in_language


def sound(placed_records: Iterable[tuple[str, dict | RecordError]]) -> Iterator[tuple[str, dict]]:
    """Yield (place, record); raise the first RecordError instead."""
    for place, record in placed_records:
        with about(place=place):
            yield place, require(record)


def placed(name: str, pairs: Iterator[tuple[str, Item]]) -> Iterator[tuple[str, Item]]:
    """Yield ("FILE:PLACE", item) for the (place, item) pairs of a format.

    The bytes are foreign: whatever else than our own errors a format, or a library that it reads
    them with, raises over them is a RecordError.  So no format needs to know how its library fails.
    """
    last = ""
    try:
        for last, item in pairs:
            yield f"{name}:{last}", item
    except RecordError as error:
        place = f"{name}:{error.place or last or 1}"
        raise RecordError(error.reason, error.record, place) from error.__cause__
    except (DialtoolsError, ImportError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno:  # of the disk; libraries give no number
            raise
        what = "nothing can be read after it" if last else "it cannot be read"
        reason = f"{what}: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise RecordError(reason, place=f"{name}:{last or 1}") from error


def require(record: dict | RecordError) -> dict:
    """Return a record; raise it if it is an error."""
    if isinstance(record, RecordError):
        raise record
    return record


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


def json_lines(file: Iterable[bytes]) -> Placed:
    """Yield (number, object) for each line that is not blank."""
    import jsonlines

    def loads(line: str) -> dict | None:
        return records.loads(line.encode()) if line.strip() else None  # None for a blank line

    reader = jsonlines.Reader(file, loads=loads)  # type: ignore[arg-type]
    for number in count(1):
        try:
            item = reader.read(allow_none=True)
            if item is not None:
                yield str(number), item  # type: ignore[misc]
        except EOFError:
            return
        except jsonlines.InvalidLineError as error:
            cause, reason = error.__cause__, error.message
            if isinstance(cause, UnicodeDecodeError):
                reason = records.not_utf8(cause).reason
            yield str(number), RecordError(reason)
        except RecordError as error:
            yield str(number), RecordError(error.reason)


def listed(file: BinaryIO, of_list: Callable[[list], list] = lambda value: value) -> Placed:
    """Yield the objects of JSON Lines, of a JSON array, or the only one, which has several lines.

    of_list: array -> objects.
    """
    begun: list[bytes] = []  # up to the first line that is not blank
    for line in file:
        begun.append(line)
        if first_line(line):
            break
    if begun and begins(begun[-1], b"{") and first_line(begun[-1]) != "{":
        return json_lines(chain(begun, file))
    value = document(BytesIO(b"".join(begun) + file.read()))
    if isinstance(value, dict):
        return numbered([value])
    return numbered(of_list(value) if isinstance(value, list) else value)


def array(file: BinaryIO) -> Placed:
    """Yield ("item N", object) of each item of a JSON array."""
    yield from numbered(document(file))


def numbered(values: Any) -> Placed:
    """Yield ("item N", object) of each item of a list. Raise RecordError for anything else."""
    if not isinstance(values, list):
        raise RecordError(
            f"expected a JSON array, not {show(values, 30)}"
            f"{OF_LINES if isinstance(values, dict) else ''}",
            place="1",
        )
    for number, value in enumerate(values, 1):
        if isinstance(value, dict):
            yield f"item {number}", value
            continue
        remedy = "; jq -c '.[] | {dialogue: .}' makes objects of lists of turns"
        remedy = remedy if isinstance(value, list) else ""
        reason = f"an item must be an object, not {show(value, 30)}{remedy}"
        yield f"item {number}", RecordError(reason)


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
    return record | {
        key: value for key, value in item.items() if key not in used and key not in record
    }


def turn(item: dict, speaker: str, text: str, *used: str) -> dict:
    """Return the turn of a speaker made of an item, with its other keys but the used ones.

    text: the key of its text.
    """
    return keep({"speaker": speaker, "text": get(item, text)}, item, text, *used)


def speaker(number: int) -> str:
    """Return the label of the speaker of turn `number` (from 0) if two take turns without names."""
    return f"#Person{number % 2 + 1}#"


def written(format: str, converted: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of records in a format."""
    return (line.encode() for line in registry.load("formats", format, "write").call(converted))


def require_moderate(members: Iterable[ZipInfo], packed: int, any_size: bool) -> None:
    """Raise RecordError for members of a .zip that are far larger than it, of so many packed bytes.

    They are never unpacked to more than what they declare.

    any_size: accept all sizes.
    """
    size = sum(member.file_size for member in members)
    if not any_size and size > min(MOST, max(HELD, RATIO * packed)):
        raise RecordError(
            f"it unpacks to {size / 1e6:,.0f} MB, and has {packed / 1e6:,.1f} MB; what is more than "
            f"{RATIO} times as large, or than {MOST / 1e9:.0f} GB, is read with the option any_size=yes"
        )


def like(mark: str, *names: str) -> Callable[[bytes], bool]:
    """Return a function that recognises a file by its beginning: how JSON begins, and its keys.

    mark: "{" or "[", or "{[" for either.
    """

    def recognise(head: bytes) -> bool:
        return any(begins(head, one.encode()) for one in mark) and set(names) <= keys(head)

    return recognise


def begins(head: bytes, mark: bytes) -> bool:
    """Tell whether a file begins with a mark, ignoring white space and a BOM."""
    return head.removeprefix(BOM).lstrip().startswith(mark)


def keys(head: bytes) -> set[str]:
    """Return the keys of JSON objects in the first bytes of a file."""
    return {name for name, colon in _STRING.findall(head.decode(errors="replace")) if colon}


def first_line(head: bytes) -> str:
    """Return the first line that is not blank, without its end; "" if there is none."""
    lines = head.removeprefix(BOM).splitlines()
    return next((line.decode(errors="replace") for line in lines if line.strip()), "")
