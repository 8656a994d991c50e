"""What is compared with what: two streams, groups of one stream, or several values of each record."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from math import inf

from dialtools.comparison.comparisons import Design
from dialtools.comparison.groups import Group
from dialtools.evaluation import gaps
from dialtools.records import history, values
from dialtools.system.errors import OptionError, RecordError, show, show_names

MANY = 10  # groups that are compared with each other, and named before giving up
ALL = "the input"  # what all records are called, as a group
ALONE = ("one", "raters")  # what a test of one input takes


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
    arity = design.plugin.declared.takes
    (_, records), *_ = streams
    if arity == "against" and (versus is None or len(values) < 2):
        raise OptionError("give two or more --value to correlate with the ratings --versus")
    if versus is not None:
        if arity not in ("two", "against") or not design.plugin.declared.paired:
            raise OptionError(
                f"{design.plugin.label} is no test of pairs, and --versus gives two values of each "
                "record: take one that is, such as wilcoxon, or compare groups of records with --by"
            )
        of_groups, unnamed = against(records, values, versus, by, per)
        compared = [_to_compare(of_group, arity, design.baseline) for of_group in of_groups]
        return list(chain.from_iterable(compared)), unnamed
    if by is not None:
        fewest = 1 if arity in ALONE else 2
        named, unnamed = group_by(
            records,
            by,
            lambda name: [Group(name, value, per, of_corpus) for value in values],
            fewest,
            MANY,
        )
        return list(map(list, zip(*named, strict=True))), unnamed
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


def against(
    records: Iterable[dict], values: Sequence[str], versus: str, by: str | None, per: str
) -> tuple[list[list[Group]], int]:
    """Return one group for each value and one for `versus`, of all records or of each group of `by`.

    And the number of records in none.  Those of several systems may have the same ids.
    """

    def make(name: object) -> list[Group]:
        is_system = per == "system"
        return [Group(name, path, per, is_system, of_systems=True) for path in (*values, versus)]

    if by is None:
        of_groups, unnamed = [filled(make(ALL), records)], 0
    else:
        of_groups, unnamed = group_by(records, by, make)
    if len(of_groups) > MANY and all(len(one.means) < 2 for group in of_groups for one in group):
        raise OptionError(
            f"--by {by} makes {len(of_groups):,} groups of one record, and --versus compares two "
            "values of several: take a key that records share"
        )
    for *rated, ratings in of_groups:
        if same := next((group.typed for group in rated if group.path == ratings.path), None):
            raise OptionError(f"--value {same} and --versus {versus} are the same number")
    return of_groups, unnamed


def _to_compare(of_group: list[Group], arity: str, baseline: str | None) -> list[list[Group]]:
    """Return what to compare of the numbers of some records, of which the last are ratings."""
    *rated, ratings = of_group
    if arity != "against":
        return [[group, ratings] for group in rated]
    if baseline is None:
        return [[*pair, ratings] for pair in combinations(rated, 2)]
    base = next((group for group in rated if group.path == baseline), None)
    if base is None:
        raise OptionError(f"--baseline: no --value is {baseline!r}")
    return [[group, base, ratings] for group in rated if group.path != baseline]


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
    by: str,
    make: Callable[[object], list[Group]],
    fewest: int = 1,
    most: float = inf,
) -> tuple[list[list[Group]], int]:
    """Return what `make` makes of the name of each group of records, and the number without one.

    Groups are in the order of their first records; without records there are none.  Raise
    OptionError for fewer than `fewest` groups, or more than `most`.
    """
    groups: dict[tuple, list[Group]] = {}
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
                groups[key] = make(key[1])
            for group in groups[key]:
                group.add(part)
        if len(groups) > most:
            break
    if unnamed and not groups:
        raise RecordError(f'no record has "{by}"; the first has {show_names(first)}', first)
    if 0 < len(groups) < fewest or len(groups) > most:
        count = "1 group" if len(groups) < fewest else f"more than {MANY} groups"
        names = ", ".join(show(name) for _, name in groups)
        raise OptionError(
            f"a test compares 2 to {MANY} groups, but --by {by} makes {count}: {names}"
        )
    for group in chain.from_iterable(groups.values()):
        group.require_values()
    return list(groups.values()), unnamed


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
