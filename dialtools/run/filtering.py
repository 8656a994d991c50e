"""A filter run over a stream: directly, or in chunks that failures are kept apart by."""

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from dialtools.batches import as_they_come, batches, lists, until_error
from dialtools.errors import DialtoolsError, RecordError
from dialtools.records import history

Filter = Callable[[Iterable[dict]], Iterator[dict]]
New = Callable[[dict], dict | None]  # record -> the entry that its history got, None for one that passed through
Made = tuple[dict, bool, dict | None]  # a record, whether the filter failed on it, and what is `New` of it


def run(filter: Filter, records: Iterable[dict], *, by: str, new: New, keep_failed: bool = False,
        whole_groups: bool = False, batch: int = 1, full: bool = True) -> Iterator[Made]:
    """Return an iterator of what the filter makes of the records, in order.

    new: is asked as soon as a record is made: the next one that is read may have its name.
    keep_failed: a record that the filter cannot work on is yielded with the
        reason in "errors"; else the RecordError is raised.
    whole_groups: the filter makes something new of all records of one source together.
    batch: the filter works on so many records at once; they stay together, whatever else is asked for.
        One that works on 1 reads a record when it is done with the one before.
    full: a batch is waited for; else it ends where the input pauses.
    """
    if not keep_failed:
        return _passed(filter(records), new)
    if batch == 1 and not whole_groups:
        return chain.from_iterable(map(functools.partial(_one_by_one, filter, by, new), lists(records)))
    chunks = _chunks(records, batch) if whole_groups else (batches if full else as_they_come)(records, batch)
    return chain.from_iterable(map(functools.partial(_made, filter, by, new, whole_groups), chunks))


def _passed(made: Iterable[dict], new: New) -> Iterator[Made]:
    return ((record, False, new(record)) for record in made)


def _one_by_one(filter: Filter, by: str, new: New, records: Iterable[dict]) -> Iterator[Made]:
    """Yield what the filter makes of records; it begins anew after one that it fails on, and only then: that may cost.

    What it makes of a record is held until it reads the next: of one that it fails on it may have made a part.
    """
    errors: list[Exception] = []
    left = until_error(records, errors)
    last: list[dict] = []  # the record that the filter has read last
    of_last: list[Made] = []  # what was made of it so far
    ready: list[Made] = []  # what was made of those before it

    def passed() -> Iterator[dict]:
        for record in left:
            ready.extend(_emptied(of_last))
            last[:] = [record]
            yield record

    done = False
    while not done:
        try:
            for one in _passed(filter(passed()), new):
                yield from _emptied(ready)
                of_last.append(one)
            done = True
        except RecordError as error:
            if not last:
                raise
            of_last[:] = [_failed(last.pop(), by, error)]
        except (DialtoolsError, OSError):
            yield from ready + of_last
            raise
        yield from _emptied(ready)
        yield from _emptied(of_last)
    if errors:
        raise errors[0]


def _emptied(made: list[Made]) -> list[Made]:
    """Return what is in a list, and empty it."""
    taken = made[:]
    made.clear()
    return taken


def _chunks(records: Iterable[dict], size: int) -> Iterator[list[dict]]:
    """Yield lists of at least `size` records that never part the records of one source."""
    chunk: list[dict] = []
    for group in history.groups(records):
        chunk += group
        if len(chunk) >= size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _made(filter: Filter, by: str, new: New, whole_groups: bool, chunk: list[dict]) -> Iterator[Made]:
    """Yield what the filter makes of a chunk; where it fails, without the culprit, or of each record by itself.

    What was made before a server went away, or a disk was full, is yielded before that is raised.
    """
    if not chunk:
        return
    made: list[Made] = []
    try:
        made.extend(_passed(filter(iter(chunk)), new))
    except RecordError as error:
        work = functools.partial(_made, filter, by, new, whole_groups)
        at = None if whole_groups else culprit(chunk, [record for record, *_ in made], error)
        parts = list(history.groups(chunk)) if whole_groups else [[record] for record in chunk]
        if at is not None:
            yield from made  # it need not be made again
            yield from work(chunk[len(made):at])
            yield _failed(chunk[at], by, error)
            yield from work(chunk[at + 1:])
        elif len(parts) > 1:
            for part in parts:
                yield from work(part)
        else:
            yield from (_failed(record, by, error) for record in chunk)
    except (DialtoolsError, OSError):
        yield from made
        raise
    else:
        yield from made


def culprit(chunk: list[dict], made: list[dict], error: RecordError) -> int | None:
    """Return which record of a chunk an error is about, where all that was made stands for one record each."""
    keys, before = ([(one["id"], one.get("variant")) for one in some] for some in (chunk, made))
    if error.record is None or keys[:len(before)] != before:
        return None
    key = error.record.get("id"), error.record.get("variant")
    return keys.index(key, len(before)) if key in keys[len(before):] else None


def _failed(record: dict, by: str, error: RecordError) -> Made:
    return {**record, "errors": [*(record.get("errors") or []), {"by": by, "reason": error.reason}]}, True, None
