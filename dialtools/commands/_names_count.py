"""Sort names into groups by a corpus's use of them: frequent, polysemous, rare, unknown.

The corpus is dialogues or texts.  The rare names have the fewest occurrences, the
unknown none.  f_exact counts occurrences as a word, f_ner those that tokens tag as a
person's name (ner, otherwise upos PROPN).  u, from -1 to 1, measures how unique a
word is as a name: the difference of its two ranks, divided by their sum.  Tokens
come from dt-parse, or from a file by dt-convert --from conllu; without tokens the
frequent and polysemous groups are empty.

Memory: the names.

Examples:

$ echo '{"id": 1, "lang": "en", "text": "Zennon met Ann and Ann."}' |
  dt-names count --only rare --format json | jq -c '[.name, .gender, .f_exact]'
["Zennon","m",1]
"""

from collections.abc import Callable, Iterable, Iterator

import click

from dialtools.commands import _name_rows
from dialtools.pipeline import cli
from dialtools.plugins.options import Choice

BY = "dt-names count"
GROUPS = ("frequent", "polysemous", "rare", "unknown")


def names_count(
    records: Iterable[dict],
    note: Callable[[str], None] = lambda what: None,
    *,
    pool: str | None = None,
    pool_file: str | list[str] | None = None,
    only: str | None = None,
    number: int = 200,
) -> Iterator[dict]:
    """Yield names with their counts in dialogues or texts, group by group.

    note: called for a lack of tokens.
    pool: count the names of this pool; all that are known in the language where there is neither
        this nor a file.
    pool_file: count these names: a file, or a list, of lines "name" or "name TAB gender".
    only: only this group.
    number: names of a group at most.
    """
    from dialtools.names import collecting, pools
    from dialtools.records.validation import completed

    rows = pools.of_user(pool_file) if pool_file is not None else None
    complete = completed(records, deep=True)
    yield from collecting.counted(complete, note, pool, rows, only, number)


@cli.command(
    BY,
    click.option(
        "--pool",
        metavar="POOL",
        shell_complete=_name_rows.complete_pool,
        help="The names of this pool (all known names).",
    ),
    click.option(
        "--pool-file",
        metavar="FILE",
        help="These names, lines of NAME, or NAME TAB f, m or u; or a table whose first line "
        "names its columns.",
    ),
    click.option("--only", type=Choice(GROUPS), help="Write this group only."),
    click.option(
        "-n",
        "--number",
        type=click.IntRange(min=1),
        default=200,
        show_default=True,
        metavar="N",
        help="Largest number of names in a group.",
    ),
    _name_rows.FORMAT,
    *cli.reading("dialogue", "text"),
)
def main(pool_file, **options) -> int:
    from dialtools.names import pools

    if options["pool"] and pool_file:
        raise click.UsageError("--pool and --pool-file exclude each other")
    options["pool_file"] = pools.lines(pool_file) if pool_file else None
    return _name_rows.run(names_count, BY, "dialogue|text", **options)
