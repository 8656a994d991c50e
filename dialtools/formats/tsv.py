"""Tables with tabs: the first row names the keys, quotes are ordinary characters.

The rest is as in csv (tsv:texts=zip+version for columns that stay texts).  A column
whose cells hold tabs or line ends is written as KEY:json.  For cells in quotes
between tabs, as spreadsheets write them, read $'csv:delimiter=\\t'.  If the first row
is data, put names before it: sed '1i id\\ttext'.

>>> from io import BytesIO
>>> list(read(BytesIO(b'id\\ttext\\n1\\t"Hi" he said\\n')))
[('2', {'id': '1', 'text': '"Hi" he said'})]
"""

from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format


def read(
    file: BinaryIO,
    *,
    texts: str = "",
    declared: Collection[str] = (),
    note: rows.Note | None = None,
) -> items.Placed:
    """Yield each row; a row that is longer or shorter than the first is an error.

    texts, declared, note: as in csv.
    """
    return rows.typed(file, rows.cells_between_tabs, "\t", {*declared, *texts.split("+")}, note)


def write(found: Iterable[dict]) -> Iterator[str]:
    """Yield the table's lines."""
    return rows.write(found, _line, forbidden="\t\r\n")


def _line(cells: list[str]) -> str:
    return "\t".join(cells) + "\n"


def recognise(head: bytes) -> bool:
    """Tell whether a column has one of our own keys."""
    return rows.named(head, "\t")


FORMAT = Format(read, recognise=recognise, write=write)
