"""Cross-validation of a scorer: each record is predicted by models that have not seen its cluster.

Each model is trained as one alone would be, in a folder within the output folder that goes when its
predictions are made; a log and a card stay.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dialtools.inference import readings
from dialtools.models import classifiers, scorers
from dialtools.models.scorers import Text
from dialtools.records import history, jsonl, values
from dialtools.system import files, stable_hash
from dialtools.system.errors import OptionError, RecordError, need, show
from dialtools.training import folder as folders
from dialtools.training import processes, scorer, targets, verdicts
from dialtools.training.data import Data, located
from dialtools.training.scorer import BY, Given, Parts
from dialtools.training.targets import Targets

LOG = "log.jsonl"
NUMBER = "regressor"  # under scores
_MADE = ("prediction", "prediction_scores", "fold", "repeat")


class Folds(NamedTuple):
    """How records are divided."""

    number: int
    repeats: int = 1
    cluster: str = "cluster"  # path of what records of one fold share


def run(given: Given, folds: Folds, note: Callable[[dict], object]) -> Iterator[dict]:
    """Yield each record once a repeat, with what a model said that has not seen its cluster.

    note: told each record of the log of each training.
    """
    data = scorer.read(given.job.train, given.grading)
    kinds = scorer.learned(data, given.grading)
    _check(data, kinds, folds)
    signature = _signature(given, folds)
    state = folders.state_of(
        given.job.folder,
        {"signature": signature, **files.hashes("train", given.job.train)},
        given.job.go_on,
    )
    outputs = {(fold["repeat"], fold["fold"]): fold["outputs"] for fold in state["epochs"]}
    folders.begin(given.job.folder, state, {})
    _keep_log(given.job.folder, set(outputs))
    if outputs:
        note({"resumed": len(outputs), "models": folds.repeats * folds.number})
    divided = [
        _divided(data, kinds, folds, given.job.seed, repeat) for repeat in _counted(folds.repeats)
    ]
    for repeat, places in zip(_counted(folds.repeats), divided, strict=True):
        for fold in _counted(folds.number):
            if (repeat, fold) not in outputs:
                of_fold, measures = _outputs(given, data, kinds, places, repeat, fold, note)
                outputs[repeat, fold] = of_fold
                facts = {"repeat": repeat, "fold": fold, "records": len(of_fold), **measures}
                state["epochs"].append({**facts, "outputs": of_fold})
                folders.save_state(given.job.folder, state)
            shutil.rmtree(_folder(given, repeat, fold), ignore_errors=True)
    _save_card(given, folds, state)
    folders.end(given.job.folder, state)
    yield from _records(data, kinds, folds, divided, outputs, signature)


def _folder(given: Given, repeat: int, fold: int) -> str:
    return os.path.join(given.job.folder, f"repeat-{repeat}-fold-{fold}")


def _counted(number: int) -> range:
    return range(1, number + 1)


def _check(data: Data, kinds: Targets, folds: Folds) -> None:
    """Raise an error for folds that there cannot be, and for records that would lose something."""
    if folds.number < 2 or folds.repeats < 1:
        raise OptionError("--folds is at least 2, --repeats at least 1")
    if processes.share().number > 1:
        raise OptionError("--folds trains in one process: start it without accelerate or torchrun")
    clusters = len(set(_clusters(data, folds)))
    if clusters < folds.number:
        raise OptionError(
            f"--folds {folds.number}: there are only {clusters} clusters of records "
            f'(those with the same "{folds.cluster}", or else id), which stay '
            "together: take fewer folds, or another --cluster"
        )
    kept = ("fold", "repeat") if kinds.task == "number" else _MADE
    with located(data):
        for record in data.records:
            there = next((key for key in kept if record.get(key) is not None), None)
            if there:
                raise RecordError(
                    f'the record has a "{there}", which would be lost: rename it, as '
                    f"jq '.old_{there} = .{there} | del(.{there})' does",
                    record,
                )


def _clusters(data: Data, folds: Folds) -> list[str]:
    """Return the name of the cluster of each record; its id where it has none."""
    found = []
    for record in data.records:
        value, lacking = values.at(record, folds.cluster)
        own = ("id", record["id"]) if lacking is not None or value is None else ("cluster", value)
        found.append(repr(own))
    return found


def _divided(data: Data, kinds: Targets, folds: Folds, seed: int, repeat: int) -> list[int]:
    """Return the fold of each record, from 1: clusters whole, targets spread evenly.

    It depends on seed, repeat and cluster, and not on the order of records.
    """
    import warnings

    splitter = need("sklearn.model_selection", "train").StratifiedGroupKFold(folds.number)
    clusters = _clusters(data, folds)
    order = {
        name: place
        for place, name in enumerate(
            sorted(
                set(clusters),
                key=lambda name: (stable_hash.digest(seed, "folds", repeat, name), name),
            )
        )
    }
    rows = sorted(
        range(len(clusters)), key=lambda at: (order[clusters[at]], repr(data.records[at]["id"]))
    )
    classes = _classes(data, kinds, folds)
    found = [0] * len(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer members than there are folds
        try:
            parts = list(
                splitter.split(
                    rows, [classes[at] for at in rows], [order[clusters[at]] for at in rows]
                )
            )
        except ValueError as error:
            raise OptionError(f"--folds {folds.number}: {error}") from None
    for fold, (_, held_out) in enumerate(parts, 1):
        if not len(held_out):
            raise OptionError(
                f"--folds {folds.number}: fold {fold} would be empty, as clusters "
                "are large; take fewer folds"
            )
        for place in held_out:
            found[rows[place]] = fold
    return found


def _classes(data: Data, kinds: Targets, folds: Folds) -> list[int]:
    """Return a class for each record, by which folds are made alike: its label or labels, or
    which part of the range of numbers; rare ones are one class.
    """
    path = kinds.path
    values = [targets.value(record, path, kinds.task) for record in data.records]
    if kinds.task == "number":
        order = sorted(values)
        bounds = [order[len(order) * part // folds.number] for part in range(1, folds.number)]
        return [sum(value >= bound for bound in bounds) for value in values]
    names = [repr(sorted(targets.labels_of(value))) for value in values]
    counts = Counter(names)
    common = sorted(name for name, number in counts.items() if number >= folds.number)
    if len(common) < 2 and len(counts) > len(common):
        common = []
    return [common.index(name) if name in common else len(common) for name in names]


def _outputs(
    given: Given,
    data: Data,
    kinds: Targets,
    places: list[int],
    repeat: int,
    fold: int,
    note: Callable[[dict], object],
) -> tuple[list[Any], dict]:
    """Train on all records but those of a fold; return what the model says of these, and how it
    is measured by them.
    """
    folder = _folder(given, repeat, fold)
    job = given.job._replace(folder=folder, seed=given.job.seed + repeat - 1)
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
    known = _of_part(train, kinds, repeat, fold)
    entry: dict = {}
    _tell_unlearned(train, kinds, {"repeat": repeat, "fold": fold}, given.job.folder, note)
    for entry in scorer.trained(
        given._replace(job=job), Parts(train, held_out, known, held_out=True)
    ):
        made = {"repeat": repeat, "fold": fold, **entry}
        _write_log(given.job.folder, made)
        note(made)
    texts = _texts(held_out, folder)
    work = classifiers.numbers if kinds.task == "number" else classifiers.distributions
    found: list[Any] = work(
        folder, texts, device=given.machine.device, offline=given.machine.offline
    )
    classifiers.loaded.cache_clear()
    return found, {name: entry[name] for name in verdicts.MEASURES[kinds.task]}


def _of_part(train: Data, kinds: Targets, repeat: int, fold: int) -> Targets:
    """Return the targets of a fold's training data; labels are those of all records."""
    try:
        own = targets.learned(
            [targets.value(record, kinds.path, kinds.task) for record in train.records],
            kinds.path,
            kinds.task,
        )
    except OptionError as error:
        raise OptionError(
            f"repeat {repeat}, without fold {fold}: {error}; take fewer folds, or "
            "leave rare labels out"
        ) from None
    return own if kinds.task == "number" else kinds


