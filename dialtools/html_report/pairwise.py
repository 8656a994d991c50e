"""Pairs of systems: dt-ttest's comparisons made for the page, and the section on all tests."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from dialtools.comparison import comparisons
from dialtools.comparison.groups import Group
from dialtools.html_report import claims, estimates, parts, pictures, variations
from dialtools.html_report.drawing import Mark
from dialtools.html_report.estimates import Names
from dialtools.html_report.inputs import LABELS_OF_SOURCES
from dialtools.html_report.material import CHANGE, Row
from dialtools.html_report.parts import Cell, Line, Picture, Section, Table, interval, number
from dialtools.records.wellformed import is_number
from dialtools.system.errors import DialtoolsError

MOST_SYSTEMS = 5  # that are tested against each other here
MOST_METRICS = 4  # of records that are tested
MOST_TESTED = 40  # kinds, pools and metrics in which systems are tested
MOST_DIFFERENCES = 30  # in a picture


@dataclass
class Value:
    """A value that systems are tested in: rows that have a label, of one pool and kind of variants.

    systems: those with the highest means first.
    varied: the kinds of variants in the files of the rows.
    """

    rows: Sequence[Row]
    label: str
    systems: Sequence[str]
    pool: str
    kind: str
    varied: Sequence[str]


def tested(
    rows: Sequence[Row],
    names: Names,
    given: Collection[str],
    varied: Mapping[int, Sequence[str]],
) -> tuple[list[dict], str]:
    """Return paired tests of S, or of consistency, and a sentence on what was not done.

    given: the values that were tested already.
    varied: the kinds of variants in each file.

    Where nobody measured these, the change of outputs and the scores of records are tested.  Pairs
    are sources; those of several languages go together.  Of several pools the mean is tested, and
    then each pool; kinds of perturbation are tested by themselves.  p is corrected by Holm among
    the tests of means, and among those of pools.
    """
    of_means: list[Value] = []
    of_pools: list[Value] = []
    counted = estimates.counted(rows)
    for label in _labels(rows):
        if f"scores.{label}" in given or f"statistics.{label}" in given:
            continue
        kinds: dict[str, list[Row]] = {}
        for row in counted:
            if label in row.measured:
                kinds.setdefault(row.kind if row.is_source else "", []).append(row)
        for kind, of_kind in kinds.items():
            pools: dict[str, list[Row]] = {}
            for row in of_kind:
                pools.setdefault(row.group, []).append(row)
            values = {**pools} if len(pools) > 1 else {}
            in_all = _in_all_systems(of_kind, names) if values else of_kind
            pool = "" if values else next(iter(pools))
            of_means.append(_value(in_all, label, names, pool, kind, varied))
            for pool, of_pool in values.items():
                of_pools.append(_value(of_pool, label, names, pool, kind, varied))

    families = [[value for value in of if len(value.systems) > 1] for of in (of_means, of_pools)]
    most = max((len(value.systems) for values in families for value in values), default=0)
    number = sum(map(len, families))
    if most > MOST_SYSTEMS or number > MOST_TESTED:
        many = f"{most:,} systems" if most > MOST_SYSTEMS else f"{number:,} kinds and metrics"
        return [], f"{many} are too many to be tested here: see dt-ttest --baseline."
    try:
        tests = [test for values in families if values for test in _compared(values, names)]
    except DialtoolsError as error:
        return [], f"The systems could not be tested against each other: {error}."
    metrics = {label for row in counted for label in row.measured if label != CHANGE}
    is_cut = len(metrics) > MOST_METRICS and not any(map(_is_of_sources, metrics))
    remark = f"Of {len(metrics):,} metrics of records the first {MOST_METRICS} are tested here."
    return tests, remark if is_cut and any(families) else ""


def _is_of_sources(label: str) -> bool:
    return label.startswith(LABELS_OF_SOURCES)


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the labels of what is tested: of sources, else of our own change and of records."""
    labels = dict.fromkeys(label for row in rows for label in row.measured)
    of_records = [label for label in labels if label != CHANGE][:MOST_METRICS]
    change = [CHANGE] if CHANGE in labels else []
    return list(filter(_is_of_sources, labels)) or change + of_records


