"""Samples for a test: the numbers of groups, paired by id or independent, and what was dropped."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum
from typing import NamedTuple

from dialtools.comparison.groups import Group
from dialtools.statistics import moments


class Sample(NamedTuple):
    """The numbers of each group, place by place those of one id if they are paired."""

    columns: list[list[float]]
    clusters: list  # of the places, for paired numbers only
    dropped: Counter  # {reason: number of ids or outliers}


def paired(groups: Sequence[Group], outliers: float | None = None) -> Sample:
    """Return the numbers of the ids that all groups have, sorted by id.

    The order makes random draws independent of the order of the input.
    outliers: drop pairs with a number further from its group's mean than so many standard
    deviations.  If `per` is the cluster, the ids of each cluster are averaged before that.
    """
    shared = [key for key in _ids(groups[0]) if all(key in group.means for group in groups)]
    dropped = _dropped(groups)
    columns = [[group.means[key] for key in shared] for group in groups]
    named = {key: cluster for group in groups for key, cluster in group.cluster_of.items()}
    clusters = [named.get(key, key) for key in shared]
    if groups[0].per == "cluster":
        columns = [_averaged(column, clusters) for column in columns]
        clusters = list(dict.fromkeys(clusters))
    if outliers is not None:
        far = [_outlier_rule(column, outliers) for column in columns]
        kept = [
            at
            for at in range(len(clusters))
            if not any(is_far(column[at]) for is_far, column in zip(far, columns, strict=True))
        ]
        dropped["outlier"] += len(clusters) - len(kept)
        columns = [[column[at] for at in kept] for column in columns]
        clusters = [clusters[at] for at in kept]
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


def _dropped(groups: Sequence[Group]) -> Counter:
    """Count why ids are not in all groups; of more than two groups they are "incomplete"."""
    dropped: Counter = Counter()
    for key in dict.fromkeys(key for group in groups for key in (*group.means, *group.lost)):
        without = [group for group in groups if key not in group.means]
        reasons = [group.lost[key] for group in without if key in group.lost]
        if reasons:
            dropped[reasons[0]] += 1
        elif without:
            only = "only_b" if without[0] is groups[0] else "only_a"
            dropped["incomplete" if len(groups) > 2 else only] += 1
    return dropped


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
    found: dict = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, []).append(value)
    return [fsum(own) / len(own) for own in found.values()]
