"""The terminal: messages, its width, its colours."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from stat import S_ISFIFO
from typing import Any

from dialtools.system.errors import masked

# What does something to the text around it, or cannot be seen: controls, marks of direction, spaces
# without width, half of a surrogate pair.  Joiners stay: scripts of India and emoji need them.
_INVISIBLE = (
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
_LEFT_TO_RIGHT = "\u200e"


def say(name: str, text: str) -> None:
    """Print one line on standard error, with invisible characters as Python escapes them."""
    tell(f"{name}: {visible(' '.join(text.split()))}\n")


def tell(lines: str) -> None:
    """Write lines on standard error; on a terminal in place of another command's progress."""
    bare = not lines or not is_terminal(sys.stderr) or os.environ.get("TERM", "dumb") == "dumb"
    sys.stderr.write(lines if bare else f"\r\x1b[K{lines}")


def visible(text: str) -> str:
    """Return a text with invisible characters as Python escapes them.

    >>> visible("a\\x1b[1mb\\u202ec")
    'a\\\\x1b[1mb\\\\u202ec'
    """
    return re.sub(_INVISIBLE, lambda match: repr(match[0])[1:-1], text)


def in_place(text: str) -> str:
    """Return a part of a line that keeps its place beside others, though it has letters from right
    to left.
    """
    if text.isascii():
        return text
    from unicodedata import bidirectional

    is_mixed = any(bidirectional(character) in ("R", "AL", "AN") for character in text)
    return f"{_LEFT_TO_RIGHT}{text}{_LEFT_TO_RIGHT}" if is_mixed else text


class Messages:
    """Standard error, without secrets of addresses; what cannot be written is lost.

    That is so where the disk is full, or where nobody reads it.
    """

    def __init__(self, stream: Any):
        self.stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self.stream.write(masked(text))
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def columns() -> int:
    """Return the width of the terminal."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        number = sys.__stdout__.fileno()  # type: ignore[union-attr]
        return os.get_terminal_size(number).columns or 80
    except (AttributeError, ValueError, OSError):  # it was closed, or is no terminal
        return 80


def colours() -> bool:
    """Return whether standard output is a terminal with colours that the user wants."""
    asked = os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return is_terminal(sys.stdout) and asked


@contextmanager
def paging() -> Iterator[None]:
    """Send standard output through $PAGER, or less -R; messages come when its reader has left.

    Nothing goes to standard output afterwards.
    """
    import io
    import shlex
    import shutil
    import subprocess

    command = shlex.split(os.environ.get("PAGER") or "less -R")
    if not command or shutil.which(command[0]) is None:
        yield
        return
    # as git does: end at once where all fits on the screen, and leave it there
    pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": "FX", **os.environ})
    messages, waiting = sys.stderr, io.StringIO()
    os.dup2(pager.stdin.fileno(), 1)  # type: ignore[union-attr]
    pager.stdin.close()  # type: ignore[union-attr]
    try:
        sys.stderr = waiting
        yield
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        pager.wait()
        sys.stderr = messages
        sys.stderr.write(waiting.getvalue())


def is_terminal(file) -> bool:
    """Return whether a standard stream is a terminal; a closed one is None."""
    return file is not None and file.isatty()


def is_watched(to_file: bool, results: bool, slow: bool = False, from_files: bool = True) -> bool:
    """Return whether to show progress on standard error.

    Not without a terminal, nor where records stand on the same one; of commands in a pipe, only
    those that are slow show it.
    """

    def is_piped(stream: Any) -> bool:
        return stream is not None and S_ISFIFO(os.fstat(stream.fileno()).st_mode)

    if not is_terminal(sys.stderr) or not (slow or from_files or not is_piped(sys.stdin)):
        return False
    if to_file or sys.stdout is None:
        return True
    return results if is_terminal(sys.stdout) else slow or not is_piped(sys.stdout)


def width(text: str) -> int:
    """Return the width of a text in columns: Han and kana take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )
