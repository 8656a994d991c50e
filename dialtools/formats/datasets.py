"""Hugging Face datasets on disk: a folder of save_to_disk, or one of its .arrow files.

Of a folder with several splits one is read: DIR/test.
Columns are keys; dates become ISO 8601, labels are their numbers.  A column of
bytes, such as pictures, is left out by datasets:without=image (several:
image+audio).

Source: https://huggingface.co/docs/datasets (pip install 'dialtools[files]').

>>> from io import BytesIO
>>> import pyarrow
>>> table, file = pyarrow.table({"id": [1], "dialogue": ["Ann: Hi"]}), BytesIO()
>>> with pyarrow.ipc.new_stream(file, table.schema) as stream:
...     stream.write_table(table)
>>> list(read(BytesIO(file.getvalue())))
[('row 1', {'id': 1, 'dialogue': 'Ann: Hi'})]
"""

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from dialtools.conversion import columns, items
from dialtools.plugins.format import Format
from dialtools.system.errors import OptionError, RecordError, need, show_names

_STREAM, _FILE = b"\xff\xff\xff\xff", b"ARROW1"
_ROWS = 1000  # that are held at a time


def read(file: BinaryIO, *, without: str = "") -> items.Placed:
    """Yield each row of an .arrow file; a batch is held at a time.

    without: columns to leave out, such as image+audio.
    """
    start = file.peek(8)[:8] if hasattr(file, "peek") else b""
    if not start and not (start := file.read(8)).strip(b"\xef\xbb\xbf\n "):
        return
    need("pyarrow", "files")
    import pyarrow.ipc

    if file.seekable():
        file.seek(0)
    try:
        of_file = start.startswith(_FILE) and file.seekable()
        found: Any = pyarrow.ipc.open_file(file) if of_file else pyarrow.ipc.open_stream(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise RecordError(f"no Arrow file: {str(error).partition(chr(10))[0]}") from None
    chosen = columns.left(found.schema.names, without)
    batches = (
        (found.get_batch(number) for number in range(found.num_record_batches))
        if of_file
        else found
    )
    yield from columns.records(columns.batches(batch.select(chosen) for batch in batches))


def read_folder(path: str, *, without: str = "") -> items.Placed:
    """Yield each row of a folder that save_to_disk has made; a thousand are held at a time.

    without: columns to leave out, such as image+audio.
    """
    if os.path.exists(os.path.join(path, "dataset_dict.json")):
        splits = sorted(
            name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name))
        )
        raise OptionError(
            f"{path} has the splits {show_names(splits)}: name one, such as "
            f"{os.path.join(path, (splits or ['test'])[0])}"
        )
    datasets = need("datasets", "files")
    datasets.disable_progress_bars()
    try:
        found = datasets.load_from_disk(path)
    except (FileNotFoundError, ValueError) as error:
        raise RecordError(f"no data set that save_to_disk has written: {error}") from None
    found = found.select_columns(columns.left(found.column_names, without))
    yield from columns.records(_rows(found.with_format("arrow")))


def _rows(found: Any) -> Iterator[dict]:
    """Yield the rows of a data set in Arrow's format, without decoding sounds and pictures."""
    for table in found.iter(_ROWS):
        yield from table.to_pylist()


def recognise(head: bytes) -> bool:
    """Tell whether it begins as a stream or a file of Arrow does."""
    return head.startswith((_STREAM, _FILE))


FORMAT = Format(read, recognise=recognise, read_folder=read_folder)
