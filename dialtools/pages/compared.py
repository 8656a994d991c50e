"""The section on tests: which system changes more, and whether that is more than chance."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from dialtools.comparison import comparisons, verdicts
from dialtools.comparison.groups import Group
from dialtools.errors import DialtoolsError
from dialtools.pages import estimates, parts, pictures, variations
from dialtools.pages.drawing import Mark
from dialtools.pages.inputs import File
from dialtools.pages.material import CHANGE, Row
from dialtools.pages.parts import (
    Cell, Line, Picture, Section, Table, Verdict, count, interval, number, with_interval)
from dialtools.records.wellformed import is_number

MOST_SYSTEMS = 5  # that are tested against each other here
MOST_METRICS = 4  # of records that are tested
MOST_TESTED = 40  # kinds, pools and metrics in which systems are tested
MOST_DIFFERENCES = 30  # in a picture
_LABELS = ("S:", "consistency:")
# what a test says of the system with the higher numbers, and what without a certain difference
_CLAIMS = {
    "S": ("{a} is more sensitive{to} than {b}, by {metric}",
          "it is not certain which of {a} and {b} is more sensitive{to}, by {metric}"),
    "consistency": ("{a} changes its outputs more than {b}, by {metric}",
                    "it is not certain which of {a} and {b} changes its outputs more, by {metric}"),
    "saliency": ("the score of {a} against the reference changes more than that of {b}, by "
                 "{metric}",
                 "it is not certain whose score against the reference changes more, that of {a} or "
                 "of {b}, by {metric}"),
    "faithfulness": ("the score of {a} against the input changes more than that of {b}, by "
                     "{metric}",
                     "it is not certain whose score against the input changes more, that of {a} or "
                     "of {b}, by {metric}"),
    "perplexity": ("the texts of {a} surprise the model more than those of {b}",
                   "it is not certain which texts surprise the model more, those of {a} or of {b}")}
_CLAIMS[CHANGE] = _CLAIMS["S"]
Names = Mapping[tuple[int, str], str]


class _Value(NamedTuple):
    """What is tested: rows of a label; the pool and the kind of their variants.

    varied: the kinds of variants in the files of the rows.
    """

    rows: Sequence[Row]
    label: str
    systems: Sequence[str]
    pool: str = ""
    kind: str = ""
    varied: Sequence[str] = ()


def tested(rows: Sequence[Row], names: Names, given: Collection[str],
           varied: Mapping[int, Sequence[str]]) -> tuple[list[dict], str]:
    """Return paired tests of S, or of consistency, and a sentence on what was not done.

    given: the values that were tested already.
    varied: the kinds of variants in each file.

    Where nobody measured these, the change of outputs and the scores of records are tested.  Pairs
    are sources; those of several languages go together.  Of several pools the mean is tested, and
    then each pool; kinds of perturbation are tested by themselves.  p is corrected by Holm among
    the tests of means, and among those of pools.
    """
    labels = [label for label in _labels(rows) if f"scores.{label}" not in given]
    counted = estimates.counted(rows)
    whole, of_pools = [], []
    for label in labels:
        own = [row for row in counted if label in row.measured]
        for kind in dict.fromkeys(map(_kind, own)):
            of_kind = [row for row in own if _kind(row) == kind]
            pools = list(dict.fromkeys(row.group for row in of_kind))
            whole.append(_value(_in_all(of_kind, names), label, names, kind=kind,
                                pool="" if len(pools) > 1 else pools[0]))
            if len(pools) > 1:
                of_pools += [_value([row for row in of_kind if row.group == pool], label, names,
                                    pool, kind) for pool in pools]
    records = {label for row in counted for label in row.measured if label != CHANGE}
    remark = f"Of {len(records):,} metrics of records the first {MOST_METRICS} are tested here." \
        if len(records) > MOST_METRICS and not any(one.startswith(_LABELS) for one in records) \
        else ""
    families = [[value._replace(varied=_varied(value, varied)) for value in values
                 if len(value.systems) > 1]
                for values in (whole, of_pools)]
    if many := _too_many([value for values in families for value in values]):
        return [], many
    try:
        return [result for values in families if values
                for result in _compared(values, names)], remark if any(families) else ""
    except DialtoolsError as error:
        return [], f"The systems could not be tested against each other: {error}."


def _varied(value: _Value, of_files: Mapping[int, Sequence[str]]) -> list[str]:
    """Return the kinds of variants whose outputs a value compares."""
    files = dict.fromkeys(row.file for row in value.rows)
    return variations.parts(value.kind) or \
        list(dict.fromkeys(kind for file in files for kind in of_files[file]))


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the labels of what is tested: of sources, else of our own change and of records."""
    labels = dict.fromkeys(label for row in rows for label in row.measured)
    of_sources = [label for label in labels if label.startswith(_LABELS)]
    of_records = [label for label in labels if label != CHANGE][:MOST_METRICS]
    return of_sources or [label for label in labels if label == CHANGE] + of_records


