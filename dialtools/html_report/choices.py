"""Which sources a page shows: the worst and a median one of each series of numbers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from dialtools.html_report import estimates, material, parts
from dialtools.html_report.material import CHANGE, Material, Row, Series
from dialtools.html_report.perplexities import Pair, Pairs
from dialtools.tables import tables

MOST = 36  # cases of a page
MOST_SERIES = 18
WORST, MEDIAN = "worst", "median"
GAP = "gap:"  # begins the measure of a series of pairs
Names = Mapping[tuple[int, str], str]


class Choice(NamedTuple):
    """A source that was chosen.

    other: the series of the second text of a pair, if the source is one.
    ties: how many sources of the series are as bad.
    """

    rank: str
    series: Series
    value: float
    id: str | int
    other: Series | None = None
    ties: int = 1


def chosen(held: Material, paired: Sequence[Pairs], names: Names) -> tuple[list[Choice], str]:
    """Return the worst sources and the median one of each series, first those with the highest
    numbers, and a sentence on what is left out.
    """
    told, left = parts.first(
        _in_turn(_told(held.extremes, names), held),
        MOST_SERIES,
        "systems, languages and groups, those with the worst cases",
        "dt-show --worst shows others",
    )
    each = max(1, min(material.WORST, MOST // max(len(told) + len(paired), 1) - 1))
    rows, found = held.sample.rows(), list[Choice]()
    for series in told:
        most, number = held.ties[series]
        own = [
            choice._replace(ties=number)
            if choice.rank == WORST and abs(choice.value - abs(most)) < material.SAME
            else choice
            for choice in _of_series(
                series, sorted(held.extremes[series], reverse=True), rows, each
            )
        ]
        whose = names[series.file, series.system]
        are_alike = not any(choice.rank == WORST for choice in own)
        if are_alike and any(names[one.series.file, one.series.system] == whose for one in found):
            continue  # one case in which nothing changes is enough
        found += own
    of_pairs = [choice for pairs in paired[:MOST_SERIES] for choice in _of_pairs(pairs, each)]
    return of_pairs + found, left


def _told(extremes: Iterable[Series], names: Names) -> list[Series]:
    """Return the series to show: of measured changes where there are, else of our own, else of
    low scores.
    """
    ranks: defaultdict[str, dict[int, list[Series]]] = defaultdict(dict)
    for series in extremes:
        rank = 1 if series.measure == CHANGE else 2 if series.measure[0] == "-" else 0
        if rank < 2 or estimates.is_better_higher(series.measure[1:]):
            ranks[names[series.file, series.system]].setdefault(rank, []).append(series)
    return [series for own in ranks.values() for series in own[min(own)]]


def _in_turn(told: Sequence[Series], held: Material) -> list[Series]:
    """Return series of each sort of measure in turn, sensitivities first, the worst before others."""
    sorts: dict[str, list[Series]] = {}
    for series in sorted(
        told, key=lambda one: (not one.measure.startswith("S:"), -max(held.extremes[one])[0])
    ):
        sorts.setdefault(estimates.measured(series.measure)[0], []).append(series)
    return [one for one in chain(*zip_longest(*sorts.values())) if one]


def _of_series(
    series: Series, worst: Sequence[tuple[float, int, str | int]], rows: Sequence[Row], each: int
) -> list[Choice]:
    """Return the worst sources of a series, and the median one of the sample's rows."""
    kept = [item for item in worst if item[0] > 0 or series.measure[0] == "-"][:each]
    found = [Choice(WORST, series, abs(value), id) for value, _, id in kept]
    label = series.measure.removeprefix("-")
    middle = material.middle((row for row in rows if row[1:6] == series[:5]), label)
    if middle and middle.id not in {choice.id for choice in found}:
        found.append(Choice(MEDIAN, series, middle.measured[label], middle.id))
    return found


def _of_pairs(pairs: Pairs, each: int) -> list[Choice]:
    """Return the pairs whose numbers are furthest apart, and the median one."""
    ordered = sorted(pairs.pairs, key=lambda pair: -pair.gap)
    kept = [(WORST, pair) for pair in ordered[:each] if pair.gap]
    if len(ordered) // 2 >= len(kept):
        kept.append((MEDIAN, ordered[len(ordered) // 2]))
    return [
        Choice(rank, one, pair.gap, pair.id, other)
        for rank, pair in kept
        for one, other in [_series(pair, f"{GAP}{pairs.label}")]
    ]


def _series(pair: Pair, measure: str) -> list[Series]:
    """Return the series of the two records of a pair, an original first."""
    return [
        Series(row.file, row.system, row.lang, row.group, row.kind, measure)
        for row in sorted(pair.rows, key=lambda row: bool(row.variant))
    ]


def valued(choice: Choice) -> str:
    """Return the number that a source was chosen for, as people read it."""
    label, value = choice.series.measure, choice.value
    if choice.other:
        of = parts.spec(label.removeprefix(GAP)).partition(":")[0]
        return f"{of} differs by {tables.rounded(value, 2)}"
    if label[0] == "-":
        unit, factor = estimates.unit(label[1:])
        percent = " %" if unit == "percent" else ""
        return f"{parts.spec(label[1:])} {tables.rounded(factor * value, 2)}{percent}"
    measure, metric = estimates.measured(label)
    by = "" if metric == CHANGE else f" by {parts.spec(metric)}"
    return f"{CHANGE if metric == CHANGE else measure}{by} {tables.rounded(value, 2)} %"
