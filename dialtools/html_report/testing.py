"""The sections on tests: differences of systems, perplexities, agreement with people, ratings."""

from collections.abc import Callable, Sequence
from functools import partial

from dialtools.comparison.verdicts import spec
from dialtools.html_report import pictures
from dialtools.html_report.pairwise import PERPLEXITY, TextPairs, of_perplexity
from dialtools.html_report.sections import (
    Line,
    Picture,
    Section,
    Table,
    TableCell,
    interval,
    line,
    marks_table,
    not_shown,
    number,
    p_of,
)
from dialtools.html_report.style import Mark
from dialtools.records.wellformed import is_number

MOST_DIFFERENCES = 30  # in a picture, and comparisons of perplexities
MOST_PANELS = 6
MOST_ROWS = 40  # of a picture of metrics, raters or ratings


def tests(results: Sequence[dict], made: int) -> Section | None:
    """Return all comparisons as a table, and their differences with intervals.

    made: how many of them, the first, were made for this page.
    """
    if not results:
        return None
    pairs = [
        result
        for result in results
        if "a" in result and result.get("p") is not None and is_number(result.get("difference"))
    ]
    units: dict[str, list[dict]] = {}
    for result in pairs:
        units.setdefault(str(result.get("unit") or result["value"]), []).append(result)
    sentences = []
    if made:
        tests_were = "1 test was" if made == 1 else f"{made} tests were"
        sentences.append(
            f"{tests_were} made for this page: paired t tests over sources, p corrected by "
            "Holm for several."
        )
    levels = sorted({result.get("ci_level") or result["level"] for result in pairs})
    if len(levels) > 1:
        sentences.append(
            f"Intervals are at {100 * levels[0]:.4g} %; one of several tests has a wider one, at "
            f"up to {100 * levels[-1]:.4g} %, so that it excludes 0 just where the corrected p is "
            "small enough."
        )
    shown = [_differences(alike, unit) for unit, alike in units.items()]
    return Section("tests", "Tests", sentences, [_tests_table(results)], shown)


def _differences(results: Sequence[dict], unit: str) -> Picture:
    """Return the differences of comparisons as a picture; a row says what not all have alike."""
    facts = []
    for result in results:
        a, b = str(result["a"]), str(result["b"])
        value, kind = spec(str(result["value"])), str(result.get("kind") or "")
        facts.append([f"{a} − {b}", _pool(result, results), kind, value])
    alike = [len(set(column)) == 1 for column in zip(*facts, strict=True)]
    if all(alike):
        rows = [facts[0][0]] * len(facts)
    else:
        rows = [
            " · ".join(part for part, same in zip(row, alike, strict=True) if part and not same)
            for row in facts
        ]
    of_all = ", ".join(part for part, same in zip(facts[0], alike, strict=True) if part and same)
    marks = [
        Mark(row, "difference", result["difference"], result.get("ci"))
        for row, result in zip(rows, results, strict=True)
    ]
    in_unit = "" if unit in ("raw", "as given") else f", {unit}"
    return Picture(
        f"differences-{unit}",
        f"Differences{in_unit}" + (f": {of_all}" if of_all else ""),
        "Each difference with its interval; where p was corrected for several tests, so "
        f"was the interval.{not_shown(marks, MOST_DIFFERENCES, 'comparisons')}",
        partial(pictures.dots, marks[:MOST_DIFFERENCES], f"difference{in_unit}", zero=True),
    )


def _pool(result: dict, results: Sequence[dict]) -> str:
    """Return the pool of a test; "all pools" of one beside tests of single pools."""
    if result.get("pool") == "" and any(test.get("pool") for test in results):
        return "all pools"
    return str(result.get("pool") or "")


