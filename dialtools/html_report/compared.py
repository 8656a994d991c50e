"""Tests of which system changes more, made for the page."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from dialtools.comparison import comparisons
from dialtools.comparison.groups import Group
from dialtools.html_report import estimates, variations
from dialtools.html_report.inputs import File
from dialtools.html_report.material import CHANGE, Row
from dialtools.system.errors import DialtoolsError

MOST_SYSTEMS = 5  # that are tested against each other here
MOST_METRICS = 4  # of records that are tested
MOST_TESTED = 40  # kinds, pools and metrics in which systems are tested
_LABELS = ("S:", "consistency:")
Names = Mapping[tuple[int, str], str]


class _Value(NamedTuple):
    """What is tested: rows of a label; the pool and the kind of their variants.

    varied: the kinds of variants in the files of the rows.
    """

    rows: Sequence[Row]
    label: str
    systems: Sequence[str]
    pool: str = ""
    kind: str = ""
    varied: Sequence[str] = ()


def tested(
    rows: Sequence[Row], names: Names, given: Collection[str], varied: Mapping[int, Sequence[str]]
) -> tuple[list[dict], str]:
    """Return paired tests of S, or of consistency, and a sentence on what was not done.

    given: the values that were tested already.
    varied: the kinds of variants in each file.

    Where nobody measured these, the change of outputs and the scores of records are tested.  Pairs
    are sources; those of several languages go together.  Of several pools the mean is tested, and
    then each pool; kinds of perturbation are tested by themselves.  p is corrected by Holm among
    the tests of means, and among those of pools.
    """
    labels = [label for label in _labels(rows) if f"scores.{label}" not in given]
    counted = estimates.counted(rows)
    whole, of_pools = [], []
    for label in labels:
        own = [row for row in counted if label in row.measured]
        for kind in dict.fromkeys(map(_kind, own)):
            of_kind = [row for row in own if _kind(row) == kind]
            pools = list(dict.fromkeys(row.group for row in of_kind))
            whole.append(
                _value(
                    _in_all(of_kind, names),
                    label,
                    names,
                    kind=kind,
                    pool="" if len(pools) > 1 else pools[0],
                )
            )
            if len(pools) > 1:
                of_pools += [
                    _value([row for row in of_kind if row.group == pool], label, names, pool, kind)
                    for pool in pools
                ]
    records = {label for row in counted for label in row.measured if label != CHANGE}
    remark = (
        f"Of {len(records):,} metrics of records the first {MOST_METRICS} are tested here."
        if len(records) > MOST_METRICS and not any(one.startswith(_LABELS) for one in records)
        else ""
    )
    families = [
        [
            value._replace(varied=_varied(value, varied))
            for value in values
            if len(value.systems) > 1
        ]
        for values in (whole, of_pools)
    ]
    if many := _too_many([value for values in families for value in values]):
        return [], many
    try:
        return [
            result for values in families if values for result in _compared(values, names)
        ], remark if any(families) else ""
    except DialtoolsError as error:
        return [], f"The systems could not be tested against each other: {error}."


def _varied(value: _Value, of_files: Mapping[int, Sequence[str]]) -> list[str]:
    """Return the kinds of variants whose outputs a value compares."""
    files = dict.fromkeys(row.file for row in value.rows)
    return variations.parts(value.kind) or list(
        dict.fromkeys(kind for file in files for kind in of_files[file])
    )


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the labels of what is tested: of sources, else of our own change and of records."""
    labels = dict.fromkeys(label for row in rows for label in row.measured)
    of_sources = [label for label in labels if label.startswith(_LABELS)]
    of_records = [label for label in labels if label != CHANGE][:MOST_METRICS]
    return of_sources or [label for label in labels if label == CHANGE] + of_records


def _kind(row: Row) -> str:
    return row.kind if row.is_source else ""


def _in_all(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return the rows of several pools that all systems have: else pools would make a difference."""
    systems = {names[row.file, row.system] for row in rows}
    if len({row.group for row in rows}) < 2:
        return list(rows)
    held = Counter({(row.lang, row.id, row.group, names[row.file, row.system]) for row in rows})
    there = Counter(key[:3] for key in held)
    return [
        row._replace(variant=f"{row.group}/{row.variant}")
        for row in rows
        if there[row.lang, row.id, row.group] == len(systems)
    ]


def _value(rows: Sequence[Row], label: str, names: Names, pool: str = "", kind: str = "") -> _Value:
    """Return what is tested, with the systems, those with the highest numbers first."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(names[row.file, row.system], []).append(row.measured[label])
    systems = sorted(values, key=lambda name: -sum(values[name]) / len(values[name]))
    return _Value(rows, label, systems, pool, kind)


def _too_many(values: Sequence[_Value]) -> str:
    most = max((len(value.systems) for value in values), default=0)
    if most <= MOST_SYSTEMS and len(values) <= MOST_TESTED:
        return ""
    what = f"{most:,} systems" if most > MOST_SYSTEMS else f"{len(values):,} kinds and metrics"
    return f"{what} are too many to be tested here: see dt-ttest --baseline."


def _compared(values: Sequence[_Value], names: Names) -> list[dict]:
    """Return tests that are corrected together, each with its pool and kind."""
    made = comparisons.compare(
        [_groups(value, names) for value in values], comparisons.Design("paired")
    )
    whose = [value for value in values for _ in combinations(value.systems, 2)]
    return [
        result
        | {
            "pool": value.pool,
            "kind": value.kind,
            "varied": value.varied,
            "affected": _counted(value, names),
        }
        for value, result in zip(whose, made, strict=True)
    ]


def _counted(value: _Value, names: Names) -> dict[str, tuple[int, int]]:
    """Return in how many sources the outputs of each system change, and of how many; {} of scores."""
    if not value.label.startswith((*_LABELS, CHANGE)):
        return {}
    changed: dict[str, dict[tuple, bool]] = {}
    for row in value.rows:
        own = changed.setdefault(names[row.file, row.system], {})
        own[row.lang, row.id] = own.get((row.lang, row.id), False) or row.measured[value.label] > 0
    return {name: (sum(own.values()), len(own)) for name, own in changed.items()}


def _groups(value: _Value, names: Names) -> list[Group]:
    """Return a group of numbers for each system, and in it an id for each source."""
    found = {name: Group(name, f"scores.{value.label}") for name in value.systems}
    held: dict[tuple[str, str], list[dict]] = {}
    for row in value.rows:
        id = f"{row.lang}/{row.id}"
        unit = {"unit": "percent"} if row.is_source else {}
        cluster = {"cluster": f"{row.lang}/{row.cluster}"} if row.cluster != row.id else {}
        held.setdefault((names[row.file, row.system], id), []).append(
            {
                "id": id,
                **cluster,
                "variant": row.variant or None,
                **unit,
                "scores": {value.label: row.measured[value.label]},
            }
        )
    for (name, _), records in held.items():
        found[name].add(records)
    return list(found.values())


def systems_of_files(files: Sequence[File], names: Names) -> dict[str, str]:
    """Return {name of a file: the system in it} for files with one system."""
    found: dict[str, set[str]] = {}
    for (file, _), name in names.items():
        found.setdefault(files[file].name.rpartition("/")[2], set()).add(name)
    return {file: next(iter(own)) for file, own in found.items() if len(own) == 1}
