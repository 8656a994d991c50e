"""The sections on systems: all numbers in a table, S, R and D, their shape, groups and trends."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from dialtools import languages
from dialtools.comparison.verdicts import CHANGE, p_is, spec
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import bind
from dialtools.evaluation.sensitivity import changes
from dialtools.html_report import estimates, pictures
from dialtools.html_report.estimates import (
    DIMENSIONS,
    OF_QUALITY,
    Estimate,
    Key,
    Numbers,
    varied,
)
from dialtools.html_report.material import Observation
from dialtools.html_report.sections import (
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
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.statistics.clustered import LEVEL
from dialtools.statistics.results import few_drawn
from dialtools.system.errors import DialtoolsError

MOST_ROWS = 24  # of a picture
MOST_POINTS = 200  # whose numbers stand beside a picture
MOST_METRICS = 6  # that have pictures
MOST_LANGUAGES = 6
MOST_TRENDS = 6  # systems whose trends have pictures
PAIRS = 400  # of outputs to different dialogues, of a system in a language
PARTS = 6  # of the sources of a trend
ALL = "all"  # groups, in a row beside theirs
_IN_RESULTS = "the table of results has all"
_SHOWN = (*OF_QUALITY, "S", "R", "D", "control", "distinct")
_MEANS = {"corpus": "corpus score", "sentence_mean": "sentence mean", "control": "control S"}
_DIMENSIONS = {
    "consistency": "Δz_c consistency: change of the output, %",
    "saliency": "Δz_s saliency: change of the score, %",
    "faithfulness": "Δz_f faithfulness: change of the score against the input, %",
}
_OF_MARKS = ("", "value", "95 % interval")  # columns of the numbers of dots, behind what rows are


def _metrics(numbers: Numbers, *measures: str) -> list[str]:
    """Return the metrics that have one of some measures, ours that no metric measured the last."""
    names = dict.fromkeys(key.metric for key in numbers if key.measure in measures)
    return sorted(names, key=lambda name: name == CHANGE)


def _labels(keys: Iterable[Key]) -> dict[Key, str]:
    """Return what tells each number from the others: system, language, group."""
    keys = list(keys)
    names = ["system", *varied(keys, "lang", "group")]
    return {
        key: " · ".join(filter(None, (getattr(key, name) for name in names))) or ALL for key in keys
    }


def results(numbers: Numbers, by: str) -> Section | None:
    """Return the table of systems and metrics; by: what groups are by."""
    keys = [key for key in numbers if key.measure in _SHOWN]
    if not keys:
        return None
    measured = {(key.metric, key.measure) for key in keys}
    columns = [
        (metric, measure)
        for metric in _metrics(numbers, *_SHOWN)
        for measure in _SHOWN
        if (metric, measure) in measured
    ]
    names = varied(keys, "lang", "group", "kind")
    rows: dict[Key, dict[tuple, Estimate]] = {}
    for key in keys:
        row = key._replace(metric="", measure="")
        rows.setdefault(row, {})[key.metric, key.measure] = numbers[key]

    heads = [("", 2 + len(names))]
    for metric in dict.fromkeys(metric for metric, _ in columns):
        units = {estimate.unit for key, estimate in numbers.items() if key.metric == metric}
        percent = ", %" if units == {"percent"} else ""
        heads.append((f"{spec(metric)}{percent}", sum(name == metric for name, _ in columns)))
    lines = []
    for key, estimates_of_row in rows.items():
        shown = key._replace(group=key.group or ALL)
        cells: list = [key.system, *(history.typed(getattr(shown, name)) for name in names)]
        cells.append(max(estimate.n for estimate in estimates_of_row.values()))
        for column in columns:
            estimate = estimates_of_row.get(column)
            below = interval(estimate.ci).text if estimate else ""
            cells.append(number(estimate.value if estimate else None, below))
        lines.append(line(cells, key.system, key.lang, key.kind))
    table = Table(
        "Systems and metrics; below a number, its 95 % interval",
        [
            "system",
            *({"lang": "language", "group": by}.get(name, name) for name in names),
            "n",
            *(_MEANS.get(measure, measure) for _, measure in columns),
        ],
        lines,
        heads,
    )
    return Section("results", "Results", list(_explained(numbers)), [table])


def _explained(numbers: Numbers) -> Iterator[str]:
    """Yield what the numbers of the table of results are."""
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
    if any(key.measure == "corpus" and estimate.ci for key, estimate in numbers.items()):
        yield "Intervals of corpus scores are those of a bootstrap over sources, at 95 %."
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


def _limited(marks: Sequence[Mark]) -> tuple[list[Mark], str]:
    """Return the marks of the rows and series that a picture has room for, and a sentence on the
    rest.
    """
    drawn, left_out = list(marks), ""
    for name, most, what in (("series", pictures.MANY, "systems"), ("row", MOST_ROWS, "rows")):
        highest: dict[str, float] = {}
        for mark in drawn:
            label = getattr(mark, name)
            highest[label] = max(mark.value, highest.get(label, mark.value))
        if len(highest) > most:
            chosen = set(sorted(highest, key=lambda label: -highest[label])[:most])
            drawn = [mark for mark in drawn if getattr(mark, name) in chosen]
            what = f"{what} with the highest values"
            which = "{most} of {all:,} {what}"
            left_out += not_shown(highest, most, what, "the tables have all", which)
    return drawn, left_out


def sensitivity(numbers: Numbers, rows: Sequence[Observation]) -> Section | None:
    """Return S, R and D of each system, the distribution of S, and quality beside S."""
    with_s = _metrics(numbers, "S")
    shown: list[Picture] = []
    for metric in with_s[:MOST_METRICS]:
        keys = [key for key in numbers if key.metric == metric and key.measure in ("S", "R", "D")]
        called = _labels(keys)
        marks, left_out = _limited(
            [Mark(called[key], key.measure, numbers[key].value, numbers[key].ci) for key in keys]
        )
        dots = Picture(
            f"sensitivity-{metric}",
            f"S, R and D by {metric}",
            f"A dot for each system, with its 95 % interval; lower is more robust.{left_out}",
            partial(pictures.dots, marks, "percent", above=0.15),
            marks_table("S, R and D", ["system", *_OF_MARKS], marks),
        )
        distribution, quality = (
            _distribution(metric, rows, numbers),
            _quality(metric, numbers),
        )
        shown += filter(None, (dots, distribution, quality))
    more = not_shown(with_s, MOST_METRICS, "metrics", _IN_RESULTS).strip()
    sentences = [more] if more else []
    return Section("sensitivity", "Sensitivity", sentences, [], shown) if shown else None


def _distribution(metric: str, rows: Sequence[Observation], numbers: Numbers) -> Picture | None:
    """Return the shape of S over sources, beside that of the control."""
    label = CHANGE if metric == CHANGE else f"S:{metric}"
    values: dict[str, list[float]] = {}
    for row in rows:
        if row.is_source and label in row.measured:
            values.setdefault(row.system, []).append(row.measured[label])
    if not values:
        return None
    measured = [row for row in rows if label in row.measured]
    controls = _controls(metric, measured, [*values][: pictures.PANELS])
    lines = []
    for name, of_sources in values.items():
        ordered, control = sorted(of_sources), controls.get(name)
        quarters = [ordered[int(share * (len(ordered) - 1))] for share in (0.25, 0.5, 0.75, 1)]
        affected = 100 * sum(value > 0 for value in of_sources) / len(of_sources)
        mean = sum(control) / len(control) if control else None
        lines.append(line([name, len(of_sources), affected, *quarters, mean], name))

    # the control that results have of each system, the mean over its languages
    of_languages: dict[str, list[float]] = {}
    for key, estimate in numbers.items():
        if (key.metric, key.measure) == (metric, "control") and not controls:
            of_languages.setdefault(key.system, []).append(estimate.value)
    means = {system: sum(values) / len(values) for system, values in of_languages.items()}
    about = "; the dashed line is the mean of outputs to different sources" if means else ""
    if controls:
        about = (
            "; an outline shows the same for outputs to different sources, of at most "
            f"{PAIRS} pairs in each language"
        )
    quartiles = ["1st quartile", "median", "3rd quartile", "highest"]
    return Picture(
        f"distribution-{metric}",
        f"Distribution of S by {metric}",
        f"Share of sources with an S in each range{about}."
        f"{not_shown(values, pictures.PANELS, 'systems')}",
        partial(pictures.distribution, values, controls, means, f"S by {spec(metric)}, percent"),
        Table(
            "Quartiles of S over sources, in percent",
            ["system", "sources", "affected", *quartiles, "control, mean"],
            lines,
        ),
    )


def _controls(
    label: str, rows: Sequence[Observation], systems: Collection[str]
) -> dict[str, list[float]]:
    """Return the change between outputs to different sources; {} where it would take a model."""
    outputs: defaultdict[tuple[str, str], list[Observation]] = defaultdict(list)
    for row in rows:
        if row.output and row.system in systems:
            outputs[row.system, row.lang].append(row)
    controls: dict[str, list[float]] = {}
    with suppress(DialtoolsError, ImportError):
        metric = ChosenMetric(label)
        metric.require_comparable()
        for (system, lang), spoken in outputs.items() if metric.declared.window == 1 else ():
            pairs = (
                (a.output, b.output)
                for reach in range(1, len(spoken))
                for a, b in zip(spoken, spoken[reach:], strict=False)
                if a.cluster != b.cluster
            )
            if chosen := list(islice(pairs, PAIRS)):
                with suppress(DialtoolsError):
                    control = changes(bind(metric, languages.get(lang)), chosen)
                    controls.setdefault(system, []).extend(control)
    return controls


def _quality(metric: str, numbers: Numbers) -> Picture | None:
    """Return quality against sensitivity, of two systems at least."""
    keys = [
        key
        for key in numbers
        if key.metric == metric and key.measure == "S" and key._replace(measure="mean") in numbers
    ]
    if len(keys) < 2:
        return None
    called = _labels([key._replace(system="") for key in keys])
    points = []
    for key in keys:
        part = called[key._replace(system="")]
        mean = numbers[key._replace(measure="mean")].value
        points.append((key.system or ALL, "" if part == ALL else part, mean, numbers[key].value))
    rows = [
        line([" · ".join(filter(None, (name, part))), mean, change], name)
        for name, part, mean, change in points[:MOST_POINTS]
    ]
    systems = len({name for name, *_ in points})
    about = f" The {systems:,} systems have one colour." if systems > pictures.MANY else ""
    if len(points) > pictures.MOST_NAMED:
        about += f" Of {len(points):,} points, names stand in the table."
    about += not_shown(points, MOST_POINTS, "points in the table", _IN_RESULTS)
    return Picture(
        f"quality-{metric}",
        f"Quality against sensitivity by {metric}",
        "A point for each system and part of the data; to the right is better, below is "
        f"more robust.{about}",
        partial(pictures.quality, points, f"quality: mean {metric}, percent", "S, percent"),
        Table("Quality and S, in percent", ["system", "quality", "S"], rows),
    )


def groups(numbers: Numbers, gaps: Sequence[dict], by: str) -> Section | None:
    """Return S by pool or group of names, and the gaps between groups."""
    shown = []
    measures = ("S", *OF_QUALITY)
    measured = _metrics(numbers, *measures)
    for metric in measured[:MOST_METRICS]:
        of_groups = [key for key in numbers if key.metric == metric and key.group]
        first = (name for name in measures if any(key.measure == name for key in of_groups))
        measure = next(first, "")
        keys = [key for key in of_groups if key.measure == measure]
        if len({key.group for key in keys}) < 2:
            continue
        called = _labels([key._replace(group="") for key in keys])
        marks, left_out = _limited(
            [
                Mark(key.group, called[key._replace(group="")], numbers[key].value, numbers[key].ci)
                for key in keys
            ]
        )
        what = "S" if measure == "S" else "quality"
        shown.append(
            Picture(
                f"groups-{metric}",
                f"{what} by {by}, {metric}",
                f"{what} of each {by}, with its 95 % interval.{left_out}",
                partial(pictures.dots, marks, numbers[keys[0]].unit or metric, above=0.15),
                marks_table(f"{what} by {by}", [by, *_OF_MARKS], marks),
            )
        )
    if not shown and not gaps:
        return None
    rows = []
    for gap in gaps:
        names = [str(gap.get(key) or "") for key in ("metric", "system", "lang", "by", "of")]
        size = number(gap["gap"], interval(gap.get("ci")).text)
        ends = str(gap["highest"]), str(gap["lowest"])
        rows.append(line([*names, size, p_of(gap), *ends], names[1], names[2]))
    columns = ["metric", "system", "language", "by", "of", "gap", "p", "highest", "lowest"]
    tables = [Table("Gaps between groups", columns, rows)] if rows else []
    more = not_shown(measured, MOST_METRICS, "metrics", _IN_RESULTS).strip()
    return Section("groups", f"By {by}", [more] if more and shown else [], tables, shown)


def trends(rows: Sequence[Observation]) -> Section | None:
    """Return S against the position of a speaker's first turn and the number of turns."""
    systems: dict[str, list[Observation]] = {}
    for row in rows:
        if row.is_source and row.position is not None:
            systems.setdefault(row.system, []).append(row)
    of_speakers = (label for rows in systems.values() for row in rows for label in row.measured)
    metric = next((label for label in of_speakers if label.startswith("S:")), "")
    shown: list[Picture] = []
    sentences = []
    for system, spoken in systems.items():
        measured = [row for row in spoken if metric in row.measured]
        panels = []
        for key, name in (
            ("position", "position of the speaker's first turn"),
            ("turns", "number of the speaker's turns"),
        ):
            points = [
                (float(getattr(row, key)), row.measured[metric])
                for row in measured
                if getattr(row, key) is not None
            ]
            if len({x for x, _ in points}) > 1:
                panels.append((name, points, _means(points)))
                sentences.append(_trend(system, metric, name, points))
        if not panels or len(shown) == MOST_TRENDS:
            continue
        left_out = ""
        if len(measured) > pictures.POINTS:
            left_out = (
                f" Of {len(measured):,} dots the first {pictures.POINTS:,} are drawn; the means "
                "are of all."
            )
        lines = [
            line([name, float(mark.row), mark.value, interval(mark.ci)], system)
            for name, _, means in panels
            for mark in means
        ]
        shown.append(
            Picture(
                f"trend-{system}",
                f"S by position and number of turns, {system}",
                f"A dot for each renamed speaker, and the mean {metric} of parts of them with "
                f"95 % intervals.{left_out}",
                partial(pictures.trend, panels, f"{metric}, percent"),
                Table("Means of parts", ["by", "at", "S", "95 % interval"], lines),
            )
        )
    if len(systems) > MOST_TRENDS:
        sentences.append(
            f"Pictures are of the first {MOST_TRENDS} of {len(systems):,} systems; "
            "the sentences are of all."
        )
    return Section("trends", "Who speaks when", sentences, [], shown) if shown else None


