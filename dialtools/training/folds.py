"""Cross-validation of a scorer: each record is predicted by models that have not seen its cluster.

Each model is trained as one alone would be, in a folder within the output folder that goes when its
predictions are made; a log and a card stay.
"""

import os
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dialtools.inference import readings
from dialtools.models import classifiers, scorers
from dialtools.models.checkpoints import Place
from dialtools.records import history, jsonl, values
from dialtools.system import files, stable_hash
from dialtools.system.errors import MissingError, OptionError, RecordError, need, show
from dialtools.training import folder as folders
from dialtools.training import scorer, steps, targets
from dialtools.training.data import Data, located
from dialtools.training.scorer import BY, Parts, ScorerTraining
from dialtools.training.targets import Targets

LOG = "log.jsonl"
NUMBER = "regressor"  # under scores
_ADDED = ("prediction", "prediction_scores", "fold", "repeat")


class Folds(NamedTuple):
    """How records are divided."""

    number: int
    repeats: int = 1
    cluster: str = "cluster"  # path of what records of one fold share


class Validation(NamedTuple):
    """A cross-validation: what is trained, on which records, divided how."""

    given: ScorerTraining
    folds: Folds
    data: Data
    kinds: Targets
    note: Callable[[dict], object]  # told each record of the log of each training

    @property
    def folder(self) -> str:
        """Return the folder of the log and the card."""
        return self.given.job.folder

    def values(self, data: Data) -> list[Any]:
        """Return the targets of records."""
        return [targets.value(record, self.kinds.path, self.kinds.task) for record in data.records]

    def tell(self, record: dict) -> None:
        """Append a record to the log of all trainings, and note it."""
        with open(os.path.join(self.folder, LOG), "ab") as file:
            file.write(jsonl.dumps(record))
        self.note(record)


def run(given: ScorerTraining, folds: Folds, note: Callable[[dict], object]) -> Iterator[dict]:
    """Yield each record once a repeat, with what a model said that has not seen its cluster.

    note: told each record of the log of each training.
    """
    data = scorer.read(given.job.train, given.grading)
    validation = Validation(given, folds, data, scorer.learned(data, given.grading), note)
    _check(validation)
    folder, signature = given.job.folder, _signature(given, folds)
    state = folders.state_of(
        folder,
        {"signature": signature, **files.hashes("train", given.job.train)},
        given.job.go_on,
    )
    outputs = {(fold["repeat"], fold["fold"]): fold["outputs"] for fold in state.epochs}
    for _ in state.begin({}, steps.Share()):
        pass
    _keep_log(folder, set(outputs))
    if outputs:
        note({"resumed": len(outputs), "models": folds.repeats * folds.number})

    divided = {repeat: _divided(validation, repeat) for repeat in _counted(folds.repeats)}
    for repeat, places in divided.items():
        for fold in _counted(folds.number):
            of_fold = os.path.join(folder, f"repeat-{repeat}-fold-{fold}")
            if (repeat, fold) not in outputs:
                predicted, measures = _predicted(validation, of_fold, places, repeat, fold)
                outputs[repeat, fold] = predicted
                facts = {"repeat": repeat, "fold": fold, "records": len(predicted), **measures}
                state.epochs.append({**facts, "outputs": predicted})
                state.save()
            shutil.rmtree(of_fold, ignore_errors=True)
    card = folders.card(
        "Folds of a scorer, whose models are gone",
        f"A model for dt-score, trained by {BY}",
        {
            "command": given.job.command or "none: called from Python",
            "model": given.job.model,
            **state.settings,
            **folders.versions("torch", "transformers", "accelerate"),
        },
        [{name: fold[name] for name in fold if name != "outputs"} for fold in state.epochs],
        folders.BOUND,
    )
    with open(os.path.join(folder, folders.CARD), "wb") as file:
        file.write(card)
    state.end()

    queues = {place: iter(predicted) for place, predicted in outputs.items()}
    for number, record in enumerate(data.records):  # the repeats of one stand together, as variants
        for repeat, places in divided.items():
            output = next(queues[repeat, places[number]])
            answered = {**record, **_answer(record, validation.kinds, output)}
            answered |= {"fold": places[number], "repeat": repeat}
            if folds.repeats > 1:
                answered["variant"] = history.variant(record, "repeat", repeat)
            yield history.add(answered, BY, signature)


def _counted(number: int) -> range:
    return range(1, number + 1)


def _check(validation: Validation) -> None:
    """Raise an error for folds that there cannot be, and for records that would lose something."""
    folds, data = validation.folds, validation.data
    if folds.number < 2 or folds.repeats < 1:
        raise OptionError("--folds is at least 2, --repeats at least 1")
    if steps.share().number > 1:
        raise OptionError("--folds trains in one process: start it without accelerate or torchrun")
    clusters = len(set(_clusters(data, folds)))
    if clusters < folds.number:
        raise OptionError(
            f"--folds {folds.number}: there are only {clusters} clusters of records "
            f'(those with the same "{folds.cluster}", or else id), which stay '
            "together: take fewer folds, or another --cluster"
        )
    added = ("fold", "repeat") if validation.kinds.task == "number" else _ADDED
    with located(data):
        for record in data.records:
            key = next((key for key in added if record.get(key) is not None), None)
            if key:
                raise RecordError(
                    f'the record has a "{key}", which would be lost: rename it, as '
                    f"jq '.old_{key} = .{key} | del(.{key})' does",
                    record,
                )


def _clusters(data: Data, folds: Folds) -> list[str]:
    """Return the name of the cluster of each record; its id where it has none."""
    names = []
    for record in data.records:
        value, lacking = values.at(record, folds.cluster)
        is_alone = lacking is not None or value is None
        names.append(repr(("id", record["id"]) if is_alone else ("cluster", value)))
    return names


