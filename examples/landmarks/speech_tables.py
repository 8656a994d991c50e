"""Lay the results of all runs out as the tables of the paper.

    python3 speech_tables.py quality|ablation|models|attention FOLDER …

FOLDER/EXTRACTOR.SPEAKER.ROW.SEED has log.jsonl and scored.jsonl.  A row is the system's name; several
seeds give mean ± standard deviation.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean, stdev

METRICS = {"stoi": "STOI", "estoi": "ESTOI", "pesq": "PESQ"}
NAMES = {"faces": "Lip2Wav", "lips": "Ours", "whole": "WF", "flat": "Lips, 2D", "fan": "FAN, WF"}
Numbers = dict[tuple[str, str, str], list[float]]  # speaker, row, metric: a number a seed


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def named(folder: Path) -> tuple[str, str]:
    """Return speaker and row of a run; FAN's landmarks are a row of their own."""
    extractor, speaker, row, _ = folder.name.split(".")
    return speaker, "fan" if extractor == "fan" else row


def qualities(folders: Iterable[Path]) -> Numbers:
    """Return the means of each run; "other" and "vocoder" are those beside the lips."""
    numbers: Numbers = defaultdict(list)
    for folder in folders:
        speaker, row = named(folder)
        scores = defaultdict(list)
        for record in lines(folder / "scored.jsonl"):
            system = row if record["system"] == "model" else record["system"]
            if system == row or row == "lips":
                for metric, score in record["scores"].items():
                    scores[speaker, system, metric].append(score)
        for key, values in scores.items():
            numbers[key].append(fmean(values))
    return numbers


def shown(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.3f}" + (f" ± {stdev(values):.3f}" if len(values) > 1 else "")


def table(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def quality(folders: list[Path]) -> None:
    """Table 3: the total is the mean of the speakers, seed by seed."""
    numbers = qualities(folders)
    speakers = list(dict.fromkeys(speaker for speaker, _, _ in numbers))
    rows = [
        row
        for row in ("faces", "lips", "other", "vocoder")
        if any((speaker, row, "stoi") in numbers for speaker in speakers)
    ]
    cells_of_table = [["Sub-dataset", "Metrics", *(NAMES.get(row, row) for row in rows)]]
    for speaker in speakers:
        for metric, name in METRICS.items():
            cells_of_table.append(
                [speaker, name, *(shown(numbers[speaker, row, metric]) for row in rows)]
            )
    for metric, name in METRICS.items():
        cells = []
        for row in rows:
            seeds = zip(*(numbers[speaker, row, metric] for speaker in speakers), strict=True)
            cells.append(shown([fmean(seed) for seed in seeds]))
        cells_of_table.append(["total result", name, *cells])
    table(cells_of_table)


def ablation(folders: list[Path]) -> None:
    """Table 4, and lips without depth, on the first speaker."""
    numbers, sizes = qualities(folders), {}
    first = named(folders[0])[0]
    for folder in folders:
        speaker, row = named(folder)
        if speaker == first:
            sizes[row] = lines(folder / "log.jsonl")[-1]
    rows = [row for row in ("whole", "lips", "flat", "fan") if row in sizes]
    heads = ["FAN" if row == "fan" else "MPFM" for row in rows]
    contents = {"whole": "WF", "lips": "Lips", "flat": "Lips, 2D", "fan": "WF"}
    table(
        [
            ["Extractor", *heads],
            ["Contents", *(contents[row] for row in rows)],
            *(
                [name.capitalize(), *(str(sizes[row][name]) for row in rows)]
                for name in ("landmarks", "channels", "embedding")
            ),
            *(
                [name, *(shown(numbers[first, row, metric]) for row in rows)]
                for metric, name in METRICS.items()
            ),
        ]
    )


def models(folders: list[Path]) -> None:
    """Table 2.  Convergence: when the error on the held-out part is first within 5 % of its lowest."""
    first = named(folders[0])[0]
    runs = defaultdict(list)
    for folder in folders:
        speaker, row = named(folder)
        if speaker == first and row in ("faces", "lips"):
            runs[row].append(lines(folder / "log.jsonl"))
    rows = [row for row in ("faces", "lips") if runs[row]]

    def converged(log: list[dict]) -> float:
        low = min(report["dev"] for report in log)
        return next(report["seconds"] for report in log if report["dev"] <= 1.05 * low)

    last = {row: runs[row][0][-1] for row in rows}
    pace = {row: [log[-1]["seconds"] / log[-1]["step"] for log in runs[row]] for row in rows}
    table(
        [
            ["Models", *(NAMES[row] for row in rows)],
            ["Batch size", *(str(last[row]["batch"]) for row in rows)],
            ["Parameters", *(f"{last[row]['parameters'] / 1e6:.2f} M" for row in rows)],
            ["MACs", *(f"{last[row]['macs'] * last[row]['batch'] / 1e9:.2f} G" for row in rows)],
            ["Single iteration", *(f"{fmean(pace[row]):.3f} sec" for row in rows)],
            ["Convergence", *(f"{fmean(map(converged, runs[row])):.0f} sec" for row in rows)],
        ]
    )


def attention(folders: list[Path]) -> None:
    """Figure 2: the weights of six moments of training, and in words how much of them is near the diagonal."""
    folder = next(folder for folder in folders if named(folder)[1] == "lips")
    log, images = lines(folder / "log.jsonl"), folder / "model.attention.npy"
    picked = sorted({round(i * (len(log) - 1) / 5) for i in range(6)})
    table(
        [
            ["Step", *(str(log[i]["step"]) for i in picked)],
            ["Attention within a frame", *(str(log[i]["diagonal"]) for i in picked)],
        ]
    )
    try:
        import matplotlib
        import numpy as np
    except ImportError:
        print("no picture of it: pip install matplotlib")
        return
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(9, 6), layout="constrained")
    for axis, i in zip(axes.flat, picked, strict=False):
        axis.imshow(np.load(images)[i].T, aspect="auto", origin="lower")
        axis.set(title=f"step {log[i]['step']}", xlabel="decoder", ylabel="encoder")
    figure.savefig(folder.parent / "attention.png", dpi=100)


if __name__ == "__main__":
    {"quality": quality, "ablation": ablation, "models": models, "attention": attention}[
        sys.argv[1]
    ]([Path(folder) for folder in sys.argv[2:]])
