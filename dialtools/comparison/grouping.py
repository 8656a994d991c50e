"""Numbers of records in groups: one for each id, the mean over its variants.

Where a path begins with "statistics." the number of an id is a list, or counts
under names, those of its variants added up; a corpus score is computed from
their sums.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from math import fsum, isfinite
from typing import Any

from dialtools import noise
from dialtools.errors import OptionError, RecordError, show, show_names
from dialtools.records import history, paths

LARGEST = 1e300  # sums of larger numbers could overflow
SMALLEST = 1e-300  # what lies nearer to 0 is 0: its differences would vanish
MANY = 10  # groups to name before giving up
MISSING, NULL = "missing", "null"
PER = ("id", "cluster", "record")

STATISTICS = "statistics."


class Group:
    """The numbers of one group under one value: for each id the mean over its variants.

    means: {id: mean}; {(id, variant): number} where each record counts by itself.
    lost: {id: MISSING or NULL}, the ids without any number.
    cluster_of: {id: cluster} of those that name one.
    sizes: {how many numbers: how many ids have so many}.
    partial: how many records without a number have a sibling with one.
    mixed: how many ids have their original among the variants.
    unchanged: how many variants with a number no filter has changed.
    units: what the records call theirs, None where they do not.
    identity: how far outputs were from those of another batching, as in noise.py.
    """

    def __init__(self, name: object, value: str, per: str = "id"):
        self.name, self.value, self.per = name, value, per
        self.means: dict = {}
        self.lost: dict = {}
        self.cluster_of: dict = {}
        self.sizes: Counter = Counter()
        self.partial = self.mixed = self.unchanged = 0
        self.units: set[str | None] = set()
        self.first: dict = {}
        self.identity: list[float] = []

    def add(self, records: list[dict]) -> None:
        """Add the records of one id."""
        self.identity += noise.counted(records)
        if self.per == "record":
            for record in records:
                self._add((record["id"], record.get("variant")), [record])
        else:
            self._add(records[0]["id"], records)

    def _add(self, key: object, records: list[dict]) -> None:
        self.first = self.first or records[0]
        if key in self.means or key in self.lost:
            raise RecordError(f"this id came before in this group ({self.name}): variants of an id are averaged; "
                              "other records of it, such as another system's, want an id of their own", records[0])
        values = [number(record, self.value) for record in records]
        has_value = [value not in (MISSING, NULL) for value in values]
        if not any(has_value):
            self.lost[key] = values[0]
            return
        numbers, with_value = list(compress(values, has_value)), list(compress(records, has_value))
        self.means[key] = _added(numbers, records[0]) if self.is_statistics else fsum(numbers) / len(numbers)
        self.sizes[len(numbers)] += 1
        self.partial += len(values) - len(numbers)
        self.unchanged += sum(map(_is_unchanged, with_value))
        self.mixed += len(records) > 1 and any(record.get("variant") is None for record in records)
        cluster = _cluster(records[0], self.per == "record")
        if cluster is not None:
            self.cluster_of[key] = cluster
        unit = records[0].get("unit")
        self.units.add(unit if isinstance(unit, str) else None)

    def check(self) -> None:
        """Raise RecordError if not one record has the value, not even null."""
        if self.lost and not self.means and NULL not in self.lost.values():
            top = self.value.partition(".")[0]
            there = self.first.get(top)
            has = f"there are {show_names(self.first)}"
            if isinstance(there, dict):
                has = f'"{top}" has {show_names(there)}'
            raise RecordError(f'no record of {self.name} has "{self.value}"; here {has}', self.first)

    @property
    def is_statistics(self) -> bool:
        """Are its numbers lists?"""
        return self.value.startswith(STATISTICS)

    @property
    def clusters(self) -> int:
        """How many clusters there are; an id without one is one by itself."""
        return len(set(self.cluster_of.values())) + len(self.means) - len(self.cluster_of)

    @property
    def averaged(self) -> int:
        """How many values went into averages of more than one."""
        return sum(size * ids for size, ids in self.sizes.items() if size > 1)


def _is_unchanged(record: dict) -> bool:
    """Did all filters that were to change a variant find nothing to change?"""
    changed = [entry["changed"] for entry in record.get("history") or () if "changed" in entry]
    return bool(changed and record.get("variant")) and not any(changed)


def _cluster(record: dict, else_id: bool) -> str | int | None:
    cluster = record.get("cluster")
    if cluster is not None and type(cluster) not in (str, int):
        raise RecordError(f"a cluster is a string or an integer, here is {show(cluster)}", record)
    return record["id"] if cluster is None and else_id else cluster


def _added(rows: list, record: dict) -> list[float] | dict[str, float]:
    """Return the sums of lists of one length, or of counts under the same names."""
    if isinstance(rows[0], dict) and all(isinstance(row, dict) for row in rows):
        return {name: fsum(row.get(name, 0.0) for row in rows) for name in dict.fromkeys(chain.from_iterable(rows))}
    if any(isinstance(row, dict) for row in rows) or len(set(map(len, rows))) > 1:
        raise RecordError("its variants have statistics of different kinds or lengths", record)
    return [fsum(column) for column in zip(*rows, strict=True)]


def number(record: dict, path: str) -> Any:
    """Return the number at a path such as "scores.rouge2", or MISSING or NULL; RecordError for anything else.

    True and false, as JSON says yes and no, are 1 and 0.
    Of "statistics.…" it is a list of numbers, or {name: number}.
    """
    value, lacking = paths.at(record, path)
    if value is None or lacking is not None:
        return NULL if value is None else MISSING
    if path.startswith(STATISTICS):
        if isinstance(value, dict):
            return {name: _number(record, path, one) for name, one in value.items()}
        if not isinstance(value, list) or not value:
            raise RecordError(f'"{path}" is a list of numbers, or counts under names, here is {show(value)}', record)
        return [_number(record, path, one) for one in value]
    return _number(record, path, value)


def _number(record: dict, path: str, value: object) -> float:
    if not isinstance(value, (int, float)):
        read = path in record and re.fullmatch(r"-?\d*\.?\d+", str(value))
        cell = f", a string; in csv and tsv call the column {path}:json" if read else ""
        raise RecordError(f'"{path}" is a number, here is {show(value)}{cell}', record)
    if not abs(value) <= LARGEST or not isfinite(value):
        raise RecordError(f'"{path}" is infinite, no number, or beyond {LARGEST:g}', record)
    return float(value) if abs(value) >= SMALLEST else 0.0


def whole(records: Iterable[dict], values: Sequence[str], name: str, per: str) -> list[Group]:
    """Return all records as one group for each value, called by the name."""
    groups = [Group(name, value, per) for value in values]
    for siblings in history.groups(records):
        for group in groups:
            group.add(siblings)
    for group in groups:
        group.check()
    return groups


def grouped(records: Iterable[dict], values: Sequence[str], by: str, per: str,
            fewest: int) -> tuple[list[list[Group]], int]:
    """Return for each value the groups that records name under `by`, and how many records name none.

    Groups stand in the order of their first records; no records make [].  Less than `fewest` groups, or more
    than MANY, are an OptionError.
    """
    groups: dict[tuple, list[Group]] = {}
    first: dict = {}
    unnamed = 0
    for siblings in history.groups(records):
        first = first or siblings[0]
        parts: dict[tuple, list[dict]] = {}
        for record in siblings:
            name = _name(record, by)
            unnamed += name is None
            if name is not None:
                parts.setdefault((type(name), name), []).append(record)  # 1, 1.0 and True are one key alone
        for key, part in parts.items():
            for group in groups.setdefault(key, [Group(key[1], value, per) for value in values]):
                group.add(part)
        if len(groups) > MANY:
            break
    if unnamed and not groups:
        raise RecordError(f'no record has a "{by}"; the first has {show_names(first)}', first)
    _check_number([show(own[0].name) for own in groups.values()], by, fewest)
    for own in groups.values():
        for group in own:
            group.check()
    return [list(one) for one in zip(*groups.values(), strict=True)], unnamed


def _check_number(names: list[str], by: str, fewest: int) -> None:
    if 0 < len(names) < fewest or len(names) > MANY:
        count = f"more than {MANY}" if len(names) > MANY else 1
        raise OptionError(f"a test compares two groups or some more, --by {by} makes {count}: {', '.join(names)}")


def _name(record: dict, by: str) -> str | int | float | None:
    """Return which group a record is in; a record without a variant is an original."""
    name, lacking = paths.at(record, by)
    if lacking is not None:
        return "original" if by == "variant" else None
    if not isinstance(name, (str, int, float, type(None))):
        raise RecordError(f'"{by}" names a group, here is {show(name)}', record)
    return name
