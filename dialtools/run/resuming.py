"""Going on where a run was cut off: what its output file holds is kept, the rest is made as if nothing had happened.

The records of the last id in the file may be some of several, and a batch may
be cut in two.  So the last id is made again, and the one before it as well,
together with the batch that they are in: what comes out for that one must
have the variants and signatures that are in the file, else it was made by
another command.  Where records are worked on in batches, as many as a batch has
are made again, too: an error may have ended the last one too early.

That all before it was made of the records of the input is seen to by origins.py.
"""

import io
import mmap
import os
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from typing import NamedTuple

from dialtools.errors import OptionError, RecordError, show
from dialtools.files import BUFFER, STANDARD, File
from dialtools.files.packed import is_packed
from dialtools.records import history, jsonl
from dialtools.run import filtering

Mark = tuple[str, str]


class Kept(NamedTuple):
    """What is kept of an output file: its first `size` bytes; behind them stands what is made again first.

    last: the `name` of that, the last source of which all records are there; marks: those of its records, none where
    the file is begun anew.
    """

    path: str
    size: int = 0
    last: tuple = ()
    marks: tuple[Mark, ...] = ()
    rename: dict[str, str] = {}  # as in records.read
    by: str = ""  # the command that has made it, and goes on
    names: bool = False  # it gives records the name of a system, of which the input knows nothing
    overwrites: bool = False  # a prediction that was there before is not
    skips: bool = False  # what failed is not in the file
    leaves_out: bool = False  # nor is that in which nothing was changed

    def name(self, record: dict) -> tuple:
        """Return what the records of a source have in common, in the file and in the input."""
        return None if self.names else record.get("system"), record["id"]


def look(kept: Kept, batch: int) -> Kept:
    """Return what can be kept of a file that is there: all but what stands there for the last ids, or was cut off.

    batch: how many records are worked on at once, and are not kept.

    A file that is not there, or holds one id only, is begun anew; one that holds other lines than records is an
    OptionError, and left as it is.
    """
    path = kept.path
    if path == STANDARD or is_packed(path) or (os.path.exists(path) and not os.path.isfile(path)):
        raise OptionError("--resume goes on with the file of -o FILE, one that is not packed")
    made_again = 0
    for name, group in groupby(_backwards(kept), key=lambda pair: kept.name(pair[0])):
        records, starts = zip(*group)
        if made_again >= batch:
            return kept._replace(size=starts[-1], last=name, marks=tuple(map(_mark, records[::-1])))
        made_again += len(records)
    return kept


def _backwards(kept: Kept) -> Iterator[tuple[dict, int]]:
    """Yield the records of a file, last first, each with where its line begins; not one that was cut off."""
    if not os.path.exists(kept.path) or not os.path.getsize(kept.path):  # what is empty has no map
        return
    with open(kept.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        end = len(whole)
        while end:
            start = whole.rfind(b"\n", 0, end - 1) + 1
            try:
                if whole[end - 1:end] == b"\n":
                    yield _record(whole[start:end], kept), start
            except OptionError:
                if end < len(whole):  # else a power cut has left it
                    raise
            end = start


def _record(line: bytes, kept: Kept) -> dict:
    try:
        record = jsonl.exchange(jsonl.loads(line), kept.rename)
        jsonl.need(record, "id")
        return record
    except RecordError:
        raise OptionError(f"--resume: {kept.path}: what begins with {show(line[:40].decode(errors='replace'))} is no "
                          "record: is this the file to go on with?") from None


def read(kept: Kept) -> Iterator[dict]:
    """Yield the records that are kept."""
    at = 0
    if kept.size:
        with open(kept.path, "rb", BUFFER) as file:
            for line in file:
                yield _record(line, kept)
                at += len(line)
                if at == kept.size:
                    return


def rest(records: Iterable[tuple[dict, bool]], batch: int) -> Iterator[dict]:
    """Yield the input from the last batch on that begins with a new id and does not come after what is made again.

    records: each with whether it, or one before, is what is made again.
    """
    records, window = iter(records), list[dict]()
    for at, (record, reached) in enumerate(records):
        if at % batch == 0 and window and history.source(window[-1]) != history.source(record):
            window.clear()
        window.append(record)
        if reached:
            break
    yield from window
    yield from (record for record, _ in records)


def after(made: Iterable[filtering.Made], kept: Kept) -> Iterator[filtering.Made]:
    """Yield what is made, from the last source on that the file has; if it is not as there, that is an OptionError."""
    again: list[filtering.Made] = []
    made = iter(made)
    for one in made:
        if kept.name(one[0]) == kept.last:
            again.append(one)
        elif again:
            _check(again, kept)
            yield from again
            yield one
            yield from made
            return
    _check(again, kept)
    yield from again


def _check(again: list[filtering.Made], kept: Kept) -> None:
    """Raise OptionError unless what was made again stands in the file, but for what is not to be written."""
    found: dict[str, Mark] = {}  # of several that have one name only the first is written
    for record, failed, entry in again:
        is_left_out = kept.skips if failed else kept.leaves_out and entry and _is_unchanged(record)
        if not is_left_out:
            found.setdefault(str(record.get("variant")), _mark(record))
    if tuple(found.values()) != kept.marks:
        raise OptionError(f"--resume: {kept.path} was made otherwise (id {show(kept.last[1])}): by another command, "
                          "other options or another version")


def _mark(record: dict) -> Mark:
    """Return what a record that is made again must agree in: variant, system, statistics or none, signatures."""
    signatures = [entry.get("signature") for entry in record.get("history") or ()]
    return str(record.get("variant")), repr((record.get("system"), "statistics" in record, signatures))


def _is_unchanged(record: dict) -> bool:
    """Was nothing changed in a record that was made?"""
    return all(entry.get("changed") is False for entry in history.run(record))


def write(lines: Iterator[bytes], kept: Kept) -> None:
    """Append lines to what is kept of a file, each at once; nothing is cut off before the first of them is made."""
    first = list(islice(lines, 1))
    with io.BufferedWriter(File(kept.path, "r+b" if os.path.exists(kept.path) else "wb")) as file:
        file.truncate(kept.size)
        file.seek(kept.size)
        for line in chain(first, lines):
            file.write(line)
            file.flush()  # a bare file would write less than it is given where the disk gets full, and say nothing
        os.fsync(file.fileno())
