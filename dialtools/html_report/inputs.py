"""The files of a report: read line by line, hashed, read again for chosen cases."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from dialtools.records import jsonl, wellformed
from dialtools.system.errors import RecordError, about, show
from dialtools.system.files import called, open_input, without_bom

_TABLE = "; dt-report reads JSON Lines: without --format, commands write them into files and pipes"

Source = str | os.PathLike[str] | Iterable[dict]


class File(NamedTuple):
    """A file, or what came through a pipe or from Python and is kept in a temporary file.

    lines: how many lines of each kind it has.
    """

    name: str
    path: str
    given: bool
    lines: Counter
    facts: dict[str, Any]

    @property
    def about(self) -> str:
        """What lines it has, and how many."""
        return counted(self.lines)

    @property
    def stem(self) -> str:
        """Its name without folders and endings."""
        name = os.path.basename(self.name)
        for ending in (".gz", ".zst", ".jsonl", ".json", ".sources", ".scored"):
            name = name.removesuffix(ending)
        return name or self.name


def counted(lines: Counter) -> str:
    """Return how many lines there are of each kind.

    >>> counted(Counter({"records": 1200, "tests": 1}))
    '1,200 records, 1 test'
    """
    return (
        ", ".join(
            f"{number:,} {kind.removesuffix('s') if number == 1 else kind}"
            for kind, number in lines.items()
        )
        or "no lines"
    )


def opened(sources: Iterable[Source], held: ExitStack) -> list[File]:
    """Return the files of a report; what cannot be read twice is copied, as long as `held` is."""
    files = []
    for number, source in enumerate(sources, 1):
        path = source if isinstance(source, (str, os.PathLike)) else None
        if path is not None and os.path.isfile(path):
            files.append(File(called(path), os.fspath(path), True, Counter(), {}))
        else:
            name = f"records {number}" if path is None else called(path)
            copy = _copied(source, held)
            files.append(File(name, copy, False, Counter(), {}))
    return files


def _copied(source: Source, held: ExitStack) -> str:
    from tempfile import NamedTemporaryFile

    copy = held.enter_context(NamedTemporaryFile(prefix="dt-report-", suffix=".jsonl"))
    if isinstance(source, (str, os.PathLike)):
        with open_input(source) as file:
            for line in file:
                copy.write(line)
    else:
        copy.writelines(map(jsonl.dumps, source))
    copy.flush()
    return copy.name


def lines(file: File, holding: Sequence[bytes] = ()) -> Iterator[tuple[str, dict]]:
    """Yield the place and the value of each line of a file that is not blank.

    holding: a line that has none of these is left out without a look at what it is.
    """
    with open_input(file.path) as data:
        for number, line in enumerate(without_bom(data), 1):
            if holding and not any(wanted in line for wanted in holding):
                continue
            if line.strip():
                place = f"{file.name}:{number}"
                yield place, _object(line, place)


def hashed(file: File) -> str:
    """Return the SHA-256 of a file as it lies on the disk."""
    with open(file.path, "rb") as data:
        return _digest(data)


def _digest(data: BinaryIO) -> str:
    total = hashlib.sha256()
    while block := data.read(1 << 20):
        total.update(block)
    return total.hexdigest()


def _object(line: bytes, place: str) -> dict:
    try:
        value = jsonl.parse(line)
    except RecordError as error:
        is_table = line.lstrip()[:1] not in (b"{", b"[", b'"')
        raise RecordError(error.reason + (_TABLE if is_table else ""), place=place) from None
    if type(value) is not dict:
        raise RecordError(f"a line is a JSON object, here is {show(value, 40)}", place=place)
    return value


def checked(record: dict, place: str, deep: bool = False) -> dict:
    """Return a record.  Raise RecordError for a malformed value of a key that we know."""
    if not wellformed.is_plain(record, deep):
        with about(place=place):
            jsonl.refuse(record, deep)
    return record
