"""Join records with outputs, labels or scores from another file, by id and variant."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

import click

from dialtools.conversion import items, mapping
from dialtools.conversion.rows import declared
from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, counted, render
from dialtools.plugins import registry
from dialtools.records import history, validation, values, wellformed
from dialtools.system import terminal
from dialtools.system.errors import OptionError, RecordError, about, show, show_names
from dialtools.system.files import STANDARD, called, open_input

BY = "dt-join"
COUNTERS = {
    "joined": ("records joined", "records that have a row in FILE"),
    "without_a_row": ("records without a row", "records that have none"),
}
ON = ("id", "variant")
_TABLES = ("csv", "json", "parquet", "tsv", "xlsx")  # files of these endings; others are records

Key = tuple[str | None, ...]


class Rows:
    """The rows to join, found by their keys; it remembers which ones found a record."""

    def __init__(self, on: Sequence[str] = ON):
        self.on = on
        self.known: dict[Key, list[Mapping]] = {}
        self.unused: dict[Key, list[Mapping]] = {}
        self.first: Key | None = None  # that of the first record

    def add(self, row: Mapping) -> None:
        """Add a row. Raise RecordError if it lacks a key, or if another row has the same keys.

        Rows of several systems may have the same keys.
        """
        key = _key(row, self.on)
        there = self.known.setdefault(key, [])
        if any(other.get("system") == row.get("system") for other in there):
            raise RecordError(f"two rows for {self._said(key)}; --on KEY joins by another key")
        there.append(row)
        self.unused[key] = there

    def take(self, record: Mapping) -> list[Mapping]:
        """Return the rows of a record: none, one, or one for each system."""
        key = _key(record, self.on)
        self.first = self.first or key
        self.unused.pop(key, None)
        found = self.known.get(key, [])
        own = [row for row in found if row.get("system") == record.get("system")]
        return own if record.get("system") and own else found

    def left(self) -> list[Mapping]:
        """Return the rows that found no record."""
        return list(chain.from_iterable(self.unused.values()))

    def strangers(self) -> tuple[str, str] | None:
        """Return the keys of a record and of a row, as text, if no row found a record."""
        if self.first is None or not self.known or len(self.unused) < len(self.known):
            return None
        return self._said(self.first), self._said(next(iter(self.known)))

    def _said(self, key: Key) -> str:
        return ", ".join(
            f"{path} {show(value) if value else 'none'}"
            for path, value in zip(self.on, key, strict=True)
        )


def join(
    records: Iterable[dict],
    rows: Iterable[Mapping] | Rows,
    note: Callable[[dict], object] | None = None,
    *,
    on: Sequence[str] = ON,
    overwrite: bool = False,
    inner: bool = False,
) -> Iterator[dict]:
    """Yield the records, each with the keys of the row that has the same id and variant.

    rows: what to join; any dicts, no two of one system for the same key.  A record with rows of
        several systems is yielded once for each.
    note: told each record without a row.
    on: the keys that must be equal, paths into records and rows; 7 and "7" are equal. An original
        has no variant.
    overwrite: let a row replace a value that differs.
    inner: leave out records without a row.
    """
    if isinstance(rows, Rows):
        found = rows
    else:
        found = Rows(registry.several(on) or ON)
        for each in rows:
            found.add(each)
    digits = history.digits(sorted(map(repr, chain.from_iterable(found.known.values()))))
    signature = history.signature("join", on="+".join(found.on), rows=digits)
    for record in validation.completed(records):
        with about(record):
            own = found.take(record)
            for row in own:
                yield history.add(
                    _joined(record, row, found.on, overwrite), BY, signature, counts={"joined": 1}
                )
            if own:
                continue
            if note:
                note(record)
            if not inner:
                yield history.add(record, BY, signature, counts={"without_a_row": 1})


def _key(row: Mapping, on: Sequence[str]) -> Key:
    """Return the values to join by, as text. Raise RecordError for a missing one but the variant."""
    found: list[str | None] = []
    for path in on:
        value, lacking = values.at(row, path)
        if lacking is not None or value in (None, ""):
            if path != "variant":
                raise RecordError(
                    f"no {show(path)}, by which rows are joined; --on KEY joins by another key"
                )
            found.append(None)
        else:
            found.append(value if isinstance(value, str) else json.dumps(value))
    return tuple(found)


def _joined(record: dict, row: Mapping, on: Sequence[str], overwrite: bool) -> dict:
    """Return the record with the keys of a row. Raise RecordError for another value without
    `overwrite`.
    """
    joined = dict(record)
    for key, value in row.items():
        if key in on or key in ON:
            continue
        if key == "history":
            if value is None:
                continue
            if found := wellformed.problem(key, value):
                raise RecordError(f"{found}; --field called=history calls it otherwise")
            own = record.get("history") or []
            value = [*own, *(entry for entry in value if entry not in own)]
        elif key == "scores" and isinstance(record.get(key), dict) and isinstance(value, dict):
            value = _joined(record[key], value, (), overwrite)
        elif record.get(key) not in (None, value) and not overwrite:
            raise RecordError(
                f"another {show(key)} is there already: {show(record[key])}; "
                "--overwrite replaces it"
            )
        joined[key] = value
    return joined


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


def _is_table(path: str) -> bool:
    return _format(path) in _TABLES


@cli.command(
    BY,
    click.option(
        "--with",
        "with_file",
        required=True,
        metavar="FILE",
        help="What to join: JSON Lines, or a table whose name ends in .csv, .tsv, .xlsx, "
        ".parquet or .json.",
    ),
    click.option(
        "--on",
        multiple=True,
        default=ON,
        show_default=True,
        metavar="KEY",
        help="Join by this key, in records and rows; repeat for several. An original has "
        "no variant.",
    ),
    click.option(
        "--field",
        multiple=True,
        metavar="KEY=COLUMN",
        help="Call a column of FILE by another key, such as prediction=output; repeat for "
        "several. prediction:bart=out1 and prediction:t5=out2 make a record for each "
        "system.",
    ),
    click.option("--overwrite", is_flag=True, help="Let FILE replace a value that differs."),
    click.option("--inner", is_flag=True, help="Leave out records without a row in FILE."),
    click.option(
        "--unmatched",
        "unmatched_file",
        metavar="FILE",
        help="Write the records without a row and the rows without a record, as JSON Lines.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.on_error,
    cli.key_options("id", "lang"),
    cli.progress,
    cli.quiet,
)
def main(with_file: str, field: tuple[str, ...], unmatched_file: str | None, **options: Any) -> int:
    """Join records with outputs, labels or scores from another file, by id and variant.

    Each record gets the keys of the row that has its id and its variant, so
    that outputs of renamed or perturbed copies find their record; the variant of
    an original is empty in a table.  --on id
    gives what belongs to a source, such as a label, to all its variants.
    Scores are joined label by label, and histories keep the entries of both.

    A record without a row stays as it is, and is counted; so are rows without
    a record.  Two rows for one record are an error, unless each names another
    "system": then there is one record for each system.  A row that has another
    value for a key of its record is an error, too.

    Columns of numbers are read as in dt-convert.
    The records may be a table, too, if their FILE ends so; from standard input they
    are JSON Lines (dt-convert makes them).  There is no --resume: rows without a
    record are known only after all records, and a new run takes seconds.

    Memory: the whole FILE of --with; one record at a time.

    Examples:

    $ printf '%s\\n' '{"id": 1, "lang": "en"}' '{"id": 2, "lang": "en"}' |
      dt-join --with <(echo '{"id": "1", "output": "They greet."}') --field prediction=output |
      jq -c '[.id, .prediction]'
    [1,"They greet."]
    [2,null]
    """
    files = options["files"]
    if with_file == STANDARD and not files:
        raise OptionError("--with - and the records are both standard input")
    cli.check_apart("--unmatched", unmatched_file, options["output"], (*files, with_file))
    numbers: dict[str, None] = {}  # columns of numbers, in order
    read = partial(read_rows, declared={*options["on"], *declared(field)}, note=numbers.setdefault)
    rows, (make, number) = Rows(options["on"]), mapping.system_maker(field, ())
    for place, row in mapping.for_systems(read(with_file), number):
        with about(place=place):
            rows.add(make(row))
    reading: dict[str, Any] = {}
    if any(map(_is_table, files)):
        reading = {
            "items": lambda paths, limit=None: islice(
                chain.from_iterable(map(read, paths or (STANDARD,))), limit
            ),
            "make": items.require,
        }
    unmatched: list[dict] = []

    def closing() -> Closing:
        left = len(rows.left())
        counts = [counted("rows without a record", left)] if left else []
        return Closing(counts + ([f"numbers in {show_names(numbers)}"] if numbers else []))

    status = cli.run(
        Work(
            partial(join, rows=rows, note=unmatched.append if unmatched_file else None),
            by=BY,
            counters=COUNTERS,
            closing=closing,
            **reading,
        ),
        **options,
    )
    if strangers := rows.strangers():
        terminal.say(
            BY,
            f"no row of {with_file} is of a record: the first record has "
            f"{strangers[0]}, the first row {strangers[1]}",
        )
    if unmatched_file:
        found = [{"unmatched": "record", **record} for record in unmatched]
        cli.write(
            render([*found, *({"unmatched": "row", **row} for row in rows.left())]),
            unmatched_file,
        )
    return status