def _tests_table(results: Sequence[dict]) -> Table:
    def cell(result: dict, key: str, below: str = "") -> TableCell:
        value = result.get(key)
        return number(value if is_number(value) else None, below)

    varied = [key for key in ("pool", "kind") if any(result.get(key) for result in results)]
    rows: list[Line] = []
    for result in results:
        if "a" in result:
            names = str(result["a"]), str(result["b"])
        else:
            names = ", ".join(map(str, result.get("groups") or [result.get("group", "")])), ""
        kind = str(result.get("kind") or "")
        more = {"pool": _pool(result, results), "kind": kind}
        cells: list = [
            *names,
            spec(str(result["value"])),
            *(more[key] for key in varied),
            cell(result, "mean_a"),
            cell(result, "mean_b"),
            cell(result, "difference", interval(result.get("ci")).text),
            p_of(result),
            cell(result, "effect", str(result.get("effect_name") or "")),
            int(result.get("n") or 0),
            str(result["test"]),
        ]
        rows.append(line(cells, kind=kind))
    means = ("mean of a", "mean of b", "difference")
    columns = ["a", "b", "value", *varied, *means, "p", "effect", "n", "test"]
    return Table("Tests; below a difference, its interval", columns, rows)


def perplexity(results: Sequence[dict], paired: Sequence[TextPairs]) -> Section | None:
    """Return the pairs of perplexities and the statistic of each comparison, such as t of a
    category.
    """
    shown = []
    if paired:
        panels = [
            (*pairs.names, [pair.values for pair in pairs.pairs]) for pairs in paired[:MOST_PANELS]
        ]
        left_out = not_shown(paired, MOST_PANELS, "comparisons")
        if any(len(points) > pictures.POINTS for *_, points in panels):
            most = f"{pictures.POINTS:,}"
            left_out += f" Of more pairs than {most} the first {most} are drawn."
        rows = []
        for pairs in paired:
            a_is_higher = sum(pair.values[0] > pair.values[1] for pair in pairs.pairs)
            rows.append(line([*pairs.names, len(pairs.pairs), a_is_higher]))
        shown.append(
            Picture(
                "perplexity-pairs",
                "Pairs of perplexities",
                "A dot for each pair, one text in two versions; above the dashed line that of the "
                f"vertical axis surprises the model more.{left_out}",
                partial(pictures.pairs, panels, PERPLEXITY, True),
                Table("Pairs", ["a", "b", "pairs", "a is higher"], rows),
            )
        )
    statistics: dict[str, list[Mark]] = {}
    for result in of_perplexity(results):
        a, b = str(result["a"]), str(result["b"])
        name = str(result.get("statistic_name") or "statistic")
        statistics.setdefault(name, []).append(Mark(f"{a} − {b}", name, result["statistic"]))
    for name, marks in statistics.items():
        if len(marks) < 2:
            continue
        left_out = not_shown(marks, MOST_DIFFERENCES, "", which="first {most} of {all}")
        shown_bars = [(mark.row, mark.value) for mark in marks[:MOST_DIFFERENCES]]
        shown.append(
            Picture(
                f"perplexity-{name}",
                f"{name} of each category",
                f"The statistic {name} of each comparison: to the right, a surprises the model "
                f"more.{left_out}",
                partial(pictures.bars, shown_bars, name, zero=True, height=0.55),
                marks_table(f"{name} of each comparison", ["comparison", name], marks),
            )
        )
    return Section("perplexity", "Perplexity", [], [], shown) if shown else None