def _kind(row: Row) -> str:
    return row.kind if row.is_source else ""


def _in_all(rows: Sequence[Row], names: Names) -> list[Row]:
    """Return the rows of several pools that all systems have: else pools would make a difference.
    """
    systems = {names[row.file, row.system] for row in rows}
    if len({row.group for row in rows}) < 2:
        return list(rows)
    held = Counter({(row.lang, row.id, row.group, names[row.file, row.system]) for row in rows})
    there = Counter(key[:3] for key in held)
    return [row._replace(variant=f"{row.group}/{row.variant}") for row in rows
            if there[row.lang, row.id, row.group] == len(systems)]


def _value(rows: Sequence[Row], label: str, names: Names, pool: str = "",
           kind: str = "") -> _Value:
    """Return what is tested, with the systems, those with the highest numbers first."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(names[row.file, row.system], []).append(row.measured[label])
    systems = sorted(values, key=lambda name: -sum(values[name]) / len(values[name]))
    return _Value(rows, label, systems, pool, kind)


def _too_many(values: Sequence[_Value]) -> str:
    most = max((len(value.systems) for value in values), default=0)
    if most <= MOST_SYSTEMS and len(values) <= MOST_TESTED:
        return ""
    what = f"{most:,} systems" if most > MOST_SYSTEMS else f"{len(values):,} kinds and metrics"
    return f"{what} are too many to be tested here: see dt-ttest --baseline."


def _compared(values: Sequence[_Value], names: Names) -> list[dict]:
    """Return tests that are corrected together, each with its pool and kind."""
    made = comparisons.compare([_groups(value, names) for value in values],
                               comparisons.Design("paired"))
    whose = [value for value in values for _ in combinations(value.systems, 2)]
    return [result | {"pool": value.pool, "kind": value.kind, "varied": value.varied,
                      "affected": _counted(value, names)}
            for value, result in zip(whose, made, strict=True)]


def _counted(value: _Value, names: Names) -> dict[str, tuple[int, int]]:
    """Return in how many sources the outputs of each system change, and of how many; {} of scores.
    """
    if not value.label.startswith((*_LABELS, CHANGE)):
        return {}
    changed: dict[str, dict[tuple, bool]] = {}
    for row in value.rows:
        own = changed.setdefault(names[row.file, row.system], {})
        own[row.lang, row.id] = own.get((row.lang, row.id), False) or row.measured[value.label] > 0
    return {name: (sum(own.values()), len(own)) for name, own in changed.items()}


def _groups(value: _Value, names: Names) -> list[Group]:
    """Return a group of numbers for each system, and in it an id for each source."""
    found = {name: Group(name, f"scores.{value.label}") for name in value.systems}
    held: dict[tuple[str, str], list[dict]] = {}
    for row in value.rows:
        id = f"{row.lang}/{row.id}"
        unit = {"unit": "percent"} if row.is_source else {}
        cluster = {"cluster": f"{row.lang}/{row.cluster}"} if row.cluster != row.id else {}
        held.setdefault((names[row.file, row.system], id), []).append(
            {"id": id, **cluster, "variant": row.variant or None, **unit,
             "scores": {value.label: row.measured[value.label]}})
    for (name, _), records in held.items():
        found[name].add(records)
    return list(found.values())


def told(results: Sequence[dict], names: Mapping[str, str]) -> list[Verdict]:
    """Return what comparisons say; those of several pools are one verdict for two systems.

    names: {name of a file: the system in it}.
    """
    said: list[Verdict] = []
    pools: dict[tuple, list[dict]] = {}
    for result in results:
        whole = any(other.get("pool") == "" and _same(result, other) for other in results)
        if result.get("pool") and whole and _is_tested(result):
            pools.setdefault(_apart(result), []).append(result)
    for result in results:
        own = pools.get(_apart(result), [])
        if result not in own:
            said.append(verdict(result, names))
            if own and result.get("pool") == "":
                said.append(_of_pools(own, names))
    return said


def _apart(result: dict) -> tuple:
    """Return what a test is of, but the pool; the systems in their order."""
    pair = sorted((str(result.get("a")), str(result.get("b"))))
    return (*pair, result.get("value"), result.get("kind"))


def _same(one: dict, other: dict) -> bool:
    return _apart(one) == _apart(other)


def _of_pools(results: Sequence[dict], names: Mapping[str, str]) -> Verdict:
    """Return in which pools two systems differ, with the test of each."""
    ways: dict[str, list[dict]] = {}
    for result in results:
        way = _claim(result, names) if verdicts.is_significant(result) else \
            "it is not certain which"
        ways.setdefault(way, []).append(result)
    if len(ways) == 1:
        every = "either pool" if len(results) == 2 else "each pool"
        claim = f"with {every} alone, {next(iter(ways))}"
    else:
        claim = "; ".join(f"with names of {_listed(own)} alone, {way}"
                          for way, own in ways.items())
    sizes = ", ".join(f"{result['pool']} {parts.shown(abs(result['difference']))} "
                      f"({verdicts.p_is(result.get('p_adjusted', result['p']))})"
                      for result in results)
    after = f"; p after {str(results[0]['correction']).title()}" \
        if "p_adjusted" in results[0] else ""
    return Verdict(f"{claim[0].upper()}{claim[1:]}.",
                   f"Differences in {_measure(results[0])[0]}: {sizes}{after}.")


def _listed(results: Sequence[dict]) -> str:
    *first, last = (str(result["pool"]) for result in results)
    return f"{', '.join(first)} and {last}" if first else last


def _is_tested(result: dict) -> bool:
    """Is a result a test of how much systems change?"""
    measure = _measure(result)[0]
    return (measure in _CLAIMS and "margin" not in result
            and all(is_number(result.get(key)) for key in ("p", "difference", "mean_a", "mean_b"))
            and not verdicts.disagrees(result, bool(verdicts.is_significant(result))))


def _is_equal(result: dict) -> bool:
    """Is a result a comparison of systems whose sources have equal numbers, which needs no test?"""
    return (_measure(result)[0] in _CLAIMS and result.get("p") is None
            and result.get("mean_a") is not None and result.get("mean_a") == result.get("mean_b")
            and "no variance" in str(result.get("reason")))


def _measure(result: dict) -> tuple[str, str]:
    """Return the measure of a test, and the metric."""
    measure, _, metric = str(result.get("value") or "").removeprefix("scores.").partition(":")
    return measure, metric or "characters"


def verdict(result: dict, names: Mapping[str, str]) -> Verdict:
    """Return what a comparison says; of two sensitivities, which system is more sensitive."""
    certain = verdicts.is_significant(result)
    if _is_equal(result):
        a, b = _systems(result, names)
        claim = f"{a} and {b} do not differ in any source, by {_measure(result)[1]}"
        return Verdict(_sentence(_where(result), claim), f"{_means(result, names)}.")
    if not _is_tested(result):
        claim, numbers = _given(result, names)
        return Verdict(_sentence(_where(result), claim), numbers, certain)
    equal = "" if certain else " This does not show that they are equal."
    return Verdict(_sentence(_where(result), _claim(result, names)),
                   f"{_numbers(result, names)}.{_affected(result, names)}{equal}", certain)


def _given(result: dict, names: Mapping[str, str]) -> tuple[str, str]:
    """Return the claim of the verdict that a result has, and its numbers."""
    text = _shortened(str(result.get("verdict") or ""), result, names)
    claim, colon, numbers = text.rpartition(": ")
    if not numbers.startswith(("difference ", f"{result.get('effect_name')} ")):
        claim, numbers = text, ""
    claim = claim.rstrip(".")
    return re.sub("^(No|Undecided) ", lambda first: first[0].lower(), claim), numbers


def _sentence(where: str, claim: str) -> str:
    """Return a claim as a sentence; a name that it begins with stays as it is.

    >>> _sentence("after typo.case", "no test of a and b"), _sentence("", "it is not certain")
    ('After typo.case, no test of a and b.', 'It is not certain.')
    """
    said = f"{where}, {claim}." if where else f"{claim}."
    is_name = not where and not re.match("(it|the|no|undecided) ", said)
    return said if is_name else f"{said[0].upper()}{said[1:]}"


def _shortened(text: str, result: dict, names: Mapping[str, str]) -> str:
    """Return a verdict with systems for files, without the folders of models, with true minuses."""
    value = str(result.get("value") or "")
    text = text.replace(value, parts.spec(value.removeprefix("scores.")))
    for key in ("a", "b"):
        if str(result.get(key)) in names:
            text = text.replace(str(result[key]), names[str(result[key])])
    return re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)


def _where(result: dict) -> str:
    """Return the pool and the kind of variants that a test of ours is of."""
    pool = result.get("pool")
    kind = "" if _measure(result)[0] in ("S", CHANGE) else result.get("kind")
    return " ".join([*([f"with names of {pool}"] if pool else []),
                     *([f"after {kind}"] if kind else [])])


def _systems(result: dict, names: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of two systems, that with the higher number first."""
    a, b = (names.get(str(result[key]), str(result[key])) for key in ("a", "b"))
    return (b, a) if result["difference"] < 0 else (a, b)


