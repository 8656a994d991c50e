"""Test whether the scores of systems or groups differ by more than chance.

Compares two FILEs, the groups of one input (--by), or two numbers of each record
(--versus); several FILEs with --by or --versus are one input, such as the parts
of dt-score --per-source --shard.  The difference is a minus b.  true and false
count as 1 and 0, a text such as "4" as its number, and an empty one as null.
Numbers are joined by id.  Variants of one id are not independent, so their
numbers are averaged first, and counted under "averaged".  Of more than two
groups all pairs are compared, or all others with the --baseline; p_adjusted is
corrected for the number of tests.  So are ci and effect_ci: each has the level
at which the correction judged its test, "ci_level" (of m tests at 0.05, r of
them significant: bonferroni 1 - 0.05 / m; holm the same with m - k + 1 in the
place of m for the k-th smallest p, m - r for those not significant; bh
1 - 0.05 r / m; Holm 1979, Benjamini and Yekutieli 2005).  An interval and a p
that come of different methods, as of a bootstrap and of ranks, may disagree
about 0; the verdict is then "Undecided".

Each result has the means, their difference with its confidence interval, the
statistic, two-sided p, the effect size and n; "dropped" counts ids that were
left out by reason: only in a or b, value missing or null, outlier.  Effects are
d_z (the difference in standard deviations of the differences), d (in those of
the values), rank-biserial, cliff and sign (from -1 to 1, how much more often a
is higher than b), the odds ratio, eta2 and W (from 0 to 1, how much groups
differ), and r, rho, tau-b and kappa (how much a and b agree).  "zeros" counts
equal pairs.

Numbers of a metric are shown as dt-score shows them, in percent if it is from
0 to 1; "unit" says so, and a margin is in that unit.  What is no metric's, such
as a human rating, stays "as given"; so do numbers of different units.  Records
with "unit": "percent" (dt-score --per-source) are in percent already.

Two FILEs are called after their systems, if each is of one of its own.
A table has a row for each pair, or with --baseline one for each system; "?" marks
a test whose interval disagrees.  The keys here are those of JSON and CSV, where
each comparison has its "verdict" in a sentence (a comment in --format latex).
"better" says whether "higher" or "lower" is better, null where neither is.

"chain" (in JSON) lists the steps that made the records, as in dt-score; a step
of some groups alone names them under "of".

A sample that cannot be tested (too few values, no variance) has null for
statistic, p, effect and intervals, and a "reason".  A difference that is not
significant does not show equivalence; of pairs, -t tost:margin=M may.  -t likert
describes each group by itself, and without --by the whole input.

A value may be the ratings of several people, as dt-convert --raters makes them:
their mean is tested, and "agreement" has Krippendorff's alpha of an interval
scale; -t likert counts each rating.  dt-score -m rating makes numbers of words.
--versus with a human rating measures how far metrics agree with people, over all
outputs (segment level) or, with --per system, over systems; with --by in each
group, such as each system or annotator.  Several systems may then have the same
ids.

-t krippendorff, fleiss, icc and light measure how far raters agree; each --value
is a rater, or a list of ratings.  By default krippendorff, light and kappa take
ratings for names; the verdict says so, and which options heed their order.
-t williams and correlation-permutation test which of several --value correlates
better with the ratings --versus.

The records of an id must be consecutive, except records of another "system";
if another key holds the system, name it with --key system=NAME and --by system.

Memory: a number for each id and value; for corpus scores, the statistics of each id.

Examples:

$ printf '%s\\n' id,system,m,r1,r2 1,a,0.7,5,4 2,a,0.8,4,5 1,b,0.4,2,3 2,b,0.6,3,3 |
  dt-convert -q --lang en --raters human=r1+r2 |
  dt-ttest --value m --versus human -t kendall | jq -c '[.effect, .agreement[0].alpha]'
[0.9128709291752769,0.6666666666666667]

$ printf '%s\\n' id,system,f 1,new,0.5 2,new,0.7 3,new,0.8 1,old,0.4 2,old,0.55 3,old,0.7 |
  dt-convert -q --lang en | dt-ttest --value f --by system | jq -r .verdict | cut -d , -f 1
new is higher than old in f: difference 0.1167 (95 % CI 0.04496 to 0.1884)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import click

from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import Work
from dialtools.plugins.options import Choice
from dialtools.statistics import corrections
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD, called

if TYPE_CHECKING:
    from dialtools.pipeline.input import Input

BY = "dt-ttest"
Per = Literal["id", "cluster", "record", "system"]
Family = Literal["all", "value", "pair"]


def ttest(
    a: Iterable[dict],
    b: Iterable[dict] | None = None,
    names: tuple[str, ...] = ("a", "b"),
    *,
    value: str | Sequence[str],
    by: str | None = None,
    versus: str | None = None,
    test: str | Callable | None = None,
    level: float = 0.95,
    per: Per = "id",
    baseline: str | None = None,
    correct: str = "holm",
    family: Family = "all",
    outliers: str | None = None,
    power: bool = False,
    seed: int = 0,
) -> Iterator[dict]:
    """Yield the result of each comparison; nothing if there are no records.

    a, b: two streams of records to compare, or one stream that `by` divides into groups, or whose
        values are compared with those of `versus`; likert and measures of agreement also take one
        stream alone.
    names: what the streams are called, unless each is of one system of its own.
    value: path of the number to test, such as "scores.rouge2", or "rouge2" for short, or several.
        "bleu" is the corpus score, "statistics.bleu", where the test can compute it, "scores.bleu" the
        sentence scores.
    by: path of the group of a record, such as "system"; with `versus`, each group is tested.
    versus: path of a second number of each record, such as a human rating.
    test: spec of a significance test, or a function (a, b, level) -> {"difference": …, "p": …, …};
        None for paired, or for bootstrap where the value is a corpus score.
    level: of the confidence interval, between 0 and 1.
    per: what a number stands for: an id's variants (their mean), a cluster's ids, a record, or, with
        `versus`, a system (its mean over the records that have both values, or its corpus score).
    baseline: the group to compare all others with, instead of all pairs.
    correct: how to correct p for several tests.
    family: which tests are corrected together.
    outliers: "sd:3" drops numbers more than 3 standard deviations (ddof 0) from their group's mean.
    power: add the power to find the effect seen, and the n needed for 80 % power (pairs, or values
        in each of two groups).
    seed: of tests that draw.
    """
    from dialtools.comparison import comparisons, corpus_scores, raters, sides
    from dialtools.plugins import registry
    from dialtools.records.validation import completed

    values = list(dict.fromkeys(registry.several(value)))
    declared = comparisons.declared(test)
    arity = declared.takes
    is_of_one = by is not None or versus is not None
    if (b is not None and is_of_one) or (b is None and not is_of_one and arity not in sides.ALONE):
        raise OptionError("compare with a second stream, by a key, or against a second value")
    if arity == "raters" and (b is not None or versus is not None):
        raise OptionError("agreement is that of the raters in one input: give each a --value")
    if not 0 < level < 1:
        raise OptionError(f"level must be between 0 and 1, not {level}")
    for option, name, known in (
        ("per", per, get_args(Per)),
        ("correct", correct, corrections.NAMES),
        ("family", family, get_args(Family)),
    ):
        if name not in known:
            raise OptionError(f"{option} must be one of {', '.join(known)}, not {name!r}")
    signed = {
        "value": None if len(values) > 1 else values[0],
        "by": by,
        "against": versus,
        "per": None if per == "id" else per,
    }
    if per == "system" and versus is None:
        raise OptionError(
            "--per system correlates the means of systems with those of --versus; --by "
            "system compares systems with each other"
        )
    design = comparisons.Design(
        test, level, baseline, correct, family, _deviations(outliers), power, seed, signed
    )
    note = sides.require_id if b is not None and declared.paired else lambda key: None
    a, b = completed(a, note), None if b is None else completed(b, note)
    if arity == "raters":
        yield from comparisons.concluded(raters.agree(a, values, by, design))
        return
    streams = [(names[0], a)] if b is None else list(zip(names, (a, b), strict=True))
    needs_numbers = versus is not None or per == "cluster" or power or outliers is not None
    of_corpus = not needs_numbers and (test is None or corpus_scores.are_tested_by(design.plugin))
    grouped, unnamed = sides.grouped(streams, values, by, versus, per, design, of_corpus)
    # scores that were named by their labels are signed with their whole paths
    path_of = {group.typed: group.path for groups in grouped for group in groups if group.first}
    signed |= {key: path_of.get(str(signed[key]), signed[key]) for key in ("value", "against")}
    if path_of:
        yield from comparisons.compare(grouped, design._replace(signed=signed), unnamed)


def _deviations(outliers: str | None) -> float | None:
    """Return the number of "sd:3"."""
    if outliers is None:
        return None
    name, _, number = outliers.partition(":")
    try:
        deviations = float(number) if name == "sd" else 0.0
    except ValueError:
        deviations = 0.0
    if not 0 < deviations < float("inf"):
        raise OptionError(f"--outliers must be sd:NUMBER, such as sd:3, not {outliers!r}")
    return deviations


SECTIONS = {
    "What is compared": "value by versus baseline per outliers".split(),
    "How it is tested": "test list level correct family power seed".split(),
    "How it is shown": "format signatures plot".split(),
}


@cli.command(
    BY,
    click.option(
        "--value",
        required=True,
        multiple=True,
        metavar="PATH",
        help="The number to test, such as scores.rouge2, or rouge2 for short (cosine for "
        'the only cosine:model=…); all that follows "scores." is one key.  Repeat for '
        "several.  bleu is the corpus score, statistics.bleu, where the test can compute it "
        "(bootstrap, cluster-bootstrap, permutation), and scores.bleu the sentence scores.",
    ),
    click.option(
        "--by",
        metavar="PATH",
        help='Compare the groups that records name here, such as system; "kind" of '
        "variant, or a part of a signature in the history, such as pool. With --versus, test each.",
    ),
    click.option(
        "--versus",
        metavar="PATH",
        help="Compare with a second number of each record, such as a human rating, or "
        "those of several raters, by a test of pairs.",
    ),
    click.option(
        "-t",
        "--test",
        type=cli.PluginType("hypothesis_tests"),
        help="The test, with options after a colon, as tost:margin=1; the manual page describes "
        "all.  [default: paired; of corpus scores bootstrap]",
    ),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        metavar="P",
        help="Level of the confidence interval.",
    ),
    click.option(
        "--per",
        type=Choice(get_args(Per)),
        default="id",
        show_default=True,
        help="What a number stands for: the mean of an id's variants, the mean of a "
        "cluster's ids, a record, or, with --versus, the mean of a system (of bleu its corpus "
        "score).",
    ),
    click.option(
        "--baseline",
        metavar="GROUP",
        help="Compare all other groups with this one, as a table; otherwise all pairs.",
    ),
    click.option(
        "--correct",
        type=Choice(corrections.NAMES),
        default="holm",
        show_default=True,
        help="How to correct p for several tests.",
    ),
    click.option(
        "--family",
        type=Choice(get_args(Family)),
        default="all",
        show_default=True,
        help="Which tests to correct together: all, those of a value, or those of a pair "
        "of groups.",
    ),
    click.option(
        "--outliers",
        metavar="sd:N",
        help="Drop numbers more than N standard deviations (ddof 0) from their group's "
        "mean; of pairs, both numbers.",
    ),
    click.option(
        "--power",
        is_flag=True,
        help="Add the power to find the effect seen, and the n needed for 80 % power: "
        "pairs, or values in each of two groups.",
    ),
    click.option(
        "--plot",
        is_flag=True,
        help="Draw the differences and their intervals on standard error, too.",
    ),
    cli.seed,
    cli.format_option,
    cli.signatures,
    cli.listing("hypothesis_tests"),
    cli.files,
    cli.output,
    cli.limit,
    input_keys.option("id", "variant", "cluster", "system"),
    cli.progress,
    cli.quiet,
    sections=SECTIONS,
    rare=("signatures",),
)
def main(
    files,
    format,
    signatures,
    plot,
    output,
    limit,
    progress,
    quiet,
    key,
    **options,
) -> int:
    from dialtools.comparison import comparisons
    from dialtools.pipeline.input import Input
    from dialtools.records import jsonl
    from dialtools.tables.plots import Plots

    shared = {
        "limit": limit,
        "progress": progress,
        "quiet": quiet,
        "output": output,
        "key": key,
    }
    apart = len(files) == 2 and options["by"] is None and options["versus"] is None
    _require_two_sides(files, apart, options)
    input_keys.check_names(
        (*options["value"], options["by"], options["versus"]), "--value, --by and --versus", key
    )
    joined = apart and comparisons.declared(options["test"]).paired
    make = partial(_identified, key.get("id", "id")) if joined else jsonl.loads
    second = Input(Work(by=BY, make=make), files=files[1:], lang="en", **shared) if apart else None
    if second:
        test = partial(_compared, second, names=files, **options)
    else:
        name = "the input" if len(files) > 1 else called(files[0] if files else STANDARD)
        test = partial(ttest, names=(name, name), **options)
    plots = Plots() if plot else None
    status = cli.run(
        Work(
            test,
            by=BY,
            make=make,
            results=True,
            stage=plots.of_results if plots else iter,
            render=cli.renderer(
                format, output, signatures=signatures, baseline=options["baseline"] is not None
            ),
        ),
        lang="en",
        files=files[:1] if apart else files,
        **shared,
    )
    if second and not quiet:
        second.close()
    if plots:
        plots.draw()
    return status


def _require_two_sides(files: Sequence[str], apart: bool, options: dict) -> None:
    """Raise UsageError unless there is one thing to compare with; apart: two FILEs are compared."""
    from dialtools.comparison import comparisons, sides

    of_one = options["by"] is not None or options["versus"] is not None
    enough = of_one or apart or comparisons.declared(options["test"]).takes in sides.ALONE
    if not enough or (len(files) > 2 and not of_one) or (apart and {*files} == {"-"}):
        raise click.UsageError(
            "give two FILEs to compare; or one input, in one or several FILEs, with --by PATH or "
            "--versus PATH (jq selects one group)"
        )


def _compared(
    second: "Input", first: Iterable[dict], names: Sequence[str], **options
) -> Iterator[dict]:
    """Yield the results for two files; an error in the second file names its place there."""
    try:
        yield from ttest(first, iter(second), tuple(map(called, names)), **options)
    except RecordError as error:
        raise second.located(error) from None


def _identified(key: str, line: bytes) -> dict:
    """Return the record of a line, which must have an id."""
    from dialtools.comparison import sides
    from dialtools.records import jsonl

    record = jsonl.loads(line)
    if record.get(key) is None:
        sides.require_id("id")
    return record
