r"""JSON, tables and lines: the formats that are no data set's.

jsonl is one record a line, as every command reads and writes them.  Blank lines and a BOM are
skipped.  Integers of any size are exact; NaN is an error, and so is a line that is not a JSON
object.  json is one list of records.

lines makes each line the text of a record.  A blank line is an empty text, so that parallel files
keep their line numbers.  --from auto never takes it: any text consists of lines.

csv and tsv are tables whose first row names the keys.  A cell is a string; an empty cell is an
empty text, except that a record with an empty id, cluster, lang, variant or system has none.  In a
column called KEY:json each cell holds JSON instead, and an empty cell is a key that the record
lacks.  So is one in a column of numbers, whose cells all are numbers as JSON writes them (5, -2.5,
1e3; not 007) or empty; they are read as numbers.  Columns of our keys (id, text, reference …), of
speaker and label, and those that --field makes one of these stay texts, and so do others with
csv:texts=zip+version.  Where numbers have decimal commas (3,5), csv:decimals=comma reads them.

The delimiter of csv is what parts the first two lines alike: , ; | or a tab, or what a first line
sep=; names.  UTF-16 is read as well as UTF-8.  Empty cells behind the last column and empty rows
are passed over.  The closing line says so, and what is odd: commas in numbers, days that a
spreadsheet counted (45000), names of columns with spaces that nobody sees.

A written table has columns KEY:json for keys that some records lack and for all values that are not
strings (a dialogue, several references, scores), and they are read back unchanged.  Writing holds
all records, since any of them may have a new column.

In csv cells may stand in quotes; in tsv quotes are ordinary characters, and a column whose cells
hold tabs or line ends is written as KEY:json.  Cells in quotes between tabs, as spreadsheets write
them, are csv, too: --from csv.  If the first row is data, put names before it:
sed '1i id\ttext'.

>>> from io import BytesIO
>>> list(jsonl.read(BytesIO(b'{"id": 7, "text": "Hi"}')))
[('1', {'id': 7, 'text': 'Hi'})]
>>> list(json.read(BytesIO(b'[{"text": "Hi"}, {"text": "Bye"}]')))
[('item 1', {'text': 'Hi'}), ('item 2', {'text': 'Bye'})]
>>> list(lines.read(BytesIO(b'Good morning.\nGood night.\n')))
[('1', {'text': 'Good morning.'}), ('2', {'text': 'Good night.'})]
>>> list(csv.read(BytesIO(b'id,text,rating,turns:json\n1,"Hi, Bob",5,"[3, 4]"\n')))
[('2', {'id': '1', 'text': 'Hi, Bob', 'rating': 5, 'turns': [3, 4]})]
>>> list(csv.read(BytesIO(b'id,output\n1,\n')))
[('2', {'id': '1', 'output': ''})]
>>> list(tsv.read(BytesIO(b'id\ttext\n1\t"Hi" he said\n')))
[('2', {'id': '1', 'text': '"Hi" he said'})]
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import BinaryIO, Literal

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.records import jsonl as records
from dialtools.records import values
from dialtools.system.errors import OptionError, RecordError

_NUMBERS = {"point": values.number_of, "comma": values.number_with_comma}


def read_jsonl(file: BinaryIO) -> items.Placed:
    """Yield the object on each line."""
    return items.json_lines(file)


def write_jsonl(converted: Iterable[dict]) -> Iterator[str]:
    """Yield each record as a line."""
    return (records.dumps(record).decode() for record in converted)


def is_jsonl(head: bytes) -> bool:
    """Is the first line a JSON object?  It may be longer than the head."""
    line = items.first_line(head)
    try:
        return isinstance(records.parse(line.encode()), dict)
    except RecordError:
        return line.startswith("{") and bool(items.keys(head)) and b"\n" not in head.strip()


def read_json(file: BinaryIO) -> items.Placed:
    """Yield each item of the array; the whole file is held."""
    return items.array(file)


def is_json(head: bytes) -> bool:
    """Tell whether it begins with a list: of objects, empty, or of lists (`read` refuses it)."""
    return bool(re.match(rb"(\xef\xbb\xbf)?\s*\[\s*[\[{\]]", head))


def read_lines(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield each line as "text", without its end."""
    return ((place, {"text": items.unended(line)}) for place, line in items.lines(file))


def read_csv(
    file: BinaryIO,
    *,
    delimiter: str = "",
    texts: str = "",
    decimals: Literal["point", "comma"] = "point",
    declared: Collection[str] = (),
    note: rows.Note | None = None,
) -> items.Placed:
    """Yield each row; one that has more values than the first, or fewer cells, is an error.

    delimiter: one character; by default , ; | or a tab, as the first two lines say.
    texts: columns that stay texts, such as zip+version; declared: the same, of --field.
    decimals: what stands before the decimals of numbers.
    note: as `rows.Remarks.note`.
    """
    if delimiter and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise OptionError(
            f"csv: the delimiter must be one character, no quote and no line end, not {delimiter!r}"
        )
    cells = partial(rows.cells_in_quotes, delimiter=delimiter, note=note)
    return rows.typed(file, cells, delimiter, texts, declared, note, _NUMBERS[decimals])


def write_csv(converted: Iterable[dict]) -> Iterator[str]:
    """Yield the table's lines, with quotes where needed."""
    import csv
    import io

    is_first = iter([True])

    def line(cells: list[str]) -> str:
        written = io.StringIO()
        # a name such as "a;b" must not look like two
        is_odd = next(is_first, False) and any(mark in cell for cell in cells for mark in ";|\t")
        quoting: Literal[0, 1] = csv.QUOTE_ALL if is_odd else csv.QUOTE_MINIMAL
        # With lineterminator "\n", older Pythons leave a lone "\r" unquoted.
        csv.writer(written, lineterminator="\r\n", quoting=quoting).writerow(cells)
        return written.getvalue().removesuffix("\r\n") + "\n"

    return rows.write(converted, line)


def read_tsv(
    file: BinaryIO,
    *,
    texts: str = "",
    decimals: Literal["point", "comma"] = "point",
    declared: Collection[str] = (),
    note: rows.Note | None = None,
) -> items.Placed:
    """Yield each row; one that has more values than the first, or fewer cells, is an error.

    texts, decimals, declared, note: as in csv.
    """
    number = _NUMBERS[decimals]
    return rows.typed(file, rows.cells_between_tabs, "\t", texts, declared, note, number)


def write_tsv(converted: Iterable[dict]) -> Iterator[str]:
    """Yield the table's lines."""
    return rows.write(converted, lambda cells: "\t".join(cells) + "\n", forbidden="\t\r\n")


jsonl = Format(
    read_jsonl,
    recognise=is_jsonl,
    write=write_jsonl,
    summary="JSON Lines: one record a line, as every command reads and writes them.",
)
json = Format(
    read_json,
    recognise=is_json,
    summary="JSON array: the records are the items of one list.",
)
lines = Format(read_lines, summary="Lines: each line is the text of a record.")
csv = Format(
    read_csv,
    recognise=partial(rows.named, quoted=True),
    write=write_csv,
    summary="Tables with commas: the first row names the keys, cells may stand in quotes.",
)
tsv = Format(
    read_tsv,
    recognise=partial(rows.named, quoted=False),
    write=write_tsv,
    summary="Tables with tabs: the first row names the keys, quotes are ordinary characters.",
)
