"""What a format declares: a reader of other tools' files, and perhaps a writer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Format:
    """A reader of other tools' files, and perhaps a writer.

    read(file, *, options): (place, record) pairs; file: binary, to be read once.  place: "LINE" or
        "item N"; `items.each` pairs it with the records.  A reader of tables may have `declared`
        and `note`, as that of csv has.
    recognise(head): do these first bytes of a file look like this format?  For --from auto.
    write(records, *, options): strings, each with its line end.
    read_folder(path, *, options): as read, of a folder.
    of_files: False where there is no FILE, and read, which gets None, knows where its data is.
    """

    read: Callable[..., Any]
    recognise: Callable[[bytes], bool] | None = None
    write: Callable[..., Any] | None = None
    read_folder: Callable[..., Any] | None = None
    of_files: bool = True
    summary: str = ""
