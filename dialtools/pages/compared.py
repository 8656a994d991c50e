"""The sections on tests: differences, pairs of numbers, perplexity, agreement with people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from dialtools.comparison import comparisons, verdicts
from dialtools.comparison.groups import Group
from dialtools.errors import DialtoolsError
from dialtools.pages import estimates, parts, pictures
from dialtools.pages.drawing import Mark
from dialtools.pages.inputs import File
from dialtools.pages.material import CHANGE, Row
from dialtools.pages.parts import (
    Cell, Line, Picture, Section, Table, count, interval, number, with_interval)
from dialtools.records.wellformed import is_number

MOST_SYSTEMS = 5  # that are tested against each other here
MOST_PANELS = 6
MOST_METRICS = 4  # of records that are tested
MOST_TESTED = 40  # kinds, pools and metrics in which systems are tested
_LABELS = ("S:", "consistency:")
# how what the numbers are of is said, and what a system is or does that has the higher ones
_SAID = {"S": ("With names of the pool {}, ", "is more sensitive"),
         CHANGE: ("With names of the pool {}, ", "changes its outputs more"),
         "consistency": ("After {}, ", "changes its outputs more")}
_AND = " · "  # between the system and the pool
Names = Mapping[tuple[int, str], str]


def tested(rows: Sequence[Row], names: Names, given: Collection[str]) -> tuple[list[dict], str]:
    """Return paired tests of S, or of consistency, and a sentence on what was not done.

    given: the values that were tested already.

    Where nobody measured these, the change of outputs and the scores of records are tested.  Pairs
    are sources; those of several languages go together, those of several pools, or of several kinds
    of perturbation, do not.  p is corrected by Holm.
    """
    values = []
    for label in _labels(rows):
        if f"scores.{label}" in given:
            continue
        by_part: dict[tuple[str, str], list[Row]] = {}
        for row in estimates.counted(rows):
            if label in row.measured:
                by_part.setdefault((row.group, _kind(row)), []).append(row)
        values += [(own, label, systems) for own in by_part.values()
                   for systems in [_systems(own, label, names)] if len(systems) > 1]
    if not values:
        return [], ""
    most = max(len(systems) for _, _, systems in values)
    if most > MOST_SYSTEMS or len(values) > MOST_TESTED:
        what = f"{most:,} systems" if most > MOST_SYSTEMS else f"{len(values):,} kinds and metrics"
        return [], f"{what} are too many to be tested here: see dt-ttest --baseline."
    try:
        made = [_groups(*one, names) for one in values]
        return comparisons.compare(made, comparisons.Design("paired")), ""
    except DialtoolsError as error:
        return [], f"The systems could not be tested against each other: {error}."


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the labels of what is tested: of sources, else of our own change and of records."""
    labels = dict.fromkeys(label for row in rows for label in row.measured)
    of_sources = [label for label in labels if label.startswith(_LABELS)]
    of_records = [label for label in labels if label != CHANGE][:MOST_METRICS]
    return of_sources or [label for label in labels if label == CHANGE] + of_records


def _kind(row: Row) -> str:
    return row.kind if row.is_source else ""


