"""Comparisons of groups of numbers: which are made, what the test answers, p corrected for all of them."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from dialtools import history, moments, registry, scoring
from dialtools.comparing import grouping, samples, verdicts
from dialtools.errors import OptionError
from dialtools.significance import _assumptions as assumptions
from dialtools.significance import _families as families
from dialtools.significance import _power as power


class Plan(NamedTuple):
    """How comparisons are made, whatever is compared."""

    test: str | Callable
    level: float = 0.95
    baseline: str | None = None  # the group that all others are compared with; None: every pair
    correct: str = "holm"
    family: str = "all"  # what is corrected together: all, value or pair
    outliers: float | None = None
    power: bool = False
    seed: int = 0
    signed: Mapping[str, object] = {}  # what else the signature says

    @property
    def plugin(self) -> registry.Plugin:
        return registry.load("significance", self.test).given(seed=self.seed)


def compare(values: Iterable[list[grouping.Group]], plan: Plan, unnamed: int = 0) -> list[dict]:
    """Return the results for each value's groups, a dict a comparison, with p corrected and a verdict."""
    values = list(values)
    for groups in values:
        _check_statistics(groups, plan)
    results = [result for groups in values for result in _of_value(groups, plan, unnamed)]
    _correct(results, plan)
    return [result | {"verdict": verdicts.verdict(result)} for result in results]


def _check_statistics(groups: list[grouping.Group], plan: Plan) -> None:
    """Raise OptionError unless corpus scores can be computed, and tested as asked."""
    values = {group.value for group in groups}
    for value in values:
        if value.startswith(grouping.STATISTICS):
            scoring.check_adds_up(value.removeprefix(grouping.STATISTICS))
            if "score" not in inspect.signature(plan.plugin.call).parameters:
                raise OptionError(f"{plan.plugin.label} tests numbers; for {value} there are bootstrap, "
                                  "cluster-bootstrap, permutation")
            if len(values) > 1:
                raise OptionError(f"a corpus score is not compared with another one: {', '.join(sorted(values))}")
            if plan.outliers is not None or plan.power or groups[0].per == "cluster":
                raise OptionError(f"{value} takes no --outliers, --power or --per cluster: it has no single numbers")


def _score(group: grouping.Group) -> Callable[[list[float]], float] | None:
    """Return what computes a corpus score from sums of statistics; None where the group has plain numbers."""
    if not group.is_statistics:
        return None
    scorer = scoring.bind(group.value.removeprefix(grouping.STATISTICS), "en")  # adding up is the same in any language
    return lambda sums: scorer.corpus([sums])


def _of_value(groups: list[grouping.Group], plan: Plan, unnamed: int) -> Iterator[dict]:
    arity = plan.plugin.constant("GROUPS", "two")
    if arity == "one":
        yield from (_described(group, plan, unnamed) for group in groups)
    elif arity == "two":
        yield from (_compared(pair, plan, unnamed) for pair in _pairs(groups, plan.baseline))
    else:
        yield _compared(groups, plan, unnamed)
        signed = {**plan.signed, "after": plan.plugin.label}
        follow = plan._replace(test=plan.plugin.constant("FOLLOW_UP", ""), signed=signed)
        yield from (_compared(pair, follow, unnamed) for pair in _pairs(groups, plan.baseline))


def _pairs(groups: list[grouping.Group], baseline: str | None) -> list[list[grouping.Group]]:
    """Return the pairs to compare: each other group with the baseline, or all in their order."""
    if baseline is None:
        return [list(pair) for pair in combinations(groups, 2)]
    base = [group for group in groups if str(group.name) == baseline]
    if not base:
        raise OptionError(f"--baseline: no group is called {baseline!r}; "
                          f"there are {', '.join(str(group.name) for group in groups)}")
    return [[group, base[0]] for group in groups if group is not base[0]]


def _described(group: grouping.Group, plan: Plan, unnamed: int) -> dict:
    sample = samples.apart([group], plan.outliers)
    values = sample.columns[0]
    return {"value": group.value, "test": plan.plugin.label, "group": group.name, **samples.unit([group]),
            "n": len(values), **plan.plugin.call(values, plan.level), "level": plan.level,
            **_origin([group], plan, sample, unnamed), "notes": []}


