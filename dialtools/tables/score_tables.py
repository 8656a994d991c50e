"""Layouts of what dt-score sums up: quality, sensitivity, robustness and gaps."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from dialtools.tables import grids
from dialtools.tables.grids import LEVELS, NOTHING, Column, Grid, Page, stars, texts

_NAMES = ("lang", "kind", "system", "group")  # rows to compare stand together
_COUNTS = (
    "empty",
    "empty_reference",
    "unchanged",
    "truncated",
    "skipped",
    "failed",
    "left_out",
    "no_reference",
    "no_dialogue",
    "sets_without_reference",
    "sets_of_one_variant",
    "without_gender",
)
_QUALITIES = ("corpus", "sentence_mean", "mean")  # what a result without S is of, the first it has
_SRD = ("mean", "S", "R", "D")
_CONTROLS = (
    "control",
    "worst",
    "affected",
    "distinct",
    "of_control",
    "identity_differ",
    "identity_distance",
)
_DIMENSIONS = ("consistency", "saliency", "faithfulness")
_LOWER, _CHANGE = "↓", "Δ"


def knows(result: dict) -> bool:
    """Tell whether a result is one of dt-score's, of a kind with a layout of its own."""
    if not {"metric", "unit", "signature"} <= result.keys():
        return False
    has_value = not {*_QUALITIES, "consistency"}.isdisjoint(result)
    return "gap" in result or {"lang", "n"} <= result.keys() and has_value


def page(results: Sequence[dict]) -> Page:
    """Return the tables of results: one of groups, and one of the gaps between them."""
    gaps = [result for result in results if "gap" in result]
    of_groups = [result for result in results if "gap" not in result]
    # those of one metric, language and kind together, else in their order
    orders = {
        key: list(dict.fromkeys(_name(result, key) for result in of_groups))
        for key in ("metric", "lang", "kind")
    }
    of_groups.sort(
        key=lambda result: [order.index(_name(result, key)) for key, order in orders.items()]
    )
    names = grids.of_metrics(result["metric"] for result in results)
    tables: list[Grid] = []
    if of_groups:
        first = of_groups[0]
        layout = (
            _robustness if "consistency" in first else _sensitivity if "S" in first else _quality
        )
        tables = [*layout(of_groups, names)]
    if gaps:
        tables.append(_gaps(gaps, names))
    signatures = [result["signature"] for result in results if "gap" not in result]
    return Page(tables, [*_notes(of_groups or gaps)], (), signatures or [gaps[0]["signature"]])


