"""Compare the rows of an experiment over seeds and dialogues, and mark those that are remedies.

    python3 compare.py METRIC scores.jsonl sources.jsonl names.tsv test.jsonl

scores.jsonl holds the results of dt-score --sensitivity for each run, sources.jsonl those of
--per-source, both with the "seed" of the run; names.tsv, with a name first in each line, what may
stand in an output as a name; test.jsonl has the references.

The test: a difference of two rows in S is the mean over seeds and dialogues.  Its standard error is
the root of the sum of two squares, the standard error over seeds (of the means over dialogues) and
that over dialogues (of the means over seeds), so that the test speaks of other trainings and of
other dialogues.  t has Satterthwaite's degrees of freedom; its square is the minF' of Clark 1973,
https://doi.org/10.1016/S0022-5371(73)80014-3.  p is corrected by Holm for all tests together.

A star: S is lower than that of vanilla (p < 0.05), and the row is no worse at its task.  A row that
says the same of every dialogue, but for the names, has a low S, and yet a control near 100 and
distinct outputs, because the names differ.  Hence a star also needs a quality of no more than a
point below that of vanilla, and nine tenths of its contents, or of those of the references where
these are fewer: "contents" is the number of distinct texts, of one for each dialogue, once the
names are taken out.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import NamedTuple

from scipy.stats import t as t_distribution

PLAIN = "vanilla"
# Rows that have the same data, without the losses.
WITHOUT_LOSSES = {"ins": "aug", "freins": "freaug"}
QUALITY = 1.0  # points that a remedy may cost
CONTENTS = 0.9  # the share of contents that it must have

Key = tuple[str, str]  # a row, and the pool of the names it is tested with


class Difference(NamedTuple):
    """A difference of two rows in S, in points, with half its 95 % interval, and p."""

    mean: float
    half: float
    p: float


def crossed(differences: Sequence[Sequence[float]]) -> Difference:
    """Return the test of the mean difference; there is a list for each seed, place by place of one dialogue."""
    by_seed = [fmean(one) for one in differences]
    by_dialogue = [fmean(column) for column in zip(*differences, strict=True)]
    mean = fmean(by_seed)
    squares = [(variance(means) / len(means), len(means) - 1) for means in (by_seed, by_dialogue)]
    total = sum(square for square, _ in squares)
    if not total:
        return Difference(mean, 0.0, 0.0 if mean else 1.0)
    freedom = total**2 / sum(square**2 / df for square, df in squares)
    half = float(t_distribution.ppf(0.975, freedom)) * sqrt(total)
    return Difference(mean, half, float(2 * t_distribution.sf(abs(mean) / sqrt(total), freedom)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p corrected for the number of tests (Holm 1979), in the order given."""
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def contents(texts: Sequence[str], names: set[str]) -> int:
    """Return how many texts are distinct once the names are taken out."""
    nameless = {
        " ".join(word for word in re.findall(r"\w+", text) if word not in names) for text in texts
    }
    return len(nameless)


def rows_of(scores: Sequence[dict], sources: Sequence[dict], names: set[str]) -> dict[Key, dict]:
    """Return what is shown of each row and pool: means over the seeds, in percent."""
    runs = defaultdict(list)
    for result in scores:
        if result.get("by") == "pool" and "S" in result:
            runs[result["system"], result["group"]].append(result)
    outputs = defaultdict(lambda: defaultdict(list))
    for source in sources:
        outputs[source["system"], source["pool"]][source["seed"]].append(source["outputs"][0])
    shown = ("mean", "S", "control", "distinct")
    return {
        key: {name: fmean(run[name] for run in runs[key]) for name in shown}
        | {"contents": fmean(contents(texts, names) for texts in by_seed.values())}
        for key, by_seed in outputs.items()
    }


def compared(sources: Sequence[dict], metric: str) -> dict[tuple[Key, Key], Difference]:
    """Return the differences of rows from vanilla, and of those with losses from those without.

    Rows with names of the same pool are compared; where vanilla has not that pool, with each of its own.
    """
    changes = defaultdict(lambda: defaultdict(dict))
    for source in sources:
        key = source["system"], source["pool"]
        changes[key][source["seed"]][source["id"]] = source["scores"][f"S:{metric}"]
    pairs = [
        (key, baseline)
        for key, baseline in product(changes, changes)
        if baseline[0] in (PLAIN, WITHOUT_LOSSES.get(key[0]))
        and key[0] != baseline[0]
        and (key[1] == baseline[1] or (baseline[0], key[1]) not in changes)
    ]
    tests = []
    for key, baseline in pairs:
        one, two = changes[key], changes[baseline]
        ids = sorted(set.intersection(*(set(run) for row in (one, two) for run in row.values())))
        tests.append(crossed([[one[seed][i] - two[seed][i] for i in ids] for seed in one]))
    p_values = holm([test.p for test in tests])
    return {pair: test._replace(p=p) for pair, test, p in zip(pairs, tests, p_values, strict=True)}


def is_remedy(key: Key, rows: dict[Key, dict], differences: dict, most: int) -> bool:
    """Return whether a row is less sensitive than vanilla, and no worse at its task.

    most: the contents of the references.
    """
    against = {
        baseline: test
        for (one, baseline), test in differences.items()
        if (one, baseline[0]) == (key, PLAIN)
    }
    return bool(against) and all(
        test.mean < 0
        and test.p < 0.05
        and rows[key]["mean"] >= rows[baseline]["mean"] - QUALITY
        and rows[key]["contents"] >= CONTENTS * min(rows[baseline]["contents"], most)
        for baseline, test in against.items()
    )


def read(file: str) -> list[dict]:
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def main(metric: str, scores_file: str, sources_file: str, names_file: str, test_file: str) -> None:
    scores = [result for result in read(scores_file) if result["metric"] == metric]
    sources = read(sources_file)
    lines = Path(names_file).read_text(encoding="utf-8").splitlines()
    names = {line.split("\t")[0] for line in lines}
    references = [record["reference"] for record in read(test_file)]
    most = contents([one if isinstance(one, str) else one[0] for one in references], names)
    seeds = {source["seed"] for source in sources}
    rows = rows_of(scores, sources, names)
    differences = compared(sources, metric) if len(seeds) > 1 else {}
    print(f"{metric}, means of {len(seeds)} seeds, {scores[0]['n']} dialogues of {most} contents\n")
    width = 1 + max(8, *(len(name) for name, _ in rows))
    print(
        f"{'row':<{width}}{'names':<9}{'quality':>8}{'S ↓':>7}{'control':>9}{'distinct':>10}{'contents':>10}"
    )
    for key, row in rows.items():
        star = " *" if is_remedy(key, rows, differences, most) else ""
        print(
            f"{key[0]:<{width}}{key[1]:<9}{row['mean']:>8.1f}{row['S']:>7.1f}{row['control']:>9.1f}"
            f"{row['distinct']:>10.1f}{row['contents']:>10.1f}{star}"
        )
    if len(seeds) == 1:
        print('\nNo test of one seed: make SEEDS="1 2 3"')
        return
    print("\n* S lower than that of vanilla (p < 0.05), quality and contents kept\n")
    print("Difference in S ± 95 % interval, p by Holm over seeds and dialogues")
    for (one, baseline), test in differences.items():
        pair = f"{' '.join(one)} − {' '.join(baseline)}"
        p = "< 0.001" if test.p < 0.001 else f"= {test.p:.3f}"
        print(f"{pair:<34}{test.mean:>6.1f} ± {test.half:<5.1f} p {p}")


if __name__ == "__main__":
    main(*sys.argv[1:])
