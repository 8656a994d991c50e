"""Tables with commas: the first row names the keys, cells may stand in quotes.

A cell is a string, an empty one a key that the record has not.  In a column
called KEY:json each cell holds JSON instead; what is written as a table has
such columns for all that is more than a string (a dialogue, several
references, scores), and comes back from it unchanged.  Writing holds all
records, since any may bring a further column.

>>> from io import BytesIO
>>> list(read(BytesIO(b'id,text,rating:json\\n1,"Hi, Bob",5\\n')))
[('2', {'id': '1', 'text': 'Hi, Bob', 'rating': 5})]
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from dialtools.conversion import rows
from dialtools.errors import OptionError


def read(file: BinaryIO, *, delimiter: str = ",") -> Iterator[tuple[str, dict]]:
    """Yield each row; a row that is longer or shorter than the first is an error.

    delimiter: one character, such as ; or | or a tab.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"csv: the delimiter is one character and no quote or line end, not {delimiter!r}")
    return rows.quoted(file, delimiter)


def write(found: Iterable[dict]) -> Iterator[str]:
    """Yield the table's lines, in quotes what needs them."""
    return rows.write(found, _line)


def _line(cells: list[str]) -> str:
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # with "\n", older Pythons leave a lone "\r" unquoted
    return line.getvalue().removesuffix("\r\n") + "\n"


def recognise(head: bytes) -> bool:
    """Is there a column with one of our own keys?"""
    return rows.named(head, ",")
