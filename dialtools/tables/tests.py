"""Layouts of what dt-ttest compares: systems with a baseline, pairs, groups all at once."""

from collections.abc import Iterator, Sequence

from dialtools.tables import labels, numbers
from dialtools.tables.grids import LEVELS, NOTHING, Cell, Grid, Page, stars

FEW = 2  # comparisons whose verdicts stand below their table


def knows(result: dict) -> bool:
    """Tell whether a result compares two groups or many."""
    return "test" in result and "p" in result and ("a" in result or "groups" in result)


def page(results: Sequence[dict], baseline: bool = False) -> Page:
    """Return the tables of comparisons; baseline: all are with one group, in one table."""
    many = [result for result in results if "groups" in result]
    pairs = [result for result in results if "a" in result]
    grids = [_many(many)] if many else []
    if pairs:
        has_power = any("power" in result for result in pairs)
        grids.append(_systems(pairs) if baseline and not has_power else _pairs(pairs))
    untested = [result["verdict"] for result in results if result["p"] is None]
    verdicts = [result["verdict"] for result in results]
    told = verdicts if len(results) <= FEW and not baseline else untested
    signatures = [result["signature"] for result in results]
    return Page(grids, [*told, *_legend(pairs), *_notes(results, baseline)], verdicts, signatures)


def _value(path: str) -> str:
    return path.removeprefix("scores.")


def _names(results: Sequence[dict]) -> dict[str, str]:
    every = [str(result[key]) for result in results for key in ("a", "b", "value")]
    short = labels.of_metrics(_value(name) for name in every)
    return short | {name: short[_value(name)] for name in every}


def _means(result: dict) -> tuple[float | None, float | None]:
    """Return the means, or corpus scores, of a and b."""
    level = "mean" if "mean_a" in result else "corpus"
    return result[f"{level}_a"], result[f"{level}_b"]


def _p(result: dict) -> float | None:
    return result.get("p_adjusted", result["p"])


def _marks(result: dict) -> str:
    """Return stars for p; "?" where the interval says otherwise."""
    return "?" if str(result.get("verdict")).startswith("Undecided") else stars(_p(result))


def _systems(results: Sequence[dict]) -> Grid:
    """Return a row for each system and two columns for each value: its mean, the difference."""
    names, base = _names(results), str(results[0]["b"])
    systems = [base, *dict.fromkeys(str(result["a"]) for result in results)]
    values = list(dict.fromkeys(result["value"] for result in results))
    columns, head = [[Cell(names[system]) for system in systems]], ["system"]
    for value in values:
        own = {str(result["a"]): result for result in results if result["value"] == value}
        columns += _compared(own, systems)
        lower = next(iter(own.values())).get("better") == "lower"
        head += [f"{names[_value(value)]}{' ↓' if lower else ''}", "difference"]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Grid(head, rows, [False, *[True] * (len(head) - 1)], _above(results))


def _compared(own: dict[str, dict], systems: Sequence[str]) -> list[list[Cell]]:
    """Return the column of means and that of differences; own: the comparison of each system."""
    digits = _digits(list(own.values()))
    base = _means(max(own.values(), key=lambda result: result["n"]))[1]
    found = [own.get(system) for system in systems]
    means = [base if result is None else _means(result)[0] for result in found]
    better = next(iter(own.values())).get("better")
    known = [mean for mean in means if mean is not None]
    best = (min if better == "lower" else max)(known) if better and known else None
    return [
        [
            Cell(
                NOTHING if mean is None else numbers.plain(mean, digits),
                best=mean is not None and mean == best,
            )
            for mean in means
        ],
        _differences(found, digits),
    ]


def _digits(results: Sequence[dict]) -> int:
    values = [
        value
        for result in results
        for value in (*_means(result), result["difference"])
        if value is not None
    ]
    return numbers.places([result["ci"] for result in results], values, results[0].get("unit"))


