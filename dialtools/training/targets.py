"""What a scorer learns of a record: a label, several labels at once, or a number."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dialtools.models.folders import LARGEST
from dialtools.models.scorers import Task
from dialtools.records import values
from dialtools.system.errors import OptionError, RecordError, need, show

MOST = 1000  # labels; more are no classes


class Targets(NamedTuple):
    """What the targets of all records are."""

    task: Task
    labels: list[str]  # in order; [] for numbers
    range: list[float]  # lowest and highest number; [0, 1] for labels
    path: str


def value(record: dict, path: str, task: Task | None = None) -> Any:
    """Return the target of a record. Raise RecordError where there is none.

    A text such as "4.5", as cells of tables are, is its number, unless the task is labels.
    """
    found, lacking = values.at(record, path)
    if lacking is not None or found is None:
        raise RecordError(f'no target under "{path}"', record)
    if isinstance(found, str) and task in (None, "number"):
        number = values.number_of(found)
        found = found if number is None else number
    if isinstance(found, (int, float)):
        if abs(found) <= LARGEST:  # a NaN is not
            return found
        raise RecordError(f'"{path}" is no finite number: {show(found)}', record)
    texts = found if isinstance(found, list) else [found]
    if not all(isinstance(text, (str, bool)) and str(text).strip() for text in texts):
        raise RecordError(
            f'"{path}" must be a label, a list of labels or a number, not {show(found)}', record
        )
    return found


def task_of(values: Sequence[Any], path: str, asked: Task | None) -> Task:
    """Return what targets are: a list is several labels, a number one, all else a label."""
    kinds = {_kind(value) for value in values}
    if asked == "label" and "labels" not in kinds or asked == "labels":
        return asked
    if len(kinds) > 1:
        first = {_kind(value): value for value in reversed(values)}
        examples = sorted(f"{_said(kind)} ({show(value)})" for kind, value in first.items())
        raise OptionError(
            f'"{path}" is {" in some records, ".join(examples)} in others: leave these out, '
            "or --task label learns all as labels"
        )
    [kind] = kinds
    if asked and asked != kind:
        raise OptionError(f'--task {asked}: "{path}" is {_said(kind)}')
    return kind


def _kind(value: Any) -> Task:
    if isinstance(value, list):
        return "labels"
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else "label"


def _said(kind: str) -> str:
    return {"label": "a label", "labels": "a list of labels", "number": "a number"}[kind]


def labels_of(value: Any) -> list[str]:
    """Return the labels of a target, as texts with single spaces."""
    found = value if isinstance(value, list) else [value]
    return [
        str(one).lower()
        if isinstance(one, bool)
        else f"{one:g}"
        if isinstance(one, float)
        else " ".join(str(one).split())
        for one in found
    ]


def learned(values: Sequence[Any], path: str, asked: Task | None) -> Targets:
    """Return what the targets of the training data are. Raise OptionError for constant ones."""
    task = task_of(values, path, asked)
    if task == "number":
        low, high = min(values), max(values)
        if low == high:
            raise OptionError(f'all "{path}" are {low:g}: there is nothing to learn from them')
        return Targets(task, [], [float(low), float(high)], path)
    numbers = {label: one for one in values if _kind(one) == "number" for label in labels_of(one)}
    labels = sorted(
        {label for one in values for label in labels_of(one)},
        key=lambda label: (numbers.get(label, math.inf), label),
    )
    if len(labels) > MOST:
        raise OptionError(f'"{path}" has {len(labels):,} different labels: these are no classes')
    if not labels or task == "label" and len(labels) < 2:
        raise OptionError(
            f'all "{path}" are {show(labels[0] if labels else [])}: there is nothing '
            "to learn from them"
        )
    if task == "labels" and all(len(set(labels_of(one))) == len(labels) for one in values):
        raise OptionError(
            f'all records have all labels under "{path}": there is nothing to learn from them'
        )
    return Targets(task, labels, [0.0, 1.0], path)


def numbered(value: Any, targets: Targets) -> tuple[float, ...]:
    """Return a target as numbers: that of a label, 0 or 1 for each of several, a share of the
    range. Raise RecordError for a label that is not among those learned.
    """
    if targets.task == "number":
        if _kind(value) != "number":
            raise RecordError(
                f'"{targets.path}" must be a number, as in --train, not {show(value)}'
            )
        low, high = targets.range
        return ((value - low) / (high - low),)
    own = labels_of(value)
    unseen = [label for label in own if label not in targets.labels]
    if unseen:
        raise RecordError(
            f'"{targets.path}" is {show(unseen[0])}, a label that no record of '
            "--train has, so that no model can learn it: add such records there, or "
            "leave this one out"
        )
    if targets.task == "labels":
        return tuple(float(label in own) for label in targets.labels)
    if len(own) != 1 or isinstance(value, list):
        raise RecordError(f'"{targets.path}" must be one label, as in --train, not {show(value)}')
    return (float(targets.labels.index(own[0])),)


def weights(rows: Sequence[tuple[float, ...]], targets: Targets) -> list[float]:
    """Return a weight for each label, inverse to its frequency.

    One label: with a mean of 1 over the records. Several: that of the records which have it.
    """
    if targets.task == "number":
        raise OptionError("--class-weights is for labels, and the target is a number")
    if targets.task == "labels":
        having = [sum(column) for column in zip(*rows, strict=True)]
        return [(len(rows) - number) / number if number else 1.0 for number in having]
    counts = Counter(int(row[0]) for row in rows)
    return [
        len(rows) / (len(targets.labels) * counts[at]) if counts[at] else 1.0
        for at in range(len(targets.labels))
    ]


def loss(targets: Targets, weights: Sequence[float] | None) -> Callable[[Any, Any], Any]:
    """Return a function (outputs, targets) -> the loss of each record, tensors.

    Cross-entropy of a label, mean binary cross-entropy of several, squared error of a number.
    """
    torch = need("torch", "models")
    functional = torch.nn.functional

    def of(outputs: Any, wanted: Any) -> Any:
        outputs, own = outputs.float(), None
        if weights:
            own = torch.tensor(weights, device=outputs.device, dtype=outputs.dtype)
        if targets.task == "label":
            return functional.cross_entropy(outputs, wanted[:, 0].long(), own, reduction="none")
        if targets.task == "labels":
            return functional.binary_cross_entropy_with_logits(
                outputs, wanted, pos_weight=own, reduction="none"
            ).mean(dim=1)
        return (outputs[:, 0] - wanted[:, 0]).square()

    return of
