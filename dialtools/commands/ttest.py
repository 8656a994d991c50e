"""Test whether the scores of two systems or groups differ by more than chance."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import click

from dialtools import cli, history, moments, registry, samples, tables
from dialtools.errors import OptionError, RecordError
from dialtools.files import called
from dialtools.source import Source

BY = "dt-ttest"


def ttest(a: Iterable[dict], b: Iterable[dict] | None = None, names: tuple[str, ...] = ("a", "b"), *, value: str,
          by: str | None = None, test: str | Callable = "paired", level: float = 0.95) -> Iterator[dict]:
    """Yield the result of one test; nothing where there are no records.

    a, b: two streams of records to compare, or one that `by` parts in two groups.
    names: what to call the two streams.
    value: path of the number to test, such as "scores.rouge2".
    by: path of what tells the groups apart, such as "system".
    test: spec of a significance test, or a function (a, b, level) -> {"difference": …, "p": …, and more}.
    level: of the confidence interval, between 0 and 1.
    """
    plugin = registry.load("significance", test)
    if (b is None) == (by is None):
        raise OptionError("records are compared with a second stream, or by a key: one of the two")
    if not 0 < level < 1:
        raise OptionError(f"the level of a confidence interval lies between 0 and 1, not at {level}")
    if b is None:
        groups, unnamed = samples.grouped(a, value, str(by))
    else:
        both = (samples.whole(records, value, name) for records, name in zip((a, b), names, strict=True))
        groups, unnamed = list(both), 0
    if any(group.first for group in groups):
        yield _result(groups[0], groups[1], plugin, level, unnamed, value=value, by=by)


def _result(a: samples.Group, b: samples.Group, plugin: registry.Plugin, level: float, unnamed: int,
            **signed: str | None) -> dict:
    paired = plugin.constant("PAIRED", False)
    one, other, dropped = samples.pairs(a, b) if paired else samples.apart(a, b)
    if unnamed:
        dropped["no_group"] = unnamed
    sizes = {"n": len(one)} if paired else {"n": len(one) + len(other), "n_a": len(one), "n_b": len(other)}
    outcome = {"difference": None, "ci": None, "level": level} | plugin.call(one, other, level)
    result = {"value": signed["value"], "test": plugin.label, **samples.unit(a, b), "a": a.name, "b": b.name, **sizes,
              "mean_a": _mean(one), "mean_b": _mean(other), **outcome,
              "averaged": samples.averaged(a) + samples.averaged(b), "dropped": dict(sorted(dropped.items())),
              "notes": samples.notes(a, b, paired),
              "signature": history.signature(plugin.name, **signed, **plugin.defaults(), level=level)}
    return result | {"verdict": _verdict(result, "pairs" if paired else "values")}


def _mean(values: list[float]) -> float | None:
    return moments.mean(values) if values else None


def _verdict(result: dict, unit: str) -> str:
    """Return what may be concluded, in one sentence."""
    a, b, p, interval = result["a"], result["b"], result.get("p"), ""
    if p is None:
        return f"No test of {a} against {b}: {result.get('reason', 'it has no p')}."
    if result["ci"]:
        low, high = result["ci"]
        interval = f" ({100 * result['level']:g} % CI {low:.4g} to {high:.4g})"
    if p < 1 - result["level"]:
        found = f"{a} is {'higher' if result['difference'] > 0 else 'lower'} than {b} in {result['value']}"
    else:
        found = f"No difference in {result['value']} is shown between {a} and {b}, nor that there is none"
    p = tables.probability(p)
    return (f"{found}: difference {result['difference']:.4g}{interval}, p {p if p.startswith('<') else f'= {p}'}, "
            f"n = {result['n']:,} {unit}.")


@cli.command(
    BY,
    click.option("--value", required=True, metavar="PATH", help="The number to test, such as scores.rouge2; what "
                 "follows \"scores.\" is taken as it is."),
    click.option("--by", metavar="PATH", help="What tells the two groups of one input apart, such as system."),
    click.option("-t", "--test", type=cli.Plugin("significance"), default="paired", show_default=True,
                 help="The test."),
    click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
                 show_default=True, metavar="P", help="Level of the confidence interval."),
    cli.format_option, cli.listing("significance"), cli.files, cli.output, cli.limit,
    cli.key_options("id", "variant", "cluster"), cli.progress, cli.quiet)
def main(files, format, value, by, test, level, **shared) -> int:
    """Test whether two groups of scores differ by more than chance.

    Compares two FILEs, or with --by the two groups of one input; a is the first
    FILE, or the group of the first record, and the difference is a minus b.
    Numbers are joined by id.  Those of several variants of one id are averaged
    first, because they are not independent; the result says how many.

    The result has the means, their difference with its confidence interval, t,
    df and two-sided p, Cohen's d as "effect" (and d_z for pairs), n, and under
    "dropped" how many ids were left out and why: only in a or b, value missing
    or null.  Where there is no test (fewer than two values, no variance) they
    are null, and "reason" says why.

    Memory: a number for each id.

    Examples:

    $ printf '{"id": %s, "system": "%s", "f1": %s}\\n' 1 new 0.5 2 new 0.7 3 new 0.8 1 old 0.4 2 old 0.55 3 old 0.7 |
      dt-ttest --value f1 --by system | jq -r .verdict
    new is higher than old in f1: difference 0.1167 (95 % CI 0.04496 to 0.1884), p = 0.0198, n = 3 pairs.
    """
    options = {"value": value, "by": by, "test": test, "level": level}
    if len(files) > 2 or (len(files) == 2) == (by is not None) or files == ("-", "-"):
        raise click.UsageError("give two FILEs to compare, or one input and --by PATH")
    second = Source(BY, files=files[1:], lang="en", **shared) if len(files) == 2 else None
    filter = partial(_compared, second, names=files, **options) if second else partial(ttest, **options)
    results: list[dict] = []
    return cli.run(filter, by=BY, files=files[:1], lang="en", jobs=1, on_error="stop", then=partial(_kept, results),
                   render=cli.renderer(format, shared["output"]), results=True,
                   closing=lambda: _closing(second, results), **shared)


def _compared(second: Source, first: Source, names: tuple[str, ...], **options) -> Iterator[dict]:
    """Yield the result of `ttest` over two files; an error in the second has its place there."""
    paired = registry.load("significance", options["test"]).constant("PAIRED", False)
    a, b = (_joined(source) if paired else iter(source) for source in (first, second))
    shown = tuple(map(called, names))
    try:
        yield from ttest(a, b, shown, **options)
    except RecordError as error:
        raise (second.located(error) if second.place else error) from None


def _joined(source: Source) -> Iterator[dict]:
    """Yield records; one that was given an id when it was read has nothing to be joined by."""
    for record in source:
        if source.notes["id"]:
            raise RecordError('no "id", by which the files are joined', place=source.place)
        yield record


def _kept(results: list[dict], made: Iterable[dict]) -> Iterator[dict]:
    for result in made:
        results.append(result)
        yield result


def _closing(second: Source | None, results: list[dict]) -> str:
    if second:
        second.close(Counter())
    return "" if results else f"{BY}: no records: nothing to test\n"
