"""Files in and out: compressed ones read as such, written ones whole or not at all."""

import fcntl
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EBADF
from itertools import chain, islice
from stat import S_ISREG
from types import SimpleNamespace
from typing import Any, BinaryIO

from dialtools.system.errors import OptionError, masked
from dialtools.system.packed import Unpacked, is_packed, packer

STANDARD = "-"
BOM = b"\xef\xbb\xbf"
# bytes of a file that are read or written at once; Python's own 8 KiB cost a tenth of the time
BUFFER = 1 << 17
TICK = 0.05  # seconds

STREAMS = {
    STANDARD: "stdout",
    "/dev/stdout": "stdout",
    "/dev/fd/1": "stdout",
    "/dev/stderr": "stderr",
    "/dev/fd/2": "stderr",
}


_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://.")


class ReaderGone(Exception):
    """Whoever read our standard output went away: the end, but no error."""


def called(path: str | os.PathLike[str]) -> str:
    """Return the name of an input for messages and results.

    Bytes that are not UTF-8 become �; an address is shown without its secrets.
    """
    if path == STANDARD:
        return "standard input"
    return masked(os.fsencode(path).decode(errors="replace"))


def is_remote(path: str) -> bool:
    """Tell whether this is the address of a file elsewhere; a file here goes first.

    >>> is_remote("https://x.org/a.jsonl"), is_remote("s3:a.jsonl"), is_remote("a.jsonl")
    (True, False, False)
    """
    return _SCHEME.match(path) is not None and not os.path.exists(path)


@contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading, or standard input for "-"; .gz and .zst are unpacked.

    An address such as s3://… is read from there.
    """
    path = os.fspath(path)
    if path == STANDARD:
        if sys.stdin is None:
            raise OSError(EBADF, "standard input is closed")
        yield sys.stdin.buffer
    elif is_remote(path):
        from dialtools.system import remote  # here, as its libraries take a while

        with remote.opened(path) as stream, io.BufferedReader(stream, BUFFER) as file:
            yield file
    else:
        raw: Any = Unpacked(path) if is_packed(path) else File(path)
        with io.BufferedReader(raw, BUFFER) as file:
            yield file


class File(io.FileIO):
    """A file, perhaps a pipe, that its errors name; once a second it lets Python handle signals.

    One that comes just before reading begins would not be seen until that ends, for which there
    may be nobody.
    """

    def __init__(self, path: str | int, mode: str = "rb", name: str = ""):
        """Open a file by its path, or take an open one by its number; name: for messages."""
        with _naming(name or path):
            super().__init__(path, mode, closefd=isinstance(path, str))
        self.name = name or path

    def readinto(self, buffer) -> int | None:
        from select import POLLIN, poll  # select itself knows the first 1024 files only

        waiting = poll()
        waiting.register(self, POLLIN)
        while not waiting.poll(1000):
            pass
        with _naming(self.name):
            return super().readinto(buffer)

    def write(self, data) -> int:
        with _naming(self.name):
            return super().write(data)


@contextmanager
def _naming(path: str | int) -> Iterator[None]:
    """Name the file in an OSError that comes out of the block."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def ready(file: Any) -> Iterator[Iterable[bytes]]:
    """Yield lists of the lines that can be had without waiting for more input, but of one at least.

    While more is waited for, an empty list comes every `TICK` seconds, so that whoever works ahead
    can write what is done.  The one list of an ordinary file is the file: to stay in the
    processor's cache, a line is not to be held long.
    """
    if not hasattr(file, "peek") or _of_system(file) and S_ISREG(os.fstat(file.fileno())[0]):
        yield file
        return
    while waiting := file.peek(1):  # and a terminal whose input ended is not asked again
        yield list(islice(file, waiting.count(b"\n") or 1))
        while _of_system(file) and not _has_more(file):
            yield []


def _has_more(file: Any) -> bool:
    """Wait a moment for more input, or its end; return whether there is any."""
    from select import POLLIN, poll

    waiting = poll()
    waiting.register(file, POLLIN)
    return bool(waiting.poll(1000 * TICK))


