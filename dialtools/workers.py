"""A filter run over a stream: directly, or in chunks that failures and processes are kept apart by."""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, cycle, islice, repeat

from dialtools import history
from dialtools.errors import ConnectionLost, DialtoolsError, RecordError

Filter = Callable[[Iterable[dict]], Iterator[dict]]
Made = tuple[dict, bool]  # a record, and whether the filter failed on it

CHUNK = 64  # records that a worker gets at once


def run(filter: Filter, records: Iterable[dict], *, by: str, jobs: int = 1, keep_failed: bool = False,
        whole_groups: bool = False, batch: int = 1, processes: Sequence[dict] = ()) -> Iterator[Made]:
    """Return an iterator of what the filter makes of the records, in order.

    keep_failed: a record that the filter cannot work on is yielded with the
        reason in "errors"; else the RecordError is raised.
    whole_groups: the filter needs all records of one source together.
    batch: the filter works on so many records at once; they stay together, whatever else is asked for.
    processes: further options of the filter, such as a device, for a process each; batches are dealt to them in turn.
    """
    if processes:
        works = [functools.partial(_work, functools.partial(filter, **own), by, keep_failed, whole_groups)
                 for own in processes]
        return chain.from_iterable(_dealt(works, _windows(records, batch)))
    if jobs == 1 and not keep_failed:
        return zip(filter(records), repeat(False))
    size = batch if jobs == 1 else batch * CHUNK
    chunks = _chunks(records, size) if whole_groups or batch == 1 else _windows(records, size)
    if jobs == 1:
        return chain.from_iterable(map(functools.partial(_made, filter, by, keep_failed, whole_groups), chunks))
    work = functools.partial(_work, filter, by, keep_failed, whole_groups)
    return chain.from_iterable(_spread(work, chunks, jobs))


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


def _windows(records: Iterable[dict], size: int) -> Iterator[list[dict]]:
    """Yield lists of exactly `size` records, the last one of what is left."""
    records = iter(records)
    while window := list(islice(records, size)):
        yield window


def _work(filter: Filter, by: str, keep_failed: bool, whole_groups: bool, chunk: list[dict]) -> list[Made]:
    return list(_made(filter, by, keep_failed, whole_groups, chunk))


def _made(filter: Filter, by: str, keep_failed: bool, whole_groups: bool, chunk: list[dict]) -> Iterator[Made]:
    """Yield what the filter makes of a chunk; where it fails, without the culprit, or of each record by itself.

    What was made before a server went away, or a disk was full, is yielded before that is raised.
    """
    made: list[Made] = []
    try:
        made.extend((record, False) for record in filter(iter(chunk)))
    except RecordError as error:
        if not keep_failed:
            raise
        work = functools.partial(_made, filter, by, keep_failed, whole_groups)
        at = None if whole_groups else _culprit(chunk, [record for record, _ in made], error)
        parts = list(history.groups(chunk)) if whole_groups else [[record] for record in chunk]
        if at is not None:  # what was made before it need not be made again
            yield from made
            yield from work(chunk[len(made):at]) if len(made) < at else ()
            yield _failed(chunk[at], by, error), True
            yield from work(chunk[at + 1:]) if at + 1 < len(chunk) else ()
        elif len(parts) > 1:
            for part in parts:
                yield from work(part)
        else:
            yield from ((_failed(record, by, error), True) for record in chunk)
    except (DialtoolsError, OSError):
        yield from made
        raise
    else:
        yield from made


def _culprit(chunk: list[dict], made: list[dict], error: RecordError) -> int | None:
    """Return which record of a chunk an error is about, where all that was made stands for one record each."""
    keys, before = ([(one["id"], one.get("variant")) for one in some] for some in (chunk, made))
    if error.record is None or keys[:len(before)] != before:
        return None
    key = error.record.get("id"), error.record.get("variant")
    return keys.index(key, len(before)) if key in keys[len(before):] else None


def _failed(record: dict, by: str, error: RecordError) -> dict:
    return {**record, "errors": [*(record.get("errors") or []), {"by": by, "reason": error.reason}]}


def _spread(work: Callable[[list[dict]], list[Made]], chunks: Iterator[list[dict]],
            jobs: int) -> Iterator[list[Made]]:
    """Yield the results of worker processes in the order of the chunks, reading ahead only a little."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(jobs, initializer=_serve) as pool:
        waiting: deque = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(work, chunk))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _dealt(works: Sequence[Callable[[list[dict]], list[Made]]],
           chunks: Iterator[list[dict]]) -> Iterator[list[Made]]:
    """Yield what processes make of chunks, in their order; each process has its own work and every n-th chunk."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ExitStack() as stack:
        pools = [stack.enter_context(ProcessPoolExecutor(1, initializer=_serve)) for _ in works]
        waiting: deque = deque()
        try:
            for (work, pool), chunk in zip(cycle(zip(works, pools, strict=True)), chunks):
                waiting.append(pool.submit(work, chunk))
                if len(waiting) > 2 * len(works):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None
        finally:
            for pool in pools:
                pool.shutdown(wait=False, cancel_futures=True)


def _serve() -> None:
    """Leave an interrupt to the parent process, which ends its workers; end, too, where it was killed."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent's end; a worker would wait for ever for its next chunk, and keep the pipes open."""
    import os
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent and wait([parent.sentinel]):
        os._exit(1)
