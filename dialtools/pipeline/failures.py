"""A filter over a stream of records, with the records that it fails on kept apart."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from dialtools.records import history
from dialtools.system.batches import Listed, as_they_come, batches, lists, until_error
from dialtools.system.errors import DialtoolsError, RecordError

Filter = Callable[[Iterable[dict]], Iterator[dict]]


def run(
    filter: Filter,
    records: Iterable[dict],
    *,
    by: str,
    keep_failed: bool = False,
    whole_groups: bool = False,
    batch: int = 1,
    full: bool = True,
) -> Iterator[dict]:
    """Return what the filter makes of validated records, in order.

    keep_failed: yield a record that the filter fails on with the reason in "errors"; else raise
        the RecordError.
    whole_groups: the filter makes something new of all records of one source together.
    batch: how many records the filter works on at once; these stay together.  A filter that
        works on 1 reads a record when it is done with the one before.
    full: wait for whole batches; else a batch ends where the input pauses.
    """
    if not keep_failed:
        return filter(records)
    if batch == 1 and not whole_groups:
        return chain.from_iterable(map(partial(_one_by_one, filter, by), lists(records)))
    cut = _groups if whole_groups else batches if full else as_they_come
    work = partial(_in_parts, filter, by, whole_groups)
    return chain.from_iterable(map(work, cut(records, batch)))


def _one_by_one(filter: Filter, by: str, records: Iterable[dict]) -> Iterator[dict]:
    """Yield what the filter makes of records, and start it again after a record that it fails on.

    What is made of a record is held until the filter reads the next one: if it fails, a part of
    its output may exist already.
    """
    errors: list[Exception] = []
    left = until_error(records, errors)
    last: list[dict] = []  # the record that the filter has read last
    of_last: list[dict] = []  # what it has made of that so far
    ready: list[dict] = []  # what it has made of the records before

    def read() -> Iterator[dict]:
        for record in left:
            ready.extend(of_last)
            of_last.clear()
            last[:] = [record]
            yield record

    done = False
    while not done:
        try:
            for made in filter(Listed([read()], validated=True)):
                yield from ready
                ready.clear()
                of_last.append(made)
            done = True
        except RecordError as error:
            if not last:
                raise
            of_last[:] = [history.failed(last.pop(), by, error.reason)]
        except (DialtoolsError, OSError):
            yield from ready + of_last
            raise
        yield from ready + of_last
        ready.clear()
        of_last.clear()
    if errors:
        raise errors[0]


def _groups(records: Iterable[dict], size: int) -> Iterator[list[dict]]:
    """Yield lists of at least `size` records that never part the records of one source."""
    chunk: list[dict] = []
    for group in history.groups(records):
        chunk += group
        if len(chunk) >= size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _in_parts(filter: Filter, by: str, whole_groups: bool, chunk: list[dict]) -> Iterator[dict]:
    """Yield what the filter makes of a chunk; if it fails, of the parts around the failure.

    What was made before a server went away, or the disk was full, is yielded before the error.
    """
    if not chunk:
        return
    made: list[dict] = []
    try:
        made.extend(filter(Listed([chunk], validated=True)))
    except RecordError as error:
        yield from _around(
            partial(_in_parts, filter, by, whole_groups), by, whole_groups, chunk, made, error
        )
    except (DialtoolsError, OSError):
        yield from made
        raise
    else:
        yield from made


def _around(
    work: Callable[[list[dict]], Iterator[dict]],
    by: str,
    whole_groups: bool,
    chunk: list[dict],
    made: list[dict],
    error: RecordError,
) -> Iterator[dict]:
    """Yield what is made of a chunk around the record that the filter failed on."""
    at = None if whole_groups else culprit(chunk, made, error)
    parts = list(history.groups(chunk)) if whole_groups else [[record] for record in chunk]
    if at is not None:
        yield from made  # it need not be made again
        yield from work(chunk[len(made) : at])
        yield history.failed(chunk[at], by, error.reason)
        yield from work(chunk[at + 1 :])
    elif len(parts) > 1:
        for part in parts:
            yield from work(part)
    else:
        yield from (history.failed(record, by, error.reason) for record in chunk)


def culprit(chunk: list[dict], made: list[dict], error: RecordError) -> int | None:
    """Return the place of the record an error is about; None if outputs do not match inputs."""
    keys, before = ([(one["id"], one.get("variant")) for one in some] for some in (chunk, made))
    if error.record is None or keys[: len(before)] != before:
        return None
    key = error.record.get("id"), error.record.get("variant")
    return keys.index(key, len(before)) if key in keys[len(before) :] else None
