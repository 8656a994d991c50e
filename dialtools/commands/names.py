"""Make pools of names: speakers of a file, or groups by a corpus's use of names; check a pool.

collect: list the speakers of dialogues, for example of a training file, with
their gender if it is known and the number of dialogues in which they speak,
the most frequent first.  Roles, placeholders (#Person1#) and labels without
letters are left out and counted.

count: count names in a corpus of dialogues or texts, and sort them into four
groups: frequent, polysemous, rare (fewest occurrences) and unknown (none).
f_exact counts occurrences as a word, f_ner those that tokens tag as a person's
name (ner, otherwise upos PROPN).  u, from -1 to 1, measures how unique a word is
as a name: the difference of its two ranks, divided by their sum.  Tokens come
from dt-parse, or from a file by dt-convert --from conllu; without tokens the
frequent and polysemous groups are empty.

check: report what is wrong or odd in a pool, a FILE of lines NAME or NAME TAB
GENDER.  The exit status is 1 if anything is wrong.

A pool of all names of a country needs no command but awk.  In the files of the
US Social Security Administration (ssa.gov/oact/babynames/names.zip, some
100,000 names) a line is NAME,SEX,COUNT:

awk -F, '{s[$1] = s[$1] && s[$1] != $2 ? "u" : $2} END {for (n in s)
print n "\t" tolower(s[n])}' yob*.txt | sort > all.tsv

dt-swap-names --pool-file all.tsv draws from it; dt-names count --pool-file
all.tsv sorts it into groups by a corpus.
No pool as large as the 117,000 names of Jia et al. (2023) comes with dialtools: most
names that are this rare are words, too, or slips of the pen, and nobody has looked
through them.  The pool given has the 7,248 that 2,000 or more people bear.

The groups surnames-black (18) and surnames-asian (27) are small since of the 1,000
most frequent surnames of the USA few are borne mainly by one of these groups.  The
whole file of the 2010 Census (Names_2010Census.csv of census.gov: 162,000 surnames,
the seventh column the share of Black bearers, the eighth that of Asian ones) has
more, rarer ones:

awk -F, 'NR > 1 && $7 >= 40 && n++ < 200
{print substr($1, 1, 1) tolower(substr($1, 2))}' Names_2010Census.csv > black.txt

dt-swap-names --pool-file black=black.txt --pool surnames-white compares the two.

Memory: the names.

Examples:

$ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi Bob\\nBob: Hi Ann"}' | dt-names collect
Ann	f	1
Bob	m	1

$ echo '{"id": 1, "lang": "en", "text": "Zennon met Ann and Ann."}' |
  dt-names count --only rare --format json | jq -c '[.name, .gender, .f_exact]'
["Zennon","m",1]

$ printf '%s\\n' Anna anna Will Zennon Faith | dt-names check --lang en |
  jq -r '[.level, .finding] | join(": ")'
wrong: names that differ in case, encoding or white space only
wrong: a function word, which is never drawn
odd: a name without a gender
odd: a word of the language, too
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import click

from dialtools.pipeline import cli, input_keys, sink
from dialtools.pipeline.work import Closing, Work
from dialtools.tables import FORMATS

BY = "dt-names"
GROUPS = ("frequent", "polysemous", "rare", "unknown")  # of names that were counted


def name_pools(
    records: Iterable[dict],
    note: Callable[[str], None] = lambda what: None,
    *,
    action: str,
    pool: str | None = None,
    pool_file: list[str] | None = None,
    only: str | None = None,
    number: int = 200,
) -> Iterator[dict]:
    """Yield the names of a pool, or the findings of a check.

    records: of dialogues to collect from, or texts to count in; to check, rows as
        names.pools.unchecked_rows yields them.
    note: called for each speaker that is left out, and for a lack of tokens.
    action: "collect" the speakers, "count" names and group them, or "check" a pool.
    pool: count the names of this pool; all that are known in the language where there is neither
        this nor a file.
    pool_file: count these names, lines of "name" or "name TAB gender".
    only: only this group of names that were counted.
    number: names of a group at most.
    """
    from dialtools.checks import findings
    from dialtools.names import collecting, pools
    from dialtools.records.validation import completed
    from dialtools.system.errors import OptionError

    if action == "collect":
        yield from collecting.speakers(completed(records, deep=True), note)
    elif action == "count":
        rows = pools.parse(pool_file) if pool_file is not None else None
        complete = completed(records, deep=True)
        yield from collecting.counted(complete, note, pool, rows, only, number)
    elif action == "check":
        earlier: dict[str, dict] = {}
        of_rows = ((row["place"], pools.faults(row, earlier)) for row in records)
        # looks only when all rows have been
        of_pool = ("", pools.faults_of_all(earlier.values()))
        yield from findings.summed(chain(of_rows, [of_pool]))
    else:
        raise OptionError(f"action must be collect, count or check, not {action!r}")


def _tsv(rows: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of a pool: name, gender, counts; unknown values are empty."""
    for row in rows:
        cells = (
            "" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell)
            for cell in row.values()
        )
        yield ("\t".join(cells) + "\n").encode()


