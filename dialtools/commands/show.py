"""Show the records of a source together, turn by turn, with what changed."""

import sys
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice

import click

from dialtools.evaluation import selection
from dialtools.evaluation import source_scores as sourcescores
from dialtools.evaluation.dimensions import mean_of_known
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.source_scores import Scored
from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, left_out
from dialtools.plugins import registry
from dialtools.records import history, jsonl, validation
from dialtools.statistics import expressions
from dialtools.system import terminal
from dialtools.system.errors import OptionError, RecordError, about, nearest, show_names
from dialtools.system.errors import show as excerpt
from dialtools.system.files import STANDARD
from dialtools.tables import sidebyside, sources, tables
from dialtools.tables.sidebyside import Paper

BY = "dt-show"
NUMBER = 5  # sources that --worst and --best show

Reject = Callable[[str], object]


def show(
    records: Iterable[dict],
    per_source: Iterable[dict] | None = None,
    width: int = 80,
    colours: bool = False,
    reject: Reject = lambda reason: None,
    *,
    worst: str | None = None,
    best: str | None = None,
    number: int | None = None,
    id: str | int | Sequence[str | int] = (),
    where: str | None = None,
    by: str | None = None,
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
    """
    if number is not None and number < 1:
        raise OptionError(f"number must be 1 or more, not {number}")
    label, ids = worst or best, [str(one) for one in registry.several(id)]
    holds = None if where is None else expressions.condition(where)
    labels = [*([label] if label else []), *(expressions.labels(where) if where else [])]
    known = None if per_source is None else sourcescores.known_scores(per_source)
    checked = map(_checked, validation.completed(records, deep=True))
    found = sourcescores.sources(checked, labels, known, by)
    if ids:
        found = _with_ids(found, ids)
    if holds:
        found = _where(found, holds, labels, reject)
    if label:
        found = _extreme(found, label, bool(worst), number or NUMBER, reject)
    elif number is not None:
        found = _first(found, number, by)
    for source in _named(found, by) if by else found:
        titles = [_group(source.head["group"], by)] if by else []
        titles += [_shown(one, _value(source, one)) for one in labels]
        yield from sidebyside.lines(
            sources.source(source.records), Paper(width, colours), titles, _scores
        )


def _checked(record: dict) -> dict:
    history.check(record)
    return record


def _group(name: object, by: str) -> str:
    return f"no {by}" if name is None else f"{by} {name}"


def _named(found: Iterable[Scored], by: str) -> Iterator[Scored]:
    """Yield the sources of groups. Raise OptionError if none of them has a name."""
    there: dict[str, None] = {}
    is_named = False
    for source in found:
        there |= dict.fromkeys(source.head.get("there", ()))
        is_named = is_named or source.head["group"] is not None
        yield source
    if there and not is_named:
        raise OptionError(
            f"--by: no record has a {by!r}{nearest(by, there)}; there are {show_names(there)}"
        )


def _with_ids(found: Iterable[Scored], ids: Sequence[str]) -> Iterator[Scored]:
    """Yield the sources of ids. Raise OptionError if there is none of one."""
    seen = set()
    for source in found:
        if (own := str(source.records[0]["id"])) in ids:
            seen.add(own)
            yield source
    if missing := [one for one in ids if one not in seen]:
        raise OptionError(f"no record has the id {show_names(missing)}")


def _where(
    found: Iterable[Scored],
    holds: Callable[[expressions.Scores], bool],
    labels: Sequence[str],
    reject: Reject,
) -> Iterator[Scored]:
    """Yield the sources with a record for which an expression is true."""
    own = [label for label in labels if not sourcescores.of_source(label)]
    for source in found:
        truths = []
        for record in source.records:
            with suppress(expressions.Unknown):
                truths.append(holds(source.scores | selection.scores(record, own)))
        if any(truths):
            yield source
        elif not truths:
            reject(f"without {show_names(labels)}")


def _extreme(
    found: Iterable[Scored], label: str, worst: bool, number: int, reject: Reject
) -> Iterator[Scored]:
    """Yield the sources of each group with the worst, or best, scores; of equal ones the first."""
    sign = 1 if _is_high_better(label) == worst else -1
    groups: dict[str, list[tuple[float, int, Scored]]] = {}
    for place, source in enumerate(found):
        value = _value(source, label)
        if value is None:
            reject(f"without {label}{sourcescores.needs(label)}")
            continue
        held = groups.setdefault(repr(source.head.get("group")), [])
        insort(held, (sign * value, place, source))
        del held[number:]
    for held in groups.values():
        yield from (source for _, _, source in held)


def _is_high_better(label: str) -> bool:
    """Return whether a high score is a good one. Raise OptionError where none is better."""
    if sourcescores.of_source(label):
        return False
    try:
        bounds = Metric(label).declared.range
    except OptionError:
        return True  # of a label of the user's own, such as that of a rating
    if bounds is None:
        raise OptionError(
            f"of {label} neither high nor low values are better: choose by --where '{label} > …'"
        )
    return bounds[0] < bounds[1]


def _first(found: Iterable[Scored], number: int, by: str | None) -> Iterator[Scored]:
    """Yield the first sources of each group."""
    if by is None:
        yield from islice(found, number)
        return
    seen: Counter = Counter()
    for source in found:
        seen[repr(source.head.get("group"))] += 1
        if seen[repr(source.head.get("group"))] <= number:
            yield source


def _value(source: Scored, label: str) -> float | None:
    """Return a score of a source: its own, or the mean over its variants, if it has any."""
    if sourcescores.of_source(label):
        return source.scores.get(label)
    variants = [record for record in source.records if record.get("variant")]
    return mean_of_known(
        selection.scores(record, [label]).get(label) for record in variants or source.records
    )


def _scores(record: dict) -> str:
    """Return the scores of a record, as people read them."""
    return ", ".join(_shown(label, value) for label, value in (record.get("scores") or {}).items())


def _shown(label: str, value: object) -> str:
    """Return a label and its score, in percent where the score of a record is from 0 to 1."""
    if value is None:
        return f"{label} –"
    if not isinstance(value, int | float):
        return f"{label} {excerpt(value, 40)}"
    scale = 1 if sourcescores.of_source(label) else _scale(label)
    return f"{label} {tables.rounded(float(value * scale), 2)}"


@lru_cache(maxsize=256)
def _scale(label: str) -> int:
    with suppress(OptionError):
        return 100 if Metric(label).declared.range in ((0, 1), (1, 0)) else 1
    return 1


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
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.key_options("id", "lang", "dialogue", "text", "prediction", "reference"),
    cli.quiet,
)
def main(per_source: str | None, **options) -> int:
    """Show the records of each source together, turn by turn, with what changed.

    Each source is shown with its variants: new names and errors, references,
    outputs and scores, then every turn of the original, and below it (beside it if
    there is one variant, and the lines are wide enough) those of the variants that
    differ.  Words that a variant removed or added are in colour; in a pipe, with
    NO_COLOR or to a file they are marked: [-removed-]{+added+}.  In scripts without
    spaces, characters take the place of words.  If several variants differ from a
    turn in nothing but new names, it is shown once, with the old names marked.
    Variants are shown as the model read them, also after dt-swap-names --restore or
    dt-perturb --restore; outputs and references as they are now.

    LABEL is a score of records (rouge2: the mean over the variants counts), or of
    sources: S:rouge2, R:rouge2, D:rouge2, or, with the original kept,
    consistency:rouge2, saliency:rouge2, faithfulness:rouge2.  Those are computed
    from the outputs, unless --with FILE has them.  High is worse for S, R, D and
    the three dimensions; for a metric its range says.  Sources without the score
    are left out and counted.

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
    if options["worst"] and options["best"]:
        raise click.UsageError("--worst and --best exclude each other")
    cli.check_names([options["by"]], "--by", options)
    notes: Counter = Counter()
    by = options.pop("by")
    is_watched = options["output"] == STANDARD and terminal.is_terminal(sys.stdout)
    paper = Paper(terminal.columns(), is_watched and terminal.colours())
    work = Work(
        partial(
            show,
            per_source=None if per_source is None else _read(per_source, cli.renaming(options)),
            width=paper.width,
            by=by,
            colours=paper.colours,
            reject=lambda why: notes.update([why]),
        ),
        by=BY,
        keys=["dialogue|text|prediction"],
        make=_record,
        results=True,
        render=lambda lines: (f"{line}\n".encode() for line in lines),
        closing=lambda: Closing(left_out(notes), alone=True),
    )
    return cli.paged(partial(cli.run, work, bar=False, **options), options["output"])


def _read(path: str, rename: dict[str, str]) -> Iterator[dict]:
    with about(place=path):
        for record in jsonl.read(path, rename=rename):
            sourcescores.require_scores(record)
            yield record


def _record(line: bytes) -> dict:
    """Return the record of a line. Raise RecordError for a record of dt-score --per-source."""
    record = jsonl.loads(line)
    if isinstance(record, dict) and record.get("unit") == "percent" and "scores" in record:
        raise RecordError(
            "it sums a source up (dt-score --per-source): give the records that it "
            "was made of, and this file as --with FILE"
        )
    return record
