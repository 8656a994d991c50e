"""A run in several processes: they get chunks of the input and give back lines.

So reading and writing are shared, too.  The first process cuts the input, checks whether an id
comes back, sums up and writes; the output keeps the order of the chunks.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count, cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from dialtools.pipeline import resumption
from dialtools.pipeline.input import Input
from dialtools.pipeline.run import Run
from dialtools.pipeline.work import Ledger
from dialtools.records.validation import Order, Records
from dialtools.system import programs
from dialtools.system.batches import Listed, batches, until_error
from dialtools.system.errors import ConnectionLost, RecordError
from dialtools.system.files import let_go

if TYPE_CHECKING:  # else all commands would import it
    from multiprocessing.connection import Connection

# Lines of a chunk: one for each process, then as many with 16 more, up to 256.  Small ones share
# slow work evenly and show it soon; but to hand one over takes half a millisecond, in which ten
# records are scored.
FIRST, MOST = 16, 256
AHEAD = 2  # chunks that a process is given before what it makes of the first is fetched

Item = tuple[str, Any]  # "FILE:LINE", what stands there
Task = Callable[[Any], Any]  # what a process does with a chunk


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
    fresh = run.for_process()
    for chunk, done in spread([partial(_of_chunk, fresh)] * jobs, _cut(run, jobs, input, kept)):
        came_before = frozenset(source for source in done.sources if not input.order.is_new(source))
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


def over_batches(run: Run, processes: Sequence[dict], records: Iterable[dict]) -> Iterator[dict]:
    """Yield what processes make of records in batches, dealt to them in turn.

    processes: further options of the filter for each process, such as a device.
    """

    tasks = [partial(_of_batch, run.for_process(**options)) for options in processes]
    for _, (outputs, error) in spread(tasks, batches(records, run.work.batch)):
        yield from outputs
        if error:
            raise error


def _of_batch(run: Run, batch: list[dict]) -> tuple[list[dict], Exception | None]:
    errors: list[Exception] = []
    outputs = list(until_error(run.filtered(Records([batch])), errors))
    return outputs, errors[0] if errors else None


def _cut(run: Run, jobs: int, input: Input, kept: resumption.Kept | None) -> Iterator[Chunk]:
    """Yield the input in chunks that end where a source ends, or where no source has begun."""
    items, number, begun = iter(input.items()), 1, kept
    if kept:
        number, items = _made_again(run, input, items, kept)
    held: list[Item] = []
    errors: list[Exception] = []
    sizes = (min(FIRST + cut // jobs * FIRST, MOST) for cut in count())
    size = next(sizes)
    last_source: tuple | None = None
    for item in until_error(items, errors):
        if len(held) == size:
            backwards = reversed(list(enumerate(held, number)))
            sources = (input.source_of(line, place) for place, line in backwards)
            last_source = next(filter(None, sources), None)  # None: no line of it is a record
        if len(held) >= size:
            source = input.source_of(item, number + len(held))
            if last_source is None or (source is not None and source != last_source):
                yield Chunk(number, held, kept=begun)
                number, held, begun, size = number + len(held), [], None, next(sizes)
        held.append(item)
    if held or errors:
        yield Chunk(number, held, kept=begun, error=errors[0] if errors else None)


def _made_again(
    run: Run, input: Input, items: Iterator[Item], kept: resumption.Kept
) -> tuple[int, Iterator[Item]]:
    """Return the input that is worked on again, and its first line number; count what is kept."""
    number, item, lacking = 0, ("", None), input.ledger.lacking

    def passing() -> Iterator[Item]:
        nonlocal number, item, lacking
        for number, item in enumerate(items, 1):
            lacking = input.ledger.lacking.copy()  # before it is read, as it will be once more
            yield item

    for _, is_made_again in resumption.compared(
        input.records(Listed([passing()])), input, kept, run
    ):
        if is_made_again:
            break
    input.ledger.lacking = lacking
    return number, chain([item], items)


def _of_chunk(run: Run, chunk: Chunk) -> Done:
    """Run over a chunk."""
    # those of the chunk come behind these
    run, sources = run.for_process(), dict.fromkeys(chunk.before)

    def is_new(source: tuple) -> bool:
        known = len(sources)
        sources[source] = None
        return len(sources) > known

    input = run.input(order=Order(is_new), silent=True)
    outputs = run.filtered(input.records(Listed([chunk.read()]), chunk.number))
    if chunk.kept:
        outputs = resumption.after(outputs, chunk.kept)
    errors: list[Exception] = []
    written = list(until_error(run.written(run.counted(outputs, input), input), errors))
    error = errors[0] if errors else None
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


def spread(tasks: Sequence[Task], chunks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield (chunk, what was made of it); chunks are dealt to a process for each task in turn.

    Where the chunks end with an error, what was made of those before it comes first.
    """
    errors: list[Exception] = []
    workers: list[Worker] = []
    waiting: deque[tuple[Worker, Any]] = deque()
    try:
        for task in tasks:
            workers.append(Worker(task))
        for worker, chunk in zip(cycle(workers), until_error(chunks, errors)):
            worker.give(chunk)
            waiting.append((worker, chunk))
            if len(waiting) == AHEAD * len(workers):
                worker, chunk = waiting.popleft()
                yield chunk, worker.take()
        for worker, chunk in waiting:
            yield chunk, worker.take()
        for worker in workers:
            worker.dismiss()
    finally:
        for worker in workers:
            worker.end()
    if errors:
        raise errors[0]


