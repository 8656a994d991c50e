"""Comparisons of groups: pairs to compare, results of the test, corrected p, verdicts."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import fsum, inf
from typing import Any, NamedTuple

from dialtools.comparison import corpus_scores, notes, samples, verdicts
from dialtools.comparison.groups import Group
from dialtools.evaluation import chains, units
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.statistics import corrections, moments, power, results
from dialtools.system.errors import OptionError

BY = "dt-ttest"
TEST = "paired"  # of numbers, if none is named


class Made(NamedTuple):
    """The result of a comparison, and the test at another level for its interval."""

    result: dict
    at: Callable[[float], dict] | None = None


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


def arity(test: registry.Plugin | str | Callable | None) -> str:
    """Return the groups that a test takes: one, two, many, raters or against."""
    if not isinstance(test, registry.Plugin):
        test = registry.load("hypothesis_tests", test or TEST)
    return test.declared.takes


def compare(values: Iterable[list[Group]], design: Design, unnamed: int = 0) -> list[dict]:
    """Return the results of all comparisons of each value's groups, with verdicts."""
    values, plugin = list(values), design.plugin
    if design.power and arity(plugin) == "one":
        raise OptionError(f"--power: {plugin.label} makes no comparison")
    needs_numbers = design.power or design.outliers is not None
    for groups in values:
        corpus_scores.check_testable(groups, design.of(groups).plugin, needs_numbers)
    made = [one for groups in values for one in _of_value(groups, design.of(groups), unnamed)]
    _correct(made, design)
    return concluded(result for result, _ in made)


def concluded(made: Iterable[dict]) -> list[dict]:
    """Return results with their verdicts."""
    return [result | {"verdict": verdicts.verdict(result)} for result in made]


def _of_value(groups: list[Group], design: Design, unnamed: int) -> Iterator[Made]:
    taken = arity(design.plugin)
    if taken == "one":
        yield from (Made(_described(group, design, unnamed)) for group in groups)
        return
    if taken == "many":
        yield _compared(groups, design, unnamed)
        signed = {**design.signed, "after": design.plugin.label}
        design = design._replace(test=design.plugin.declared.follow_up, signed=signed)
    pairs = [groups] if taken == "against" else _pairs(groups, design.baseline)
    for pair in pairs:
        yield _compared(pair, design, unnamed)


def _pairs(groups: list[Group], baseline: str | None) -> list[list[Group]]:
    """Return each other group with the baseline, or all pairs of groups.

    The baseline is called as its group, or a file as the system in it or without its ending.
    """
    if baseline is None:
        return [list(pair) for pair in combinations(groups, 2)]
    named = [group for group in groups if str(group.name) == baseline] or [
        group
        for group in groups
        if baseline
        in (group.first.get("system"), os.path.basename(str(group.name)).partition(".")[0])
    ]
    base = named[0] if len(named) == 1 else None
    if base is None:
        raise OptionError(
            f"--baseline: no group is called {baseline!r}; "
            f"there are {', '.join(str(group.name) for group in groups)}"
        )
    return [[group, base] for group in groups if group is not base]


def _described(group: Group, design: Design, unnamed: int) -> dict:
    """Return the result of a test that describes a group by itself."""
    sample = samples.independent([group], design.outliers)
    values = _scaled(sample.columns[0], group.unit.factor)
    return {
        "value": group.path,
        "test": design.plugin.label,
        "group": group.name,
        "unit": group.unit.name,
        "n": len(values),
        **design.plugin.call(values, design.level),
        "level": design.level,
        **_origin([group], design, sample, unnamed),
    }


def _compared(groups: Sequence[Group], design: Design, unnamed: int) -> Made:
    """Return the result of a test of two groups, or of many at once."""
    plugin, level = design.plugin, design.level
    paired, many = plugin.declared.paired, arity(plugin) == "many"
    sample = (samples.paired if paired else samples.independent)(groups, design.outliers)
    found, score = _units(groups), None
    _require_margin(plugin, groups[0].path, found[0])
    if groups[0].is_statistics:
        columns, score = corpus_scores.as_rows(groups[0].path, sample.columns, found[0].factor)
    else:
        columns = [
            _scaled(column, unit.factor) for column, unit in zip(sample.columns, found, strict=True)
        ]
    call = plugin.bound(clusters=sample.clusters, score=score).call
    test = partial(call, columns) if many else partial(call, *columns)
    tested = test(level) if score else _without_noise(test(level), columns)
    sizes = list(map(len, columns))
    described = (
        {
            "groups": [group.name for group in groups],
            "n": sizes[0] if paired else sum(sizes),
            "means": list(map(_mean, columns)),
        }
        if many
        else _of_two(groups[:2], columns[:2], paired, score)
    )
    if len(groups) == 3 and not many:
        described |= {"versus": groups[2].path}
    result = {
        "value": groups[0].path,
        "test": plugin.label,
        "unit": found[0].name,
        "better": units.better_at(groups[0].path),
        **described,
        "difference": None,
        "ci": None,
        "level": level,
        **tested,
    }
    if "versus" in described:
        result |= {"unit": "correlation", "better": "higher"}
    if design.power and not many:
        result |= power.powers(tested, columns, level)
    result |= _origin(groups, design, sample, unnamed)
    if tested.get("difference") is not None and len(groups) == 2:
        result["notes"] += notes.on_units(groups)
    if tested.get("p") is not None:
        result["notes"] += notes.on_assumptions(plugin, columns, result)
    if design.power:
        result["notes"] += power.notes(result, level)
    return Made(result, test)


