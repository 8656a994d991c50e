"""Tables of records: the first row names the columns, each further row is a record.

A cell is a string; an empty cell is an empty text, except that a record without
an id, cluster, lang, variant or system lacks that key.  In a column called
KEY:json each cell holds JSON instead, so that lists and objects (a dialogue,
several references) pass through a table unchanged; an empty cell there is a key
that the record lacks.

In `typed` tables a column whose cells all are numbers, or empty, holds numbers, and
an empty cell is a key that the record lacks, too.  Columns that are texts by their
name (TEXTS) stay texts.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.records import jsonl as records
from dialtools.records import values
from dialtools.system.errors import RecordError, show

_JSON = ":json"
_NAMES = {"id", "cluster", "lang", "variant", "system"}  # never empty: a cell is, if they lack
TEXTS = frozenset({*records.KEYS, "variant", "speaker", "label", "labels"})  # keys of texts
_HELD = 1 << 20  # bytes of a pipe that are held; more are written to a temporary file
_FORMATS = {
    "\t": "tsv, or with cells in quotes $'csv:delimiter=\\t'",
    ";": "'csv:delimiter=;'",
    "|": "'csv:delimiter=|'",
    ",": "csv",
}  # the formats with these delimiters

Cell = str | int | float  # those of spreadsheets may be numbers
Row = tuple[str, Sequence[Cell] | RecordError]  # number of the first line, cells


Note = Callable[[str], object]


def quoted(file: Iterable[bytes], delimiter: str = ",") -> items.Placed:
    """Yield (place, record) of a table whose cells may be quoted, and then hold line ends."""
    return read(cells_in_quotes(file, delimiter), delimiter)


def cells_in_quotes(file: Iterable[bytes], delimiter: str) -> Iterator[Row]:
    """Yield the rows of a table whose cells may be quoted."""
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
    return read(cells_between_tabs(file), "\t", whole)


def cells_between_tabs(file: Iterable[bytes]) -> Iterator[Row]:
    """Yield the rows of a table with tabs between cells."""
    lines = ((place, items.unended(line)) for place, line in items.lines(file))
    return ((place, line.split("\t")) for place, line in lines if line)


def typed(
    file: BinaryIO,
    rows_of: Callable[[Iterable[bytes]], Iterator[Row]],
    delimiter: str,
    texts: Iterable[str] = (),
    note: Note | None = None,
) -> items.Placed:
    """Yield (place, record) of a table in which a column of numbers holds numbers.

    The file is read twice, a pipe by means of a copy, unless no column can hold numbers.

    rows_of: lines -> rows.
    texts: columns that stay texts, beside those of TEXTS.
    note: called with the name of each column of numbers.
    """
    texts = TEXTS | {*texts}
    with SpooledTemporaryFile(_HELD) as copy:
        lines: Iterable[bytes] = file
        if file.seekable():
            start = file.tell()
            numbers = _columns_of_numbers(rows_of(file), texts)
            file.seek(start)
        else:

            def copied() -> Iterator[bytes]:
                for line in file:
                    copy.write(line)
                    yield line

            numbers = _columns_of_numbers(rows_of(copied()), texts)
            copy.seek(0)
            lines = chain(copy, file)
        if note:
            for column in numbers:
                note(column)
        yield from read(rows_of(lines), delimiter, texts=texts, numbers=numbers)


def _columns_of_numbers(rows: Iterable[Row], texts: Collection[str]) -> list[str]:
    """Return the columns with numbers in which all cells are numbers or empty.

    No more rows are read than it takes; what is wrong with them is for `read` to say.
    """
    names: list[str] = []
    candidates: list[int] = []  # columns, by their number
    with_numbers: set[int] = set()
    with suppress(RecordError):
        for place, cells in rows:
            if not names and not isinstance(cells, RecordError):
                names = _header(list(map(str, cells)), place)
                candidates = [
                    column
                    for column, name in enumerate(names)
                    if name not in texts and not name.endswith(_JSON)
                ]
            elif not isinstance(cells, RecordError) and len(cells) == len(names):
                cell_of = {column: str(cells[column]) for column in candidates}
                numeric = {
                    column for column, cell in cell_of.items() if values.number_of(cell) is not None
                }
                with_numbers |= numeric
                candidates = [
                    column
                    for column, cell in cell_of.items()
                    if column in numeric or not cell.strip()
                ]
            if not candidates:
                break
    return [names[column] for column in candidates if column in with_numbers]


def read(
    rows: Iterable[Row],
    delimiter: str,
    whole: bool = False,
    texts: Collection[str] = TEXTS,
    numbers: Collection[str] = (),
) -> items.Placed:
    """Yield (place, record) of rows, the first of which names the columns.

    texts: columns of texts, whatever a spreadsheet holds there; numbers: columns of numbers.
    """
    header: list[str] = []
    for place, cells in rows:
        if isinstance(cells, RecordError):
            if not header:
                raise RecordError(cells.reason, place=place)
            yield place, cells
        elif not header:
            names = list(map(str, cells))
            header = _header(names, place)
            other = next((mark for mark in _FORMATS if mark in names[0] and mark != delimiter), "")
            if len(names) == 1 and other:
                raise RecordError(
                    f"one column, called {show(names[0], 60)}: if these are several, "
                    f"this is {_FORMATS[other]}",
                    place=place,
                )
        elif len(cells) != len(header):
            yield place, RecordError(f"{len(cells)} cells, but the header has {len(header)}")
        else:
            yield place, _row(header, cells, whole, texts, numbers)


def _row(
    header: list[str],
    cells: Sequence[Cell],
    whole: bool,
    texts: Collection[str],
    numbers: Collection[str],
) -> dict | RecordError:
    """Return a row, or why it is none."""
    row: dict = {}
    try:
        for name, cell in zip(header, cells, strict=True):
            key = name.removesuffix(_JSON)
            if not isinstance(cell, str):
                row[key] = str(cell) if name in texts else cell
            elif name in numbers:
                if (number := values.number_of(cell)) is not None:
                    row[key] = number
            elif cell != "" or whole or (name == key and name not in _NAMES):
                row[key] = records.parse(cell.encode()) if cell and name != key else cell
    except RecordError as error:
        return RecordError(f"column {show(name)}: {error.reason}")
    return row


def _header(cells: list[str], place: str) -> list[str]:
    if cells[0].startswith(("{", "[", "<")):
        raise RecordError(f"not the name of a column: {show(cells[0], 40)}", place=place)
    names = [name or f"column {number}" for number, name in enumerate(cells, 1)]
    seen: set[str] = set()
    for key in (name.removesuffix(_JSON) for name in names):
        if key in seen:
            raise RecordError(f"two columns are called {show(key)}", place=place)
        seen.add(key)
    return names


def declared(field: Iterable[str]) -> set[str]:
    """Return the columns that KEY=COLUMN gives to keys of texts.

    >>> declared(["prediction:bart=out1", "rating=score"])
    {'out1'}
    """
    pairs = [option.partition("=") for option in field]
    return {column for key, _, column in pairs if key.partition(":")[0] in TEXTS}


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
    as_json |= {key for key in keys if key not in TEXTS and _are_numbers(key, held)}
    dumps = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if keys:
        yield line([key + _JSON if key in as_json else key for key in keys])
    for record in held:
        cells = {key: dumps(value) if key in as_json else value for key, value in record.items()}
        yield line([cells.get(key, "") for key in keys])


def _are_numbers(key: str, held: Iterable[dict]) -> bool:
    """Tell whether all strings of a key would be read as numbers, or as none."""
    strings = [value for record in held if isinstance(value := record.get(key), str)]
    return all(
        values.number_of(value) is not None or not value.strip() for value in strings
    ) and any(map(str.strip, strings))


def _is_cell(key: str, value: object, forbidden: str) -> bool:
    """Tell whether this is a string that a cell can hold."""
    return (
        isinstance(value, str)
        and not (value == "" and key in _NAMES)
        and not any(map(value.__contains__, forbidden))
    )


def is_table(head: bytes, delimiter: str) -> bool:
    """Tell whether a file begins with rows of equally many cells; the last may be cut off."""
    sizes = []
    with suppress(RecordError):
        for _, cells in cells_in_quotes(head.splitlines(keepends=True), delimiter):
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
