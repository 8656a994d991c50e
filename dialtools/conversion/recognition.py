"""The items of files, in a format that is named or recognised by a file's beginning."""

import codecs
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

from dialtools.conversion import items, origins
from dialtools.plugins import registry
from dialtools.records import dialogue, jsonl
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.system.files import BOM, STANDARD, called, open_input

HEAD = 2**16  # bytes that identify a format
AUTO, PLAIN = "auto", "plain"  # formats that are recognised; of "plain" files --field knows more
FOLDERS = "datasets"  # the format of folders
GENERAL = {"csv", "json", "jsonl", "tsv"}  # a data set is more specific
Tell = Callable[[str, str], None]
Placed = Iterator[tuple[str, origins.Found]]


def wanted(source: str | Callable, field: Iterable[str]) -> str | Callable:
    """Return the format to read, "plain" where --field says what the dialogue of an item is."""
    finds_turns = any(option.startswith("dialogue=") for option in field)
    return PLAIN if source == AUTO and finds_turns else source


def items_of(
    source: str | Callable,
    lang: str | None,
    tell: Tell,
    paths: Iterable[str],
    limit: int | None = None,
    **of_tables: Any,
) -> Placed:
    """Return ("FILE:PLACE", what a format found there) pairs for files.

    lang: language of a data set, unless its spec names one.
    tell: called with the name and the recognised format of each file.
    of_tables: declared and note, as in `rows.typed`.
    """
    found = (
        items.placed(called(path), _items_of(os.fspath(path), source, lang, tell, of_tables))
        for path in paths or (STANDARD,)
    )
    return islice(chain.from_iterable(found), limit)


def _items_of(
    path: str, source: str | Callable, lang: str | None, tell: Tell, of_tables: dict[str, Any]
) -> Placed:
    """Yield (place, record with its format) for one file, or for a folder."""
    known = {"lang": lang, "id": _stem(path)}  # of those that the format asks for
    given = {key: value for key, value in known.items() if value}
    with _opened(path, source, tell) as (plugin, file):
        for place, record in plugin.given(**given).bound(**of_tables).call(file):
            yield place, origins.Found(plugin, record)


@contextmanager
def _opened(path: str, source: str | Callable, tell: Tell) -> Iterator[tuple[registry.Plugin, Any]]:
    """Give the format of a file, and the file; for a folder, the format and the folder's path."""
    is_known = source not in (AUTO, PLAIN)
    if os.path.isdir(path):
        yield _of_folder(source if is_known else FOLDERS, path), path
        return
    with open_input(path) as opened:
        raw: Any = getattr(opened, "raw", opened)  # two buffers would wait for a slow pipe
        file = io.BufferedReader(raw, HEAD)
        try:
            spec = source if is_known else _recognised(file, called(path), tell, source == PLAIN)
            yield registry.load("formats", spec), file
        finally:
            file.detach()  # otherwise standard input would be closed with it


def _of_folder(spec: str | Callable, path: str) -> registry.Plugin:
    """Return the plug-in that reads a folder."""
    if callable(spec):
        return registry.load("formats", spec)
    if spec.partition(":")[0] != FOLDERS:
        raise OptionError(
            f"{path} is a folder, which {spec} cannot read; {FOLDERS} reads those of "
            "Hugging Face datasets"
        )
    return registry.load("formats", spec, "read_folder")


def _stem(path: str) -> str:
    """Return the name of a file without its endings, "" for standard input.

    All chats from an iPhone are called _chat.txt; their folders have names.
    """
    if path == STANDARD:
        return ""
    path = files.without_query(path)
    name = os.path.basename(path.removesuffix(".gz").removesuffix(".zst"))
    stem = os.path.splitext(name)[0]
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if stem == "_chat" and folder else stem


def _recognised(file: io.BufferedReader, name: str, tell: Tell, plain: bool) -> str:
    """Return the format of a file by its name or beginning, and tell it."""
    head = file.peek(HEAD)[:HEAD]
    if not items.first_line(head):
        return "jsonl"  # nothing is nothing in every format
    format = _by_name(name, head) or recognised(head, plain)
    tell(name, format)
    return format


def _by_name(name: str, head: bytes) -> str | None:
    """Return the format of a table by the end of its name; its first row may tell nothing.

    A data set that is such a file has columns of its own.
    """
    ending = name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    is_table = ending in ("csv", "tsv") and not _fitting(head)
    return ending if is_table else None


def _fitting(head: bytes) -> list[str]:
    """Return the names of our formats that recognise the beginning of a file."""
    recognisers = {
        name: registry.load("formats", name).declared.recognise
        for name in registry.declaring("formats", "recognise")
    }
    return [name for name, recognises in recognisers.items() if recognises(head)]


def recognised(head: bytes, plain: bool = False) -> str:
    """Return the format of a file by its beginning; RecordError if none or several fit.

    plain: a general format goes before that of a data set.
    """
    fitting = _fitting(head)
    found = [name for name in fitting if (name in GENERAL) == plain] or fitting
    if len(found) == 1:
        return found[0]
    try:
        decoder = codecs.getincrementaldecoder("utf-8")()  # the end may be cut off
        text = decoder.decode(head.removeprefix(BOM))
    except UnicodeDecodeError as error:
        raise jsonl.not_utf8(error) from None
    reason = f"may be {' or '.join(found)}" if found else "no format is recognised"
    raise RecordError(
        f"{reason} (it begins {show(text[:80], 40)}): name one with --from"
        f"{'' if found else _remedy(text.lstrip())}"
    )


def _remedy(text: str) -> str:
    """Return a remedy for a text that no format fits."""
    if text.startswith("{"):
        return items.OF_LINES
    if text.startswith("["):
        return "; if its lines are lists of turns, jq -c '{dialogue: .}' makes objects of them"
    if not dialogue.is_nameless(text):
        return (
            "; if it is a dialogue of \"Name: text\" lines, jq -Rsc '{dialogue: .}' makes a "
            "record of it"
        )
    return ", such as csv or 'csv:delimiter=;'"
