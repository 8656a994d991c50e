"""What is on the other side of the terminal: a line for people, its width, its colours."""

import os
import sys
from contextlib import suppress
from stat import S_ISFIFO
from typing import Any


_CONTROLS = frozenset(map(chr, (*range(32), *range(127, 160), *range(0x202a, 0x202f),
                                *range(0x2066, 0x206a))))


def say(name: str, text: str) -> None:
    """Print one line on standard error, control characters as Python escapes them."""
    line = "".join(c if c not in _CONTROLS else repr(c)[1:-1] for c in " ".join(text.split()))
    print(f"{name}: {line}", file=sys.stderr)


class Messages:
    """Standard error, of which what cannot be written (a full disk, nobody who reads) is lost, and nothing else."""

    def __init__(self, stream: Any):
        self.stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def columns() -> int:
    """Return the width of the terminal."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        # type: ignore[union-attr]
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):  # it was closed, or is no terminal
        return 80


def colours() -> bool:
    """Is standard output a terminal that has colours, whose user wants them?  An empty NO_COLOR says nothing."""
    return is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def is_terminal(file) -> bool:
    """Is a standard stream a terminal?  One that was closed is None."""
    return file is not None and file.isatty()


def is_watched(to_file: bool, results: bool) -> bool:
    """Is there a terminal for progress, no next command in the pipe to show it, and no record in between?"""
    if to_file or sys.stdout is None:
        return is_terminal(sys.stderr)
    piped = S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    return is_terminal(sys.stderr) and not piped and (results or not is_terminal(sys.stdout))


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal: Han and kana two each, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
               for c in text)
