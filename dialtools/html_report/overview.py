"""The sections on systems: all numbers in a table, S, R and D, their shape, groups and trends."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from dialtools.comparison.verdicts import p_is, spec
from dialtools.html_report import estimates, pictures
from dialtools.html_report.estimates import (
    DIMENSIONS,
    OF_QUALITY,
    Estimate,
    Key,
    Numbers,
    varied,
)
from dialtools.html_report.material import Observation, is_better_higher
from dialtools.html_report.sections import (
    Picture,
    Section,
    Table,
    TableCell,
    interval,
    line,
    not_shown,
    number,
    p_of,
)
from dialtools.html_report.style import Mark
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.statistics.clustered import LEVEL
from dialtools.statistics.results import few_drawn

MOST_ROWS = 24  # of a picture
MOST_METRICS = 6  # that have pictures
MOST_LANGUAGES = 6
MOST_TRENDS = 6  # systems whose trends have pictures
PARTS = 6  # of the sources of a trend
ALL = "all"  # groups, in a row beside theirs
_IN_RESULTS = "the table of results has all"
_SHOWN = (*OF_QUALITY, "S", "R", "D", "control", "distinct")
_MEANS = {"corpus": "corpus score", "sentence_mean": "sentence mean", "control": "control S"}
_HEADS = {"lang": "language"}
_WITH_INTERVAL = "Each dot is a mean, with its 95 % interval"
_DIMENSIONS = {  # what a picture shows, and its axis
    "consistency": ("Change of the output", "consistency Δz_c, percent"),
    "saliency": ("Change of the score", "saliency Δz_s, percent"),
    "faithfulness": ("Change of the score against the input", "faithfulness Δz_f, percent"),
}


def _metrics(numbers: Numbers, *measures: str) -> list[str]:
    """Return the metrics that have one of some measures."""
    return list(dict.fromkeys(key.metric for key in numbers if key.measure in measures))


def _labels(keys: Iterable[Key]) -> dict[Key, str]:
    """Return what tells each number from the others: system, language, group, kind."""
    keys = list(keys)
    names = varied(keys, "system", "lang", "group", "kind")
    return {
        key: " · ".join(history.typed(getattr(key, name)) for name in names if getattr(key, name))
        or ALL
        for key in keys
    }


def _dots(keys: Sequence[Key], numbers: Numbers) -> tuple[list[Mark], str]:
    """Return the marks of a picture, and a sentence on what it leaves out: a row for each part of
    the data and a colour for each system, or a row for each system.
    """
    parts = _labels([key._replace(system="") for key in keys])
    whole = _labels(keys)
    is_by_part = len(parts) > 1 and len({key.system for key in keys}) <= pictures.MANY
    marks = []
    for key in keys:
        row, series = whole[key], ""
        if is_by_part:
            row, series = parts[key._replace(system="")], key.system or ALL
        elif len(whole) == 1:
            row = key.system or ALL
        marks.append(Mark(row, series, numbers[key].value, numbers[key].ci))
    return _limited(marks)


def results(numbers: Numbers, rows: Sequence[Observation], by: str) -> Section | None:
    """Return the table of systems and metrics, with pictures of S, or of quality where there is no
    S; by: what groups are by.
    """
    keys = [key for key in numbers if key.measure in _SHOWN]
    if not keys:
        return None
    with_s, with_quality = _metrics(numbers, "S"), _metrics(numbers, *OF_QUALITY)
    drawn: list[Picture | None] = []
    for metric in with_s[:MOST_METRICS]:
        drawn += [
            _mean_picture(metric, "S", numbers, by),
            _distribution(metric, rows, numbers),
            _quality(metric, numbers),
        ]
    for metric in () if with_s else with_quality[:MOST_METRICS]:
        measures = {key.measure for key in numbers if key.metric == metric}
        measure = next(name for name in OF_QUALITY if name in measures)
        drawn.append(_mean_picture(metric, measure, numbers, by))
    more = not_shown(with_s or with_quality, MOST_METRICS, "metrics in pictures", _IN_RESULTS)
    sentences = [*_explained(numbers), *filter(None, [more.strip()])]
    shown = [picture for picture in drawn if picture]
    return Section("results", "Results", sentences, [_results_table(keys, numbers, by)], shown)


def _results_table(keys: Sequence[Key], numbers: Numbers, by: str) -> Table:
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
        cells.append(min(estimate.n for estimate in estimates_of_row.values()))
        for column in columns:
            estimate = estimates_of_row.get(column)
            below = interval(estimate.ci).text if estimate else ""
            cells.append(number(estimate.value if estimate else None, below))
        lines.append(line(cells, key.system, key.lang, key.kind))
    return Table(
        "Systems and metrics; below a number, its 95 % interval",
        [
            "system",
            *((_HEADS | {"group": by}).get(name, name) for name in names),
            "n",
            *(_MEANS.get(measure, measure) for _, measure in columns),
        ],
        lines,
        heads,
    )


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
            "number can lie beyond."
        )
    if any(key.measure == "corpus" and estimate.ci for key, estimate in numbers.items()):
        yield "Intervals of corpus scores are those of a bootstrap over sources, at 95 %."
    if "control" in measures:
        yield (
            "The control is S between different sources: a system that always says the same "
            "has a low control, too."
        )


def _limited(marks: Sequence[Mark]) -> tuple[list[Mark], str]:
    """Return the marks of the rows that a picture has room for, and a sentence on the rest."""
    highest: dict[str, float] = {}
    for mark in marks:
        highest[mark.row] = max(mark.value, highest.get(mark.row, mark.value))
    if len(highest) <= MOST_ROWS:
        return list(marks), ""
    chosen = set(sorted(highest, key=lambda row: -highest[row])[:MOST_ROWS])
    left_out = not_shown(
        highest,
        MOST_ROWS,
        "rows with the highest values",
        "the table has all",
        "{most} of {all:,} {what}",
    )
    return [mark for mark in marks if mark.row in chosen], left_out


def _mean_picture(metric: str, measure: str, numbers: Numbers, by: str) -> Picture | None:
    """Return S, or quality, of each system and part of the data; of pools only where nothing is of
    all of them.
    """
    keys = [key for key in numbers if (key.metric, key.measure) == (metric, measure)]
    keys = [key for key in keys if not key.group] or keys
    marks, left_out = _dots(keys, numbers)
    if not marks:
        return None
    label, is_s, unit = spec(metric), measure == "S", numbers[keys[0]].unit
    in_unit = "" if unit in ("raw", "as given") else f", {unit}"
    what = "S" if is_s else _MEANS.get(measure, measure)
    title = f"{what} by {by}, {label}" if keys[0].group else f"{what} by {label}"
    title = f"Sensitivity {title}" if is_s else f"{title[0].upper()}{title[1:]}"
    better = "; lower is more robust" if is_s else ""
    if not is_s and is_better_higher(metric):
        better = "; higher is better"
    return Picture(
        f"{'sensitivity' if is_s else 'means'}-{metric}",
        title,
        f"{_WITH_INTERVAL}{better}.{left_out}",
        partial(pictures.dots, marks, f"{what} by {label}{in_unit}", above=0.15),
    )


def _distribution(metric: str, rows: Sequence[Observation], numbers: Numbers) -> Picture | None:
    """Return the shape of S over sources, with the control that results have of each system."""
    label = f"S:{metric}"
    values: dict[str, list[float]] = {}
    for row in rows:
        if row.is_source and label in row.measured:
            values.setdefault(row.system, []).append(row.measured[label])
    if not any(any(of_sources) for of_sources in values.values()):
        return None  # that all are 0, the table says
    of_languages: dict[str, list[float]] = {}
    for key, estimate in numbers.items():
        if (key.metric, key.measure) == (metric, "control"):
            of_languages.setdefault(key.system, []).append(estimate.value)
    controls = {system: sum(means) / len(means) for system, means in of_languages.items()}
    lines = []
    for name, of_sources in values.items():
        ordered = sorted(of_sources)
        quarters = [ordered[int(share * (len(ordered) - 1))] for share in (0.25, 0.5, 0.75, 1)]
        affected = 100 * sum(value > 0 for value in of_sources) / len(of_sources)
        lines.append(line([name, len(of_sources), affected, *quarters], name))
    about = "; the dashed line is the control: S between different sources" if controls else ""
    quartiles = ["1st quartile", "median", "3rd quartile", "highest"]
    return Picture(
        f"distribution-{metric}",
        f"Distribution of S by {spec(metric)}",
        f"Share of sources with an S in each range{about}."
        f"{not_shown(values, pictures.PANELS, 'systems')}",
        partial(pictures.distribution, values, controls, f"S by {spec(metric)}, percent"),
        Table(
            "Quartiles of S over sources, in percent",
            ["system", "sources", "affected", *quartiles],
            lines,
        ),
    )


def _quality(metric: str, numbers: Numbers) -> Picture | None:
    """Return quality against sensitivity, of two systems at least."""
    qualities = {}
    for key in numbers:
        if key.metric == metric and key.measure == "S":
            of_quality = [key._replace(measure=name) for name in ("mean", "sentence_mean")]
            if means := [numbers[name] for name in of_quality if name in numbers]:
                qualities[key] = means[0]
    keys = [key for key in qualities if not key.group] or list(qualities)
    if len(keys) < 2:
        return None
    called = _labels([key._replace(system="") for key in keys])
    points = []
    for key in keys:
        part = called[key._replace(system="")]
        quality = qualities[key].value, numbers[key].value
        points.append((key.system or ALL, "" if part == ALL else part, *quality))
    systems = len({name for name, *_ in points})
    about = f" The {systems:,} systems have one colour." if systems > pictures.MANY else ""
    if len(points) > pictures.MOST_NAMED:
        about += f" Of {len(points):,} points, names stand in the table."
    unit = qualities[keys[0]].unit
    return Picture(
        f"quality-{metric}",
        f"Quality against sensitivity by {spec(metric)}",
        "A point for each system and part of the data; to the right is better, below is "
        f"more robust.{about}",
        partial(pictures.quality, points, f"quality: mean {spec(metric)}, {unit}", "S, percent"),
    )


def groups(numbers: Numbers, gaps: Sequence[dict], by: str) -> Section | None:
    """Return S by pool or group of names, and the gaps between groups."""
    shown = []
    measures = ("S", *OF_QUALITY)
    measured = _metrics(numbers, *measures)
    has_s = bool(_metrics(numbers, "S"))
    for metric in measured[:MOST_METRICS]:
        of_metric = [key for key in numbers if key.metric == metric]
        of_groups = {key.measure for key in of_metric if key.group}
        measure = next((name for name in measures if name in of_groups), "")
        keys = [key for key in of_metric if key.measure == measure and key.group]
        is_drawn = measure == "S" or not has_s  # among the results, where nothing is of all groups
        if len({key.group for key in keys}) < 2 or (
            is_drawn and all(key.group for key in of_metric if key.measure == measure)
        ):
            continue
        marks, left_out = _dots(keys, numbers)
        what = "S" if measure == "S" else "quality"
        shown.append(
            Picture(
                f"groups-{metric}",
                f"{what} by {by}, {spec(metric)}",
                f"{_WITH_INTERVAL}.{left_out}",
                partial(pictures.dots, marks, numbers[keys[0]].unit or metric, above=0.15),
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
    shown: list[Picture] = []
    measured = _metrics(numbers, *DIMENSIONS)
    more = not_shown(measured, MOST_METRICS, "metrics")
    for metric in measured[:MOST_METRICS]:
        of_metric = [key for key in keys if key.metric == metric]
        langs = list(dict.fromkeys(key.lang for key in of_metric))
        is_one_picture = len({key[3:] for key in of_metric}) <= MOST_ROWS
        if not is_one_picture:
            more += not_shown(langs, MOST_LANGUAGES, f"languages of {metric}")
        for dimension in DIMENSIONS:
            for lang in [""] if is_one_picture else langs[:MOST_LANGUAGES]:
                of_lang = [key for key in of_metric if lang in ("", key.lang)]
                shown += _kinds_picture(dimension, metric, lang, of_lang, numbers)
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


def _kinds_picture(
    dimension: str, metric: str, lang: str, keys: Sequence[Key], numbers: Numbers
) -> Iterator[Picture]:
    """Yield a dimension of robustness by kinds of perturbations, if it was measured."""
    marks, left_out = _dots([key for key in keys if key.measure == dimension], numbers)
    about, label = _DIMENSIONS[dimension]
    if marks:
        yield Picture(
            f"{dimension}-{metric}" + (f"-{lang}" if lang else ""),
            f"{about}, {', '.join(filter(None, (spec(metric), lang)))}",
            f"{_WITH_INTERVAL}; 0 is robust.{left_out}",
            partial(pictures.dots, marks, label, above=0.15),
        )


def _kinds_table(keys: Sequence[Key], numbers: Numbers) -> Table:
    rows: dict[Key, dict[str, Estimate]] = {}
    names = varied(keys, "metric", "lang", "group")
    metrics = list(dict.fromkeys(key.metric for key in keys))
    for key in sorted(keys, key=lambda key: metrics.index(key.metric)):
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
        first = [key.system, *(getattr(key, name) for name in names), history.typed(key.kind)]
        lines.append(line([*first, n, *cells], key.system, key.lang, key.kind))
    by = "" if "metric" in names else f", by {spec(keys[0].metric)}"
    return Table(
        f"Change after each kind of perturbation{by}, in percent; below a number, its 95 % "
        "interval, and the sources where not all have it",
        ["system", *(_HEADS.get(name, name) for name in names), "kind", "n", *DIMENSIONS],
        lines,
    )
