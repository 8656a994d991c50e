"""The items of files, in a format that is named or recognised by a file's beginning."""

import codecs
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from dialtools.conversion import items
from dialtools.conversion.items import FoundItem
from dialtools.plugins import registry
from dialtools.records import dialogue, jsonl
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.system.files import BOM, STANDARD, called, is_remote, open_input
from dialtools.system.packed import without_packing

HEAD = 2**16  # bytes that identify a format
AUTO, PLAIN = "auto", "plain"  # formats that are recognised; of "plain" files --field knows more
FOLDERS = "datasets"  # the format of folders
GENERAL = {"csv", "json", "jsonl", "tsv"}  # a data set is more specific
Tell = Callable[[str, str], None]
Placed = Iterator[tuple[str, FoundItem]]


def items_of(
    source: str | Callable,
    lang: str | None,
    tell: Tell,
    paths: Iterable[str],
    field: Iterable[str] = (),
    **of_tables: Any,
) -> Placed:
    """Return ("FILE:PLACE", what a format found there) pairs for files.

    lang: language of a data set, unless its spec names one.
    tell: called with the name and the recognised format of each file.
    field: as --field; where it says what the dialogue of an item is, no data set is recognised.
    of_tables: declared and note, as in formats/general.py.
    """
    if source == AUTO and any(option.startswith("dialogue=") for option in field):
        source = PLAIN

    def placed(path: str) -> Placed:
        asked = {"lang": lang, "id": stem(path)}  # by some formats
        options = {key: value for key, value in asked.items() if value}
        with _opened(path, source, tell) as (plugin, file):
            for place, record in plugin.given(**options).bound(**of_tables).call(file):
                yield place, FoundItem(plugin, record)

    plugin = None if source in (AUTO, PLAIN) else registry.load("formats", source)
    if plugin and not plugin.declared.of_files:
        if paths:
            raise OptionError(f"{plugin.name} reads no FILE: it knows where its data is")
        asked = plugin.given(lang=lang) if lang else plugin
        pairs = ((place, FoundItem(asked, record)) for place, record in asked.call(None))
        return items.placed(plugin.label, pairs)

    files = (items.placed(called(path), placed(os.fspath(path))) for path in paths or (STANDARD,))
    return chain.from_iterable(files)


@contextmanager
def _opened(path: str, source: str | Callable, tell: Tell) -> Iterator[tuple[registry.Plugin, Any]]:
    """Give the format of a file, and the file; for a folder, the format and the folder's path."""
    is_named = source not in (AUTO, PLAIN)
    if os.path.isdir(path):
        spec = source if is_named else FOLDERS
        if isinstance(spec, str) and spec.partition(":")[0] != FOLDERS:
            raise OptionError(
                f"{path} is a folder, which {spec} cannot read; {FOLDERS} reads those of "
                "Hugging Face datasets"
            )
        function = "read_folder" if isinstance(spec, str) else ""
        yield registry.load("formats", spec, function), path
        return
    with open_input(path) as opened:
        raw: Any = getattr(opened, "raw", opened)  # two buffers would wait for a slow pipe
        file = io.BufferedReader(raw, HEAD)
        try:
            spec = source
            if not is_named:
                spec = _recognised(file.peek(HEAD)[:HEAD], called(path), tell, source == PLAIN)
            yield registry.load("formats", spec), file
        finally:
            file.detach()  # otherwise standard input would be closed with it


def stem(path: str) -> str:
    """Return the name of a file without its endings, "" for standard input.

    All chats from an iPhone are called _chat.txt; their folders have names.
    """
    if path == STANDARD:
        return ""
    if is_remote(path):
        from dialtools.system.remote import without_query

        path = without_query(path)
    name = os.path.basename(without_packing(path))
    stem = os.path.splitext(name)[0]
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if stem == "_chat" and folder else stem


def _recognised(head: bytes, name: str, tell: Tell, plain: bool) -> str:
    """Return the format of a file by its name or beginning, and tell it."""
    if not items.first_line(head):
        return "jsonl"  # nothing is nothing in every format
    # the first row of a table may tell nothing; a data set that is one has columns of its own
    ending = without_packing(name).rpartition(".")[2]
    is_table = ending in ("csv", "tsv") and not _fitting(head)
    format = ending if is_table else recognised(head, plain)
    tell(name, format)
    return format


def _fitting(head: bytes) -> list[str]:
    """Return the names of our formats that recognise the beginning of a file."""
    return [
        name
        for name in registry.declaring("formats", "recognise")
        if registry.load("formats", name).declared.recognise(head)
    ]


def recognised(head: bytes, plain: bool = False) -> str:
    """Return the format of a file by its beginning; RecordError if none or several fit.

    plain: a general format goes before that of a data set.
    """
    fitting = _fitting(head)
    candidates = [name for name in fitting if (name in GENERAL) == plain] or fitting
    if len(candidates) == 1:
        return candidates[0]
    try:
        decoder = codecs.getincrementaldecoder("utf-8")()  # the end may be cut off
        text = decoder.decode(head.removeprefix(BOM))
    except UnicodeDecodeError as error:
        raise jsonl.not_utf8(error) from None
    reason, remedy = f"may be {' or '.join(candidates)}", ""
    if not candidates:
        reason, begun = "no format is recognised", text.lstrip()
        remedy = ", such as csv or lines"
        if begun.startswith("{"):
            remedy = items.OF_LINES
        elif begun.startswith("["):
            remedy = (
                "; if its lines are lists of turns, jq -c '{dialogue: .}' makes objects of them"
            )
        elif not dialogue.is_nameless(begun):
            remedy = (
                "; if it is a dialogue of \"Name: text\" lines, jq -Rsc '{dialogue: .}' makes a "
                "record of it"
            )
    raise RecordError(f"{reason} (it begins {show(text[:80], 40)}): name one with --from{remedy}")
