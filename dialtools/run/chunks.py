"""Work in several processes: they get chunks of the input as it is, and give back lines as they are written.

So most of reading and writing is shared too.  What is left for the first
process is to cut, to see whether an id comes back, to sum up, and to write.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from dialtools.batches import Listed, batches, until_error
from dialtools.errors import RecordError
from dialtools.files import let_go
from dialtools.records import jsonl
from dialtools.run import origins, resuming
from dialtools.run.filtering import Made, New
from dialtools.run.processes import spread
from dialtools.run.source import Source
from dialtools.run.work import Work

# Lines of a chunk: one for each process, then as many with 16 more, up to 256.  Small ones share slow work evenly, and
# show it soon; but to hand one over takes half a millisecond, in which ten records are scored.
FIRST, MOST = 16, 256

Item = tuple[str, Any]  # "FILE:LINE", what stands there


class Lines(NamedTuple):
    """A chunk of the input as it is; the records of one source are never parted."""

    number: int  # of its first line, from 1
    items: list[Item]
    before: frozenset = frozenset()  # those of its sources that came before
    kept: resuming.Kept | None = None  # what a run before has made of the first source, and is to be made again
    error: Exception | None = None  # that ended the input after it

    def read(self) -> Iterator[Item]:
        yield from self.items
        if self.error:
            raise self.error


class Done(NamedTuple):
    """What a process made of a chunk, up to an error."""

    written: bytes | list[dict]  # lines, or results
    tally: Counter
    notes: Counter
    told: list[RecordError]
    failed: int
    watch: Any
    recent: list[tuple[tuple, str]]  # the record that was read last
    sources: list[tuple]
    error: Exception | None


def in_processes(work: Work, jobs: int, source: Source, kept: resuming.Kept | None) -> Iterator:
    """Yield lines, or results, that processes make of a source, everything being counted in this one."""
    fresh = work.fresh()
    for chunk, done in spread([partial(_of_lines, fresh)] * jobs, _cut(work, jobs, source, kept)):
        came_before = frozenset(one for one in done.sources if not source.order.is_new(one))
        if chunk.kept:
            came_before -= {done.sources[0]}  # it was read when it was looked for
        if came_before:
            done = _of_lines(fresh, chunk._replace(before=came_before))
        yield from _taken(done, source, work.watch)
        let_go()


def on_devices(work: Work, own: Sequence[dict], records: Iterable[dict], new: New) -> Iterator[Made]:
    """Yield what processes make of records in batches, which are dealt to them in turn.

    own: further options of the filter for each process, such as a device.
    new: as in filtering.run, of what the processes, which have read nothing, know nothing.
    """
    tasks = [partial(_batch, work._replace(filter=partial(work.filter, **options))) for options in own]
    for _, (made, error) in spread(tasks, batches(records, work.batch)):
        yield from ((record, failed, None if failed else new(record)) for record, failed, _ in made)
        if error:
            raise error


def _batch(work: Work, records: list[dict]) -> tuple[list[Made], Exception | None]:
    return _all(work.made(iter(records), lambda record: None))


def _all(made: Iterable) -> tuple[list, Exception | None]:
    """Return all that is made, and the error that ended it."""
    errors: list[Exception] = []
    return list(until_error(made, errors)), errors[0] if errors else None


def _taken(done: Done, source: Source, watch: Any) -> Iterator:
    """Count what a process did; yield what it made, and raise its error."""
    source.tally.update(done.tally)
    source.notes.update(done.notes)
    source.failed += done.failed
    source.recent.extend(done.recent)
    for failure in done.told:
        source.tell(failure)
    watch.merge(done.watch)
    if not isinstance(done.written, bytes):
        yield from done.written
    elif done.written:  # of --resume what is first made cuts the file off
        yield done.written
    if done.error:
        raise done.error


def _cut(work: Work, jobs: int, source: Source, kept: resuming.Kept | None) -> Iterator[Lines]:
    """Yield the input in chunks that end where a source ends, or where no source has begun."""
    items, number = iter(source.items()), 1
    if kept:
        number, items = _rest(work, source, items, kept)
    held: list[Item] = []
    errors: list[Exception] = []
    sizes = (min(FIRST + cut // jobs * FIRST, MOST) for cut in count())
    size = next(sizes)
    for item in until_error(items, errors):
        if len(held) == size:
            last = _last_source(Lines(number, held), source)
        if len(held) >= size:
            following = source.named(item, number + len(held))
            if last is None or (following is not None and following != last):
                yield Lines(number, held, kept=kept)
                number, held, kept, size = number + len(held), [], None, next(sizes)
        held.append(item)
    if held or errors:
        yield Lines(number, held, kept=kept, error=errors[0] if errors else None)


def _last_source(chunk: Lines, source: Source) -> tuple | None:
    """Return the source that is begun at the end of a chunk; None where no line of it is a record."""
    for at in reversed(range(len(chunk.items))):
        named = source.named(chunk.items[at], chunk.number + at)
        if named:
            return named
    return None


def _rest(work: Work, source: Source, items: Iterator[Item], kept: resuming.Kept) -> tuple[int, Iterator[Item]]:
    """Return the input from what is made again on, with the number of its first line; what is kept is counted."""
    number, item, notes = 0, ("", None), source.notes

    def passed() -> Iterator[Item]:
        nonlocal number, item, notes
        for number, item in enumerate(items, 1):
            notes = source.notes.copy()  # as they are before the item is read, as it will be once more
            yield item

    for _, is_made_again in origins.compared(source.records(passed()), kept, work, source):
        if is_made_again:
            break
    source.notes = notes
    return number, chain([item], items)


def _of_lines(work: Work, chunk: Lines) -> Done:
    """Read a chunk and work on it."""
    work, sources = work.fresh(), dict.fromkeys(chunk.before)  # those of the chunk come behind these
    told: list[RecordError] = []

    def is_new(source: tuple) -> bool:
        known = len(sources)
        sources[source] = None
        return len(sources) > known

    source = work.source(order=jsonl.Order(is_new), tell=told.append)
    made = work.made(source.records(Listed([chunk.read()]), chunk.number), source.new_entry)
    records = work.counted(resuming.after(made, chunk.kept) if chunk.kept else made, source)
    written, error = _all(work.written(records, source))
    if isinstance(error, RecordError):
        error = source.located(error)
    return Done(b"".join(written) if work.lines else written, source.tally, source.notes, told, source.failed,
                work.watch, list(source.recent)[-1:], list(sources)[len(chunk.before):], error)
