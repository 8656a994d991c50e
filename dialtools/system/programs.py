"""Programs of the user's own: they answer lines with lines, within limits, and end with us."""

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import Any

from dialtools.system.errors import MissingError, OptionError, RecordError

LONGEST = 1 << 26  # bytes of an answer, with the empty lines before it
TIMEOUT = 600.0  # seconds for an answer
PIECE = 1 << 16  # bytes that are read at once; of messages so many are kept

# a shell that outlives this process, and then kills the group of processes that it is the first of
_GUARD = ["/bin/sh", "-c", "read -r line; kill -s KILL 0"]


def answers(program: str, lines: Sequence[bytes], timeout: float = TIMEOUT) -> list[bytes]:
    """Return what a program answers to lines, one line to each; empty lines do not count.

    program: name or path, and arguments, as on a command line without a shell.
    timeout: seconds for each answer, and for the program's end after the last one.

    The program is killed, with what it has started, when it is done, late or writes too much, and
    when this process ends in any way. One that cannot be started is a MissingError; one that
    fails, or does not answer so, a RecordError.
    """
    if not timeout > 0:
        raise OptionError(f"timeout is more than 0 seconds, not {timeout}")
    with _started(program) as process:
        try:
            received, messages = _exchanged(process, b"".join(lines), len(lines), timeout)
            status = process.wait(timeout)
        except (TimeoutError, TimeoutExpired):
            reason = f"no answer within {timeout:g} s; --timeout allows more"
            raise RecordError(f"{program}: {reason}") from None
        except OverflowError as error:
            raise RecordError(f"{program}: {error}") from None
    last_message = messages.decode(errors="replace").strip().split("\n")[-1]
    reason = f": {last_message}" if last_message else ""
    if status:
        raise RecordError(f"{program}: exit status {status}{reason}")
    if len(received) != len(lines):
        raise RecordError(f"{program}: {len(received)} lines instead of {len(lines)}{reason}")
    return received


@contextmanager
def _started(program: str) -> Iterator[Popen]:
    """Start a program in a group of processes that is killed in the end, here or by its guard."""
    # first, so that no program is without it
    guard = Popen(_GUARD, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, **_of_group(0))
    process = None
    try:
        process = _running(program, guard.pid)
        yield process
    finally:
        os.killpg(guard.pid, signal.SIGKILL)
        guard.communicate()
        if process:
            with process:  # closes its pipes, and waits
                pass


def _running(program: str, group: int) -> Popen:
    try:
        arguments = shlex.split(program)
        return Popen(arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, **_of_group(group))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MissingError(f"{program}: cannot be started: {reason}") from None


def _of_group(group: int) -> dict[str, Any]:
    """Return the option of Popen that puts a process into a group; 0 begins one."""
    if sys.version_info >= (3, 11):
        return {"process_group": group}
    return {"preexec_fn": partial(os.setpgid, 0, group)}


def _exchanged(process: Any, data: bytes, most: int, timeout: float) -> tuple[list[bytes], bytes]:
    """Send data to a process; return its answers, and the end of its messages on standard error.

    most: number of answers.

    Raise TimeoutError if an answer is late, OverflowError if there are more, or one is too long.
    """
    answers, messages, unsent = _Answers(most), b"", memoryview(data)
    end = monotonic() + timeout  # of the wait for the next answer
    os.set_blocking(process.stdin.fileno(), False)
    with DefaultSelector() as selector:
        selector.register(process.stdin, EVENT_WRITE)
        selector.register(process.stdout, EVENT_READ)
        selector.register(process.stderr, EVENT_READ)
        while selector.get_map():
            ready = selector.select(min(max(end - monotonic(), 0), 60))
            if monotonic() > end:
                raise TimeoutError
            for key, _ in ready:
                stream: Any = key.fileobj
                if stream is process.stdin:
                    try:
                        unsent = unsent[os.write(key.fd, unsent) :]
                    except BrokenPipeError:
                        unsent = unsent[:0]
                    is_over = not unsent
                else:
                    piece = os.read(key.fd, PIECE)
                    is_over = not piece
                    if stream is process.stderr:
                        messages = (messages + piece)[-PIECE:]
                    elif answers.add(piece):
                        end = monotonic() + timeout
                if is_over:
                    selector.unregister(stream)
                    stream.close()
    return answers.lines, messages


class _Answers:
    """The lines of a program's output that are not empty, gathered from pieces."""

    def __init__(self, most: int):
        self.most, self.lines = most, list[bytes]()
        self.rest = bytearray()  # the beginning of the next line
        self.size = 0  # bytes since the last answer

    def add(self, piece: bytes) -> bool:
        """Take a piece, b"" at the end; return whether there is a new answer.

        Raise OverflowError if there are more than `most`, or one is too long.
        """
        number = len(self.lines)
        self.size += len(piece)
        first, *following_lines = (piece or b"\n").split(b"\n")
        self.rest += first
        for following in following_lines:
            if self.rest.strip():
                self.lines.append(bytes(self.rest))
                self.size = len(following)
            self.rest = bytearray(following)
        if len(self.lines) > self.most:
            raise OverflowError(f"more lines than {self.most}")
        if self.size > LONGEST:
            raise OverflowError(f"an answer has more than {LONGEST >> 20} MiB")
        return len(self.lines) > number
