"""What a test gets of groups of numbers: which ids belong together, what was dropped and why, what to know of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import fsum
from typing import NamedTuple

from dialtools import noise
from dialtools.comparison import corpus
from dialtools.comparison.grouping import Group
from dialtools.statistics import moments


class Sample(NamedTuple):
    """What a test gets: the numbers of each group (place by place those of one id, if paired), and what was dropped."""

    columns: list[list[float]]
    clusters: list  # of each place; of paired numbers alone
    dropped: Counter


def paired(groups: Sequence[Group], outliers: float | None = None) -> Sample:
    """Return the numbers of the ids that all groups have, by id: tests that draw draw the same in any order of input.

    outliers: a place where any number is further from its group's mean than so many standard deviations is
    dropped.  Where `per` is the cluster, the numbers of each cluster's ids are averaged before that.
    """
    shared = [key for key in _ordered(groups[0]) if all(key in group.means for group in groups)]
    dropped = _dropped(groups)
    columns = [[group.means[key] for key in shared] for group in groups]
    named = {key: cluster for group in groups for key, cluster in group.cluster_of.items()}
    clusters = [named.get(key, key) for key in shared]
    if groups[0].per == "cluster":
        columns = [_averaged(column, clusters) for column in columns]
        clusters = list(dict.fromkeys(clusters))
    if outliers is not None:
        far = [is_outlier(column, outliers) for column in columns]
        kept = [at for at in range(len(clusters))
                if not any(is_far(column[at]) for is_far, column in zip(far, columns, strict=True))]
        dropped["outlier"] += len(clusters) - len(kept)
        columns, clusters = [[column[at] for at in kept] for column in columns], [clusters[at] for at in kept]
    return Sample(columns, clusters, +dropped)


def _ordered(group: Group) -> list:
    return sorted(group.means, key=repr)  # integers beside strings, and ids with their variants


def _dropped(groups: Sequence[Group]) -> Counter:
    """Return why ids are not in all groups: named where there are two, else "incomplete"."""
    dropped: Counter = Counter()
    keys = dict.fromkeys(key for group in groups for key in (*group.means, *group.lost))
    for key in keys:
        without = [group for group in groups if key not in group.means]
        reasons = [group.lost[key] for group in without if key in group.lost]
        if reasons:
            dropped[reasons[0]] += 1
        elif without:
            dropped["incomplete" if len(groups) > 2 else "only_b" if without[0] is groups[0] else "only_a"] += 1
    return dropped


def apart(groups: Sequence[Group], outliers: float | None = None) -> Sample:
    """Return all numbers of each group, by id, but for outliers, which are judged group by group."""
    dropped = Counter(why for group in groups for why in group.lost.values())
    columns = []
    for group in groups:
        keys = _ordered(group)
        column = [group.means[key] for key in keys]
        if group.per == "cluster":
            column = _averaged(column, [group.cluster_of.get(key, key) for key in keys])
        if outliers is not None:
            far = is_outlier(column, outliers)
            kept = [value for value in column if not far(value)]
            dropped["outlier"] += len(column) - len(kept)
            column = kept
        columns.append(column)
    return Sample(columns, [], +dropped)


def is_outlier(values: list[float], deviations: float):
    """Return a function: is a value further from the mean than so many standard deviations (ddof 0), and rounding?"""
    if len(values) < 2:
        return lambda value: False
    centre, n = moments.mean(values), len(values)
    rounding = moments.ROUNDING * max(map(abs, values))  # the mean of three 0.1 is 0.10000000000000002
    reach = deviations * moments.deviation(values) * ((n - 1) / n)**0.5 + rounding
    return lambda value: abs(value - centre) > reach


def _averaged(values: list[float], keys: list) -> list[float]:
    """Return the mean of the values of each key, in the order of the keys' first places."""
    found: dict = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, []).append(value)
    return [fsum(own) / len(own) for own in found.values()]


def notes(groups: Sequence[Group], is_paired: bool, by_cluster: bool) -> list[str]:
    """Return what a reader should know of how the numbers came about, a sentence each.

    by_cluster: the test itself minds clusters.
    """
    return [*chain.from_iterable(map(corpus.note, dict.fromkeys(group.value for group in groups))),
            *_of_variants(groups), *_of_clusters(groups, by_cluster), *_of_ids(groups, is_paired),
            *(f"{group.name}: outputs {said}" for group in groups if (said := noise.line(group.identity)))]


def _of_variants(groups: Sequence[Group]) -> Iterator[str]:
    if any(group.averaged for group in groups) and groups[0].is_statistics:
        yield "the statistics of an id's variants were added up"
    elif any(group.averaged for group in groups):
        parts = [f"{_values(group):,} of {group.name} to {len(group.means):,}" for group in groups]
        yield f"variants of one id are not independent; their values were averaged first: {', '.join(parts)}"
        if len({frozenset(group.sizes) for group in groups if group.sizes}) > 1:
            yield "not every id has as many values in one group as in the other"
    if partial := sum(group.partial for group in groups):
        yield f"missing or null values that were left out of averages: {partial:,}"
    if mixed := sum(group.mixed for group in groups):
        yield f"averages that hold an original beside its variants: {mixed:,}"
    if same := [f"{group.unchanged:,} of {group.name}" for group in groups if group.unchanged]:
        yield f"variants in which nothing was changed count like any other: {', '.join(same)}"


def _of_clusters(groups: Sequence[Group], by_cluster: bool) -> Iterator[str]:
    clustered = next((group for group in groups if len(group.means) > group.clusters), None)
    if clustered and not by_cluster and clustered.per != "cluster":
        yield ("ids of one cluster are not independent: p and intervals may be too small (-t cluster-bootstrap "
               f"or --per cluster; ids: {len(clustered.means):,}, clusters: {clustered.clusters:,})")
    if (by_cluster or groups[0].per == "cluster") and not any(group.cluster_of for group in groups):
        yield "no record names a cluster, so that each id is one by itself (--cluster-key)"


def _of_ids(groups: Sequence[Group], is_paired: bool) -> Iterator[str]:
    shared = 0 if is_paired else len(set.intersection(*(set(group.means) for group in groups)))
    if shared and len(groups) > 1:
        yield f"ids in both groups, which this test takes to be independent (-t paired does not): {shared:,}"
    ids = {key[0] if isinstance(key, tuple) else key for group in groups for key in (*group.means, *group.lost)}
    if alike := len(ids) - len(set(map(str, ids))):
        yield f'ids that are an integer here and a string there, and so are not the same (1, "1"): {alike:,}'


def unit(groups: Sequence[Group]) -> dict[str, str]:
    """Return {"unit": …} where all records name the same one."""
    units = set().union(*(group.units for group in groups))
    return {"unit": name for name in units if name is not None and len(units) == 1}


def _values(group: Group) -> int:
    return sum(size * ids for size, ids in group.sizes.items())
