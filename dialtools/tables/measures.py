"""Layouts of what dt-score sums up: quality, sensitivity, robustness and gaps."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from dialtools.tables import labels, numbers
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
_QUALITY = ("corpus", "sentence_mean", "mean")  # what a result without S is of, the first it has
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
        and not {*_QUALITY, "consistency"}.isdisjoint(result)
    )


def page(results: Sequence[dict]) -> Page:
    """Return the tables of results: one of groups, and one of the gaps between them."""
    gaps = [result for result in results if "gap" in result]
    found = _sorted([result for result in results if "gap" not in result])
    names = labels.of_metrics(result["metric"] for result in results)
    grids = []
    if found:
        layout: dict[str, Callable] = {"consistency": _robustness, "S": _sensitivity}
        kind = next((key for key in layout if key in found[0]), None)
        grids = [*(layout[kind] if kind else _quality)(found, names)]
    if gaps:
        grids.append(_gaps(gaps, names))
    signatures = [
        result.get("corpus_signature", result["signature"])
        for result in results
        if "gap" not in result
    ]
    return Page(grids, [*_notes(found or gaps)], (), signatures or [gaps[0]["signature"]])


def _sorted(results: list[dict]) -> list[dict]:
    """Return results with those of one metric, language and kind together, else in their order."""
    orders = [
        list(dict.fromkeys(_name(result, key) for result in results))
        for key in ("metric", "lang", "kind")
    ]
    return sorted(
        results,
        key=lambda result: [
            order.index(_name(result, key))
            for key, order in zip(("metric", "lang", "kind"), orders, strict=True)
        ],
    )


def _quality(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each group and a column for each metric."""
    columns = list(dict.fromkeys(result["metric"] for result in results))
    rows: dict[tuple, dict[str, dict]] = {}
    for result in results:
        rows.setdefault(_key(result), {})[result["metric"]] = result
    heads = {
        metric: next(result for result in results if result["metric"] == metric)
        for metric in columns
    }
    best = _best_means(results)
    keys = {
        metric: next(
            key for key in _QUALITY if any(key in one for one in results if one["metric"] == metric)
        )
        for metric in columns
    }
    cells = [
        _measured([row.get(metric) for row in rows.values()], keys[metric], best)
        for metric in columns
    ]
    shown, head, right = _named([next(iter(row.values())) for row in rows.values()])
    sizes = [_size(row.values()) for row in rows.values()]
    if len(set(sizes)) > 1:
        shown, head, right = (
            [[*row, Cell(size)] for row, size in zip(shown, sizes, strict=True)],
            [*head, "n"],
            [*right, True],
        )
    counted, count_names = _counted([list(row.values()) for row in rows.values()])
    lower = [
        names[metric]
        + (" sentence mean" if keys[metric] == "sentence_mean" else "")
        + (f" {_LOWER}" if heads[metric].get("better") == "lower" else "")
        for metric in columns
    ]
    whole = [
        [*one, *two, *three]
        for one, two, three in zip(shown, zip(*cells, strict=True), counted, strict=True)
    ]
    rows_of = [next(iter(row.values())) for row in rows.values()]
    blocks = [
        at
        for at in range(1, len(rows_of))
        if "lang" in head and len(head) > 1 and rows_of[at]["lang"] != rows_of[at - 1]["lang"]
    ]
    yield Grid(
        [*head, *lower, *count_names],
        whole,
        [*right, *[True] * (len(columns) + len(count_names))],
        _above(results, _said(keys, names), sizes, any(" ↓" in one for one in lower)),
        len(head),
        blocks,
    )


def _said(keys: dict[str, str], names: dict[str, str]) -> str:
    """Return what the numbers of metrics are; keys: of each metric."""
    of_corpora = [names[metric] for metric, key in keys.items() if key == "corpus"]
    if len(of_corpora) == len(keys):
        return "Corpus scores"
    return f"Means (corpus scores of {', '.join(of_corpora)})" if of_corpora else "Means"


def _value(result: dict) -> float | None:
    return result[next(key for key in _QUALITY if key in result)]