def _compared(groups: Sequence[grouping.Group], plan: Plan, unnamed: int) -> dict:
    plugin = plan.plugin
    paired, score = plugin.constant("PAIRED", False), _score(groups[0])
    sample = samples.paired(groups, plan.outliers) if paired else samples.apart(groups, plan.outliers)
    sizes: dict[str, object] = {"n": len(sample.columns[0])} if paired else {"n": sum(map(len, sample.columns))}
    head: dict[str, object] = {"value": groups[0].value, "test": plugin.label, **samples.unit(groups)}
    many = plugin.constant("GROUPS", "two") == "many"
    if many:
        head |= {"groups": [group.name for group in groups]}
        sizes |= {"means": [_mean(column) for column in sample.columns]}
        arguments: tuple = (sample.columns,)
    else:
        head |= _names(groups)
        sizes |= {} if paired else {"n_a": len(sample.columns[0]), "n_b": len(sample.columns[1])}
        sizes |= _levels(sample.columns, score)
        arguments = tuple(sample.columns)
    outcome = plugin.bound(clusters=sample.clusters, score=score).call(*arguments, plan.level)
    if plan.power and not many:
        outcome |= _powers(outcome, sample.columns, paired, plan.level)
    result = {**head, **sizes, "difference": None, "ci": None, "level": plan.level, **outcome,
              **_origin(groups, plan, sample, unnamed)}
    result["notes"] += _doubts(plugin, sample.columns)
    return result


def _levels(columns: list[list], score: Callable[[list[float]], float] | None) -> dict[str, float | None]:
    """Return the means of a and b, or their corpus scores, under other keys."""
    if score is None:
        return {"mean_a": _mean(columns[0]), "mean_b": _mean(columns[1])}
    return {f"corpus_{name}": score([sum(part) for part in zip(*column, strict=True)]) if column else None
            for name, column in zip("ab", columns, strict=True)}


def _names(groups: Sequence[grouping.Group]) -> dict:
    """Return what a and b are called: the groups, or two values of the same records."""
    a, b = groups
    return {"a": a.name, "b": b.name} if a.value == b.value else {"a": a.value, "b": b.value}


def _origin(groups: Sequence[grouping.Group], plan: Plan, sample: samples.Sample, unnamed: int) -> dict:
    """Return what tells how the numbers came about."""
    plugin, dropped = plan.plugin, sample.dropped
    if unnamed:
        dropped["no_group"] = unnamed
    outliers = f"sd:{plan.outliers:g}" if plan.outliers is not None else None
    return {"averaged": sum(group.averaged for group in groups), "dropped": dict(sorted(dropped.items())),
            "notes": samples.notes(groups, plugin.constant("PAIRED", False), plugin.constant("CLUSTERS", False)),
            "signature": history.signature(plugin.name, **plan.signed, **plugin.defaults(), outliers=outliers,
                                           level=plan.level)}


def _mean(values: list[float]) -> float | None:
    return moments.mean(values) if values else None


def _powers(outcome: dict, columns: list[list[float]], paired: bool, level: float) -> dict:
    """Return the power to find the effect seen, and how many pairs (or values a group) 80 % would take."""
    if outcome.get("effect_name") not in ("d", "d_z") or not outcome["effect"]:
        return {"power": None, "n_needed": None}
    n, m = map(len, columns)
    found = power.power(outcome["effect"], n if paired else n * m / (n + m), n - 1 if paired else n + m - 2, level)
    return {"power": found, "n_needed": power.needed(outcome["effect"], level, paired)}


def _doubts(plugin: registry.Plugin, columns: list[list[float]]) -> list[str]:
    """Return what speaks against the assumptions of a test."""
    assumed, found = plugin.constant("ASSUMES", ()), []
    if "normal differences" in assumed:
        p = assumptions.normality([x - y for x, y in zip(*columns, strict=True)])
        if p is not None and p < assumptions.DOUBT:
            found.append(f"the differences are not normal (K² test, {verdicts.p_is(p)}); the larger n, the less it "
                         "matters; wilcoxon and bootstrap do without")
    if "equal variances" in assumed and min(map(len, columns)) > 1:
        p = assumptions.equal_variances(*columns)
        if p is not None and p < assumptions.DOUBT:
            found.append(f"the variances differ (Brown–Forsythe test, {verdicts.p_is(p)}); welch does without")
    return found


def _correct(results: list[dict], plan: Plan) -> None:
    """Add p_adjusted to results that are not alone in their family."""
    made: dict[Any, list[dict]] = {}
    for result in results:
        if result.get("p") is not None and "groups" not in result:
            made.setdefault(_family(result, plan.family), []).append(result)
    for own in made.values():
        if len(own) > 1 and plan.correct != "none":
            for result, p in zip(own, families.adjusted([result["p"] for result in own], plan.correct), strict=True):
                result |= {"p_adjusted": p, "correction": plan.correct, "family": len(own)}


def _family(result: dict, family: str) -> object:
    return {"all": 0, "value": result["value"], "pair": (str(result.get("a")), str(result.get("b")))}[family]