def _tell_unlearned(
    train: Data, kinds: Targets, place: dict, folder: str, note: Callable[[dict], object]
) -> None:
    """Tell which labels no record has that a fold's model learns from."""
    seen = {
        label
        for record in train.records
        for label in targets.labels_of(targets.value(record, kinds.path, kinds.task))
    }
    if unseen := [label for label in kinds.labels if label not in seen]:
        made = {
            **place,
            "warnings": [
                f"no record of the other folds has the label {', '.join(map(show, unseen))}, which is "
                "never predicted here: take fewer folds, or leave rare labels out"
            ],
        }
        _write_log(folder, made)
        note(made)


def _texts(data: Data, folder: str) -> list[Text]:
    manner = scorers.of(folder)
    if manner is None:
        raise OptionError(f"{folder} is gone")
    return [readings.one(record, manner) for record in data.records]


def _records(
    data: Data,
    kinds: Targets,
    folds: Folds,
    divided: Sequence[list[int]],
    found: dict[tuple[int, int], list[Any]],
    signature: str,
) -> Iterator[dict]:
    """Yield the records with their predictions; the repeats of one stand together, as variants."""
    queues = {place: iter(outputs) for place, outputs in found.items()}
    for at, record in enumerate(data.records):
        for repeat, places in zip(_counted(folds.repeats), divided, strict=True):
            said = _said(record, kinds, next(queues[repeat, places[at]]))
            made = {**record, **said, "fold": places[at], "repeat": repeat}
            if folds.repeats > 1:
                made["variant"] = history.variant(record, "repeat", repeat)
            yield history.add(made, BY, signature)


