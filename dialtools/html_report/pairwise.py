"""Pairs: systems that are tested against each other for the page, texts whose perplexities are compared."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from dialtools.comparison import comparisons
from dialtools.comparison.groups import Group
from dialtools.html_report import estimates, provenance
from dialtools.html_report.input_lines import LABELS_OF_SOURCES, InputFile
from dialtools.html_report.material import Observation
from dialtools.records import history
from dialtools.records.wellformed import is_number
from dialtools.system.errors import DialtoolsError

MOST_SYSTEMS = 5  # that are tested against each other here
MOST_METRICS = 4  # of records that are tested
MOST_TESTED = 40  # kinds, pools and metrics in which systems are tested
PERPLEXITY = "perplexity"


@dataclass
class _TestedValue:
    """What systems are tested in: observations that have a label, of one pool and kind of variants.

    systems: those with the highest means first.
    """

    rows: Sequence[Observation]
    label: str
    systems: Sequence[str]
    pool: str
    kind: str


def tested(
    rows: Sequence[Observation],
    given: Collection[str],
    varied: Mapping[int, Sequence[str]],
) -> tuple[list[dict], str]:
    """Return paired tests of S, or of consistency, and a sentence on what was not done.

    given: the values that were tested already.
    varied: the kinds of variants in each file.

    Where nobody measured these, the scores of records are tested.  Pairs
    are sources; those of several languages go together.  Of several pools the mean is tested, and
    then each pool; kinds of perturbation are tested by themselves.  p is corrected by Holm among
    the tests of means, and among those of pools.
    """
    counted = estimates.of_quality(rows)
    labels = dict.fromkeys(label for row in rows for label in row.measured)
    of_sources = [label for label in labels if label.startswith(LABELS_OF_SOURCES)]
    of_means: list[_TestedValue] = []
    of_pools: list[_TestedValue] = []
    for label in of_sources or [*labels][:MOST_METRICS]:
        if f"scores.{label}" in given or f"statistics.{label}" in given:
            continue
        kinds: dict[str, list[Observation]] = {}
        for row in counted:
            if label in row.measured:
                kinds.setdefault(row.kind if row.is_source else "", []).append(row)
        for kind, of_kind in kinds.items():
            pools: dict[str, list[Observation]] = {}
            for row in of_kind:
                pools.setdefault(row.group, []).append(row)
            if len(pools) == 1:
                of_means.append(_tested_value(of_kind, label, next(iter(pools)), kind))
                continue
            of_means.append(_tested_value(_in_all_systems(of_kind), label, "", kind))
            of_pools += [
                _tested_value(of_pool, label, pool, kind) for pool, of_pool in pools.items()
            ]

    families = [[value for value in of if len(value.systems) > 1] for of in (of_means, of_pools)]
    most = max((len(value.systems) for values in families for value in values), default=0)
    number = sum(map(len, families))
    if most > MOST_SYSTEMS or number > MOST_TESTED:
        many = f"{most:,} systems" if most > MOST_SYSTEMS else f"{number:,} kinds and metrics"
        return [], f"{many} are too many to be tested here: see dt-ttest --baseline."
    try:
        tests = [test for values in families if values for test in _compared(values, varied)]
    except DialtoolsError as error:
        return [], f"The systems could not be tested against each other: {error}."
    is_cut = len(labels) > MOST_METRICS and not of_sources
    remark = f"Of {len(labels):,} metrics of records the first {MOST_METRICS} are tested here."
    return tests, remark if is_cut and any(families) else ""


def _in_all_systems(rows: Sequence[Observation]) -> list[Observation]:
    """Return the rows of pools that all systems have: else pools would make a difference."""
    systems = {row.system for row in rows}
    cells = {(row.lang, row.id, row.group, row.system) for row in rows}
    systems_with = Counter(cell[:3] for cell in cells)
    return [
        row._replace(variant=f"{row.group}/{row.variant}")
        for row in rows
        if systems_with[row.lang, row.id, row.group] == len(systems)
    ]


def _tested_value(rows: Sequence[Observation], label: str, pool: str, kind: str) -> _TestedValue:
    numbers: dict[str, list[float]] = {}
    for row in rows:
        numbers.setdefault(row.system, []).append(row.measured[label])
    systems = sorted(numbers, key=lambda name: -sum(numbers[name]) / len(numbers[name]))
    return _TestedValue(rows, label, systems, pool, kind)


def _compared(values: Sequence[_TestedValue], varied: Mapping[int, Sequence[str]]) -> list[dict]:
    """Return tests that are corrected together, each with its pool and kind, and in how many
    sources the outputs of each system change, and of how many.
    """
    groups = [_groups(value) for value in values]
    results = comparisons.compare(groups, comparisons.Design("paired"))
    facts = []
    for value in values:
        changed: dict[str, dict[tuple, bool]] = {}
        for row in value.rows if value.label.startswith(LABELS_OF_SOURCES) else ():
            sources = changed.setdefault(row.system, {})
            is_changed = sources.get((row.lang, row.id), False) or row.measured[value.label] > 0
            sources[row.lang, row.id] = is_changed
        in_files = (varied[file] for file in dict.fromkeys(row.file for row in value.rows))
        kinds = dict.fromkeys(kind for in_file in in_files for kind in in_file)
        fact = {
            "pool": value.pool,
            "kind": value.kind,
            "varied": provenance.kinds_of(value.kind) or list(kinds),
            "affected": {
                name: (sum(sources.values()), len(sources)) for name, sources in changed.items()
            },
        }
        facts += [fact for _ in combinations(value.systems, 2)]
    return [result | fact for result, fact in zip(results, facts, strict=True)]


def _groups(value: _TestedValue) -> list[Group]:
    """Return a group of numbers for each system, and in it an id for each source."""
    groups = {name: Group(name, f"scores.{value.label}") for name in value.systems}
    sources: dict[tuple[str, str], list[dict]] = {}
    for row in value.rows:
        id = f"{row.lang}/{row.id}"
        record = {
            "id": id,
            "variant": row.variant or None,
            "scores": {value.label: row.measured[value.label]},
        }
        if row.is_source:
            record["unit"] = "percent"
        if row.cluster != row.id:
            record["cluster"] = f"{row.lang}/{row.cluster}"
        sources.setdefault((row.system, id), []).append(record)
    for (name, _), records in sources.items():
        groups[name].add(records)
    return list(groups.values())


class TextPair(NamedTuple):
    """Two records of one id, and what their texts have; a mean where there are several."""

    id: str | int
    rows: tuple[Observation, Observation]
    values: tuple[float, float]

    @property
    def gap(self) -> float:
        """How far the two values are apart."""
        return abs(self.values[0] - self.values[1])


class TextPairs(NamedTuple):
    """The pairs of two groups of texts, with the names of these, and the label of the values."""

    names: tuple[str, str]
    label: str
    pairs: Sequence[TextPair]


def of_texts(
    results: Sequence[dict],
    rows: Sequence[Observation],
    files: Sequence[InputFile],
    of_files: Mapping[str, str],
) -> list[TextPairs]:
    """Return the pairs of each comparison of perplexities, and those of texts and their variants
    within a file.
    """

    def labels(row: Observation) -> list[str]:
        return [label for label in row.measured if label.partition(":")[0] == PERPLEXITY]

    measured = [row for row in rows if not row.is_source and labels(row)]
    compared = []
    for result in of_perplexity(results):
        label = str(result["value"]).removeprefix("scores.")
        called = [str(result[key]).rpartition("/")[2] for key in ("a", "b")]
        a, b = (
            [
                row
                for row in measured
                if label in row.measured
                and name in (files[row.file].name.rpartition("/")[2], row.system)
            ]
            for name in called
        )
        name_a, name_b = (of_files.get(name, name) for name in called)
        compared.append(TextPairs((name_a, name_b), label, _paired(label, a, b)))
    shown = {row.file for pairs in compared for pair in pairs.pairs for row in pair.rows}
    series = dict.fromkeys(
        (row.file, row.system, row.lang, row.kind, label)
        for row in measured
        if row.variant and row.file not in shown
        for label in labels(row)
    )
    for file, system, lang, kind, label in series:
        alike = [
            row for row in measured if (row.file, row.system, row.lang) == (file, system, lang)
        ]
        originals = [row for row in alike if not row.variant]
        variants = [row for row in alike if row.kind == kind]
        pairs = _paired(label, originals, variants)
        compared.append(TextPairs((system, history.typed(kind)), label, pairs))
    return [pairs for pairs in compared if pairs.pairs]


def of_perplexity(results: Sequence[dict]) -> list[dict]:
    """Return the tests that compare perplexities."""
    return [
        result
        for result in results
        if PERPLEXITY in str(result.get("value"))
        and "a" in result
        and is_number(result.get("statistic"))
    ]


def _paired(
    label: str, rows_of_a: Sequence[Observation], rows_of_b: Sequence[Observation]
) -> list[TextPair]:
    """Return the pairs of rows with the same id and language."""
    a: dict[tuple, list[Observation]] = {}
    b: dict[tuple, list[Observation]] = {}
    for side, rows in ((a, rows_of_a), (b, rows_of_b)):
        for row in rows:
            side.setdefault((row.lang, row.id), []).append(row)
    pairs = []
    for key in filter(b.__contains__, a):
        means = [fmean(row.measured[label] for row in side[key]) for side in (a, b)]
        pairs.append(TextPair(key[1], (a[key][0], b[key][0]), (means[0], means[1])))
    return pairs
