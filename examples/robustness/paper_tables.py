"""Lay out results of dt-score --robustness as the paper's tables: paper_tables.py --metric METRIC TABLE [FILE]…

TABLE is models (tables 1, 4, 5, 11, 12), kinds (2, 3, 8, 9, 13), r (10; of --per-source), targeted (7), rates
(figures 8 and 9), mend (figure 3) or people (figure 2).  Results say which set and row they are of.  Consistency and
saliency are by the METRIC, faithfulness by that of --precision.
"""

import argparse
import fileinput
import json
import re
import sys
from collections.abc import Iterable
from statistics import correlation, fmean, stdev

DIMENSIONS = "consistency", "saliency", "faithfulness"
CATEGORIES = {
    "typo.*": "typos",
    "grammar.*": "grammar",
    "variation.*": "language",
    "asr.*": "speech",
}

NOTES = {
    "r": "; Pearson's r over variants",
    "mend": "; percent, mean ± standard deviation over seeds",
    "people": "; percent, with intervals of 95 %",
}


class Results:
    """Results by set, row and kind; a family of one kind is that kind."""

    def __init__(self, results: Iterable[dict], metric: str, precision: str):
        self.labels = dict(zip(DIMENSIONS, (metric, metric, precision), strict=True))
        self.by = {}
        for result in results:
            kind = re.sub(r":setting=\w+", "", result["kind"])
            self.by[result["set"], result["row"], kind, result["metric"]] = result
        self.runs = list(dict.fromkeys((set, row) for set, row, *_ in self.by))
        self.kinds = list(dict.fromkeys(kind for _, _, kind, _ in self.by))

    def of(self, run: tuple[str, str], kind: str, dimension: str) -> dict | None:
        label = self.labels[dimension]
        if result := self.by.get((*run, kind, label)):
            return result
        family = kind.removesuffix("*")
        members = [name for name in self.kinds if name.startswith(family)]
        members = [name for name in members if (*run, name, label) in self.by]
        is_alone = kind.endswith("*") and len(members) == 1
        return self.by[(*run, members[0], label)] if is_alone else None

    def cell(self, run: tuple[str, str], kind: str, dimension: str) -> str:
        """Return a change with half its interval; "-" where nothing could be changed, or nothing was measured."""
        result = self.of(run, kind, dimension)
        if not result or result["unchanged"] == result["variants"] or result[dimension] is None:
            return "-"
        return shown(result[dimension], result.get(f"{dimension}_ci"))


def shown(value: float, interval: list[float] | None) -> str:
    return f"{value:.2f}" + (f"±{(interval[1] - interval[0]) / 2:.2f}" if interval else "")


def ranged(value: float, interval: list[float] | None) -> str:
    return f"{value:.2f}" + (" [{:.2f}, {:.2f}]".format(*interval) if interval else "")


def models(results: Results) -> list[list[str]]:
    """Return Δ of utterances and of dialogues, a line for each row."""
    rows = [["set", "row", *(f"{of} Δ{name}" for of in ("U", "D") for name in DIMENSIONS)]]
    for run in results.runs:
        families = "utterance.*", "dialogue.*"
        if not results.of(run, "utterance.*", "consistency"):
            families = "typo.*", "dialogue.*"
        rows.append(
            [*run, *(results.cell(run, kind, name) for kind in families for name in DIMENSIONS)]
        )
    return rows


def kinds(results: Results) -> list[list[str]]:
    """Return Δ of the categories of utterances, then of the kinds of dialogues: first of the means of rows."""
    of_dialogues = [kind for kind in results.kinds if re.match(r"dialogue\.\w", kind)]
    columns = [*CATEGORIES, *of_dialogues]
    heads = [CATEGORIES.get(kind, kind.removeprefix("dialogue.")) for kind in columns]
    rows = [["", "set", "row", *heads]]
    runs = sorted(results.runs, key=lambda run: run[1] != "mean")
    for name in DIMENSIONS:
        rows += [
            ["Δ" + name, *run, *(results.cell(run, kind, name) for kind in columns)] for run in runs
        ]
    return rows


def r(sources: list[dict], metric: str, precision: str) -> list[list[str]]:
    """Return Pearson's r of two dimensions over the variants of all kinds, for each set and row."""
    labels = [(metric, 0), (metric, 1), (precision, 2)]
    variants: dict[tuple, list[list]] = {}
    for source in sources:
        columns = [[row[place] for row in source["rows"][label]] for label, place in labels]
        variants.setdefault((source["set"], source["row"]), []).extend(zip(*columns, strict=True))
    names = "consistency/saliency", "consistency/faithfulness", "faithfulness/saliency"
    rows = [["set", "row", *(f"r({pair})" for pair in names)]]
    for run, of in variants.items():
        cells = []
        for x, y in (0, 1), (0, 2), (2, 1):
            pairs = [(values[x], values[y]) for values in of if None not in (values[x], values[y])]
            varies = all(len(set(column)) > 1 for column in zip(*pairs, strict=False))
            cells.append(
                f"{correlation(*zip(*pairs, strict=False)):.2f}"
                if varies and len(pairs) > 2
                else "-"
            )
        rows.append([*run, *cells])
    return rows


