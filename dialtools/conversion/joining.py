"""Rows of files, joined with records by their keys, or by their position."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from dialtools.conversion import foreign, items
from dialtools.conversion.human_ratings import Raters
from dialtools.conversion.mapping import Mapping as Fields
from dialtools.plugins import registry
from dialtools.records import dialogue, history, jsonl, ratings, values, wellformed
from dialtools.system.errors import RecordError, about, nearest, show
from dialtools.system.files import called, is_remote, open_input
from dialtools.system.packed import without_packing

ON = ("id", "variant")  # the keys that are equal, where no others are named
_TABLES = ("csv", "json", "parquet", "tsv", "xlsx")  # files of these endings; others are records
_LINES = "lines"  # the format of outputs without keys, one a line

# what is made of a value, and goes with it when that is replaced
_MADE_OF = {
    **dict.fromkeys(("dialogue", "text", "context"), ("prediction", *dialogue.OF_PREDICTION)),
    "prediction": dialogue.OF_PREDICTION,
    "reference": ("scores", "statistics"),
}

Key = tuple[str | None, ...]


class Rows:
    """The rows to join, found by their keys or by position; it remembers which found a record."""

    def __init__(
        self, on: Sequence[str] = ON, by_line: bool = False, is_part: bool = False
    ) -> None:
        """Take the keys that are equal.

        by_line: the first row is that of the first record.
        is_part: the records are but the first; else those by line must be as many as the rows.
        """
        self.on, self.by_line, self.is_part = on, by_line, is_part
        self.known: dict[Key, list[Mapping]] = {}
        self.unused: dict[Key, list[Mapping]] = {}
        self.first: Key | None = None  # that of the first record
        self.taken = 0  # records
        self.unlike = 0  # rows by position that have another id or variant than their record

    def __iter__(self) -> Iterator[Mapping]:
        return chain.from_iterable(self.known.values())

    def add(self, row: Mapping, number: int) -> None:
        """Add a row. Raise RecordError if it lacks a key, or if another row has the same keys.

        Rows of several systems may have the same keys.

        number: its position in its file, from 1.
        """
        key: Key = (str(number),) if self.by_line else _key(row, self.on)
        rows = self.known.setdefault(key, [])
        if any(known.get("system") == row.get("system") for known in rows):
            if not self.by_line:
                gathered = ratings.hint(row, "--raters")
                hint = gathered or "; --on KEY joins by another key"
                reason = f"two rows for {self._shown(key)}{hint}"
                raise RecordError(reason)
            system = f"system {show(row['system'])}" if row.get("system") else "no system"
            raise RecordError(f"two files of {system}: SYSTEM=FILE names each")
        rows.append(row)
        self.unused[key] = rows

    def digits(self) -> str:
        """Return digits that identify the rows in a signature."""
        shown = list(map(repr, self))
        return history.digits(shown if self.by_line else sorted(shown))

    def are_of_several_systems(self) -> bool:
        return len({row.get("system") for row in self}) > 1

    def take(self, record: Mapping) -> list[Mapping]:
        """Return the rows of a record: none, one, or one for each system."""
        self.taken += 1
        key: Key = (str(self.taken),) if self.by_line else _key(record, self.on)
        self.first = self.first or key
        self.unused.pop(key, None)
        rows = self.known.get(key, [])
        if self.by_line and not rows:
            raise RecordError(
                f"record {self.taken:,}, but {_counted(len(self.known))} to join by line"
            )
        if self.by_line:
            self.unlike += any(
                row.get(name) not in (None, "", record.get(name), str(record.get(name)))
                for row in rows
                for name in ON
            )
        of_system = [row for row in rows if row.get("system") == record.get("system")]
        return of_system if record.get("system") and of_system else rows

    def require_end(self) -> None:
        """Raise RecordError for rows by position that are left behind the last record."""
        if self.by_line and self.unused and not self.is_part:
            shown = f"{_counted(len(self.known))} to join by line"
            raise RecordError(f"{shown}, but {_counted(self.taken, 'record')}")

    def left(self) -> list[Mapping]:
        """Return the rows that found no record."""
        return list(chain.from_iterable(self.unused.values()))

    def strangers(self) -> tuple[str, str] | None:
        """Return the keys of a record and of a row, as text, if no row found a record."""
        if self.by_line or self.first is None or not self.known:
            return None
        if len(self.unused) < len(self.known):
            return None
        return self._shown(self.first), self._shown(next(iter(self.known)))

    def _shown(self, key: Key) -> str:
        return ", ".join(
            f"{path} {show(value) if value else 'none'}"
            for path, value in zip(self.on, key, strict=True)
        )


def _counted(number: int, noun: str = "row") -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _key(row: Mapping, on: Sequence[str]) -> Key:
    """Return the values to join by, as text. Raise RecordError for a missing one but the variant."""
    key: list[str | None] = []
    for path in on:
        value, lacking = values.at(row, path)
        if lacking is not None or value in (None, ""):
            if path != "variant":
                near = "" if path in jsonl.KEYS else nearest(path, row)
                raise RecordError(
                    f"no {show(path)}, by which rows are joined{near}; --on KEY joins by another key"
                )
            key.append(None)
        else:
            key.append(value if isinstance(value, str) else json.dumps(value))
    return tuple(key)


def joined(record: dict, row: Mapping, on: Sequence[str], overwrite: bool) -> dict:
    """Return the record with the keys of a row. Raise RecordError for another value without
    `overwrite`.

    With it, a prediction of an input that is replaced is dropped, and so are scores of anything
    that is replaced, unless the row brings its own.
    """
    row = {key: value for key, value in row.items() if key not in on and key not in ON}
    are_scored = isinstance(record.get("scores"), dict) and isinstance(row.get("scores"), dict)
    merged = {"history", *(["scores"] if are_scored else [])}
    replaced = [
        key
        for key, value in row.items()
        if key not in merged and record.get(key) not in (None, value)
    ]
    if replaced and not overwrite:
        raise RecordError(
            f"another {show(replaced[0])} is there already: {show(record[replaced[0]])}; "
            "--overwrite replaces it"
        )
    outdated: set[str] = set()
    for key in replaced:
        outdated.update(_MADE_OF.get(key, ()))
    record = {key: value for key, value in record.items() if key not in outdated}
    result = record | row
    if row.get("history") is not None:
        if problem := wellformed.problem("history", row["history"]):
            raise RecordError(f"{problem}; --field called=history calls it otherwise")
        before = record.get("history") or []
        result["history"] = [*before, *(entry for entry in row["history"] if entry not in before)]
    elif "history" in row and "history" in record:
        result["history"] = record["history"]
    elif "history" in row:
        del result["history"]
    if are_scored:
        result["scores"] = joined(record.get("scores", {}), row["scores"], (), overwrite)
    return result


def each(
    records: Iterable[dict], rows: Rows, make: Callable[[dict], Iterable[dict]]
) -> Iterator[dict]:
    """Yield what is made of each record; the variants of a source stand together for each system.

    Raise RecordError for rows by position that are left.
    """
    if rows.are_of_several_systems():
        for group in history.groups(records):
            outputs = [output for record in group for output in make(record)]
            systems = list(dict.fromkeys(output.get("system") for output in outputs))
            yield from sorted(outputs, key=lambda output: systems.index(output.get("system")))
    else:
        for record in records:
            yield from make(record)
    rows.require_end()


def with_lines(records: Iterable[dict], rows: Rows, overwrite: bool) -> Iterator[dict]:
    """Yield the records with the outputs at their position, each once for each system."""

    def make(record: dict) -> Iterator[dict]:
        with about(record):
            for row in rows.take(record):
                yield joined(record, row, (), overwrite)

    return each(records, rows, make)


def rows_of(
    arguments: Sequence[str],
    field: Iterable[str] = (),
    on: Sequence[str] = ON,
    by_line: bool = False,
    is_part: bool = False,
    raters: Raters | None = None,
    **of_tables: Any,
) -> Rows:
    """Return the rows of files. Raise RecordError for files by line that differ in length.

    arguments: FILE, or SYSTEM=FILE.  A row without a system is of the one that its file is called
        after, if there are several files or rows are joined by line.
    is_part: the records are but the first; else those by line must be as many as the rows.
    raters: whose ratings of one text are one row.
    of_tables: declared and note, as in formats/general.py.
    """
    rows, fields = Rows(on, by_line, is_part), Fields(field, raters=raters)
    lengths: dict[str, int] = {}
    for argument in arguments:
        system, path = named_file(argument)
        format = _format(path)
        if by_line and format == "jsonl":
            format = ""  # or lines, as it begins
        if not system and (by_line or len(arguments) > 1) and os.path.isfile(path):
            system = foreign.stem(path)
        count = 0
        text = dict.fromkeys((*on, "system", "variant"))
        for place, item in fields.items(_placed(path, format, of_tables), list(text)):
            with about(place=place):
                row, count = fields.record(item), item[0]
                if system and row.get("system") is None:
                    row = {**row, "system": system}
                rows.add(row, count)
        lengths[called(path)] = count
    if by_line and len({*lengths.values()}) > 1:
        shown = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        raise RecordError(f"files to join by line differ in their number of rows: {shown}")
    return rows


def named_file(argument: str) -> tuple[str, str]:
    """Return system and path of SYSTEM=FILE; without a system it is "". A file here goes first.

    >>> named_file("bart=out.txt"), named_file("out.txt")
    (('bart', 'out.txt'), ('', 'out.txt'))
    """
    name, equals, path = argument.partition("=")
    is_path = not equals or os.path.exists(argument) or is_remote(argument) or "/" in name
    return ("", argument) if is_path or not (name and path) else (name, path)


def read_rows(path: str, **of_tables: Any) -> items.Placed:
    """Yield ("FILE:PLACE", row) of a table or of JSON Lines, packed (.gz, .zst) or not.

    of_tables: declared and note, as in formats/general.py.
    """
    return _placed(path, _format(path), of_tables)


def _placed(path: str, format: str, of_tables: dict[str, Any]) -> items.Placed:
    """Yield ("FILE:PLACE", row); format "": JSON Lines, or else lines that are predictions."""

    def rows() -> items.Placed:
        with open_input(path) as file:
            name = format
            if not name:
                is_json = items.begins(file.peek(1 << 16), b"{")  # type: ignore[attr-defined]
                name = "jsonl" if is_json else _LINES
            placed = registry.load("formats", name).bound(**of_tables).call(file)
            if name == _LINES:
                placed = ((place, {"prediction": line["text"]}) for place, line in placed)
            yield from placed

    return items.placed(called(path), rows())


def _format(path: str) -> str:
    suffix = without_packing(path).rpartition(".")[2]
    return suffix if suffix in _TABLES else "jsonl"


def is_table(path: str) -> bool:
    return _format(path) in _TABLES