def without_bom(file: Iterable[bytes]) -> Iterator[bytes]:
    """Return the lines of a file, the first without the mark that some systems begin files with."""
    lines = iter(file)
    first = next(lines, b"")
    # No generator, whose "yield from" would close the file; and a terminal whose input ended is not
    # asked again.
    return chain([first.removeprefix(BOM)], lines) if first else iter(())


def number_of_lines(paths: Iterable[str]) -> int | None:
    """Return the number of lines of plain files; None if one is packed or no ordinary file."""
    paths = tuple(paths)
    if not paths or not all(os.path.isfile(path) and not is_packed(path) for path in paths):
        return None
    count = 0
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while piece := file.read(1 << 20):
                count += piece.count(b"\n")
    return count


def sha256(*paths: str) -> str:
    """Return the SHA-256 of files as they lie on the disk, one after the other."""
    return _sha256(open(path, "rb") for path in paths)


def hashes(part: str, paths: Iterable[str]) -> dict[str, str]:
    """Return {"PART: FILE": its SHA-256} for a model card; a pipe, read by now, has none."""
    return {
        f"{part}: {called(path)}": f"sha256 {_sha256([open_input(path)])}"
        if os.path.isfile(path)
        else "no file, and so without a hash"
        for path in paths
    }


def _sha256(opened: Iterable[AbstractContextManager[BinaryIO]]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for one in opened:
        with one as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()


def text(path: str) -> str:
    """Return what a text file holds that is named by an option."""
    with open_input(path) as file:
        try:
            return file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise OptionError(
                f"{path}: not UTF-8: byte {error.object[error.start]:#x} at {error.start}"
            ) from None


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that appears under its name when the block ends well; "-" is standard output.

    .gz and .zst are packed.  What is no ordinary file (/dev/null, a pipe) is written directly,
    each line at once.
    """
    path = os.fspath(path)
    if is_remote(path):
        raise OptionError(
            f"{path}: outputs are written on this machine: name a file here, and copy it afterwards"
        )
    if path in STREAMS:  # opened anew, a file behind /dev/stdout would lose what stands there
        stream = getattr(sys, STREAMS[path])
        if stream is None:
            raise OSError(EBADF, "standard output is closed")
        text = SimpleNamespace(write=lambda line: stream.write(line.decode()), flush=stream.flush)
        file: Any = getattr(stream, "buffer", text)  # that of a notebook takes text only
        yield Output(file, 0.1)  # type: ignore[misc]
    elif is_replaced(path):
        with _replacing(os.path.realpath(path)) as lines:
            yield lines
    else:
        file = io.BufferedWriter(File(path, "wb"), BUFFER)
        try:
            output: Any = Output(file, 0)
            yield output
            output.flush()
        finally:
            with suppress(BrokenPipeError):
                file.close()


def is_replaced(path: str) -> bool:
    """Return whether an output replaces the file of its name when it is complete."""
    return path not in STREAMS and (
        os.path.isfile(path) or not path.endswith("/") and not os.path.exists(path)
    )


def is_input(path: str, names: Iterable[str]) -> bool:
    """Return whether a file is one of the inputs; no names, or "-", are standard input."""
    try:
        status = os.stat(path)
        return any(
            os.path.samestat(status, os.stat(0 if name == STANDARD else name))
            for name in names or (STANDARD,)
        )
    except OSError:  # a missing file is reported where it is opened
        return False


@contextmanager
def _replacing(path: str) -> Iterator[BinaryIO]:
    part = _part(path)
    try:
        with io.BufferedWriter(File(part, "wb", path), BUFFER) as file:
            with suppress(OSError):  # a file system without locks
                _lock(file.fileno())
            if is_packed(path):
                # that of .zst takes no lines, .gz slowly
                with io.BufferedWriter(packer(path, file), BUFFER) as lines:
                    yield lines
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(part, os.stat(path).st_mode & 0o7777)
        os.replace(part, path)
    except BaseException:  # an interrupt too must leave nothing behind
        if os.path.exists(part):
            os.unlink(part)
        raise


@contextmanager
def new_folder(path: str) -> Iterator[str]:
    """Make a folder that appears under its name when the block ends well; yield where to write.

    One that exists must be empty.
    """
    final = os.path.realpath(path)
    if os.path.exists(final) and not (os.path.isdir(final) and not os.listdir(final)):
        raise OptionError(f"{path} is there already, and is no empty folder")
    os.makedirs(os.path.dirname(final), exist_ok=True)
    part = _part(final)
    os.mkdir(part)
    number = os.open(part, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            _lock(number)
        yield part
        os.rename(part, final)
    except BaseException:  # an interrupt too must leave nothing behind
        from shutil import rmtree

        rmtree(part, ignore_errors=True)
        raise
    finally:
        os.close(number)


def _part(path: str) -> str:
    """Return where a file or folder is written until it is whole; remove what killed runs left.

    Whoever writes there holds a lock, which ends with the process, even one on another machine.
    """
    folder, name = os.path.split(path)
    with suppress(OSError):  # a folder that cannot be listed is reported where it is written to
        for file in os.listdir(folder):
            if not re.fullmatch(rf"\.{re.escape(name)}\.\d+\.part", file):
                continue
            from shutil import rmtree

            part = os.path.join(folder, file)
            with suppress(OSError):  # of what is locked
                number = os.open(part, os.O_RDONLY if os.path.isdir(part) else os.O_RDWR)
                try:
                    _lock(number)
                    rmtree(part) if os.path.isdir(part) else os.unlink(part)
                finally:
                    os.close(number)
    return os.path.join(folder, f".{name}.{os.getpid()}.part")


def _lock(number: int) -> None:
    """Lock an open file or folder. Raise OSError if somebody else has."""
    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


class OutputParts:
    """Files to which lines are appended in any order, a thousand of them or more.

    No more files are open at a time than the system allows: lines wait in memory, up to `MOST`
    bytes.
    """

    MOST = 1 << 26

    def __init__(self, paths: Sequence[str]):
        """Take the paths of the files, which are made at once."""
        self.paths, self.size = paths, 0
        self.waiting = [bytearray() for _ in paths]
        self.flush()

    def write(self, number: int, line: bytes) -> None:
        """Append a line to a file, by its number from 0."""
        self.waiting[number] += line
        self.size += len(line)
        if self.size > self.MOST:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        for path, waiting in zip(self.paths, self.waiting, strict=True):
            if waiting or not os.path.exists(path):
                with io.BufferedWriter(File(path, "ab")) as file:
                    file.write(waiting)
                    file.flush()
                waiting.clear()
        self.size = 0


def buffered(stream: Any, mode: str) -> Any:
    """Return a standard stream, if it is a file of the system, with a buffer of ours.

    Without any, as PYTHONUNBUFFERED wants it, a file writes less than it is given where the disk
    gets full, and says nothing.
    """
    if not _of_system(getattr(stream, "buffer", None)):
        return stream
    make, name = (io.BufferedReader, "input") if mode == "r" else (io.BufferedWriter, "output")
    file = make(File(stream.fileno(), f"{mode}b", f"standard {name}"), BUFFER)
    # --help has examples in any script
    return io.TextIOWrapper(file, stream.encoding, "backslashreplace")


def _of_system(file: Any) -> bool:
    """Return whether this is a file of the operating system, with a buffer or without."""
    return isinstance(getattr(file, "raw", file), io.FileIO)


class Output:
    """A file or pipe that tells a reader who went away from any other broken pipe."""

    def __init__(self, file: BinaryIO, wait: float):
        """Take the file, and the seconds that a line waits at most for others."""
        from time import monotonic

        self.file, self.wait, self.clock, self.flushed = file, wait, monotonic, monotonic()

    def write(self, data: bytes) -> None:
        """Write; flush what has waited, so that slow work shows."""
        try:
            self.file.write(data)
            if self.clock() - self.flushed >= self.wait:
                self.flush()
        except BrokenPipeError:
            raise ReaderGone from None

    def writelines(self, lines: Iterable[bytes]) -> None:
        write, clock = self.file.write, self.clock
        for line in lines:  # as `write` does, without a call for each
            try:
                write(line)
            except BrokenPipeError:
                raise ReaderGone from None
            if clock() - self.flushed >= self.wait:
                self.flush()

    def flush(self) -> None:
        try:
            self.file.flush()
            self.flushed = self.clock()
        except BrokenPipeError:
            raise ReaderGone from None


def let_go() -> None:
    """Let what was written go to whoever reads standard output, before more is waited for."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