def targeted(results: Results) -> list[list[str]]:
    """Return Δ of saliency where the most and the least relevant utterance is repeated, and a random one."""
    names = {"most": "most relevant", "least": "least relevant", "no": "random"}
    rows = [["set", "row", *names.values()]]
    for run in results.runs:
        of = [
            results.cell(run, f"dialogue.repetition:targeted={name}", "saliency") for name in names
        ]
        rows.append([*run, *of])
    return rows


def rates(results: Results) -> list[list[str]]:
    """Return Δ of consistency with more words, and more utterances, mistyped."""
    matches = {
        kind: re.search(r"utterances=([\d.]+),rate=([\d.]+)", kind) for kind in results.kinds
    }
    shares = {kind: match.groups() for kind, match in matches.items() if match}
    words = list(dict.fromkeys(rate for _, rate in shares.values()))
    rows = [["set", "row", "utterances", *(f"{float(rate):.0%} of words" for rate in words)]]
    for run in results.runs:
        for part in dict.fromkeys(part for part, _ in shares.values()):
            of = [kind for kind, (utterances, _) in shares.items() if utterances == part]
            cells = [results.cell(run, kind, "consistency") for kind in of]
            rows.append([*run, f"{float(part):.0%}", *cells])
    return rows


def mend(results: list[dict], metric: str) -> list[list[str]]:
    """Return Δ of consistency ± its deviation over seeds, and below it the outputs' quality, for each share."""
    kinds, shares = (sorted({result[key] for result in results}) for key in ("mended", "share"))
    rows = [["", "share", *kinds]]
    for what in "Δconsistency", metric:
        for share in shares:
            cells = []
            for kind in kinds:
                of = [one for one in results if (one["mended"], one["share"]) == (kind, share)]
                if what == metric:
                    values = [one.get("corpus", one["mean"]) for one in of if "mean" in one]
                else:
                    of = [one for one in of if "consistency" in one]
                    # the kind itself, or its family
                    widest = {
                        one["seed"]: one for one in sorted(of, key=lambda one: one["variants"])
                    }
                    values = [one["consistency"] for one in widest.values()]
                spread = f"±{stdev(values):.2f}" if len(values) > 1 else ""
                cells.append(f"{fmean(values):.2f}{spread}")
            rows.append([what, f"{share} %", *cells])
    return rows


def people(results: list[dict], metric: str) -> list[list[str]]:
    """Return Δ of consistency by the ratings of people beside that by the metric, for each kind."""
    rated = {one["group"]: one for one in results if "group" in one and one.get("mean") is not None}
    measured = {
        one["kind"]: one for one in results if one.get("metric") == metric and "kind" in one
    }
    rows, pairs = [["", "people", metric, "pairs"]], []
    for kind, one in rated.items():
        changed = measured[kind]
        ci = one["mean_ci"] and [100 - one["mean_ci"][1], 100 - one["mean_ci"][0]]
        rows.append(
            [
                kind,
                ranged(100 - one["mean"], ci),
                ranged(changed["consistency"], changed["consistency_ci"]),
                str(one["n"]),
            ]
        )
        pairs.append((100 - one["mean"], changed["consistency"]))
    return [*rows, ["r over kinds", f"{correlation(*zip(*pairs, strict=False)):.2f}", "", ""]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", required=True)
    parser.add_argument("--precision")
    parser.add_argument("table")
    parser.add_argument("files", nargs="*")
    asked = parser.parse_args()
    precision = asked.precision or asked.metric
    with fileinput.input(asked.files, encoding="utf-8") as lines:
        results = [json.loads(line) for line in lines]
    if asked.table in ("mend", "people"):
        rows = globals()[asked.table](results, asked.metric)
    elif asked.table == "r":
        rows = r(results, asked.metric, precision)
    else:
        rows = globals()[asked.table](Results(results, asked.metric, precision))
    by = dict.fromkeys(filter(None, (asked.metric, asked.precision)))
    print(
        f"{asked.table}: by {', '.join(by)}{NOTES.get(asked.table, '; percent, ± half of the 95 % interval')}\n"
    )
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        )
    print()


if __name__ == "__main__":
    sys.exit(main())
