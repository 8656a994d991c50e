"""Worker processes: they work side by side on chunks; the output keeps the order of the chunks."""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from dialtools.system.batches import until_error
from dialtools.system.errors import ConnectionLost

if TYPE_CHECKING:  # else all commands would import it
    from multiprocessing.connection import Connection

AHEAD = 2  # chunks that a process is given before what it makes of the first is fetched

Task = Callable[[Any], Any]  # what a process does with a chunk


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

        theirs, self.chunks = multiprocessing.Pipe(duplex=False)
        self.results, back = multiprocessing.Pipe(duplex=False)
        ours = [self.chunks, self.results]
        self.process = multiprocessing.Process(
            target=_serve, args=(task, theirs, back, ours), daemon=True
        )
        # what just begins would show a traceback
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()  # else nobody would see that the other end is gone
        back.close()

    def give(self, chunk: Any) -> None:
        """Send a chunk; the process takes it at once, whatever it is at."""
        try:
            self.chunks.send(chunk)
        except BrokenPipeError:
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None

    def take(self) -> Any:
        """Wait for the output of the next chunk; an unexpected error is raised here."""
        try:
            made, error, trace = self.results.recv()
        except (EOFError, OSError):  # the pipe ends; an OSError where it does within a message
            raise ConnectionLost("a worker process was killed; perhaps memory ran out") from None
        if error:
            raise error from ErrorInWorker(trace)
        return made

    def dismiss(self) -> None:
        """Let the process end by itself, after its last chunk."""
        self.give(None)
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
    Thread(target=_receive, args=(chunks, ahead), daemon=True).start()
    while (chunk := ahead.get()) is not None:
        try:
            made: tuple = task(chunk), None, ""
        except Exception as error:  # whatever it is, the parent says it
            made = None, error, "\n" + format_exc()
        try:
            results.send(made)
        except BrokenPipeError:  # the parent is gone; it may have been killed
            os._exit(1)


def _receive(chunks: "Connection", ahead: Any) -> None:
    """Take chunks out of the pipe, where the parent would wait; where it was killed, end too."""
    try:
        while (chunk := chunks.recv()) is not None:
            ahead.put(chunk)
        ahead.put(None)
    except (EOFError, OSError):
        os._exit(1)