def _size(results: Iterable[dict]) -> str:
    found = sorted({result["n"] for result in results})
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,}–{found[-1]:,}"


def _best_means(results: list[dict]) -> set[int]:
    """Return which results, by id(), are the best of several systems or groups of a language."""
    alike: dict[tuple, list[tuple[float, dict]]] = {}
    for result in results:
        value = _value(result)
        if value is not None and result.get("better"):
            lang = None if result.get("by") == "lang" else result["lang"]
            alike.setdefault((result["metric"], lang), []).append((value, result))
    best = set()
    for valued in alike.values():
        pick = min if valued[0][1]["better"] == "lower" else max
        top = pick(value for value, _ in valued)
        best |= {id(result) for value, result in valued if len(valued) > 1 and value == top}
    return best


def _measured(
    results: Sequence[dict | None], key: str, best: Collection[int] = (), starred: bool = True
) -> list[Cell]:
    """Return the cells of a column: numbers with their intervals, and marks."""
    values = [None if one is None else one.get(key) for one in results]
    intervals = [
        None if one is None or value is None else _interval(one, key)
        for one, value in zip(results, values, strict=True)
    ]
    unit = next((_unit(one, key) for one in results if one), None)
    digits = numbers.places(intervals, values, unit)
    cells, spreads = [], numbers.spreads(values, intervals, digits)
    for one, value, spread in zip(results, values, spreads, strict=True):
        if one is None or value is None:
            cells.append(Cell(NOTHING))
            continue
        marks = stars(one.get("p_best")) if starred else ""
        cells.append(Cell(numbers.plain(value, digits), spread, marks, id(one) in best))
    return cells


def _unit(result: dict, key: str) -> str | None:
    return (result.get("corpus_unit") if key == "corpus" else None) or result.get("unit")


def _interval(result: dict, key: str) -> list[float] | None:
    return result.get(f"{key}_ci")


def _named(results: Sequence[dict]) -> tuple[list[list[Cell]], list[str], list[bool]]:
    """Return the cells that name rows, with heads: of what differs between them."""
    keys = [key for key in _NAMES if len({_name(result, key) for result in results}) > 1]
    if "group" in keys:
        keys = [
            key
            for key in keys
            if key == "group"
            or any(_name(result, key) != _name(result, "group") for result in results)
        ]
    columns = []
    for key in keys:
        short = labels.shortened(_name(result, key) for result in results)
        columns.append([Cell(short[_name(result, key)]) for result in results])
    rows = [list(row) for row in zip(*columns, strict=True)] or [[] for _ in results]
    by = next((str(result["by"]) for result in results if result.get("by")), "group")
    return rows, [by if key == "group" else key for key in keys], [False] * len(keys)


def _name(result: dict, key: str) -> str:
    value = result.get(key)
    return NOTHING if value is None else str(value)


def _key(result: dict) -> tuple:
    return tuple(_name(result, key) for key in _NAMES)


def _counted(rows: Sequence[Sequence[dict]]) -> tuple[list[list[Cell]], list[str]]:
    """Return the columns of counts that are not 0 everywhere; rows: the results of each row."""
    keys = [key for key in _COUNTS if any(one.get(key) for row in rows for one in row)]
    cells = [[Cell(f"{max(one.get(key) or 0 for one in row):,}") for key in keys] for row in rows]
    return cells, [key.replace("_", " ") for key in keys]


def _above(results: Sequence[dict], said: str, sizes: Sequence[str], lower: bool) -> list[str]:
    """Return what is the same for all of a table: names, size, unit, direction."""
    alike = [
        f"{key} {_short(_name(results[0], key))}"
        for key in _NAMES
        if results[0].get(key) is not None
        and len({_name(one, key) for one in results}) == 1
        and key != "group"
    ]
    if len({_name(one, "group") for one in results}) == 1 and results[0].get("group") is not None:
        alike.append(f"{results[0]['by']} {_short(_name(results[0], 'group'))}")
    if len(set(sizes)) == 1:
        alike.append(f"n {sizes[0]}")
    keys = (*_QUALITY, "S", *_DIMENSIONS)
    found = (_interval(one, key) for one in results for key in keys)
    has_interval = any(one and one[0] < one[1] for one in found)
    parts = [
        f"{said} ± 95 % interval" if has_interval else said,
        _units(results),
        f"{_LOWER} lower is better" if lower else "",
    ]
    return ["; ".join(filter(None, [", ".join(filter(None, parts)), ", ".join(alike)]))]


