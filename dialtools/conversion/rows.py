"""Tables of records: the first row names the columns, each further row is a record.

A cell is a string; an empty cell is an empty text, except that a record without
an id, cluster, lang, variant or system lacks that key.  In a column called
KEY:json each cell holds JSON instead, so that lists and objects (a dialogue,
several references) pass through a table unchanged; an empty cell there is a key
that the record lacks.

In `typed` tables a column whose cells all are numbers, or empty, holds numbers, and
an empty cell is a key that the record lacks, too.  Columns that are texts by their
name (TEXTS) stay texts.

What spreadsheets leave in tables is passed over: sep=; in a first line, empty cells behind the
last column, empty rows.  `Remarks` holds what is to be said of a table.
"""

import codecs
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, NamedTuple

from dialtools.conversion import items
from dialtools.records import jsonl as records
from dialtools.records import values
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names

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
_SEPARATOR = re.compile(r"\ufeff?sep=(.)\r?\n?", re.IGNORECASE)  # Excel's first line
_ODD_SPACES = re.compile("[\u00a0\u2007\u202f\u200b\ufeff]")  # that do not break, or are not seen
_DATES = re.compile("date|datum|fecha|tarih|дата|日付|日期|날짜|तारीख", re.IGNORECASE)
_FIRST_DAY, _LAST_DAY = 20_000, 60_000  # of spreadsheets, counted from 1900: 1954 to 2064
# 1.234,5 and 1,234.5, and 3.5 where decimals have commas
_MARKED = re.compile(r"\s*-?(0[.,]\d+|[1-9]\d*[.,]\d+|[1-9]\d{0,2}([.,]\d{3})+([.,]\d+)?)\s*")
# what is said of a table: {kind: phrase}
_REMARKS = {
    "delimiter": "{} between cells",
    "numbers": "numbers in {}",
    "commas": "numbers with commas left as texts in {} (if these are decimals: csv:decimals=comma)",
    "marks": "numbers with unexpected points or commas left as texts in {} (leave out those between "
    "thousands)",
    "days": "numbers that look like days counted by a spreadsheet in {} (45000 is 2023-03-15: "
    "format the column as text, or as a date, before it is saved)",
    "dates": "dates beside other values in {} (spreadsheets make dates of what looks like one, "
    "such as 1-2)",
    "texts": "numbers stored as texts in {}",
    "ratings": "ratings in {}",
    "raters": "raters {}",
    "renamed": "columns with odd spaces read as {}",
    "odd": "columns with odd spaces in their names: {}",
    "empty": "{} left out",
}

_SHOWN = {"\t": "a tab", ",": "a comma"}

Cell = str | int | float  # those of spreadsheets may be numbers
Row = tuple[str, Sequence[Cell] | RecordError]  # number of the first line, cells
Note = Callable[[str, str], object]


class Remarks:
    """What is to be said of tables that were read."""

    def __init__(self) -> None:
        self.names: dict[str, dict[str, None]] = {}

    def note(self, kind: str, name: str) -> None:
        """Take a kind, one of those above, and mostly the name of a column."""
        self.names.setdefault(kind, {})[name] = None

    def counts(self) -> list[str]:
        """Return them for the closing line."""
        return [
            phrase.format(show_names(self.names[kind]))
            for kind, phrase in _REMARKS.items()
            if kind in self.names
        ]


def quoted(file: Iterable[bytes]) -> items.Placed:
    """Yield (place, record) of a table whose cells may be quoted, and then hold line ends."""
    return read(cells_in_quotes(file, ","), ",")


def cells_in_quotes(
    file: Iterable[bytes], delimiter: str = "", note: Note | None = None
) -> Iterator[Row]:
    """Yield the rows of a table whose cells may be quoted.

    delimiter: "" tells it from the first two lines.
    """
    import csv

    csv.field_size_limit(2**31 - 1)  # the default refuses cells of more than 128 KiB
    placed = _lines(file)
    first = list(islice(placed, 1))
    skipped, is_given = 0, delimiter != ""
    if first and (separator := _SEPARATOR.fullmatch(first[0][1])):
        delimiter, first, skipped = delimiter or separator[1], [], 1
    if not delimiter:
        rows: list[str] = [line for _, line in first if line.strip()]
        for place, line in placed:
            first.append((place, line))
            rows += [line] if line.strip() else []
            if len(rows) > 1:
                break
        delimiter = _delimiter(rows)
    if note and not is_given and delimiter != ",":
        note("delimiter", _SHOWN.get(delimiter, delimiter))
    lines = (line for _, line in chain(first, placed))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = str(reader.line_num + skipped + 1)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = str(error).partition(" - ")[0]  # without advice for programmers
            if reason == "unexpected end of data":
                reason = "a quote is opened here and never closed"
            yield start, RecordError(f"a malformed row: {reason}")
        else:
            if cells:
                yield start, cells


