"""Test whether the scores of systems or groups differ by more than chance."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

import click

from dialtools import cli, registry
from dialtools.comparison import comparisons, grouping, standings
from dialtools.errors import OptionError, RecordError
from dialtools.files import STANDARD, called
from dialtools.records import jsonl
from dialtools.run.input import Input, check_names, completed
from dialtools.statistics import families

BY = "dt-ttest"
FAMILIES = ("all", "value", "pair")


def ttest(a: Iterable[dict], b: Iterable[dict] | None = None, names: tuple[str, ...] = ("a", "b"), *,
          value: str | Sequence[str], by: str | None = None, against: str | None = None,
          test: str | Callable = "paired", level: float = 0.95, per: Literal["id", "cluster", "record"] = "id",
          baseline: str | None = None, correct: str = "holm", family: Literal["all", "value", "pair"] = "all",
          outliers: str | None = None, power: bool = False, seed: int = 0) -> Iterator[dict]:
    """Yield the result of each comparison; nothing where there are no records.

    a, b: two streams of records to compare, or one that `by` parts in groups, or whose values go with `against`;
    likert, which compares nothing, takes one stream alone too.
    names: what to call the two streams.
    value: path of the number to test, such as "scores.rouge2", or several; "statistics.bleu" tests corpus scores.
    by: path of what tells the groups apart, such as "system".
    against: path of a second number of each record, such as a human rating.
    test: spec of a significance test, or a function (a, b, level) -> {"difference": …, "p": …, and more}.
    level: of the confidence interval, between 0 and 1.
    per: what one value stands for: the mean of an id's variants, of a cluster's ids, or each record.
    baseline: the group that all others are compared with; else all pairs are.
    correct: how p is corrected where there are several tests; family: which of them belong together.
    outliers: "sd:3" drops numbers further from their group's mean than 3 standard deviations (ddof 0).
    power: add the power to find the effect seen, and the n needed for 80 %: pairs, or values in each of two groups.
    seed: of tests that draw.
    """
    values = list(dict.fromkeys(registry.several(value)))
    fewest = 1 if describes(test) else 2
    asked = sum(given is not None for given in (b, by, against))
    if asked > 1 or (asked == 0 and fewest > 1):
        raise OptionError("records are compared with a second stream, by a key, or one value against another: "
                          "one of the three")
    if not 0 < level < 1:
        raise OptionError(f"the level of a confidence interval lies between 0 and 1, not at {level}")
    for name, given, known in (("per", per, grouping.PER), ("correct", correct, families.NAMES),
                               ("family", family, FAMILIES)):
        if given not in known:
            raise OptionError(f"{name} is one of {', '.join(known)}, not {given!r}")
    signed = {"value": None if len(values) > 1 else values[0], "by": by, "against": against,
              "per": None if per == "id" else per}
    plan = comparisons.Plan(test, level, baseline, correct, family, _deviations(outliers), power, seed, signed)
    note = _need if b is not None and joins(test) else lambda key: None
    a, b = completed(a, note), None if b is None else completed(b, note)
    groups, unnamed = _groups(a, b, names, values, by, against, per, fewest)
    if any(group.first for own in groups for group in own):
        yield from comparisons.compare(groups, plan, unnamed)


def _groups(a: Iterable[dict], b: Iterable[dict] | None, names: tuple[str, ...], values: list[str], by: str | None,
            against: str | None, per: str, fewest: int) -> tuple[list[list[grouping.Group]], int]:
    """Return for each value its groups, and how many records are in none."""
    if by is not None:
        return grouping.grouped(a, values, by, per, fewest)
    if against is not None:
        *first, second = grouping.whole(a, [*values, against], "the input", per)
        return [[group, second] for group in first], 0
    if b is None:
        return [[group] for group in grouping.whole(a, values, names[0], per)], 0
    both = [grouping.whole(records, values, name, per) for records, name in zip((a, b), names, strict=True)]
    return [list(pair) for pair in zip(*both, strict=True)], 0


def describes(test: str | Callable) -> bool:
    """Does a test describe each group by itself, so that one group is enough?"""
    return registry.load("significance", test).constant("GROUPS", "two") == "one"


def joins(test: str | Callable) -> bool:
    """Does a test compare pairs, so that records of two streams are joined by their ids?"""
    return registry.load("significance", test).constant("PAIRED", False)


def _need(key: str) -> None:
    """Raise RecordError where what a record lacks is its id: a number would join line with line."""
    if key == "id":
        raise RecordError('no "id", by which the files are joined')


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
        raise OptionError(f"--outliers is sd:NUMBER, such as sd:3, not {outliers!r}")
    return deviations


@cli.command(
    BY,
    click.option("--value", required=True, multiple=True, metavar="PATH", help="The number to test, such as "
                 "scores.rouge2; what follows \"scores.\" is taken as it is.  Repeat to test several.  "
                 "\"statistics.bleu\" tests corpus scores (dt-score --stats) with -t bootstrap, cluster-bootstrap or "
                 "permutation."),
    click.option("--by", metavar="PATH", help="What tells the groups of one input apart, such as system."),
    click.option("--against", metavar="PATH", help="A second number of each record, such as a human rating."),
    click.option("-t", "--test", type=cli.Plugin("significance"), default="paired", show_default=True,
                 help="The test, with options after a colon, as tost:margin=1; the manual page has them all."),
    click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
                 show_default=True, metavar="P", help="Level of the confidence interval."),
    click.option("--per", type=click.Choice(grouping.PER), default="id", show_default=True,
                 help="What one value stands for: the mean of an id's variants, of a cluster's ids, or a record."),
    click.option("--baseline", metavar="GROUP", help="Compare all other groups with this one, as a table; without "
                 "it, all pairs."),
    click.option("--correct", type=click.Choice(families.NAMES), default="holm", show_default=True,
                 help="How to correct p where there are several tests."),
    click.option("--family", type=click.Choice(FAMILIES), default="all", show_default=True,
                 help="What belongs together for that: all tests of the call, those of a value, of a pair of groups."),
    click.option("--outliers", metavar="sd:N", help="Drop numbers further from their group's mean than N standard "
                 "deviations (ddof 0); of pairs, both numbers."),
    click.option("--power", is_flag=True, help="Add the power to find the effect seen, and the n that 80 % takes: "
                 "pairs, or values in each of two groups."),
    cli.seed, cli.format_option, cli.listing("significance"), cli.files, cli.output, cli.limit,
    cli.key_options("id", "variant", "cluster", "system"), cli.progress, cli.quiet)
def main(files, format, output, limit, progress, quiet, id_key, variant_key, cluster_key, system_key,
         **options) -> int:
    """Test whether groups of scores differ by more than chance.

    Compares two FILEs, with --by the groups of one input, or with --against two
    numbers of each record; the difference is a minus b.  true and false count as
    1 and 0.  Numbers are joined by id.  Those of several variants of one id are
    averaged first, because they are not independent; the result says how many.
    Of more than two groups all pairs are compared, or all others with the
    --baseline; p_adjusted is corrected for the number of tests, ci is each
    comparison's own.

    Each result has the means, their difference with its confidence interval, the
    statistic, two-sided p, the effect size, n, and under "dropped" how many ids
    were left out and why: only in a or b, value missing or null, outlier.  The
    effect has a name: d_z is the difference in standard deviations of the
    differences, d in those of the values; rank-biserial, cliff and sign tell, from
    -1 to 1, how much more often a is higher than b, the odds ratio how many times as
    often; eta2 and W, from 0 to 1, how far groups differ; r, rho, tau-b and kappa
    how far a and b agree.  "averaged" counts the values that went into means of an
    id, "zeros" pairs that are equal.

    Where there is no test (too few values, no variance) statistic, p, effect and
    intervals are null, and "reason" says why.  That no difference is shown does not
    show that there is none: for that there is -t tost:margin=M.  -t likert describes
    each group by itself, and one input without --by as a whole.

    The records of an id stand together, but for those of another "system"; where
    another key holds the system, name it with --system-key, and --by system.

    Memory: a number for each id and value; for corpus scores, the statistics of each id.

    Examples:

    $ printf '{"id": %s, "system": "%s", "f1": %s}\\n' 1 new 0.5 2 new 0.7 3 new 0.8 1 old 0.4 2 old 0.55 3 old 0.7 |
      dt-ttest --value f1 --by system | jq -r .verdict
    new is higher than old in f1: difference 0.1167 (95 % CI 0.04496 to 0.1884), p = 0.0198, n = 3 pairs.
    """
    shared = {"limit": limit, "progress": progress, "quiet": quiet, "output": output, "id_key": id_key,
              "variant_key": variant_key, "cluster_key": cluster_key, "system_key": system_key}
    asked = [name for name in ("by", "against") if options[name] is not None]
    if len(files) == 2:
        asked.append("a second FILE")
    enough = asked or describes(options["test"])
    if len(files) > 2 or len(asked) > 1 or not enough or files == ("-", "-"):
        raise click.UsageError("give one of these: two FILEs to compare, or with one input (several FILEs: cat them) "
                               "--by PATH or --against PATH (of one group: jq 'select(.key == \"value\")' before it)")
    check_names((*options["value"], options["by"], options["against"]), "--value, --by and --against", shared)
    joined = len(files) == 2 and joins(options["test"])
    make = partial(_identified, id_key or "id") if joined else jsonl.loads
    second = Input(BY, files=files[1:], lang="en", make=make, **shared) if len(files) == 2 else None
    filter = partial(_compared, second, names=files, **options) if second else \
        partial(ttest, names=(called(files[0] if files else STANDARD),) * 2, **options)
    status = cli.run(filter, by=BY, make=make, files=files[:1], lang="en", results=True,
                     render=_renderer(format, output, options["baseline"]), **shared)
    if second and not quiet:
        second.close()
    return status


def _renderer(format: str | None, output: str, baseline: str | None) -> Callable[[Iterable[dict]], Iterator[bytes]]:
    """Return the render of results; people get those against a baseline as one table."""
    render = cli.renderer(format, output)
    shown = render.keywords["format"]  # type: ignore[attr-defined]
    return render if baseline is None or shown in ("json", "csv") else lambda results: render(standings.table(results))


def _compared(second: Input, first: Iterable[dict], names: tuple[str, ...], **options) -> Iterator[dict]:
    """Yield the results of `ttest` over two files; an error in the second has its place there."""
    try:
        yield from ttest(first, iter(second), tuple(map(called, names)), **options)
    except RecordError as error:
        raise second.located(error) from None


def _identified(key: str, line: bytes) -> dict:
    """Return a record of a line; one that has to be given an id has nothing to be joined by."""
    record = jsonl.loads(line)
    if record.get(key) is None:
        _need("id")
    return record
