"""The sections on a training and on clusters."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from dialtools.html_report import pictures
from dialtools.html_report.inputs import File
from dialtools.html_report.parts import Cell, Line, Picture, Section, Table, Verdict, count, number
from dialtools.records.wellformed import is_number

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
    named = [
        (name, own, [line for line in own if is_number(line.get("epoch"))])
        for name, own in _logs(logs, files)
    ]
    made = [picture for one in named if (picture := _picture(*one))]
    said = [
        warning
        for name, _, epochs in named
        for warning in dict.fromkeys(
            f"{name}, {warning}." for line in epochs for warning in _warnings(line)
        )
    ]
    if len(said) > MOST_WARNINGS:
        said[MOST_WARNINGS:] = [f"{len(said) - MOST_WARNINGS:,} more warnings are in the logs."]
    return Section("training", "Training", said, [_counted(logs, files)], made) if made else None


def _picture(name: str, lines: Sequence[dict], epochs: Sequence[dict]) -> Picture | None:
    """Return the curves of a training; None if it has none."""
    folds, curves = _folds(epochs), _curves(epochs)
    panels, left = _panels(curves) if len(folds) < 2 else _panels_of_folds(curves, folds)
    if not panels:
        return None
    if len(epochs) > MOST_LINES:
        left += f" The table has the first {MOST_LINES:,} of {len(epochs):,} epochs."
    gap = (
        "; the gap is how much worse the loss is with shuffled sources: near 0 the model does "
        "not read its input"
        if "gap" in curves
        else ""
    )
    more = ["fold"] if len(folds) > 1 else []
    rows = [
        Line(
            [
                *(Cell(_fold(line)) for _ in more),
                number(line["epoch"], 0),
                *(number(_flat(line).get(key), 4) for key in curves),
            ]
        )
        for line in epochs[:MOST_LINES]
    ]
    return Picture(
        f"training-{name}",
        f"Training, {name}",
        f"Each number of an epoch{gap}.{left}",
        partial(pictures.training, panels, None if more else _best(lines)),
        Table("Epochs", [*more, "epoch", *curves], rows),
    )


def _counted(logs: Sequence[dict], files: Sequence[File]) -> Table:
    """Return what each log says first: the model, the data, the settings."""
    rows = []
    for name, own in _logs(logs, files):
        first = next((line for line in own if "epoch" not in line and "best" not in line), {})
        numbers = [
            count(first[key]) if type(first.get(key)) is int else Cell("–", True)
            for key in _COUNTED
        ]
        recipe = first.get("recipe")
        settings = (
            ", ".join(f"{key}={value}" for key, value in recipe.items() if value is not None)
            if isinstance(recipe, dict)
            else ""
        )
        rows.append(
            Line([Cell(name), Cell(str(first.get("kind") or "–")), *numbers, Cell(settings)])
        )
    return Table(
        "What was trained, and on how many records",
        ["training", "kind", *(key.replace("_", " ") for key in _COUNTED), "settings"],
        rows,
    )


def best(logs: Sequence[dict], files: Sequence[File]) -> list[Verdict]:
    """Return what the best epoch of each training has; of folds, the means of their last epochs."""
    said = []
    for name, own in _logs(logs, files):
        epochs = [line for line in own if is_number(line.get("epoch"))]
        folds = _folds(epochs)
        if len(folds) > 1:
            said.append(_of_folds(name, folds))
            continue
        chosen = next((line for line in epochs if line["epoch"] == _best(own)), None)
        if chosen:
            known = _flat(chosen)
            trained = [line for line in epochs if line["epoch"]]
            before = next((_flat(line) for line in epochs if not line["epoch"]), {})
            was = ", ".join(f"{key} {value:.4g}" for key, value in before.items() if value)
            was = f" Before training: {was}." if was else ""
            numbers = ", ".join(f"{key} {value:.4g}" for key, value in known.items() if value)
            gap = known.get("gap")
            blind = (
                " The gap is near 0: the model hardly reads its input."
                if gap is not None and gap < BLIND
                else ""
            )
            said.append(
                Verdict(
                    f"{name}: of {len(trained)} epochs number "
                    f"{chosen['epoch']:g} is the best.{blind}",
                    f"{numbers}.{was}",
                )
            )
    return said


def _of_folds(name: str, folds: Mapping[str, Sequence[dict]]) -> Verdict:
    last = [_flat(lines[-1]) for lines in folds.values()]
    means = {
        key: fmean(one[key] for one in last) for key in last[0] if all(key in one for one in last)
    }
    numbers = ", ".join(f"{key} {value:.4g}" for key, value in means.items() if value)
    gap = means.get("gap")
    blind = (
        " The gap is near 0: the models hardly read their input."
        if gap is not None and gap < BLIND
        else ""
    )
    return Verdict(
        f"{name}: {len(folds)} models, one for each fold.{blind}",
        f"In the mean over the folds, after the last epoch: {numbers}.",
    )


def _logs(logs: Sequence[dict], files: Sequence[File]) -> list[tuple[str, list[dict]]]:
    """Return the lines of each log, with the name of its file, or of its folder."""
    found: dict[int, list[dict]] = {}
    for line in logs:
        found.setdefault(line["file"], []).append(line)
    return [(_called(files[file]), own) for file, own in found.items()]


def _called(file: File) -> str:
    """Return the name of a log: of its folder, where all are called log.

    >>> from collections import Counter
    >>> _called(File("runs/one/log.jsonl", "", True, Counter(), {}))
    'one'
    """
    stem = file.stem.removesuffix(".log")
    return os.path.basename(os.path.dirname(file.name)) or stem if stem == "log" else stem


def _fold(line: dict) -> str:
    return ".".join(str(line[key]) for key in ("repeat", "fold") if line.get(key) is not None)


def _folds(epochs: Sequence[dict]) -> dict[str, list[dict]]:
    """Return the epochs of each fold; of one where there are none."""
    found: dict[str, list[dict]] = {}
    for line in epochs:
        found.setdefault(_fold(line), []).append(line)
    return found


def _best(lines: Sequence[dict]) -> float | None:
    return next((line["best"] for line in reversed(lines) if is_number(line.get("best"))), None)


def _flat(line: dict) -> dict[str, float]:
    """Return the numbers of an epoch by name, those of an object within it by both names."""
    found: dict[str, float] = {}
    for key, value in line.items():
        if isinstance(value, dict):
            found |= {
                f"{key} {name}": number for name, number in value.items() if is_number(number)
            }
        elif is_number(value) and key not in _ASIDE:
            found[key] = value
    return {key.replace("_", " "): value for key, value in found.items()}


def _warnings(line: dict) -> list[str]:
    given = line.get("warnings") or []
    return [str(one) for one in (given if isinstance(given, list) else [given])]


def _curves(epochs: Sequence[dict]) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each number that changes, and of losses."""
    found: dict[str, list[tuple[float, float]]] = {}
    for line in epochs:
        for key, value in _flat(line).items():
            found.setdefault(key, []).append((line["epoch"], value))
    return {
        key: points
        for key, points in found.items()
        if "loss" in key or "gap" in key or len({value for _, value in points}) > 1
    }


