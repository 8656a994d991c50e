"""Tables of records: the first row names the columns, each further row is a record.

A cell is a string; an empty cell is an empty text, except that a record without
an id, cluster, lang, variant or system lacks that key.  In a column called
KEY:json each cell holds JSON instead, so that numbers, lists and objects (a
dialogue, several references) pass through a table unchanged; an empty cell there
is a key that the record lacks.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from dialtools.conversion import items
from dialtools.records import jsonl as records
from dialtools.system.errors import RecordError, show

_JSON = ":json"
_NAMES = {"id", "cluster", "lang", "variant", "system"}  # never empty: a cell is, if they lack
_FORMATS = {
    "\t": "tsv, or with cells in quotes $'csv:delimiter=\\t'",
    ";": "'csv:delimiter=;'",
    "|": "'csv:delimiter=|'",
    ",": "csv",
}  # the formats with these delimiters

Cell = str | int | float  # those of spreadsheets may be numbers
Row = tuple[str, Sequence[Cell] | RecordError]  # number of the first line, cells


def quoted(file: Iterable[bytes], delimiter: str = ",") -> items.Placed:
    """Yield (place, record) of a table whose cells may be quoted, and then hold line ends."""
    return read(_quoted(file, delimiter), delimiter)


def _quoted(file: Iterable[bytes], delimiter: str) -> Iterator[Row]:
    import csv

    csv.field_size_limit(2**31 - 1)  # the default refuses cells of more than 128 KiB
    reader = csv.reader((line for _, line in items.lines(file)), delimiter=delimiter, strict=True)
    while True:
        start = str(reader.line_num + 1)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = str(error).partition(" - ")[0]  # without advice for programmers
            yield start, RecordError(f"a malformed row: {reason}")
        else:
            if cells:
                yield start, cells


def plain(file: Iterable[bytes], whole: bool = False) -> items.Placed:
    """Yield (place, record) of a table with tabs between cells; quotes are characters.

    whole: each row has all keys, an empty id included.
    """
    lines = ((place, items.unended(line)) for place, line in items.lines(file))
    return read(((place, line.split("\t")) for place, line in lines if line), "\t", whole)


def read(found: Iterable[Row], delimiter: str, whole: bool = False) -> items.Placed:
    """Yield (place, record) of rows, the first of which names the columns."""
    header: list[str] = []
    for place, cells in found:
        if isinstance(cells, RecordError):
            if not header:
                raise RecordError(cells.reason, place=place)
            yield place, cells
        elif not header:
            names = list(map(str, cells))
            header = _header(names, place)
            _check_parted(names, delimiter, place)
        else:
            yield place, _row(header, cells, whole)


def _row(header: list[str], cells: Sequence[Cell], whole: bool) -> dict | RecordError:
    """Return a row, or why it is none."""
    if len(cells) != len(header):
        return RecordError(f"{len(cells)} cells, but the header has {len(header)}")
    try:
        return {
            name.removesuffix(_JSON): _value(name, cell)
            for name, cell in zip(header, cells, strict=True)
            if cell != "" or whole or not _may_lack(name)
        }
    except RecordError as error:
        return error


def _may_lack(column: str) -> bool:
    """Tell whether an empty cell of a column stands for a key that the record lacks."""
    return column in _NAMES or column.endswith(_JSON)


def _check_parted(cells: list[str], delimiter: str, place: str) -> None:
    """Raise RecordError if the only cell looks like several columns with another delimiter."""
    other = next((mark for mark in _FORMATS if mark in cells[0] and mark != delimiter), None)
    if len(cells) == 1 and other:
        raise RecordError(
            f"one column, called {show(cells[0], 60)}: if these are several, "
            f"this is {_FORMATS[other]}",
            place=place,
        )


def _header(cells: list[str], place: str) -> list[str]:
    if cells[0].startswith(("{", "[", "<")):
        raise RecordError(f"not the name of a column: {show(cells[0], 40)}", place=place)
    names = [name or f"column {number}" for number, name in enumerate(cells, 1)]
    keys = [name.removesuffix(_JSON) for name in names]
    again = next((key for number, key in enumerate(keys) if key in keys[:number]), None)
    if again is not None:
        raise RecordError(f"two columns are called {show(again)}", place=place)
    return names


def _value(name: str, cell: Cell) -> object:
    """Return what a cell stands for: JSON, a text under the keys that are texts, or itself."""
    if not isinstance(cell, str):
        return str(cell) if name in records.KEYS else cell
    if not cell or not name.endswith(_JSON):
        return cell
    try:
        return records.parse(cell.encode())
    except RecordError as error:
        raise RecordError(f"column {show(name)}: {error.reason}") from None


def write(
    found: Iterable[dict], line: Callable[[list[str]], str], forbidden: str = ""
) -> Iterator[str]:
    """Yield the lines of a table: the keys of all records are columns, in order of appearance.

    line: cells -> line.
    forbidden: characters that no cell can hold; a column with one of them is written as JSON,
        a key with one of them is a RecordError.
    """
    held = list(found)
    keys = dict.fromkeys(key for record in held for key in record)
    for key in keys:
        if any(character in key for character in forbidden):
            raise RecordError(f"no column can be called {show(key)}")
    as_json = {key for key in keys if not key or key.endswith(_JSON)}
    as_json |= {
        key
        for record in held
        for key, value in record.items()
        if not _is_cell(key, value, forbidden)
    }
    as_json |= {key for record in held for key in keys if key not in record} - _NAMES
    if keys:
        yield line([key + _JSON if key in as_json else key for key in keys])
    for record in held:
        cells = {key: _dumps(value) if key in as_json else value for key, value in record.items()}
        yield line([cells.get(key, "") for key in keys])


def _is_cell(key: str, value: object, forbidden: str) -> bool:
    """Tell whether this is a string that a cell can hold."""
    return (
        isinstance(value, str)
        and not (value == "" and key in _NAMES)
        and not any(map(value.__contains__, forbidden))
    )


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def is_table(head: bytes, delimiter: str) -> bool:
    """Tell whether a file begins with rows of equally many cells; the last may be cut off."""
    sizes = []
    with suppress(RecordError):
        for _, cells in _quoted(head.splitlines(keepends=True), delimiter):
            if isinstance(cells, RecordError):
                break
            sizes.append(len(cells))
    if len(sizes) < 2 or sizes[0] < 2:
        return False
    whole = sizes[:-1] if len(sizes) > 2 else sizes
    return len(set(whole)) == 1


def named(head: bytes, delimiter: str) -> bool:
    """Tell whether a file begins like a table with one of our own keys as a column."""
    cells = [
        cell.strip('"').removesuffix(_JSON) for cell in items.first_line(head).split(delimiter)
    ]
    return len(cells) > 1 and any(cell in records.KEYS for cell in cells)