def _differences(results: Sequence[dict | None], digits: int) -> list[Cell]:
    """Return the column of differences; the baseline has none."""
    values = [None if one is None else one["difference"] for one in results]
    intervals = [
        None if one is None or value is None else one["ci"]
        for one, value in zip(results, values, strict=True)
    ]
    spreads, cells = numbers.spreads(values, intervals, digits), []
    for one, value, spread in zip(results, values, spreads, strict=True):
        if one is None or value is None:
            cells.append(Cell("" if one is None else NOTHING))
            continue
        shown = numbers.plain(value, digits)
        sign = "+" if float(shown) > 0 else ""
        cells.append(Cell(f"{sign}{shown}", spread, _marks(one)))
    return cells


def _pairs(results: Sequence[dict]) -> Grid:
    """Return a row for each comparison."""
    names = _names(results)
    same = len({(str(result["a"]), str(result["b"])) for result in results}) == 1
    columns: list[tuple[str, bool, list[Cell]]] = []
    of_values = all(result["a"] == result["value"] for result in results)
    if not of_values and (len({result["value"] for result in results}) > 1 or same):
        columns.append(("value", False, [Cell(names[_value(one["value"])]) for one in results]))
    if not same or of_values:
        columns += [
            (key, False, [Cell(names[_value(str(one[key]))]) for one in results]) for key in "ab"
        ]
    first = len(columns)
    if len({result["n"] for result in results}) > 1:
        columns.append(("n", True, [Cell(f"{result['n']:,}") for result in results]))
    if any(result["difference"] is not None for result in results):
        digits = _digits(results)
        heads = (
            [names[str(results[0][key])] for key in "ab"]
            if same and not of_values
            else ["mean a", "mean b"]
        )
        for at in range(2):
            means = [_means(result)[at] for result in results]
            columns.append(
                (
                    heads[at],
                    True,
                    [
                        Cell(NOTHING if mean is None else numbers.plain(mean, digits))
                        for mean in means
                    ],
                )
            )
        columns.append(("difference", True, _differences(results, digits)))
    columns += [*_effects(results), ("p", True, [_probability(result) for result in results])]
    if any("power" in result for result in results):
        columns += _powers(results)
    rows = [list(row) for row in zip(*(cells for _, _, cells in columns), strict=True)]
    return Grid(
        [name for name, _, _ in columns],
        rows,
        [right for _, right, _ in columns],
        _above(results),
        first,
    )


def _probability(result: dict) -> Cell:
    p = _p(result)
    return Cell(NOTHING if p is None else numbers.probability(p))


def _effects(results: Sequence[dict]) -> Iterator[tuple[str, bool, list[Cell]]]:
    """Yield a column for each effect; with its interval and marks where there is no difference."""
    kinds = [result["effect_name"] for result in results if result.get("effect_name")]
    for name in dict.fromkeys(kinds):
        alone = [
            result["difference"] is None and result.get("effect_name") == name for result in results
        ]
        values = [
            result["effect"] if result.get("effect_name") == name else None for result in results
        ]
        spreads = numbers.spreads(
            values,
            [
                result.get("effect_ci") if is_alone and value is not None else None
                for result, value, is_alone in zip(results, values, alone, strict=True)
            ],
            2,
        )
        yield (
            name,
            True,
            [
                Cell(NOTHING)
                if value is None
                else Cell(numbers.plain(value, 2), spread, _marks(result) if is_alone else "")
                for result, value, spread, is_alone in zip(
                    results, values, spreads, alone, strict=True
                )
            ],
        )


def _powers(results: Sequence[dict]) -> Iterator[tuple[str, bool, list[Cell]]]:
    """Yield the power of each comparison, and the n that 80 % needs."""
    for key, head, places in (("power", "power", 2), ("n_needed", "n for 80 %", 0)):
        values = [result.get(key) for result in results]
        yield (
            head,
            True,
            [Cell(NOTHING if value is None else f"{value:,.{places}f}") for value in values],
        )