def _systems(rows: Iterable[Row], label: str, names: Names) -> list[str]:
    """Return what to call the systems of rows, those with the highest numbers first."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(_called(row, names), []).append(row.measured[label])
    return sorted(values, key=lambda name: -sum(values[name]) / len(values[name]))


def _called(row: Row, names: Names) -> str:
    return _AND.join(filter(None, (names[row.file, row.system], row.group, _kind(row))))


def _groups(rows: Iterable[Row], label: str, systems: Sequence[str], names: Names) -> list[Group]:
    """Return a group of numbers for each system, and in it an id for each source."""
    found = {name: Group(name, f"scores.{label}") for name in systems}
    held: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        if label in row.measured:
            id = f"{row.lang}/{row.id}"
            unit = {"unit": "percent"} if row.is_source else {}
            held.setdefault((_called(row, names), id), []).append(
                {"id": id, "variant": row.variant or None, **unit,
                 "scores": {label: row.measured[label]}})
    for (name, _), records in held.items():
        found[name].add(records)
    return list(found.values())


def sentence(result: dict, names: Mapping[str, str]) -> str:
    """Return what a comparison says; of two sensitivities, which system is more sensitive.

    names: {name of a file: the system in it}.
    """
    value = str(result.get("value") or "")
    is_tested = all(is_number(result.get(key)) for key in ("p", "difference", "mean_a", "mean_b"))
    measure, _, metric = value.removeprefix("scores.").partition(":")
    if measure not in _SAID or not is_tested or "margin" in result:
        return str(result.get("verdict") or "")
    p = result.get("p_adjusted", result["p"])
    is_certain = p < 1 - result["level"]
    if verdicts.disagrees(result, is_certain):
        return str(result["verdict"])
    a, b = (names.get(str(result[key]), str(result[key])) for key in ("a", "b"))
    after = f" after {str(result['correction']).title()}" if "p_adjusted" in result else ""
    higher, lower, difference, ci = result["mean_a"], result["mean_b"], result["difference"], \
        result.get("ci")
    if difference < 0:
        a, b, higher, lower, difference = b, a, lower, higher, -difference
        ci = [-ci[1], -ci[0]] if ci else ci
    level = result.get("ci_level") or result["level"]
    numbers = (f"{measure} {parts.shown(higher)} % against {parts.shown(lower)} %, difference "
               f"{with_interval(difference, ci, level=level)}, "
               f"{verdicts.p_is(p)}{after}, {result['n']:,} sources")
    a, b, part = in_one_part(a, b)
    where, more = _SAID[measure]
    where, metric = where.format(part) if part else "", metric or "characters"
    if is_certain:
        return f"{where}{a} {more} than {b} by {metric}, which is more than chance: {numbers}."
    it = "it" if where else "It"
    return (f"{where}{it} is not certain which of {a} and {b} {more} by {metric}: "
            f"{numbers}. This does not show that they are equal.")


def in_one_part(a: str, b: str) -> tuple[str, str, str]:
    """Return the names of two systems without the pool or kind that both have, and that.

    >>> in_one_part("x · rare", "y · rare")
    ('x', 'y', 'rare')
    """
    (one, _, part), (other, _, same) = a.partition(_AND), b.partition(_AND)
    return (one, other, part) if part and part == same else (a, b, "")


def systems_of_files(files: Sequence[File], names: Names) -> dict[str, str]:
    """Return {name of a file: the system in it} for files with one system."""
    found: dict[str, set[str]] = {}
    for (file, _), name in names.items():
        found.setdefault(files[file].name.rpartition("/")[2], set()).add(name)
    return {file: next(iter(own)) for file, own in found.items() if len(own) == 1}


def tests(results: Sequence[dict], of_files: Mapping[str, str], own: int) -> Section | None:
    """Return all comparisons as a table, and their differences with intervals.

    own: how many of them, the first, were made for this page.
    """
    pairs = [result for result in results if "a" in result and result.get("p") is not None
             and is_number(result.get("difference"))]
    if not results:
        return None
    made = []
    for unit in dict.fromkeys(str(result.get("unit") or result["value"]) for result in pairs):
        same = [result for result in pairs if str(result.get("unit") or result["value"]) == unit]
        marks = [Mark(_compared(result, of_files), "difference", result["difference"],
                      result.get("ci")) for result in same[:30]]
        made.append(Picture(f"differences-{unit}", f"Differences, {unit}",
                            "Each difference with its interval; where p was corrected for "
                            "several tests, so was the interval.",
                            partial(pictures.differences, marks, f"difference, {unit}"),
                            _differences(same, of_files)))
    tests_were = "1 test was" if own == 1 else f"{own} tests were"
    sentences = [f"{tests_were} made for this page: paired t tests over sources, p corrected by "
                 "Holm for several."] if own else []
    return Section("tests", "Tests", sentences, [_table(results, of_files)], made)


def _compared(result: dict, of_files: Mapping[str, str]) -> str:
    a, b, pool = in_one_part(*(of_files.get(str(result[key]), str(result[key]))
                               for key in ("a", "b")))
    value = parts.spec(str(result["value"]).removeprefix("scores."))
    return ", ".join(filter(None, (f"{a} − {b}", pool, value)))


def _differences(results: Sequence[dict], of_files: Mapping[str, str]) -> Table:
    rows = [Line([Cell(_compared(result, of_files)), number(result["difference"]),
                  interval(result.get("ci"))]) for result in results]
    return Table("Differences", ["comparison", "difference", "interval"], rows)


def _table(results: Sequence[dict], of_files: Mapping[str, str]) -> Table:
    rows = []
    for result in results:
        names = [of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")
                 if key in result] or [", ".join(map(str, result.get("groups") or
                                                     [result.get("group", "")])), ""]
        rows.append(Line([
            Cell(parts.spec(str(result["value"]).removeprefix("scores."))), *map(Cell, names),
            Cell(str(result["test"])),
            count(int(result.get("n") or 0)), _number(result, "mean_a"),
            _number(result, "mean_b"),
            _number(result, "difference")._replace(below=interval(result.get("ci")).text),
            parts.p_of(result),
            _number(result, "effect")._replace(below=str(result.get("effect_name") or ""))]))
    return Table("Tests", ["value", "a", "b", "test", "n", "mean of a", "mean of b", "difference",
                           "p", "effect"], rows)


def _number(result: dict, key: str) -> Cell:
    value = result.get(key)
    return number(value if is_number(value) else None)


def perplexity(results: Sequence[dict], rows: Sequence[Row], files: Sequence[File],
               of_files: Mapping[str, str]) -> Section | None:
    """Return the pairs of perplexities and the statistic of each category."""
    own = [result for result in results if "perplexity" in str(result.get("value"))
           and "a" in result and is_number(result.get("statistic"))]
    if not own:
        return None
    made = []
    called = [[of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")]
              for result in own]
    found = [(a, b, _pairs(result, rows, files))
             for result, (a, b) in zip(own, called, strict=True)]
    panels = [panel for panel in found if panel[2]][:MOST_PANELS]
    if panels:
        lines = [Line([Cell(a), Cell(b), count(len(points)),
                       count(sum(x > y for x, y in points))]) for a, b, points in panels]
        made.append(Picture("perplexity-pairs", "Pairs of perplexities",
                            "A dot for each pair; above the dashed line the text of the vertical "
                            "axis surprises the model more.",
                            partial(pictures.pairs, panels, "perplexity", True),
                            Table("Pairs", ["a", "b", "pairs", "a is higher"], lines)))
    name = str(own[0].get("statistic_name") or "statistic")
    marks = [Mark(f"{a} − {b}", name, result["statistic"])
             for result, (a, b) in zip(own, called, strict=True)
             if str(result.get("statistic_name") or "statistic") == name][:30]
    made.append(Picture("perplexity-statistic", f"{name} of each category",
                        f"The statistic {name} of each comparison: to the right, a surprises the "
                        "model more.", partial(pictures.statistics, marks, name),
                        Table(f"{name} of each comparison", ["comparison", name],
                              [Line([Cell(mark.row), number(mark.value)]) for mark in marks])))
    return Section("perplexity", "Perplexity", [str(result.get("verdict") or "")
                                                for result in own], [], made)


def _pairs(result: dict, rows: Sequence[Row], files: Sequence[File]) -> list[tuple[float, float]]:
    """Return the numbers of a comparison's pairs, if its files are there."""
    label = str(result["value"]).removeprefix("scores.")
    sides: list[dict] = []
    for key in ("a", "b"):
        numbers = [number for number, file in enumerate(files)
                   if file.name.rpartition("/")[2] == str(result[key]).rpartition("/")[2]]
        values: dict[Any, list[float]] = {}
        for row in rows:
            if row.file in numbers and label in row.measured:
                values.setdefault(row.id, []).append(row.measured[label])
        sides.append(values)
    a, b = sides
    return [(sum(a[id]) / len(a[id]), sum(b[id]) / len(b[id])) for id in a if id in b]


