"""Compare one name at a time with all names at once, and find which speakers matter most.

    python3 speakers.py METRIC one.sources.jsonl all.sources.jsonl

Both files hold results of dt-score --sensitivity --per-source, with the "seed" of the run; the first
those of dt-swap-names --one, which tell the speaker, the position of the first turn and the number
of turns.

"any": the share of dialogues with a speaker whose renaming alone has a larger D than that of all
speakers at once; "mean": the share of those in which the mean over speakers is larger (52.01 and
34.80 % in section 5.6 of the paper, for ins).  Below, means of S and D by the position of a
speaker's first turn and by the number of turns, as in figure 4, and Spearman's correlation with
both over all speakers; dt-ttest -t spearman --versus position --per record tests it for a run.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from means import table
from scipy.stats import spearmanr

STEPS = {"position": (1, 2, 3, 4), "turns": (1, 2, 3, 5, 10)}


def shares(
    all_at_once: dict[tuple, float], one_at_a_time: dict[tuple, list[float]]
) -> tuple[float, float]:
    """Return the shares of dialogues, in percent, in which any speaker, or the mean, is larger.

    >>> shares({1: 2.0, 2: 2.0}, {1: [1.0, 3.5], 2: [0.0, 3.0]})
    (100.0, 50.0)
    """
    pairs = [(values, all_at_once[key]) for key, values in one_at_a_time.items()]
    return (
        100 * fmean(max(values) > value for values, value in pairs),
        100 * fmean(fmean(values) > value for values, value in pairs),
    )


def step_of(number: int, steps: Sequence[int]) -> str:
    """Return the step that a number falls into.

    >>> [step_of(number, (1, 2, 5)) for number in (1, 2, 4, 9)]
    ['1', '2–4', '2–4', '5+']
    """
    place = max(place for place, least in enumerate(steps) if number >= least)
    if place == len(steps) - 1:
        return f"{steps[place]}+"
    last = steps[place + 1] - 1
    return f"{steps[place]}–{last}" if last > steps[place] else str(last)


def compared(one: Sequence[dict], all_names: Sequence[dict], value: str) -> str:
    runs = defaultdict(lambda: ({}, defaultdict(list)))
    for source in all_names:
        key = source["system"], source["pool"], source["seed"]
        runs[key][0][source["id"]] = source["scores"][value]
    for source in one:
        key = source["system"], source["pool"], source["seed"]
        runs[key][1][source["id"]].append(source["scores"][value])
    cells = defaultdict(lambda: {"any, %": [], "mean, %": []})
    for (system, pool, _), run in runs.items():
        for values, share in zip(cells[system, pool].values(), shares(*run), strict=True):
            values.append(share)
    return table(cells, ("row", "names"))


def trends(one: Sequence[dict], feature: str, metric: str) -> str:
    """Return S and D of a row by a feature of the speaker."""
    by_seed = defaultdict(lambda: defaultdict(list))
    for source in one:
        by_seed[source["system"]][source["seed"]].append(source)
    cells = defaultdict(lambda: defaultdict(list))
    for system, seeds in by_seed.items():
        for sources in seeds.values():
            for letter in "SD":
                row = cells[system, letter]
                values = [source["scores"][f"{letter}:{metric}"] for source in sources]
                steps = [step_of(source[feature], STEPS[feature]) for source in sources]
                for step in sorted(set(steps), key=lambda name: int(name.strip("+").split("–")[0])):
                    pairs = zip(steps, values, strict=True)
                    row[step].append(fmean(value for name, value in pairs if name == step))
                features = [source[feature] for source in sources]
                varied = len(set(features)) > 1 and len(set(values)) > 1
                row["ρ × 100"].append(100 * spearmanr(features, values)[0] if varied else 0.0)
    return table(cells, ("row", feature))


def read(file: str) -> list[dict]:
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def main(metric: str, one_file: str, all_file: str) -> None:
    one, all_names = read(one_file), read(all_file)
    print(f"{metric}: dialogues in which one name changes D more than all names\n")
    print(compared(one, all_names, f"D:{metric}"))
    for feature in STEPS:
        print(f"\n{metric}: one name at a time, by {feature} of its speaker\n")
        print(trends(one, feature, metric))


if __name__ == "__main__":
    main(*sys.argv[1:])
