"""Numbers of records, one for each id, in groups; which ids pair, and what was dropped and why."""

from collections import Counter
from collections.abc import Iterable
from math import fsum, isfinite

from dialtools import history, keyed
from dialtools.errors import OptionError, RecordError, show

LARGEST = 1e300  # sums of larger numbers could overflow
MANY = 10  # groups to name before giving up
MISSING, NULL = "missing", "null"

_ABSENT = object()


class Group:
    """The numbers of one group: for each id the mean over its variants.

    means: {id: mean}.
    lost: {id: MISSING or NULL}, the ids without any number.
    sizes: {how many numbers: how many ids have so many}.
    partial: how many records without a number have a sibling with one.
    mixed: how many ids have their original among the variants.
    clusters: how many there are, over the ids of `means`.
    units: what the records call theirs, None where they do not.
    """

    def __init__(self, name: object):
        self.name = name
        self.means: dict[str | int, float] = {}
        self.lost: dict[str | int, str] = {}
        self.sizes: Counter = Counter()
        self.partial = self.mixed = self.clusters = 0
        self.units: set[str | None] = set()
        self.first: dict = {}
        self._seen = keyed.Seen()

    def add(self, records: list[dict], value: str) -> None:
        """Add the records of one id."""
        self.first = self.first or records[0]
        id = records[0]["id"]
        if id in self.means or id in self.lost:
            raise RecordError(f"this id is in the group {self.name} already: variants of an id are averaged, "
                              "other records of it (another system's?) are not", records[0])
        found = [number(record, value) for record in records]
        numbers = [one for one in found if isinstance(one, float)]
        if not numbers:
            self.lost[id] = str(found[0])
            return
        self.means[id] = fsum(numbers) / len(numbers)
        self.sizes[len(numbers)] += 1
        self.partial += len(found) - len(numbers)
        self.mixed += len(records) > 1 and any(record.get("variant") is None for record in records)
        self.clusters += self._is_new(records[0])
        unit = records[0].get("unit")
        self.units.add(unit if isinstance(unit, str) else None)

    def _is_new(self, record: dict) -> bool:
        """Is the record's cluster one that did not come before?  Without a name it is the id itself."""
        cluster = record.get("cluster")
        if not isinstance(cluster, (str, int, type(None))):
            raise RecordError(f"a cluster is a string, here is {show(cluster)}", record)
        return cluster is None or self._seen.add(keyed.digest(cluster))

    def check(self, value: str) -> None:
        """Raise RecordError if not one record has the value, not even null."""
        if self.lost and not self.means and NULL not in self.lost.values():
            top = value.partition(".")[0]
            there = self.first.get(top)
            has = f'"{top}" has {", ".join(there)}' if isinstance(there, dict) else f"there are {', '.join(self.first)}"
            raise RecordError(f'no record of {self.name} has "{value}"; here {has}', self.first)


def number(record: dict, path: str) -> float | str:
    """Return the number at a path such as "scores.rouge2", or MISSING or NULL; RecordError for anything else."""
    value = _at(record, path)
    if value is None or value is _ABSENT:
        return NULL if value is None else MISSING
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecordError(f'"{path}" is a number, here is {show(value)}', record)
    if not abs(value) <= LARGEST or not isfinite(value):
        raise RecordError(f'"{path}" is infinite, no number, or beyond {LARGEST:g}', record)
    return float(value)


def _at(record: dict, path: str) -> object:
    """Return what stands at a path; what follows "scores." is one key, whatever is in it."""
    value: object = record
    for part in ("scores", path[7:]) if path.startswith("scores.") else path.split("."):
        if not isinstance(value, dict) or part not in value:
            return None if value is None else _ABSENT
        value = value[part]
    return value


def whole(records: Iterable[dict], value: str, name: str) -> Group:
    """Return all records as one group."""
    group = Group(name)
    for siblings in history.groups(records):
        group.add(siblings, value)
    group.check(value)
    return group


