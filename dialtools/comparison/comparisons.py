"""Comparisons of groups: pairs to compare, results of the test, corrected p, verdicts."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import fsum, inf
from typing import Any, NamedTuple

from dialtools.comparison import corpus_scores, groups, notes, verdicts
from dialtools.comparison.groups import Group, Sample
from dialtools.evaluation import chains, units
from dialtools.plugins import registry
from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.records import history, ratings
from dialtools.statistics import corrections, moments, power, results
from dialtools.system.errors import OptionError

BY = "dt-ttest"
TEST = "paired"  # of numbers, if none is named
MEAN_SCALE = "interval"  # of ratings of which a mean is taken


class Comparison(NamedTuple):
    """The result of a comparison, and the test at another level for its interval."""

    result: dict
    at_level: Callable[[float], dict] | None = None


class Design(NamedTuple):
    """The design of comparisons, whatever the groups are."""

    test: str | Callable | None = None
    level: float = 0.95
    baseline: str | None = None  # the group to compare all others with; None for all pairs
    correct: str = "holm"
    family: str = "all"  # the tests to correct together: all, value or pair
    outliers: float | None = None
    power: bool = False
    seed: int = 0
    signed: Mapping[str, object] = {}  # further parts of the signature

    @property
    def plugin(self) -> registry.Plugin:
        return registry.load("hypothesis_tests", self.test or TEST).given(seed=self.seed)

    def of(self, groups: Sequence[Group]) -> "Design":
        """Return the design for the groups of a value, whose kind tells the test if none is named."""
        is_of_corpus = self.test is None and groups[0].is_statistics
        return self._replace(test=corpus_scores.TEST) if is_of_corpus else self

    def signature(self, **more: object) -> str:
        """Return the signature of a result; more: parts before the level."""
        plugin = self.plugin
        return history.signature(
            plugin.name, **self.signed, **plugin.defaults(), **more, level=self.level
        )


def declared(test: str | Callable | None) -> HypothesisTest:
    """Return what a test declares; None: the default test."""
    return registry.load("hypothesis_tests", test or TEST).declared


def compare(values: Iterable[list[Group]], design: Design, unnamed: int = 0) -> list[dict]:
    """Return the results of all comparisons of each value's groups, with verdicts."""
    values, plugin = list(values), design.plugin
    if design.power and plugin.declared.takes == "one":
        raise OptionError(f"--power: {plugin.label} makes no comparison")
    needs_numbers = design.power or design.outliers is not None
    for of_value in values:
        corpus_scores.check_testable(of_value, design.of(of_value).plugin, needs_numbers)
    comparisons = []
    for of_value in values:
        rated = list(_agreements(of_value, design))
        for comparison in _of_value(of_value, design.of(of_value), unnamed):
            if rated:
                comparison.result["agreement"] = rated
                is_mean = plugin.declared.takes != "one"
                comparison.result["notes"] += [notes.on_agreement(one, is_mean) for one in rated]
            comparisons.append(comparison)
    if design.correct != "none":
        _correct(comparisons, design)
    return concluded(comparison.result for comparison in comparisons)


def _agreements(of_value: list[Group], design: Design) -> Iterator[dict]:
    """Yield for each path with ratings of several raters how far they agree, in all groups together."""
    krippendorff = registry.load("hypothesis_tests", f"krippendorff:scale={MEAN_SCALE}")
    for path in dict.fromkeys(group.path for group in of_value):
        items = ratings.by_rater(
            [of_text for group in of_value if group.path == path for of_text in group.rated]
        )
        if raters := max(map(len, items), default=0):
            tested = krippendorff.given(seed=design.seed).call(items, design.level)
            yield {
                "value": path,
                "raters": raters,
                "n": sum(len(item) - item.count(None) > 1 for item in items),
                "scale": MEAN_SCALE,
                "alpha": tested["effect"],
                "ci": tested["effect_ci"],
                "level": design.level,
            }


def concluded(results: Iterable[dict]) -> list[dict]:
    """Return results with their verdicts."""
    return [result | {"verdict": verdicts.verdict(result)} for result in results]