def _of_two(
    groups: Sequence[Group], columns: list[list], paired: bool, score: corpus_scores.Score | None
) -> dict:
    """Return names and sizes of a and b, and their means or corpus scores."""
    (a, b), (n, m) = groups, map(len, columns)
    names = {"a": a.name, "b": b.name} if a.path == b.path else {"a": a.path, "b": b.path}
    sizes = {"n": n} if paired else {"n": n + m, "n_a": n, "n_b": m}
    if score is None:
        return {**names, **sizes, "mean_a": _mean(columns[0]), "mean_b": _mean(columns[1])}
    whole = [
        score([fsum(part) for part in zip(*column, strict=True)]) if column else None
        for column in columns
    ]
    return {**names, **sizes, "corpus_a": whole[0], "corpus_b": whole[1]}


def _units(groups: Sequence[Group]) -> list[units.Unit]:
    """Return the unit of each group; numbers of different units stay as they are in records."""
    found = [group.unit for group in groups]
    return found if len({unit.name for unit in found}) == 1 else [units.Unit()] * len(found)


def _without_noise(tested: dict, columns: list[list[float]]) -> dict:
    """Return what a test found, with 0 for differences that are the noise of floats."""
    noise = moments.ROUNDING * max((abs(one) for column in columns for one in column), default=0)

    def sound(number: float) -> float:
        return 0.0 if abs(number) <= noise else number

    found = {key: sound(tested[key]) for key in ("difference",) if tested.get(key) is not None}
    ends = {"ci": [*map(sound, tested["ci"])]} if tested.get("ci") else {}
    return {**tested, **found, **ends}


def _scaled(values: list[float], factor: float) -> list[float]:
    return values if factor == 1 else [factor * value for value in values]


def _require_margin(plugin: registry.Plugin, path: str, unit: units.Unit) -> None:
    """Raise OptionError for a margin that no difference can reach."""
    margin = plugin.options.get("margin", 0.0)
    if unit.width <= margin < inf:
        raise OptionError(
            f"{plugin.label}: {path} is shown in {unit.name}, where no difference "
            f"exceeds {unit.width:g}; the margin must be smaller"
        )


def _origin(groups: Sequence[Group], design: Design, sample: samples.Sample, unnamed: int) -> dict:
    """Return where the numbers of a result come from."""
    plugin, dropped = design.plugin, sample.dropped + Counter(no_group=unnamed)
    outliers = None if design.outliers is None else f"sd:{design.outliers:g}"
    signature = history.signature(
        plugin.name, **design.signed, **plugin.defaults(), outliers=outliers, level=design.level
    )
    by_path = len({group.path for group in groups}) > 1  # two numbers of one group
    made = chains.of_groups(
        {group.path if by_path else group.name: group.chain for group in groups}
    )
    return {
        "averaged": sum(group.averaged for group in groups),
        "dropped": dict(sorted(dropped.items())),
        "notes": [*notes.of_groups(groups, plugin)],
        "signature": signature,
        **chains.ended(made, BY, signature),
    }


def _mean(values: list[float]) -> float | None:
    return moments.mean(values) if values else None


def _correct(made: list[Made], design: Design) -> None:
    """Add corrected p, and what follows from it, to the results of families of two and more.

    Tests of several groups at once are a family of their own.
    """
    for key in ("p", "p_difference"):
        families: dict[Any, list[Made]] = {}
        for one in made:
            result = one.result
            pair = str(result.get("a")), str(result.get("b"))
            family = {"all": 0, "value": result["value"], "pair": pair}[design.family]
            if result.get(key) is not None:
                families.setdefault(("groups" in result, family), []).append(one)
        for own in families.values():
            if len(own) > 1 and design.correct != "none":
                _correct_family(own, key, design)


def _correct_family(family: list[Made], key: str, design: Design) -> None:
    """Add the corrected p of one family, and intervals at the levels that it was judged at."""
    alpha = results.alpha(design.level)
    found = [one.result[key] for one in family]
    adjusted = corrections.adjusted(found, design.correct)
    judged = corrections.alphas(found, design.correct, alpha)
    for (result, at), p, own in zip(family, adjusted, judged, strict=True):
        result |= {f"{key}_adjusted": p, "correction": design.correct, "family": len(family)}
        if key == "p" and at and (result["ci"] or result["effect_ci"]):
            tested = at(1 - own)
            result |= {"ci": tested["ci"], "effect_ci": tested["effect_ci"], "ci_level": 1 - own}
        if key == "p" and "equivalent" in result:
            result["equivalent"] = p < alpha
