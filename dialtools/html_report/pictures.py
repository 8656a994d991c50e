"""The pictures of a report, a function each: numbers -> a figure of matplotlib."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialtools.html_report import style
from dialtools.html_report.style import MUTED, SERIES, Mark

PANELS = 8  # of one picture
_BINS = 20
POINTS = 1_500  # that one panel shows
MANY = 12  # systems that have colours of their own
MOST_NAMED = 12  # points with names beside them


def dots(marks: Sequence[Mark], unit: str, zero: bool = False, above: float = 0.0) -> Any:
    """Draw a dot with its interval for each mark; zero: with a line at 0.

    above: room for a legend, in inches.
    """
    figure, (axes,) = style.figure(style.height_of(marks) + above)
    style.dots(axes, marks, unit, zero)
    return figure


def distribution(
    of_sources: Mapping[str, Sequence[float]],
    controls: Mapping[str, float],
    unit: str,
) -> Any:
    """Draw the share of sources with each S, and the mean of pairs of different sources."""
    names = list(of_sources)[:PANELS]
    figure, panels = style.figure(0.9 + 1.15 * len(names), len(names), sharex=True)
    edges = [100 * number / _BINS for number in range(_BINS + 1)]
    for axes, name in zip(panels, names, strict=True):
        values = of_sources[name]
        axes.hist(
            [min(max(value, 0.0), 100.0) for value in values],
            edges,
            weights=[100 / len(values)] * len(values),
            color=SERIES[0],
            alpha=0.75,
            label="one source",
        )
        if name in controls:
            axes.axvline(
                controls[name], color=SERIES[1], linestyle=(0, (4, 3)), label="different sources"
            )
        axes.set_title(style.short(name, 60), loc="right", fontweight="normal")
        axes.set_ylabel("%")
        axes.set_xlim(0, 100)
    if controls:
        style.legend(panels[0])
    style.across(panels[-1], unit)
    return figure


def trend(
    panels: Sequence[tuple[str, Sequence[tuple[float, float]], Sequence[Mark]]], label: str
) -> Any:
    """Draw S against a number of a source in each panel: (its name, points, means of parts)."""
    figure, all_axes = style.figure(0.6 + 2.3 * len(panels), len(panels))
    for axes, (name, points, means) in zip(all_axes, panels, strict=True):
        axes.scatter(
            [x for x, _ in points[:POINTS]],
            [y for _, y in points[:POINTS]],
            s=10,
            color=MUTED,
            alpha=0.35,
            linewidths=0,
        )
        places = [float(mark.row) for mark in means]
        axes.plot(places, [mark.value for mark in means], color=SERIES[0], marker="o", markersize=5)
        for place, mark in zip(places, means, strict=True):
            if mark.ci:
                axes.plot([place, place], mark.ci, color=SERIES[0], linewidth=1.4)
        style.across(axes, name)
        axes.set_ylabel(label)
        axes.set_ylim(0, None if any(y for _, y in points) else 1)
        axes.xaxis.get_major_locator().set_params(integer=True)
    return figure


def quality(points: Sequence[tuple[str, str, float, float]], x: str, y: str) -> Any:
    """Draw a point for each system and part of the data: (system, part, its quality, its S)."""
    figure, (axes,) = style.figure(3.5)
    systems = list(dict.fromkeys(system for system, *_ in points))
    if len(systems) > MANY:
        systems = ["all"]
        points = [("all", *point[1:]) for point in points]
    for number, name in enumerate(systems):
        of_system = [point for point in points if point[0] == name]
        axes.scatter(
            [mean for *_, mean, _ in of_system],
            [change for *_, change in of_system],
            s=42,
            zorder=3,
            label=style.short(name),
            **style.marker(number),
        )
    axes.margins(0.14)
    if not any(change for *_, change in points):
        axes.set_ylim(-0.1, 1)
    style.across(axes, x)
    axes.set_ylabel(y)
    if len(systems) > 1:
        style.legend(axes)
    parts_at: dict[tuple[float, float], list[str]] = {}
    for _, part, mean, change in points if len(points) <= MOST_NAMED else ():
        parts_at.setdefault((round(mean, 6), round(change, 6)), []).append(part)
    named = [
        (*place, style.short(", ".join(filter(None, parts)), 30))
        for place, parts in parts_at.items()
    ]
    style.name(axes, [point for point in named if point[2]])
    return figure


def bars(values: Sequence[tuple[str, float]], label: str, zero: bool = False, **look: Any) -> Any:
    """Draw a bar for each name and value; zero: with a line at 0."""
    names = [name for name, _ in values]
    figure, (axes,) = style.figure(style.height(names))
    axes.barh(range(len(values)), [value for _, value in values], color=SERIES[0], **look)
    style.rows_of(axes, names)
    if zero:
        axes.axvline(0, color=MUTED, linewidth=1)
    style.across(axes, label)
    return figure


def pairs(
    panels: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    label: str,
    logarithmic: bool = False,
) -> Any:
    """Draw the pairs of numbers of each comparison, a panel each: (a, b, pairs)."""
    figure, all_axes = style.figure(0.3 + 3.1 * len(panels), len(panels))
    for axes, (a, b, points) in zip(all_axes, panels, strict=True):
        values = [value for point in points for value in point]
        ends = [min(values), max(values)]
        if logarithmic and ends[0] > 0:
            style.logarithmic(axes)
        axes.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.scatter(
            [y for _, y in points[:POINTS]],
            [x for x, _ in points[:POINTS]],
            s=14,
            color=SERIES[0],
            alpha=0.6,
            linewidths=0,
        )
        style.across(axes, f"{label}, {style.short(b, 60)}")
        axes.set_ylabel(style.short(a, 30))
    return figure


def shares(of_groups: Mapping[str, Sequence[float]], steps: Sequence[str]) -> Any:
    """Draw the share of each rating in each group as a bar of its parts."""
    figure, (axes,) = style.figure(style.height([*of_groups]) + 0.15)
    starts = [0.0] * len(of_groups)
    for number, step in enumerate(steps):
        widths = [shares[number] for shares in of_groups.values()]
        axes.barh(
            range(len(of_groups)),
            widths,
            left=starts,
            height=0.62,
            label=style.short(step),
            color=style.colour(number),
            edgecolor="white",
            linewidth=1,
        )
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    style.rows_of(axes, [*of_groups])
    axes.set_xlim(0, 100)
    style.across(axes, "percent of the ratings")
    style.legend(axes)
    return figure


def training(
    panels: Sequence[tuple[str, Mapping[str, Sequence[tuple[float, float]]]]], best: float | None
) -> Any:
    """Draw curves over the epochs, a panel for each unit: (its name, {curve: points})."""
    figure, all_axes = style.figure(0.5 + 2.1 * len(panels), len(panels), sharex=True)
    for axes, (name, curves) in zip(all_axes, panels, strict=True):
        for number, (curve, points) in enumerate(curves.items()):
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                markersize=4,
                label=style.short(curve),
                **style.marker(number),
            )
        if best is not None:
            axes.axvline(best, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_ylabel(name)
        if name == "gap":
            axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        if list(curves) != [name] and len(curves) <= MANY and axes is all_axes[0]:
            style.legend(axes)
    dashed = "" if best is None else f" (dashed: the best, {best:g})"
    style.across(all_axes[-1], f"epoch{dashed}")
    all_axes[-1].xaxis.get_major_locator().set_params(integer=True)
    return figure


def dendrogram(joined: Mapping[int, tuple[int, float]], names: Sequence[str]) -> Any:
    """Draw which clusters merge: {cluster: (what it joins, at what distance)}."""
    from dialtools.clustering import partition

    figure, (axes,) = style.figure(style.height(names))
    partition.draw(
        axes, partition.merges_of(joined), [style.lines(name) for name in names], SERIES[0]
    )
    axes.grid(visible=False)
    return figure
