"""The sections on people: how far metrics agree with them, and they with each other; ratings."""

from collections.abc import Callable, Sequence
from functools import partial

from dialtools.html_report import pictures
from dialtools.html_report.drawing import Mark
from dialtools.html_report.parts import (
    Picture,
    Section,
    Table,
    interval,
    line,
    not_shown,
    number,
    p_of,
    spec,
    value_of,
)
from dialtools.records.wellformed import is_number

MOST_ROWS = 40  # of a picture


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
        *_pictures(
            of_metrics,
            "Agreement with people",
            lambda result: spec(value_of(result)),
            ("metric", "with", "b"),
            "of each metric with the ratings, and its interval; 1 is perfect agreement, 0 none.",
        ),
        *_pictures(
            of_raters,
            "Agreement among raters",
            lambda result: f"{result['group']}: {spec(str(result['value']))}",
            ("raters", "test", "test"),
            "of the raters of each group, and its interval; 1 is perfect agreement, 0 "
            "what chance gives.",
        ),
    ]
    if not shown:
        return None
    tables = [_table(of_raters)] if of_raters else []
    return Section("agreement", "Agreement with and among people", [], tables, shown)


def _pictures(
    results: Sequence[dict],
    title: str,
    row: Callable[[dict], str],
    columns: tuple[str, str, str],
    what: str,
) -> list[Picture]:
    """Return a picture for each coefficient: its values, the highest first.

    columns: heads of the rows and of the series, and the key of the latter.
    """
    coefficients: dict[str, list[dict]] = {}
    for result in results:
        coefficients.setdefault(str(result["effect_name"]), []).append(result)
    head, series_head, series = columns
    shown = []
    for name, alike in coefficients.items():
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
        lines = [
            line([mark.row, mark.series, number(mark.value), interval(mark.ci)]) for mark in marks
        ]
        shown.append(
            Picture(
                f"{title}-{name}",
                f"{title}, {name}",
                f"{name} {what}{left_out}",
                partial(pictures.dots, drawn, name, zero=True),
                Table(title, [head, series_head, name, "interval"], lines),
            )
        )
    return shown


def _table(results: Sequence[dict]) -> Table:
    rows = [
        line(
            [
                str(result["group"]),
                spec(str(result["value"])),
                str(result["test"]),
                int(result["raters"]),
                int(result.get("n") or 0),
                number(result["effect"], interval(result.get("effect_ci"), 3).text, 3),
                p_of(result),
            ]
        )
        for result in results
    ]
    return Table(
        "Agreement among raters; below a coefficient, its interval",
        ["group", "ratings", "test", "raters", "items", "coefficient", "p"],
        rows,
    )


def ratings(results: Sequence[dict]) -> Section | None:
    """Return the share of each rating in each group."""
    values: dict[str, list[dict]] = {}
    for result in results:
        if isinstance(result.get("counts"), dict) and is_number(result.get("share")):
            values.setdefault(str(result["value"]), []).append(result)
    shown = []
    for value, groups in values.items():
        steps = sorted({step for result in groups for step in result["counts"]}, key=float)
        rows = [
            line(
                [
                    str(result["group"]),
                    int(result["n"]),
                    *(result["counts"].get(step, 0) for step in steps),
                    number(result["share"], interval(result.get("share_ci")).text),
                    number(result.get("mean")),
                    number(result.get("median")),
                ]
            )
            for result in groups
        ]
        shares = {
            str(result["group"]): [
                100 * result["counts"].get(step, 0) / max(result["n"], 1) for step in steps
            ]
            for result in groups[:MOST_ROWS]
        }
        share = f"{groups[0]['top']:g} or more, %"
        shown.append(
            Picture(
                f"ratings-{value}",
                f"Ratings in {value}",
                "The share of each rating in each group, percent."
                f"{not_shown(groups, MOST_ROWS, 'groups')}",
                partial(pictures.shares, shares, steps),
                Table(
                    f"Ratings in {value}; below a share, its interval",
                    ["group", "ratings", *steps, share, "mean", "median"],
                    rows,
                ),
            )
        )
    return Section("ratings", "Ratings", [], [], shown) if shown else None
