"""Layouts of what dt-ttest compares: systems with a baseline, pairs, groups all at once."""

from collections.abc import Iterator, Sequence

from dialtools.tables import grids, numbers
from dialtools.tables.grids import LEVELS, NOTHING, Cell, Grid, Page, stars

FEW = 2  # comparisons whose verdicts stand below their table


def knows(result: dict) -> bool:
    """Tell whether a result compares two groups or many."""
    return "test" in result and "p" in result and ("a" in result or "groups" in result)


def page(results: Sequence[dict], baseline: bool = False) -> Page:
    """Return the tables of comparisons; baseline: all are with one group, in one table."""
    many = [result for result in results if "groups" in result]
    pairs = [result for result in results if "a" in result]
    tables = [_many(many)] if many else []
    if pairs:
        has_power = any("power" in result for result in pairs)
        tables.append(_systems(pairs) if baseline and not has_power else _pairs(pairs))
    verdicts = [result["verdict"] for result in results]
    untested = [result["verdict"] for result in results if result["p"] is None]
    below = verdicts if len(results) <= FEW and not baseline else untested
    signatures = [result["signature"] for result in results]
    notes = [*below, *_legend(pairs), *_notes(results, baseline)]
    return Page(tables, notes, verdicts, signatures)


def _value(path: str) -> str:
    return path.removeprefix("scores.")


def _names(results: Sequence[dict]) -> dict[str, str]:
    """Return a short form of each group and value, with "scores." and without."""
    names = [str(result[key]) for result in results for key in ("a", "b", "value")]
    short = grids.of_metrics(map(_value, names))
    return short | {name: short[_value(name)] for name in names}


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
    values: dict[str, dict[str, dict]] = {}
    for result in results:
        values.setdefault(result["value"], {})[str(result["a"])] = result
    columns, head = [[Cell(names[system]) for system in systems]], ["system"]
    for value, tests in values.items():
        digits = _digits(list(tests.values()))
        of_systems = [tests.get(system) for system in systems]
        of_base = _means(max(tests.values(), key=lambda result: result["n"]))[1]
        means = [_means(test)[0] if test else of_base for test in of_systems]
        better = next(iter(tests.values())).get("better")
        known = [mean for mean in means if mean is not None]
        best = (min if better == "lower" else max)(known) if better and known else None
        cells = []
        for mean in means:
            is_best = mean is not None and mean == best
            cells.append(_number(mean, digits)._replace(best=is_best))
        columns += [cells, _differences(of_systems, digits)]
        head += [f"{names[_value(value)]}{' ↓' if better == 'lower' else ''}", "difference"]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Grid(head, rows, [False, *[True] * (len(head) - 1)], _above(results))


def _number(value: float | None, digits: int) -> Cell:
    return Cell(NOTHING if value is None else numbers.plain(value, digits))


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
    values = [result["difference"] if result else None for result in results]
    intervals = [
        result["ci"] if result and value is not None else None
        for result, value in zip(results, values, strict=True)
    ]
    spreads, cells = numbers.spreads(values, intervals, digits), []
    for result, value, spread in zip(results, values, spreads, strict=True):
        if result is None or value is None:
            cells.append(Cell(NOTHING if result else ""))
            continue
        shown = numbers.plain(value, digits)
        sign = "+" if float(shown) > 0 else ""
        cells.append(Cell(f"{sign}{shown}", spread, _marks(result)))
    return cells


def _pairs(results: Sequence[dict]) -> Grid:
    """Return a row for each comparison."""
    names = _names(results)
    is_one_pair = len({(str(result["a"]), str(result["b"])) for result in results}) == 1
    of_values = all(result["a"] == result["value"] for result in results)
    columns: list[tuple[str, list[Cell]]] = []
    if not of_values and (len({result["value"] for result in results}) > 1 or is_one_pair):
        columns.append(("value", [Cell(names[_value(result["value"])]) for result in results]))
    if not is_one_pair or of_values:
        for key in "ab":
            columns.append((key, [Cell(names[_value(str(result[key]))]) for result in results]))
    first = len(columns)
    if len({result["n"] for result in results}) > 1:
        columns.append(("n", [Cell(f"{result['n']:,}") for result in results]))
    if any(result["difference"] is not None for result in results):
        digits = _digits(results)
        for number, key in enumerate("ab"):
            is_named = is_one_pair and not of_values
            head = names[str(results[0][key])] if is_named else f"mean {key}"
            columns.append((head, [_number(_means(test)[number], digits) for test in results]))
        columns.append(("difference", _differences(results, digits)))
    columns += [*_effects(results), ("p", list(map(_probability, results)))]
    if any("power" in result for result in results):
        columns += _powers(results)
    return Grid(
        [head for head, _ in columns],
        [list(row) for row in zip(*(cells for _, cells in columns), strict=True)],
        [number >= first for number in range(len(columns))],
        _above(results),
        first,
    )