def _short(name: str) -> str:
    return labels.shortened([name])[name]


def _units(results: Sequence[dict]) -> str:
    """Return the unit of most metrics, and which have others."""
    units: dict[str, list[str]] = {}
    short = labels.of_metrics(result["metric"] for result in results)
    for result in results:
        unit = _unit(result, "corpus" if "corpus" in result else "mean")
        units.setdefault(str(unit), []).append(short[result["metric"]])
    first, *others = sorted(units, key=lambda name: -len(set(units[name])))
    said = [
        f"{', '.join(dict.fromkeys(units[name]))} in {name}"
        if name != "raw"
        else f"{', '.join(dict.fromkeys(units[name]))} raw"
        for name in others
    ]
    return f"{first} ({'; '.join(said)})" if said else first


def _sensitivity(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each metric and group."""
    keys = [*_SRD, *(key for key in _CONTROLS if any(key in result for result in results))]
    if all(result["mean"] is None for result in results):
        keys = [key for key in keys if key not in ("mean", "R", "D")]
    heads = {key: f"{key} {_LOWER}" if key in "SRD" else key.replace("_", " ") for key in keys}
    columns = [_changes(results, key) for key in keys]
    optional = [at for at, key in enumerate(keys) if key in _CONTROLS]
    said = ", ".join(key for key in keys if key in _SRD)
    yield _blocks(results, names, [heads[key] for key in keys], columns, said, optional)


def _changes(results: list[dict], key: str) -> list[Cell]:
    """Return a column; stars are those of S."""
    cells = _measured(results, key, starred=key == "S")
    if key not in _SRD:
        return cells
    best: set[int] = set()
    alike: dict[tuple, list[int]] = {}
    for at, result in enumerate(results):
        if result.get(key) is not None:
            alike.setdefault((result["metric"], result.get("lang")), []).append(at)
    for own in alike.values():
        better = "lower" if key != "mean" else results[own[0]].get("better")
        if len(own) > 1 and better:
            top = (min if better == "lower" else max)(results[at][key] for at in own)
            best |= {at for at in own if results[at][key] == top}
    return [cell._replace(best=at in best) for at, cell in enumerate(cells)]


def _blocks(
    results: list[dict],
    names: dict[str, str],
    heads: list[str],
    columns: list[list[Cell]],
    said: str,
    optional: Sequence[int] = (),
) -> Grid:
    """Return a table with a block of rows for each metric."""
    shown, head, right = _named(results)
    several = len({result["metric"] for result in results}) > 1
    if several or not head:
        shown = [
            [Cell(names[one["metric"]]), *row] for one, row in zip(results, shown, strict=True)
        ]
        head, right = ["metric", *head], [False, *right]
    sizes = [f"{result['n']:,}" for result in results]
    first = len(head)
    if len(set(sizes)) > 1:
        shown = [[*row, Cell(size)] for row, size in zip(shown, sizes, strict=True)]
        head, right = [*head, "n"], [*right, True]
    counted, count_names = _counted([[result] for result in results])
    rows = [
        [*one, *two, *three]
        for one, two, three in zip(shown, zip(*columns, strict=True), counted, strict=True)
    ]
    tops = [row[0].text for row in shown]
    blocks = [
        at
        for at in range(1, len(results))
        if first > 1 and len(set(tops)) < len(tops) and tops[at] != tops[at - 1]
    ]
    above = _above(results, said, sizes, True)
    if head[0] != "metric":
        above = [f"{names[results[0]['metric']]}: {above[0]}"]
    return Grid(
        [*head, *heads, *count_names],
        rows,
        [*right, *[True] * (len(heads) + len(count_names))],
        above,
        first,
        blocks,
        [len(head) + at for at in optional],
    )


def _robustness(results: list[dict], names: dict[str, str]) -> Iterator[Grid]:
    """Yield a table with a row for each kind, and one of changed variants if some are not."""
    own = [result for result in results if not _repeats(result, results)]
    keys = [key for key in _DIMENSIONS if any(result[key] is not None for result in own)]
    heads = [f"{_CHANGE}{key} {_LOWER}" for key in keys]
    columns = [_measured(own, key, starred=key == "consistency") for key in keys]
    yield _blocks(own, names, heads, columns, f"robustness, the change {_CHANGE}")
    if any(result["unchanged"] for result in own):
        changed = [
            result
            | {key: result["changed"][key] for key in keys}
            | {f"{key}_ci": None for key in keys}
            | {"unchanged": 0}
            for result in own
        ]
        columns = [_measured(changed, key, starred=False) for key in keys]
        made = _blocks(changed, names, heads, columns, "The same without unchanged variants")
        yield made._replace(aside=True)


def _repeats(result: dict, results: Sequence[dict]) -> bool:
    """Tell whether a result of all kinds is that of the one family that they belong to."""
    return result["kind"] == "all" and any(
        str(other["kind"]).endswith(".*")
        and other["variants"] == result["variants"]
        and all(other.get(key) == result.get(key) for key in ("metric", "system", "lang", "group"))
        for other in results
    )


def _gaps(results: list[dict], names: dict[str, str]) -> Grid:
    # each with its own digits: beside a wide interval a gap without one would be rounded to 0
    columns = [_measured([result | {"gap_ci": result["ci"]}], "gap")[0] for result in results]
    shown, head, right = _named([{**result, "group": None} for result in results])
    rows = [
        [
            Cell(names[result["metric"]]),
            *row,
            cell,
            Cell(NOTHING if result["p"] is None else numbers.probability(result["p"])),
            Cell(str(result["highest"])),
            Cell(str(result["lowest"])),
        ]
        for result, row, cell in zip(results, shown, columns, strict=True)
    ]
    by, of, pairs = results[0]["by"], results[0]["of"], max(result["pairs"] for result in results)
    corrected = f"; interval and p corrected for {pairs:,} pairs" if pairs > 1 else ""
    said = f"Gap of {of} between the highest and the lowest {by} ± 95 % interval{corrected}"
    return Grid(
        ["metric", *head, "gap", "p", "highest", "lowest"],
        rows,
        [False, *right, True, True, False, False],
        [said],
        1 + len(head),
        aside=True,
    )


def _notes(results: list[dict]) -> Iterator[str]:
    """Yield the meaning of marks, and the notes of results, each once with whose it is."""
    if any(stars(result.get("p_best")) for result in results):
        yield f"{LEVELS}: other than the best (t test over dialogues, Holm)"
    whose: dict[str, list[str]] = {}
    for result in results:
        for note in str(result.get("note") or "").split("; "):
            if note:
                whose.setdefault(note, []).append(result["metric"])
    short = labels.of_metrics(result["metric"] for result in results)
    every = len({result["metric"] for result in results})
    for note, metrics in whose.items():
        own = list(dict.fromkeys(metrics))
        yield note if len(own) == every else f"{', '.join(short[one] for one in own)}: {note}"
    yield from _zeros(results)
    if differ := max((result.get("chain_differs") or 0 for result in results), default=0):
        yield (
            f'{differ:,} records were made by other filters than most: see "chain" in --format json'
        )


def _zeros(results: list[dict]) -> Iterator[str]:
    for dimension in _DIMENSIONS[1:]:
        zero = sum(
            (result.get("zero_denominator") or {}).get(dimension) or 0
            for result in results
            if result.get("kind") != "all" and not str(result.get("kind")).endswith(".*")
        )
        if zero:
            yield (
                f"no {dimension} of {zero:,} variants, for the original's score is 0 "
                "(zero_denominator)"
            )
