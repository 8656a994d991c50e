"""What a scorer learns of a record: a label, several labels at once, or a number; its loss, and how
predictions of it are measured and calibrated.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dialtools.models.scorers import Task
from dialtools.plugins.options import LARGEST
from dialtools.records import values
from dialtools.statistics.effects import product_moment
from dialtools.statistics.moments import is_constant, midranks
from dialtools.system.errors import OptionError, RecordError, need, show

MOST = 1000  # labels; more are no classes
LOSS = "loss"
MEASURES = {
    "label": ("accuracy", "macro_f1"),
    "labels": ("micro_f1", "macro_f1"),
    "number": ("pearson", "spearman", "rmse"),
}
_LESS = (LOSS, "rmse")  # is better
_KINDS = {"label": "a label", "labels": "a list of labels", "number": "a number"}
COLDEST, HOTTEST = 0.05, 20.0  # temperatures


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
    target, lacking = values.at(record, path)
    if lacking is not None or target is None:
        raise RecordError(f'no target under "{path}"', record)
    if isinstance(target, str) and task in (None, "number"):
        number = values.number_of(target)
        target = target if number is None else number
    if isinstance(target, (int, float)):
        if abs(target) <= LARGEST:  # a NaN is not
            return target
        raise RecordError(f'"{path}" is no finite number: {show(target)}', record)
    texts = target if isinstance(target, list) else [target]
    if not all(isinstance(text, (str, bool)) and str(text).strip() for text in texts):
        raise RecordError(
            f'"{path}" must be a label, a list of labels or a number, not {show(target)}', record
        )
    return target


def task_of(values: Sequence[Any], path: str, asked: Task | None) -> Task:
    """Return what targets are: a list is several labels, a number one, all else a label."""
    kinds = {_kind(value) for value in values}
    if asked == "label" and "labels" not in kinds or asked == "labels":
        return asked
    if len(kinds) > 1:
        first = {_kind(value): value for value in reversed(values)}
        examples = sorted(f"{_KINDS[kind]} ({show(value)})" for kind, value in first.items())
        raise OptionError(
            f'"{path}" is {" in some records, ".join(examples)} in others: leave these out, '
            "or --task label learns all as labels"
        )
    [kind] = kinds
    if asked and asked != kind:
        raise OptionError(f'--task {asked}: "{path}" is {_KINDS[kind]}')
    return kind


def _kind(value: Any) -> Task:
    if isinstance(value, list):
        return "labels"
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else "label"


def labels_of(value: Any) -> list[str]:
    """Return the labels of a target, as texts with single spaces."""

    def label(one: Any) -> str:
        if isinstance(one, bool):
            return str(one).lower()
        return f"{one:g}" if isinstance(one, float) else " ".join(str(one).split())

    return list(map(label, value if isinstance(value, list) else [value]))


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
    labels = labels_of(value)
    unseen = [label for label in labels if label not in targets.labels]
    if unseen:
        raise RecordError(
            f'"{targets.path}" is {show(unseen[0])}, a label that no record of '
            "--train has, so that no model can learn it: add such records there, or "
            "leave this one out"
        )
    if targets.task == "labels":
        return tuple(float(label in labels) for label in targets.labels)
    if len(labels) != 1 or isinstance(value, list):
        raise RecordError(f'"{targets.path}" must be one label, as in --train, not {show(value)}')
    return (float(targets.labels.index(labels[0])),)


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
        len(rows) / (len(targets.labels) * counts[number]) if counts[number] else 1.0
        for number in range(len(targets.labels))
    ]


def loss(
    targets: Targets, weights: Sequence[float] | None = None, smoothing: float = 0.0
) -> Callable[[Any, Any], Any]:
    """Return a function (outputs, targets) -> the loss of each record, tensors.

    Cross-entropy of a label, mean binary cross-entropy of several, squared error of a number.

    weights: of labels.
    smoothing: share of a label that is spread over all. Raise OptionError if the task has none.
    """
    torch = need("torch", "models")
    functional = torch.nn.functional
    if smoothing and targets.task != "label":
        raise OptionError(
            "--set label_smoothing_factor is for one label, and the target is "
            f"{_KINDS[targets.task]}"
        )

    def losses(outputs: Any, wanted: Any) -> Any:
        outputs, of_labels = outputs.float(), None
        if weights:
            of_labels = torch.tensor(weights, device=outputs.device, dtype=outputs.dtype)
        if targets.task == "label":
            return functional.cross_entropy(
                outputs,
                wanted[:, 0].long(),
                of_labels,
                reduction="none",
                label_smoothing=smoothing,
            )
        if targets.task == "labels":
            return functional.binary_cross_entropy_with_logits(
                outputs, wanted, pos_weight=of_labels, reduction="none"
            ).mean(dim=1)
        return (outputs[:, 0] - wanted[:, 0]).square()

    return losses


def check_measure(measure: str, targets: Targets) -> None:
    """Raise OptionError for a measure that a task has not."""
    known = (LOSS, *MEASURES[targets.task])
    if measure not in known:
        raise OptionError(
            f"--best {measure}: a target of this kind is measured by {', '.join(known)}"
        )


def worth(epoch: dict, measure: str) -> float:
    """Return what an epoch is chosen by; more is better."""
    number = epoch["dev_loss" if measure == LOSS else measure]
    if number is None:
        return -math.inf
    return -number if measure in _LESS else number


def predicted(outputs: Any, targets: Targets) -> Any:  # (n, k) -> (n, 1 or k)
    """Return what is predicted: the number of a label, 0 or 1 for each of several, a number."""
    if targets.task == "number":
        return outputs
    if targets.task == "labels":
        return (outputs.sigmoid() >= 0.5).float()
    if len(targets.labels) == 2:
        return (outputs.softmax(dim=1)[:, 1:] >= 0.5).float()
    return outputs.argmax(dim=1, keepdim=True).float()


def measured(targets: Targets, predictions: Any, wanted: Any) -> dict[str, float | None]:
    """Return the measures of predictions as `predicted` makes them.

    F1 is scikit-learn's, 0 for a label that is never right; correlations are None where all
    predictions or all targets are equal; rmse is in the unit of the targets.
    """
    if targets.task == "number":
        one, other = predictions[:, 0].double().tolist(), wanted[:, 0].double().tolist()
        low, high = targets.range
        error = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / len(one)
        correlations: dict[str, float | None] = {"pearson": None, "spearman": None}
        if len(one) > 1 and not is_constant(one) and not is_constant(other):
            correlations = {
                "pearson": product_moment(one, other),
                "spearman": product_moment(midranks(one)[0], midranks(other)[0]),
            }
        return {**correlations, "rmse": (high - low) * math.sqrt(error)}
    f1 = need("sklearn.metrics", "train").f1_score
    answers, labels = predictions.numpy(), wanted.numpy()
    if targets.task == "labels":
        return {
            f"{how}_f1": float(f1(labels, answers, average=how, zero_division=0))
            for how in ("micro", "macro")
        }
    return {
        "accuracy": float((answers == labels).mean()),
        "macro_f1": float(f1(labels[:, 0], answers[:, 0], average="macro", zero_division=0)),
    }


def temperature(outputs: Any, wanted: Any, targets: Targets) -> float:
    """Return the temperature with the least loss; 1 where there is none, as all are right."""
    search = need("scipy.optimize", "train").minimize_scalar
    losses = loss(targets)
    least = search(
        lambda heat: float(losses(outputs.double() / math.exp(heat), wanted.double()).mean()),
        bounds=(math.log(COLDEST), math.log(HOTTEST)),
        method="bounded",
    )
    heat = math.exp(float(least.x))
    return round(heat, 6) if COLDEST * 1.01 < heat < HOTTEST / 1.01 else 1.0


def threshold(outputs: Any, wanted: Any, targets: Targets) -> float:
    """Return the threshold with the best macro-F1 (two labels) or micro-F1 (several at once).

    Of thresholds that are as good, the nearest to 0.5.
    """
    torch = need("torch", "models")
    chances = outputs.softmax(dim=1)[:, 1] if targets.task == "label" else outputs.sigmoid()
    wanted = wanted.bool()
    known = torch.cat([chances.flatten(), torch.tensor([0.5])]).unique()
    between = (known[1:] + known[:-1]) / 2
    if len(between) > 200:
        between = between[torch.linspace(0, len(between) - 1, 200).long()]

    def f1(least: float) -> float:  # scikit-learn's takes seconds for all of them
        likely = (chances >= least).reshape(wanted.shape)
        wrong = int((likely != wanted).sum())
        right = [int((likely & wanted).sum())]
        if targets.task == "label":
            right.append(len(likely) - wrong - right[0])
        return sum(2 * number / (2 * number + wrong) if number else 0.0 for number in right)

    tried: list[float] = [0.5, *between.tolist()]
    best: float = max(tried, key=lambda least: (f1(least), -abs(least - 0.5)))
    return round(best, 6)