def _probability(result: dict) -> Cell:
    p = _p(result)
    return Cell(NOTHING if p is None else numbers.probability(p))


def _effects(results: Sequence[dict]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield a column for each effect; with its interval and marks where there is no difference."""
    effects: dict[str, list[dict | None]] = {}
    for number, result in enumerate(results):
        if name := result.get("effect_name"):
            effects.setdefault(name, [None] * len(results))[number] = result
    for name, tests in effects.items():
        values = [test["effect"] if test else None for test in tests]
        alone = [test is not None and test["difference"] is None for test in tests]
        intervals = [
            test.get("effect_ci") if test and is_alone and value is not None else None
            for test, value, is_alone in zip(tests, values, alone, strict=True)
        ]
        spreads = numbers.spreads(values, intervals, 2)
        cells = []
        for test, value, spread, is_alone in zip(tests, values, spreads, alone, strict=True):
            marks = _marks(test) if test and is_alone and value is not None else ""
            cells.append(_number(value, 2)._replace(spread=spread, stars=marks))
        yield name, cells


def _powers(results: Sequence[dict]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the power of each comparison, and the n that 80 % needs."""
    for key, head, places in (("power", "power", 2), ("n_needed", "n for 80 %", 0)):
        values = [result.get(key) for result in results]
        yield head, [Cell(NOTHING if value is None else f"{value:,.{places}f}") for value in values]


def _many(results: Sequence[dict]) -> Grid:
    """Return a row for each test of several groups at once."""
    names = grids.of_metrics(_value(result["value"]) for result in results)
    rows = []
    for result in results:
        statistic = effect = NOTHING
        if result["statistic"] is not None:
            statistic = f"{result['statistic_name']} {numbers.rounded(result['statistic'], 2)}"
        if result["effect"] is not None:
            effect = f"{result['effect_name']} {numbers.plain(result['effect'], 2)}"
        texts = names[_value(result["value"])], f"{result['n']:,}", statistic, effect
        rows.append([*map(Cell, texts), _probability(result)])
    groups = ", ".join(map(str, results[0]["groups"]))
    head = ["value", "n", "statistic", "effect", "p"]
    return Grid(head, rows, [False, *[True] * 4], [f"{results[0]['test']} of {groups}"])


def _above(results: Sequence[dict]) -> list[str]:
    """Return the value, the unit, the test and n, where they are the same."""
    names = grids.of_metrics(_value(result["value"]) for result in results)
    units = dict.fromkeys(
        (names[_value(result["value"])], result.get("unit")) for result in results
    )
    unit = ""
    if any(result["difference"] is not None for result in results):  # else of a correlation
        is_one = len({unit for _, unit in units}) == 1
        unit = (
            results[0].get("unit") or "" if is_one else ", ".join(f"{v} in {u}" for v, u in units)
        )
    value = [*names.values()][0] if len(names) == 1 and "difference" in results[0] else ""
    sizes = {result["n"] for result in results}
    pairs = "values" if "n_a" in results[0] else "pairs"
    size = f"n {sizes.pop():,} {pairs}" if len(sizes) == 1 else ""
    head = ", ".join(filter(None, (value, unit)))
    return ["; ".join(filter(None, (head, results[0]["test"], size)))]


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
    comparisons: dict[str, list[str]] = {}
    for result in results:
        if "groups" in result:
            name = ", ".join(map(str, result["groups"]))
        else:
            name = str(result["a"]) if baseline else f"{result['a']} and {result['b']}"
        for note in result["notes"]:
            comparisons.setdefault(note, []).append(f"{name} in {_value(result['value'])}")
    number = sum("a" in result for result in results) or len(results)
    for note, names in comparisons.items():
        short = grids.shortened(names, 40)
        yield note if len(names) >= number else f"{'; '.join(short.values())}: {note}"

    is_same = len({str(result["dropped"]) for result in results}) == 1
    for result in results[:1] if is_same else results:
        counts = [f"{number:,} {reason}" for reason, number in result["dropped"].items() if number]
        if counts:
            of_value = "" if is_same else f" of {_value(result['value'])}"
            yield f"left out{of_value}: {', '.join(counts)}"
