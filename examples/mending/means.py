"""Print results of dt-score as tables, means ± standard deviations over the seeds.

    python3 means.py results.jsonl [GROUP,GROUP,…]…

results.jsonl holds results of dt-score --sensitivity or --summary, each with the "seed" of its run.
Those of --sensitivity have a row for each system and pool, with quality, S, R and D.  Of those of
--summary a row is a system; its columns are the metrics or, with --by pool, the pools: a table for
each list of them, with the range between the best and the worst.  All numbers are as dt-score shows
them; bleu is the mean over records, as the paper has it.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

SENSITIVITY = {"mean": "quality", "S": "S ↓", "R": "R ↓", "D": "D ↓"}


def spread(values: Sequence[float]) -> str:
    """Return the mean of a number over the seeds, with its standard deviation.

    >>> spread([1.0, 3.0]), spread([1.0])
    ('2.0 ± 1.4', '1.0')
    """
    mean = f"{fmean(values):.1f}"
    return f"{mean} ± {stdev(values):.1f}" if len(values) > 1 else mean


def table(cells: dict[tuple, dict[str, list[float]]], headings: Sequence[str]) -> str:
    """Return rows of values over the seeds, by column, as a table."""
    columns = list(dict.fromkeys(column for row in cells.values() for column in row))
    lines = [[*headings, *columns]]
    lines += [
        [*key, *(spread(row[column]) if column in row else "–" for column in columns)]
        for key, row in cells.items()
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = len(headings)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def of_sensitivity(results: Sequence[dict]) -> str:
    cells = defaultdict(lambda: defaultdict(list))
    for result in results:
        for key, name in SENSITIVITY.items():
            cells[result["system"], result["group"]][name].append(result[key])
    return table(cells, ("row", "names"))


def of_groups(results: Sequence[dict], groups: Sequence[str]) -> str:
    """Return the quality with names of each of these pools, and its range in each run."""
    runs = defaultdict(lambda: defaultdict(dict))
    for result in results:
        runs[result["system"]][result["seed"]][result["group"]] = quality(result)
    cells = {
        (system,): {group: [run[group] for run in by_seed.values()] for group in groups}
        | {"range": [spread_of([run[group] for group in groups]) for run in by_seed.values()]}
        for system, by_seed in runs.items()
    }
    return table(cells, ("row",))


def spread_of(values: Sequence[float]) -> float:
    return max(values) - min(values)


def of_metrics(results: Sequence[dict]) -> str:
    cells = defaultdict(lambda: defaultdict(list))
    for result in results:
        cells[(result["system"],)][result["metric"]].append(quality(result))
    return table(cells, ("row",))


def quality(result: dict) -> float:
    return result.get("sentence_mean", result.get("mean"))


def main(file: str, *lists: str) -> None:
    results = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    results = [result for result in results if "gap" not in result]
    print(f"means ± standard deviations of {len({result['seed'] for result in results})} seeds")
    if "S" not in results[0] and not lists:
        print(f"\n{of_metrics(results)}")
        return
    for metric in dict.fromkeys(result["metric"] for result in results):
        chosen = [result for result in results if result["metric"] == metric]
        for groups in lists or [""]:
            shown = of_groups(chosen, groups.split(",")) if groups else of_sensitivity(chosen)
            print(f"\n{metric}\n{shown}")


if __name__ == "__main__":
    main(*sys.argv[1:])
