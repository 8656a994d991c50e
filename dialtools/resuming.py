"""Going on where a run was cut off: what its output file holds is kept, the rest is made as if nothing had happened.

The records of the last id in the file may be some of several, and a batch may
be cut in two.  So the last id is made again, and the one before it as well,
together with the batch that they are in: what comes out for that one must
have the variants and signatures that are in the file, else it was made by
another command.  Where records are worked on in batches, as many as a batch has
are made again, too: an error may have ended the last one too early.

All others that are kept must have been made of the records of the input: of
their texts, with their histories, and of each of them something.  Only where a
filter leaves records out may there be nothing; those that it failed on, and
skipped, are counted again.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from typing import NamedTuple

from dialtools import dialogue, edits, history, workers
from dialtools import records as jsonl
from dialtools.errors import OptionError, RecordError, show
from dialtools.files import STANDARD
from dialtools.source import Source

Mark = tuple[str, str]


class Kept(NamedTuple):
    """What is kept of an output file: its first `size` bytes, `number` records, the last of them of one id."""

    path: str
    size: int = 0
    number: int = 0
    id: str | int | None = None
    system: str | None = None
    marks: tuple[Mark, ...] = ()  # of the records of that id and system
    several: bool = False  # systems are in the file, whose ids may be the same
    skipped: bool = False  # what failed is not in the file
    leaves_out: bool = False  # nor is that in which nothing was changed
    overwrites: bool = False  # a prediction that was there before is not
    by: str = ""  # the command that has made it, and goes on

    def has_last(self, record: dict) -> bool:
        """Is a record one of those that the last kept ones are, or were made of?

        Of one system in the file the input may know nothing: dt-generate names it.
        """
        return record["id"] == self.id and (not self.several or record.get("system") == self.system)


def look(path: str, rename: dict[str, str], batch: int = 1) -> Kept:
    """Return what of a file can be kept: all but what stands there for the last id, and a line that was cut off.

    batch: how many records are worked on at once; if several, so many are not kept.

    A file that is not there, or holds one id only, is begun anew; one that holds other lines than records is an
    OptionError, and left as it is.
    """
    if path == STANDARD or path.endswith((".gz", ".zst")) or (os.path.exists(path) and not os.path.isfile(path)):
        raise OptionError("--resume goes on with the file of -o FILE, one that is not packed")
    group, systems = Kept(path), set()
    ends = deque([group])  # after each of the last ids
    for record, end in _records(path, rename) if os.path.exists(path) else ():
        source = record.get("system"), record["id"]
        if group.number and source != (group.system, group.id):
            ends.append(group)
            group = Kept(path, group.size, group.number)
        systems.update([source[0]] if not record.get("errors") else [])  # to one that failed dt-generate gave no name
        group = Kept(path, end, group.number + 1, record["id"], source[0], (*group.marks, mark(record)))
        while len(ends) > 1 and _is_kept(ends[1], group, batch):
            ends.popleft()
    return ends[0]._replace(several=len(systems) > 1)


def _is_kept(end: Kept, last: Kept, batch: int) -> bool:
    return batch == 1 or end.number <= last.number - batch


def _records(path: str, rename: dict[str, str]) -> Iterator[tuple[dict, int]]:
    """Yield the records of a file, each with where its line ends, up to one that was cut off."""
    end, size = 0, os.path.getsize(path)
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            end += len(line)
            try:
                record = jsonl.exchange(jsonl.loads(line), rename)
                jsonl.need(record, "id")
            except RecordError:
                if end == size:  # as a kill or a power cut leaves it
                    return
                raise OptionError(f"--resume: {path}:{number} is no record: is this the file to go on with?") from None
            if not line.endswith(b"\n"):
                return
            yield record, end


def mark(record: dict) -> Mark:
    """Return what a record that is made again must agree in: variant and signatures."""
    return str(record.get("variant")), repr([entry.get("signature") for entry in record.get("history") or ()])


def before(kept: Kept, rename: dict[str, str], by: str) -> Iterator[workers.Made]:
    """Yield the records that are kept, and whether the command `by` had failed on each."""
    for record in _kept(kept, rename):
        made_by = [entry.get("by") for entry in record.get("history") or [{}]]
        yield record, made_by[-1] != by and any(error.get("by") == by for error in record.get("errors") or ())


def _kept(kept: Kept, rename: dict[str, str]) -> Iterator[dict]:
    return (record for record, _ in islice(_records(kept.path, rename), kept.number))


def compared(records: Iterable[dict], kept: Kept, source: Source, whole_groups: bool = False) -> Iterator[dict]:
    """Yield the input; what is kept must have been made of it, of all of it, in its order, else it is an OptionError.

    What comes before the last kept id and has left nothing in the file is counted as failed, where that is not there.

    whole_groups: the records of one id are made into something together, or fail.
    """
    def name(record: dict) -> tuple:
        return record.get("system") if kept.several else None, record["id"]

    made = groupby(_kept(kept, source.rename), key=name)
    over: tuple[tuple, Iterator[dict]] = (None, None), iter(())
    there, own = next(made, over)
    passed = kept.number == 0
    for given, group in groupby(records, key=name):
        variants = dict[str | None, dict]()
        for record in group:
            if not passed and kept.has_last(record):
                passed = True
                _check_order(kept, there, given)
            if not passed:
                variants[record.get("variant")] = record
            yield record
        if not passed:
            found = _found(kept, own, variants, source.anew) if there == given else set()
            missing = set() if found and whole_groups else variants.keys() - found
            if missing and not (kept.skipped or kept.leaves_out):
                raise _another(kept, f"nothing in it was made of id {show(given[1])}, which the input has")
            source.failed += len(missing) if kept.skipped else 0
            there, own = next(made, over) if there == given else (there, own)


def _check_order(kept: Kept, there: tuple, last: tuple) -> None:
    """Raise OptionError where something in the file was made of what the input has not before the last kept id.

    there: system and id of the first of those in the file, or those of the last kept one.
    """
    if there != last:
        raise _another(kept, f"id {show(there[1])} is in it, but not in the input before {show(kept.id)}")


def _another(kept: Kept, reason: str) -> OptionError:
    return OptionError(f"--resume: {kept.path} was made of another input, or of one in another order: {reason}")


def _found(kept: Kept, own: Iterable[dict], given: dict[str | None, dict], anew: bool) -> set[str | None]:
    """Return of which records of a source the kept ones were made; OptionError where it was of others.

    given: {variant: record}.
    anew: as in Source; of such there is nothing to compare.
    """
    if anew:
        return {record.get("variant") for record in own}
    found = set()
    for record in own:
        named = (variant for variant in _origins(record.get("variant")) if variant in given)
        try:
            found.add(next(variant for variant in named if _is_made_of(record, given[variant], kept)))
        except StopIteration:
            raise _another(kept, f"id {show(record['id'])} reads otherwise in the input") from None
    return found


def _is_made_of(record: dict, given: dict, kept: Kept) -> bool:
    """Has a record the history and the texts of a given one, but for what was done since, or undone of what it had?

    Of a prediction nothing can be said where names were swapped in it, or back.
    """
    before, entries = (one.get("history") or [] for one in (given, record))
    new = entries[len(before):]
    if entries[:len(before)] != before or record.get("lang") != given.get("lang") or not _is_one_run(new, record, kept):
        return False
    predicted = not kept.overwrites and not any("names" in entry or "undoes" in entry for entry in new)
    predicted &= given.get("prediction") is not None
    try:
        undone = [before[entry["undoes"]] for entry in new if "undoes" in entry]
        return _texts(record, new[::-1], predicted) == _texts(given, undone, predicted)
    except (RecordError, IndexError):
        return False


def _is_one_run(new: list[dict], record: dict, kept: Kept) -> bool:
    """Is what is new in a record's history what the command adds: nothing, what was undone, or an entry or a chain?"""
    by_it = all(entry.get("by") == kept.by for entry in new)
    return by_it and (new in ([], history.run(record)) or all("undoes" in entry for entry in new))


