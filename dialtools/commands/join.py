"""Join records with outputs, labels or scores from another file, by id and variant.

Each record gets the keys of the row that has its id and its variant, so
that outputs of renamed or perturbed copies find their record; the variant of
an original is empty in a table.  --on id
gives what belongs to a source, such as a label, to all its variants.
Scores are joined label by label, and histories keep the entries of both.

Outputs without any key, one a line, are joined by their position: --by line
--with bart.txt --with t5=out2.txt gives each record a "prediction" of bart and
one of t5, an empty line being an empty one.  If files and records do not have
equally many, nothing tells which is whose, and that is an error.

Ratings of several people in FILE, a row or a column for each, become an object
{"ann": 5, "bob": 4} in their record with --raters, as in dt-convert.

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

Memory: the whole FILE of --with; one record at a time, those of one source
where there are several systems.

Examples:

$ printf '%s\\n' '{"id": 1, "lang": "en"}' '{"id": 2, "lang": "en"}' |
  dt-join --with <(echo '{"id": "1", "output": "They greet."}') --field prediction=output |
  jq -c '[.id, .prediction]'
[1,"They greet."]
[2,null]

$ printf '%s\\n' '{"id": 1, "lang": "en"}' '{"id": 2, "lang": "en"}' |
  dt-join --by line --with bart=<(printf 'They greet.\\n\\n') -q |
  jq -c '[.id, .system, .prediction]'
[1,"bart","They greet."]
[2,"bart",""]
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Literal

import click

from dialtools.pipeline import cli, sink
from dialtools.pipeline.work import Closing, Work, counted, render
from dialtools.plugins.options import Choice
from dialtools.system.errors import OptionError, RecordError, about, show
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
    by: Literal["key", "line"] = "key",
    on: Sequence[str] = ON,
    overwrite: bool = False,
    inner: bool = False,
) -> Iterator[dict]:
    """Yield the records, each with the keys of the row that has the same id and variant.

    rows: what to join; any dicts, no two of one system for the same key.  A record with rows of
        several systems is yielded once for each.
    note: told each record without a row.
    by: "line" joins the first row with the first record, and so on; there must be as many. Rows of
        several systems come one after the other: rows that name another system begin anew.
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
        known = joining.Rows(registry.several(on) or ON, by == "line")
        numbers = Counter[object]()  # of the rows of each system
        for row in rows:
            if not isinstance(row, Mapping):
                raise RecordError(
                    f'a row is a dict, such as {{"prediction": "…"}}, here is {show(row)}'
                )
            numbers[row.get("system")] += 1
            known.add(row, numbers[row.get("system")])
        rows = known
    found_by = {"by": "line"} if rows.by_line else {"on": "+".join(rows.on)}
    signature = history.signature("join", **found_by, rows=rows.digits())

    def with_rows(record: dict) -> Iterator[dict]:
        with about(record):
            rows_of = rows.take(record)
            for row in rows_of:
                joined = joining.joined(record, row, rows.on, overwrite)
                yield history.add(joined, BY, signature, counts={"joined": 1})
            if rows_of:
                return
            if note:
                note(record)
            if not inner:
                yield history.add(record, BY, signature, counts={"without_a_row": 1})

    yield from joining.each(completed(records), rows, with_rows)


@cli.command(
    BY,
    click.option(
        "--with",
        "with_file",
        required=True,
        multiple=True,
        metavar="[SYSTEM=]FILE",
        help="What to join: JSON Lines, or a table whose name ends in .csv, .tsv, .xlsx, "
        ".parquet or .json; with --by line also plain lines, outputs. Repeat for several "
        "systems, which are called after their files unless named.",
    ),
    click.option(
        "--by",
        type=Choice(["key", "line"]),
        default="key",
        show_default=True,
        help="Join rows that have the keys of --on, or the first row with the first record, "
        "and so on: then there must be as many.",
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
    click.option(
        "--raters",
        multiple=True,
        metavar="KEY",
        help="FILE has a row for each rating of a text, and KEY names the rater; or, with "
        'score=r1+r2+r3, a column for each.  A record gets {"ann": 5, "bob": 4}.',
    ),
    click.option("--overwrite", is_flag=True, help="Let FILE replace a value that differs."),
    click.option("--inner", is_flag=True, help="Leave out records without a row in FILE."),
    click.option(
        "--unmatched",
        "unmatched_file",
        metavar="FILE",
        help="Write the records without a row and the rows without a record, as JSON Lines.",
    ),
    *cli.reading(also=(cli.on_error,)),
)
def main(
    with_file: tuple[str, ...],
    by: Literal["key", "line"],
    field: tuple[str, ...],
    raters: tuple[str, ...],
    unmatched_file: str | None,
    **options: Any,
) -> int:
    from dialtools.conversion import items, joining
    from dialtools.conversion import rows as tables
    from dialtools.conversion.human_ratings import Raters
    from dialtools.system import terminal

    files = options["files"]
    paths = [joining.named_file(argument)[1] for argument in with_file]
    if STANDARD in paths and not files:
        raise OptionError("--with - and the records are both standard input")
    if by == "line":
        if options["on_error"] != "stop":
            raise click.UsageError("--by line needs every record: leave out --on-error")
        if options["on"] != ON:
            raise click.UsageError("--on names keys, and --by line joins without any")
    cli.check_apart("--unmatched", unmatched_file, options["output"], (*files, *paths))
    remarks = tables.Remarks()
    of_raters = Raters(raters, remarks.note)
    if by == "line" and of_raters.key:
        raise click.UsageError("--by line joins a row with each record, and --raters KEY several")
    texts = {*options["on"], *tables.declared(field), of_raters.key}
    of_tables = {"declared": texts, "note": remarks.note}
    is_part = options["limit"] is not None
    rows = joining.rows_of(
        with_file, field, options["on"], by == "line", is_part, of_raters, **of_tables
    )

    def of_files(paths: Iterable[str], limit: int | None = None) -> Iterator:
        placed = (joining.read_rows(path, **of_tables) for path in paths or (STANDARD,))
        return islice(chain.from_iterable(placed), limit)

    are_tables = any(map(joining.is_table, files))
    unmatched: list[dict] = []

    def closing() -> Closing:
        unused = len(rows.left())
        counts = [counted("rows without a record", unused)] if unused else []
        if rows.unlike:
            counts.append(f"{counted('rows', rows.unlike)} of another id or variant")
        return Closing(counts + remarks.counts())

    status = cli.run(
        Work(
            partial(join, rows=rows, note=unmatched.append if unmatched_file else None),
            by=BY,
            counters=COUNTERS,
            whole_groups=rows.are_of_several_systems(),
            closing=closing,
            items=of_files if are_tables else None,
            make=items.require if are_tables else None,
        ),
        **options,
    )
    if strangers := rows.strangers():
        terminal.say(
            BY,
            f"no row of {', '.join(paths)} is of a record: the first record has "
            f"{strangers[0]}, the first row {strangers[1]}",
        )
    if unmatched_file:
        lacking = [{"unmatched": "record", **record} for record in unmatched]
        lacking += [{"unmatched": "row", **row} for row in rows.left()]
        sink.write(render(lacking), unmatched_file)
    return status