def _means(points: Sequence[tuple[float, float]]) -> list[Mark]:
    """Return the mean of S over parts of the points, by their first number."""
    bounds = sorted({x for x, _ in points})
    if len(bounds) > PARTS:
        ordered = sorted(x for x, _ in points)
        bounds = sorted({ordered[len(ordered) * part // PARTS] for part in range(PARTS)})
    parts: dict[float, list[tuple[float, float]]] = {bound: [] for bound in bounds}
    for x, y in points:
        parts[max(bound for bound in bounds if bound <= x)].append((x, y))
    marks = []
    for part in filter(None, parts.values()):
        mean = estimates.within(estimates.mean(enumerate(y for _, y in part), "percent"), "S")
        place = sum(x for x, _ in part) / len(part)
        marks.append(Mark(f"{place:.4g}", "S", mean.value, mean.ci))
    return marks


def _trend(system: str, metric: str, name: str, points: Sequence[tuple[float, float]]) -> str:
    """Return Spearman's rho of a trend as a sentence."""
    test = registry.load("hypothesis_tests", "spearman")
    result: dict[str, Any] = test.call([x for x, _ in points], [y for _, y in points], LEVEL)
    if result.get("p") is None:
        return f"{system}: no trend of {metric} by {name} can be tested: {result.get('reason')}."
    is_certain = result["p"] < 1 - LEVEL
    direction = "rises" if result["effect"] > 0 else "falls"
    return (
        f"{system}: {metric} {direction if is_certain else 'has no certain trend'} with the {name} "
        f"(Spearman's rho {result['effect']:.2f}, {p_is(result['p'])}, n = {len(points):,})."
    )


def robustness(numbers: Numbers) -> Section | None:
    """Return the three dimensions of robustness for each kind of perturbation."""
    keys = [key for key in numbers if key.measure in DIMENSIONS]
    if not keys:
        return None
    shown = []
    measured = _metrics(numbers, *DIMENSIONS)
    more = not_shown(measured, MOST_METRICS, "metrics")
    for metric in measured[:MOST_METRICS]:
        langs: dict[str, list[Key]] = {}
        for key in keys:
            if key.metric == metric:
                langs.setdefault(key.lang, []).append(key)
        more += not_shown(langs, MOST_LANGUAGES, f"languages of {metric}")
        for lang, of_lang in [*langs.items()][:MOST_LANGUAGES]:
            shown.append(_kinds_picture(metric, lang if len(langs) > 1 else "", of_lang, numbers))
    sentences = [
        "Each variant is compared with its original: how far the output changes (Δz_c), how far "
        "its score moves against the reference (Δz_s) and against the input (Δz_f), in percent; 0 "
        "is robust, and larger is worse.",
    ]
    with_ci = [numbers[key] for key in keys if numbers[key].ci]
    drawn = [estimate.n for estimate in with_ci if estimate.is_bootstrap]
    if drawn and len(drawn) < len(with_ci):
        sentences.append(
            "Intervals are at 95 %: the bootstrap intervals of a summary where it was given, "
            "those of t over sources elsewhere."
        )
    elif drawn:
        sentences.append(
            "Intervals are the bootstrap intervals of the summary that was given, at 95 %."
        )
    elif with_ci:
        sentences.append("Intervals are those of t over sources, at 95 %.")
    if few := few_drawn(min(drawn), "sources") if drawn else "":
        sentences.append(f"{few[0].upper()}{few[1:]}.")
    sentences += [more.strip()] if more else []
    return Section("robustness", "Robustness", sentences, [_kinds_table(keys, numbers)], shown)


def _kinds_picture(metric: str, lang: str, keys: Sequence[Key], numbers: Numbers) -> Picture:
    """Return the dimensions of robustness by kinds, a panel each."""
    called = _labels([key._replace(kind="", measure="") for key in keys])
    marks: dict[Key, Mark] = {}
    for key in keys:
        series, estimate = called[key._replace(kind="", measure="")], numbers[key]
        marks[key] = Mark(history.typed(key.kind), series, estimate.value, estimate.ci)
    drawn, left_out = _limited(list(marks.values()))
    shown = {(mark.row, mark.series) for mark in drawn}
    panels: dict[str, list[Mark]] = {dimension: [] for dimension in DIMENSIONS}
    for key, mark in marks.items():
        if (mark.row, mark.series) in shown:
            panels[key.measure].append(mark)
    named = [(_DIMENSIONS[dimension], panel) for dimension, panel in panels.items() if panel]
    return Picture(
        f"robustness-{metric}" + (f"-{lang}" if lang else ""),
        f"Robustness by kind of perturbation, {f'{metric}, {lang}' if lang else metric}",
        f"A dot for each kind and system, with its 95 % interval; 0 is robust.{left_out}",
        partial(pictures.robustness, named),
        _kinds_table(keys, numbers),
    )


def _kinds_table(keys: Sequence[Key], numbers: Numbers) -> Table:
    rows: dict[Key, dict[str, Estimate]] = {}
    for key in keys:
        rows.setdefault(key._replace(measure=""), {})[key.measure] = numbers[key]
    lines = []
    for key, of_kind in rows.items():
        n = max(estimate.n for estimate in of_kind.values())
        cells: list[TableCell] = []
        for dimension in DIMENSIONS:
            if estimate := of_kind.get(dimension):
                sources = f"n {estimate.n:,}" if estimate.n != n else ""
                below = filter(None, (interval(estimate.ci).text, sources, estimate.left_out))
                cells.append(number(estimate.value, "; ".join(below)))
            else:
                cells.append(number(None))
        names = key.metric, key.system, key.lang, history.typed(key.kind)
        lines.append(line([*names, n, *cells], key.system, key.lang, key.kind))
    return Table(
        "Change after each kind of perturbation, in percent; below a number, its 95 % "
        "interval, and the sources where not all have it",
        ["metric", "system", "language", "kind", "n", *DIMENSIONS],
        lines,
    )