def _divided(validation: Validation, repeat: int) -> list[int]:
    """Return the fold of each record, from 1: clusters whole, targets spread evenly.

    It depends on seed, repeat and cluster, and not on the order of records.
    """
    data, folds, seed = validation.data, validation.folds, validation.given.job.seed
    splitter = need("sklearn.model_selection", "train").StratifiedGroupKFold(folds.number)
    clusters, classes = _clusters(data, folds), _classes(validation)
    drawn = sorted(
        set(clusters),
        key=lambda name: (stable_hash.digest(seed, "folds", repeat, name), name),
    )
    order = {name: place for place, name in enumerate(drawn)}
    rows = sorted(
        range(len(clusters)),
        key=lambda row: (order[clusters[row]], repr(data.records[row]["id"])),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer members than there are folds
        try:
            parts = list(
                splitter.split(
                    rows, [classes[row] for row in rows], [order[clusters[row]] for row in rows]
                )
            )
        except ValueError as error:
            raise OptionError(f"--folds {folds.number}: {error}") from None
    places = [0] * len(rows)
    for fold, (_, held_out) in enumerate(parts, 1):
        if not len(held_out):
            raise OptionError(
                f"--folds {folds.number}: fold {fold} would be empty, as clusters "
                "are large; take fewer folds"
            )
        for place in held_out:
            places[rows[place]] = fold
    return places


def _classes(validation: Validation) -> list[int]:
    """Return a class for each record, by which folds are made alike: its label or labels, or
    which part of the range of numbers; rare ones are one class.
    """
    number, values = validation.folds.number, validation.values(validation.data)
    if validation.kinds.task == "number":
        order = sorted(values)
        bounds = [order[len(order) * part // number] for part in range(1, number)]
        return [sum(value >= bound for bound in bounds) for value in values]
    names = [repr(sorted(targets.labels_of(value))) for value in values]
    counts = Counter(names)
    common = sorted(name for name, count in counts.items() if count >= number)
    if len(common) < 2 and len(counts) > len(common):
        common = []
    return [common.index(name) if name in common else len(common) for name in names]


def _predicted(
    validation: Validation, folder: str, places: list[int], repeat: int, fold: int
) -> tuple[list[Any], dict]:
    """Train on all records but those of a fold; return what the model says of these, and how it
    is measured by them.
    """
    given, data, kinds = validation.given, validation.data, validation.kinds
    here = {"repeat": repeat, "fold": fold}
    train, held_out = (
        data._replace(
            records=[
                record
                for record, place in zip(data.records, places, strict=True)
                if (place == fold) == is_held_out
            ]
        )
        for is_held_out in (False, True)
    )
    values = validation.values(train)
    try:
        of_part = targets.learned(values, kinds.path, kinds.task)
    except OptionError as error:
        raise OptionError(
            f"repeat {repeat}, without fold {fold}: {error}; take fewer folds, or "
            "leave rare labels out"
        ) from None
    seen = {label for value in values for label in targets.labels_of(value)}
    if unseen := [label for label in kinds.labels if label not in seen]:
        warning = (
            f"no record of the other folds has the label {', '.join(map(show, unseen))}, which is "
            "never predicted here: take fewer folds, or leave rare labels out"
        )
        validation.tell({**here, "warnings": [warning]})

    job = given.job._replace(folder=folder, seed=given.job.seed + repeat - 1)
    known = of_part if kinds.task == "number" else kinds  # labels are those of all records
    entry: dict = {}
    for entry in scorer.trained(
        given._replace(job=job), Parts(train, held_out, known, held_out=True)
    ):
        validation.tell({**here, **entry})
    manner = scorers.of(folder)
    if manner is None:
        raise MissingError(f"{folder} is gone")
    work = classifiers.numbers if kinds.task == "number" else classifiers.distributions
    outputs: list[Any] = work(
        folder,
        [readings.one(record, manner) for record in held_out.records],
        Place(device=given.machine.device, offline=given.machine.offline),
    )
    classifiers.loaded.cache_clear()
    return outputs, {name: entry[name] for name in targets.MEASURES[kinds.task]}


def _answer(record: dict, kinds: Targets, output: Any) -> dict:
    """Return what a record gets: a number as a score, or a label with the scores of all."""
    if kinds.task == "number":
        return {"scores": {**(record.get("scores") or {}), NUMBER: output}}
    scores = dict(zip(kinds.labels, output, strict=True))
    if kinds.task == "labels":
        prediction = "; ".join(label for label, score in scores.items() if score >= 0.5)
    else:
        prediction = max(scores, key=lambda label: scores[label])
    return {"prediction": prediction, "prediction_scores": scores}


def _signature(given: ScorerTraining, folds: Folds) -> Any:
    settings = given.job.settings
    return history.signature(
        "scorer",
        model=given.job.model,
        folds=folds.number,
        repeats=folds.repeats,
        cluster=folds.cluster,
        seed=given.job.seed,
        **{
            name: value
            for name, value in {**given.recipe._asdict(), **given.grading._asdict()}.items()
            if value and name not in ("best", "early_stopping")
        },
        set="+".join(f"{name}={value}" for name, value in settings.items()) or None,
    )


def _keep_log(folder: str, folds: set[tuple[int, int]]) -> None:
    """Keep in the log of all trainings the records of some folds; the others are trained anew."""
    path, lines = os.path.join(folder, LOG), []
    if folds and os.path.isfile(path):
        with open(path, "rb") as file:
            lines = [line for line in file if line.endswith(b"\n")]  # the last may be half
    with files.open_output(path) as file:
        for line in lines:
            record = jsonl.loads(line)
            if (record["repeat"], record["fold"]) in folds:
                file.write(line)
