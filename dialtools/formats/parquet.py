"""Parquet: the rows of a .parquet file, as the Hugging Face hub and pandas write them.

Columns are keys; lists and structs stay what they are, dates become ISO 8601.  A
column of bytes, such as pictures, is left out by parquet:without=image (several:
image+audio).  Of a pipe a copy is made first: the end of the file says where its
rows are.

Source: https://parquet.apache.org, as pyarrow reads it (pip install 'dialtools[files]').

>>> from io import BytesIO
>>> import pyarrow, pyarrow.parquet
>>> file = BytesIO()
>>> pyarrow.parquet.write_table(pyarrow.table({"id": [1], "reference": [["Hi."]]}), file)
>>> list(read(BytesIO(file.getvalue())))
[('row 1', {'id': 1, 'reference': ['Hi.']})]
"""

import shutil
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from dialtools.conversion import columns, items
from dialtools.plugins.format import Format
from dialtools.system.errors import need

_MAGIC = b"PAR1"
_ROWS = 1000  # that are held at a time


def read(file: BinaryIO, *, without: str = "") -> items.Placed:
    """Yield each row; a thousand are held at a time.

    without: columns to leave out, such as image+audio.
    """
    if not file.seekable():
        copy: Any = TemporaryFile()
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        file = copy
    start = file.read(len(_MAGIC))
    if not start.strip(b"\xef\xbb\xbf\n "):
        return
    need("pyarrow", "files")
    import pyarrow.parquet

    file.seek(0)
    found = pyarrow.parquet.ParquetFile(file)
    chosen = columns.left(found.schema_arrow.names, without)
    yield from columns.records(columns.batches(found.iter_batches(_ROWS, columns=chosen)))


def recognise(head: bytes) -> bool:
    """Tell whether it begins as Parquet does."""
    return head.startswith(_MAGIC)


FORMAT = Format(read, recognise=recognise)
