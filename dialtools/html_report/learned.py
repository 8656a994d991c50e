"""The sections on a training and on clusters."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from dialtools.html_report import pictures
from dialtools.html_report.inputs import File
from dialtools.html_report.parts import Picture, Section, Table, Verdict, line, not_shown, number
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


def training(logs: Sequence[dict], files: Sequence[File]) -> Section | None:
    """Return the curves of each training, and its warnings."""
    shown, warnings = [], []
    for name, lines in _logs(logs, files):
        epochs = [entry for entry in lines if is_number(entry.get("epoch"))]
        if picture := _picture(name, lines, epochs):
            shown.append(picture)
        told = [warning for entry in epochs for warning in _warnings(entry)]
        warnings += [f"{name}, {warning}." for warning in dict.fromkeys(told)]
    if len(warnings) > MOST_WARNINGS:
        more = len(warnings) - MOST_WARNINGS
        warnings[MOST_WARNINGS:] = [f"{more:,} more warnings are in the logs."]
    if not shown:
        return None
    return Section("training", "Training", warnings, [_counted(logs, files)], shown)


def _picture(name: str, lines: Sequence[dict], epochs: Sequence[dict]) -> Picture | None:
    """Return the curves of a training; None if it has none."""
    folds, curves = _folds(epochs), _curves(epochs)
    panels, about = _panels(curves) if len(folds) < 2 else _panels_of_folds(curves, folds)
    if not panels:
        return None
    if len(epochs) > MOST_LINES:
        about += f" The table has the first {MOST_LINES:,} of {len(epochs):,} epochs."
    gap = (
        "; the gap is how much worse the loss is with shuffled sources: near 0 the model does "
        "not read its input"
        if "gap" in curves
        else ""
    )
    fold = ["fold"] if len(folds) > 1 else []
    rows = []
    for entry in epochs[:MOST_LINES]:
        numbers = _flat(entry)
        values = [number(numbers.get(key), places=4) for key in curves]
        named = [_fold(entry)] if fold else []
        rows.append(line([*named, number(entry["epoch"], places=0), *values]))
    return Picture(
        f"training-{name}",
        f"Training, {name}",
        f"Each number of an epoch{gap}.{about}",
        partial(pictures.training, panels, None if fold else _best(lines)),
        Table("Epochs", [*fold, "epoch", *curves], rows),
    )


def _counted(logs: Sequence[dict], files: Sequence[File]) -> Table:
    """Return what each log says first: the model, the data, the settings."""
    rows = []
    for name, lines in _logs(logs, files):
        first = next((entry for entry in lines if not entry.keys() & {"epoch", "best"}), {})
        counts = [first[key] if type(first.get(key)) is int else None for key in _COUNTED]
        recipe = first.get("recipe")
        settings = recipe.items() if isinstance(recipe, dict) else ()
        text = ", ".join(f"{key}={value}" for key, value in settings if value is not None)
        rows.append(line([name, str(first.get("kind") or "–"), *counts, text]))
    return Table(
        "What was trained, and on how many records",
        ["training", "kind", *(key.replace("_", " ") for key in _COUNTED), "settings"],
        rows,
    )


def best(logs: Sequence[dict], files: Sequence[File]) -> list[Verdict]:
    """Return what the best epoch of each training has; of folds, the means of their last epochs."""
    verdicts = []
    for name, lines in _logs(logs, files):
        epochs = [entry for entry in lines if is_number(entry.get("epoch"))]
        folds = _folds(epochs)
        if len(folds) > 1:
            last = [_flat(of_fold[-1]) for of_fold in folds.values()]
            means = {
                key: fmean(numbers[key] for numbers in last)
                for key in last[0]
                if all(key in numbers for numbers in last)
            }
            blind = _blind(means, "the models hardly read their input")
            verdicts.append(
                Verdict(
                    f"{name}: {len(folds)} models, one for each fold.{blind}",
                    f"In the mean over the folds, after the last epoch: {_listed(means)}.",
                )
            )
            continue
        best_epoch = _best(lines)
        chosen = next((entry for entry in epochs if entry["epoch"] == best_epoch), None)
        if chosen:
            numbers = _flat(chosen)
            trained = sum(bool(entry["epoch"]) for entry in epochs)
            before = _listed(next((_flat(entry) for entry in epochs if not entry["epoch"]), {}))
            blind = _blind(numbers, "the model hardly reads its input")
            verdicts.append(
                Verdict(
                    f"{name}: of {trained} epochs number {chosen['epoch']:g} is the best.{blind}",
                    f"{_listed(numbers)}." + (f" Before training: {before}." if before else ""),
                )
            )
    return verdicts


def _listed(numbers: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {value:.4g}" for key, value in numbers.items() if value)


def _blind(numbers: Mapping[str, float], what: str) -> str:
    """Return that models do not read their input, where the gap says so."""
    gap = numbers.get("gap")
    return f" The gap is near 0: {what}." if gap is not None and gap < BLIND else ""


def _logs(logs: Sequence[dict], files: Sequence[File]) -> list[tuple[str, list[dict]]]:
    """Return the lines of each log, with the name of its file, or of its folder."""
    by_file: dict[int, list[dict]] = {}
    for entry in logs:
        by_file.setdefault(entry["file"], []).append(entry)
    return [(name_of(files[file]), entries) for file, entries in by_file.items()]


def name_of(file: File) -> str:
    """Return the name of a log: of its folder, where all are called log.

    >>> name_of(File("runs/one/log.jsonl", ""))
    'one'
    """
    stem = file.stem.removesuffix(".log")
    return os.path.basename(os.path.dirname(file.name)) or stem if stem == "log" else stem


def _fold(entry: dict) -> str:
    return ".".join(str(entry[key]) for key in ("repeat", "fold") if entry.get(key) is not None)


def _folds(epochs: Sequence[dict]) -> dict[str, list[dict]]:
    """Return the epochs of each fold; of one where there are none."""
    folds: dict[str, list[dict]] = {}
    for entry in epochs:
        folds.setdefault(_fold(entry), []).append(entry)
    return folds


def _best(lines: Sequence[dict]) -> float | None:
    bests = (entry.get("best") for entry in reversed(lines))
    return next((epoch for epoch in bests if is_number(epoch)), None)


def _flat(entry: dict) -> dict[str, float]:
    """Return the numbers of an epoch by name, those of an object within it by both names."""
    numbers: dict[str, float] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            within = {f"{key} {name}": number for name, number in value.items()}
            numbers |= {name: number for name, number in within.items() if is_number(number)}
        elif is_number(value) and key not in _ASIDE:
            numbers[key] = value
    return {key.replace("_", " "): value for key, value in numbers.items()}


def _warnings(entry: dict) -> list[str]:
    warnings = entry.get("warnings") or []
    return list(map(str, warnings if isinstance(warnings, list) else [warnings]))


def _curves(epochs: Sequence[dict]) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each number that changes, and of losses."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for entry in epochs:
        for key, value in _flat(entry).items():
            curves.setdefault(key, []).append((entry["epoch"], value))
    return {
        key: points
        for key, points in curves.items()
        if "loss" in key or "gap" in key or len({value for _, value in points}) > 1
    }


Panel = tuple[str, Mapping[str, Sequence[tuple[float, float]]]]


def _panels(curves: Mapping[str, Sequence[tuple[float, float]]]) -> tuple[list[Panel], str]:
    """Return the curves in panels, losses together, and a sentence on what is left out."""
    keys = _chosen(curves)
    losses = {key: points for key, points in curves.items() if "loss" in key}
    panels: list[Panel] = [("loss", losses)] if losses else []
    return panels + [(key, {key: curves[key]}) for key in keys[:MOST_PANELS]], _in_table(keys)


def _panels_of_folds(
    curves: Mapping[str, Sequence], folds: Mapping[str, Sequence[dict]]
) -> tuple[list[Panel], str]:
    """Return a panel for each number, with a curve for each fold."""
    keys = [key for key in ("dev loss", "loss") if key in curves][:1] + _chosen(curves)
    numbers = {
        f"fold {fold}": [(entry["epoch"], _flat(entry)) for entry in entries]
        for fold, entries in folds.items()
    }
    panels: list[Panel] = [
        (
            key,
            {
                fold: [(epoch, flat[key]) for epoch, flat in entries if key in flat]
                for fold, entries in numbers.items()
            },
        )
        for key in keys[: MOST_PANELS + 1]
    ]
    return panels, _in_table(keys[1:])


def _chosen(curves: Mapping[str, Sequence]) -> list[str]:
    """Return the numbers with panels of their own, the gap first, settings of the model last."""
    keys = [key for key in curves if "loss" not in key]
    return sorted(keys, key=lambda key: ("gap" not in key, key in _SETTINGS))


def _in_table(keys: Sequence[str]) -> str:
    without_panel = keys[MOST_PANELS:]
    return f" {', '.join(without_panel)}: in the table alone." if without_panel else ""


def clusters(
    sizes: Mapping[str, int],
    texts: Mapping[str, Sequence[tuple[int, str]]],
    results: Sequence[dict],
) -> Section | None:
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
            partial(pictures.clusters, dict(ordered[:MOST_CLUSTERS])),
            Table("Clusters", ["cluster", "records", "some of its texts"], rows),
        )
    ]
    joined = {
        label: (int(result["joins"]), float(result["height"]))
        for label, result in labelled.items()
        if is_number(result.get("joins")) and is_number(result.get("height"))
    }
    if joined and {*labelled} == {*range(1, len(joined) + 2)}:
        _check_tree(joined)
        shown.append(_tree(labelled, joined, texts))
    return Section("clusters", "Clusters", [], [], shown)


def _some(texts: Mapping[str, Sequence[tuple[int, str]]], cluster: str) -> str:
    return " / ".join(text[:160] for _, text in sorted(texts.get(cluster, ()))[:3])


def _check_tree(joined: Mapping[int, tuple[int, float]]) -> None:
    """Raise RecordError unless clusters join groups that are called by a smaller number, and that
    join others later.
    """
    for label, (other, height) in joined.items():
        if not 1 <= other < label or joined.get(other, (0, height))[1] < height:
            raise RecordError(
                f'"joins" and "height" of the cluster {label}, {other} and {height:g}, '
                "make no tree with those of the others"
            )


def _tree(
    labelled: Mapping[int, dict],
    joined: Mapping[int, tuple[int, float]],
    texts: Mapping[str, Sequence[tuple[int, str]]],
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
    left_out = not_shown(
        labelled,
        len(names),
        "",
        "each is called by its largest cluster",
        "{most} groups that merge last of {all:,}",
    )
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
