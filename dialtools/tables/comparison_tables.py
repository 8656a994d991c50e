"""Layouts of what dt-ttest compares: systems with a baseline, pairs, groups all at once."""

from collections.abc import Iterator, Sequence

from dialtools.tables import grids
from dialtools.tables.grids import LEVELS, NOTHING, Cell, Column, Grid, Page, stars, texts

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
    columns = [texts("system", (names[system] for system in systems))]
    for value, tests in values.items():
        digits = _digits(list(tests.values()))
        of_systems = [tests.get(system) for system in systems]
        of_base = _means(max(tests.values(), key=lambda result: result["n"]))[1]
        means = [_means(test)[0] if test else of_base for test in of_systems]
        better = next(iter(tests.values())).get("better")
        known = [mean for mean in means if mean is not None]
        best = (min if better == "lower" else max)(known) if better and known else None
        are_best = [mean is not None and mean == best for mean in means]
        head = f"{names[_value(value)]}{' ↓' if better == 'lower' else ''}"
        columns.append(grids.numbers(head, means, digits, best=are_best))
        columns.append(_differences(of_systems, digits))
    return Grid(columns, _above(results))


def _pairs(results: Sequence[dict]) -> Grid:
    """Return a row for each comparison."""
    names = _names(results)
    is_one_pair = len({(str(result["a"]), str(result["b"])) for result in results}) == 1
    of_values = all(result["a"] == result["value"] for result in results)
    keys = ["a", "b"] if not is_one_pair or of_values else []
    if not of_values and (len({result["value"] for result in results}) > 1 or is_one_pair):
        keys.insert(0, "value")
    columns = [texts(key, (names[_value(str(result[key]))] for result in results)) for key in keys]
    if any("group" in result for result in results):
        columns.insert(0, texts("group", (str(result.get("group", "")) for result in results)))
    naming = len(columns)
    if len({result["n"] for result in results}) > 1:
        columns.append(texts("n", (f"{result['n']:,}" for result in results), right=True))
    if any(result["difference"] is not None for result in results):
        digits = _digits(results)
        for number, key in enumerate("ab"):
            is_named = is_one_pair and not of_values
            head = names[str(results[0][key])] if is_named else f"mean {key}"
            columns.append(grids.numbers(head, [_means(test)[number] for test in results], digits))
        columns.append(_differences(results, digits))
    columns += [*_effects(results), _probabilities(results)]
    if any("power" in result for result in results):
        for key, head, places in (("power", "power", 2), ("n_needed", "n for 80 %", 0)):
            numbers = [result.get(key) for result in results]
            shown = (NOTHING if value is None else f"{value:,.{places}f}" for value in numbers)
            columns.append(texts(head, shown, right=True))
    return Grid(columns, _above(results), naming)


def _many(results: Sequence[dict]) -> Grid:
    """Return a row for each test of several groups at once."""
    names = grids.of_metrics(_value(result["value"]) for result in results)
    statistics, effects = [], []
    for result in results:
        statistic = effect = NOTHING
        if result["statistic"] is not None:
            statistic = f"{result['statistic_name']} {grids.rounded(result['statistic'], 2)}"
        if result["effect"] is not None:
            effect = f"{result['effect_name']} {grids.plain(result['effect'], 2)}"
        statistics.append(statistic)
        effects.append(effect)
    columns = [
        texts("value", (names[_value(result["value"])] for result in results)),
        texts("n", (f"{result['n']:,}" for result in results), right=True),
        texts("statistic", statistics, right=True),
        texts("effect", effects, right=True),
        _probabilities(results),
    ]
    return Grid(columns, [f"{results[0]['test']} of {', '.join(map(str, results[0]['groups']))}"])


def _digits(results: Sequence[dict]) -> int:
    """Return the decimals of means and differences."""
    values = [
        value
        for result in results
        for value in (*_means(result), result["difference"])
        if value is not None
    ]
    return grids.places([result["ci"] for result in results], values, results[0].get("unit"))


def _probabilities(results: Sequence[dict]) -> Column:
    values = map(_p, results)
    shown = (NOTHING if value is None else grids.probability(value) for value in values)
    return texts("p", shown, right=True)


def _differences(results: Sequence[dict | None], digits: int) -> Column:
    """Return the column of differences; the baseline has none."""
    values = [result["difference"] if result else None for result in results]
    intervals = [result["ci"] if result else None for result in results]
    marks = [_marks(result) if result else "" for result in results]
    column = grids.numbers("difference", values, digits, intervals, marks, is_signed=True)
    cells = zip(column.cells, results, strict=True)
    return column._replace(cells=[cell if result else Cell("") for cell, result in cells])


def _effects(results: Sequence[dict]) -> Iterator[Column]:
    """Yield a column for each effect; with its interval and marks where there is no difference."""
    for name in dict.fromkeys(result.get("effect_name") for result in results):
        tests = [result if result.get("effect_name") == name else None for result in results]
        alone = [test if test and test["difference"] is None else None for test in tests]
        values = [test["effect"] if test else None for test in tests]
        intervals = [test.get("effect_ci") if test else None for test in alone]
        marks = [_marks(test) if test else "" for test in alone]
        if name:
            yield grids.numbers(name, values, 2, intervals, marks)


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
            results[0].get("unit") or ""
            if is_one
            else ", ".join(f"{value} in {unit}" for value, unit in units)
        )
    value = [*names.values()][0] if len(names) == 1 and "difference" in results[0] else ""
    sizes = {result["n"] for result in results}
    pairs = "values" if "n_a" in results[0] else f"{results[0].get('per', 'pair')}s"
    size = f"n {sizes.pop():,} {pairs}" if len(sizes) == 1 else ""
    head = ", ".join(filter(None, (value, unit)))
    return ["; ".join(filter(None, (head, results[0]["test"], size)))]


def _legend(results: Sequence[dict]) -> Iterator[str]:
    """Yield the meaning of the marks, and the correction of p and intervals."""
    if not results:
        return
    levels = [result.get("ci_level", result["level"]) for result in results]
    levels = [2 * level - 1 if "margin" in results[0] else level for level in levels]
    low, high = f"{100 * min(levels):.4g}", f"{100 * max(levels):.4g}"
    intervals = f"intervals of {low} %" if low == high else f"intervals of {low} to {high} %"
    how = next((result["correction"] for result in results if "p_adjusted" in result), None)
    sizes = sorted({result.get("family", 1) for result in results if result["p"] is not None})
    if how:
        number = " or ".join(map(str, sizes))
        yield f"p and intervals corrected by {how} for {number} tests; {intervals}"
    elif any(result["ci"] or result.get("effect_ci") for result in results):
        yield intervals
    if any(stars(_p(result)) for result in results):
        yield LEVELS + (" of equivalence" if "margin" in results[0] else "")
    if any(_marks(result) == "?" for result in results):
        yield "? the test and its interval disagree about 0"


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
