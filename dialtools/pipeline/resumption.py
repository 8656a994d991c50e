"""--resume: what the output file of an interrupted run holds is kept, and the rest is made.

The last records in the file may be some of several that are made of one source, and a batch may be
cut in two.  So the last source is made again, and the one before it, together with their batch:
variants and signatures of that one must be those in the file, else another command has made it.
Where records are worked on in batches, as many as a batch has are made again, too, as an error may
have ended the last batch early.

What is kept must have been made of the input's records: of their ids, in their order, of their
variants and their histories.  Other keys are not compared.
"""

import io
import os
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from typing import NamedTuple

from dialtools.pipeline.input import Input
from dialtools.pipeline.run import Run
from dialtools.records import history, jsonl, validation
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.system.files import BUFFER, STANDARD, File
from dialtools.system.packed import is_packed

Mark = tuple[str, str]


class Kept(NamedTuple):
    """The part of an output file that is kept: its first `size` bytes.

    last: the `name` of the source that is made again first, the last one that is complete.
    marks: of its records; none where the file is begun anew.
    """

    path: str
    size: int = 0
    last: tuple = ()
    marks: tuple[Mark, ...] = ()
    rename: dict[str, str] = {}  # as in validation.validated
    by: str = ""  # the command that has made it
    names: bool = False  # it gives records the name of a system, which the input does not know
    skips: bool = False  # failed records are not in the file
    leaves_out: bool = False  # nor are those in which nothing was changed

    def name(self, record: dict) -> tuple:
        """Return what the records of a source have in common, in the file and in the input."""
        return None if self.names else record.get("system"), record["id"]

    def record(self, line: bytes) -> dict:
        """Return the record on a line of the file."""
        try:
            record = validation.exchange(jsonl.loads(line), self.rename)
            validation.need(record, "id")
            return record
        except RecordError:
            raise OptionError(
                f"--resume: {self.path}: what begins with "
                f"{show(line[:40].decode(errors='replace'))} is no record: is this the "
                "file to continue?"
            ) from None

    def other_input(self, reason: str) -> OptionError:
        """Return the error that the input is not the one that the file was made from."""
        return OptionError(
            f"--resume: {self.path} was made from another input, or from another order of it: "
            f"{reason}"
        )


def look(kept: Kept, batch: int) -> Kept:
    """Return what can be kept of a file: all but its last sources, and a line that was cut off.

    batch: how many records are worked on at once, and are not kept.

    A file that does not exist, or holds one source only, is begun anew.  One with other lines than
    records is an OptionError, and left as it is.
    """
    path = kept.path
    if path == STANDARD or is_packed(path) or (os.path.exists(path) and not os.path.isfile(path)):
        raise OptionError("--resume needs -o FILE, an uncompressed file")
    made_again = 0
    for name, group in groupby(_backwards(kept), key=lambda pair: kept.name(pair[0])):
        records, starts = zip(*group, strict=False)
        if made_again >= batch:
            return kept._replace(size=starts[-1], last=name, marks=tuple(map(_mark, records[::-1])))
        made_again += len(records)
    return kept


