"""What an epoch of a scorer is worth: losses and measures on a dev set, and its calibration."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from dialtools.models import checkpoints, minibatches, scorers
from dialtools.statistics.effects import product_moment
from dialtools.statistics.moments import is_constant, midranks
from dialtools.system.errors import OptionError, need
from dialtools.training import judgement, processes
from dialtools.training.batch import Example
from dialtools.training.targets import Targets

LOSS = "loss"
MEASURES = {
    "label": ("accuracy", "macro_f1"),
    "labels": ("micro_f1", "macro_f1"),
    "number": ("pearson", "spearman", "rmse"),
}
_LESS = (LOSS, "rmse")  # is better
COLDEST, HOTTEST = 0.05, 20.0  # temperatures


class Panel(NamedTuple):
    """A dev set, and how a scorer is judged by it."""

    examples: list[Example]
    targets: Targets
    tokenizer: Any
    loss: Callable[[Any, Any], Any]
    tokens: int  # at once
    seed: int
    fitted: bool = True  # fit temperature and threshold


def check(measure: str, targets: Targets) -> None:
    """Raise OptionError for a measure that a task has not."""
    known = (LOSS, *MEASURES[targets.task])
    if measure not in known:
        raise OptionError(
            f"--best {measure}: a target of this kind is measured by {', '.join(known)}"
        )


def worth(epoch: dict, measure: str) -> float:
    """Return what an epoch is chosen by; more is better."""
    found = epoch["dev_loss" if measure == LOSS else measure]
    if found is None:
        return -math.inf
    return -found if measure in _LESS else found


def judged(panel: Panel, model: Any, context: Callable, share: processes.Share) -> dict:
    """Return the losses of a model on the dev set, their gap, measures and what it is set to.

    context: within which it reads, such as one of a precision.
    """
    torch = need("torch", "models")
    outputs = torch.tensor(_outputs(panel, model, context, share))
    wanted = torch.tensor([example.target for example in panel.examples])
    right = float(panel.loss(outputs, wanted).mean())
    others = _others(panel)
    wrong = float(panel.loss(outputs[others], wanted).mean()) if others else None
    found = {
        "dev_loss": right,
        "dev_loss_shuffled": wrong,
        "gap": None if wrong is None else wrong - right,
        "outputs": len(outputs),
    }
    made = _predicted(outputs, panel.targets, 0.5)
    return {
        **found,
        "distinct": len({tuple(row) for row in made.tolist()}) / len(made),
        **measured(panel.targets, made, wanted),
        **_settings(panel, model, outputs, wanted),
    }


def _outputs(
    panel: Panel, model: Any, context: Callable, share: processes.Share
) -> list[list[float]]:
    """Return the outputs of a model for all examples."""
    was_training = model.training
    model.eval()

    def work(made: list[Any]) -> list[list[float]]:
        batch = scorers.padded(panel.tokenizer, made).to(model.device)
        with checkpoints.inference(), context():
            return model(**batch).logits.float().tolist()

    own = [example.rows for example in share.of(panel.examples)]
    try:
        found = minibatches.each(
            own,
            lambda rows: sum(len(row["input_ids"]) for row in rows),
            work,
            minibatches.size(model.config, 64),
            panel.tokens,
        )
    finally:
        model.train(was_training)
    return processes.gathered(found, share)


def _others(panel: Panel) -> list[int]:
    """Return for each example the place of another one's input; [] if there is none."""
    places = {example.input: at for at, example in enumerate(panel.examples)}
    return [places[example.input] for example in judgement.shuffled(panel.examples, panel.seed)]


def _predicted(outputs: Any, targets: Targets, threshold: float) -> Any:  # (n, k) -> (n, 1 or k)
    """Return what is predicted: the number of a label, 0 or 1 for each of several, a number."""
    if targets.task == "number":
        return outputs
    if targets.task == "labels":
        return (outputs.sigmoid() >= threshold).float()
    if len(targets.labels) == 2:
        return (outputs.softmax(dim=1)[:, 1:] >= threshold).float()
    return outputs.argmax(dim=1, keepdim=True).float()


def measured(targets: Targets, made: Any, wanted: Any) -> dict[str, float | None]:
    """Return the measures of predictions as `_predicted` makes them.

    F1 is scikit-learn's, 0 for a label that is never right; correlations are None where all
    predictions or all targets are equal; rmse is in the unit of the targets.
    """
    if targets.task == "number":
        one, other = made[:, 0].double().tolist(), wanted[:, 0].double().tolist()
        low, high = targets.range
        error = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / len(one)
        return {**_correlations(one, other), "rmse": (high - low) * math.sqrt(error)}
    metrics = need("sklearn.metrics", "train")
    one, other = made.numpy(), wanted.numpy()
    if targets.task == "labels":
        return {
            f"{how}_f1": float(metrics.f1_score(other, one, average=how, zero_division=0))
            for how in ("micro", "macro")
        }
    return {
        "accuracy": float((one == other).mean()),
        "macro_f1": float(
            metrics.f1_score(other[:, 0], one[:, 0], average="macro", zero_division=0)
        ),
    }


def _correlations(one: list[float], other: list[float]) -> dict[str, float | None]:
    if len(one) < 2 or is_constant(one) or is_constant(other):
        return {"pearson": None, "spearman": None}
    return {
        "pearson": product_moment(one, other),
        "spearman": product_moment(midranks(one)[0], midranks(other)[0]),
    }


def _settings(panel: Panel, model: Any, outputs: Any, wanted: Any) -> dict[str, Any]:
    """Return what goes into the folder with the model: temperature and threshold, or the unit."""
    unit = getattr(model, "unit", None)
    if unit is not None:
        return {"unit": [float(unit.weight), float(unit.bias)]}
    if panel.targets.task == "number" or not panel.fitted:
        return {}
    heat = temperature(outputs, wanted, panel.targets)
    if panel.targets.task == "label" and len(panel.targets.labels) > 2:
        return {"temperature": heat}
    return {"temperature": heat, "threshold": threshold(outputs / heat, wanted, panel.targets)}


def temperature(outputs: Any, wanted: Any, targets: Targets) -> float:
    """Return the temperature with the least loss; 1 where there is none, as all are right."""
    from dialtools.training import targets as kinds

    search = need("scipy.optimize", "train").minimize_scalar
    loss = kinds.loss(targets, None)
    bounds = (math.log(COLDEST), math.log(HOTTEST))
    found = search(
        lambda heat: float(loss(outputs.double() / math.exp(heat), wanted.double()).mean()),
        bounds=bounds,
        method="bounded",
    )
    heat = math.exp(float(found.x))
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
        made = (chances >= least).reshape(wanted.shape)
        wrong = int((made != wanted).sum())
        right = [int((made & wanted).sum())]
        if targets.task == "label":
            right.append(len(made) - wrong - right[0])
        return sum(2 * own / (2 * own + wrong) if own else 0.0 for own in right)

    tried: list[float] = [0.5, *between.tolist()]
    best: float = max(tried, key=lambda least: (f1(least), -abs(least - 0.5)))
    return round(best, 6)
