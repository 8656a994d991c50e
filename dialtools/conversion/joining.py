"""Rows of a file, joined with records by their keys."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from dialtools.conversion import items
from dialtools.plugins import registry
from dialtools.records import dialogue, values, wellformed
from dialtools.system.errors import RecordError, show
from dialtools.system.files import called, open_input

ON = ("id", "variant")  # the keys that are equal, where no others are named
_TABLES = ("csv", "json", "parquet", "tsv", "xlsx")  # files of these endings; others are records

# what is made of a value, and goes with it when that is replaced
_MADE_OF = {
    **dict.fromkeys(("dialogue", "text", "context"), ("prediction", *dialogue.OF_PREDICTION)),
    "prediction": dialogue.OF_PREDICTION,
    "reference": ("scores", "statistics"),
}

Key = tuple[str | None, ...]


class Rows:
    """The rows to join, found by their keys; it remembers which ones found a record."""

    def __init__(self, on: Sequence[str] = ON) -> None:
        self.on = on
        self.known: dict[Key, list[Mapping]] = {}
        self.unused: dict[Key, list[Mapping]] = {}
        self.first: Key | None = None  # that of the first record

    def __iter__(self) -> Iterator[Mapping]:
        return chain.from_iterable(self.known.values())

    def add(self, row: Mapping) -> None:
        """Add a row. Raise RecordError if it lacks a key, or if another row has the same keys.

        Rows of several systems may have the same keys.
        """
        key = _key(row, self.on)
        rows = self.known.setdefault(key, [])
        if any(known.get("system") == row.get("system") for known in rows):
            raise RecordError(f"two rows for {self._shown(key)}; --on KEY joins by another key")
        rows.append(row)
        self.unused[key] = rows

    def take(self, record: Mapping) -> list[Mapping]:
        """Return the rows of a record: none, one, or one for each system."""
        key = _key(record, self.on)
        self.first = self.first or key
        self.unused.pop(key, None)
        rows = self.known.get(key, [])
        of_system = [row for row in rows if row.get("system") == record.get("system")]
        return of_system if record.get("system") and of_system else rows

    def left(self) -> list[Mapping]:
        """Return the rows that found no record."""
        return list(chain.from_iterable(self.unused.values()))

    def strangers(self) -> tuple[str, str] | None:
        """Return the keys of a record and of a row, as text, if no row found a record."""
        if self.first is None or not self.known or len(self.unused) < len(self.known):
            return None
        return self._shown(self.first), self._shown(next(iter(self.known)))

    def _shown(self, key: Key) -> str:
        return ", ".join(
            f"{path} {show(value) if value else 'none'}"
            for path, value in zip(self.on, key, strict=True)
        )


def _key(row: Mapping, on: Sequence[str]) -> Key:
    """Return the values to join by, as text. Raise RecordError for a missing one but the variant."""
    key: list[str | None] = []
    for path in on:
        value, lacking = values.at(row, path)
        if lacking is not None or value in (None, ""):
            if path != "variant":
                raise RecordError(
                    f"no {show(path)}, by which rows are joined; --on KEY joins by another key"
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


def read_rows(path: str, **of_tables: Any) -> items.Placed:
    """Yield ("FILE:PLACE", row) of a table or of JSON Lines, packed (.gz, .zst) or not.

    of_tables: declared and note, as in conversion/rows.py.
    """

    def rows() -> items.Placed:
        with open_input(path) as file:
            yield from registry.load("formats", _format(path)).bound(**of_tables).call(file)

    return items.placed(called(path), rows())


def _format(path: str) -> str:
    suffix = path.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    return suffix if suffix in _TABLES else "jsonl"


def is_table(path: str) -> bool:
    return _format(path) in _TABLES
