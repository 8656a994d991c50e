"""What is compared with what: two streams, groups of one stream, or several values of each record."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations

from dialtools.comparison import comparisons
from dialtools.comparison.comparisons import Design
from dialtools.comparison.groups import Group
from dialtools.evaluation import gaps
from dialtools.plugins import registry
from dialtools.records import history, values
from dialtools.system.errors import OptionError, RecordError, show, show_names

MANY = 10  # groups that are named before giving up
ALONE = ("one", "raters")  # what a test of one input takes


def joins(test: str | Callable | None) -> bool:
    """Return whether a test compares pairs, so that the records of two streams are joined by id."""
    return registry.load("hypothesis_tests", test or comparisons.TEST).declared.paired


def require_id(key: str) -> None:
    """Raise RecordError if a record lacks its id: numbered ids would join the files by line."""
    if key == "id":
        raise RecordError('no "id" to join the files by')


def grouped(
    streams: Sequence[tuple[str, Iterable[dict]]],
    values: Sequence[str],
    by: str | None,
    versus: str | None,
    per: str,
    design: Design,
    of_corpus: bool,
) -> tuple[list[list[Group]], int]:
    """Return the groups of each value, and the number of records in none.

    streams: one or two, with their names; those of one system each are called after it.
    by, versus, per: as in dt-ttest.
    of_corpus: a value that is a metric's label stands for its corpus score, if it has one.
    """
    arity = comparisons.arity(design.test)
    (_, records), *_ = streams
    if by is not None:
        fewest = 1 if arity in ALONE else 2
        return group_by(records, values, by, per, fewest, of_corpus)
    if arity == "against":
        if versus is None or len(values) < 2:
            raise OptionError("give two or more --value to correlate with the ratings --versus")
        *rated, ratings = against(records, values, versus, per)
        if design.baseline is None:
            return [[*pair, ratings] for pair in combinations(rated, 2)], 0
        base = next((group for group in rated if group.path == design.baseline), None)
        if base is None:
            raise OptionError(f"--baseline: no --value is {design.baseline!r}")
        return [[group, base, ratings] for group in rated if group.path != design.baseline], 0
    if versus is not None:
        *firsts, second = against(records, values, versus, per)
        return [[first, second] for first in firsts], 0
    by_stream = [
        filled([Group(name, value, per, of_corpus) for value in values], records)
        for name, records in streams
    ]
    systems = [system for one, *_ in by_stream for system in one.systems]
    if all(systems) and len(systems) == len(set(systems)) == len(streams):  # one and another
        for system, of_stream in zip(systems, by_stream, strict=True):
            for group in of_stream:
                group.name = system
    return list(map(list, zip(*by_stream, strict=True))), 0


def against(records: Iterable[dict], values: Sequence[str], versus: str, per: str) -> list[Group]:
    """Return all records as one group for each value, and one for `versus`.

    Those of several systems may have the same ids.
    """
    groups = [
        Group("the input", value, per, of_corpus=per == "system", of_systems=True)
        for value in (*values, versus)
    ]
    return filled(groups, records)


def filled(groups: list[Group], records: Iterable[dict]) -> list[Group]:
    """Return the groups with all records in each."""
    for siblings in history.groups(records):
        for group in groups:
            group.add(siblings)
    for group in groups:
        group.require_values()
    return groups


def group_by(
    records: Iterable[dict],
    values: Sequence[str],
    by: str,
    per: str,
    fewest: int,
    of_corpus: bool = False,
) -> tuple[list[list[Group]], int]:
    """Return for each value the groups that records name under `by`, and the number without one.

    Groups are in the order of their first records; without records there are none.  Raise
    OptionError for fewer than `fewest` groups, or more than MANY.
    """
    groups: dict[tuple, list[Group]] = {}  # of each name, one for each value
    first: dict = {}
    unnamed = 0
    for siblings in history.groups(records):
        first = first or siblings[0]
        parts: dict[tuple, list[dict]] = {}
        for record in siblings:
            name = group_name(record, by)
            unnamed += name is None
            if name is not None:  # without the type 1, 1.0 and True would be one key
                parts.setdefault((type(name), name), []).append(record)
        for key, part in parts.items():
            if key not in groups:
                groups[key] = [Group(key[1], value, per, of_corpus) for value in values]
            for group in groups[key]:
                group.add(part)
        if len(groups) > MANY:
            break
    if unnamed and not groups:
        raise RecordError(f'no record has "{by}"; the first has {show_names(first)}', first)
    if 0 < len(groups) < fewest or len(groups) > MANY:
        count = f"more than {MANY} groups" if len(groups) > MANY else "1 group"
        names = ", ".join(show(name) for _, name in groups)
        raise OptionError(
            f"a test compares 2 to {MANY} groups, but --by {by} makes {count}: {names}"
        )
    for group in chain.from_iterable(groups.values()):
        group.require_values()
    return list(map(list, zip(*groups.values(), strict=True))), unnamed


def group_name(record: dict, by: str) -> str | int | float | None:
    """Return the group of a record, as `gaps.group` does; one without a variant is an original."""
    name, lacking = values.at(record, by)
    if lacking is not None:
        return "original" if by == "variant" else gaps.group(record, by)
    if not isinstance(name, (str, int, float, type(None))):
        raise RecordError(f'"{by}" must name a group, not {show(name)}', record)
    if name == "":  # of a table, where an empty cell names no group
        return None
    return history.typed(str(name)) if by == "variant" and name is not None else name
