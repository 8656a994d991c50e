"""The sections on people: how far metrics agree with them, and they with each other; ratings."""

from collections.abc import Callable, Sequence
from functools import partial

from dialtools.html_report import pictures
from dialtools.html_report.drawing import Mark
from dialtools.html_report.parts import (
    Cell,
    Line,
    Picture,
    Section,
    Table,
    count,
    interval,
    number,
    p_of,
    spec,
)
from dialtools.records.wellformed import is_number

MOST_ROWS = 40  # of a picture


def agreement(results: Sequence[dict]) -> Section | None:
    """Return how far metrics agree with the numbers of people, and raters with each other."""
    found = [result for result in results if is_number(result.get("effect"))]
    of_metrics = [
        result
        for result in found
        if "a" in result
        and "versus" not in result
        and result.get("difference") is None
        and str(result["a"]) == str(result["value"])
    ]
    of_raters = [result for result in found if "raters" in result]
    made = [
        *_pictures(
            of_metrics,
            "Agreement with people",
            _metric,
            "b",
            "of each metric with the ratings, and its interval; 1 is perfect agreement, 0 none.",
        ),
        *_pictures(
            of_raters,
            "Agreement among raters",
            _raters,
            "test",
            "of the raters of each group, and its interval; 1 is perfect agreement, 0 "
            "what chance gives.",
        ),
    ]
    return (
        Section(
            "agreement",
            "Agreement with and among people",
            [],
            [_table(of_raters)] if of_raters else [],
            made,
        )
        if made
        else None
    )


def _metric(result: dict) -> str:
    return spec(str(result["a"]).removeprefix("scores."))


def _raters(result: dict) -> str:
    return f"{result['group']}: {spec(str(result['value']))}"


def _pictures(
    results: Sequence[dict], title: str, row: Callable[[dict], str], series: str, what: str
) -> list[Picture]:
    """Return a picture for each coefficient: its values, the highest first."""
    made = []
    for name in dict.fromkeys(str(result["effect_name"]) for result in results):
        same = [result for result in results if str(result["effect_name"]) == name]
        several = len({str(result[series]) for result in same}) > 1
        every = [
            Mark(
                row(result),
                str(result[series]) if several else name,
                result["effect"],
                result.get("effect_ci"),
            )
            for result in same
        ]
        every = sorted(every, key=lambda mark: -mark.value)
        kept = list(dict.fromkeys(mark.row for mark in every))
        left = (
            f" Shown are the {MOST_ROWS} highest of {len(kept):,}; the table has all."
            if len(kept) > MOST_ROWS
            else ""
        )
        marks = [mark for mark in every if mark.row in kept[:MOST_ROWS]]
        rows = [
            Line([Cell(mark.row), Cell(mark.series), number(mark.value), interval(mark.ci)])
            for mark in every
        ]
        heads = ["metric", "with"] if series == "b" else ["raters", "test"]
        made.append(
            Picture(
                f"{title}-{name}",
                f"{title}, {name}",
                f"{name} {what}{left}",
                partial(pictures.agreement, marks, name),
                Table(title, [*heads, name, "interval"], rows),
            )
        )
    return made


def _table(results: Sequence[dict]) -> Table:
    rows = [
        Line(
            [
                Cell(str(result["group"])),
                Cell(spec(str(result["value"]))),
                Cell(str(result["test"])),
                count(int(result["raters"])),
                count(int(result.get("n") or 0)),
                number(result["effect"], 3)._replace(
                    below=interval(result.get("effect_ci"), 3).text
                ),
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
    own = [
        result
        for result in results
        if isinstance(result.get("counts"), dict) and is_number(result.get("share"))
    ]
    if not own:
        return None
    made = []
    for value in dict.fromkeys(str(result["value"]) for result in own):
        same = [result for result in own if str(result["value"]) == value]
        steps = sorted({step for result in same for step in result["counts"]}, key=float)
        rows = [
            Line(
                [
                    Cell(str(result["group"])),
                    count(int(result["n"])),
                    *(count(result["counts"].get(step, 0)) for step in steps),
                    number(result["share"])._replace(below=interval(result.get("share_ci")).text),
                    number(result.get("mean")),
                    number(result.get("median")),
                ]
            )
            for result in same
        ]
        table = Table(
            f"Ratings in {value}; below a share, its interval",
            ["group", "ratings", *steps, f"{same[0]['top']:g} or more, %", "mean", "median"],
            rows,
        )
        shares = {
            str(result["group"]): [
                100 * result["counts"].get(step, 0) / result["n"] for step in steps
            ]
            for result in same[:MOST_ROWS]
        }
        left = (
            f" Shown are the first {MOST_ROWS} of {len(same):,} groups; the table has all."
            if len(same) > MOST_ROWS
            else ""
        )
        made.append(
            Picture(
                f"ratings-{value}",
                f"Ratings in {value}",
                f"The share of each rating in each group, percent.{left}",
                partial(pictures.shares, shares, steps),
                table,
            )
        )
    return Section("ratings", "Ratings", [], [], made)