def _claim(result: dict, names: Mapping[str, str]) -> str:
    """Return which system changes more, or that this is not certain."""
    a, b = _systems(result, names)
    measure, metric = _measure(result)
    certain, uncertain = _CLAIMS[measure]
    varied = variations.named(variations.of_result(result))
    text = certain if verdicts.is_significant(result) else uncertain
    return text.format(a=a, b=b, metric=metric, to=f" to {varied}" if varied else "")


def _affected(result: dict, names: Mapping[str, str]) -> str:
    """Return in how many sources the outputs of two systems change, where that was counted."""
    counts = result.get("affected")
    if not counts:
        return ""
    (a, (first, all_of_a)), (b, (second, all_of_b)) = (
        (name, counts[name]) for name in _systems(result, names))
    of_b = "" if all_of_a == all_of_b else f" of {all_of_b:,}"
    return (f" The outputs of {a} change in {first:,} of {all_of_a:,} sources, those of {b} in "
            f"{f'{second:,}{of_b}' if second else 'none'}.")


def _numbers(result: dict, names: Mapping[str, str]) -> str:
    """Return the numbers of a test, the higher one first."""
    difference, ci = abs(result["difference"]), result.get("ci")
    if ci and result["difference"] < 0:
        ci = [-ci[1], -ci[0]]
    after = f" after {str(result['correction']).title()}" if "p_adjusted" in result else ""
    level = result.get("ci_level") or result["level"]
    tests = f", as one of {result['family']} tests" if level != result["level"] else ""
    interval_of = with_interval(difference, ci, level=level, why=tests)
    return (f"{_means(result, names)}, difference {interval_of}, "
            f"{verdicts.p_is(result.get('p_adjusted', result['p']))}{after}, "
            f"{result['n']:,} {'sources' if result.get('unit') == 'percent' else 'pairs'}")


