"""Which sources are cases of a page: the worst and a median one of each series."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest
from statistics import median
from typing import NamedTuple

from dialtools.html_report import estimates, material
from dialtools.html_report.material import Material, Observation, Series
from dialtools.html_report.pairwise import TextPairs
from dialtools.html_report.sections import not_shown

WORST, MEDIAN = "worst", "median"  # ranks of cases
MOST = 36  # cases of a page
MOST_SERIES = 18
GAP = "gap:"  # begins the measure of a series of pairs


class ChosenSource(NamedTuple):
    """A source that was chosen.

    second: the series of the second text of a pair, if the source is one.
    ties: how many sources of the series are as bad.
    """

    rank: str
    series: Series
    value: float
    id: str | int
    second: Series | None = None
    ties: int = 1


def chosen(held: Material, paired: Sequence[TextPairs]) -> tuple[list[ChosenSource], str]:
    """Return the worst sources and the median one of each series, first those with the highest
    numbers, and a sentence on what is left out.
    """
    in_turn = _in_turn(held)
    shown = in_turn[:MOST_SERIES]
    each = max(1, min(material.MOST_WORST, MOST // max(len(shown) + len(paired), 1) - 1))
    rows = held.sample.rows()
    of_series: list[ChosenSource] = []
    for series in shown:
        choices = _of_series(series, held.worst[series], rows, each)
        are_alike = not any(choice.rank == WORST for choice in choices)
        systems = {choice.series.system for choice in of_series}
        if not (
            are_alike and series.system in systems
        ):  # one case in which nothing changes is enough
            of_series += choices
    of_pairs = [choice for pairs in paired[:MOST_SERIES] for choice in _of_pairs(pairs, each)]
    left_out = not_shown(
        in_turn,
        MOST_SERIES,
        "systems, languages and groups, those with the worst cases",
        "dt-show --worst shows others",
    )
    return of_pairs + of_series, left_out


def _in_turn(held: Material) -> list[Series]:
    """Return the series to show, of measured changes where there are, else of low scores: of each
    sort of measure in turn, sensitivities first, the worst before others.
    """
    ranks: defaultdict[str, dict[int, list[Series]]] = defaultdict(dict)
    for series in held.worst:
        rank = int(series.measure[0] == "-")
        if not rank or material.is_better_higher(series.measure[1:]):
            ranks[series.system].setdefault(rank, []).append(series)
    shown = [series for of_system in ranks.values() for series in of_system[min(of_system)]]
    shown.sort(
        key=lambda series: (
            not series.measure.startswith("S:"),
            -max(held.worst[series].sources)[0],
        )
    )
    sorts: dict[str, list[Series]] = {}
    for series in shown:
        sorts.setdefault(estimates.measured(series.measure)[0], []).append(series)
    return [series for series in chain(*zip_longest(*sorts.values())) if series]


def _of_series(
    series: Series, worst: material.Worst, rows: Sequence[Observation], each: int
) -> list[ChosenSource]:
    """Return the worst sources of a series, and the median one of the sample's rows."""
    is_low_score = series.measure[0] == "-"
    choices = []
    for value, _, id in sorted(worst.sources, reverse=True)[:each]:
        if value > 0 or is_low_score:
            is_tied = abs(abs(value) - abs(worst.largest)) < material.SAME
            ties = worst.ties if is_tied else 1
            choices.append(ChosenSource(WORST, series, abs(value), id, ties=ties))
    label = series.measure.removeprefix("-")
    values = sorted(
        (row.measured[label], material.digest(row.id), row.id)
        for row in rows
        if row[1:6] == series[:5] and label in row.measured
    )
    if values:  # the median, or the next one above it
        middle = median(value for value, *_ in values)
        value, _, id = next(entry for entry in values if entry[0] >= middle)
        if id not in {choice.id for choice in choices}:
            choices.append(ChosenSource(MEDIAN, series, value, id))
    return choices


def _of_pairs(pairs: TextPairs, each: int) -> list[ChosenSource]:
    """Return the pairs whose numbers are furthest apart, and the median one."""
    ordered = sorted(pairs.pairs, key=lambda pair: -pair.gap)
    ranked = [(WORST, pair) for pair in ordered[:each] if pair.gap]
    if len(ordered) // 2 >= len(ranked):
        ranked.append((MEDIAN, ordered[len(ordered) // 2]))
    choices = []
    for rank, pair in ranked:
        first, second = (  # an original first
            Series(*row[1:6], f"{GAP}{pairs.label}")
            for row in sorted(pair.rows, key=lambda row: bool(row.variant))
        )
        choices.append(ChosenSource(rank, first, pair.gap, pair.id, second))
    return choices
