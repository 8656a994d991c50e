"""Fill a template's slots from tables: a record for each combination of their rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, product

import click

from dialtools.conversion import items, rows
from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.system.errors import OptionError, RecordError, about, nearest, show
from dialtools.system.files import STANDARD, called, open_input

BY = "dt-template"
_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|([{}])")

Table = Sequence[dict]  # rows: dicts of strings


def template(
    tables: Sequence[Table], *, text: str, template: Iterable[str] | Mapping[str, str] = ()
) -> Iterator[dict]:
    """Yield a record for each combination of a row of each table.

    tables: rows as dicts of strings; the first cell of a row names it in the id.
    text: the template of "text", with slots such as {occupation}; {{ and }} are braces.
    template: {"KEY": "TEMPLATE"}, further keys; or "KEY=TEMPLATE", one or several.
    """
    templates = {"text": text} | _pairs(registry.several(template))
    _check(templates, tables)
    signature = history.signature(
        "template",
        templates=history.digits(templates),
        tables=history.digits([list(table) for table in tables]),
    )
    for record in _combinations(templates, tables):
        yield history.add(record, BY, signature)


def _pairs(given: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not key or not equals or key in ("id", "text", *found):
            raise OptionError(
                f"--template KEY=TEMPLATE is wanted, each key once, neither id nor text, not {pair!r}"
            )
        found[key] = value
    return found


def _slots(template: str) -> list[str]:
    """Return the slots of a template in their order; OptionError for a brace that stands alone.

    >>> _slots("{a} {{b}} {c}{a}")
    ['a', 'c', 'a']
    """
    found = []
    for part in _PARTS.finditer(template):
        slot, brace = part.groups()
        if brace:
            raise OptionError(
                f"a {brace} stands alone at {part.start() + 1} of {show(template)}: "
                f"a slot is {{NAME}}, a brace {brace * 2}"
            )
        if slot:
            found.append(slot)
    return found


def _filled(template: str, row: dict) -> str:
    """Return a template with its slots filled; a slot that the row lacks is empty.

    >>> _filled("{{{a}}} {b}.", {"a": "x"})
    '{x} .'
    """
    return _PARTS.sub(lambda part: row.get(part[1], "") if part[1] else part[0][0], template)


def _check(templates: dict[str, str], tables: Sequence[Table]) -> None:
    """Raise OptionError unless each slot has a column in one table, and each table a slot."""
    if not all(isinstance(row, dict) for table in tables for row in table):
        raise OptionError("tables must be a list of lists of rows, each a dict of strings")
    for number, table in enumerate(tables, 1):
        if not table:
            raise OptionError(f"table {number} has no rows")
    columns = [list(dict.fromkeys(chain.from_iterable(table))) for table in tables]
    known = list(chain.from_iterable(columns))
    for name in known:
        if known.count(name) > 1:
            raise OptionError(f"two tables have a column {name!r}")
        if name in ("id", "history", *templates):
            raise OptionError(f"no column can be called {name!r}: the records have that key")
    wanted = dict.fromkeys(chain.from_iterable(map(_slots, templates.values())))
    for name in wanted:
        if name not in known:
            raise OptionError(
                f"no table has a column {name!r}{nearest(name, known)}; "
                f"there are {', '.join(known) or 'none'}"
            )
    for number, own in enumerate(columns, 1):
        if wanted.keys().isdisjoint(own):
            raise OptionError(
                f"table {number} fills no slot; its columns are {', '.join(own) or 'none'}"
            )


def _combinations(templates: dict[str, str], tables: Sequence[Table]) -> Iterator[dict]:
    """Yield a record for each combination of rows, the last table varying fastest.

    The id consists of the first cell of each row, so that it stays the same when rows are added;
    the other keys are the columns and the filled templates.
    """
    labelled = [
        zip(_labels(table, number), table, strict=True) for number, table in enumerate(tables, 1)
    ]
    for picked in product(*labelled):
        row = {name: cell for _, cells in picked for name, cell in cells.items() if cell}
        filled = {key: _filled(template, row) for key, template in templates.items()}
        yield {"id": "/".join(label for label, _ in picked), **filled, **row}


def _labels(table: Table, number: int) -> list[str]:
    """Return the name of each row, percent-escaped; RecordError for a missing or repeated name."""
    labels: dict[str, None] = {}
    first = next(iter(table[0]), "") if table else ""
    for at, row in enumerate(table, 1):
        for name, cell in row.items():
            if not isinstance(cell, str | None):
                raise RecordError(f"table {number}, row {at}: {name!r} is no string: {show(cell)}")
        name = row.get(first)
        label = str(name).replace("%", "%25").replace("/", "%2F")
        if not name or label in labels:
            what = f"two rows are called {show(name)}" if name else "it is empty here"
            raise RecordError(f"table {number}, row {at}: the first cell names a row, but {what}")
        labels[label] = None
    return list(labels)


def _items(
    text: str, more: Iterable[str], paths: Iterable[str], limit: int | None
) -> Iterator[tuple[str, dict]]:
    """Yield ("FILE", record) for the tables in some files."""
    names = paths or (STANDARD,)
    made = template([_table(path) for path in names], text=text, template=more)
    place = " × ".join(map(called, names))
    with about(place=place):
        for record in islice(made, limit):
            yield place, record


def _table(path: str) -> list[dict]:
    """Return the rows of a table, empty cells included."""
    with open_input(path) as file:
        try:
            return [row for _, row in items.sound(rows.plain(file, whole=True))]
        except RecordError as error:
            place = f"{called(path)}:{error.place or 1}"
            raise RecordError(error.reason, place=place) from None


@cli.command(
    BY,
    click.argument("text", metavar="TEMPLATE"),
    click.option(
        "--template",
        multiple=True,
        metavar="KEY=TEMPLATE",
        help="Fill another template under a key, such as "
        "reference='my friend is a {job}'; repeat for several.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.shard,
    cli.progress,
    cli.quiet,
)
def main(text: str, template: tuple[str, ...], **options) -> int:
    """Fill a template's slots from tables, and write a record for each combination of their rows.

    TEMPLATE is a text with slots, {NAME}; {{ and }} stand for braces.  Each
    FILE is a table with tabs whose first row names the columns; a slot is
    filled from the column of its name, and all columns become keys of the
    record.  The first column of a table names its rows in the ids, which
    therefore stay the same when rows are added or moved.  An empty cell
    fills its slot with nothing.

    Memory: the tables.

    Examples:

    $ dt-template 'मैं उसे काफी समय से {know} हूँ, {my} दोस्त {job} का काम {does} है।' --lang hi \\
        <(printf '%s\\t%s\\n' speaker know f जानती m जानता) \\
        <(printf '%s\\t%s\\t%s\\n' friend my does f मेरी करती m मेरा करता) \\
        <(printf '%s\\n' job डॉक्टर शिक्षक) | head -n 3 | jq -r '[.id, .text] | join(": ")'
    f/f/डॉक्टर: मैं उसे काफी समय से जानती हूँ, मेरी दोस्त डॉक्टर का काम करती है।
    f/f/शिक्षक: मैं उसे काफी समय से जानती हूँ, मेरी दोस्त शिक्षक का काम करती है।
    f/m/डॉक्टर: मैं उसे काफी समय से जानती हूँ, मेरा दोस्त डॉक्टर का काम करता है।

    $ printf '%s\\n' name Ann Bob |
      dt-template '{name} said {{hello}}.' --lang en --template cluster=greetings |
      jq -c 'del(.history)'
    {"id":"Ann","text":"Ann said {hello}.","cluster":"greetings","name":"Ann","lang":"en"}
    {"id":"Bob","text":"Bob said {hello}.","cluster":"greetings","name":"Bob","lang":"en"}
    """
    return cli.run(Work(iter, by=BY, items=partial(_items, text, template), make=dict), **options)
