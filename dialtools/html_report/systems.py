"""The sections on systems: all numbers in a table, S, R and D, their shape, groups and trends."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from dialtools import languages
from dialtools.comparison.verdicts import p_is
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import bind
from dialtools.html_report import estimates, pictures
from dialtools.html_report.drawing import Mark
from dialtools.html_report.estimates import DIMENSIONS, Estimate, Key
from dialtools.html_report.material import CHANGE, Row
from dialtools.html_report.parts import (
    Cell,
    Line,
    Picture,
    Section,
    Table,
    count,
    first,
    interval,
    number,
    p_of,
    spec,
)
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.statistics import assumptions
from dialtools.statistics.clustered import LEVEL
from dialtools.system.errors import DialtoolsError

Numbers = Mapping[Key, Estimate]
Names = Mapping[tuple[int, str], str]

MOST_ROWS = 24  # of a picture
MOST_POINTS = 200  # whose numbers stand beside a picture
MOST_METRICS = 6  # that have pictures
MOST_LANGUAGES = 6
MOST_TRENDS = 6  # systems whose trends have pictures
PAIRS = 400  # of outputs to different dialogues, of a system in a language
PARTS = 6  # of the sources of a trend
ALL = "all"  # groups, in a row beside theirs
_IN_RESULTS = "the table of results has all"
_SHOWN = ("mean", "corpus", "S", "R", "D", "control", "distinct")
_MEANS = {"corpus": "corpus score", "control": "control S"}
_DIMENSIONS = {
    "consistency": "Δz_c consistency: change of the output, %",
    "saliency": "Δz_s saliency: change of the score, %",
    "faithfulness": "Δz_f faithfulness: change of the score against the input, %",
}


def metrics(numbers: Numbers, *measures: str) -> list[str]:
    """Return the metrics that have one of some measures, ours that no metric measured the last."""
    found = dict.fromkeys(key.metric for key in numbers if key.measure in measures)
    return sorted(found, key=lambda name: name == CHANGE)


def labels(keys: Iterable[Key], kind: bool = False) -> dict[Key, str]:
    """Return what tells each number from the others: system, language, group, perhaps kind."""
    keys = list(keys)
    varied = [
        name
        for name in ("system", "lang", "group", *(["kind"] if kind else []))
        if name == "system" or len({getattr(key, name) for key in keys}) > 1
    ]
    return {
        key: " · ".join(filter(None, (getattr(key, name) for name in varied))) or "all"
        for key in keys
    }


def table(numbers: Numbers, by: str) -> Section | None:
    """Return the table of systems and metrics; by: what groups are by."""
    keys = [key for key in numbers if key.measure in _SHOWN]
    if not keys:
        return None
    columns = [
        (metric, measure)
        for metric in metrics(numbers, *_SHOWN)
        for measure in _SHOWN
        if any((key.metric, key.measure) == (metric, measure) for key in keys)
    ]
    varied = [
        name for name in ("lang", "group", "kind") if len({getattr(key, name) for key in keys}) > 1
    ]
    rows: dict[tuple, dict[tuple, Estimate]] = {}
    for key in keys:
        whose = key.system, key.lang, key.group, key.kind
        rows.setdefault(whose, {})[key.metric, key.measure] = numbers[key]
    lines = [_line(whose, cells, columns, varied) for whose, cells in rows.items()]
    heads = [("", 2 + len(varied))] + [
        (f"{spec(name)}{_unit(name, numbers)}", sum(metric == name for metric, _ in columns))
        for name in dict.fromkeys(metric for metric, _ in columns)
    ]
    made = Table(
        "Systems and metrics; below a number, its 95 % interval",
        [
            "system",
            *({"lang": "language", "group": by}.get(name, name) for name in varied),
            "n",
            *(_MEANS.get(measure, measure) for _, measure in columns),
        ],
        lines,
        heads,
    )
    return Section("results", "Results", list(_explained(numbers)), [made])


def _unit(metric: str, numbers: Numbers) -> str:
    units = {estimate.unit for key, estimate in numbers.items() if key.metric == metric}
    return ", %" if units == {"percent"} else ""


def _explained(numbers: Numbers) -> Iterator[str]:
    measures = {key.measure for key in numbers}
    if "S" in measures:
        yield (
            "S is how much the outputs for one source differ between its variants, 0 if they "
            "are all equal; R and D are the range and the standard deviation of their quality. "
            "Lower is more robust."
        )
    if any(estimate.ci and estimate.unit == "percent" for estimate in numbers.values()):
        yield (
            "Intervals are those of t over sources, at 95 %; they end at 0 and 100, where no "
            "number in percent can lie beyond."
        )
    if "control" in measures:
        yield (
            "The control is S between different sources: a system that always says the same "
            "has a low control, too."
        )
    if CHANGE in {key.metric for key in numbers}:
        yield (
            f"The “{CHANGE}” is the mean share of characters that differ between "
            "two outputs to one source, of at most ten, counted for this page; dt-score "
            "--sensitivity measures with a metric."
        )


def _line(
    whose: tuple, cells: dict[tuple, Estimate], columns: Sequence[tuple], varied: Sequence[str]
) -> Line:
    system, lang, group, kind = whose
    own = {"lang": lang, "group": group, "kind": kind}
    if "group" in varied and not group:
        own["group"] = ALL
    shown = [
        Cell(system),
        *(Cell(history.typed(own[name])) for name in varied),
        count(max(estimate.n for estimate in cells.values())),
    ]
    for column in columns:
        estimate = cells.get(column)
        cell = number(estimate.value if estimate else None)
        shown.append(cell._replace(below=interval(estimate.ci).text if estimate else ""))
    return Line(shown, system, lang, kind)


def _numbers(caption: str, marks: Sequence[Mark], first: str = "system") -> Table:
    """Return the numbers of a picture of dots."""
    rows = [
        Line([Cell(mark.row), Cell(mark.series), number(mark.value), interval(mark.ci)])
        for mark in marks
    ]
    return Table(caption, [first, "", "value", "95 % interval"], rows)


def _limited(marks: Sequence[Mark]) -> tuple[list[Mark], str]:
    """Return the marks of the rows and series that a picture has room for, and a sentence on the
    others."""
    kept, left = list(marks), ""
    for name, most, what in (("series", pictures.MANY, "systems"), ("row", MOST_ROWS, "rows")):
        highest: dict[str, float] = {}
        for mark in kept:
            called = getattr(mark, name)
            highest[called] = max(mark.value, highest.get(called, mark.value))
        if len(highest) > most:
            chosen = set(sorted(highest, key=lambda one: -highest[one])[:most])
            kept = [mark for mark in kept if getattr(mark, name) in chosen]
            left += (
                f" Shown are the {most} of {len(highest):,} {what} with the highest values; "
                "the tables have all."
            )
    return kept, left


def sensitivity(numbers: Numbers, rows: Sequence[Row], names: Names) -> Section | None:
    """Return S, R and D of each system, the distribution of S, and quality beside S."""
    made: list[Picture] = []
    chosen, more = first(metrics(numbers, "S"), MOST_METRICS, "metrics", _IN_RESULTS)
    for metric in chosen:
        keys = [key for key in numbers if key.metric == metric and key.measure in ("S", "R", "D")]
        called = labels(keys)
        marks, left = _limited(
            [Mark(called[key], key.measure, numbers[key].value, numbers[key].ci) for key in keys]
        )
        made.append(
            Picture(
                f"sensitivity-{metric}",
                f"S, R and D by {metric}",
                f"A dot for each system, with its 95 % interval; lower is more robust.{left}",
                partial(pictures.sensitivity, marks, "percent"),
                _numbers("S, R and D", marks),
            )
        )
        if shape := _distribution(metric, rows, names, numbers):
            made.append(shape)
        if beside := _quality(metric, numbers):
            made.append(beside)
    return (
        Section("sensitivity", "Sensitivity", [more.strip()] if more else [], [], made)
        if made
        else None
    )


def _distribution(
    metric: str, rows: Sequence[Row], names: Names, numbers: Numbers
) -> Picture | None:
    label = CHANGE if metric == CHANGE else f"S:{metric}"
    values: dict[str, list[float]] = {}
    for row in rows:
        if row.is_source and label in row.measured:
            values.setdefault(names[row.file, row.system], []).append(row.measured[label])
    if not values:
        return None
    beside = _controls(
        metric, [row for row in rows if label in row.measured], names, [*values][: pictures.PANELS]
    )
    lines = []
    for name, own in values.items():
        quarters = [sorted(own)[int(share * (len(own) - 1))] for share in (0.25, 0.5, 0.75, 1)]
        affected = 100 * sum(value > 0 for value in own) / len(own)
        middle = beside.get(name)
        lines.append(
            Line(
                [
                    Cell(name),
                    count(len(own)),
                    number(affected),
                    *map(number, quarters),
                    number(sum(middle) / len(middle) if middle else None),
                ],
                name,
            )
        )
    told = (
        (
            "; an outline shows the same for outputs to different sources, of at most "
            f"{PAIRS} pairs in each language"
        )
        if beside
        else ""
    )
    means = {} if beside else _control_means(metric, numbers)
    told += "; the dashed line is the mean of outputs to different sources" if means else ""
    _, left = first([*values], pictures.PANELS, "systems")
    return Picture(
        f"distribution-{metric}",
        f"Distribution of S by {metric}",
        f"Share of sources with an S in each range{told}.{left}",
        partial(pictures.distribution, values, beside, means, f"S by {spec(metric)}, percent"),
        Table(
            "Quartiles of S over sources, in percent",
            [
                "system",
                "sources",
                "affected",
                "1st quartile",
                "median",
                "3rd quartile",
                "highest",
                "control, mean",
            ],
            lines,
        ),
    )


def _control_means(metric: str, numbers: Numbers) -> dict[str, float]:
    """Return the control that results have of each system, the mean over its languages."""
    found: dict[str, list[float]] = {}
    for key, estimate in numbers.items():
        if (key.metric, key.measure) == (metric, "control"):
            found.setdefault(key.system, []).append(estimate.value)
    return {system: sum(own) / len(own) for system, own in found.items()}


def _controls(
    metric: str, rows: Sequence[Row], names: Names, systems: Collection[str]
) -> dict[str, list[float]]:
    """Return the change between outputs to different sources; {} where it would take a model."""
    try:
        own = Metric(metric)
        own.require_comparable()
    except (DialtoolsError, ImportError):
        return {}
    if own.window > 1:
        return {}
    spoken: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.output and names[row.file, row.system] in systems:
            spoken[names[row.file, row.system], row.lang].append(row)
    found: dict[str, list[float]] = {}
    for (system, lang), outputs in spoken.items():
        pairs = list(
            islice(
                (
                    (one.output, other.output)
                    for reach in range(1, len(outputs))
                    for one, other in zip(outputs, outputs[reach:], strict=False)
                    if one.cluster != other.cluster
                ),
                PAIRS,
            )
        )
        if not pairs:
            continue
        try:
            scorer = bind(own, languages.get(lang))
            scores = scorer.percent([one for one, _ in pairs], [[other] for _, other in pairs])
        except DialtoolsError:
            continue
        found.setdefault(system, []).extend(100 - score for score in scores)
    return found


def _quality(metric: str, numbers: Numbers) -> Picture | None:
    """Return quality against sensitivity, of two systems at least."""
    keys = [
        key
        for key in numbers
        if key.metric == metric and key.measure == "S" and key._replace(measure="mean") in numbers
    ]
    if len(keys) < 2:
        return None
    whose = labels([key._replace(system="") for key in keys])
    points = [
        (
            key.system or "all",
            part if part != "all" else "",
            numbers[key._replace(measure="mean")].value,
            numbers[key].value,
        )
        for key in keys
        for part in [whose[key._replace(system="")]]
    ]
    rows = [
        Line([Cell(" · ".join(filter(None, (name, part)))), number(mean), number(change)], name)
        for name, part, mean, change in points[:MOST_POINTS]
    ]
    names = len({name for name, *_ in points})
    left = f" The {names:,} systems have one colour." if names > pictures.MANY else ""
    left += (
        f" Of {len(points):,} points, names stand in the table."
        if len(points) > pictures.MOST_NAMED
        else ""
    )
    left += first(points, MOST_POINTS, "points in the table", _IN_RESULTS)[1]
    return Picture(
        f"quality-{metric}",
        f"Quality against sensitivity by {metric}",
        "A point for each system and part of the data; to the right is better, below is "
        f"more robust.{left}",
        partial(pictures.quality, points, f"quality: mean {metric}, percent", "S, percent"),
        Table("Quality and S, in percent", ["system", "quality", "S"], rows),
    )


def groups(numbers: Numbers, gaps: Sequence[dict], by: str) -> Section | None:
    """Return S by pool or group of names, and the gaps between groups."""
    made = []
    chosen, more = first(metrics(numbers, "S", "mean"), MOST_METRICS, "metrics", _IN_RESULTS)
    for metric in chosen:
        keys = [
            key for key in numbers if key.metric == metric and key.group and key.measure == "S"
        ] or [
            key for key in numbers if key.metric == metric and key.group and key.measure == "mean"
        ]
        if len({key.group for key in keys}) < 2:
            continue
        measure = keys[0].measure
        whose = labels([key._replace(group="") for key in keys])
        marks, left = _limited(
            [
                Mark(key.group, whose[key._replace(group="")], numbers[key].value, numbers[key].ci)
                for key in keys
            ]
        )
        what = "S" if measure == "S" else "quality"
        made.append(
            Picture(
                f"groups-{metric}",
                f"{what} by {by}, {metric}",
                f"{what} of each {by}, with its 95 % interval.{left}",
                partial(pictures.groups, marks, numbers[keys[0]].unit or metric),
                _numbers(f"{what} by {by}", marks, by),
            )
        )
    found = [_gap_table(gaps)] if gaps else []
    return (
        Section("groups", f"By {by}", [more.strip()] if more and made else [], found, made)
        if made or found
        else None
    )


def _gap_table(gaps: Sequence[dict]) -> Table:
    rows = []
    for gap in gaps:
        system, lang = str(gap.get("system") or ""), str(gap.get("lang") or "")
        size = number(gap["gap"])._replace(below=interval(gap.get("ci")).text)
        names = (gap["metric"], system, lang, gap.get("by") or "", gap.get("of") or "")
        rows.append(
            Line(
                [
                    *(Cell(str(name)) for name in names),
                    size,
                    p_of(gap),
                    Cell(str(gap["highest"])),
                    Cell(str(gap["lowest"])),
                ],
                system,
                lang,
            )
        )
    return Table(
        "Gaps between groups",
        ["metric", "system", "language", "by", "of", "gap", "p", "highest", "lowest"],
        rows,
    )


def trends(rows: Sequence[Row], names: Names) -> Section | None:
    """Return S against the position of a speaker's first turn and the number of turns."""
    spoken = [row for row in rows if row.is_source and row.position is not None]
    made: list[Picture] = []
    sentences = []
    metric = next((name for row in spoken for name in row.measured if name.startswith("S:")), "")
    systems = list(dict.fromkeys(names[row.file, row.system] for row in spoken))
    for system in systems:
        own = [
            row
            for row in spoken
            if names[row.file, row.system] == system and metric in row.measured
        ]
        panels = []
        for key, name in (
            ("position", "position of the speaker's first turn"),
            ("turns", "number of the speaker's turns"),
        ):
            points = [
                (float(getattr(row, key)), row.measured[metric])
                for row in own
                if getattr(row, key) is not None
            ]
            if len({x for x, _ in points}) > 1:
                panels.append((name, points, _means(points)))
                sentences.append(_trend(system, metric, name, points))
        if panels and len(made) < MOST_TRENDS:
            left = (
                f" Of {len(own):,} dots the first {pictures.POINTS:,} are drawn; the means "
                "are of all."
                if len(own) > pictures.POINTS
                else ""
            )
            lines = [
                Line(
                    [Cell(name), number(float(mark.row)), number(mark.value), interval(mark.ci)],
                    system,
                )
                for name, _, means in panels
                for mark in means
            ]
            made.append(
                Picture(
                    f"trend-{system}",
                    f"S by position and number of turns, {system}",
                    f"A dot for each renamed speaker, and the mean {metric} of parts of them with "
                    f"95 % intervals.{left}",
                    partial(pictures.trend, panels, f"{metric}, percent"),
                    Table("Means of parts", ["by", "at", "S", "95 % interval"], lines),
                )
            )
    if len(systems) > MOST_TRENDS:
        sentences.append(
            f"Pictures are of the first {MOST_TRENDS} of {len(systems):,} systems; "
            "the sentences are of all."
        )
    return Section("trends", "Who speaks when", sentences, [], made) if made else None