def _of_value(of_value: list[Group], design: Design, unnamed: int) -> Iterator[Comparison]:
    """Yield the comparisons of the groups of one value."""
    takes = design.plugin.declared.takes
    if takes == "one":
        yield from (Comparison(_described(group, design, unnamed)) for group in of_value)
        return
    if takes == "many":
        yield _compared(of_value, design, unnamed)
        signed = {**design.signed, "after": design.plugin.label}
        design = design._replace(test=design.plugin.declared.follow_up, signed=signed)
    if takes == "against":
        pairs = [of_value]
    elif design.baseline is None:
        pairs = list(map(list, combinations(of_value, 2)))
    else:
        base = _baseline(of_value, design.baseline)
        pairs = [[group, base] for group in of_value if group is not base]
    for pair in pairs:
        yield _compared(pair, design, unnamed)


def _baseline(of_value: list[Group], name: str) -> Group:
    """Return the group called so, or the file of that system or of that name without its ending."""
    named = [group for group in of_value if name in (str(group.name), str(group.source))] or [
        group
        for group in of_value
        if name
        in (group.first.get("system"), os.path.basename(str(group.source)).partition(".")[0])
    ]
    if len(named) != 1:
        raise OptionError(
            f"--baseline: no group is called {name!r}; "
            f"there are {', '.join(str(group.name) for group in of_value)}"
        )
    return named[0]


def _described(group: Group, design: Design, unnamed: int) -> dict:
    """Return the result of a test that describes a group by itself."""
    sample, unit = _shown(groups.independent([group], design.outliers), [group])
    (values,) = sample.columns
    if group.rated:  # each rating is one, not their mean
        values = [one for of_text in group.rated for _, one in of_text if isinstance(one, float)]
    return {
        "value": group.path,
        "test": design.plugin.label,
        "group": group.name,
        "unit": unit.name,
        "n": len(values),
        **design.plugin.call(values, design.level),
        "level": design.level,
        **_origin([group], design, sample, unnamed),
    }


def _shown(sample: Sample, compared: Sequence[Group]) -> tuple[Sample, units.Unit]:
    """Return a sample in the unit that numbers are shown in; those of different units stay as in records."""
    shown = [group.unit for group in compared]
    if len({unit.name for unit in shown}) > 1:
        shown = [units.Unit()] * len(shown)
    columns = sample.columns
    if compared[0].per == "system":
        columns = [
            corpus_scores.of_sums(group.path, column) if group.is_statistics else column
            for group, column in zip(compared, columns, strict=True)
        ]
    if not _is_resampled(compared):
        columns = [
            column if unit.factor == 1 else [unit.factor * value for value in column]
            for column, unit in zip(columns, shown, strict=True)
        ]
    return sample._replace(columns=columns), shown[0]


def _is_resampled(compared: Sequence[Group]) -> bool:
    """Tell whether groups have statistics of records, of which a test draws and scores samples."""
    return compared[0].is_statistics and compared[0].per != "system"


def _compared(compared: Sequence[Group], design: Design, unnamed: int) -> Comparison:
    """Return the result of a test of two groups, or of many at once."""
    plugin, level, path = design.plugin, design.level, compared[0].path
    draw = groups.paired if plugin.declared.paired else groups.independent
    sample, unit = _shown(draw(compared, design.outliers), compared)
    columns, score = sample.columns, None
    margin = plugin.options.get("margin", 0.0)
    if unit.width <= margin < inf:
        raise OptionError(
            f"{plugin.label}: {path} is shown in {unit.name}, where no difference "
            f"exceeds {unit.width:g}; the margin must be smaller"
        )
    if _is_resampled(compared):
        columns, score = corpus_scores.as_rows(path, columns, unit.factor)
    of_many = plugin.declared.takes == "many"
    call = plugin.bound(clusters=sample.clusters, score=score).call
    test = partial(call, columns) if of_many else partial(call, *columns)
    tested = test(level) if score else _without_noise(test(level), columns)
    against = {"versus": compared[2].path} if len(compared) == 3 and not of_many else {}
    is_of_group = compared[0].path != compared[1].path and design.signed.get("by")
    result = {
        "value": path,
        "test": plugin.label,
        **({"group": compared[0].name} if is_of_group else {}),
        "unit": "correlation" if against else unit.name,
        "better": "higher" if against else units.better_at(path, compared[0].first),
        **_sides(compared, columns, design, score),
        **against,
        "difference": None,
        "ci": None,
        "level": level,
        **tested,
    }
    if compared[0].per == "system":
        result["per"] = "system"
    if design.power and not of_many:
        result |= power.powers(tested, columns, level)
    result |= _origin(compared, design, sample, unnamed)
    if tested.get("difference") is not None and len(compared) == 2:
        result["notes"] += notes.on_units(compared)
    if tested.get("p") is not None:
        result["notes"] += notes.on_assumptions(plugin, columns, result)
    if design.power:
        result["notes"] += power.notes(result, level)
    return Comparison(result, test)


