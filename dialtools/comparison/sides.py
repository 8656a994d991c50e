"""What is compared with what: two streams, groups of one stream, or several values of each record."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from dialtools.comparison import comparisons, groups
from dialtools.comparison.comparisons import Design
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError

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
) -> tuple[list[list[groups.Group]], int]:
    """Return the groups of each value, and the number of records in none.

    streams: one or two, with their names.
    by, versus, per: as in dt-ttest.
    of_corpus: a value that is a metric's label stands for its corpus score, if it has one.
    """
    arity = comparisons.arity(design.test)
    (_, records), *_ = streams
    if by is not None:
        fewest = 1 if arity in ALONE else 2
        return groups.group_by(records, values, by, per, fewest, of_corpus)
    if arity == "against":
        if versus is None or len(values) < 2:
            raise OptionError("give two or more --value to correlate with the ratings --versus")
        *rated, ratings = groups.group_all(records, [*values, versus], "the input", per)
        return [[*pair, ratings] for pair in _pairs(rated, design.baseline)], 0
    if versus is not None:
        *firsts, second = groups.group_all(records, [*values, versus], "the input", per)
        return [[first, second] for first in firsts], 0
    by_stream = [
        groups.group_all(records, values, name, per, of_corpus) for name, records in streams
    ]
    return list(map(list, zip(*by_stream, strict=True))), 0


def _pairs(rated: list[groups.Group], baseline: str | None) -> list[tuple]:
    """Return all pairs of values, or each other value with the baseline."""
    if baseline is None:
        return list(combinations(rated, 2))
    base = [group for group in rated if group.path == baseline]
    if not base:
        raise OptionError(f"--baseline: no --value is {baseline!r}")
    return [(group, base[0]) for group in rated if group.path != baseline]