def _means(points: Sequence[tuple[float, float]]) -> list[Mark]:
    """Return the mean of S over parts of the points, by their first number."""
    places = sorted({x for x, _ in points})
    if len(places) > PARTS:
        ordered = sorted(x for x, _ in points)
        bounds = sorted({ordered[len(ordered) * at // PARTS] for at in range(PARTS)})
    else:
        bounds = places
    parts: dict[float, list[tuple[float, float]]] = {bound: [] for bound in bounds}
    for x, y in points:
        parts[max(bound for bound in bounds if bound <= x)].append((x, y))
    return [
        Mark(f"{sum(x for x, _ in own) / len(own):.4g}", "S", found.value, found.ci)
        for own in parts.values()
        if own
        for found in [
            estimates.within(estimates.mean(enumerate(y for _, y in own), "percent"), "S")
        ]
    ]


def _trend(system: str, metric: str, name: str, points: Sequence[tuple[float, float]]) -> str:
    """Return Spearman's rho of a trend as a sentence."""
    test = registry.load("hypothesis_tests", "spearman")
    found: dict[str, Any] = test.call([x for x, _ in points], [y for _, y in points], LEVEL)
    if found.get("p") is None:
        return f"{system}: no trend of {metric} by {name} can be tested: {found.get('reason')}."
    certain = found["p"] < 1 - LEVEL
    what = ("rises" if found["effect"] > 0 else "falls") if certain else "has no certain trend"
    return (
        f"{system}: {metric} {what} with the {name} (Spearman's rho {found['effect']:.2f}, "
        f"{p_is(found['p'])}, n = {len(points):,})."
    )


def robustness(numbers: Numbers) -> Section | None:
    """Return the three dimensions of robustness for each kind of perturbation."""
    found = [key for key in numbers if key.measure in DIMENSIONS]
    if not found:
        return None
    made, sentences = (
        [],
        [
            "Each variant is compared with its original: how far the output changes (Δz_c), how far "
            "its score moves against the reference (Δz_s) and against the input (Δz_f), in percent; 0 "
            "is robust, and larger is worse."
        ],
    )
    chosen, more = first(metrics(numbers, *DIMENSIONS), MOST_METRICS, "metrics")
    for metric in chosen:
        of_metric = [key for key in found if key.metric == metric]
        langs = list(dict.fromkeys(key.lang for key in of_metric))
        more += first(langs, MOST_LANGUAGES, f"languages of {metric}")[1]
        for lang in langs[:MOST_LANGUAGES]:
            made.append(
                _robustness(
                    metric,
                    lang if len(langs) > 1 else "",
                    [key for key in of_metric if key.lang == lang],
                    numbers,
                )
            )
    sentences += [*_intervals([numbers[key] for key in found]), *([more.strip()] if more else [])]
    return Section("robustness", "Robustness", sentences, [_kinds_table(found, numbers)], made)


def _intervals(found: Sequence[Estimate]) -> Iterator[str]:
    """Yield what the intervals of robustness are, and whether there are few sources."""
    held = [estimate for estimate in found if estimate.ci]
    drawn = [estimate.n for estimate in held if estimate.is_bootstrap]
    if drawn and len(drawn) < len(held):
        yield (
            "Intervals are at 95 %: the bootstrap intervals of a summary where it was given, "
            "those of t over sources elsewhere."
        )
    elif held:
        yield (
            "Intervals are the bootstrap intervals of the summary that was given, at 95 %."
            if drawn
            else "Intervals are those of t over sources, at 95 %."
        )
    if few := assumptions.few_drawn(min(drawn), "sources") if drawn else "":
        yield f"{few[0].upper()}{few[1:]}."


def _robustness(metric: str, lang: str, keys: Sequence[Key], numbers: Numbers) -> Picture:
    whose = labels([key._replace(kind="", measure="") for key in keys])
    marks = {
        key: Mark(
            history.typed(key.kind),
            whose[key._replace(kind="", measure="")],
            numbers[key].value,
            numbers[key].ci,
        )
        for key in keys
    }
    kept, left = _limited(list(marks.values()))
    shown = {(mark.row, mark.series) for mark in kept}
    panels = [
        (_DIMENSIONS[dimension], own)
        for dimension in DIMENSIONS
        for own in [
            [
                mark
                for key, mark in marks.items()
                if key.measure == dimension and (mark.row, mark.series) in shown
            ]
        ]
        if own
    ]
    of = f"{metric}, {lang}" if lang else metric
    return Picture(
        f"robustness-{metric}" + (f"-{lang}" if lang else ""),
        f"Robustness by kind of perturbation, {of}",
        f"A dot for each kind and system, with its 95 % interval; 0 is robust.{left}",
        partial(pictures.robustness, panels),
        _kinds_table(keys, numbers),
    )


def _kinds_table(keys: Sequence[Key], numbers: Numbers) -> Table:
    rows: dict[Key, dict[str, Estimate]] = {}
    for key in keys:
        rows.setdefault(key._replace(measure=""), {})[key.measure] = numbers[key]
    lines = []
    for key, own in rows.items():
        n = max(estimate.n for estimate in own.values())
        most, cells = count(n), []
        for found in map(own.get, DIMENSIONS):
            below = (
                [interval(found.ci).text, f"n {found.n:,}" if found.n != n else "", found.left]
                if found
                else []
            )
            cells.append(
                number(found.value if found else None)._replace(
                    below="; ".join(filter(None, below))
                )
            )
        lines.append(
            Line(
                [
                    Cell(key.metric),
                    Cell(key.system),
                    Cell(key.lang),
                    Cell(history.typed(key.kind)),
                    most,
                    *cells,
                ],
                key.system,
                key.lang,
                key.kind,
            )
        )
    return Table(
        "Change after each kind of perturbation, in percent; below a number, its 95 % "
        "interval, and the sources where not all have it",
        ["metric", "system", "language", "kind", "n", *DIMENSIONS],
        lines,
    )
