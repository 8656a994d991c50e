"""The unit in which a metric's numbers are shown; records keep the reference package's number.

percent              of a metric from 0 to 1, whose numbers are multiplied by 100
percent of the range S, R, D and the like of a metric with other bounds, rescaled to 0–100
points               of a metric from 0 to 100, as its reference package has them
raw                  of any other metric, as its reference package has them
as given             of a number that is no metric's, such as a human rating
"""

from functools import lru_cache
from math import inf
from typing import Literal, NamedTuple

from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.plugins import registry
from dialtools.records import history
from dialtools.system.errors import OptionError, RecordError

PERCENT, POINTS, RAW, AS_GIVEN = "percent", "points", "raw", "as given"
SCORES, STATISTICS = "scores.", "statistics."
LOWER = ("S", "R", "D", "consistency", "saliency", "faithfulness")  # before a label, of a source
Bounds = tuple[float, float]
_ROUNDING = 1e-6


class Unit(NamedTuple):
    """A unit: its name, and how numbers get into it.

    factor: what a record's number is multiplied by.
    width: the largest difference of two numbers in this unit; infinite if there is none.
    """

    name: str = AS_GIVEN
    factor: float = 1.0
    width: float = inf


SHARE = Unit(PERCENT, 1.0, 100.0)  # of numbers that records have in percent already


def of(metric: ChosenMetric) -> Unit:
    """Return the unit of a metric's scores and of their mean."""
    return _bounded(bounds(metric), metric.declared.unit)


def of_corpus(metric: ChosenMetric) -> Unit:
    """Return the unit of a metric's value of a whole data set."""
    own = metric.declared.corpus.bounds if metric.declared.corpus else None
    return _bounded(own, None) if own else of(metric)


def of_changes(metric: ChosenMetric) -> str:
    """Return the name of the unit of S, R, D and the like, for which scores are rescaled."""
    low, high = bounds(metric)
    if (low, high) in ((0, 1), (0, 100)):
        return PERCENT
    return f"{PERCENT} of the range {low:g} to {high:g}"


def bounds(metric: ChosenMetric) -> Bounds:
    """Return the lowest and the highest score of a metric."""
    low, high = sorted(metric.bounds or (-inf, inf))
    return low, high


def better(metric: ChosenMetric) -> Literal["higher", "lower"] | None:
    """Return which scores are better; None where neither is."""
    worst, best = metric.declared.range or (0, 0)
    if worst != best:
        return "higher" if best > worst else "lower"
    return metric.declared.better


def _bounded(own: Bounds, name: str | None) -> Unit:
    low, high = own
    if (low, high) == (0, 1):
        return Unit(PERCENT, 100.0, 100.0)
    return Unit(name or (POINTS if (low, high) == (0, 100) else RAW), 1.0, high - low)


def of_path(path: str, record: dict | None = None) -> Unit:
    """Return the unit of the number at a path of records, such as "scores.rouge2".

    record: one of them, which tells of a metric that has a name of the user's.
    """
    label = path.removeprefix(SCORES).removeprefix(STATISTICS)
    metric = _labelled(label) or _named(label, record) if label != path else None
    if metric is None:
        return Unit()
    return of_corpus(metric) if path.startswith(STATISTICS) else of(metric)


def better_at(path: str, record: dict | None = None) -> Literal["higher", "lower"] | None:
    """Return which numbers at a path are better: of S, R, D and the like lower ones."""
    label = path.removeprefix(SCORES).removeprefix(STATISTICS)
    if label != path and label.partition(":")[0] in LOWER:
        return "lower"
    metric = _labelled(label) or _named(label, record) if label != path else None
    return better(metric) if metric else None


def has_corpus(label: str) -> bool:
    """Tell whether the metric of a label has a score of a data set that is not the mean."""
    metric = _labelled(label)
    return metric is not None and metric.has_corpus


def is_resampled(label: str) -> bool:
    """Tell whether the corpus score of a metric can be tested."""
    metric = _labelled(label)
    return metric is not None and metric.is_resampled


@lru_cache(maxsize=256)
def _labelled(label: str) -> ChosenMetric | None:
    """Return the metric of a label; None if no metric has it, or it is of a user's function."""
    if label.partition(":")[0] not in registry.names("metrics"):
        return None
    try:
        return ChosenMetric(label)
    except OptionError:
        return None


def _named(label: str, record: dict | None) -> ChosenMetric | None:
    """Return the program (exec) that a label names; its signature in a record says the range."""
    for entry in (record or {}).get("history") or ():
        signatures = entry.get("signature")
        signature = signatures.get(label, "") if isinstance(signatures, dict) else ""
        if signature.startswith("exec|"):
            known = history.parts(signature)
            options = [f"{key}={known[key]}" for key in ("range", "better") if key in known]
            return ChosenMetric(f"exec:{','.join([*options, 'true'])}")
    return None


def require_possible(label: str, number: float) -> None:
    """Raise OptionError for a number that no score of a metric can have in a record."""
    metric = _labelled(label)
    low, high = bounds(metric) if metric else (-inf, inf)
    if abs(number) > max(abs(low), abs(high)):
        raise OptionError(
            f"{label} is a number from {low:g} to {high:g} in records, which is never {number:g}"
        )


def require_share(value: float | None, label: str, record: dict | None = None) -> None:
    """Raise RecordError for a score that is above 1, though its metric says 0 to 1."""
    if value is not None and value > 1 + _ROUNDING:
        raise RecordError(
            f"{label} is {value:.6g}, but in records it is a number from 0 to 1, and no percentage",
            record,
        )
