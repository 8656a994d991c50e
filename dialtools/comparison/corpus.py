"""Corpus scores: what they need to be compared, and how they come of statistics that records hold."""

import inspect
from collections.abc import Callable, Sequence
from itertools import chain

from dialtools import registry
from dialtools.comparison.grouping import STATISTICS, Group
from dialtools.errors import OptionError, show
from dialtools.scoring import scorer
from dialtools.scoring.metric import Metric

SCORES = "scores."
Score = Callable[[list[float]], float]


def check(groups: Sequence[Group], test: registry.Plugin, others: bool) -> None:
    """Raise OptionError unless the corpus scores of the groups can be computed, and tested as asked.

    others: whether there are options that ask for a number of each record.
    """
    values = sorted({group.value for group in groups})
    for value in values:
        if value.startswith(STATISTICS):
            _check_adds_up(value.removeprefix(STATISTICS))
            if "score" not in inspect.signature(test.call).parameters:
                raise OptionError(f"{test.label} tests numbers; for {value} there are bootstrap, "
                                  "cluster-bootstrap, permutation")
            if len(values) > 1:
                raise OptionError(f"a corpus score is not compared with another one: {', '.join(values)}")
            if others or groups[0].per == "cluster":
                raise OptionError(f"{value} takes no --outliers, --power or --per cluster: it has no single numbers")


def _check_adds_up(spec: str) -> None:
    """Raise OptionError unless a metric has a corpus score that sums of statistics give."""
    metric = Metric(spec)
    if not metric.has_corpus:
        raise OptionError(f"{metric.label} has no statistics: of a data set it is the mean over records, "
                          "a number")
    text = "1" if metric.constant("TEXTS", "") == "numbers" else "a b c d"  # distinct4 wants four words
    example: dict[str, list] = {"prediction": [text], "reference": [[text]]}
    if not example.keys() >= set(metric.columns):
        return  # statistics of other columns are numbers
    own = scorer.of(spec, "en")
    for row in own.statistics(*own.chosen(example)):
        if not isinstance(row, dict) and not all(isinstance(value, (int, float)) for value in row):
            raise OptionError(f"{metric.label}: its statistics do not add up, so that a test cannot draw them "
                              "anew")


def mean_of(value: str) -> str:
    """Return what the scores of records at a path are, where they are not what people know by the metric's name."""
    name = value.removeprefix(SCORES).partition(":")[0]
    is_score = value.startswith(SCORES) and name in registry.names("metrics")
    return Metric(name).mean if is_score else ""


def note(value: str) -> list[str]:
    """Return [that such a score is no value of a data set, and which one is], or []."""
    mean, label = mean_of(value), value.removeprefix(SCORES)
    told = f"the mean of {value} over records is {mean}; {label.partition(':')[0]} is a value of the data set: " \
        f"dt-score --stats, then -t bootstrap --value {STATISTICS}{label}"
    return [told] if mean else []


def scored(value: str, columns: list[list]) -> tuple[list[list], Score]:
    """Return the statistics of each group as rows of numbers, and what computes the score of the sums of rows.

    Counts under names are rows with a place for each name that there is.
    """
    own = scorer.of(value.removeprefix(STATISTICS), "en")  # adding up is the same in any language
    rows = list(chain.from_iterable(columns))
    kinds = {"counts" if isinstance(row, dict) else f"{len(row)} numbers" for row in rows}
    if len(kinds) > 1:
        raise OptionError(f"{value} is not of one kind: {', '.join(sorted(kinds))}; score all with the same options")
    if rows:
        _check_first(rows[0], value, own)
    if kinds != {"counts"}:
        return columns, lambda sums: own.corpus([sums])
    names = sorted(set().union(*rows))
    return ([[[row.get(name, 0.0) for name in names] for row in column] for column in columns],
            lambda sums: own.corpus([{name: count for name, count in zip(names, sums, strict=True) if count}]))


def _check_first(row: list | dict, value: str, own: scorer.Scorer) -> None:
    try:
        own.corpus([row])
    except (IndexError, KeyError, ValueError, ZeroDivisionError):
        raise OptionError(f"{value} of the first record is {show(row)}: no statistics of that metric") from None
