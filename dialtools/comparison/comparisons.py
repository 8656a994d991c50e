"""Comparisons of groups of numbers: which are made, what the test answers, p corrected for all of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any, NamedTuple

from dialtools import registry
from dialtools.comparison import corpus, grouping, powers, samples, verdicts
from dialtools.errors import OptionError
from dialtools.records import history
from dialtools.statistics import answers, assumptions, families, moments


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
    if plan.power and plan.plugin.constant("GROUPS", "two") == "one":
        raise OptionError(f"{plan.plugin.label} compares nothing: it has no power")
    for groups in values:
        corpus.check(groups, plan.plugin, others=plan.power or plan.outliers is not None)
    results = [result for groups in values for result in _of_value(groups, plan, unnamed)]
    _correct(results, plan)
    return [result | {"verdict": verdicts.verdict(result)} for result in results]


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
            **_origin([group], plan, sample, unnamed)}


def _compared(groups: Sequence[grouping.Group], plan: Plan, unnamed: int) -> dict:
    plugin = plan.plugin
    paired, many = plugin.constant("PAIRED", False), plugin.constant("GROUPS", "two") == "many"
    sample = samples.paired(groups, plan.outliers) if paired else samples.apart(groups, plan.outliers)
    columns, score = sample.columns, None
    if groups[0].is_statistics:
        columns, score = corpus.scored(groups[0].value, columns)
    call = plugin.bound(clusters=sample.clusters, score=score).call
    outcome = call(columns, plan.level) if many else call(*columns, plan.level)
    result = {"value": groups[0].value, "test": plugin.label, **samples.unit(groups),
              **(_of_many(groups, columns, paired) if many else _of_two(groups, columns, paired, score)),
              "difference": None, "ci": None, "level": plan.level, **outcome,
              **(powers.powers(outcome, columns, plan.level) if plan.power and not many else {}),
              **_origin(groups, plan, sample, unnamed)}
    result["notes"] += _doubts(plugin, columns, result) if outcome.get("p") is not None else []
    result["notes"] += powers.notes(result, plan.level) if plan.power else []
    return result


def _of_many(groups: Sequence[grouping.Group], columns: list[list[float]], paired: bool) -> dict:
    """Return names, sizes and means of several groups."""
    sizes = list(map(len, columns))
    return {"groups": [group.name for group in groups], "n": sizes[0] if paired else sum(sizes),
            "means": [_mean(column) for column in columns]}


def _of_two(groups: Sequence[grouping.Group], columns: list[list], paired: bool, score: corpus.Score | None) -> dict:
    """Return names and sizes of a and b, and their means or, under other keys, their corpus scores."""
    n, m = map(len, columns)
    sizes = {"n": n} if paired else {"n": n + m, "n_a": n, "n_b": m}
    if score is None:
        return {**_names(groups), **sizes, "mean_a": _mean(columns[0]), "mean_b": _mean(columns[1])}
    levels = [score([fsum(part) for part in zip(*column, strict=True)]) if column else None for column in columns]
    return {**_names(groups), **sizes, "corpus_a": levels[0], "corpus_b": levels[1]}


def _names(groups: Sequence[grouping.Group]) -> dict:
    """Return what a and b are called: the groups, or two values of the same records."""
    a, b = groups
    return {"a": a.name, "b": b.name} if a.value == b.value else {"a": a.value, "b": b.value}


def _origin(groups: Sequence[grouping.Group], plan: Plan, sample: samples.Sample, unnamed: int) -> dict:
    """Return what tells how the numbers came about."""
    plugin, dropped = plan.plugin, sample.dropped + Counter(no_group=unnamed)
    outliers = f"sd:{plan.outliers:g}" if plan.outliers is not None else None
    return {"averaged": sum(group.averaged for group in groups), "dropped": dict(sorted(dropped.items())),
            "notes": samples.notes(groups, plugin.constant("PAIRED", False), plugin.constant("CLUSTERS", False)),
            "signature": history.signature(plugin.name, **plan.signed, **plugin.defaults(), outliers=outliers,
                                           level=plan.level)}


def _mean(values: list[float]) -> float | None:
    return moments.mean(values) if values else None


def _doubts(plugin: registry.Plugin, columns: list[list[float]], result: dict) -> list[str]:
    """Return what speaks against the assumptions of a test."""
    assumed, (drawn, what) = plugin.constant("ASSUMES", ()), _drawn(plugin, columns, result)
    doubts = []
    if "normal differences" in assumed:
        doubts.append(_not_normal(columns, "margin" in result))
    if "interval" in plugin.defaults() and result["ci"]:
        doubts.append(_few_drawn(drawn, what, "many values" in assumed))
    if "many ranks" in assumed and drawn < assumptions.FEW_RANKS:
        doubts.append(f"p is by t, which is rough for {drawn} ranks; kendall is exact")
    if "equal variances" in assumed or "equal variances of no effect" in assumed and _may_be_none(result):
        doubts.append(_unequal_variances(columns))
    return list(filter(None, doubts))


def _drawn(plugin: registry.Plugin, columns: list[list[float]], result: dict) -> tuple[int, str]:
    """Return how many things a resampling test draws from, and what they are."""
    if "clusters" in result:
        return result["clusters"], "clusters"
    return min(map(len, columns)), "pairs" if plugin.constant("PAIRED", False) else "values"


def _not_normal(columns: list[list[float]], equivalence: bool) -> str:
    """Return why the differences of pairs are in doubt, and what test does without; "" where they are not."""
    p = assumptions.normality([x - y for x, y in zip(*columns, strict=True)])
    if p is None or p >= assumptions.DOUBT:
        return ""
    others = "wilcoxon and bootstrap do without"
    if equivalence:
        others = "an interval of -t bootstrap within the margin, at --level 0.9 for 0.95, does without"
    return f"the differences are not normal (K² test, {verdicts.p_is(p)}); the larger n, the less it matters; {others}"


def _few_drawn(number: int, what: str, has_p: bool) -> str:
    """Return what is in doubt where a bootstrap draws from few; "" where it does not. has_p: p comes of the draws."""
    few = assumptions.few_drawn(number, what)
    wrong = "p may be too small (permutation does without)" if has_p else "the interval may be too narrow"
    return f"{few}: {wrong}" if few else ""


def _may_be_none(result: dict) -> bool:
    """Does the interval of an effect hold 0, or is there none?"""
    low, high = result["effect_ci"] or (0, 0)
    return low <= 0 <= high


def _unequal_variances(columns: list[list[float]]) -> str:
    p = assumptions.equal_variances(*columns)
    if p is None or p >= assumptions.DOUBT:
        return ""
    return f"the variances differ (Brown–Forsythe test, {verdicts.p_is(p)}); welch does without"


def _correct(results: list[dict], plan: Plan) -> None:
    """Add corrected p to results that are not alone in their family; the tests of several groups are one by themselves.

    What follows from p follows from the corrected one.
    """
    for key in ("p", "p_difference"):
        made: dict[Any, list[dict]] = {}
        for result in results:
            if result.get(key) is not None:
                made.setdefault(("groups" in result, _family(result, plan.family)), []).append(result)
        for own in made.values():
            if len(own) > 1 and plan.correct != "none":
                adjusted = families.adjusted([result[key] for result in own], plan.correct)
                for result, p in zip(own, adjusted, strict=True):
                    result |= {f"{key}_adjusted": p, "correction": plan.correct, "family": len(own)}
    for result in results:
        if "equivalent" in result and "p_adjusted" in result:
            result["equivalent"] = result["p_adjusted"] < answers.alpha(plan.level)


def _family(result: dict, family: str) -> object:
    return {"all": 0, "value": result["value"], "pair": (str(result.get("a")), str(result.get("b")))}[family]