def _many(results: Sequence[dict]) -> Grid:
    """Return a row for each test of several groups at once."""
    names = labels.of_metrics(_value(result["value"]) for result in results)
    rows = []
    for result in results:
        statistic = result["statistic"]
        shown = (
            NOTHING
            if statistic is None
            else f"{result['statistic_name']} {numbers.rounded(statistic, 2)}"
        )
        effect = (
            NOTHING
            if result["effect"] is None
            else f"{result['effect_name']} {numbers.plain(result['effect'], 2)}"
        )
        rows.append(
            [
                Cell(names[_value(result["value"])]),
                Cell(f"{result['n']:,}"),
                Cell(shown),
                Cell(effect),
                _probability(result),
            ]
        )
    groups = ", ".join(map(str, results[0]["groups"]))
    return Grid(
        ["value", "n", "statistic", "effect", "p"],
        rows,
        [False, True, True, True, True],
        [f"{results[0]['test']} of {groups}"],
    )


def _above(results: Sequence[dict]) -> list[str]:
    """Return the test, the unit, the level of intervals and n, where they are the same."""
    units = {result.get("unit") for result in results}
    names = labels.of_metrics(_value(result["value"]) for result in results)
    unit = (
        units.pop()
        if len(units) == 1
        else ", ".join(
            dict.fromkeys(
                f"{names[_value(result['value'])]} in {result['unit']}" for result in results
            )
        )
    )
    if all(result["difference"] is None for result in results):
        unit = ""  # of a correlation
    sizes = {result["n"] for result in results}
    pairs = "values" if "n_a" in results[0] else "pairs"
    size = f"n {sizes.pop():,} {pairs}" if len(sizes) == 1 else ""
    value = ""
    values = list(names.values())
    if len(values) == 1 and "difference" in results[0]:
        value = f"{values[0]}, "
    head = f"{value}{unit}".rstrip(", ")
    return ["; ".join(part for part in (head, results[0]["test"], size) if part)]


def _legend(results: Sequence[dict]) -> Iterator[str]:
    """Yield the meaning of the marks, and the correction of p and intervals."""
    if not results:
        return
    how = next((result["correction"] for result in results if "p_adjusted" in result), None)
    sizes = sorted({result.get("family", 1) for result in results if result["p"] is not None})
    if how:
        yield (
            f"p and intervals corrected by {how} for {' or '.join(map(str, sizes))} tests; "
            f"intervals of {_levels(results)}"
        )
    elif any(result["ci"] or result.get("effect_ci") for result in results):
        yield f"intervals of {_levels(results)}"
    if any(stars(_p(result)) for result in results):
        yield LEVELS + (" of equivalence" if "margin" in results[0] else "")
    if any(_marks(result) == "?" for result in results):
        yield "? the test and its interval disagree about 0"


def _levels(results: Sequence[dict]) -> str:
    levels = [result.get("ci_level", result["level"]) for result in results]
    levels = [2 * level - 1 if "margin" in results[0] else level for level in levels]
    low, high = f"{100 * min(levels):.4g}", f"{100 * max(levels):.4g}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _notes(results: Sequence[dict], baseline: bool) -> Iterator[str]:
    """Yield each note once, with its comparisons if it is not a note of all."""
    found: dict[str, list[str]] = {}
    for result in results:
        name = (
            ", ".join(map(str, result["groups"]))
            if "groups" in result
            else str(result["a"])
            if baseline
            else f"{result['a']} and {result['b']}"
        )
        for note in result["notes"]:
            found.setdefault(note, []).append(f"{name} in {_value(result['value'])}")
    for note, names in found.items():
        short = labels.shortened(names, 40)
        yield (
            note
            if len(names) >= len([one for one in results if "a" in one] or results)
            else f"{'; '.join(short[name] for name in dict.fromkeys(names))}: {note}"
        )
    for result in results:
        if dropped := {key: number for key, number in result["dropped"].items() if number}:
            said = ", ".join(f"{number:,} {key}" for key, number in dropped.items())
            if len({str(one["dropped"]) for one in results}) == 1:
                yield f"left out: {said}"
                return
            yield f"left out of {_value(result['value'])}: {said}"
