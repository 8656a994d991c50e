"""The sections on a training and on clusters."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from dialtools.html_report import pictures
from dialtools.html_report.answers import Verdict
from dialtools.html_report.input_lines import InputFile
from dialtools.html_report.sections import Picture, Section, Table, line, not_shown, number
from dialtools.html_report.style import LINE
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError

MOST_CLUSTERS = 40
MOST_LINES = 500  # of a table
MOST_PANELS = 5  # beside that of the losses
MOST_WARNINGS = 12
BLIND = 0.05  # nats: a smaller gap between right and shuffled sources says nothing
_ASIDE = (
    "epoch",
    "step",
    "seconds",
    "file",
    "best",
    "learning_rate",
    "tokens_per_second",
    "padding",
    "batch_tokens",
    "outputs",
    "fold",
    "repeat",
)
_COUNTED = ("examples", "dev", "weights", "cut_inputs", "cut_targets")
_SETTINGS = ("temperature", "threshold", "unknown", "cut inputs", "distinct")


class Log:
    """The lines of the log of a training.

    name: of its file, or of its folder, where all are called log.
    folds: the epochs of each fold; of one where there are none.

    >>> Log(InputFile("runs/one/log.jsonl", ""), []).name
    'one'
    """

    def __init__(self, file: InputFile, lines: Sequence[dict]) -> None:
        stem = file.stem.removesuffix(".log")
        folder = os.path.basename(os.path.dirname(file.name)) if stem == "log" else ""
        self.name, self.lines = folder or stem, lines
        self.epochs = [entry for entry in lines if is_number(entry.get("epoch"))]
        bests = (entry.get("best") for entry in reversed(lines))
        self.best: float | None = next((epoch for epoch in bests if is_number(epoch)), None)
        self.folds: dict[str, list[dict]] = {}
        for entry in self.epochs:
            self.folds.setdefault(_fold(entry), []).append(entry)

    @property
    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """The points of each number that changes, and of losses."""
        curves: dict[str, list[tuple[float, float]]] = {}
        for entry in self.epochs:
            for key, value in _numbers(entry).items():
                curves.setdefault(key, []).append((entry["epoch"], value))
        return {
            key: points
            for key, points in curves.items()
            if "loss" in key or "gap" in key or len({value for _, value in points}) > 1
        }


def logs(lines: Sequence[dict], files: Sequence[InputFile]) -> list[Log]:
    """Return the log of each file that has one."""
    by_file: dict[int, list[dict]] = {}
    for entry in lines:
        by_file.setdefault(entry["file"], []).append(entry)
    return [Log(files[file], entries) for file, entries in by_file.items()]


def _fold(entry: dict) -> str:
    return ".".join(str(entry[key]) for key in ("repeat", "fold") if entry.get(key) is not None)


def _numbers(entry: dict) -> dict[str, float]:
    """Return the numbers of an epoch by name, those of an object within it by both names."""
    numbers: dict[str, float] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            within = {f"{key} {name}": number for name, number in value.items()}
            numbers |= {name: number for name, number in within.items() if is_number(number)}
        elif is_number(value) and key not in _ASIDE:
            numbers[key] = value
    return {key.replace("_", " "): value for key, value in numbers.items()}


def training(logs: Sequence[Log]) -> Section | None:
    """Return the curves of each training, and its warnings."""
    shown, warnings, rows = [], list[str](), []
    for log in logs:
        if picture := _curves(log):
            shown.append(picture)
        for entry in log.epochs:
            told = entry.get("warnings") or []
            told = told if isinstance(told, list) else [told]
            warnings += [f"{log.name}, {warning}." for warning in told]

        # what a log says first: the model, the data, the settings
        first = next((entry for entry in log.lines if not entry.keys() & {"epoch", "best"}), {})
        counts = [first[key] if type(first.get(key)) is int else None for key in _COUNTED]
        recipe = first.get("recipe")
        settings = recipe.items() if isinstance(recipe, dict) else ()
        text = ", ".join(f"{key}={value}" for key, value in settings if value is not None)
        rows.append(line([log.name, str(first.get("kind") or "–"), *counts, text]))
    if not shown:
        return None
    warnings = list(dict.fromkeys(warnings))
    if len(warnings) > MOST_WARNINGS:
        more = len(warnings) - MOST_WARNINGS
        warnings[MOST_WARNINGS:] = [f"{more:,} more warnings are in the logs."]
    counted = Table(
        "What was trained, and on how many records",
        ["training", "kind", *(key.replace("_", " ") for key in _COUNTED), "settings"],
        rows,
    )
    return Section("training", "Training", warnings, [counted], shown)


def _curves(log: Log) -> Picture | None:
    """Return the curves of a training; None if it has none."""
    has_folds, curves = len(log.folds) > 1, log.curves
    # losses are together; the gap comes first, settings of the model last
    keys = [key for key in curves if "loss" not in key]
    keys.sort(key=lambda key: ("gap" not in key, key in _SETTINGS))
    panels: list[tuple[str, Mapping[str, Sequence[tuple[float, float]]]]] = []
    if has_folds:
        losses = [key for key in ("dev loss", "loss") if key in curves][:1]
        numbers = {
            f"fold {fold}": [(entry["epoch"], _numbers(entry)) for entry in entries]
            for fold, entries in log.folds.items()
        }
        for key in [*losses, *keys][: MOST_PANELS + 1]:
            of_folds = {
                fold: [(epoch, flat[key]) for epoch, flat in entries if key in flat]
                for fold, entries in numbers.items()
            }
            panels.append((key, of_folds))
        keys = [*losses, *keys][1:]
    else:
        of_losses = {key: points for key, points in curves.items() if "loss" in key}
        panels += [("loss", of_losses)] if of_losses else []
        panels += [(key, {key: curves[key]}) for key in keys[:MOST_PANELS]]
    if not panels:
        return None
    without_panel = ", ".join(keys[MOST_PANELS:])
    about = f" {without_panel}: in the table alone." if without_panel else ""
    if len(log.epochs) > MOST_LINES:
        about += f" The table has the first {MOST_LINES:,} of {len(log.epochs):,} epochs."
    gap = ""
    if "gap" in curves:
        gap = (
            "; the gap is how much worse the loss is with shuffled sources: near 0 the model does "
            "not read its input"
        )
    rows = []
    for entry in log.epochs[:MOST_LINES]:
        values = [number(_numbers(entry).get(key), places=4) for key in curves]
        named = [_fold(entry)] if has_folds else []
        rows.append(line([*named, number(entry["epoch"], places=0), *values]))
    return Picture(
        f"training-{log.name}",
        f"Training, {log.name}",
        f"Each number of an epoch{gap}.{about}",
        partial(pictures.training, panels, None if has_folds else log.best),
        Table("Epochs", [*(["fold"] if has_folds else []), "epoch", *curves], rows),
    )


def best(logs: Sequence[Log]) -> list[Verdict]:
    """Return what the best epoch of each training has; of folds, the means of their last epochs."""

    def listed(numbers: Mapping[str, float]) -> str:
        return ", ".join(f"{key} {value:.4g}" for key, value in numbers.items() if value)

    def blind(numbers: Mapping[str, float], what: str) -> str:
        return f" The gap is near 0: {what}." if numbers.get("gap", BLIND) < BLIND else ""

    verdicts = []
    for log in logs:
        chosen = next((entry for entry in log.epochs if entry["epoch"] == log.best), None)
        if len(log.folds) > 1:
            last = [_numbers(of_fold[-1]) for of_fold in log.folds.values()]
            means = {
                key: fmean(numbers[key] for numbers in last)
                for key in last[0]
                if all(key in numbers for numbers in last)
            }
            about = blind(means, "the models hardly read their input")
            claim = f"{log.name}: {len(log.folds)} models, one for each fold.{about}"
            evidence = f"In the mean over the folds, after the last epoch: {listed(means)}."
            verdicts.append(Verdict(claim, evidence))
        elif chosen:
            numbers = _numbers(chosen)
            trained = sum(bool(entry["epoch"]) for entry in log.epochs)
            untrained = (_numbers(entry) for entry in log.epochs if not entry["epoch"])
            before = listed(next(untrained, {}))
            about = blind(numbers, "the model hardly reads its input")
            claim = (
                f"{log.name}: of {trained} epochs number {chosen['epoch']:g} is the best.{about}"
            )
            evidence = f"{listed(numbers)}." + (f" Before training: {before}." if before else "")
            verdicts.append(Verdict(claim, evidence))
    return verdicts


Texts = Mapping[str, Sequence[tuple[int, str]]]  # {cluster: (hash of the id, text) of some records}


def clusters(sizes: Mapping[str, int], texts: Texts, results: Sequence[dict]) -> Section | None:
    """Return the sizes of clusters, with some texts of each, and their dendrogram.

    results: all that have no section of their own; of dt-cluster --summary, the clusters.
    """
    labelled = {
        int(result["cluster_label"]): result
        for result in results
        if is_number(result.get("cluster_label")) and is_number(result.get("n"))
    }
    sizes = sizes or {str(label): int(result["n"]) for label, result in labelled.items()}
    if not sizes:
        return None
    ordered = sorted(sizes.items(), key=lambda cluster: -cluster[1])
    where = f"the table has {min(len(sizes), MOST_LINES):,}"
    left_out = not_shown(sizes, MOST_CLUSTERS, "", where, "{most} largest of {all:,}")
    rows = [line([name, size, _some(texts, name)]) for name, size in ordered[:MOST_LINES]]
    shown = [
        Picture(
            "clusters",
            "Sizes of clusters",
            f"The records in each cluster.{left_out}",
            partial(pictures.bars, ordered[:MOST_CLUSTERS], "records", height=0.6, edgecolor=LINE),
            Table("Clusters", ["cluster", "records", "some of its texts"], rows),
        )
    ]
    joined = {
        label: (int(result["joins"]), float(result["height"]))
        for label, result in labelled.items()
        if is_number(result.get("joins")) and is_number(result.get("height"))
    }
    if joined and {*labelled} == {*range(1, len(joined) + 2)}:
        # clusters join groups that are called by a smaller number, and that join others later
        for label, (other, height) in joined.items():
            if not 1 <= other < label or joined.get(other, (0, height))[1] < height:
                raise RecordError(
                    f'"joins" and "height" of the cluster {label}, {other} and {height:g}, '
                    "make no tree with those of the others"
                )
        shown.append(_tree(labelled, joined, texts))
    return Section("clusters", "Clusters", [], [], shown)


def _some(texts: Texts, cluster: str) -> str:
    return " / ".join(text[:160] for _, text in sorted(texts.get(cluster, ()))[:3])


def _tree(
    labelled: Mapping[int, dict], joined: Mapping[int, tuple[int, float]], texts: Texts
) -> Picture:
    """Return the dendrogram of clusters; of very many, its upper part."""
    upper = sorted(joined, key=lambda label: -joined[label][1])[: MOST_CLUSTERS - 1]
    numbers = {label: place for place, label in enumerate(sorted([1, *upper]), 1)}
    drawn = {
        numbers[label]: (numbers[joined[label][0]], joined[label][1])
        for label in upper
        if joined[label][0] in numbers
    }
    names = [
        f"{label} ({labelled[label]['n']:,}) {_some(texts, str(label))}".strip()
        for label in sorted(numbers)
    ]
    where, which = (
        "each is called by its largest cluster",
        "{most} groups that merge last of {all:,}",
    )
    left_out = not_shown(labelled, len(names), "", where, which)
    rows = []
    for label in sorted(labelled)[:MOST_LINES]:
        joins, distance = joined.get(label, ("", None))
        rows.append(line([str(label), int(labelled[label]["n"]), str(joins), distance]))
    return Picture(
        "dendrogram",
        "Dendrogram of clusters",
        "Which clusters merge, and at what distance: the further left, the less they "
        f"are alike.{left_out}",
        partial(pictures.dendrogram, drawn, names),
        Table("Merges", ["cluster", "records", "joins", "at distance"], rows),
    )
