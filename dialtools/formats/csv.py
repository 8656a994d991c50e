"""Tables with commas: the first row names the keys, cells may stand in quotes.

A cell is a string; an empty cell is an empty text, except that a record with an
empty id, cluster, lang, variant or system has none.  In a column called KEY:json
each cell holds JSON instead, and an empty cell is a key that the record lacks.  So
is one in a column of numbers, whose cells all are numbers as JSON writes them (5,
-2.5, 1e3; not 007) or empty; they are read as numbers.  Columns of our keys (id,
text, reference …), of speaker and label, and those that --field makes one of these
stay texts, and so do others with csv:texts=zip+version.

A written table has columns KEY:json for keys that some records lack and for all
values that are not strings (a dialogue, several references, scores), and they are
read back unchanged.  Writing holds all records, since any of them may have a new
column.

>>> from io import BytesIO
>>> list(read(BytesIO(b'id,text,rating,turns:json\\n1,"Hi, Bob",5,"[3, 4]"\\n')))
[('2', {'id': '1', 'text': 'Hi, Bob', 'rating': 5, 'turns': [3, 4]})]
>>> list(read(BytesIO(b'id,output\\n1,\\n')))
[('2', {'id': '1', 'output': ''})]
"""

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import BinaryIO

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.system.errors import OptionError


def read(
    file: BinaryIO,
    *,
    delimiter: str = ",",
    texts: str = "",
    declared: Collection[str] = (),
    note: rows.Note | None = None,
) -> items.Placed:
    """Yield each row; a row that is longer or shorter than the first is an error.

    delimiter: one character, such as ; or | or a tab.
    texts: columns that stay texts, such as zip+version; declared: the same, of --field.
    note: called with each column that holds numbers.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(
            f"csv: the delimiter must be one character, no quote and no line end, not {delimiter!r}"
        )
    parted = partial(rows.cells_in_quotes, delimiter=delimiter)
    return rows.typed(file, parted, delimiter, {*declared, *texts.split("+")}, note)


def write(found: Iterable[dict]) -> Iterator[str]:
    """Yield the table's lines, with quotes where needed."""
    return rows.write(found, _line)


def _line(cells: list[str]) -> str:
    import csv
    import io

    line = io.StringIO()
    # With lineterminator "\n", older Pythons leave a lone "\r" unquoted.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def recognise(head: bytes) -> bool:
    """Tell whether a column has one of our own keys."""
    return rows.named(head, ",")


FORMAT = Format(read, recognise=recognise, write=write)