def _in_all_systems(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return the rows of pools that all systems have: else pools would make a difference."""
    systems = {names[row.file, row.system] for row in rows}
    cells = {(row.lang, row.id, row.group, names[row.file, row.system]) for row in rows}
    systems_with = Counter(cell[:3] for cell in cells)
    return [
        row._replace(variant=f"{row.group}/{row.variant}")
        for row in rows
        if systems_with[row.lang, row.id, row.group] == len(systems)
    ]


def _value(
    rows: Sequence[Row],
    label: str,
    names: Names,
    pool: str,
    kind: str,
    varied: Mapping[int, Sequence[str]],
) -> Value:
    numbers: dict[str, list[float]] = {}
    for row in rows:
        numbers.setdefault(names[row.file, row.system], []).append(row.measured[label])
    systems = sorted(numbers, key=lambda name: -sum(numbers[name]) / len(numbers[name]))
    in_files = dict.fromkeys(
        name for file in dict.fromkeys(row.file for row in rows) for name in varied[file]
    )
    kinds = variations.kinds_of(kind) or list(in_files)
    return Value(rows, label, systems, pool, kind, kinds)


def _compared(values: Sequence[Value], names: Names) -> list[dict]:
    """Return tests that are corrected together, each with its pool and kind, and in how many
    sources the outputs of each system change, and of how many.
    """
    groups = [_groups(value, names) for value in values]
    results = comparisons.compare(groups, comparisons.Design("paired"))
    facts = []
    for value in values:
        changed: dict[str, dict[tuple, bool]] = {}
        for row in value.rows if value.label.startswith((*LABELS_OF_SOURCES, CHANGE)) else ():
            sources = changed.setdefault(names[row.file, row.system], {})
            is_changed = sources.get((row.lang, row.id), False) or row.measured[value.label] > 0
            sources[row.lang, row.id] = is_changed
        affected = {name: (sum(own.values()), len(own)) for name, own in changed.items()}
        fact = {"pool": value.pool, "kind": value.kind, "varied": value.varied}
        facts += [fact | {"affected": affected} for _ in combinations(value.systems, 2)]
    return [result | fact for result, fact in zip(results, facts, strict=True)]


def _groups(value: Value, names: Names) -> list[Group]:
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
        sources.setdefault((names[row.file, row.system], id), []).append(record)
    for (name, _), records in sources.items():
        groups[name].add(records)
    return list(groups.values())


def section(results: Sequence[dict], of_files: claims.Systems, number: int) -> Section | None:
    """Return all comparisons as a table, and their differences with intervals.

    number: how many of them, the first, were made for this page.
    """
    if not results:
        return None
    pairs = [
        result
        for result in results
        if "a" in result and result.get("p") is not None and is_number(result.get("difference"))
    ]
    units: dict[str, list[dict]] = {}
    for result in pairs:
        units.setdefault(str(result.get("unit") or result["value"]), []).append(result)
    sentences = []
    if number:
        tests_were = "1 test was" if number == 1 else f"{number} tests were"
        sentences.append(
            f"{tests_were} made for this page: paired t tests over sources, p corrected by "
            "Holm for several."
        )
    levels = sorted({result.get("ci_level") or result["level"] for result in pairs})
    if len(levels) > 1:
        sentences.append(
            f"Intervals are at {100 * levels[0]:.4g} %; one of several tests has a wider one, at "
            f"up to {100 * levels[-1]:.4g} %, so that it excludes 0 just where the corrected p is "
            "small enough."
        )
    shown = [_differences(alike, unit, of_files) for unit, alike in units.items()]
    return Section("tests", "Tests", sentences, [_table(results, of_files)], shown)


def _differences(results: Sequence[dict], unit: str, of_files: claims.Systems) -> Picture:
    """Return the differences of comparisons as a picture; a row says what not all have alike."""
    facts = []
    for result in results:
        a, b = claims.named(result, of_files)
        value = parts.spec(parts.value_of(result))
        facts.append([f"{a} − {b}", _pool(result, results), str(result.get("kind") or ""), value])
    alike = [len(set(column)) == 1 for column in zip(*facts, strict=True)]
    if all(alike):
        rows = [facts[0][0]] * len(facts)
    else:
        rows = [
            " · ".join(part for part, same in zip(row, alike, strict=True) if part and not same)
            for row in facts
        ]
    of_all = ", ".join(part for part, same in zip(facts[0], alike, strict=True) if part and same)
    marks = [
        Mark(row, "difference", result["difference"], result.get("ci"))
        for row, result in zip(rows, results, strict=True)
    ]
    in_unit = "" if unit in ("raw", "as given") else f", {unit}"
    return Picture(
        f"differences-{unit}",
        f"Differences{in_unit}" + (f": {of_all}" if of_all else ""),
        "Each difference with its interval; where p was corrected for several tests, so "
        f"was the interval.{parts.not_shown(marks, MOST_DIFFERENCES, 'comparisons')}",
        partial(pictures.dots, marks[:MOST_DIFFERENCES], f"difference{in_unit}", zero=True),
        Table(
            "Differences",
            ["comparison", "difference", "interval"],
            [parts.line([mark.row, number(mark.value), interval(mark.ci)]) for mark in marks],
        ),
    )


def _pool(result: dict, results: Sequence[dict]) -> str:
    """Return the pool of a test; "all pools" of one beside tests of single pools."""
    if result.get("pool") == "" and any(test.get("pool") for test in results):
        return "all pools"
    return str(result.get("pool") or "")


def _table(results: Sequence[dict], of_files: claims.Systems) -> Table:
    varied = [key for key in ("pool", "kind") if any(result.get(key) for result in results)]
    rows: list[Line] = []
    for result in results:
        if "a" in result:
            names = claims.named(result, of_files)
        else:
            names = ", ".join(map(str, result.get("groups") or [result.get("group", "")])), ""
        kind = str(result.get("kind") or "")
        more = {"pool": _pool(result, results), "kind": kind}
        cells: list = [
            *names,
            parts.spec(parts.value_of(result)),
            *(more[key] for key in varied),
            _number(result, "mean_a"),
            _number(result, "mean_b"),
            _number(result, "difference", interval(result.get("ci")).text),
            parts.p_of(result),
            _number(result, "effect", str(result.get("effect_name") or "")),
            int(result.get("n") or 0),
            str(result["test"]),
        ]
        rows.append(parts.line(cells, kind=kind))
    means = ("mean of a", "mean of b", "difference")
    columns = ["a", "b", "value", *varied, *means, "p", "effect", "n", "test"]
    return Table("Tests; below a difference, its interval", columns, rows)


def _number(result: dict, key: str, below: str = "") -> Cell:
    value = result.get(key)
    return number(value if is_number(value) else None, below)