def _sides(
    compared: Sequence[Group],
    columns: list[list],
    design: Design,
    score: corpus_scores.Score | None,
) -> dict:
    """Return the names of groups, how many numbers they have, and their means or corpus scores."""
    sizes, is_paired = list(map(len, columns)), design.plugin.declared.paired
    n = sizes[0] if is_paired else sum(sizes)
    if score is None:
        level = "mean"
        means = [moments.mean(column) if column else None for column in columns]
    else:
        level = "corpus"
        means = [
            score([fsum(part) for part in zip(*column, strict=True)]) if column else None
            for column in columns
        ]
    if design.plugin.declared.takes == "many":
        return {"groups": [group.name for group in compared], "n": n, "means": means}
    a, b, *_ = compared
    names = {"a": a.name, "b": b.name} if a.path == b.path else {"a": a.path, "b": b.path}
    apart = {} if is_paired else {"n_a": sizes[0], "n_b": sizes[1]}
    return {**names, "n": n, **apart, f"{level}_a": means[0], f"{level}_b": means[1]}


def _without_noise(tested: dict, columns: list[list[float]]) -> dict:
    """Return the result of a test with 0 for differences that are the noise of floats."""
    noise = moments.ROUNDING * max((abs(x) for column in columns for x in column), default=0)

    def sound(number: float) -> float:
        return 0.0 if abs(number) <= noise else number

    result = dict(tested)
    if tested.get("difference") is not None:
        result["difference"] = sound(tested["difference"])
    if tested.get("ci"):
        result["ci"] = [*map(sound, tested["ci"])]
    return result


def _origin(compared: Sequence[Group], design: Design, sample: Sample, unnamed: int) -> dict:
    """Return where the numbers of a result come from."""
    dropped = sample.dropped + Counter(no_group=unnamed)
    outliers = None if design.outliers is None else f"sd:{design.outliers:g}"
    signature = design.signature(outliers=outliers)
    by_path = len({group.path for group in compared}) > 1  # two numbers of one group
    facts = chains.of_groups(
        {group.path if by_path else group.name: group.chain for group in compared}
    )
    return {
        "averaged": sum(group.averaged for group in compared),
        "dropped": dict(sorted(dropped.items())),
        "notes": [*notes.on_groups(compared, design.plugin)],
        "signature": signature,
        **chains.ended(facts, BY, signature),
    }


def _correct(comparisons: list[Comparison], design: Design) -> None:
    """Add corrected p, and what follows from it, to the results of families of two and more.

    Tests of several groups at once are a family of their own.
    """
    for key in ("p", "p_difference"):
        families: dict[Any, list[Comparison]] = {}
        for comparison in comparisons:
            result = comparison.result
            pair = str(result.get("a")), str(result.get("b"))
            family = {"all": 0, "value": result["value"], "pair": pair}[design.family]
            if result.get(key) is not None:
                families.setdefault(("groups" in result, family), []).append(comparison)
        for members in families.values():
            if len(members) > 1:
                _correct_family(members, key, design)


def _correct_family(family: list[Comparison], key: str, design: Design) -> None:
    """Add the corrected p of one family, and intervals at the levels that it was judged at."""
    alpha = results.alpha(design.level)
    raw = [comparison.result[key] for comparison in family]
    adjusted = corrections.adjusted(raw, design.correct)
    alphas = corrections.alphas(raw, design.correct, alpha)
    for (result, at_level), p, own_alpha in zip(family, adjusted, alphas, strict=True):
        result |= {f"{key}_adjusted": p, "correction": design.correct, "family": len(family)}
        if key == "p" and at_level and (result["ci"] or result["effect_ci"]):
            ci_level = 1 - own_alpha
            tested = at_level(ci_level)
            result |= {"ci": tested["ci"], "effect_ci": tested["effect_ci"], "ci_level": ci_level}
        if key == "p" and "equivalent" in result:
            result["equivalent"] = p < alpha