@cli.command(
    BY,
    click.argument("action", type=click.Choice(["collect", "count", "check"])),
    click.option("--pool", metavar="POOL", help="count: the names of this pool (all known names)."),
    click.option(
        "--pool-file",
        metavar="FILE",
        help="count: these names, lines of NAME, or NAME TAB f, m or u, or a "
        "table whose first line names its columns.",
    ),
    click.option("--only", type=click.Choice(GROUPS), help="count: write this group only."),
    click.option(
        "-n",
        "--number",
        type=click.IntRange(min=1),
        default=200,
        show_default=True,
        metavar="N",
        help="count: largest number of names in a group.",
    ),
    click.option(
        "--format",
        type=click.Choice(["tsv", *FORMATS]),
        help="Output format. Names: tsv, which dt-swap-names --pool-file reads; "
        "findings: text on a terminal, else json.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    input_keys.option("id", "lang", "dialogue", "text"),
    cli.progress,
    cli.quiet,
)
def main(action, format, pool_file, **options) -> int:
    from dialtools.names import collecting, pools

    _refuse_what_is_void(action, format, pool_file=pool_file, **options)
    if action == "check":
        return _check(format, **options)
    options |= {"pool_file": pools.lines(pool_file) if pool_file else None}
    notes: Counter = Counter()

    def rows(records: Iterable[dict], **options) -> Iterator[dict]:
        for row in name_pools(records, lambda reason: notes.update([reason]), **options):
            notes[row.get("group", "names")] += 1
            yield row

    def closing() -> Closing:
        lacks_tokens = notes.pop(collecting.NO_TOKENS, 0)
        counts = [f"{count:,} {noun}" for noun, count in notes.items()] or ["no names"]
        return Closing(counts, f"{BY}: {collecting.NO_TOKENS}\n" if lacks_tokens else "", True)

    return cli.run(
        Work(
            rows,
            by=BY,
            keys=["dialogue" if action == "collect" else "dialogue|text"],
            results=True,
            render=_tsv if format in (None, "tsv") else cli.renderer(format, options["output"]),
            closing=closing,
        ),
        action=action,
        **options,
    )


def _refuse_what_is_void(action: str, format: str | None, **options) -> None:
    """Raise UsageError for options that the action does not use, or that exclude each other."""
    defaults = {"pool": None, "pool_file": None, "only": None, "number": 200}
    void = [
        name for name, default in defaults.items() if action != "count" and options[name] != default
    ]
    void += ["key"] if action == "check" and options["key"] else []
    if void:
        raise click.UsageError(f"--{void[0].replace('_', '-')} is not used by {action}")
    if options["pool"] and options["pool_file"]:
        raise click.UsageError("--pool and --pool-file exclude each other")
    if action == "check" and format == "tsv":
        raise click.UsageError("check writes findings, not a pool: use another --format")


def _check(format: str | None, lang: str | None, **options) -> int:
    from dialtools.names import pools
    from dialtools.pipeline.input import Input
    from dialtools.system import terminal

    shared = {name: options[name] for name in ("files", "limit", "progress", "quiet", "output")}
    lines = Input(Work(by=BY, results=True), **shared).items()
    results = list(name_pools(pools.unchecked_rows(lines, lang or "en"), action="check"))
    sink.write(cli.renderer(format, options["output"])(results), options["output"])
    if lang is None and not options["quiet"]:
        terminal.say(BY, "no language given: assuming en (--lang)")
    return int(any(result["level"] == "wrong" for result in results))
