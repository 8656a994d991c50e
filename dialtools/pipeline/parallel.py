"""A run in several processes: they get chunks of the input and give back lines.

So reading and writing are shared, too.  The first process cuts the input, checks whether an id
comes back, sums up and writes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from dialtools.pipeline import resumption
from dialtools.pipeline.engine import Run
from dialtools.pipeline.input import Input
from dialtools.pipeline.work import Ledger
from dialtools.pipeline.workers import spread
from dialtools.records import jsonl
from dialtools.system.batches import Listed, batches, until_error
from dialtools.system.errors import RecordError
from dialtools.system.files import let_go

# Lines of a chunk: one for each process, then as many with 16 more, up to 256.  Small ones share
# slow work evenly and show it soon; but to hand one over takes half a millisecond, in which ten
# records are scored.
FIRST, MOST = 16, 256

Item = tuple[str, Any]  # "FILE:LINE", what stands there


class Chunk(NamedTuple):
    """A part of the input that never parts the records of one source."""

    number: int  # of its first line, from 1
    items: list[Item]
    before: frozenset = frozenset()  # those of its sources that came before
    kept: resumption.Kept | None = None  # whose last source is the first one here
    error: Exception | None = None  # that ended the input after it

    def read(self) -> Iterator[Item]:
        yield from self.items
        if self.error:
            raise self.error


class Done(NamedTuple):
    """What a process made of a chunk, up to an error."""

    written: bytes | list[dict]  # lines, or results
    ledger: Ledger
    watch: Any
    recent: list[tuple[tuple, str]]  # the record that was read last
    sources: list[tuple]
    error: Exception | None


def over_lines(run: Run, jobs: int, input: Input, kept: resumption.Kept | None) -> Iterator:
    """Yield the lines, or results, that processes make of an input; this process counts."""
    fresh = run.fresh()
    for chunk, done in spread([partial(_of_chunk, fresh)] * jobs, _cut(run, jobs, input, kept)):
        came_before = frozenset(one for one in done.sources if not input.order.is_new(one))
        if chunk.kept:
            came_before -= {done.sources[0]}  # it was read when it was looked for
        if came_before:
            done = _of_chunk(fresh, chunk._replace(before=came_before))
        input.ledger.merge(done.ledger)
        input.recent.extend(done.recent)
        if run.work.watch is not None:
            run.work.watch.merge(done.watch)
        if not isinstance(done.written, bytes):
            yield from done.written
        elif done.written:  # with --resume the first that is yielded cuts the file off
            yield done.written
        if done.error:
            raise done.error
        let_go()


def over_batches(run: Run, own: Sequence[dict], records: Iterable[dict]) -> Iterator[dict]:
    """Yield what processes make of records in batches, dealt to them in turn.

    own: further options of the filter for each process, such as a device.
    """
    tasks = [
        partial(
            _of_batch,
            replace(run, work=replace(run.work, filter=partial(run.work.filter, **options))),
        )
        for options in own
    ]
    for _, (made, error) in spread(tasks, batches(records, run.work.batch)):
        yield from made
        if error:
            raise error


def _of_batch(run: Run, batch: list[dict]) -> tuple[list[dict], Exception | None]:
    return _until_error(run.filtered(Listed([batch], validated=True)))


def _until_error(made: Iterable) -> tuple[list, Exception | None]:
    """Return all that is made, and the error that ended it."""
    errors: list[Exception] = []
    return list(until_error(made, errors)), errors[0] if errors else None


def _cut(run: Run, jobs: int, input: Input, kept: resumption.Kept | None) -> Iterator[Chunk]:
    """Yield the input in chunks that end where a source ends, or where no source has begun."""
    items, number = iter(input.items()), 1
    if kept:
        number, items = _rest(run, input, items, kept)
    held: list[Item] = []
    errors: list[Exception] = []
    sizes = (min(FIRST + cut // jobs * FIRST, MOST) for cut in count())
    size = next(sizes)
    for item in until_error(items, errors):
        if len(held) == size:
            last = _last_source(Chunk(number, held), input)
        if len(held) >= size:
            following = input.source_of(item, number + len(held))
            if last is None or (following is not None and following != last):
                yield Chunk(number, held, kept=kept)
                number, held, kept, size = number + len(held), [], None, next(sizes)
        held.append(item)
    if held or errors:
        yield Chunk(number, held, kept=kept, error=errors[0] if errors else None)


def _last_source(chunk: Chunk, input: Input) -> tuple | None:
    """Return the source at the end of a chunk; None if no line of it is a record."""
    backwards = reversed(list(enumerate(chunk.items, chunk.number)))
    found = (input.source_of(item, number) for number, item in backwards)
    return next(filter(None, found), None)


def _rest(
    run: Run, input: Input, items: Iterator[Item], kept: resumption.Kept
) -> tuple[int, Iterator[Item]]:
    """Return the input that is worked on again, and its first line number; count what is kept."""
    number, item, notes = 0, ("", None), input.ledger.lacking

    def passed() -> Iterator[Item]:
        nonlocal number, item, notes
        for number, item in enumerate(items, 1):
            notes = input.ledger.lacking.copy()  # before the item is read, as it will be once more
            yield item

    for _, is_made_again in resumption.compared(input.records(passed()), input, kept, run):
        if is_made_again:
            break
    input.ledger.lacking = notes
    return number, chain([item], items)


def _of_chunk(run: Run, chunk: Chunk) -> Done:
    """Run a run over a chunk."""
    # those of the chunk come behind these
    run, sources = run.fresh(), dict.fromkeys(chunk.before)

    def is_new(source: tuple) -> bool:
        known = len(sources)
        sources[source] = None
        return len(sources) > known

    input = run.input(order=jsonl.Order(is_new), silent=True)
    made = run.filtered(input.records(Listed([chunk.read()]), chunk.number))
    records = run.counted(resumption.after(made, chunk.kept) if chunk.kept else made, input)
    written, error = _until_error(run.written(records, input))
    if isinstance(error, RecordError):
        error = input.located(error)
    return Done(
        written if run.work.results else b"".join(written),
        input.ledger,
        run.work.watch,
        list(input.recent)[-1:],
        list(sources)[len(chunk.before) :],
        error,
    )
