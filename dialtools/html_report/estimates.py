"""Numbers with intervals, of results as they were given and of the rows of a sample; their systems.

A mean over sources has the interval of dt-score: that of t, with the standard error over dialogues
(clusters), which are what was drawn, or Wilson's where all values are 0 or 100.
"""

import os
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from math import fsum, isclose
from typing import NamedTuple

from dialtools.evaluation import units
from dialtools.evaluation.metric import Metric
from dialtools.html_report import inputs
from dialtools.html_report.inputs import File
from dialtools.html_report.material import CHANGE, Material, Row, apart, group_of
from dialtools.records.wellformed import is_number
from dialtools.statistics import clustered
from dialtools.system import stable_hash
from dialtools.system.errors import DialtoolsError

Names = Mapping[tuple[int, str], str]  # {(number of a file, system): what to call it}

DIMENSIONS = ("consistency", "saliency", "faithfulness")
OF_QUALITY = ("corpus", "mean", "sentence_mean")  # the first that there is of a metric is shown
OF_SENSITIVITY = ("mean", "S", "R", "D")
_GIVEN = {
    inputs.QUALITY: OF_QUALITY,
    inputs.SENSITIVITY: (
        *OF_SENSITIVITY,
        "worst",
        "affected",
        "control",
        "of_control",
        "distinct",
    ),
    inputs.ROBUSTNESS: DIMENSIONS,
}


