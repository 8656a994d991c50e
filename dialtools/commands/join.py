"""Join records with outputs, labels or scores from another file, by id and variant."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, counted, render
from dialtools.system.errors import OptionError, about, show_names
from dialtools.system.files import STANDARD

BY = "dt-join"
COUNTERS = {
    "joined": ("records joined", "records that have a row in FILE"),
    "without_a_row": ("records without a row", "records that have none"),
}
ON = ("id", "variant")


def join(
    records: Iterable[dict],
    rows: Iterable[Mapping],
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
    from dialtools.conversion import joining
    from dialtools.plugins import registry
    from dialtools.records import history
    from dialtools.records.validation import completed

    if not isinstance(rows, joining.Rows):
        known = joining.Rows(registry.several(on) or ON)
        for row in rows:
            known.add(row)
        rows = known
    digits = history.digits(sorted(map(repr, rows)))
    signature = history.signature("join", on="+".join(rows.on), rows=digits)
    for record in completed(records):
        with about(record):
            rows_of = rows.take(record)
            for row in rows_of:
                joined = joining.joined(record, row, rows.on, overwrite)
                yield history.add(joined, BY, signature, counts={"joined": 1})
            if rows_of:
                continue
            if note:
                note(record)
            if not inner:
                yield history.add(record, BY, signature, counts={"without_a_row": 1})


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
    value for a key of its record is an error, too.  --overwrite replaces it, and
    drops what was made of it and FILE does not bring anew: predictions of another
    input, scores of another output or reference.

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
    from dialtools.conversion import items, joining, mapping
    from dialtools.conversion.rows import declared
    from dialtools.system import terminal

    files = options["files"]
    if with_file == STANDARD and not files:
        raise OptionError("--with - and the records are both standard input")
    cli.check_apart("--unmatched", unmatched_file, options["output"], (*files, with_file))
    numbers: dict[str, None] = {}  # columns of numbers, in order
    columns = {*options["on"], *declared(field)}
    read = partial(joining.read_rows, declared=columns, note=numbers.setdefault)
    rows, wanted = joining.Rows(options["on"]), mapping.Mapping(field)
    for place, row in wanted.items(read(with_file)):
        with about(place=place):
            rows.add(wanted.record(row))

    def of_files(paths: Iterable[str], limit: int | None = None) -> Iterator:
        return islice(chain.from_iterable(map(read, paths or (STANDARD,))), limit)

    are_tables = any(map(joining.is_table, files))
    unmatched: list[dict] = []

    def closing() -> Closing:
        unused = len(rows.left())
        counts = [counted("rows without a record", unused)] if unused else []
        return Closing(counts + ([f"numbers in {show_names(numbers)}"] if numbers else []))

    status = cli.run(
        Work(
            partial(join, rows=rows, note=unmatched.append if unmatched_file else None),
            by=BY,
            counters=COUNTERS,
            closing=closing,
            items=of_files if are_tables else None,
            make=items.require if are_tables else None,
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
        lacking = [{"unmatched": "record", **record} for record in unmatched]
        lacking += [{"unmatched": "row", **row} for row in rows.left()]
        cli.write(render(lacking), unmatched_file)
    return status
