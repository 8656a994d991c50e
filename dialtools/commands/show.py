"""Show the records of a source together, turn by turn, with what changed.

Each source is shown with its variants: new names and errors, references,
outputs and scores, then every turn of the original, and below it (beside it if
there is one variant, and the lines are wide enough) those of the variants that
differ.  Words that a variant removed or added are in colour; in a pipe, with
NO_COLOR or to a file they are marked: [-removed-]{+added+}.  In scripts without
spaces, characters take the place of words.  If several variants differ from a
turn in nothing but new names, it is shown once, with the old names marked.
Variants are shown as the model read them, also after dt-swap-names --restore or
dt-perturb --restore; outputs and references as they are now.

What dt-score -m attribution says of a record is shown below: its texts, the words
on which the output hangs in shades, red for it and blue against it.  Without
colours the weights stand in percent behind the heaviest words.

LABEL is a score of records (rouge2: the mean over the variants counts), or of
sources: S:rouge2, R:rouge2, D:rouge2, or, with the original kept,
consistency:rouge2, saliency:rouge2, faithfulness:rouge2.  Those are computed
from the outputs, unless --with FILE has them.  High is worse for S, R, D and
the three dimensions; for a metric its range says.  Sources without the score
are left out and counted.

--patch writes what is shown as a unified diff, without colours and marks: the
source in full as a new file, ID/original, and each variant as a copy of it with what
differs.  "patch -p1 < FILE" in an empty folder (GNU patch 2.7) makes all of these
files, with a line for each turn; "git apply" needs the originals first.

On a terminal the text goes through $PAGER, or less -R.  Lines are as wide as
the terminal; elsewhere as COLUMNS says, or 80.  Control characters, marks of
direction and spaces without width are shown as \\x1b, \\u202e and the like.

Memory: one source; with --worst and --best the N sources of each group; with
--with some numbers for each source.

Examples:

$ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Is Ann there?"}' |
  dt-swap-names --map '{"Ann": "Eve"}' --lang en -q | dt-show
1  en
original                               | map:1
                                       | Ann → Eve
[-Ann-]: Hi Bob                        | {+Eve+}: Hi Bob
Bob: Is [-Ann-] there?                 | Bob: Is {+Eve+} there?

$ dt-swap-names --variants 5 -q examples/speaker-names/dialogues.jsonl |
  dt-generate -g longest -q | dt-swap-names --restore -q |
  dt-show --worst S:rouge2 -n 3 | grep S:
en-birthday  en  longest  S:rouge2 60.00
hi-tanker  hi  longest  S:rouge2 60.00
zh-wedding  zh  longest  S:rouge2 57.00
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import click

from dialtools.pipeline import cli, input_keys, sink
from dialtools.pipeline.work import Closing, Work, left_out
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.system.files import STANDARD

BY = "dt-show"
NUMBER = 5  # sources that --worst and --best show


def show(
    records: Iterable[dict],
    per_source: Iterable[dict] | None = None,
    width: int = 80,
    colours: bool = False,
    reject: Callable[[str], object] = lambda reason: None,
    *,
    worst: str | None = None,
    best: str | None = None,
    number: int | None = None,
    id: str | int | Sequence[str | int] = (),
    where: str | None = None,
    by: str | None = None,
    patch: bool = False,
) -> Iterator[str]:
    """Yield the lines of text that show sources: original and variants, turn by turn, outputs.

    per_source: records of dt-score --per-source, whose scores take the place of computed ones.
    width: of the lines, in columns.
    colours: mark what changed by colours of terminals, not by [-…-]{+…+}.
    reject: called with the reason for each source that has no score to be chosen by.
    worst, best: the label of a score; the sources with the worst or best come first.
    number: of sources that are shown, of each group; None: 5 with worst or best, else all.
    id: show only the sources of these ids.
    where: show only sources with a record for which this expression of scores is true.
    by: what variants are grouped by: a key, "kind", or a part of a signature such as "pool".
    patch: yield a patch of the sources, which writes a file for each original and variant.
    """
    from dialtools.evaluation import source_scores
    from dialtools.plugins import registry
    from dialtools.records import history, validation
    from dialtools.statistics import expressions
    from dialtools.tables import patches, sidebyside
    from dialtools.tables import sources as layout

    if patch and by:
        raise OptionError("--patch has each source once: it excludes --by")
    if number is not None and number < 1:
        raise OptionError(f"number must be 1 or more, not {number}")
    label, ids = worst or best, [str(one) for one in registry.several(id)]
    labels = [*([label] if label else []), *(expressions.labels(where) if where else [])]
    known = None if per_source is None else source_scores.known_scores(per_source)
    holds = None if where is None else expressions.condition(where)

    def checked() -> Iterator[dict]:
        for record in validation.completed(records, deep=True):
            history.check(record)
            yield record

    chosen = source_scores.sources(checked(), labels, known, by)
    if ids:
        chosen = source_scores.with_ids(chosen, ids)
    if holds:
        chosen = source_scores.where(chosen, holds, labels, reject)
    if label:
        chosen = source_scores.extreme(chosen, label, bool(worst), number or NUMBER, reject)
    elif number is not None:
        chosen = source_scores.first(chosen, number, by)
    if by:
        chosen = source_scores.require_named(chosen, by)
    paper = sidebyside.Paper(width, colours)
    for source in chosen:
        group = source.head.get("group")
        titles = [f"no {by}" if group is None else f"{by} {group}"] if by else []
        titles += [source_scores.shown(one, source_scores.value(source, one)) for one in labels]
        table = layout.source(source.records)
        if patch:
            yield from patches.lines(table)
            continue
        yield from sidebyside.lines(table, paper, titles, source_scores.shown_scores)


@cli.command(
    BY,
    click.option(
        "--worst",
        metavar="LABEL",
        help="Show the sources whose score is the worst, such as S:rouge2 or rouge2.",
    ),
    click.option("--best", metavar="LABEL", help="Show those whose score is the best."),
    click.option(
        "-n",
        "--number",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Show N sources (default: {NUMBER} with --worst or --best, else all); with "
        "--by, N of each group.",
    ),
    click.option(
        "--id",
        multiple=True,
        metavar="ID",
        help="Show the source with this id; repeat for several.",
    ),
    click.option(
        "--where",
        metavar="EXPR",
        help="Show sources with a record for which this is true, such as "
        "'rouge2 < 0.1' (see dt-select) or '\"S:rouge2\" > 50'.",
    ),
    click.option(
        "--by", metavar="KEY", help="Show the variants of each group apart; KEY as in dt-score."
    ),
    click.option(
        "--with",
        "per_source",
        metavar="FILE",
        help="Take S, R, D and the like from FILE, which dt-score --per-source wrote, "
        "instead of computing them.",
    ),
    click.option(
        "--patch",
        is_flag=True,
        help="Write a unified diff: patch -p1 makes a file of each source and variant of it.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    input_keys.option("id", "lang", "dialogue", "text", "prediction", "reference"),
    cli.quiet,
)
def main(per_source: str | None, **options) -> int:
    from dialtools.evaluation import source_scores
    from dialtools.records import jsonl
    from dialtools.system import terminal

    if options["worst"] and options["best"]:
        raise click.UsageError("--worst and --best exclude each other")
    input_keys.check_names([options["by"]], "--by", options["key"])
    notes: Counter = Counter()
    is_watched = options["output"] == STANDARD and terminal.is_terminal(sys.stdout)
    rename = input_keys.renaming(options["key"])

    def scored(path: str) -> Iterator[dict]:
        with about(place=path):
            for record in jsonl.read(path, rename=rename):
                source_scores.require_scores(record)
                yield record

    work = Work(
        partial(
            show,
            per_source=None if per_source is None else scored(per_source),
            width=terminal.columns(),
            colours=is_watched and terminal.colours(),
            reject=lambda reason: notes.update([reason]),
            by=options.pop("by"),
        ),
        by=BY,
        keys=["dialogue|text|prediction"],
        make=_record,
        results=True,
        render=lambda lines: (
            # else exactly: a patch is to fit
            f"{terminal.visible(line) if options['patch'] and is_watched else line}\n".encode()
            for line in lines
        ),
        closing=lambda: Closing(left_out(notes), alone=True),
    )
    return sink.paged(partial(cli.run, work, bar=False, **options), options["output"])


def _record(line: bytes) -> dict:
    """Return the record of a line. Raise RecordError for a record of dt-score --per-source."""
    from dialtools.records import jsonl

    record = jsonl.loads(line)
    if record.get("unit") == "percent" and "scores" in record:
        raise RecordError(
            "it sums a source up (dt-score --per-source): give the records that it "
            "was made of, and this file as --with FILE"
        )
    return record
