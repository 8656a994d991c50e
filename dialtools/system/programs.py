"""Programs of the user's own: each line that they read they answer with a line, and they end with us.

A program starts with its first question and stays for the next ones; one that has ended is started
again.  It gets a question when it has answered the one before, so that between two of them nothing
is under way.  Each process, and each thread, asks one of its own.
"""

import atexit
import os
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from time import monotonic
from typing import Any, TypeVar

from dialtools.system import terminal
from dialtools.system.errors import MissingError, OptionError, RecordError, Unanswered, show
from dialtools.system.files import sha256

LONGEST = 1 << 26  # bytes of an answer
TIMEOUT = 600.0  # seconds for an answer
SLOW = 10.0  # seconds without the first answer, before a hint is given
SETTLING = 0.1  # seconds after its first answer, in which no other line may come
GRACE = 5.0  # seconds, or twice those of the slowest answer, to end when the input has ended
PIECE = 1 << 16  # bytes that are read at once; of messages so many are kept
# the classical trap, which Python programs are kept from here
BUFFERED = "Is its output buffered? python -u, stdbuf -oL, sed -u or jq --unbuffered turn that off"

# a shell that outlives this process, and then kills the group of processes that it is the first of
_GUARD = ["/bin/sh", "-c", "read -r line; kill -s KILL 0"]
_idle: dict[tuple[int, str], list["Running"]] = {}  # by process and program: those that wait
Item = TypeVar("Item")


def answer(program: str, line: bytes, timeout: float = TIMEOUT) -> bytes:
    """Return the line that a program answers to a line, without its end.

    program: name or path, and arguments, as on a command line without a shell.
    timeout: seconds for the answer.

    A program that has answered before, and now ends without an answer, is started and asked again.
    One that fails, is late or writes too much is killed, with what it has started, and so are all
    when this process ends in any way.  A program that cannot be started is a MissingError, no answer
    Unanswered, and too much of it a RecordError.
    """
    if not timeout > 0:
        raise OptionError(f"timeout is more than 0 seconds, not {timeout}")
    waiting = _idle.setdefault((os.getpid(), program), [])
    while True:
        try:
            running = waiting.pop()
        except IndexError:
            running = Running(program)
        is_kept = False
        try:
            reply = running.ask(line, timeout)
            is_kept = not running.is_over
            if is_kept:
                waiting.append(running)
            return reply
        except EOFError:
            status = running.status()
            if not running.answered:
                raise Unanswered(f"{program}: no answer, {status}") from None
            if running.process.returncode:
                terminal.say(program, f"{status}; it is started again")
        except TimeoutError:
            raise Unanswered(f"{program}: {_lateness(running, timeout)}") from None
        except OverflowError as error:
            raise RecordError(f"{program}: {error}") from None
        finally:
            if not is_kept:
                running.kill()


def _lateness(running: "Running", timeout: float) -> str:
    """Return why an answer is late: some programs give none before their input ends."""
    if running.end(min(timeout, GRACE)):
        return f"it answers only when its input ends. {BUFFERED}"
    return f"no answer within {timeout:g} s; --timeout allows more. {BUFFERED}"


def source(program: str) -> str | None:
    """Return digits of the hash of the files that a command line names; None where it names none.

    They tell an edited program from another.
    """
    paths = [word for word in _words(program) if os.path.isfile(word)]
    return _digits(tuple((path, os.stat(path).st_mtime_ns) for path in paths)) if paths else None


def _words(program: str) -> list[str]:
    """Return the words of a command line. Raise OptionError where there is none."""
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise MissingError(f"{program}: cannot be started: {error}") from None
    if not words:
        raise OptionError("exec: which program? It is written exec:PROGRAM ARGUMENT…")
    return words


@lru_cache(maxsize=64)  # signatures ask for them again and again
def _digits(files: tuple[tuple[str, int], ...]) -> str:
    return sha256(*(path for path, _ in files))[:8]


