"""Fill a template's slots from tables: a record for each combination of their rows.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.system.errors import OptionError, about
from dialtools.system.files import STANDARD, called

BY = "dt-template"


def template(
    tables: Sequence[Sequence[dict]], *, text: str, template: Iterable[str] | Mapping[str, str] = ()
) -> Iterator[dict]:
    """Yield a record for each combination of a row of each table.

    tables: rows as dicts of strings; the first cell of a row names it in the id.
    text: the template of "text", with slots such as {occupation}; {{ and }} are braces.
    template: {"KEY": "TEMPLATE"}, further keys; or "KEY=TEMPLATE", one or several.
    """
    from dialtools.conversion import templates as filling
    from dialtools.plugins import registry
    from dialtools.records import history

    templates = {"text": text}
    for pair in registry.several(template):
        key, equals, value = pair.partition("=")
        if not key or not equals or key in ("id", *templates):
            raise OptionError(
                f"--template KEY=TEMPLATE is wanted, each key once, neither id nor text, not {pair!r}"
            )
        templates[key] = value
    filling.check(templates, tables)
    signature = history.signature(
        "template",
        templates=history.digits(templates),
        tables=history.digits([list(table) for table in tables]),
    )
    for record in filling.combinations(templates, tables):
        yield history.add(record, BY, signature)


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
    return cli.run(Work(iter, by=BY, items=partial(_items, text, template), make=dict), **options)


def _items(
    text: str, more: Iterable[str], paths: Iterable[str], limit: int | None
) -> Iterator[tuple[str, dict]]:
    """Yield ("FILE", record) for the tables in some files."""
    from dialtools.conversion import templates

    names = paths or (STANDARD,)
    records = template([templates.read(path) for path in names], text=text, template=more)
    place = " × ".join(map(called, names))
    with about(place=place):
        for record in islice(records, limit):
            yield place, record