def _said(record: dict, kinds: Targets, output: Any) -> dict:
    """Return what a record gets: a number as a score, or a label with the scores of all."""
    if kinds.task == "number":
        return {"scores": {**(record.get("scores") or {}), NUMBER: output}}
    if kinds.task == "labels":
        likely = [label for label, value in zip(kinds.labels, output, strict=True) if value >= 0.5]
        prediction = "; ".join(likely)
    else:
        prediction = kinds.labels[max(range(len(output)), key=lambda at: output[at])]
    return {
        "prediction": prediction,
        "prediction_scores": dict(zip(kinds.labels, output, strict=True)),
    }


def _signature(given: Given, folds: Folds) -> Any:
    grading, recipe = given.grading._asdict(), given.recipe._asdict()
    return history.signature(
        "scorer",
        model=given.job.model,
        folds=folds.number,
        repeats=folds.repeats,
        cluster=folds.cluster,
        seed=given.job.seed,
        **{
            name: value
            for name, value in {**recipe, **grading}.items()
            if value and name not in ("best", "early_stopping")
        },
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


def _write_log(folder: str, record: dict) -> None:
    """Append a record to the log of all trainings."""
    with open(os.path.join(folder, LOG), "ab") as file:
        file.write(jsonl.dumps(record))


def _save_card(given: Given, folds: Folds, state: dict) -> None:
    about = {
        "command": given.job.command or "none: called from Python",
        "model": given.job.model,
        **state["settings"],
        **folders.versions(),
    }
    rows = [
        {name: value for name, value in made.items() if name != "outputs"}
        for made in state["epochs"]
    ]
    with open(os.path.join(given.job.folder, folders.CARD), "wb") as file:
        file.write(
            folders.card("Folds of a scorer, whose models are gone", about, rows, "dt-score", BY)
        )