def _lines(file: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield (number, line) as `items.lines` does, of UTF-16 too, as spreadsheets write it."""
    pieces = iter(file)
    first = next(pieces, b"")
    encoding = _encoding(first)
    data = chain([first], pieces) if first else iter(())
    for place, line in _decoded(data, encoding) if encoding else items.lines(data):
        if "\0" in line:
            raise RecordError("a NUL byte, which no text has: the file is damaged", place=place)
        yield place, line


def _encoding(head: bytes) -> str:
    """Return the UTF-16 that a file begins in, with a mark or without, or ""."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, zeros in (("utf-16-le", head[1:20:2]), ("utf-16-be", head[0:20:2])):
        if len(head) > 3 and not zeros.strip(b"\0"):
            return encoding
    return ""


def _decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[tuple[str, str]]:
    decoder = codecs.getincrementaldecoder(encoding)()
    number, text = 1, ""
    for piece in chain(pieces, [None]):
        try:
            text += decoder.decode(piece or b"", final=piece is None)
        except UnicodeDecodeError as error:
            raise RecordError(
                f"not {encoding.upper()}: {error.reason}", place=str(number)
            ) from None
        *lines, text = text.split("\n")
        for line in lines:
            yield str(number), f"{line}\n"
            number += 1
    if text:
        yield str(number), text


def _delimiter(lines: list[str]) -> str:
    """Return what parts the cells of the first two lines of a table; RecordError if that is open.

    >>> _delimiter(["id;text", "1;a, b"]), _delimiter(["id"])
    (';', ',')
    """
    import csv

    sizes: dict[str, list[int]] = {}  # of the rows
    for mark in _FORMATS:
        with suppress(csv.Error):
            sizes[mark] = [len(cells) for cells in csv.reader(lines, delimiter=mark) if cells]
    parting = {mark: size for mark, size in sizes.items() if size and size[0] > 1}
    fitting = {mark: size for mark, size in parting.items() if len({*size}) == 1} or parting
    most = max((size[0] for size in fitting.values()), default=0)
    marks = [mark for mark, size in fitting.items() if size[0] == most]
    if len(marks) > 1:
        marks = [mark for mark in marks if _names_of_ours(lines[0], mark)] or marks
    if len(marks) > 1 and len(fitting[marks[0]]) > 1:
        shown = " or ".join(_SHOWN.get(mark, mark) for mark in marks)
        raise RecordError(
            f"cells may be parted by {shown}: --from {_FORMATS[marks[0]]} says by which", place="1"
        )
    return marks[0] if marks else ","


def plain(file: Iterable[bytes], whole: bool = False) -> items.Placed:
    """Yield (place, record) of a table with tabs between cells; quotes are characters.

    whole: each row has all keys, an empty id included.
    """
    return read(cells_between_tabs(file), "\t", whole)


def cells_between_tabs(file: Iterable[bytes]) -> Iterator[Row]:
    """Yield the rows of a table with tabs between cells."""
    lines = ((place, items.unended(line)) for place, line in _lines(file))
    return ((place, line.split("\t")) for place, line in lines if line)


def typed(
    file: BinaryIO,
    rows_of: Callable[[Iterable[bytes]], Iterator[Row]],
    delimiter: str,
    texts: str = "",
    declared: Collection[str] = (),
    note: Note | None = None,
    number: Callable[[str], int | float | None] = values.number_of,
) -> items.Placed:
    """Yield (place, record) of a table in which a column of numbers holds numbers.

    The file is read twice, a pipe by means of a copy, unless no column can hold numbers.

    rows_of: lines -> rows.
    texts: columns that stay texts, beside those of TEXTS, such as zip+version; declared: the same,
        if they are there.
    note: as `Remarks.note`.
    number: cell -> the number that it is, or None.
    """
    asked = [name for name in texts.split("+") if name]
    of_texts = TEXTS | {*asked, *declared}
    with SpooledTemporaryFile(_HELD) as copy:
        lines: Iterable[bytes] = file
        if file.seekable():
            start = file.tell()
            numbers = _columns_of_numbers(rows_of(file), of_texts, number, note, asked)
            file.seek(start)
        else:

            def copied() -> Iterator[bytes]:
                for line in file:
                    copy.write(line)
                    yield line

            numbers = _columns_of_numbers(rows_of(copied()), of_texts, number, note, asked)
            copy.seek(0)
            lines = chain(copy, file)
        yield from read(
            rows_of(lines), delimiter, texts=of_texts, numbers=numbers, number=number, note=note
        )


def _columns_of_numbers(
    rows: Iterable[Row],
    texts: Collection[str],
    number: Callable[[str], int | float | None],
    note: Note | None,
    asked: Iterable[str],
) -> list[str]:
    """Return the columns with numbers in which all cells are numbers or empty.

    No more rows are read than it takes; what is wrong with them is for `read` to say.

    asked: columns that must be there.
    """
    names: list[str] = []
    kinds: dict[int, set[str]] = {}  # of the cells of each column that may hold numbers
    with suppress(RecordError):
        for place, cells in rows:
            if isinstance(cells, RecordError):
                continue
            if not names:
                names = _header(list(map(str, cells)), place)
                if missing := [name for name in asked if name not in names]:
                    raise OptionError(
                        f"texts={missing[0]}: no column {show(missing[0])}"
                        f"{nearest(missing[0], names)}; there is {show_names(names)}"
                    )
                kinds = {
                    column: set()
                    for column, name in enumerate(names)
                    if name not in texts and not name.endswith(_JSON)
                }
            elif len(cells) >= len(names):
                for column in list(kinds):
                    cell = str(cells[column])
                    value = number(cell)
                    if value is not None:
                        is_day = _FIRST_DAY <= value <= _LAST_DAY
                        kinds[column].add("day" if is_day else "number")
                    elif number(cell.replace(",", ".", 1)) is not None:
                        kinds[column].add("commas")
                    elif _MARKED.fullmatch(cell):
                        kinds[column].add("marks")
                    elif cell.strip():
                        del kinds[column]
            if not kinds:
                break
    numbers = []
    for name, kinds_of in ((names[column], kinds[column]) for column in kinds if kinds[column]):
        kind = "days" if kinds_of == {"day"} and _DATES.search(name) else "numbers"
        kind = next((left for left in ("commas", "marks") if left in kinds_of), kind)
        if kind in ("days", "numbers"):
            numbers.append(name)
        if note:
            note(kind, name)
    return numbers


def read(
    rows: Iterable[Row],
    delimiter: str,
    whole: bool = False,
    texts: Collection[str] = TEXTS,
    numbers: Collection[str] = (),
    number: Callable[[str], int | float | None] = values.number_of,
    note: Note | None = None,
) -> items.Placed:
    """Yield (place, record) of rows, the first of which names the columns.

    whole: each row has all keys; also an empty row is one.
    texts: columns of texts, whatever a spreadsheet holds there; numbers: columns of numbers.
    """
    columns: TableColumns | None = None
    empty = 0  # rows without any value
    for place, cells in rows:
        if isinstance(cells, RecordError):
            if columns is None:
                raise RecordError(cells.reason, place=place)
            yield place, cells
        elif columns is None:
            names = list(map(str, cells))
            header = _header(names, place, note)
            unnamed = {name for name, cell in zip(header, names, strict=True) if not cell}
            columns = TableColumns(header, _NAMES | unnamed, texts, {*numbers}, number, whole)
            unlike = (mark for mark in _FORMATS if mark in names[0] and mark != delimiter)
            mark = next(unlike, "")
            if len(names) == 1 and mark and delimiter:
                raise RecordError(
                    f"one column, called {show(names[0], 60)}: if these are several, "
                    f"this is {_FORMATS[mark]}",
                    place=place,
                )
        elif not (any(cells) or whole or len(header) < 2) and {*cells} == {""}:
            empty += 1
        else:
            yield place, columns.record(cells)
    if empty and note:
        note("empty", f"{empty:,} empty row{'s' * (empty > 1)}")


class TableColumns(NamedTuple):
    """The columns of a table, and how their cells are read.

    lacking: those in which an empty cell is a key that the record lacks.
    """

    names: list[str]
    lacking: set[str]
    texts: Collection[str]
    numbers: set[str]
    number: Callable[[str], int | float | None]
    whole: bool

    def record(self, cells: Sequence[Cell]) -> dict | RecordError:
        """Return the record of a row; empty cells behind the last column do not count."""
        width = len(self.names)
        if len(cells) != width and (len(cells) < width or {*cells[width:]} != {""}):
            return RecordError(f"{len(cells)} cells, but the header has {width}")
        record: dict = {}
        try:
            for name, cell in zip(self.names, cells, strict=False):
                key = name.removesuffix(_JSON)
                if not isinstance(cell, str):
                    record[key] = str(cell) if name in self.texts else cell
                elif name in self.numbers:
                    if (value := self.number(cell)) is not None:
                        record[key] = value
                elif cell != "" or self.whole or (name == key and name not in self.lacking):
                    record[key] = records.parse(cell.encode()) if cell and name != key else cell
        except RecordError as error:
            return RecordError(f"column {show(name)}: {error.reason}")
        return record


def _header(cells: list[str], place: str, note: Note | None = None) -> list[str]:
    """Return the names of the columns; odd spaces around one of our keys are left out."""
    if cells[0].startswith(("{", "[", "<")):
        raise RecordError(f"not the name of a column: {show(cells[0], 40)}", place=place)
    names = []
    for number, cell in enumerate(cells, 1):
        name = cell or f"column {number}"
        if not cell.isascii() and _ODD_SPACES.search(cell) or cell != cell.strip():
            bare = _ODD_SPACES.sub(" ", cell).strip()
            is_ours = bare.removesuffix(_JSON) in TEXTS
            if is_ours:
                name = bare
            if note and (is_ours or _ODD_SPACES.search(cell)):
                note("renamed" if is_ours else "odd", name)
        names.append(name)
    keys: set[str] = set()
    for key in (name.removesuffix(_JSON) for name in names):
        if key in keys:
            raise RecordError(f"two columns are called {show(key)}", place=place)
        keys.add(key)
    return names


def declared(field: Iterable[str]) -> set[str]:
    """Return the columns that KEY=COLUMN gives to keys of texts.

    >>> declared(["prediction:bart=out1", "rating=score"])
    {'out1'}
    """
    pairs = [option.partition("=") for option in field]
    return {column for key, _, column in pairs if key.partition(":")[0] in TEXTS}


def write(
    converted: Iterable[dict], line: Callable[[list[str]], str], forbidden: str = ""
) -> Iterator[str]:
    """Yield the lines of a table: the keys of all records are columns, in order of appearance.

    A column is written as JSON if one of its values is not a string, if a record lacks it, or if
    its strings would be read as numbers.

    line: cells -> line.
    forbidden: characters that no cell can hold; a column with one of them is written as JSON,
        a key with one of them is a RecordError.
    """
    held = list(converted)
    keys = dict.fromkeys(key for record in held for key in record)
    for key in keys:
        if any(character in key for character in forbidden):
            raise RecordError(f"no column can be called {show(key)}")
    as_json = {key for key in keys if not key or key.endswith(_JSON)}
    as_json |= {key for record in held for key in keys if key not in record} - _NAMES
    for record in held:
        for key, value in record.items():
            if not isinstance(value, str) or any(map(value.__contains__, forbidden)):
                as_json.add(key)
            elif value == "" and key in _NAMES:
                as_json.add(key)
    for key in keys.keys() - as_json - TEXTS:
        cells = [record[key] for record in held if key in record]
        if any(map(str.strip, cells)) and all(
            values.number_of(cell) is not None or not cell.strip() for cell in cells
        ):
            as_json.add(key)
    dumps = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if keys:
        yield line([key + _JSON if key in as_json else key for key in keys])
    for record in held:
        row = {key: dumps(value) if key in as_json else value for key, value in record.items()}
        yield line([row.get(key, "") for key in keys])


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
    return len({*(sizes[:-1] if len(sizes) > 2 else sizes)}) == 1


def named(head: bytes, quoted: bool) -> bool:
    """Tell whether a file begins like a table with one of our own keys as a column.

    quoted: as in csv, of any delimiter but a plain tab; else as in tsv.
    """
    encoding = _encoding(head)
    text = head.decode(encoding or "utf-8-sig", "replace")
    line = next((line for line in text.splitlines() if line.strip()), "")
    if _SEPARATOR.fullmatch(line) or encoding and "\t" in line:  # of spreadsheets
        return quoted
    return any(_names_of_ours(line, delimiter) for delimiter in (",;|" if quoted else "\t"))


def _names_of_ours(line: str, delimiter: str) -> bool:
    """Tell whether one of the columns that a line names is a key of ours."""
    cells = [cell.strip('"\r\n').removesuffix(_JSON) for cell in line.split(delimiter)]
    return len(cells) > 1 and any(cell in records.KEYS for cell in cells)
