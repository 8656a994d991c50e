"""The numbers of records in groups, for each id the mean over its variants, and samples of them.

For a path that begins with "statistics." the number of an id is a list, or counts
under names, summed over its variants; a corpus score is computed from the sums.  A sample has the
numbers of groups, paired by id or independent, and tells what was dropped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress
from math import fsum
from typing import Any, NamedTuple

from dialtools.evaluation import chains, noise, units
from dialtools.records import jsonl, ratings, values
from dialtools.statistics import moments
from dialtools.system.errors import RecordError, show, show_names

MISSING, NULL = "missing", "null"
_NO_RATINGS = {*jsonl.KEYS, "history", "scores", "statistics", "errors"}  # may be lists or objects


class Group:
    """The numbers of one group under one path.

    source: what the group was called at first, such as the file of a system.
    systems: of the records; None of one without.
    means: {id: mean}, or {(id, variant): number} if each record counts by itself; the system is
    part of the key where several may have one id.
    lost: {id: MISSING or NULL} for ids without any number.
    cluster_of: {id: cluster} for ids that name one.
    sizes: {number of values: number of ids with so many}.
    partial: number of records without a number whose siblings have one.
    mixed: number of ids with an original among the variants.
    unchanged: number of variants with a number that no filter changed.
    unit: of the numbers as they are shown; records have them in the reference package's unit.
    rated: the ratings of each record of which the number is the mean.
    identity: distances of outputs from those of another batching, as in noise.py.
    per: what a number stands for, as in dt-ttest; "system": those that all groups have are averaged
    for each system.
    of_systems: whether records of several systems may have one id.
    typed: the path as it was given, perhaps the label of a metric.
    of_corpus: whether the label of a metric alone stands for its corpus score, if it has one.
    """

    def __init__(
        self,
        name: object,
        path: str,
        per: str = "id",
        of_corpus: bool = False,
        of_systems: bool = False,
    ):
        self.name, self.path, self.per, self.of_corpus = name, path, per, of_corpus
        self.of_systems = of_systems
        self.source, self.systems = name, set[object]()
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
        self.rated: list[ratings.Rated] = []
        self.chain = chains.Chain(_label(path))

    def add(self, records: list[dict]) -> None:
        """Add the records of one id."""
        self.identity += noise.counted(records)
        self.systems.update(record.get("system") for record in records)
        system = records[0].get("system") if self.of_systems else None
        if self.per == "system" and not system:
            raise RecordError(
                'no "system", and --per system takes the mean of each; dt-convert --field '
                "system=COLUMN names it",
                records[0],
            )
        of_system = () if system is None else (system,)
        if self.per == "record":
            for record in records:
                self._add((record["id"], record.get("variant"), *of_system), [record])
        else:
            self._add((records[0]["id"], *of_system) if of_system else records[0]["id"], records)

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
            self._resolve_path(first)
        numbers_or_reasons = [number(record, self.path, self.rated) for record in records]
        has_number = [value not in (MISSING, NULL) for value in numbers_or_reasons]
        if not any(has_number):
            self.lost[key] = numbers_or_reasons[0]
            return
        numbers = list(compress(numbers_or_reasons, has_number))
        self.means[key] = (
            _sums(numbers, first) if self.is_statistics else fsum(numbers) / len(numbers)
        )
        self.sizes[len(numbers)] += 1
        for record in compress(records, has_number):
            self.chain.add(record)
            changed = [one["changed"] for one in record.get("history") or () if "changed" in one]
            # all filters that should change a variant found nothing to change
            self.unchanged += bool(changed and record.get("variant")) and not any(changed)
        self.partial += len(records) - len(numbers)
        self.mixed += len(records) > 1 and any(record.get("variant") is None for record in records)
        cluster = first.get("cluster")
        if cluster is not None and type(cluster) not in (str, int):
            raise RecordError(
                f'"cluster" must be a string or an integer, not {show(cluster)}', first
            )
        if self.per == "system":
            cluster = first["system"]
        elif cluster is None and isinstance(key, tuple) and self.per != "cluster":
            cluster = first["id"]
        if cluster is not None:
            self.cluster_of[key] = cluster
        self._check_unit(first, numbers)

    def _resolve_path(self, record: dict) -> None:
        """Take the path that a label is short for: scores.rouge2, or statistics.bleu."""
        path = values.of_score(record, self.path)
        label = path.removeprefix(units.SCORES)
        is_resampled = self.of_corpus and path != self.path and units.is_resampled(label)
        if is_resampled and label in (record.get("statistics") or {}):
            path = f"{units.STATISTICS}{label}"
        self.path, self.known = path, units.of_path(path, record)
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
            values_there = self.first.get(top)
            has = (
                f'"{top}" has {show_names(values_there)}'
                if isinstance(values_there, dict)
                else f"the first has {show_names(self.first)}"
            )
            raise RecordError(f'no record of {self.name} has "{self.path}"; {has}', self.first)

    @property
    def is_statistics(self) -> bool:
        """Tell whether the numbers are statistics of a corpus score."""
        return self.path.startswith(units.STATISTICS)

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
    return metric if first in units.LOWER else label


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


def number(record: dict, path: str, rated: list[ratings.Rated]) -> Any:
    """Return the number at a path such as "scores.rouge2", or MISSING or NULL.

    true and false are 1 and 0, a text such as "4" is its number, and an empty one is NULL.  Several
    ratings are their mean; statistics are a list of numbers, or {name: number}.

    rated: receives several ratings.
    """
    value, lacking = values.at(record, path)
    if lacking is not None and value is not None:
        return MISSING
    if value is None or isinstance(value, str) and not value.strip():
        return NULL
    if path.startswith(units.STATISTICS):
        if isinstance(value, dict):
            return {name: ratings.number(record, path, count) for name, count in value.items()}
        if not isinstance(value, list) or not value:
            raise RecordError(
                f'"{path}" must be a list of numbers, or counts under names, not {show(value)}',
                record,
            )
        return [ratings.number(record, path, item) for item in value]
    if not isinstance(value, (list, dict)) or path.partition(".")[0] in _NO_RATINGS:
        return ratings.number(record, path, value)
    rated.append(ratings.of_record(record, path))
    numbers = [rating for _, rating in rated[-1] if isinstance(rating, float)]
    return fsum(numbers) / len(numbers) if numbers else NULL


class Sample(NamedTuple):
    """The numbers of each group, place by place those of one id if they are paired."""

    columns: list[list[float]]
    clusters: list  # of the places, for paired numbers only
    dropped: Counter  # {reason: number of ids or outliers}


def paired(groups: Sequence[Group], outliers: float | None = None) -> Sample:
    """Return the numbers of the ids that all groups have, sorted by id.

    The order makes random draws independent of the order of the input.
    outliers: drop pairs with a number further from its group's mean than so many standard
    deviations.  If `per` is the cluster or the system, the numbers of each are averaged before that,
    and its statistics summed.
    """
    shared = [key for key in _ids(groups[0]) if all(key in group.means for group in groups)]
    columns = [[group.means[key] for key in shared] for group in groups]
    cluster_of = {key: cluster for group in groups for key, cluster in group.cluster_of.items()}
    clusters = [cluster_of.get(key, key) for key in shared]

    # why ids are not in all groups; of more than two groups they are "incomplete"
    dropped: Counter = Counter()
    for key in dict.fromkeys(key for group in groups for key in (*group.means, *group.lost)):
        without = [group for group in groups if key not in group.means]
        reasons = [group.lost[key] for group in without if key in group.lost]
        if reasons:
            dropped[reasons[0]] += 1
        elif without:
            only = "only_b" if without[0] is groups[0] else "only_a"
            dropped["incomplete" if len(groups) > 2 else only] += 1
    if groups[0].per in ("cluster", "system"):
        columns = [
            (_summed if group.is_statistics else _averaged)(column, clusters)
            for group, column in zip(groups, columns, strict=True)
        ]
        clusters = list(dict.fromkeys(clusters))
    if outliers is not None:
        rules = [_outlier_rule(column, outliers) for column in columns]
        kept = [
            place
            for place in range(len(clusters))
            if not any(is_far(column[place]) for is_far, column in zip(rules, columns, strict=True))
        ]
        dropped["outlier"] += len(clusters) - len(kept)
        columns = [[column[place] for place in kept] for column in columns]
        clusters = [clusters[place] for place in kept]
    return Sample(columns, clusters, +dropped)


def independent(groups: Sequence[Group], outliers: float | None = None) -> Sample:
    """Return all numbers of each group, sorted by id, without the outliers of each group."""
    dropped = Counter(reason for group in groups for reason in group.lost.values())
    columns = []
    for group in groups:
        keys = _ids(group)
        column = [group.means[key] for key in keys]
        if group.per == "cluster":
            column = _averaged(column, [group.cluster_of.get(key, key) for key in keys])
        if outliers is not None:
            is_far = _outlier_rule(column, outliers)
            kept = [value for value in column if not is_far(value)]
            dropped["outlier"] += len(column) - len(kept)
            column = kept
        columns.append(column)
    return Sample(columns, [], +dropped)


def _ids(group: Group) -> list:
    return sorted(group.means, key=repr)  # integers beside strings, and ids with their variants


def _outlier_rule(values: list[float], deviations: float) -> Callable[[float], bool]:
    """Return the test of whether a value is too far from the mean, in deviations (ddof 0)."""
    if len(values) < 2:
        return lambda value: False
    centre, n = moments.mean(values), len(values)
    rounding = moments.ROUNDING * max(map(abs, values))  # the mean of three 0.1 is not 0.1
    reach = deviations * moments.deviation(values) * ((n - 1) / n) ** 0.5 + rounding
    return lambda value: abs(value - centre) > reach


def _averaged(values: list[float], keys: list) -> list[float]:
    """Return the mean of the values of each key, in the order of first keys."""
    return [fsum(of_key) / len(of_key) for of_key in _of_keys(values, keys)]


def _summed(rows: list, keys: list) -> list:
    """Return the sums of the statistics of each key, in the same order."""
    return [_sums(of_key, {}) for of_key in _of_keys(rows, keys)]


def _of_keys(values: list, keys: list) -> Iterable[list]:
    by_key: dict = {}
    for key, value in zip(keys, values, strict=True):
        by_key.setdefault(key, []).append(value)
    return by_key.values()