def _texts(record: dict, entries: Iterable[dict], predicted: bool) -> dict[str, str]:
    """Return the texts of a record, with the prediction or without it, as they were before the edits of entries."""
    for entry in entries:
        record = edits.undo(record, entry.get("edits") or [])
    return {pointer: text for pointer, text in dialogue.strings(record)
            if predicted or not pointer.startswith("/prediction")}


def _origins(variant: str | None) -> Iterator[str | None]:
    """Yield of which variants one may be made: itself, and what its name begins with; names:1 of the original, too.

    >>> list(_origins("names:1/typo:1"))
    ['names:1/typo:1', 'names:1', None]
    """
    while variant is not None:
        yield variant
        variant = variant.rpartition("/")[0] or None
    yield None


def rest(records: Iterable[dict], kept: Kept, batch: int) -> Iterator[dict]:
    """Yield the input from the last batch on that begins with a new id and does not come after the kept one's first."""
    records, window, last = iter(records), list[dict](), None
    for at, record in enumerate(records):
        source = record.get("system"), record["id"]
        if at % batch == 0 and source != last:
            window = []
        window.append(record)
        last = source
        if kept.number == 0 or kept.has_last(record):
            yield from window
            yield from records
            return
    if kept.number:
        raise OptionError(f"--resume: {kept.path} knows an id that the input has not: {show(kept.id)}")


def after(made: Iterable[workers.Made], kept: Kept, source: Source) -> Iterator[workers.Made]:
    """Yield what is made after the kept records; what agrees not with the last of them is an OptionError.

    What fails of their id, and is skipped, is yielded with them: only the first run had counted it.
    """
    if kept.number == 0:
        yield from made
        return
    again: list[Mark] = []  # of what is to be in the file
    made = iter(made)
    for record, failed in made:
        if kept.has_last(record) and failed and kept.skipped:
            yield record, failed
        elif kept.has_last(record):
            again += [] if kept.leaves_out and not failed and _is_unchanged(record, source) else [mark(record)]
        elif again:
            _check(kept, again)
            yield record, failed
            yield from made
            return
    _check(kept, again)


def _is_unchanged(record: dict, source: Source) -> bool:
    """Was nothing changed in a record that was made, and no original that is kept?"""
    return bool(source.new_entry(record)) and all(entry.get("changed") is False for entry in history.run(record))


def _check(kept: Kept, again: list[Mark]) -> None:
    if again != [*kept.marks]:
        raise OptionError(f"--resume: {kept.path} was made otherwise (id {show(kept.id)}): by another command, other "
                          "options or another version")


def write(lines: Iterator[bytes], kept: Kept) -> None:
    """Append lines to what is kept of a file, each at once; nothing is cut off before the first of them is made."""
    first = list(islice(lines, 1))
    with open(kept.path, "r+b" if os.path.exists(kept.path) else "wb") as file:
        file.truncate(kept.size)
        file.seek(kept.size)
        for line in chain(first, lines):
            file.write(line)
            file.flush()  # a bare file would write less than it is given where the disk gets full, and say nothing
        os.fsync(file.fileno())
