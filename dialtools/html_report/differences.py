"""The section on tests: a table of all comparisons, and their differences as pictures."""

from collections.abc import Mapping, Sequence
from functools import partial

from dialtools.html_report import parts, pictures
from dialtools.html_report.drawing import Mark
from dialtools.html_report.parts import Cell, Line, Picture, Section, Table, count, interval, number
from dialtools.records.wellformed import is_number

MOST_DIFFERENCES = 30  # in a picture


def section(results: Sequence[dict], of_files: Mapping[str, str], own: int) -> Section | None:
    """Return all comparisons as a table, and their differences with intervals.

    own: how many of them, the first, were made for this page.
    """
    pairs = [
        result
        for result in results
        if "a" in result and result.get("p") is not None and is_number(result.get("difference"))
    ]
    if not results:
        return None
    made = []
    for unit in dict.fromkeys(str(result.get("unit") or result["value"]) for result in pairs):
        same = [result for result in pairs if str(result.get("unit") or result["value"]) == unit]
        made.append(_differences(same, unit, of_files))
    tests_were = "1 test was" if own == 1 else f"{own} tests were"
    sentences = (
        [
            f"{tests_were} made for this page: paired t tests over sources, p corrected by "
            "Holm for several."
        ]
        if own
        else []
    )
    levels = sorted({result.get("ci_level") or result["level"] for result in pairs})
    if len(levels) > 1:
        sentences.append(
            f"Intervals are at {100 * levels[0]:.4g} %; one of several tests has a wider one, at "
            f"up to {100 * levels[-1]:.4g} %, so that it excludes 0 just where the corrected p is "
            "small enough."
        )
    return Section("tests", "Tests", sentences, [_table(results, of_files)], made)


def _differences(results: Sequence[dict], unit: str, of_files: Mapping[str, str]) -> Picture:
    """Return the differences of comparisons as a picture; a row says what not all have alike."""
    said = [
        [
            f"{a} − {b}",
            _pool(result, results),
            f"{result.get('kind') or ''}",
            parts.spec(str(result["value"]).removeprefix("scores.")),
        ]
        for result in results
        for a, b in [[of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")]]
    ]
    alike = [len({row[at] for row in said}) == 1 for at in range(4)]
    rows = (
        [
            " · ".join(part for part, same in zip(row, alike, strict=True) if part and not same)
            for row in said
        ]
        if not all(alike)
        else [said[0][0]] * len(said)
    )
    of_all = ", ".join(part for part, same in zip(said[0], alike, strict=True) if part and same)
    marks = [
        Mark(row, "difference", result["difference"], result.get("ci"))
        for row, result in zip(rows, results, strict=True)
    ]
    _, left = parts.first(marks, MOST_DIFFERENCES, "comparisons")
    in_unit = "" if unit in ("raw", "as given") else f", {unit}"
    title = f"Differences{in_unit}" + (f": {of_all}" if of_all else "")
    table = Table(
        "Differences",
        ["comparison", "difference", "interval"],
        [Line([Cell(mark.row), number(mark.value), interval(mark.ci)]) for mark in marks],
    )
    return Picture(
        f"differences-{unit}",
        title,
        "Each difference with its interval; where p was corrected for several tests, so "
        f"was the interval.{left}",
        partial(pictures.differences, marks[:MOST_DIFFERENCES], f"difference{in_unit}"),
        table,
    )


def _pool(result: dict, results: Sequence[dict]) -> str:
    """Return the pool of a test; "all pools" of one beside tests of single pools."""
    is_whole = result.get("pool") == "" and any(other.get("pool") for other in results)
    return "all pools" if is_whole else str(result.get("pool") or "")


def _table(results: Sequence[dict], of_files: Mapping[str, str]) -> Table:
    more = [key for key in ("pool", "kind") if any(result.get(key) for result in results)]
    rows = []
    for result in results:
        names = [
            of_files.get(str(result[key]), str(result[key])) for key in ("a", "b") if key in result
        ] or [", ".join(map(str, result.get("groups") or [result.get("group", "")])), ""]
        rows.append(
            Line(
                [
                    *map(Cell, names),
                    Cell(parts.spec(str(result["value"]).removeprefix("scores."))),
                    *(
                        Cell(
                            _pool(result, results) if key == "pool" else str(result.get(key) or "")
                        )
                        for key in more
                    ),
                    _number(result, "mean_a"),
                    _number(result, "mean_b"),
                    _number(result, "difference")._replace(below=interval(result.get("ci")).text),
                    parts.p_of(result),
                    _number(result, "effect")._replace(below=str(result.get("effect_name") or "")),
                    count(int(result.get("n") or 0)),
                    Cell(str(result["test"])),
                ],
                kind=str(result.get("kind") or ""),
            )
        )
    return Table(
        "Tests; below a difference, its interval",
        [
            "a",
            "b",
            "value",
            *more,
            "mean of a",
            "mean of b",
            "difference",
            "p",
            "effect",
            "n",
            "test",
        ],
        rows,
    )


def _number(result: dict, key: str) -> Cell:
    value = result.get(key)
    return number(value if is_number(value) else None)
