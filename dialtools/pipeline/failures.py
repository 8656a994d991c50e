"""Failures kept apart: one record that a filter fails on does not cost the others."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice

from dialtools.records import history
from dialtools.records.validation import Records
from dialtools.system.batches import as_they_come, batches, lists, until_error
from dialtools.system.errors import DialtoolsError, RecordError

Filter = Callable[[Iterable[dict]], Iterator[dict]]


def isolated(
    filter: Filter,
    records: Iterable[dict],
    by: str,
    whole_groups: bool = False,
    batch: int = 1,
    full: bool = True,
) -> Iterator[dict]:
    """Return what the filter makes of validated records, in order.

    One that it fails on comes with the reason in "errors".

    whole_groups, batch, full: as in Work.
    """
    if batch == 1 and not whole_groups:
        return chain.from_iterable(map(partial(_one_by_one, filter, by), lists(records)))
    chunks = (
        _groups(records, batch)
        if whole_groups
        else (batches if full else as_they_come)(records, batch)
    )
    return chain.from_iterable(map(partial(_of_chunk, filter, by, whole_groups), chunks))


def _one_by_one(filter: Filter, by: str, records: Iterable[dict]) -> Iterator[dict]:
    """Yield what the filter makes of records, and start it again after a record that it fails on.

    What is made of a record is held until the filter reads the next one: if it fails, a part of
    its output may exist already.
    """
    errors: list[Exception] = []
    following = until_error(records, errors)
    first = list(islice(following, 1))
    if not first and not errors:  # the input has paused
        return
    following = chain(first, following)
    last: list[dict] = []  # the record that the filter has read last
    of_last: list[dict] = []  # what it has made of that so far
    settled: list[dict] = []  # what it has made of the records before

    def read() -> Iterator[dict]:
        for record in following:
            settled.extend(of_last)
            of_last.clear()
            last[:] = [record]
            yield record

    is_done = False
    while not is_done:
        try:
            for output in filter(Records([read()])):
                yield from settled
                settled.clear()
                of_last.append(output)
            is_done = True
        except RecordError as error:
            if not last:
                raise
            of_last[:] = [history.failed(last.pop(), by, error.reason)]
        except (DialtoolsError, OSError):
            yield from settled + of_last
            raise
        yield from settled + of_last
        settled.clear()
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


def _of_chunk(filter: Filter, by: str, whole_groups: bool, chunk: list[dict]) -> Iterator[dict]:
    """Yield what the filter makes of a chunk; if it fails, of the parts around the failure.

    What was made before a server went away, or the disk was full, is yielded before the error.
    """
    if not chunk:
        return
    outputs: list[dict] = []
    try:
        outputs.extend(filter(Records([chunk])))
    except RecordError as error:
        reason = error.reason
        failed = None if whole_groups else culprit(chunk, outputs, error)
    except (DialtoolsError, OSError):
        yield from outputs
        raise
    else:
        yield from outputs
        return

    of_part = partial(_of_chunk, filter, by, whole_groups)
    if failed is not None:
        yield from outputs  # they need not be made again
        yield from of_part(chunk[len(outputs) : failed])
        yield history.failed(chunk[failed], by, reason)
        yield from of_part(chunk[failed + 1 :])
        return
    parts = list(history.groups(chunk)) if whole_groups else [[record] for record in chunk]
    if len(parts) > 1:
        for part in parts:
            yield from of_part(part)
    else:
        yield from (history.failed(record, by, reason) for record in chunk)


def culprit(chunk: list[dict], outputs: list[dict], error: RecordError) -> int | None:
    """Return the place of the record an error is about; None if outputs do not match inputs."""
    names, done = (
        [(record["id"], record.get("variant")) for record in records]
        for records in (chunk, outputs)
    )
    if error.record is None or names[: len(done)] != done:
        return None
    name = error.record.get("id"), error.record.get("variant")
    return names.index(name, len(done)) if name in names[len(done) :] else None
