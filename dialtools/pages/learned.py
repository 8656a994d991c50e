"""The sections on a training and on clusters."""

from collections.abc import Mapping, Sequence
from functools import partial

from dialtools.pages import pictures
from dialtools.pages.inputs import File
from dialtools.pages.parts import (
    Cell, Line, Picture, Section, Table, Verdict, count, number)
from dialtools.records.wellformed import is_number

MOST_CLUSTERS = 40
MOST_PANELS = 5  # beside that of the losses
BLIND = 0.05  # nats: a smaller gap between right and shuffled sources says nothing
_ASIDE = ("epoch", "step", "seconds", "file", "best", "learning_rate", "tokens_per_second",
          "padding", "batch_tokens", "outputs")


def training(logs: Sequence[dict], files: Sequence[File]) -> Section | None:
    """Return the curves of each training, and what the best epoch has."""
    made, sentences = [], []
    for name, own in _trainings(logs, files):
        epochs = [line for line in own if is_number(line.get("epoch"))]
        curves = _curves(epochs)
        panels = _panels(curves)
        if panels:
            columns = list(curves)
            rows = [Line([number(line["epoch"], 0),
                          *(number(_flat(line).get(key), 4) for key in columns)])
                    for line in epochs]
            made.append(Picture(f"training-{name}", f"Training, {name}",
                                "Each number of an epoch; the gap is how much worse the loss is "
                                "with shuffled sources: near 0 the model does not read its input.",
                                partial(pictures.training, panels, _best(own)),
                                Table("Epochs", ["epoch", *columns], rows)))
        sentences += dict.fromkeys(f"{name}, {warning}." for line in epochs
                                   for warning in _warnings(line))
    return Section("training", "Training", sentences, [], made, best(logs, files)) \
        if made else None


def best(logs: Sequence[dict], files: Sequence[File]) -> list[Verdict]:
    """Return what the best epoch of each training has."""
    said = []
    for name, own in _trainings(logs, files):
        epochs = [line for line in own if is_number(line.get("epoch"))]
        chosen = next((line for line in epochs if line["epoch"] == _best(own)), None)
        if chosen:
            known = _flat(chosen)
            numbers = ", ".join(f"{key} {value:.4g}" for key, value in known.items() if value)
            gap = known.get("gap")
            blind = " The gap is near 0: the model hardly reads its input." \
                if gap is not None and gap < BLIND else ""
            said.append(Verdict(f"{name}: of {len(epochs)} epochs number {chosen['epoch']:g} is "
                                f"the best.{blind}", f"{numbers}."))
    return said


def _trainings(logs: Sequence[dict], files: Sequence[File]) -> list[tuple[str, list[dict]]]:
    """Return the lines of each training, with the name of its file."""
    found: dict[int, list[dict]] = {}
    for line in logs:
        found.setdefault(line["file"], []).append(line)
    return [(files[file].stem, own) for file, own in found.items()]


def _best(lines: Sequence[dict]) -> float | None:
    return next((line["best"] for line in reversed(lines) if is_number(line.get("best"))), None)


def _flat(line: dict) -> dict[str, float]:
    """Return the numbers of an epoch by name, those of an object within it by both names."""
    found: dict[str, float] = {}
    for key, value in line.items():
        if isinstance(value, dict):
            found |= {f"{key} {name}": number for name, number in value.items()
                      if is_number(number)}
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
    return {key: points for key, points in found.items()
            if "loss" in key or "gap" in key or len({value for _, value in points}) > 1}


def _panels(curves: Mapping[str, Sequence[tuple[float, float]]]) -> list[tuple[str, dict]]:
    """Return the curves in panels: losses together, all others by themselves."""
    losses = {key: points for key, points in curves.items() if "loss" in key}
    others = [(key, {key: points}) for key, points in curves.items() if key not in losses]
    others.sort(key=lambda panel: "gap" not in panel[0])
    return ([("loss", losses)] if losses else []) + others[:MOST_PANELS]


def clusters(sizes: Mapping[str, int],
             texts: Mapping[str, Sequence[tuple[int, str]]]) -> Section | None:
    """Return the sizes of clusters, with some texts of each."""
    if not sizes:
        return None
    largest = dict(sorted(sizes.items(), key=lambda item: -item[1])[:MOST_CLUSTERS])
    left = f" Shown are the {MOST_CLUSTERS} largest of {len(sizes):,}." \
        if len(sizes) > len(largest) else ""
    rows = [Line([Cell(name), count(size), Cell(" / ".join(text[:160] for _, text in
                                                           sorted(texts[name])[:3]))])
            for name, size in largest.items()]
    picture = Picture("clusters", "Sizes of clusters", f"The records in each cluster.{left}",
                      partial(pictures.clusters, largest),
                      Table("Clusters", ["cluster", "records", "some of its texts"], rows))
    return Section("clusters", "Clusters", [], [], [picture])