# between what a number can lie, of those in percent
_BOUNDS = {
    **dict.fromkeys(
        (*OF_SENSITIVITY, "sentence_mean", "control", "distinct", "affected", "consistency"),
        (0.0, 100.0),
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


def all_of(material: Material, names: Names) -> dict[Key, Estimate]:
    """Return the numbers of results and of rows; a result's own comes before that of its rows.

    Intervals of t end where no number can lie beyond, in tables and pictures alike; they hold the
    true mean as often as uncut ones.

    names: what to call a system of a file.
    """
    estimates = dict(_of_rows(material.sample.rows(), names))
    has_pools = len(material.pools()) > 1
    for kind in inputs.SUMMARIES:
        for result in material.results[kind]:
            pool = group_of(result) if has_pools and "group" not in result else ""
            for key, estimate in _of_result(result, kind, pool, names):
                of_rows = estimates.get(key)
                if of_rows and isclose(of_rows.value, estimate.value, rel_tol=1e-6, abs_tol=1e-6):
                    estimate = estimate._replace(ci=estimate.ci or of_rows.ci)
                    if not material.sample.is_cut:
                        estimate = estimate._replace(n=of_rows.n, left="")
                estimates[key] = estimate
    return {key: within(estimate, key.measure) for key, estimate in estimates.items()}


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


def _of_result(result: dict, kind: str, pool: str, names: Names) -> Iterator[tuple[Key, Estimate]]:
    system = result.get("system")
    called = names.get((result["file"], str(system)), str(system)) if system else ""
    group, variants = apart(
        pool if result.get("group") is None else str(result["group"]),
        str(result.get("kind") or ""),
        kind == inputs.ROBUSTNESS,
    )
    metric, lang = str(result["metric"]), str(result.get("lang") or "")
    for measure in _GIVEN[kind]:
        value, ci = result.get(measure), result.get(f"{measure}_ci")
        if value is not None and is_number(value):
            ci = ci if isinstance(ci, list) else None
            n, left = _sources(result, measure)
            other_unit = result.get("sentence_unit") if measure == "sentence_mean" else None
            in_unit = str(other_unit or result.get("unit") or unit(metric)[0])
            is_bootstrap = kind == inputs.ROBUSTNESS and ci is not None
            estimate = Estimate(float(value), ci, n, in_unit, left, is_bootstrap)
            yield Key(metric, measure, called, lang, group, variants), estimate


def _sources(result: dict, measure: str) -> tuple[int, str]:
    """Return how many sources a number of a result is of, and how many variants it leaves out where
    nobody knows of how many sources they are all variants.
    """
    n, variants = int(result.get("n") or 0), int(result.get("variants") or 0)
    lacking = {"saliency": "no_reference", "faithfulness": "no_dialogue"}.get(measure, "")
    n -= int(result.get(lacking) or 0) if lacking else 0
    zero = int((result.get("zero_denominator") or {}).get(measure) or 0)
    if variants <= int(result.get("n") or 0):  # one of each source
        return n - zero, ""
    return n, f"without {zero:,} of {variants:,} variants" if zero else ""


def _of_rows(rows: Iterable[Row], names: Names) -> Iterator[tuple[Key, Estimate]]:
    held: defaultdict[Key, dict] = defaultdict(dict)
    factors: dict[Key, tuple[str, float]] = {}
    for row in counted(list(rows)):
        for label, value in row.measured.items():
            measure, metric = measured(label)
            is_percent = row.is_source or metric == CHANGE
            if not row.is_source and units.has_corpus(metric):
                measure = "sentence_mean"
            kind, system = row.kind if row.is_source else "", names[row.file, row.system]
            key = Key(metric, measure, system, row.lang, row.group, kind)
            factors.setdefault(key, ("percent", 1.0) if is_percent else unit(metric))
            held[key].setdefault((row.cluster, row.id), []).append(value)
    for key, values in held.items():
        name, factor = factors[key]
        yield (
            key,
            mean(
                (
                    (cluster, factor * fsum(of_source) / len(of_source))
                    for (cluster, _), of_source in values.items()
                ),
                name,
                key.measure,
            ),
        )


def counted(rows: Sequence[Row]) -> list[Row]:
    """Return rows without originals in files that have variants, whose quality it is then."""
    varied = {row.file for row in rows if row.variant and not row.is_source}
    return [row for row in rows if row.is_source or row.variant or row.file not in varied]


def measured(label: str) -> tuple[str, str]:
    """Return the measure and the metric of the label of a score.

    >>> measured("S:rouge2"), measured("chrf:beta=2"), measured("consistency:rougeL")
    (('S', 'rouge2'), ('mean', 'chrf:beta=2'), ('consistency', 'rougeL'))
    """
    head, colon, metric = label.partition(":")
    if colon and head in ("S", "R", "D", *DIMENSIONS):
        return head, metric
    return ("S", CHANGE) if label == CHANGE else ("mean", label)


def mean(values: Iterable[tuple[str | int, float]], unit: str, measure: str = "S") -> Estimate:
    """Return the mean of the numbers of sources, each with its cluster, and its interval."""
    sample = clustered.Sample()
    for cluster, value in values:
        sample.add(stable_hash.digest(cluster), value)
    is_share = unit == "percent" and _BOUNDS.get(measure) == (0.0, 100.0)
    is_varied = measure == "mean" or any(sample.values)  # as in evaluation/sensitivity.py
    result = clustered.mean(sample, proportion_of=100.0 if is_share and is_varied else None)
    value = result.mean if result else 0.0
    return Estimate(value, clustered.interval(result), len(sample.values), unit)


def unit(label: str) -> tuple[str, float]:
    """Return the unit that a metric's numbers are shown in, and what a record's is multiplied by.

    >>> unit("rouge2"), unit("bleu"), unit("no such metric")
    (('percent', 100.0), ('points', 1.0), ('as given', 1.0))
    """
    scale = units.of_path(f"{units.SCORES}{label}")
    return scale.name, scale.factor


def is_better_higher(label: str) -> bool:
    """Return whether a higher number of a metric is better, as far as anybody says."""
    try:
        return units.better(Metric(label)) == "higher"
    except (DialtoolsError, ImportError):
        return False


def names_of(material: Material) -> Names:
    """Return what to call the systems of files: where two files have numbers of one under one name,
    the parts of their paths that differ, too.
    """
    files_of: defaultdict[str, set[int]] = defaultdict(set)
    files_with: defaultdict[Hashable, set[int]] = defaultdict(set)
    for system, file, key in _numbers(material):
        files_of[system].add(file)
        files_with[system, key].add(file)
    twice: defaultdict[str, set[int]] = defaultdict(set)
    for (system, _), files in files_with.items():  # type: ignore[misc]
        if len(files) > 1:
            twice[system] |= files
    names: dict[tuple[int, str], str] = {}
    for system, files in files_of.items():
        parts = _parts_of_paths(files if twice[system] else (), material.files)
        names |= {
            (file, system): f"{system} ({parts[file]})" if parts.get(file) else system
            for file in files
        }
    return names


def _numbers(material: Material) -> Iterator[tuple[str, int, Hashable]]:
    """Yield the system, the file and the identity of each number."""
    rows = material.sample.rows()
    is_measured = any(label != CHANGE for row in rows if row.is_source for label in row.measured)
    for row in rows:
        whose = row.lang, row.group, row.kind, row.id, row.variant, row.position
        for label in row.measured:
            if label == CHANGE and is_measured:
                label = f"{CHANGE} {row.file}"  # which is not shown
            yield row.system, row.file, (row.is_source, label, *whose)
    for kind in inputs.SUMMARIES:
        for result in material.results[kind]:
            if result.get("system"):
                of = tuple(str(result.get(key)) for key in ("lang", "group", "kind", "chain"))
                yield str(result["system"]), result["file"], (kind, result["metric"], *of)


def _parts_of_paths(numbers: Collection[int], files: Sequence[File]) -> dict[int, str]:
    """Return for each file the parts of its path that not all of them share."""
    paths = {}
    for number in numbers:
        folder = os.path.dirname(files[number].name)
        paths[number] = [*filter(None, folder.split(os.sep)), files[number].stem]
    shared = set.intersection(*map(set, paths.values())) if paths else set()
    parts = {
        number: "/".join(part for part in path if part not in shared)
        for number, path in paths.items()
    }
    are_apart = len(set(parts.values())) == len(parts) or "" not in parts.values()
    return parts if are_apart else {number: f"file {number + 1}" for number in parts}


def systems_of_files(files: Sequence[File], names: Names) -> dict[str, str]:
    """Return {name of a file: the system in it} for files with one system."""
    systems: dict[str, set[str]] = {}
    for (file, _), name in names.items():
        systems.setdefault(files[file].name.rpartition("/")[2], set()).add(name)
    return {file: min(within) for file, within in systems.items() if len(within) == 1}