Panel = tuple[str, Mapping[str, Sequence[tuple[float, float]]]]


def _panels(curves: Mapping[str, Sequence[tuple[float, float]]]) -> tuple[list[Panel], str]:
    """Return the curves in panels, losses together, and a sentence on what is left out."""
    losses = {key: points for key, points in curves.items() if "loss" in key}
    others: list[Panel] = [(key, {key: curves[key]}) for key in _chosen(curves)]
    made: list[Panel] = [("loss", losses)] if losses else []
    return made + others[:MOST_PANELS], _left([key for key, _ in others])


def _panels_of_folds(
    curves: Mapping[str, Sequence], folds: Mapping[str, Sequence[dict]]
) -> tuple[list[Panel], str]:
    """Return a panel for each number, with a curve for each fold."""
    keys = [key for key in ("dev loss", "loss") if key in curves][:1] + _chosen(curves)
    panels: list[Panel] = []
    for key in keys[: MOST_PANELS + 1]:
        own = {
            f"fold {fold}": [
                (line["epoch"], _flat(line)[key]) for line in lines if key in _flat(line)
            ]
            for fold, lines in folds.items()
        }
        panels.append((key, own))
    return panels, _left(keys[1:])


def _chosen(curves: Mapping[str, Sequence]) -> list[str]:
    """Return the numbers with panels of their own, the gap first, settings of the model last."""
    keys = [key for key in curves if "loss" not in key]
    return sorted(keys, key=lambda key: ("gap" not in key, key in _SETTINGS))


