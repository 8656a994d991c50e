"""JSON Lines in and out, one record at a time; errors say FILE:LINE.

A record is a plain dict; the README lists the keys.  What a filter does not know passes through it
value for value and in its order.
"""

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from types import ModuleType
from typing import Any

from dialtools.records import wellformed
from dialtools.records.validation import validated
from dialtools.system.batches import Listed
from dialtools.system.errors import RecordError, show
from dialtools.system.files import BOM, STANDARD, called, open_input, open_output, ready

KEYS = ("id", "cluster", "lang", "dialogue", "text", "context", "reference", "prediction", "system")
_OF_TALKS = "; jq -c '{dialogue: .}' | dt-convert makes records of lists of turns"
_OTHER_FILE = "; records are JSON Lines, as dt-convert --from auto and jq -c write them"
# what makes text of what begins so
_TO_TEXT = {
    b"\x1f\x8b": "gzip -dc",
    b"\x28\xb5": "zstd -dc",
    b"\xff\xfe": "iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "iconv -f UTF-16 -t UTF-8",
}
# Long integers are seen fifteen times faster than by a regular expression where digits are turned
# to 0 and all else to spaces.  Of 19 digits in a row one is among every 19th byte, and two in a row
# among every ninth, which is faster still; to look for a byte by its number is twice as fast as to
# look for b"0".
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_ZERO, _LONG = 48, b"0" * 19


def read(
    *paths: str | os.PathLike[str],
    keys: Iterable[str] = (),
    lang: str | None = None,
    limit: int | None = None,
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = lambda key: None,
) -> Listed[dict]:
    """Return the records of JSON Lines files, one after the other; "-" or none: standard input.

    paths: files, which may end in .gz or .zst, or addresses.
    keys: what every record must have; "dialogue|text" wants one of the two.
    lang: the language of records that name none; None leaves them as they are.
    limit: how many records to read.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    note: called with "id" or "lang" for each record that lacked it.
    """
    return validated(
        lines(paths, limit), make=loads, keys=keys, lang=lang, rename=rename, note=note
    )


def lines(
    paths: Iterable[str | os.PathLike[str]], limit: int | None = None
) -> Listed[tuple[str, bytes]]:
    """Return pairs ("FILE:LINE", line) of the non-blank lines of files, without BOM.

    paths: files, one after the other; "-" or none: standard input.
    limit: how many lines to read.
    """
    arrived = _arrived(paths)
    return Listed(arrived if limit is None else _first(arrived, limit))


def _arrived(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Iterable[tuple[str, bytes]]]:
    """Yield lists, or iterators, of the lines that came together."""

    def placed(name: str, held: Iterable[bytes], numbers: Iterator[int]) -> Iterator:
        for line, number in zip(held, numbers, strict=False):
            if number == 1:
                line = line.removeprefix(BOM)
            if line and not line.isspace():  # nothing is left of a line that is but a BOM
                yield f"{name}:{number}", line

    for path in paths or (STANDARD,):
        numbers = count(1)
        with open_input(path) as file:
            for held in ready(file):
                yield placed(called(path), held, numbers)


def _first(arrived: Iterator[Iterable], limit: int) -> Iterator[Iterator]:
    """Yield the first items of lists, and do not ask for more input after the last."""
    count = 0

    def passing(held: Iterable) -> Iterator:
        nonlocal count
        for item in islice(held, limit - count):
            count += 1
            yield item

    while count < limit and (held := next(arrived, None)) is not None:
        yield passing(held)


def loads(line: bytes) -> dict:
    """Return the record on a line; a RecordError gives the reason and the column."""
    try:
        record = parse(line)
    except RecordError as error:
        begun = line.strip()
        hint = "" if begun[:1] == b"{" != begun else _OTHER_FILE
        raise RecordError(error.reason + hint, place=error.place) from None
    if type(record) is dict:
        return record
    is_talk = type(record) is list and bool(record) and all(type(item) is str for item in record)
    raise RecordError(
        "a record is a JSON object, here is "
        f"{show(record, 30)}{_OF_TALKS if is_talk else _OTHER_FILE}"
    )


def parse(data: bytes) -> Any:
    """Return a JSON value with exact integers; a RecordError gives reason, line and column.

    What is greater than any float (1.798e308) is refused, as Infinity is.
    """
    try:
        value = _orjson().loads(data)
    except ValueError as error:
        try:
            text = data.decode().rstrip()
        except UnicodeDecodeError as undecodable:
            raise not_utf8(undecodable) from None
        before, after = text[: error.pos], text[error.pos :]  # type: ignore[attr-defined]
        if after.startswith(("NaN", "Infinity", "-Infinity")):
            reason = "not JSON: NaN and Infinity; a number that is missing is null"
            raise _after(before, reason) from None
        raise _after(before, f"not JSON: {error.msg}") from None  # type: ignore[attr-defined]
    if (
        _ZERO in data[::19].translate(_DIGITS)
        and b"00" in data[::9].translate(_DIGITS)
        and _LONG in data.translate(_DIGITS)
    ):
        import json

        try:
            value = json.loads(data)  # orjson makes a float of an integer beyond 64 bits
        except RecursionError:
            raise RecordError("not JSON: nested too deeply") from None
    return value


@functools.lru_cache(maxsize=None)
def _orjson() -> ModuleType:
    """Return orjson; an import statement for each record would cost a tenth of the reading."""
    import orjson

    return orjson


def not_utf8(error: UnicodeDecodeError) -> RecordError:
    """Return where data is no text, with the line and the column, and what makes it text."""
    program = _TO_TEXT.get(error.object[:2], "iconv -f ENCODING -t UTF-8")
    return _after(
        error.object[: error.start].decode(),
        f"not UTF-8: byte 0x{error.object[error.start]:02x}",
        f"; {program} makes it so",
    )


def _after(text: str, reason: str, hint: str = "") -> RecordError:
    """Return the error that something is wrong right after a text."""
    column = len(text) - text.rfind("\n")
    return RecordError(f"{reason} (column {column}){hint}", place=str(text.count("\n") + 1))


def given_back(line: bytes, record: dict) -> dict:
    """Return what a program of the user's own answers to a record. Raise RecordError for anything
    malformed, and for an answer to another record.
    """
    answer = loads(line)
    wellformed.refuse(answer)
    if answer.get("id", record.get("id")) != record.get("id"):
        raise RecordError(f"the answer is to another record, with the id {show(answer['id'])}")
    return answer


def write(records: Iterable[dict], path: str | os.PathLike[str] = STANDARD) -> None:
    """Write JSON Lines to standard output, or to a file that appears only when it is complete.

    path: "-" is standard output; what ends in .gz or .zst is packed.
    """
    with open_output(path) as file:
        for record in records:
            if not isinstance(record, dict):
                raise RecordError(f"a record is a dict, here is {show(record)}")
            file.write(dumps(record))
        file.flush()


def dumps(record: dict) -> bytes:
    """Return the line of a record, with its newline."""
    orjson = _orjson()
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer beyond 64 bits, or deep nesting
        import json

        try:
            text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (RecursionError, TypeError, ValueError) as error:
            # a date of pandas, a cycle
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise RecordError(f"not to be written as JSON: {reason}", record) from None
        return text.encode() + b"\n"