def agreement(results: Sequence[dict]) -> Section | None:
    """Return how far metrics agree with the numbers of people, and raters with each other."""
    with_effect = [result for result in results if is_number(result.get("effect"))]
    of_metrics = [
        result
        for result in with_effect
        if "a" in result
        and "versus" not in result
        and result.get("difference") is None
        and str(result["a"]) == str(result["value"])
    ]
    of_raters = [result for result in with_effect if result.get("raters") is not None]
    shown = [
        *_coefficients(
            of_metrics,
            "Agreement with people",
            lambda result: " · ".join(
                str(part) for part in (result.get("group"), spec(str(result["value"]))) if part
            ),
            ("metric", "with", "b"),
            "of each metric with the ratings, and its interval; 1 is perfect agreement, {chance} none.",
        ),
        *_coefficients(
            of_raters,
            "Agreement among raters",
            lambda result: f"{result['group']}: {spec(str(result['value']))}",
            ("raters", "test", "test"),
            "of the raters of each group, and its interval; 1 is perfect agreement, "
            "{chance} what chance gives.",
        ),
    ]
    if not shown:
        return None
    rows = []
    for result in of_raters:
        names = [str(result["group"]), spec(str(result["value"])), str(result["test"])]
        numbers = int(result["raters"]), int(result.get("n") or 0)
        effect = number(result["effect"], interval(result.get("effect_ci"), 3).text, 3)
        rows.append(line([*names, *numbers, effect, p_of(result)]))
    table = Table(
        "Agreement among raters; below a coefficient, its interval",
        ["group", "ratings", "test", "raters", "items", "coefficient", "p"],
        rows,
    )
    tables = [table] if rows else []
    return Section("agreement", "Agreement with and among people", [], tables, shown)


def _coefficients(
    results: Sequence[dict],
    title: str,
    row: Callable[[dict], str],
    columns: tuple[str, str, str],
    what: str,
) -> list[Picture]:
    """Return a picture for each coefficient: its values, the highest first.

    columns: heads of the rows and of the series, and the key of the latter.
    what: of what they are; {chance} stands for the value that means nothing.
    """
    coefficients: dict[str, list[dict]] = {}
    for result in results:
        coefficients.setdefault(str(result["effect_name"]), []).append(result)
    head, series_head, series = columns
    shown = []
    for name, alike in coefficients.items():
        chance = "0.5" if name == "pairwise accuracy" else "0"
        is_one = len({str(result[series]) for result in alike}) == 1
        marks = [
            Mark(
                row(result),
                name if is_one else str(result[series]),
                result["effect"],
                result.get("effect_ci"),
            )
            for result in sorted(alike, key=lambda result: -result["effect"])
        ]
        rows = list(dict.fromkeys(mark.row for mark in marks))
        left_out = not_shown(rows, MOST_ROWS, "", which="{most} highest of {all:,}")
        drawn = [mark for mark in marks if mark.row in rows[:MOST_ROWS]]
        shown.append(
            Picture(
                f"{title}-{name}",
                f"{title}, {name}",
                f"{name} {what.format(chance=chance)}{left_out}",
                partial(pictures.dots, drawn, name, zero=chance == "0"),
                marks_table(title, [head, series_head, name, "interval"], marks),
            )
        )
    return shown


def ratings(results: Sequence[dict]) -> Section | None:
    """Return the share of each rating in each group."""
    values: dict[str, list[dict]] = {}
    for result in results:
        if isinstance(result.get("counts"), dict) and is_number(result.get("share")):
            values.setdefault(str(result["value"]), []).append(result)
    shown = []
    for value, groups in values.items():
        steps = sorted({step for result in groups for step in result["counts"]}, key=float)
        rows, shares = list[Line](), dict[str, list[float]]()
        for result in groups:
            counts = [result["counts"].get(step, 0) for step in steps]
            if len(rows) < MOST_ROWS:
                shares[str(result["group"])] = [
                    100 * count / max(result["n"], 1) for count in counts
                ]
            share = number(result["share"], interval(result.get("share_ci")).text)
            means = number(result.get("mean")), number(result.get("median"))
            rows.append(line([str(result["group"]), int(result["n"]), *counts, share, *means]))
        top = f"{groups[0]['top']:g} or more, %"
        shown.append(
            Picture(
                f"ratings-{value}",
                f"Ratings in {value}",
                "The share of each rating in each group, percent."
                f"{not_shown(groups, MOST_ROWS, 'groups')}",
                partial(pictures.shares, shares, steps),
                Table(
                    f"Ratings in {value}; below a share, its interval",
                    ["group", "ratings", *steps, top, "mean", "median"],
                    rows,
                ),
            )
        )
    return Section("ratings", "Ratings", [], [], shown) if shown else None