def _quality(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each group and a column for each metric."""
    rows: dict[tuple, dict[str, dict]] = {}
    metrics: dict[str, list[dict]] = {}
    for result in results:
        rows.setdefault(tuple(_name(result, key) for key in _NAMES), {})[result["metric"]] = result
        metrics.setdefault(result["metric"], []).append(result)
    best = _best(
        results,
        lambda result: result[next(key for key in _QUALITIES if key in result)],
        lambda result: result.get("better"),
        is_of_languages=True,
    )
    columns, of_corpora = [], []
    for metric, alike in metrics.items():
        key = next(key for key in _QUALITIES if any(key in result for result in alike))
        sentence = " sentence mean" if key == "sentence_mean" else ""
        lower = f" {_LOWER}" if alike[0].get("better") == "lower" else ""
        head = f"{names[metric]}{sentence}{lower}"
        columns.append(_measured(head, [row.get(metric) for row in rows.values()], key, best))
        of_corpora += [names[metric]] if key == "corpus" else []
    what = f"Means (corpus scores of {', '.join(of_corpora)})" if of_corpora else "Means"
    if len(of_corpora) == len(metrics):
        what = "Corpus scores"
    grid = _grid([list(row.values()) for row in rows.values()], columns, what)
    if "lang" in grid.head and grid.names > 1:
        firsts = [next(iter(row.values())) for row in rows.values()]
        grid = grid._replace(blocks=_begun([result["lang"] for result in firsts]))
    yield grid


def _begun(names: Sequence[str]) -> list[int]:
    """Return the rows whose name is not that of the row before."""
    return [number for number in range(1, len(names)) if names[number] != names[number - 1]]


def _sensitivity(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each metric and group."""
    keys = [*_SRD, *(key for key in _CONTROLS if any(key in result for result in results))]
    if all(result["mean"] is None for result in results):
        keys = [key for key in keys if key not in ("mean", "R", "D")]
    columns = []
    for key in keys:
        head = f"{key} {_LOWER}" if key in "SRD" else key.replace("_", " ")
        best = _best(
            results if key in _SRD else [],
            lambda result, key=key: result.get(key),  # type: ignore[misc]
            lambda result, key=key: result.get("better") if key == "mean" else "lower",  # type: ignore[misc]
        )
        # stars are those of S
        columns.append(_measured(head, results, key, best, is_starred=key == "S"))
    grid = _blocks(results, names, columns, ", ".join(key for key in keys if key in _SRD))
    first = grid.head.index(columns[0].head)
    optional = [first + number for number, key in enumerate(keys) if key in _CONTROLS]
    yield grid._replace(optional=optional)


def _robustness(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each kind, and one of changed variants if some are not."""

    def repeats(result: dict) -> bool:
        """Tell whether a result of all kinds is that of the one family that they belong to."""
        keys = ("metric", "system", "lang", "group", "variants")
        return result["kind"] == "all" and any(
            str(family["kind"]).endswith(".*")
            and all(family.get(key) == result.get(key) for key in keys)
            for family in results
        )

    def table(kinds: list[dict], what: str, starred: str = "") -> Grid:
        columns = [
            _measured(f"{_CHANGE}{key} {_LOWER}", kinds, key, is_starred=key == starred)
            for key in keys
        ]
        return _blocks(kinds, names, columns, what)

    kinds = [result for result in results if not repeats(result)]
    keys = [key for key in _DIMENSIONS if any(result[key] is not None for result in kinds)]
    yield table(kinds, f"robustness, the change {_CHANGE}", "consistency")
    if any(result["unchanged"] for result in kinds):
        without = dict.fromkeys([f"{key}_ci" for key in keys]) | {"unchanged": 0}
        changed = [
            result | {key: result["changed"][key] for key in keys} | without for result in kinds
        ]
        yield table(changed, "The same without unchanged variants")._replace(aside=True)


def _gaps(results: list[dict], names: dict[str, str]) -> Grid:
    # each with its own digits: beside a wide interval a gap without one would be rounded to 0
    sizes = [
        _measured("gap", [result | {"gap_ci": result["ci"]}], "gap").cells[0] for result in results
    ]
    p = [NOTHING if result["p"] is None else grids.probability(result["p"]) for result in results]
    named = [
        texts("metric", (names[result["metric"]] for result in results)),
        *_named([{**result, "group": None} for result in results]),
    ]
    columns = [
        *named,
        Column("gap", sizes),
        texts("p", p, right=True),
        *(texts(key, (str(result[key]) for result in results)) for key in ("highest", "lowest")),
    ]
    by, of, pairs = results[0]["by"], results[0]["of"], max(result["pairs"] for result in results)
    corrected = f"; interval and p corrected for {pairs:,} pairs" if pairs > 1 else ""
    above = f"Gap of {of} between the highest and the lowest {by} ± 95 % interval{corrected}"
    return Grid(columns, [above], len(named), aside=True)


def _blocks(results: list[dict], names: dict[str, str], columns: list[Column], what: str) -> Grid:
    """Return a table with a block of rows for each metric."""
    metrics = [names[result["metric"]] for result in results]
    has_metrics = len({result["metric"] for result in results}) > 1 or not _named(results)
    named = [texts("metric", metrics)] if has_metrics else []
    grid = _grid([[result] for result in results], columns, what, named)
    if not has_metrics:
        grid = grid._replace(above=[f"{metrics[0]}: {grid.above[0]}"])
    is_sized = len({result["n"] for result in results}) > 1
    tops = [cell.text for cell in grid.columns[0].cells]
    names_of_row = grid.names - is_sized
    is_apart = names_of_row > 1 and len(set(tops)) < len(tops)
    return grid._replace(blocks=_begun(tops) if is_apart else (), names=names_of_row)


def _grid(
    rows: Sequence[Sequence[dict]],
    measured: Sequence[Column],
    what: str,
    named: Sequence[Column] = (),
) -> Grid:
    """Return a table: names of rows, n where it differs, measures, counts that are not all 0.

    rows: the results of each row.
    named: further names of rows.
    """
    sizes = []
    for row in rows:
        ns = sorted({result["n"] for result in row})
        sizes.append(f"{ns[0]:,}" if len(ns) == 1 else f"{ns[0]:,}–{ns[-1]:,}")
    left = [*named, *_named([row[0] for row in rows])]
    left += [texts("n", sizes, right=True)] if len(set(sizes)) > 1 else []
    results = [result for row in rows for result in row]
    counts = [
        texts(
            key.replace("_", " "),
            (f"{max(result.get(key) or 0 for result in row):,}" for row in rows),
            right=True,
        )
        for key in _COUNTS
        if any(result.get(key) for result in results)
    ]
    above = _above(results, what, sizes, any(f" {_LOWER}" in column.head for column in measured))
    return Grid([*left, *measured, *counts], [above], len(left))


def _named(results: Sequence[dict]) -> list[Column]:
    """Return the columns that name rows, with heads: of what differs between them."""
    columns = []
    by = next((str(result["by"]) for result in results if result.get("by")), "group")
    groups = [_name(result, "group") for result in results]
    for key in _NAMES:
        names = [_name(result, key) for result in results]
        repeats = key != "group" and len(set(groups)) > 1 and names == groups
        if len(set(names)) > 1 and not repeats:
            short = grids.shortened(names)
            columns.append(texts(by if key == "group" else key, (short[name] for name in names)))
    return columns


def _name(result: dict, key: str) -> str:
    value = result.get(key)
    return NOTHING if value is None else str(value)


def _above(results: Sequence[dict], what: str, sizes: Sequence[str], has_lower: bool) -> str:
    """Return what is the same for all of a table: names, size, unit, direction."""
    first, alike = results[0], []
    for key in _NAMES:
        name = _name(first, key)
        if first.get(key) is not None and all(_name(result, key) == name for result in results):
            head = first["by"] if key == "group" else key
            alike.append(f"{head} {grids.shortened([name])[name]}")
    if len(set(sizes)) == 1:
        alike.append(f"n {sizes[0]}")
    keys = (*_QUALITIES, "S", *_DIMENSIONS)
    intervals = [result.get(f"{key}_ci") for result in results for key in keys]
    if any(interval[0] < interval[1] for interval in filter(None, intervals)):
        what = f"{what} ± 95 % interval"

    # the unit of most metrics, and which have others
    units: dict[str, dict[str, None]] = {}
    short = grids.of_metrics(result["metric"] for result in results)
    for result in results:
        units.setdefault(result["unit"], {})[short[result["metric"]]] = None
    most, *fewer = sorted(units, key=lambda unit: -len(units[unit]))
    exceptions = [
        f"{', '.join(units[unit])} {'raw' if unit == 'raw' else f'in {unit}'}" for unit in fewer
    ]
    of_unit = f"{most} ({'; '.join(exceptions)})" if exceptions else most
    measured = [what, of_unit, f"{_LOWER} lower is better" if has_lower else ""]
    return "; ".join(filter(None, [", ".join(filter(None, measured)), ", ".join(alike)]))


def _best(
    results: Sequence[dict],
    value: Callable[[dict], Any],
    better: Callable[[dict], str | None],
    is_of_languages: bool = False,
) -> set[int]:
    """Return which results, by id(), are the best of several of one metric and language.

    is_of_languages: results by language are compared with each other.
    """
    alike: dict[tuple, list[dict]] = {}
    for result in results:
        if value(result) is not None and better(result):
            is_by_language = is_of_languages and result.get("by") == "lang"
            lang = None if is_by_language else result.get("lang")
            alike.setdefault((result["metric"], lang), []).append(result)
    best: set[int] = set()
    for several in alike.values():
        top = (min if better(several[0]) == "lower" else max)(map(value, several))
        if len(several) > 1:
            best |= {id(result) for result in several if value(result) == top}
    return best


def _measured(
    head: str,
    results: Sequence[dict | None],
    key: str,
    best: Collection[int] = (),
    is_starred: bool = True,
) -> Column:
    """Return a column of numbers with their intervals, and marks."""
    values = [result.get(key) if result else None for result in results]
    intervals = [
        result.get(f"{key}_ci") if result and value is not None else None
        for result, value in zip(results, values, strict=True)
    ]
    unit = next((result.get("unit") for result in results if result), None)
    marks = [stars(result.get("p_best")) if result and is_starred else "" for result in results]
    digits = grids.places(intervals, values, unit)
    are_best = [id(result) in best for result in results]
    return grids.numbers(head, values, digits, intervals, marks, are_best)


def _notes(results: list[dict]) -> Iterator[str]:
    """Yield the meaning of marks, and the notes of results, each once with its metrics."""
    if any(stars(result.get("p_best")) for result in results):
        yield f"{LEVELS}: other than the best (t test over dialogues, Holm)"
    short = grids.of_metrics(result["metric"] for result in results)
    metrics_of: dict[str, dict[str, None]] = {}
    for result in results:
        for note in filter(None, str(result.get("note") or "").split("; ")):
            metrics_of.setdefault(note, {})[short[result["metric"]]] = None
    for note, metrics in metrics_of.items():
        yield note if len(metrics) == len(short) else f"{', '.join(metrics)}: {note}"
    kinds = [
        result
        for result in results
        if result.get("kind") != "all" and not str(result.get("kind")).endswith(".*")
    ]
    for dimension in _DIMENSIONS[1:]:
        zeros = [(result.get("zero_denominator") or {}).get(dimension) or 0 for result in kinds]
        if any(zeros):
            yield (
                f"no {dimension} of {sum(zeros):,} variants, for the original's score is 0 "
                "(zero_denominator)"
            )
    if differ := max((result.get("chain_differs") or 0 for result in results), default=0):
        yield f'{differ:,} records were made by other filters than most: "chain" has them, in JSON'
