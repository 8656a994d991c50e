"""The section on perplexity: pairs of texts that differ in the group they are about."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dialtools.pages import pictures
from dialtools.pages.drawing import Mark
from dialtools.pages.inputs import File
from dialtools.pages.material import Row
from dialtools.pages.parts import Cell, Line, Picture, Section, Table, count, number
from dialtools.records.wellformed import is_number

MOST_PANELS = 6
MOST_ROWS = 30


def section(results: Sequence[dict], rows: Sequence[Row], files: Sequence[File],
            of_files: Mapping[str, str]) -> Section | None:
    """Return the pairs of perplexities and the statistic of each category."""
    own = [result for result in results if "perplexity" in str(result.get("value"))
           and "a" in result and is_number(result.get("statistic"))]
    if not own:
        return None
    made = []
    called = [[of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")]
              for result in own]
    found = [(a, b, _pairs(result, rows, files))
             for result, (a, b) in zip(own, called, strict=True)]
    paired = [panel for panel in found if panel[2]]
    panels = paired[:MOST_PANELS]
    left = f" Shown are the first {len(panels)} of {len(paired)} comparisons; the table has all." \
        if len(paired) > len(panels) else ""
    left += f" Of more pairs than {pictures.POINTS:,} the first {pictures.POINTS:,} are drawn." \
        if any(len(points) > pictures.POINTS for *_, points in panels) else ""
    if panels:
        lines = [Line([Cell(a), Cell(b), count(len(points)),
                       count(sum(x > y for x, y in points))]) for a, b, points in paired]
        made.append(Picture("perplexity-pairs", "Pairs of perplexities",
                            "A dot for each pair; above the dashed line the text of the vertical "
                            f"axis surprises the model more.{left}",
                            partial(pictures.pairs, panels, "perplexity", True),
                            Table("Pairs", ["a", "b", "pairs", "a is higher"], lines)))
    made += [_statistics(name, own, called) for name in dict.fromkeys(map(_named, own))]
    return Section("perplexity", "Perplexity", [], [], made)


def _named(result: dict) -> str:
    return str(result.get("statistic_name") or "statistic")


def _statistics(name: str, results: Sequence[dict], called: Sequence[Sequence[str]]) -> Picture:
    """Return the statistic of each comparison, such as t of a category."""
    every = [Mark(f"{a} − {b}", name, result["statistic"])
             for result, (a, b) in zip(results, called, strict=True) if _named(result) == name]
    left = f" Shown are the first {MOST_ROWS} of {len(every)}; the table has all." \
        if len(every) > MOST_ROWS else ""
    return Picture(f"perplexity-{name}", f"{name} of each category",
                   f"The statistic {name} of each comparison: to the right, a surprises the model "
                   f"more.{left}", partial(pictures.statistics, every[:MOST_ROWS], name),
                   Table(f"{name} of each comparison", ["comparison", name],
                         [Line([Cell(mark.row), number(mark.value)]) for mark in every]))


def _pairs(result: dict, rows: Sequence[Row], files: Sequence[File]) -> list[tuple[float, float]]:
    """Return the numbers of a comparison's pairs, if its files are there."""
    label = str(result["value"]).removeprefix("scores.")
    sides: list[dict] = []
    for key in ("a", "b"):
        numbers = [number for number, file in enumerate(files)
                   if file.name.rpartition("/")[2] == str(result[key]).rpartition("/")[2]]
        values: dict[Any, list[float]] = {}
        for row in rows:
            if row.file in numbers and label in row.measured:
                values.setdefault(row.id, []).append(row.measured[label])
        sides.append(values)
    a, b = sides
    return [(sum(a[id]) / len(a[id]), sum(b[id]) / len(b[id])) for id in a if id in b]
