"""Corpus scores computed from the statistics in records, for tests that resample them."""

import inspect
from collections.abc import Callable, Sequence
from itertools import chain

from dialtools.comparison.groups import Group
from dialtools.evaluation import scorer, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, show

TEST = "bootstrap"  # if none is named
Score = Callable[[list[float]], float]


def check_testable(groups: Sequence[Group], test: registry.Plugin, needs_numbers: bool) -> None:
    """Raise OptionError if corpus scores of the groups cannot be computed, or not be tested so.

    needs_numbers: whether an option needs a number of each record.
    """
    values = sorted({group.path for group in groups})
    for value in values:
        if not value.startswith(units.STATISTICS):
            continue
        metric = ChosenMetric(value.removeprefix(units.STATISTICS))
        if not metric.has_corpus:
            raise OptionError(
                f"{metric.label} has no statistics: its score of a data set is the mean over "
                "records"
            )
        is_a_number = groups[0].per == "system"  # the score of each system
        if not is_a_number and not metric.is_resampled:
            raise OptionError(
                f"{metric.label} cannot be resampled: samples repeat texts, which makes it "
                "another value"
            )
        if not is_a_number and not are_tested_by(test):
            raise OptionError(
                f"{test.label} tests numbers; for {value} use bootstrap, "
                "cluster-bootstrap or permutation, or test the sentence scores, "
                f"{units.SCORES}{value.removeprefix(units.STATISTICS)}"
            )
        if not is_a_number and len(values) > 1:
            raise OptionError(f"a corpus score has no second value: {', '.join(values)}")
        if needs_numbers or groups[0].per == "cluster":
            raise OptionError(
                f"--outliers, --power and --per cluster need numbers of records, "
                f"which {value} has not"
            )


def are_tested_by(test: registry.Plugin) -> bool:
    """Tell whether a test can compute a corpus score of the records that it draws."""
    return "score" in inspect.signature(test.call).parameters


def mean_of(path: str) -> str:
    """Return what the mean of a record score is called where it is not the metric; "" elsewhere."""
    name = path.removeprefix(units.SCORES).partition(":")[0]
    is_score = path.startswith(units.SCORES) and name in registry.names("metrics")
    return ChosenMetric(name).mean if is_score else ""


def of_sums(path: str, sums: list) -> list[float]:
    """Return the corpus score of each sum of statistics."""
    (rows,), score = as_rows(path, [sums])
    return list(map(score, rows))


def as_rows(path: str, columns: list[list], factor: float = 1.0) -> tuple[list[list], Score]:
    """Return the statistics of each group as rows of numbers, and the function that scores sums.

    Counts under names become rows with a place for each name.
    factor: what scores are multiplied by for people.
    """
    metric = scorer.of(path.removeprefix(units.STATISTICS), "en")  # the language does not matter
    rows = list(chain.from_iterable(columns))
    kinds = {"counts" if isinstance(row, dict) else f"{len(row)} numbers" for row in rows}
    if len(kinds) > 1:
        raise OptionError(
            f"{path} differs in kind ({', '.join(sorted(kinds))}): "
            "score all records with the same options"
        )
    if rows:
        try:
            metric.corpus([rows[0]])
        except (IndexError, KeyError, ValueError, ZeroDivisionError):
            raise OptionError(
                f"{path} of the first record is {show(rows[0])}, "
                "which are no statistics of this metric"
            ) from None
    if kinds != {"counts"}:
        return columns, lambda sums: factor * metric.corpus([sums])
    names = sorted(set().union(*rows))

    def score(sums: list[float]) -> float:
        return factor * metric.corpus([{name: n for name, n in zip(names, sums, strict=True) if n}])

    return [[[row.get(name, 0.0) for name in names] for row in column] for column in columns], score
