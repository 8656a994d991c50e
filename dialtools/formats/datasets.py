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
from typing import Any, BinaryIO

from dialtools.conversion import columns, items
from dialtools.plugins.format import Format
from dialtools.system.errors import OptionError, RecordError, need, show, show_names
from dialtools.system.files import open_input

_STREAM, _FILE = b"\xff\xff\xff\xff", b"ARROW1"
_STATE = "state.json"  # of a folder: which files hold its rows


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
    of_file = start.startswith(_FILE) and file.seekable()
    reader: Any = pyarrow.ipc.open_file(file) if of_file else pyarrow.ipc.open_stream(file)
    chosen = columns.left(reader.schema.names, without)
    batches = (
        (reader.get_batch(number) for number in range(reader.num_record_batches))
        if of_file
        else reader
    )
    yield from columns.records(columns.batches(batch.select(chosen) for batch in batches))


def read_folder(path: str, *, without: str = "") -> items.Placed:
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
    for name in _names(path):
        with open_input(os.path.join(path, name)) as file:
            yield from items.placed(name, read(file, without=without))


def _names(path: str) -> list[str]:
    """Return the names of the .arrow files of a folder, which stand in it."""
    state = os.path.join(path, _STATE)
    if not os.path.isfile(state):
        raise RecordError(f"no data set that save_to_disk has written: there is no {_STATE}")
    names = []
    with open_input(state) as file:
        for entry in items.objects(items.document(file), "_data_files"):
            name = items.get(entry, "filename")
            if name != os.path.basename(name):
                raise RecordError(f"{_STATE} names a file that is not in the folder: {show(name)}")
            names.append(name)
    return names


def recognise(head: bytes) -> bool:
    """Tell whether it begins as a stream or a file of Arrow does."""
    return head.startswith((_STREAM, _FILE))


FORMAT = Format(read, recognise=recognise, read_folder=read_folder)