def grouped(records: Iterable[dict], value: str, by: str) -> tuple[list[Group], int]:
    """Return the two groups that records name under `by`, and how many records name none; [] for no records.

    The first group is that of the first record.  Any other number of groups is an OptionError.
    """
    groups: dict[tuple, Group] = {}
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
            groups.setdefault(key, Group(key[1])).add(part, value)
        if len(groups) > MANY:
            break
    if unnamed and not groups:
        raise RecordError(f'no record has a "{by}"; the first has {", ".join(first)}', first)
    if groups and len(groups) != 2:
        names = ", ".join(show(group.name) for group in groups.values())
        count = f"more than {MANY}" if len(groups) > MANY else len(groups)
        raise OptionError(f"a test compares two groups, --by {by} makes {count}: {names}")
    for group in groups.values():
        group.check(value)
    return list(groups.values()), unnamed


def _name(record: dict, by: str) -> str | int | float | None:
    """Return which group a record is in; a record without a variant is an original."""
    name = _at(record, by)
    if name is _ABSENT:
        return "original" if by == "variant" else None
    if not isinstance(name, (str, int, float, type(None))):
        raise RecordError(f'"{by}" names a group, here is {show(name)}', record)
    return name


def pairs(a: Group, b: Group) -> tuple[list[float], list[float], Counter]:
    """Return the numbers of the ids that both groups have, in the order of `a`, and why others were dropped."""
    dropped: Counter = Counter()
    for group, other, alone in ((a, b, "only_a"), (b, a, "only_b")):
        dropped.update(other.lost.get(id, alone) for id in group.means if id not in other.means)
    nowhere = {**b.lost, **a.lost}
    dropped.update(why for id, why in nowhere.items() if id not in a.means and id not in b.means)
    shared = [id for id in a.means if id in b.means]
    return [a.means[id] for id in shared], [b.means[id] for id in shared], dropped


def apart(a: Group, b: Group) -> tuple[list[float], list[float], Counter]:
    """Return all numbers of both groups, and why ids were dropped."""
    return list(a.means.values()), list(b.means.values()), Counter([*a.lost.values(), *b.lost.values()])


def notes(a: Group, b: Group, paired: bool) -> list[str]:
    """Return what a reader should know of how the numbers came about, a sentence each."""
    found = []
    if averaged(a) or averaged(b):
        parts = [f"{_values(group):,} of {group.name} to {len(group.means):,}" for group in (a, b)]
        found.append(f"variants of one id are not independent; their values were averaged first: {', '.join(parts)}")
        if a.sizes and b.sizes and set(a.sizes) != set(b.sizes):
            found.append("not every id has as many values in one group as in the other")
    if a.partial or b.partial:
        found.append(f"missing or null values that were left out of averages: {a.partial + b.partial:,}")
    if a.mixed or b.mixed:
        found.append(f"averages that hold an original beside its variants: {a.mixed + b.mixed:,}")
    clustered = next((group for group in (a, b) if len(group.means) > group.clusters), None)
    if clustered:
        found.append("ids of one cluster are not independent, and p may be too small "
                     f"(ids of {clustered.name}: {len(clustered.means):,}, clusters: {clustered.clusters:,})")
    shared = 0 if paired else len(a.means.keys() & b.means.keys())
    if shared:
        found.append(f"ids in both groups, which this test takes to be independent (-t paired does not): {shared:,}")
    return found


def unit(a: Group, b: Group) -> dict[str, str]:
    """Return {"unit": …} where all records name the same one."""
    units = a.units | b.units
    return {"unit": name for name in units if name is not None and len(units) == 1}


def averaged(group: Group) -> int:
    """Return how many values went into averages of more than one."""
    return sum(size * ids for size, ids in group.sizes.items() if size > 1)


def _values(group: Group) -> int:
    return sum(size * ids for size, ids in group.sizes.items())