def until_end(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, and then end the programs that this process has asked for them."""
    try:
        yield from items
    except BaseException:
        for running in _taken():
            running.kill()
        raise
    end_all()


def end_all() -> None:
    """End the programs of this process. Raise RecordError if one has something left to say."""
    for running in _taken():
        if rest := running.end(max(GRACE, 2 * running.slowest)):
            raise RecordError(
                f"{running.program}: after the last answer it writes {_shown(rest)}: a line for each "
                "that it reads and no other, or answers stand with the wrong records, as they now "
                "do in --cache FILE and in the output that --resume would go on with: delete both"
            )


def _taken() -> Iterator["Running"]:
    """Yield the programs that wait; those of the process that this one was forked from stay."""
    for process, program in list(_idle):
        if process == os.getpid():
            yield from _idle.pop((process, program))


def _shown(data: bytes | bytearray) -> str:
    return show(data.decode(errors="replace").rstrip("\n"))


class Running:
    """A running program, in a group of processes that is killed in the end, here or by its guard."""

    def __init__(self, program: str):
        from selectors import EVENT_READ, DefaultSelector

        words = _words(program)
        self.guard = _started(_GUARD, 0)  # first, so that no program is without it
        try:
            self.process = _started(words, self.guard.pid)
        except (OSError, ValueError) as error:  # no such program, or a null byte in its name
            self.guard.communicate()
            reason = getattr(error, "strerror", None) or error
            raise MissingError(f"{program}: cannot be started: {reason}") from None
        atexit.register(self.kill)
        self.owner = os.getpid()  # a process that is forked from this one must not end it
        self.program, self.answered, self.slowest = program, 0, 0.0
        self.unsent, self.received, self.messages = bytearray(), bytearray(), b""
        self.is_over = False  # its output has ended
        self.selector = DefaultSelector()
        for stream in (self.process.stdout, self.process.stderr):
            self.selector.register(stream, EVENT_READ)
        os.set_blocking(self.process.stdin.fileno(), False)
        os.set_blocking(self.process.stdout.fileno(), False)

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Return the answer to a line.

        Raise TimeoutError if it is late, EOFError if the program ends without one, OverflowError if
        it writes more than that.
        """
        self._receive()
        if self.received:
            raise OverflowError(f"{_shown(self.received)} comes before the line that it answers")
        self.unsent += line
        self._send()
        begin = monotonic()
        end = begin + timeout
        hint = end if self.answered else begin + SLOW
        while b"\n" not in self.received[-PIECE:] and not self.is_over:
            self._exchange(min(end, hint))
            now = monotonic()
            if now > end:
                raise TimeoutError
            if now > hint:
                terminal.say(self.program, f"no answer yet. {BUFFERED}")
                hint = end
        if not self.answered and not self.is_over:  # a banner, and then the answer?
            self._exchange(monotonic() + SETTLING)
        reply, newline, rest = self.received.partition(b"\n")
        if not reply and not newline:
            raise EOFError
        if rest:
            raise OverflowError(f"more lines than one: {_shown(reply)}, {_shown(rest)}")
        self.received.clear()
        self.answered += 1
        self.slowest = max(self.slowest, monotonic() - begin)
        return bytes(reply)

    def _exchange(self, end: float) -> None:
        """Wait until then for something to be read or written, and do so."""
        for key, _ in self.selector.select(min(max(end - monotonic(), 0), 60)):
            if key.fileobj is self.process.stdin:
                self._send()
            elif key.fileobj is self.process.stdout:
                self._receive()
            else:
                message = os.read(key.fd, PIECE)
                self.messages = (self.messages + message)[-PIECE:]
                if not message:
                    self.selector.unregister(key.fileobj)

    def _send(self) -> None:
        """Write what can be written now, and wait with the rest."""
        from selectors import EVENT_WRITE

        stdin = self.process.stdin
        try:
            del self.unsent[: os.write(stdin.fileno(), self.unsent)]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it reads no more; it may answer nevertheless
            self.unsent.clear()
        is_waiting = stdin in self.selector.get_map()
        if self.unsent and not is_waiting:
            self.selector.register(stdin, EVENT_WRITE)
        elif is_waiting and not self.unsent:
            self.selector.unregister(stdin)

    def _receive(self) -> None:
        """Read what is there now."""
        if self.is_over:
            return
        with suppress(BlockingIOError):
            piece = os.read(self.process.stdout.fileno(), PIECE)
            self.received += piece
            if not piece:
                self.is_over = True
                self.selector.unregister(self.process.stdout)
        if len(self.received) > LONGEST:
            raise OverflowError(f"an answer has more than {LONGEST >> 20} MiB")

    def status(self) -> str:
        """Return how a program whose output has ended has ended itself, with its last message."""
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self.process.wait(1)
        self._exchange(monotonic())  # what it has written at its end
        code = self.process.returncode
        if code is None:
            status = "its output has ended"
        elif code < 0:
            status = f"killed by {signal.Signals(-code).name}"
        else:
            status = f"exit status {code}"
        *_, message = [""] + self.messages.decode(errors="replace").strip().split("\n")
        return f"{status}: {message}" if message else status

    def end(self, seconds: float) -> bytes:
        """End a program whose input ends here, and return what it still writes, for so long."""
        from subprocess import TimeoutExpired

        self.unsent.clear()
        if self.process.stdin in self.selector.get_map():
            self.selector.unregister(self.process.stdin)
        self.process.stdin.close()
        end = monotonic() + seconds
        with suppress(OverflowError, TimeoutExpired):
            while not self.is_over and monotonic() < end:
                self._exchange(end)
            self.process.wait(max(end - monotonic(), 0))
        self.kill()
        return bytes(self.received)

    def kill(self) -> None:
        """Kill the program, and what it has started."""
        atexit.unregister(self.kill)
        if self.guard.returncode is not None or self.owner != os.getpid():
            return
        os.killpg(self.guard.pid, signal.SIGKILL)
        self.guard.communicate()
        self.selector.close()
        with self.process:  # closes its pipes, and waits
            pass


def _started(words: list[str], group: int) -> Any:
    """Return a new process in a group; 0 begins one."""
    from subprocess import PIPE, Popen

    options: dict[str, Any] = {"preexec_fn": partial(os.setpgid, 0, group)}
    if sys.version_info >= (3, 11):
        options = {"process_group": group}
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=unbuffered, **options)