def _left(keys: Sequence[str]) -> str:
    left = keys[MOST_PANELS:]
    return f" {', '.join(left)}: in the table alone." if left else ""


def clusters(
    sizes: Mapping[str, int],
    texts: Mapping[str, Sequence[tuple[int, str]]],
    results: Sequence[dict],
) -> Section | None:
    """Return the sizes of clusters, with some texts of each, and their dendrogram.

    results: all that have no section of their own; of dt-cluster --summary, the clusters.
    """
    found = {
        int(result["cluster_label"]): result
        for result in results
        if is_number(result.get("cluster_label")) and is_number(result.get("n"))
    }
    sizes = sizes or {str(label): int(result["n"]) for label, result in found.items()}
    if not sizes:
        return None
    largest = dict(sorted(sizes.items(), key=lambda item: -item[1])[:MOST_CLUSTERS])
    left = (
        f" Shown are the {MOST_CLUSTERS} largest of {len(sizes):,}; the table has "
        f"{min(len(sizes), MOST_LINES):,}."
        if len(sizes) > len(largest)
        else ""
    )
    ordered = sorted(sizes.items(), key=lambda item: -item[1])[:MOST_LINES]
    rows = [
        Line([Cell(name), count(size), Cell(_some(texts.get(name, ())))]) for name, size in ordered
    ]
    table = Table("Clusters", ["cluster", "records", "some of its texts"], rows)
    made = [
        Picture(
            "clusters",
            "Sizes of clusters",
            f"The records in each cluster.{left}",
            partial(pictures.clusters, largest),
            table,
        )
    ]
    joined = {
        label: (int(result["joins"]), float(result["height"]))
        for label, result in found.items()
        if is_number(result.get("joins"))
    }
    if joined and {*found} == {*range(1, len(joined) + 2)}:
        made.append(_tree(found, joined, texts))
    return Section("clusters", "Clusters", [], [], made)


def _some(texts: Sequence[tuple[int, str]]) -> str:
    return " / ".join(text[:160] for _, text in sorted(texts)[:3])


def _tree(
    found: Mapping[int, dict],
    joined: Mapping[int, tuple[int, float]],
    texts: Mapping[str, Sequence[tuple[int, str]]],
) -> Picture:
    """Return the dendrogram of clusters; of very many, its upper part."""
    first = sorted(joined, key=lambda label: -joined[label][1])[: MOST_CLUSTERS - 1]
    numbers = {label: place for place, label in enumerate(sorted([1, *first]), 1)}
    kept = {
        numbers[label]: (numbers[joined[label][0]], joined[label][1])
        for label in first
        if joined[label][0] in numbers
    }
    names = [
        f"{label} ({found[label]['n']:,}) {_some(texts.get(str(label), ()))}".strip()
        for label in sorted(numbers)
    ]
    left = (
        f" Shown are the {len(names)} groups that merge last of {len(found):,}; each is "
        "called by its largest cluster."
        if len(names) < len(found)
        else ""
    )
    rows = [
        Line(
            [
                Cell(str(label)),
                count(int(found[label]["n"])),
                Cell(str(joined[label][0]) if label in joined else ""),
                number(joined[label][1] if label in joined else None),
            ]
        )
        for label in sorted(found)[:MOST_LINES]
    ]
    return Picture(
        "dendrogram",
        "Dendrogram of clusters",
        "Which clusters merge, and at what distance: the further left, the less they "
        f"are alike.{left}",
        partial(pictures.dendrogram, kept, names),
        Table("Merges", ["cluster", "records", "joins", "at distance"], rows),
    )
