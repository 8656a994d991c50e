"""The numbers of records in groups: for each id the mean over its variants.

For a path that begins with "statistics." the number of an id is a list, or counts
under names, summed over its variants; a corpus score is computed from the sums.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from math import fsum, isfinite
from typing import Any

from dialtools.evaluation import chains, gaps, noise, units
from dialtools.records import history, values
from dialtools.system.errors import OptionError, RecordError, show, show_names

LARGEST = 1e300  # sums of larger numbers could overflow
SMALLEST = 1e-300  # smaller numbers count as 0, because their differences would vanish
MANY = 10  # groups that are named before giving up
MISSING, NULL = "missing", "null"
STATISTICS = units.STATISTICS
# what stands before the label of a metric in scores of sources
OF_SOURCES = ("S", "R", "D", "consistency", "saliency", "faithfulness")


class Group:
    """The numbers of one group under one path.

    means: {id: mean}, or {(id, variant): number} if each record counts by itself.
    lost: {id: MISSING or NULL} for ids without any number.
    cluster_of: {id: cluster} for ids that name one.
    sizes: {number of values: number of ids with so many}.
    partial: number of records without a number whose siblings have one.
    mixed: number of ids with an original among the variants.
    unchanged: number of variants with a number that no filter changed.
    unit: of the numbers as they are shown; records have them in the reference package's unit.
    identity: distances of outputs from those of another batching, as in noise.py.
    typed: the path as it was given, perhaps the label of a metric.
    of_corpus: whether the label of a metric alone stands for its corpus score, if it has one.
    """

    def __init__(self, name: object, path: str, per: str = "id", of_corpus: bool = False):
        self.name, self.path, self.per, self.of_corpus = name, path, per, of_corpus
        self.typed = path
        self.means: dict = {}
        self.lost: dict = {}
        self.cluster_of: dict = {}
        self.sizes: Counter = Counter()
        self.partial = self.mixed = self.unchanged = 0
        self.known = units.of_path(path)
        self.in_percent: bool | None = None  # do records say that their scores are in percent?
        self.first: dict = {}
        self.identity: list[float] = []
        self.chain = chains.Chain(_label(path))

    def add(self, records: list[dict]) -> None:
        """Add the records of one id."""
        self.identity += noise.counted(records)
        if self.per == "record":
            for record in records:
                self._add((record["id"], record.get("variant")), [record])
        else:
            self._add(records[0]["id"], records)

    def _add(self, key: object, records: list[dict]) -> None:
        first = records[0]
        self.first = self.first or first
        if key in self.means or key in self.lost:
            raise RecordError(
                f"this id comes twice in group {self.name}, but not as variants: "
                "give the records of each system ids of their own",
                first,
            )
        if not self.means:
            self._read_at(self._path_in(first))
        values = [number(record, self.path) for record in records]
        has_number = [value not in (MISSING, NULL) for value in values]
        if not any(has_number):
            self.lost[key] = values[0]
            return
        numbers = list(compress(values, has_number))
        self.means[key] = (
            _sums(numbers, first) if self.is_statistics else fsum(numbers) / len(numbers)
        )
        self.sizes[len(numbers)] += 1
        for record in compress(records, has_number):
            self.chain.add(record)
        self.partial += len(values) - len(numbers)
        self.unchanged += sum(map(_is_unchanged, compress(records, has_number)))
        self.mixed += len(records) > 1 and any(record.get("variant") is None for record in records)
        cluster = _cluster(first, self.per == "record")
        if cluster is not None:
            self.cluster_of[key] = cluster
        self._check_unit(first, numbers)

    def _path_in(self, record: dict) -> str:
        """Return the path that a label is short for: scores.rouge2, or statistics.bleu."""
        path = values.of_score(record, self.path)
        label = path.removeprefix(units.SCORES)
        is_resampled = self.of_corpus and path != self.path and units.is_resampled(label)
        has_statistics = is_resampled and label in (record.get("statistics") or {})
        return f"{STATISTICS}{label}" if has_statistics else path

    def _read_at(self, path: str) -> None:
        self.path, self.known = path, units.of_path(path)
        self.chain.labels = (_label(path),)

    def _check_unit(self, record: dict, numbers: list) -> None:
        """Raise RecordError if some scores are percentages, or look like them."""
        in_percent = record.get("unit") == units.PERCENT and not self.is_statistics
        if self.in_percent not in (None, in_percent):
            raise RecordError(
                f'"{self.path}" is in percent ("unit") in some records of '
                f"{self.name} but not in others",
                record,
            )
        self.in_percent = in_percent
        if self.known.name == units.PERCENT and not in_percent and not self.is_statistics:
            units.require_share(max(numbers), self.path, record)

    @property
    def unit(self) -> units.Unit:
        """The unit that the numbers are shown in, and how they get into it."""
        return units.SHARE if self.in_percent else self.known

    def require_values(self) -> None:
        """Raise RecordError if no record has the path, not even with null."""
        if self.lost and not self.means and NULL not in self.lost.values():
            top = self.path.partition(".")[0]
            there = self.first.get(top)
            has = (
                f'"{top}" has {show_names(there)}'
                if isinstance(there, dict)
                else f"the first has {show_names(self.first)}"
            )
            raise RecordError(f'no record of {self.name} has "{self.path}"; {has}', self.first)

    @property
    def is_statistics(self) -> bool:
        """Tell whether the numbers are statistics of a corpus score."""
        return self.path.startswith(STATISTICS)

    @property
    def clusters(self) -> int:
        """The number of clusters; an id without one is its own cluster."""
        return len(set(self.cluster_of.values())) + len(self.means) - len(self.cluster_of)

    @property
    def values(self) -> int:
        """The number of values of all ids."""
        return sum(size * ids for size, ids in self.sizes.items())

    @property
    def averaged(self) -> int:
        """The number of values that went into means of more than one."""
        return self.values - self.sizes[1]


def _label(path: str) -> str:
    """Return the label of the metric whose scores stand at a path: rouge2 of scores.S:rouge2."""
    label = path.partition(".")[2]
    first, _, metric = label.partition(":")
    return metric if first in OF_SOURCES else label


def _is_unchanged(record: dict) -> bool:
    """Did all filters that should change a variant find nothing to change?"""
    changed = [entry["changed"] for entry in record.get("history") or () if "changed" in entry]
    return bool(changed and record.get("variant")) and not any(changed)


def _cluster(record: dict, else_id: bool) -> str | int | None:
    cluster = record.get("cluster")
    if cluster is not None and type(cluster) not in (str, int):
        raise RecordError(f'"cluster" must be a string or an integer, not {show(cluster)}', record)
    return record["id"] if cluster is None and else_id else cluster


def _sums(rows: list, record: dict) -> list[float] | dict[str, float]:
    """Return the sums of lists of one length, or of counts under names."""
    if all(isinstance(row, dict) for row in rows):
        return {
            name: fsum(row.get(name, 0.0) for row in rows)
            for name in dict.fromkeys(chain.from_iterable(rows))
        }
    if any(isinstance(row, dict) for row in rows) or len(set(map(len, rows))) > 1:
        raise RecordError("its variants have statistics of different kinds or lengths", record)
    return [fsum(column) for column in zip(*rows, strict=True)]


def number(record: dict, path: str) -> Any:
    """Return the number at a path such as "scores.rouge2", or MISSING or NULL.

    true and false are 1 and 0, a text such as "4" is its number, and an empty one is NULL;
    statistics are a list of numbers, or {name: number}.
    """
    value, lacking = values.at(record, path)
    if lacking is not None and value is not None:
        return MISSING
    if value is None or isinstance(value, str) and not value.strip():
        return NULL
    if not path.startswith(STATISTICS):
        return _number(record, path, value)
    if isinstance(value, dict):
        return {name: _number(record, path, one) for name, one in value.items()}
    if not isinstance(value, list) or not value:
        raise RecordError(
            f'"{path}" must be a list of numbers, or counts under names, not {show(value)}', record
        )
    return [_number(record, path, one) for one in value]


def _number(record: dict, path: str, value: object) -> float:
    parsed = values.number_of(value) if isinstance(value, str) else value
    if not isinstance(parsed, (int, float)):
        raise no_number(record, path, value)
    if not abs(parsed) <= LARGEST or not isfinite(parsed):
        raise RecordError(f'"{path}" is infinite, not a number, or beyond {LARGEST:g}', record)
    return float(parsed) if abs(parsed) >= SMALLEST else 0.0


def no_number(record: dict, path: str, value: object) -> RecordError:
    """Return the error of a value that is no number where a test needs one."""
    remedy = (
        "; leave the cell empty, or null, where there is none" if isinstance(value, str) else ""
    )
    return RecordError(f'"{path}" must be a number, not {show(value)}{remedy}', record)


def group_all(
    records: Iterable[dict], values: Sequence[str], name: str, per: str, of_corpus: bool = False
) -> list[Group]:
    """Return all records as one group for each value."""
    groups = [Group(name, value, per, of_corpus) for value in values]
    for siblings in history.groups(records):
        for group in groups:
            group.add(siblings)
    for group in groups:
        group.require_values()
    return groups


def group_by(
    records: Iterable[dict],
    values: Sequence[str],
    by: str,
    per: str,
    fewest: int,
    of_corpus: bool = False,
) -> tuple[list[list[Group]], int]:
    """Return for each value the groups that records name under `by`, and the number without one.

    Groups are in the order of their first records; without records there are none.  Raise
    OptionError for fewer than `fewest` groups, or more than MANY.
    """
    groups: dict[tuple, list[Group]] = {}
    first: dict = {}
    unnamed = 0
    for siblings in history.groups(records):
        first = first or siblings[0]
        parts: dict[tuple, list[dict]] = {}
        for record in siblings:
            name = group_name(record, by)
            unnamed += name is None
            if name is not None:  # without the type 1, 1.0 and True would be one key
                parts.setdefault((type(name), name), []).append(record)
        for key, part in parts.items():
            if key not in groups:
                groups[key] = [Group(key[1], value, per, of_corpus) for value in values]
            for group in groups[key]:
                group.add(part)
        if len(groups) > MANY:
            break
    if unnamed and not groups:
        raise RecordError(f'no record has "{by}"; the first has {show_names(first)}', first)
    if 0 < len(groups) < fewest or len(groups) > MANY:
        count = f"more than {MANY} groups" if len(groups) > MANY else "1 group"
        names = ", ".join(show(own[0].name) for own in groups.values())
        raise OptionError(
            f"a test compares 2 to {MANY} groups, but --by {by} makes {count}: {names}"
        )
    for group in chain.from_iterable(groups.values()):
        group.require_values()
    return [list(one) for one in zip(*groups.values(), strict=True)], unnamed


def group_name(record: dict, by: str) -> str | int | float | None:
    """Return the group of a record, as `gaps.group` does; one without a variant is an original."""
    name, lacking = values.at(record, by)
    if lacking is not None:
        return "original" if by == "variant" else gaps.group(record, by)
    if not isinstance(name, (str, int, float, type(None))):
        raise RecordError(f'"{by}" must name a group, not {show(name)}', record)
    if name == "":  # of a table, where an empty cell names no group
        return None
    return history.typed(str(name)) if by == "variant" and name is not None else name
