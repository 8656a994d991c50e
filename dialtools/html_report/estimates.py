"""Numbers with intervals, of results as they were given and of the rows of a sample.

A mean over sources has the interval of dt-score: that of t, with the standard error over dialogues
(clusters), which are what was drawn, or Wilson's where all values are 0 or 100.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import NamedTuple

from dialtools.evaluation import units
from dialtools.evaluation.metric import Metric
from dialtools.html_report import recognition
from dialtools.html_report.material import CHANGE, Material, Row, apart, group_of
from dialtools.records.wellformed import is_number
from dialtools.statistics import clustered
from dialtools.system import stable_hash
from dialtools.system.errors import DialtoolsError

DIMENSIONS = ("consistency", "saliency", "faithfulness")
OF_SENSITIVITY = ("mean", "S", "R", "D")
_GIVEN = {
    recognition.QUALITY: ("mean", "corpus"),
    recognition.SENSITIVITY: (
        *OF_SENSITIVITY,
        "worst",
        "affected",
        "control",
        "of_control",
        "distinct",
    ),
    recognition.ROBUSTNESS: DIMENSIONS,
}


# between what a number can lie, of those in percent
_BOUNDS = {
    **dict.fromkeys(
        ("mean", "S", "R", "D", "control", "distinct", "affected", "consistency"), (0.0, 100.0)
    ),
    **dict.fromkeys(("saliency", "faithfulness"), (0.0, float("inf"))),
}


class Key(NamedTuple):
    """What a number is of."""

    metric: str
    measure: str
    system: str
    lang: str
    group: str
    kind: str


class Estimate(NamedTuple):
    """A number, its interval at 95 %, how many sources it is of.

    left: what it is not of.
    is_bootstrap: is the interval that of a bootstrap, and not of t?
    """

    value: float
    ci: list[float] | None
    n: int
    unit: str
    left: str = ""
    is_bootstrap: bool = False


def all_of(material: Material, names: dict[tuple[int, str], str]) -> dict[Key, Estimate]:
    """Return the numbers of results and of rows; a result's own comes before that of its rows.

    Intervals of t end where no number can lie beyond, in tables and pictures alike; they hold the
    true mean as often as uncut ones.

    names: what to call a system of a file.
    """
    found = dict(_of_rows(material.sample.rows(), names))
    has_pools = len(material.pools()) > 1
    for kind in recognition.SUMMARIES:
        for result in material.results[kind]:
            pool = group_of(result) if has_pools and "group" not in result else ""
            for key, estimate in _of_result(result, kind, pool, names):
                own = found.get(key)
                if own and _is_same(own.value, estimate.value):
                    estimate = estimate._replace(ci=estimate.ci or own.ci)
                    if not material.sample.is_cut:
                        estimate = estimate._replace(n=own.n, left="")
                found[key] = estimate
    return {key: within(estimate, key.measure) for key, estimate in found.items()}


def within(estimate: Estimate, measure: str) -> Estimate:
    """Return an estimate whose interval ends where no number of a measure can lie beyond, without
    an interval where all sources have the same number.

    >>> within(Estimate(4.0, [-1.0, 9.0], 8, "percent"), "S").ci
    [0.0, 9.0]
    """
    if estimate.ci and estimate.ci[0] == estimate.ci[1]:
        return estimate._replace(ci=None)
    if estimate.ci is None or estimate.unit != "percent" or measure not in _BOUNDS:
        return estimate
    low, high = _BOUNDS[measure]
    low, high = min(low, estimate.value), max(high, estimate.value)
    return estimate._replace(ci=[max(estimate.ci[0], low), min(estimate.ci[1], high)])


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(1.0, abs(one))


def _of_result(
    result: dict, kind: str, pool: str, names: dict[tuple[int, str], str]
) -> Iterator[tuple[Key, Estimate]]:
    system = result.get("system")
    called = names.get((result["file"], str(system)), str(system)) if system else ""
    group, variants = apart(
        pool if result.get("group") is None else str(result["group"]),
        str(result.get("kind") or ""),
        kind == recognition.ROBUSTNESS,
    )
    for measure in _GIVEN[kind]:
        value, ci = result.get(measure), result.get(f"{measure}_ci")
        if value is not None and is_number(value):
            key = Key(
                str(result["metric"]),
                measure,
                called,
                str(result.get("lang") or ""),
                group,
                variants,
            )
            n, left = _sources(result, measure)
            yield (
                key,
                Estimate(
                    float(value),
                    ci if isinstance(ci, list) else None,
                    n,
                    str(result.get("unit") or unit(key.metric)[0]),
                    left,
                    kind == recognition.ROBUSTNESS and isinstance(ci, list),
                ),
            )


def _sources(result: dict, measure: str) -> tuple[int, str]:
    """Return how many sources a number of a result is of, and how many variants it leaves out where
    nobody knows of how many sources they are all variants.
    """
    n, variants = int(result.get("n") or 0), int(result.get("variants") or 0)
    lacking = {"saliency": "no_reference", "faithfulness": "no_dialogue"}.get(measure, "")
    n -= int(result.get(lacking) or 0)
    zero = int((result.get("zero_denominator") or {}).get(measure) or 0)
    if variants <= int(result.get("n") or 0):  # one of each source
        return n - zero, ""
    return n, f"without {zero:,} of {variants:,} variants" if zero else ""


def _of_rows(
    rows: Iterable[Row], names: dict[tuple[int, str], str]
) -> Iterator[tuple[Key, Estimate]]:
    held: defaultdict[Key, dict] = defaultdict(dict)
    factors: dict[Key, tuple[str, float]] = {}
    for row in counted(list(rows)):
        for label, value in row.measured.items():
            key, scale = _key(row, label, names)
            factors.setdefault(key, scale)
            held[key].setdefault((row.cluster, row.id), []).append(value)
    for key, values in held.items():
        name, factor = factors[key]
        yield (
            key,
            mean(
                ((cluster, factor * fsum(own) / len(own)) for (cluster, _), own in values.items()),
                name,
                key.measure,
            ),
        )


def counted(rows: Sequence[Row]) -> list[Row]:
    """Return rows without originals in files that have variants, whose quality it is then."""
    varied = {row.file for row in rows if row.variant and not row.is_source}
    return [row for row in rows if row.is_source or row.variant or row.file not in varied]


def _key(row: Row, label: str, names: dict[tuple[int, str], str]) -> tuple[Key, tuple[str, float]]:
    measure, metric = measured(label)
    system = names[row.file, row.system]
    kind = row.kind if row.is_source else ""
    if row.is_source or metric == CHANGE:
        return Key(metric, measure, system, row.lang, row.group, kind), ("percent", 1.0)
    name, factor = unit(metric)
    return Key(metric, measure, system, row.lang, row.group, kind), (name, factor)


def measured(label: str) -> tuple[str, str]:
    """Return the measure and the metric of the label of a score.

    >>> measured("S:rouge2"), measured("chrf:beta=2"), measured("consistency:rougeL")
    (('S', 'rouge2'), ('mean', 'chrf:beta=2'), ('consistency', 'rougeL'))
    """
    head, colon, rest = label.partition(":")
    if colon and head in ("S", "R", "D", *DIMENSIONS):
        return head, rest
    return ("S", CHANGE) if label == CHANGE else ("mean", label)


def mean(values: Iterable[tuple[str | int, float]], unit: str, measure: str = "S") -> Estimate:
    """Return the mean of the numbers of sources, each with its cluster, and its interval."""
    sample = clustered.Sample()
    for cluster, value in values:
        sample.add(stable_hash.digest(cluster), value)
    is_share = unit == "percent" and _BOUNDS.get(measure) == (0.0, 100.0)
    is_varied = measure == "mean" or any(sample.values)  # as in evaluation/sensitivity.py
    found = clustered.mean(sample, proportion_of=100.0 if is_share and is_varied else None)
    return Estimate(
        found.mean if found else 0.0, clustered.interval(found), len(sample.values), unit
    )


def unit(label: str) -> tuple[str, float]:
    """Return the unit that a metric's numbers are shown in, and what a record's is multiplied by.

    >>> unit("rouge2"), unit("bleu"), unit("no such metric")
    (('percent', 100.0), ('points', 1.0), ('as given', 1.0))
    """
    found = units.of_path(f"{units.SCORES}{label}")
    return found.name, found.factor


def is_better_higher(label: str) -> bool:
    """Return whether a higher number of a metric is better, as far as anybody says."""
    try:
        return units.better(Metric(label)) == "higher"
    except (DialtoolsError, ImportError):
        return False
