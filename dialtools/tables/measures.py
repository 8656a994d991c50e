"""Layouts of what dt-score sums up: quality, sensitivity, robustness and gaps."""

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import itemgetter
from typing import Any

from dialtools.tables import grids, numbers
from dialtools.tables.grids import LEVELS, NOTHING, Cell, Grid, Page, stars

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
    return (
        "gap" in result
        or {"lang", "n"} <= result.keys()
        and not {*_QUALITIES, "consistency"}.isdisjoint(result)
    )


def page(results: Sequence[dict]) -> Page:
    """Return the tables of results: one of groups, and one of the gaps between them."""
    gaps = [result for result in results if "gap" in result]
    of_groups = _sorted([result for result in results if "gap" not in result])
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
    notes = [*_notes(of_groups or gaps)]
    return Page(tables, notes, (), signatures or [gaps[0]["signature"]])


def _sorted(results: list[dict]) -> list[dict]:
    """Return results with those of one metric, language and kind together, else in their order."""
    orders = {
        key: list(dict.fromkeys(_name(result, key) for result in results))
        for key in ("metric", "lang", "kind")
    }
    return sorted(
        results,
        key=lambda result: [order.index(_name(result, key)) for key, order in orders.items()],
    )


def _quality(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each group and a column for each metric."""
    rows: dict[tuple, dict[str, dict]] = {}
    metrics: dict[str, list[dict]] = {}
    for result in results:
        rows.setdefault(tuple(_name(result, key) for key in _NAMES), {})[result["metric"]] = result
        metrics.setdefault(result["metric"], []).append(result)
    best = _best_means(results)
    columns, heads, of_corpora = [], [], []
    for metric, alike in metrics.items():
        key = next(key for key in _QUALITIES if any(key in result for result in alike))
        columns.append(_measured([row.get(metric) for row in rows.values()], key, best))
        sentence = " sentence mean" if key == "sentence_mean" else ""
        lower = f" {_LOWER}" if alike[0].get("better") == "lower" else ""
        heads.append(f"{names[metric]}{sentence}{lower}")
        of_corpora += [names[metric]] if key == "corpus" else []
    what = f"Means (corpus scores of {', '.join(of_corpora)})" if of_corpora else "Means"
    if len(of_corpora) == len(metrics):
        what = "Corpus scores"
    grid = _laid_out([list(row.values()) for row in rows.values()], [], columns, heads, what)
    firsts = [next(iter(row.values())) for row in rows.values()]
    blocks = [
        number
        for number in range(1, len(firsts))
        if "lang" in grid.head
        and grid.names > 1
        and firsts[number]["lang"] != firsts[number - 1]["lang"]
    ]
    yield grid._replace(blocks=blocks)


def _laid_out(
    rows: Sequence[Sequence[dict]],
    named: Sequence[tuple[str, Sequence[str]]],
    columns: Sequence[Sequence[Cell]],
    heads: Sequence[str],
    what: str,
) -> Grid:
    """Return a table: names of rows, n where it differs, measures, counts that are not all 0.

    rows: the results of each row.
    named: further names of rows, each with its head.
    """
    firsts = [row[0] for row in rows]
    left = [*named, *_named(firsts)]
    sizes = []
    for row in rows:
        ns = sorted({result["n"] for result in row})
        sizes.append(f"{ns[0]:,}" if len(ns) == 1 else f"{ns[0]:,}–{ns[-1]:,}")
    counts = [
        (key.replace("_", " "), [f"{max(one.get(key) or 0 for one in row):,}" for row in rows])
        for key in _COUNTS
        if any(result.get(key) for row in rows for result in row)
    ]
    size = [("n", sizes)] if len(set(sizes)) > 1 else []
    cells = [
        *(list(map(Cell, texts)) for _, texts in (*left, *size)),
        *columns,
        *(list(map(Cell, texts)) for _, texts in counts),
    ]
    head = [*(name for name, _ in (*left, *size)), *heads, *(name for name, _ in counts)]
    results = [result for row in rows for result in row]
    return Grid(
        head,
        [list(row) for row in zip(*cells, strict=True)],
        [number >= len(left) for number in range(len(head))],
        _above(results, what, sizes, any(f" {_LOWER}" in name for name in heads)),
        len(left) + len(size),
    )


def _best_means(results: list[dict]) -> set[int]:
    """Return which results, by id(), are the best of several systems or groups of a language."""
    alike: dict[tuple, list[dict]] = {}
    for result in results:
        if _value(result) is not None and result.get("better"):
            lang = None if result.get("by") == "lang" else result["lang"]
            alike.setdefault((result["metric"], lang), []).append(result)
    return {
        number
        for several in alike.values()
        for number in _best(several, several[0]["better"], _value)
    }


def _value(result: dict) -> Any:
    return result[next(key for key in _QUALITIES if key in result)]


def _best(results: Sequence[dict], better: str | None, value: Callable[[dict], Any]) -> set[int]:
    """Return which of several results, by id(), have the best value."""
    if len(results) < 2 or not better:
        return set()
    top = (min if better == "lower" else max)(map(value, results))
    return {id(result) for result in results if value(result) == top}


def _measured(
    results: Sequence[dict | None], key: str, best: Collection[int] = (), starred: bool = True
) -> list[Cell]:
    """Return the cells of a column: numbers with their intervals, and marks."""
    values = [result.get(key) if result else None for result in results]
    intervals = [
        _interval(result, key) if result and value is not None else None
        for result, value in zip(results, values, strict=True)
    ]
    unit = next((result.get("unit") for result in results if result), None)
    digits = numbers.places(intervals, values, unit)
    cells, spreads = [], numbers.spreads(values, intervals, digits)
    for result, value, spread in zip(results, values, spreads, strict=True):
        if result is None or value is None:
            cells.append(Cell(NOTHING))
            continue
        marks = stars(result.get("p_best")) if starred else ""
        cells.append(Cell(numbers.plain(value, digits), spread, marks, id(result) in best))
    return cells


def _interval(result: dict, key: str) -> list[float] | None:
    return result.get(f"{key}_ci")


def _named(results: Sequence[dict]) -> list[tuple[str, list[str]]]:
    """Return the columns that name rows, with heads: of what differs between them."""
    columns = []
    by = next((str(result["by"]) for result in results if result.get("by")), "group")
    groups = [_name(result, "group") for result in results]
    for key in _NAMES:
        texts = [_name(result, key) for result in results]
        repeats = key != "group" and len(set(groups)) > 1 and texts == groups
        if len(set(texts)) > 1 and not repeats:
            short = grids.shortened(texts)
            columns.append((by if key == "group" else key, [short[text] for text in texts]))
    return columns


def _name(result: dict, key: str) -> str:
    value = result.get(key)
    return NOTHING if value is None else str(value)


def _above(results: Sequence[dict], what: str, sizes: Sequence[str], lower: bool) -> list[str]:
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
    intervals = filter(None, (_interval(result, key) for result in results for key in keys))
    if any(low < high for low, high in intervals):
        what = f"{what} ± 95 % interval"
    parts = [what, _units(results), f"{_LOWER} lower is better" if lower else ""]
    return ["; ".join(filter(None, [", ".join(filter(None, parts)), ", ".join(alike)]))]


def _units(results: Sequence[dict]) -> str:
    """Return the unit of most metrics, and which have others."""
    units: dict[str, dict[str, None]] = {}
    short = grids.of_metrics(result["metric"] for result in results)
    for result in results:
        units.setdefault(result["unit"], {})[short[result["metric"]]] = None
    most, *fewer = sorted(units, key=lambda unit: -len(units[unit]))
    exceptions = [
        f"{', '.join(units[unit])} {'raw' if unit == 'raw' else f'in {unit}'}" for unit in fewer
    ]
    return f"{most} ({'; '.join(exceptions)})" if exceptions else most


def _sensitivity(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each metric and group."""
    keys = [*_SRD, *(key for key in _CONTROLS if any(key in result for result in results))]
    if all(result["mean"] is None for result in results):
        keys = [key for key in keys if key not in ("mean", "R", "D")]
    alike: dict[tuple, list[dict]] = {}
    for result in results:
        alike.setdefault((result["metric"], result.get("lang")), []).append(result)
    columns = []
    for key in keys:
        best: set[int] = set()
        for several in alike.values() if key in _SRD else ():
            measured = [result for result in several if result.get(key) is not None]
            better = several[0].get("better") if key == "mean" else "lower"
            best |= _best(measured, better, itemgetter(key))
        columns.append(_measured(results, key, best, starred=key == "S"))  # stars are those of S
    heads = [f"{key} {_LOWER}" if key in "SRD" else key.replace("_", " ") for key in keys]
    what = ", ".join(key for key in keys if key in _SRD)
    grid = _blocks(results, names, heads, columns, what)
    first = grid.head.index(heads[0])
    optional = [first + number for number, key in enumerate(keys) if key in _CONTROLS]
    yield grid._replace(optional=optional)


def _blocks(
    results: list[dict],
    names: dict[str, str],
    heads: list[str],
    columns: list[list[Cell]],
    what: str,
) -> Grid:
    """Return a table with a block of rows for each metric."""
    metrics = [names[result["metric"]] for result in results]
    has_metrics = len({result["metric"] for result in results}) > 1 or not _named(results)
    named = [("metric", metrics)] if has_metrics else []
    grid = _laid_out([[result] for result in results], named, columns, heads, what)
    if not has_metrics:
        grid = grid._replace(above=[f"{metrics[0]}: {grid.above[0]}"])
    is_sized = len({result["n"] for result in results}) > 1
    tops = [row[0].text for row in grid.rows]
    blocks = [
        number
        for number in range(1, len(results))
        if grid.names - is_sized > 1
        and len(set(tops)) < len(tops)
        and tops[number] != tops[number - 1]
    ]
    return grid._replace(blocks=blocks, names=grid.names - is_sized)


def _robustness(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each kind, and one of changed variants if some are not."""
    kinds = [result for result in results if not _repeats(result, results)]
    keys = [key for key in _DIMENSIONS if any(result[key] is not None for result in kinds)]
    heads = [f"{_CHANGE}{key} {_LOWER}" for key in keys]
    columns = [_measured(kinds, key, starred=key == "consistency") for key in keys]
    yield _blocks(kinds, names, heads, columns, f"robustness, the change {_CHANGE}")
    if any(result["unchanged"] for result in kinds):
        without = dict.fromkeys([f"{key}_ci" for key in keys]) | {"unchanged": 0}
        changed = [
            result | {key: result["changed"][key] for key in keys} | without for result in kinds
        ]
        columns = [_measured(changed, key, starred=False) for key in keys]
        grid = _blocks(changed, names, heads, columns, "The same without unchanged variants")
        yield grid._replace(aside=True)


def _repeats(result: dict, results: Sequence[dict]) -> bool:
    """Tell whether a result of all kinds is that of the one family that they belong to."""
    keys = ("metric", "system", "lang", "group", "variants")
    return result["kind"] == "all" and any(
        str(family["kind"]).endswith(".*") and all(family.get(k) == result.get(k) for k in keys)
        for family in results
    )


def _gaps(results: list[dict], names: dict[str, str]) -> Grid:
    named = _named([{**result, "group": None} for result in results])
    rows = []
    for number, result in enumerate(results):
        # with its own digits: beside a wide interval a gap without one would be rounded to 0
        (size,) = _measured([result | {"gap_ci": result["ci"]}], "gap")
        p = NOTHING if result["p"] is None else numbers.probability(result["p"])
        texts = [names[result["metric"]], *(column[number] for _, column in named)]
        ends = str(result["highest"]), str(result["lowest"])
        rows.append([*map(Cell, texts), size, *map(Cell, (p, *ends))])
    by, of, pairs = results[0]["by"], results[0]["of"], max(result["pairs"] for result in results)
    corrected = f"; interval and p corrected for {pairs:,} pairs" if pairs > 1 else ""
    head = ["metric", *(name for name, _ in named)]
    return Grid(
        [*head, "gap", "p", "highest", "lowest"],
        rows,
        [*[False] * len(head), True, True, False, False],
        [f"Gap of {of} between the highest and the lowest {by} ± 95 % interval{corrected}"],
        len(head),
        aside=True,
    )


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
        yield (
            f'{differ:,} records were made by other filters than most: see "chain" in --format json'
        )
