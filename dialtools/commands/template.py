"""Fill a template's slots from tables: a record for each combination of their rows."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import click

from dialtools import cli, registry
from dialtools.commands import _slots as slots
from dialtools.conversion import rows
from dialtools.errors import OptionError, RecordError, about
from dialtools.files import STANDARD, called, open_input

BY = "dt-template"


def template(tables: Sequence[Sequence[dict]], *, text: str, set: Iterable[str] = ()) -> Iterator[dict]:
    """Yield a record for each combination of a row of each table.

    tables: rows as dicts of strings; what stands first in a row names it in the id.
    text: the template of "text", with slots such as {occupation}.
    set: "KEY=TEMPLATE", further keys.
    """
    templates = {"text": text} | _pairs(registry.several(set))
    slots.check(templates, tables)
    yield from slots.expand(templates, tables)


def _pairs(given: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not key or not equals or key in ("id", "text", *found):
            raise OptionError(f"--set is KEY=TEMPLATE, each key once, neither id nor text, not {pair!r}")
        found[key] = value
    return found


def _items(text: str, set: Iterable[str], paths: Iterable[str], limit: int | None) -> Iterator[tuple[str, dict]]:
    """Yield ("FILE", record) of the tables in some files."""
    names = paths or (STANDARD,)
    made = template([_table(path) for path in names], text=text, set=set)
    place = " × ".join(map(called, names))
    with about(place=place):
        for record in islice(made, limit):
            yield place, record


def _table(path: str) -> list[dict]:
    """Return the rows of a table, with the keys of cells that are empty."""
    with open_input(path) as file:
        try:
            return [row for _, row in rows.plain(file, whole=True)]
        except RecordError as error:
            raise RecordError(error.reason, place=f"{called(path)}:{error.place or 1}") from None


@cli.command(
    BY, click.argument("text", metavar="TEMPLATE"),
    click.option("--set", multiple=True, metavar="KEY=TEMPLATE", help="Fill another template under a key, such as "
                 "reference='my friend is a {job}'; repeat for several."),
    cli.files, cli.output, cli.limit, cli.lang, cli.shard, cli.progress, cli.quiet)
def main(text: str, set: tuple[str, ...], **options) -> int:
    """Fill a template's slots from tables, and write a record for each combination of their rows.

    TEMPLATE is a text with slots, {NAME}; {{ and }} stand for braces.  Each
    FILE is a table with tabs whose first row names the columns; a slot is
    filled from the column of its name, and all columns become keys of the
    record.  The first column of a table names its rows in the ids, which
    therefore stay the same when rows are added or moved.  A cell that is
    empty fills its slot with nothing.

    Memory: the tables.

    Examples:

    $ dt-template 'मैं उसे काफी समय से {know} हूँ, {my} दोस्त {job} का काम {does} है।' --lang hi \\
        <(printf '%s\\t%s\\n' speaker know f जानती m जानता) \\
        <(printf '%s\\t%s\\t%s\\n' friend my does f मेरी करती m मेरा करता) \\
        <(printf '%s\\n' job डॉक्टर शिक्षक) | head -n 3 | jq -r '[.id, .text] | join(": ")'
    f/f/डॉक्टर: मैं उसे काफी समय से जानती हूँ, मेरी दोस्त डॉक्टर का काम करती है।
    f/f/शिक्षक: मैं उसे काफी समय से जानती हूँ, मेरी दोस्त शिक्षक का काम करती है।
    f/m/डॉक्टर: मैं उसे काफी समय से जानती हूँ, मेरा दोस्त डॉक्टर का काम करता है।

    $ printf '%s\\n' name Ann Bob | dt-template '{name} said {{hello}}.' --lang en --set cluster=greetings
    {"id":"Ann","text":"Ann said {hello}.","cluster":"greetings","name":"Ann","lang":"en"}
    {"id":"Bob","text":"Bob said {hello}.","cluster":"greetings","name":"Bob","lang":"en"}
    """
    return cli.run(iter, by=BY, items=partial(_items, text, set), make=dict, **options)