def _means(result: dict, names: Mapping[str, str]) -> str:
    """Return what two systems have, the higher number first."""
    percent = " %" if result.get("unit") == "percent" else ""
    higher, lower = (f"{parts.shown(mean)}{percent}" for mean in sorted(
        (result["mean_a"], result["mean_b"]), reverse=True))
    measure = _measure(result)[0]
    if measure == "consistency":
        a, b = _systems(result, names)
        return f"{a} changes its outputs by {higher}, {b} by {lower}"
    worse = ", larger is worse" if measure in ("saliency", "faithfulness") else ""
    return f"{measure} {higher} against {lower}{worse}"


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
        made.append(_differences(same, unit, of_files))
    tests_were = "1 test was" if own == 1 else f"{own} tests were"
    sentences = [f"{tests_were} made for this page: paired t tests over sources, p corrected by "
                 "Holm for several."] if own else []
    levels = sorted({result.get("ci_level") or result["level"] for result in pairs})
    if len(levels) > 1:
        sentences.append(
            f"Intervals are at {100 * levels[0]:.4g} %; one of several tests has a wider one, at "
            f"up to {100 * levels[-1]:.4g} %, so that it excludes 0 just where the corrected p is "
            "small enough.")
    return Section("tests", "Tests", sentences, [_table(results, of_files)], made)


