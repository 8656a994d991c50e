"""The sections on a training and on clusters."""

from collections.abc import Mapping, Sequence
from functools import partial

from dialtools.pages import pictures
from dialtools.pages.inputs import File
from dialtools.pages.parts import Cell, Line, Picture, Section, Table, count, number
from dialtools.records.wellformed import is_number

MOST_CLUSTERS = 40
MOST_PANELS = 5  # beside that of the losses
BLIND = 0.05  # nats: a smaller gap between right and shuffled sources says nothing
_ASIDE = ("epoch", "step", "seconds", "file", "best", "learning_rate", "tokens_per_second",
          "padding", "batch_tokens", "outputs")


def training(logs: Sequence[dict], files: Sequence[File]) -> Section | None:
    """Return the curves of each training, and what the best epoch has."""
    made, sentences = [], []
    for file in dict.fromkeys(line["file"] for line in logs):
        own = [line for line in logs if line["file"] == file]
        epochs = [line for line in own if is_number(line.get("epoch"))]
        best = next((line["best"] for line in reversed(own) if is_number(line.get("best"))), None)
        curves = _curves(epochs)
        panels = _panels(curves)
        name = files[file].stem
        if panels:
            columns = list(curves)
            rows = [Line([number(line["epoch"], 0),
                          *(number(_flat(line).get(key), 4) for key in columns)])
                    for line in epochs]
            made.append(Picture(f"training-{name}", f"Training, {name}",
                                "Each number of an epoch; the gap is how much worse the loss is "
                                "with shuffled sources: near 0 the model does not read its input.",
                                partial(pictures.training, panels, best),
                                Table("Epochs", ["epoch", *columns], rows)))
        sentences += _said(name, epochs, best)
        sentences += dict.fromkeys(f"{name}, epoch {line['epoch']}: {warning}" for line in epochs
                                   for warning in _warnings(line))
    return Section("training", "Training", sentences, [], made) if made else None


def _flat(line: dict) -> dict[str, float]:
    """Return the numbers of an epoch, those of an object within it by "key name"."""
    found: dict[str, float] = {}
    for key, value in line.items():
        if isinstance(value, dict):
            found |= {f"{key} {name}": number for name, number in value.items()
                      if is_number(number)}
        elif is_number(value) and key not in _ASIDE:
            found[key] = value
    return found


def _warnings(line: dict) -> list[str]:
    given = line.get("warnings") or []
    return [str(one) for one in (given if isinstance(given, list) else [given])]


def _curves(epochs: Sequence[dict]) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for line in epochs:
        for key, value in _flat(line).items():
            found.setdefault(key, []).append((line["epoch"], value))
    return found


def _panels(curves: Mapping[str, Sequence[tuple[float, float]]]) -> list[tuple[str, dict]]:
    """Return the curves in panels: losses together, all others by themselves."""
    losses = {key: points for key, points in curves.items() if "loss" in key}
    others = [(key, {key: points}) for key, points in curves.items() if key not in losses]
    others.sort(key=lambda panel: "gap" not in panel[0])
    return ([("loss", losses)] if losses else []) + others[:MOST_PANELS]


def _said(name: str, epochs: Sequence[dict], best: float | None) -> list[str]:
    """Return what the best epoch of a training has, in a sentence."""
    chosen = next((line for line in epochs if line["epoch"] == best), None)
    if not chosen:
        return []
    numbers = ", ".join(f"{key.replace('_', ' ')} {value:.4g}"
                        for key, value in _flat(chosen).items())
    gap = next((value for key, value in _flat(chosen).items() if "gap" in key), None)
    blind = " The gap is near 0: the model hardly reads its input." \
        if gap is not None and gap < BLIND else ""
    return [f"{name}: the best of {len(epochs)} epochs is the one with number {best:g} "
            f"({numbers}).{blind}"]


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
