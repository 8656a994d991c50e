"""Numbers with intervals, of results as they were given and of the observations of a sample; their
systems.

A mean over sources has the interval of dt-score: that of t, with the standard error over dialogues
(clusters), which are what was drawn, or Wilson's where all values are 0 or 100.
"""

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import fsum, inf, isclose
from typing import NamedTuple

from dialtools.evaluation import units
from dialtools.html_report import input_lines
from dialtools.html_report.input_lines import InputFile
from dialtools.html_report.material import Material, Observation, apart, group_of
from dialtools.records.wellformed import is_number
from dialtools.statistics import clustered
from dialtools.system import stable_hash

Names = Mapping[tuple[int, str], str]  # {(number of a file, system): what to call it}

DIMENSIONS = ("consistency", "saliency", "faithfulness")
OF_QUALITY = ("corpus", "mean", "sentence_mean")  # the first that there is of a metric is shown
_OF_SENSITIVITY = ("mean", "S", "R", "D")
_GIVEN = {
    input_lines.QUALITY: OF_QUALITY,
    input_lines.SENSITIVITY: (
        *_OF_SENSITIVITY,
        "worst",
        "affected",
        "control",
        "of_control",
        "distinct",
    ),
    input_lines.ROBUSTNESS: DIMENSIONS,
}
_BOUNDED = ("percent", "points")  # units of numbers from 0 to 100
# between what a number can lie, of those in such units
_BOUNDS = {
    **dict.fromkeys(
        (
            *_OF_SENSITIVITY,
            "corpus",
            "sentence_mean",
            "control",
            "distinct",
            "affected",
            "consistency",
        ),
        (0.0, 100.0),
    ),
    **dict.fromkeys(("saliency", "faithfulness"), (0.0, inf)),
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

    left_out: what it is not of.
    is_bootstrap: is the interval that of a bootstrap, and not of t?
    """

    value: float
    ci: list[float] | None
    n: int
    unit: str
    left_out: str = ""
    is_bootstrap: bool = False


Numbers = Mapping[Key, Estimate]


def varied(keys: Sequence[Key], *names: str) -> list[str]:
    """Return what of language, group and kind is not the same in all keys."""
    return [name for name in names if len({getattr(key, name) for key in keys}) > 1]


def all_of(material: Material, names: Names) -> dict[Key, Estimate]:
    """Return the numbers of results and of observations; a result's own comes before that of its
    observations.

    Intervals of t end where no number can lie beyond, in tables and pictures alike; they hold the
    true mean as often as uncut ones.

    names: what to call a system of a file.  Observations have these names already.
    """
    estimates = dict(_of_rows(material.sample.rows()))
    has_pools = len(material.pools()) > 1
    for kind in input_lines.SUMMARIES:
        for result in material.results[kind]:
            pool = group_of(result) if has_pools and "group" not in result else ""
            for key, estimate in _of_result(result, kind, pool, names):
                of_rows = estimates.get(key)
                if of_rows and isclose(of_rows.value, estimate.value, rel_tol=1e-6, abs_tol=1e-6):
                    estimate = estimate._replace(ci=estimate.ci or of_rows.ci)
                    if not material.sample.is_cut:
                        estimate = estimate._replace(n=of_rows.n, left_out="")
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
    if estimate.ci is None or estimate.unit not in _BOUNDED or measure not in _BOUNDS:
        return estimate
    low, high = _BOUNDS[measure]
    low, high = min(low, estimate.value), max(high, estimate.value)
    return estimate._replace(ci=[max(estimate.ci[0], low), min(estimate.ci[1], high)])


def difference_within(test: dict) -> dict:
    """Return a test whose interval of a difference ends where no difference can lie beyond."""
    measure, _ = measured(str(test.get("value")).removeprefix(units.SCORES))
    if (
        not test.get("ci")
        or test.get("unit") not in _BOUNDED
        or _BOUNDS.get(measure, (0, inf))[1] == inf
    ):
        return test
    return test | {"ci": [min(max(end, -100.0), 100.0) for end in test["ci"]]}


def _of_result(result: dict, kind: str, pool: str, names: Names) -> Iterator[tuple[Key, Estimate]]:
    system = result.get("system")
    called = names.get((result["file"], str(system)), str(system)) if system else ""
    group, variants = apart(
        pool if result.get("group") is None else str(result["group"]),
        str(result.get("kind") or ""),
        kind == input_lines.ROBUSTNESS,
    )
    metric, lang = str(result["metric"]), str(result.get("lang") or "")
    for measure in _GIVEN[kind]:
        value, ci = result.get(measure), result.get(f"{measure}_ci")
        if value is None or not is_number(value):
            continue
        ci = ci if isinstance(ci, list) else None

        # of how many sources it is, or how many variants it leaves out where nobody knows of how
        # many sources they are all variants
        n, number_of_variants = int(result.get("n") or 0), int(result.get("variants") or 0)
        zero = int((result.get("zero_denominator") or {}).get(measure) or 0)
        is_one_of_each = number_of_variants <= n
        lacking = {"saliency": "no_reference", "faithfulness": "no_dialogue"}.get(measure, "")
        n -= int(result.get(lacking) or 0) if lacking else 0
        left_out = ""
        if is_one_of_each:
            n -= zero
        elif zero:
            left_out = f"without {zero:,} of {number_of_variants:,} variants"

        other_unit = result.get("sentence_unit") if measure == "sentence_mean" else None
        in_unit = str(other_unit or result.get("unit") or unit(metric)[0])
        is_bootstrap = kind == input_lines.ROBUSTNESS and ci is not None
        estimate = Estimate(float(value), ci, n, in_unit, left_out, is_bootstrap)
        key = Key(metric, _of_outputs(measure, metric), called, lang, group, variants)
        yield key, estimate


def _of_rows(rows: Sequence[Observation]) -> Iterator[tuple[Key, Estimate]]:
    values: defaultdict[Key, dict] = defaultdict(dict)
    factors: dict[Key, tuple[str, float]] = {}
    are_of_sources = {
        (row.system, row.lang, label) for row in rows if row.is_source for label in row.measured
    }
    for row in of_quality(rows):
        for label, value in row.measured.items():
            if not row.is_source and (row.system, row.lang, label) in are_of_sources:
                continue  # the quality of its source says the same
            measure, metric = measured(label)
            kind = row.kind if row.is_source else ""
            key = Key(metric, _of_outputs(measure, metric), row.system, row.lang, row.group, kind)
            factors.setdefault(key, ("percent", 1.0) if row.is_source else unit(metric))
            values[key].setdefault((row.cluster, row.id), []).append(value)
    for key, sources in values.items():
        name, factor = factors[key]
        of_sources = (
            (cluster, factor * fsum(of_source) / len(of_source))
            for (cluster, _), of_source in sources.items()
        )
        yield key, mean(of_sources, name, key.measure)


def _of_outputs(measure: str, metric: str) -> str:
    """Return a measure, the mean of a metric that has a corpus score by its own name."""
    return "sentence_mean" if measure == "mean" and units.has_corpus(metric) else measure


def of_quality(rows: Sequence[Observation]) -> list[Observation]:
    """Return observations without originals in files that have variants, whose quality it is then."""
    varied = {row.file for row in rows if row.variant and not row.is_source}
    return [row for row in rows if row.is_source or row.variant or row.file not in varied]


def measured(label: str) -> tuple[str, str]:
    """Return the measure and the metric of the label of a score.

    >>> measured("S:rouge2"), measured("chrf:beta=2"), measured("consistency:rougeL")
    (('S', 'rouge2'), ('mean', 'chrf:beta=2'), ('consistency', 'rougeL'))
    """
    head, colon, metric = label.partition(":")
    return (head, metric) if colon and head in units.LOWER else ("mean", label)


def mean(values: Iterable[tuple[str | int, float]], unit: str, measure: str = "S") -> Estimate:
    """Return the mean of the numbers of sources, each with its cluster, and its interval."""
    sample = clustered.ClusteredValues()
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


def names_of(material: Material) -> Names:
    """Return what to call the systems of files: where two files have numbers of one under one name,
    the parts of their paths that differ, too.
    """
    files_of: defaultdict[str, set[int]] = defaultdict(set)
    files_with: defaultdict[tuple[str, Hashable], set[int]] = defaultdict(set)
    for system, file, key in _identities(material):
        files_of[system].add(file)
        files_with[system, key].add(file)
    namesakes: defaultdict[str, set[int]] = defaultdict(set)
    for (system, _), files in files_with.items():
        if len(files) > 1:
            namesakes[system] |= files
    names: dict[tuple[int, str], str] = {}
    for system, files in files_of.items():
        # of each file the parts of its path that not all of them share
        paths = {}
        for number in files if namesakes[system] else ():
            path = material.files[number]
            folders = filter(None, os.path.dirname(path.name).split(os.sep))
            paths[number] = [*folders, path.stem]
        shared = set.intersection(*map(set, paths.values())) if paths else set()
        parts = {
            number: "/".join(part for part in path if part not in shared)
            for number, path in paths.items()
        }
        if len(set(parts.values())) < len(parts) and "" in parts.values():
            parts = {number: f"file {number + 1}" for number in parts}
        for number in files:
            name = f"{system} ({parts[number]})" if parts.get(number) else system
            names[number, system] = name
    return names


def _identities(material: Material) -> Iterator[tuple[str, int, Hashable]]:
    """Yield the system, the file and the identity of each number."""
    for row in material.sample.rows():
        whose = row.lang, row.group, row.kind, row.id, row.variant, row.position
        for label in row.measured:
            yield row.system, row.file, (row.is_source, label, *whose)
    for kind in input_lines.SUMMARIES:
        for result in material.results[kind]:
            if result.get("system"):
                of = tuple(str(result.get(key)) for key in ("lang", "group", "kind", "chain"))
                yield str(result["system"]), result["file"], (kind, result["metric"], *of)


def systems_of_files(files: Sequence[InputFile], names: Names) -> dict[str, str]:
    """Return {name of a file: the system in it} for files with one system."""
    systems: dict[str, set[str]] = {}
    for (file, _), name in names.items():
        systems.setdefault(files[file].name.rpartition("/")[2], set()).add(name)
    return {file: min(within) for file, within in systems.items() if len(within) == 1}
