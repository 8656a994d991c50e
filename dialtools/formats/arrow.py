"""Tables of Apache Arrow: Parquet files, and Hugging Face datasets on disk.

parquet reads the rows of a .parquet file, as the Hugging Face hub and pandas write them.  Of a pipe
a copy is made first: the end of the file says where its rows are.

datasets reads a folder of save_to_disk, or one of its .arrow files; of a folder with several splits
one is read: DIR/test.

Columns are keys; lists and structs stay what they are, dates become ISO 8601, durations seconds,
labels are their numbers.  Bytes (sounds, pictures) and NaN are no JSON: a column of them is an
error, unless it is left out by without=image (several: image+audio).

Source: https://parquet.apache.org and https://huggingface.co/docs/datasets, as pyarrow reads them
(pip install 'dialtools[files]').

>>> from io import BytesIO
>>> import pyarrow, pyarrow.parquet
>>> file = BytesIO()
>>> pyarrow.parquet.write_table(pyarrow.table({"id": [1], "reference": [["Hi."]]}), file)
>>> list(parquet.read(BytesIO(file.getvalue())))
[('row 1', {'id': 1, 'reference': ['Hi.']})]
>>> table, file = pyarrow.table({"id": [1], "dialogue": ["Ann: Hi"]}), BytesIO()
>>> with pyarrow.ipc.new_stream(file, table.schema) as stream:
...     stream.write_table(table)
>>> list(datasets.read(BytesIO(file.getvalue())))
[('row 1', {'id': 1, 'dialogue': 'Ann: Hi'})]
"""

import math
import os
import shutil
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import OptionError, RecordError, nearest, need, show, show_names
from dialtools.system.files import open_input

_MAGIC = b"PAR1"
_ROWS = 1000  # that are held at a time
_STREAM, _FILE = b"\xff\xff\xff\xff", b"ARROW1"
_STATE = "state.json"  # of a folder: which files hold its rows


def read_parquet(file: BinaryIO, *, without: str = "") -> items.Placed:
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
    table = pyarrow.parquet.ParquetFile(file)
    columns = _columns(table.schema_arrow.names, without)
    yield from _records(table.iter_batches(_ROWS, columns=columns))


def read_arrow(file: BinaryIO, *, without: str = "") -> items.Placed:
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
    is_file = start.startswith(_FILE) and file.seekable()
    reader: Any = pyarrow.ipc.open_file(file) if is_file else pyarrow.ipc.open_stream(file)
    columns = _columns(reader.schema.names, without)
    numbers = range(reader.num_record_batches) if is_file else ()
    batches = map(reader.get_batch, numbers) if is_file else reader
    yield from _records(batch.select(columns) for batch in batches)


def read_dataset_folder(path: str, *, without: str = "") -> items.Placed:
    """Yield each row of a folder that save_to_disk has made; a batch is held at a time.

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
    state = os.path.join(path, _STATE)
    if not os.path.isfile(state):
        raise RecordError(f"no data set that save_to_disk has written: there is no {_STATE}")
    with open_input(state) as file:
        entries = items.objects(items.document(file), "_data_files")
    names = [items.get(entry, "filename") for entry in entries]
    for name in names:
        if name != os.path.basename(name):
            raise RecordError(f"{_STATE} names a file that is not in the folder: {show(name)}")
    for name in names:
        with open_input(os.path.join(path, name)) as file:
            yield from items.placed(name, read_arrow(file, without=without))


def _columns(names: Iterable[str], without: str) -> list[str]:
    """Return the columns but those that "a+b" names; OptionError for one that is not there."""
    columns, left_out = list(names), [name for name in without.split("+") if name]
    for name in left_out:
        if name not in columns:
            raise OptionError(
                f"without={without}: no column {show(name)}{nearest(name, columns)}; "
                f"there is {show_names(columns)}"
            )
    return [name for name in columns if name not in left_out]


def checked_rows(batches: Iterable[Any]) -> Iterable[dict]:
    """Yield the rows of Arrow record batches, which are held one at a time.

    pyarrow believes what a file says about the places of its values: those of a damaged one would
    end the process.
    """
    for batch in batches:
        batch.validate(full=True)
        yield from batch.to_pylist()


def _records(batches: Iterable[Any]) -> items.Placed:
    """Yield ("row N", record) for the rows of Arrow record batches."""
    for number, row in enumerate(checked_rows(batches), 1):
        try:
            yield f"row {number}", {key: plain(value, key) for key, value in row.items()}
        except RecordError as error:
            yield f"row {number}", error


def plain(value: Any, column: str) -> Any:
    """Return a value as JSON knows it; RecordError for bytes and NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        raise RecordError(f"column {show(column)} holds {value}; a number that is missing is null")
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(inner, column) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, column) for inner in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        raise RecordError(
            f"column {show(column)} holds bytes, such as a sound or a picture: "
            f"without={column} leaves it out"
        )
    return str(value)


parquet = Format(
    read_parquet,
    recognise=lambda head: head.startswith(_MAGIC),
    summary="Parquet: the rows of a .parquet file, as the Hugging Face hub and pandas write them.",
)
datasets = Format(
    read_arrow,
    recognise=lambda head: head.startswith((_STREAM, _FILE)),
    read_folder=read_dataset_folder,
    summary="Hugging Face datasets on disk: a folder of save_to_disk, or one of its .arrow files.",
)