def _backwards(kept: Kept) -> Iterator[tuple[dict, int]]:
    """Yield the complete records of a file, last first, each with where its line begins."""
    import mmap

    if not os.path.exists(kept.path) or not os.path.getsize(kept.path):  # an empty file has no map
        return
    with (
        open(kept.path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        end = len(content)
        while end:
            start = content.rfind(b"\n", 0, end - 1) + 1
            try:
                if content[end - 1 : end] == b"\n":
                    yield kept.record(content[start:end]), start
            except OptionError:
                if end < len(content):  # else a power cut has left it
                    raise
            end = start


def compared(
    records: Iterable[dict], input: Input, kept: Kept, run: Run
) -> Iterator[tuple[dict, bool]]:
    """Yield the input, each record with whether the source that is made again has come.

    What is kept is compared with what comes before that, and counted.  What left nothing in the
    file is counted as failed.
    """

    def kept_records() -> Iterator[dict]:
        size = 0
        with open(kept.path, "rb", BUFFER) as file:
            while size < kept.size:
                line = file.readline()
                size += len(line)
                yield kept.record(line)

    sources = groupby(records, key=kept.name)
    kept_sources = groupby(kept_records(), key=kept.name)
    none: tuple[tuple | None, Iterable[dict]] = (None, ())
    kept_name, of_source = next(kept_sources, none)
    for name, group in sources:
        if kept_name is None and name == kept.last:
            break
        inputs = []
        for record in group:
            inputs.append(record)
            yield record, False
        missing = inputs
        if name == kept_name:
            missing = _count(list(of_source), inputs, input, kept, run)
            kept_name, of_source = next(kept_sources, none)
        if missing and not (kept.skips or kept.leaves_out):
            raise kept.other_input(f"it has nothing for id {show(missing[0]['id'])}")
        if kept.skips:
            reason = f"{kept.path} has nothing for it: it failed in the earlier run, or is new"
            for record in missing:
                input.ledger.fail(input.located(RecordError(reason, record)))
    else:
        unknown = kept_name or kept.last
        raise OptionError(
            f"--resume: {kept.path} has an id that the input lacks: {show(unknown[1])}"
        )
    for _, group in chain([(name, group)], sources):
        for record in group:
            yield record, True


def _count(
    outputs: list[dict], inputs: list[dict], input: Input, kept: Kept, run: Run
) -> list[dict]:
    """Count what is kept of a source; return the records that left nothing in the file.

    A filter either keeps the names of variants or makes new ones.  Outputs stand in the order of
    their sources, which tells the names:1 made of the original from the input's.
    """
    by_name = {record.get("variant"): record for record in inputs}
    keeps_names = all(record.get("variant") in by_name for record in outputs)
    latest = 0  # place of what the last output was made of
    used: set[int] = set()
    counted: list[dict] = []
    for record in outputs:
        namesake = by_name.get(record.get("variant"), {})
        is_failed = history.has_failed(record, namesake)
        if run.work.whole_groups:  # made of all records together
            used.update(range(len(inputs)))
            counted.append(_as_made(record, {}, is_failed))
            continue
        origins = [
            place
            for place, origin in enumerate(inputs)
            if (origin is namesake or not keeps_names) and _may_be_made(record, origin, kept)
        ]
        if not origins:
            raise kept.other_input(f"id {show(record['id'])} has another variant or history there")
        used.update(origins)
        latest = next((place for place in origins if place >= latest), latest)
        counted.append(_as_made(record, inputs[latest], is_failed))
    for _ in run.counted(counted, input):
        input.ledger.resumed += 1
    return [record for place, record in enumerate(inputs) if place not in used]


def _may_be_made(record: dict, origin: dict, kept: Kept) -> bool:
    """Return whether a kept record may be made of a given one, judging by variant and history."""
    name, variant = origin.get("variant") or "", record.get("variant") or ""
    before, entries = origin.get("history") or [], record.get("history") or []
    new = entries[len(before) :]
    if entries[: len(before)] != before or name and not f"{variant}/".startswith(f"{name}/"):
        return False
    is_one_run = not new or new == history.run(record) or "undoes" in new[0]
    return is_one_run and all(entry.get("by") == kept.by for entry in new)


def _as_made(record: dict, origin: dict, is_failed: bool) -> dict:
    """Return a kept record as the run made it of a given one."""
    entries, errors = record.get("history") or [], record.get("errors") or []
    if is_failed:
        return {**record, "errors": [*errors[:-1], history.Failure(errors[-1])]}
    if len(entries) > len(origin.get("history") or ()):
        return {**record, "history": [*entries[:-1], history.Entry(entries[-1])]}
    return record


def rest(records: Iterable[tuple[dict, bool]], batch: int) -> Iterator[dict]:
    """Yield the input from the last batch on that begins a source and includes what is made again.

    records: as `compared` yields them.
    """
    records, window = iter(records), list[dict]()
    for number, (record, is_made_again) in enumerate(records):
        begins = window and history.source(window[-1]) != history.source(record)
        if number % batch == 0 and begins:
            window.clear()
        window.append(record)
        if is_made_again:
            break
    yield from window
    yield from (record for record, _ in records)


def after(outputs: Iterable[dict], kept: Kept) -> Iterator[dict]:
    """Yield what is made from the last source of the file on; OptionError if that differs."""
    again: list[dict] = []
    outputs = iter(outputs)
    for record in outputs:
        if kept.name(record) == kept.last:
            again.append(record)
        elif again:
            outputs = chain([record], outputs)
            break

    marks: dict[str, Mark] = {}  # of several that have one name only the first is written
    for record in again:
        is_failed = history.failure(record) is not None
        is_unchanged = history.made(record) is not None and all(
            entry.get("changed") is False for entry in history.run(record)
        )
        if not (kept.skips if is_failed else kept.leaves_out and is_unchanged):
            marks.setdefault(str(record.get("variant")), _mark(record))
    if tuple(marks.values()) != kept.marks:
        raise OptionError(
            f"--resume: {kept.path} was written by another command, other options "
            f"or another version (id {show(kept.last[1])})"
        )
    yield from again
    yield from outputs


def _mark(record: dict) -> Mark:
    """Return what must agree in a record that is made again, signatures among it."""
    signatures = [entry.get("signature") for entry in record.get("history") or ()]
    return str(record.get("variant")), repr((record.get("system"), signatures))


def write(lines: Iterable[bytes], kept: Kept) -> None:
    """Append lines to the kept part of a file, which is cut off when the first one is made."""
    lines = iter(lines)
    first = list(islice(lines, 1))
    with io.BufferedWriter(File(kept.path, "r+b" if os.path.exists(kept.path) else "wb")) as file:
        file.truncate(kept.size)
        file.seek(kept.size)
        for line in chain(first, lines):
            file.write(line)
            # a bare file would write less than it is given on a full disk, and say nothing
            file.flush()
        os.fsync(file.fileno())
