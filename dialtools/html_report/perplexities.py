"""The section on perplexity: pairs of texts that differ in the group they are about."""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from dialtools.html_report import pictures
from dialtools.html_report.drawing import Mark
from dialtools.html_report.inputs import File
from dialtools.html_report.material import Row
from dialtools.html_report.parts import Cell, Line, Picture, Section, Table, count, first, number
from dialtools.records import history
from dialtools.records.wellformed import is_number

Names = Mapping[tuple[int, str], str]

MOST_PANELS = 6
MOST_ROWS = 30
PERPLEXITY = "perplexity"


class Pair(NamedTuple):
    """Two records of one id, and what their texts have; a mean where there are several."""

    id: str | int
    rows: tuple[Row, Row]
    values: tuple[float, float]

    @property
    def gap(self) -> float:
        """How far the two values are apart."""
        return abs(self.values[0] - self.values[1])


class Pairs(NamedTuple):
    """The pairs of two groups of texts, with the names of these, and the label of the values."""

    names: tuple[str, str]
    label: str
    pairs: Sequence[Pair]


def of_texts(
    results: Sequence[dict],
    rows: Sequence[Row],
    files: Sequence[File],
    of_files: Mapping[str, str],
    names: Names,
) -> list[Pairs]:
    """Return the pairs of each comparison of perplexities, and those of texts and their variants
    within a file.
    """
    measured = [row for row in rows if not row.is_source and _labels(row)]
    found = [_compared(result, measured, files, of_files, names) for result in _tests(results)]
    shown = {row.file for pairs in found for pair in pairs.pairs for row in pair.rows}
    series = dict.fromkeys(
        (row.file, row.system, row.lang, row.kind, label)
        for row in measured
        if row.variant and row.file not in shown
        for label in _labels(row)
    )
    for file, system, lang, kind, label in series:
        own = [row for row in measured if (row.file, row.system, row.lang) == (file, system, lang)]
        called = names[file, system], history.typed(kind)
        found.append(
            Pairs(
                called,
                label,
                _pairs(
                    label,
                    [row for row in own if not row.variant],
                    [row for row in own if row.kind == kind],
                ),
            )
        )
    return [pairs for pairs in found if pairs.pairs]


def _labels(row: Row) -> list[str]:
    return [label for label in row.measured if label.partition(":")[0] == PERPLEXITY]


def _tests(results: Sequence[dict]) -> list[dict]:
    return [
        result
        for result in results
        if PERPLEXITY in str(result.get("value"))
        and "a" in result
        and is_number(result.get("statistic"))
    ]


def _compared(
    result: dict,
    rows: Sequence[Row],
    files: Sequence[File],
    of_files: Mapping[str, str],
    names: Names,
) -> Pairs:
    """Return the pairs of a comparison of two files, or of two systems."""
    label = str(result["value"]).removeprefix("scores.")
    called = [str(result[key]).rpartition("/")[2] for key in ("a", "b")]
    sides = [
        [
            row
            for row in rows
            if label in row.measured
            and own in (files[row.file].name.rpartition("/")[2], names[row.file, row.system])
        ]
        for own in called
    ]
    a, b = (of_files.get(own, own) for own in called)
    return Pairs((a, b), label, _pairs(label, *sides))


def _pairs(label: str, one: Sequence[Row], other: Sequence[Row]) -> list[Pair]:
    """Return the pairs of rows with the same id and language."""
    sides: list[dict[tuple, list[Row]]] = [{}, {}]
    for side, rows in zip(sides, (one, other), strict=True):
        for row in rows:
            side.setdefault((row.lang, row.id), []).append(row)
    a, b = sides
    return [
        Pair(
            key[1],
            (a[key][0], b[key][0]),
            (
                fmean(row.measured[label] for row in a[key]),
                fmean(row.measured[label] for row in b[key]),
            ),
        )
        for key in a
        if key in b
    ]


def section(
    results: Sequence[dict], paired: Sequence[Pairs], of_files: Mapping[str, str]
) -> Section | None:
    """Return the pairs of perplexities and the statistic of each comparison."""
    made = [_picture(paired)] if paired else []
    own = _tests(results)
    called = [
        [of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")] for result in own
    ]
    made += [_statistics(name, own, called) for name in dict.fromkeys(map(_named, own))]
    return (
        Section(
            "perplexity",
            "Perplexity",
            [
                "The perplexity of a text is how much it surprises the model: the higher, the more. Each "
                "pair is one text in two versions."
            ],
            [],
            made,
        )
        if made
        else None
    )


def _picture(paired: Sequence[Pairs]) -> Picture:
    """Return the pairs of each comparison, a dot each."""
    panels = [
        (*pairs.names, [pair.values for pair in pairs.pairs]) for pairs in paired[:MOST_PANELS]
    ]
    left = first(paired, MOST_PANELS, "comparisons")[1]
    left += (
        f" Of more pairs than {pictures.POINTS:,} the first {pictures.POINTS:,} are drawn."
        if any(len(points) > pictures.POINTS for *_, points in panels)
        else ""
    )
    lines = [
        Line(
            [
                *map(Cell, pairs.names),
                count(len(pairs.pairs)),
                count(sum(pair.values[0] > pair.values[1] for pair in pairs.pairs)),
            ]
        )
        for pairs in paired
    ]
    return Picture(
        "perplexity-pairs",
        "Pairs of perplexities",
        "A dot for each pair; above the dashed line the text of the vertical axis "
        f"surprises the model more.{left}",
        partial(pictures.pairs, panels, PERPLEXITY, True),
        Table("Pairs", ["a", "b", "pairs", "a is higher"], lines),
    )


def _named(result: dict) -> str:
    return str(result.get("statistic_name") or "statistic")


def _statistics(name: str, results: Sequence[dict], called: Sequence[Sequence[str]]) -> Picture:
    """Return the statistic of each comparison, such as t of a category."""
    every = [
        Mark(f"{a} − {b}", name, result["statistic"])
        for result, (a, b) in zip(results, called, strict=True)
        if _named(result) == name
    ]
    left = (
        f" Shown are the first {MOST_ROWS} of {len(every)}; the table has all."
        if len(every) > MOST_ROWS
        else ""
    )
    return Picture(
        f"perplexity-{name}",
        f"{name} of each category",
        f"The statistic {name} of each comparison: to the right, a surprises the model more.{left}",
        partial(pictures.statistics, every[:MOST_ROWS], name),
        Table(
            f"{name} of each comparison",
            ["comparison", name],
            [Line([Cell(mark.row), number(mark.value)]) for mark in every],
        ),
    )