class Worker:
    """A process, with a pipe to it and one back."""

    def __init__(self, task: Task):
        import multiprocessing

        its_chunks, self.chunks = multiprocessing.Pipe(duplex=False)
        self.results, its_results = multiprocessing.Pipe(duplex=False)
        ours = [self.chunks, self.results]
        self.process = multiprocessing.Process(
            target=_serve, args=(task, its_chunks, its_results, ours), daemon=True
        )
        # what just begins would show a traceback
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        its_chunks.close()  # else nobody would see that the other end is gone
        its_results.close()

    def give(self, chunk: Any) -> None:
        """Send a chunk; the process takes it at once, whatever it is at."""
        try:
            self.chunks.send(chunk)
        except BrokenPipeError:
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None

    def take(self) -> Any:
        """Wait for the output of the next chunk; an unexpected error is raised here."""
        try:
            done, error, trace = self.results.recv()
        except (EOFError, OSError):  # the pipe ends; an OSError where it does within a message
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None
        if error:
            raise error from ErrorInWorker(trace)
        return done

    def dismiss(self) -> None:
        """Let the process end by itself, after its last chunk."""
        self.give(None)
        self.take()
        self.process.join()

    def end(self) -> None:
        """Kill the process: it may ignore SIGTERM, or lose it while it starts."""
        self.process.kill()
        self.process.join()


class ErrorInWorker(Exception):
    """The traceback of an error in another process, for --debug."""


def _serve(
    task: Task, chunks: "Connection", results: "Connection", parents: list["Connection"]
) -> None:
    """Work on chunks until there are no more; an interrupt is left to the parent."""
    from queue import SimpleQueue
    from threading import Thread
    from traceback import format_exc

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, signal.SIG_DFL)
    for end in parents:  # with them open here, a parent that was killed would not be missed
        end.close()
    # the thread that takes chunks has little to do, and the parent waits for it
    sys.setswitchinterval(0.0002)
    ahead: SimpleQueue = SimpleQueue()

    def receive() -> None:
        """Take chunks out of the pipe, where the parent would wait; where it was killed, end too."""
        try:
            while (chunk := chunks.recv()) is not None:
                ahead.put(chunk)
            ahead.put(None)
        except (EOFError, OSError):
            os._exit(1)

    Thread(target=receive, daemon=True).start()
    chunk: Any = ()
    while chunk is not None:
        chunk = ahead.get()
        try:
            if chunk is None:
                programs.end_all()
            done: tuple = None if chunk is None else task(chunk), None, ""
        except Exception as error:  # whatever it is, the parent says it
            done = None, error, "\n" + format_exc()
        try:
            results.send(done)
        except BrokenPipeError:  # the parent is gone; it may have been killed
            os._exit(1)
