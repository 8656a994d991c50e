"""The section on perplexity: pairs of texts that differ in the group they are about."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from dialtools.html_report import claims, parts, pictures
from dialtools.html_report.claims import Systems
from dialtools.html_report.drawing import Mark
from dialtools.html_report.estimates import Names
from dialtools.html_report.inputs import File
from dialtools.html_report.material import Row
from dialtools.html_report.parts import Picture, Section, Table, not_shown
from dialtools.records import history
from dialtools.records.wellformed import is_number

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
    of_files: Systems,
    names: Names,
) -> list[Pairs]:
    """Return the pairs of each comparison of perplexities, and those of texts and their variants
    within a file.
    """
    measured = [row for row in rows if not row.is_source and _labels(row)]
    compared = [_compared(result, measured, files, of_files, names) for result in _tests(results)]
    shown = {row.file for pairs in compared for pair in pairs.pairs for row in pair.rows}
    series = dict.fromkeys(
        (row.file, row.system, row.lang, row.kind, label)
        for row in measured
        if row.variant and row.file not in shown
        for label in _labels(row)
    )
    for file, system, lang, kind, label in series:
        alike = [
            row for row in measured if (row.file, row.system, row.lang) == (file, system, lang)
        ]
        originals = [row for row in alike if not row.variant]
        variants = [row for row in alike if row.kind == kind]
        called = names[file, system], history.typed(kind)
        compared.append(Pairs(called, label, _pairs(label, originals, variants)))
    return [pairs for pairs in compared if pairs.pairs]


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
    of_files: Systems,
    names: Names,
) -> Pairs:
    """Return the pairs of a comparison of two files, or of two systems."""
    label = parts.value_of(result)
    called = [str(result[key]).rpartition("/")[2] for key in ("a", "b")]
    sides = [
        [
            row
            for row in rows
            if label in row.measured
            and name in (files[row.file].name.rpartition("/")[2], names[row.file, row.system])
        ]
        for name in called
    ]
    a, b = (of_files.get(name, name) for name in called)
    return Pairs((a, b), label, _pairs(label, *sides))


def _pairs(label: str, rows_of_a: Sequence[Row], rows_of_b: Sequence[Row]) -> list[Pair]:
    """Return the pairs of rows with the same id and language."""
    a: dict[tuple, list[Row]] = {}
    b: dict[tuple, list[Row]] = {}
    for side, rows in ((a, rows_of_a), (b, rows_of_b)):
        for row in rows:
            side.setdefault((row.lang, row.id), []).append(row)
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


def section(results: Sequence[dict], paired: Sequence[Pairs], of_files: Systems) -> Section | None:
    """Return the pairs of perplexities and the statistic of each comparison, such as t of a
    category.
    """
    shown = [_picture(paired)] if paired else []
    statistics: dict[str, list[Mark]] = {}
    for result in _tests(results):
        a, b = claims.named(result, of_files)
        name = str(result.get("statistic_name") or "statistic")
        mark = Mark(f"{a} − {b}", name, result["statistic"])
        statistics.setdefault(name, []).append(mark)
    for name, marks in statistics.items():
        left_out = not_shown(marks, MOST_ROWS, "", which="first {most} of {all}")
        shown.append(
            Picture(
                f"perplexity-{name}",
                f"{name} of each category",
                f"The statistic {name} of each comparison: to the right, a surprises the model "
                f"more.{left_out}",
                partial(pictures.statistics, marks[:MOST_ROWS], name),
                Table(
                    f"{name} of each comparison",
                    ["comparison", name],
                    [parts.line([mark.row, parts.number(mark.value)]) for mark in marks],
                ),
            )
        )
    sentence = (
        "The perplexity of a text is how much it surprises the model: the higher, the more. Each "
        "pair is one text in two versions."
    )
    return Section("perplexity", "Perplexity", [sentence], [], shown) if shown else None


def _picture(paired: Sequence[Pairs]) -> Picture:
    """Return the pairs of each comparison, a dot each."""
    panels = [
        (*pairs.names, [pair.values for pair in pairs.pairs]) for pairs in paired[:MOST_PANELS]
    ]
    left_out = not_shown(paired, MOST_PANELS, "comparisons")
    if any(len(points) > pictures.POINTS for *_, points in panels):
        left_out += (
            f" Of more pairs than {pictures.POINTS:,} the first {pictures.POINTS:,} are drawn."
        )
    rows = []
    for pairs in paired:
        a_is_higher = sum(pair.values[0] > pair.values[1] for pair in pairs.pairs)
        rows.append(parts.line([*pairs.names, len(pairs.pairs), a_is_higher]))
    return Picture(
        "perplexity-pairs",
        "Pairs of perplexities",
        "A dot for each pair; above the dashed line the text of the vertical axis "
        f"surprises the model more.{left_out}",
        partial(pictures.pairs, panels, PERPLEXITY, True),
        Table("Pairs", ["a", "b", "pairs", "a is higher"], rows),
    )
