"""Report what is wrong or odd in a pool of names, before names are drawn from it.

A pool is a FILE of lines NAME or NAME TAB GENDER, or a table whose first line names
its columns.  The exit status is 1 if anything is wrong.

Memory: the names.

Examples:

$ printf '%s\\n' Anna anna Will Zennon Faith | dt-names check --lang en |
  jq -r '[.level, .finding] | join(": ")'
wrong: names that differ in case, encoding or white space only
wrong: a function word, which is never drawn
odd: a name without a gender
odd: a word of the language, too
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from dialtools.pipeline import cli, sink
from dialtools.pipeline.work import Work

BY = "dt-names check"


def names_check(
    pool: str | Iterable[str] | Iterable[tuple[str, bytes]], *, lang: str | None = None
) -> Iterator[dict]:
    """Yield what is wrong or odd in a pool.

    pool: a file of lines "name" or "name TAB gender", or of a table whose first line names its
        columns; or these lines, or (place, line) pairs, as dialtools.lines yields them.
    lang: the language of the names; None is "en".
    """
    from dialtools.checks import findings
    from dialtools.names import pools
    from dialtools.records import jsonl

    lines: Iterable = jsonl.lines([pool]) if isinstance(pool, str) else pool
    placed = (
        (f"names:{number}", line.encode()) if isinstance(line, str) else line
        for number, line in enumerate(lines, 1)
    )
    earlier: dict[str, dict] = {}
    rows = pools.unchecked_rows(placed, lang or "en")
    of_rows = ((row["place"], pools.faults(row, earlier)) for row in rows)
    # looks only when all rows have been
    of_pool = ("", pools.faults_of_all(earlier.values()))
    yield from findings.summed(chain(of_rows, [of_pool]))


@cli.command(
    BY, cli.format_option, cli.files, cli.output, cli.limit, cli.lang, cli.progress, cli.quiet
)
def main(format: str | None, lang: str | None, **options) -> int:
    from dialtools.pipeline.input import Input
    from dialtools.system import terminal

    results = list(names_check(Input(Work(by=BY, results=True), **options).items(), lang=lang))
    sink.write(cli.renderer(format, options["output"])(results), options["output"])
    if lang is None and not options["quiet"]:
        terminal.say(BY, "no language given: assuming en (--lang)")
    return int(any(result["level"] == "wrong" for result in results))
