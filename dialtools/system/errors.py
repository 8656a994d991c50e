"""Errors and their exit statuses.

DialtoolsError
├── OptionError     2  an option or a plug-in that does not exist or does not fit
├── RecordError     3  a record is malformed, or a filter cannot do its work on it
│   ├── Unfit          … and is left out where it was not asked for by its name
│   └── Unanswered     … and a program of the user's own has not answered it
├── MissingError    4  a model, a library or a resource is not there
└── ConnectionLost  5  a server or another process stopped listening

Any other OSError is 5, an interrupt 130, an error of dialtools' own 70; pipeline/invocation.py turns
each into one line.
"""

import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import Any

LISTED = 50  # names that a message lists at most
NEAREST = 10  # names that it lists of those that somebody may have meant
_USER = re.compile(r"(?<=://)[^\s/?#]+(?=@)")
# up to the punctuation of a sentence around the address; what is masked stays so
_VALUE = re.compile(r"""(?<=[?&;])([^\s=&?#"'<>]+=)(?!…)[^\s&#"'<>]*[^\s&#"'<>.,:;)\]}]""")


class DialtoolsError(Exception):
    """Any error that dialtools raises on purpose; it keeps no secrets of addresses."""

    exit_status = 1

    def __init__(self, *parts: Any):
        super().__init__(*(masked(part) if isinstance(part, str) else part for part in parts))


class OptionError(DialtoolsError):
    """The user asked for something that does not exist or does not fit."""

    exit_status = 2


class RecordError(DialtoolsError):
    """A record is malformed, or a filter cannot do its work on it.

    record: the record in question, if it could be read at all.
    place: "FILE:LINE" where that is known; else the run looks it up by the record.
    """

    exit_status = 3

    def __init__(self, reason: str, record: dict | None = None, place: str | None = None):
        super().__init__(reason, record, place)  # all, so that it survives a pipe between processes
        self.reason, self.record, self.place = self.args

    def __str__(self) -> str:
        """Return, such as: in.jsonl:118: no "reference" (id "d42")."""
        record = self.record or {}
        names = [f"{key} {show(record[key])}" for key in ("id", "variant") if key in record]
        place = f"{self.place}: " if self.place else ""
        return f"{place}{self.reason}" + (f" ({', '.join(names)})" if names else "")


class Unfit(RecordError):
    """A record lacks what a kind of perturbation needs: its language, a key, tokens, variants.

    kind: the one that was to be applied, where several are.
    """

    kind: Any = None

    def __reduce__(self) -> tuple:
        """Leave out the kind, whose functions go through no pipe between processes."""
        return Unfit, (self.reason, self.record, self.place)


@contextmanager
def about(record: dict | None = None, place: str | None = None) -> Iterator[None]:
    """Name the record, or the place, in a RecordError that comes out of the block without it."""
    try:
        yield
    except RecordError as error:
        known = error.record or record, error.place or place
        if known == (error.record, error.place):
            raise error from None
        raise type(error)(error.reason, *known) from None


class Unanswered(RecordError):
    """A program of the user's own did not answer a record, for which it may have taken long."""


class MissingError(DialtoolsError):
    """A model, a library or a resource is not there."""

    exit_status = 4


class ConnectionLost(DialtoolsError):
    """A server or another process stopped listening."""

    exit_status = 5


def need(module: str, extra: str) -> ModuleType:
    """Return an optional library, imported; say how to install it if it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # the library is there, but broken
        raise not_installed(module, f"'dialtools[{extra}]'") from None


def not_installed(library: str, wanted: str | None = None) -> MissingError:
    """Return the error that a library is missing; wanted: what to install, if not the library."""
    if library in sys.stdlib_module_names:
        return MissingError(f"this Python was built without its module {library}")
    return MissingError(f"the library {library} is not installed: pip install {wanted or library}")


def nearest(word: str, known: Iterable[str], prefix: str = "") -> str:
    """Return " (did you mean X?)" for the known word nearest to a mistyped one, or "".

    One that begins with all that was typed is nearer than any other; capitals are no mistake of
    their own.

    >>> nearest("fra", ["bra_Deva", "fra_Latn", "far"]), nearest("ROUGEL", ["rougeL", "exact"])
    (' (did you mean fra_Latn?)', ' (did you mean rougeL?)')
    """
    from difflib import get_close_matches

    small, folded = word.lower(), {name.lower(): name for name in known}
    begun = sorted((name for name in folded if name.startswith(small) and len(word) > 2), key=len)
    close = begun or get_close_matches(small, folded, n=1)
    return f" (did you mean {prefix}{folded[close[0]]}?)" if close else ""


def among(word: str, known: Iterable[str]) -> str:
    """Return the known words for a message, of many those nearest to a mistyped one.

    >>> among("rouge", ["bleu", "rouge1"]), among("rouge", map("rouge{}".format, range(12)))[-17:]
    ('bleu, rouge1', 'rouge0 and 2 more')
    """
    from difflib import get_close_matches

    words = list(known)
    if len(words) <= NEAREST:
        return ", ".join(words)
    close = get_close_matches(word, words, n=NEAREST, cutoff=0)
    return f"{', '.join(close)} and {len(words) - NEAREST} more"


def show(value: object, width: int = 60) -> str:
    """Return a value for a message, as JSON or else as Python shows it, cut if it is long."""
    import json

    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= width else text[: width - 1] + "…"


def show_names(names: Iterable[str]) -> str:
    """Return names for a message, the first few of many; odd and long ones are shown as JSON.

    >>> show_names(["id", " text", "x" * 80])
    'id, " text", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    first = list(islice(names, LISTED + 1))
    shown = [
        name if len(name) <= 60 and name.isprintable() and name == name.strip() else show(name)
        for name in first[:LISTED]
    ]
    return ", ".join(shown + ["…"] * (len(first) > LISTED))


def masked(text: str) -> str:
    """Return a text with … for the user, the password and the query's values of addresses in it.

    >>> masked("https://me:secret@x.org/a.jsonl?id=7&token=abc: No such file")
    'https://…@x.org/a.jsonl?id=…&token=…: No such file'
    """
    return _VALUE.sub(r"\1…", _USER.sub("…", text)) if "://" in text else text