def agreement(results: Sequence[dict]) -> Section | None:
    """Return how far metrics agree with the numbers of people."""
    own = [result for result in results if "a" in result and result.get("difference") is None
           and is_number(result.get("effect")) and str(result["a"]) == str(result["value"])]
    if not own:
        return None
    made = []
    for name in dict.fromkeys(str(result["effect_name"]) for result in own):
        same = [result for result in own if str(result["effect_name"]) == name]
        several = len({str(result["b"]) for result in same}) > 1
        marks = [Mark(str(result["a"]).removeprefix("scores."),
                      str(result["b"]) if several else name, result["effect"],
                      result.get("effect_ci")) for result in same]
        marks = sorted(marks, key=lambda mark: -mark.value)[:48]
        rows = [Line([Cell(mark.row), Cell(mark.series), number(mark.value), interval(mark.ci)])
                for mark in marks]
        made.append(Picture(f"agreement-{name}", f"Agreement with people, {name}",
                            f"{name} of each metric with the ratings, and its interval; 1 is "
                            "perfect agreement, 0 none.", partial(pictures.agreement, marks, name),
                            Table("Agreement", ["metric", "with", name, "interval"], rows)))
    return Section("agreement", "Agreement of metrics with people", [], [], made)


def changes(numbers: Mapping, most: int) -> list[str]:
    """Return a sentence for each system on how much it changes, by the first metric with an S."""
    keys = [key for key in numbers if key.measure == "S"]
    if not keys:
        return []
    metric = sorted((key.metric for key in keys), key=lambda name: name == CHANGE)[0]
    own: dict[str, list] = {}
    for key in keys:
        if key.metric == metric:
            own.setdefault(key.system, []).append(key)
    return [_change(system, metric, found, numbers) for system, found in list(own.items())[:most]]


def _change(system: str, metric: str, keys: Sequence, numbers: Mapping) -> str:
    """Return how much the outputs of a system change, in each language and group."""
    shown = []
    varied = [name for name in ("lang", "group", "kind")
              if len({getattr(key, name) for key in keys}) > 1]
    for key in keys[:12]:
        estimate = numbers[key]
        where = ", ".join(filter(None, (getattr(key, name) for name in varied)))
        number = with_interval(estimate.value, estimate.ci if len(keys) < 4 else None,
                               estimate.unit)
        shown.append(f"{where} {number}".strip())
    left = f" and {len(keys) - 12} more" if len(keys) > 12 else ""
    of_langs: dict[str, int] = {}  # those of several pools are the same
    for key in keys:
        of_langs[key.lang] = max(numbers[key].n, of_langs.get(key.lang, 0))
    n = sum(of_langs.values())
    return (f"{system or 'The system'}: the outputs for one source differ in the mean by "
            f"{', '.join(shown)}{left} ({metric}, {n:,} sources).")