def _differences(results: Sequence[dict], unit: str, of_files: Mapping[str, str]) -> Picture:
    """Return the differences of comparisons as a picture; a row says what not all have alike."""
    said = [[f"{a} − {b}", _pool(result, results), f"{result.get('kind') or ''}",
             parts.spec(str(result["value"]).removeprefix("scores."))]
            for result in results
            for a, b in [[of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")]]]
    alike = [len({row[at] for row in said}) == 1 for at in range(4)]
    rows = [" · ".join(part for part, same in zip(row, alike, strict=True) if part and not same)
            for row in said] if not all(alike) else [said[0][0]] * len(said)
    of_all = ", ".join(part for part, same in zip(said[0], alike, strict=True) if part and same)
    marks = [Mark(row, "difference", result["difference"], result.get("ci"))
             for row, result in zip(rows, results, strict=True)]
    _, left = parts.first(marks, MOST_DIFFERENCES, "comparisons")
    in_unit = "" if unit in ("raw", "as given") else f", {unit}"
    title = f"Differences{in_unit}" + (f": {of_all}" if of_all else "")
    table = Table("Differences", ["comparison", "difference", "interval"],
                  [Line([Cell(mark.row), number(mark.value), interval(mark.ci)])
                   for mark in marks])
    return Picture(f"differences-{unit}", title,
                   "Each difference with its interval; where p was corrected for several tests, so "
                   f"was the interval.{left}",
                   partial(pictures.differences, marks[:MOST_DIFFERENCES], f"difference{in_unit}"),
                   table)


def _pool(result: dict, results: Sequence[dict]) -> str:
    """Return the pool of a test; "all pools" of one beside tests of single pools."""
    is_whole = result.get("pool") == "" and any(other.get("pool") for other in results)
    return "all pools" if is_whole else str(result.get("pool") or "")


def _table(results: Sequence[dict], of_files: Mapping[str, str]) -> Table:
    more = [key for key in ("pool", "kind") if any(result.get(key) for result in results)]
    rows = []
    for result in results:
        names = [of_files.get(str(result[key]), str(result[key])) for key in ("a", "b")
                 if key in result] or [", ".join(map(str, result.get("groups") or
                                                     [result.get("group", "")])), ""]
        rows.append(Line([
            *map(Cell, names), Cell(parts.spec(str(result["value"]).removeprefix("scores."))),
            *(Cell(_pool(result, results) if key == "pool" else str(result.get(key) or ""))
              for key in more),
            _number(result, "mean_a"), _number(result, "mean_b"),
            _number(result, "difference")._replace(below=interval(result.get("ci")).text),
            parts.p_of(result),
            _number(result, "effect")._replace(below=str(result.get("effect_name") or "")),
            count(int(result.get("n") or 0)), Cell(str(result["test"]))],
            kind=str(result.get("kind") or "")))
    return Table("Tests; below a difference, its interval",
                 ["a", "b", "value", *more, "mean of a", "mean of b", "difference", "p",
                  "effect", "n", "test"], rows)


def _number(result: dict, key: str) -> Cell:
    value = result.get(key)
    return number(value if is_number(value) else None)


def changes(numbers: Mapping, most: int, varied: str) -> list[Verdict]:
    """Return how much each system changes, by the first metric with an S; varied: after what."""
    keys = [key for key in numbers if key.measure == "S"]
    if not keys:
        return []
    metric = sorted((key.metric for key in keys), key=lambda name: name == CHANGE)[0]
    own: dict[str, list] = {}
    for key in keys:
        if key.metric == metric:
            own.setdefault(key.system, []).append(key)
    said = [_change(system, metric, _of_groups(found), numbers, varied)
            for system, found in list(own.items())[:most]]
    more = len(own) - most
    return said + ([Verdict(f"{more:,} more systems are in the table of results.")]
                   if more > 0 else [])


def _of_groups(keys: Sequence) -> list:
    """Return the keys of groups, without those of all groups together, where there are both."""
    grouped = {key.lang for key in keys if key.group}
    return [key for key in keys if key.group or key.lang not in grouped]


def _change(system: str, metric: str, keys: Sequence, numbers: Mapping, after: str) -> Verdict:
    """Return how much the outputs of a system change; of many languages and groups the ends."""
    varied = [name for name in ("lang", "group", "kind")
              if len({getattr(key, name) for key in keys}) > 1]
    ordered = sorted(keys, key=lambda key: -numbers[key].value)
    shown = [_estimate(key, varied, numbers) for key in ordered]
    if not numbers[ordered[0]].value:
        said = "never differ"
    elif len(shown) == 1:
        said = f"differ by {shown[0]} in the mean"
    else:
        said = f"differ most for {shown[0]}, and least for {shown[-1]}"
    of_langs: dict[str, int] = {}  # those of several pools are the same
    for key in keys:
        of_langs[key.lang] = max(numbers[key].n, of_langs.get(key.lang, 0))
    when = f"after changes of {after}, " if after else ""
    return Verdict(f"{system or 'The system'}: {when}the outputs for one source {said}.",
                   f"{metric}, {sum(of_langs.values()):,} sources.")


def _estimate(key: Any, varied: Sequence[str], numbers: Mapping) -> str:
    where = ", ".join(filter(None, (getattr(key, name) for name in varied)))
    estimate = numbers[key]
    number = with_interval(estimate.value, estimate.ci, estimate.unit)
    return f"{where}, {number}" if where else number
