"""Sort pairs of outputs for one dialogue, with other names, by how they differ; let people do so, too.

    python3 kinds.py sort PAIRS pairs.csv RATERS outputs.jsonl…     # a file a run: ROW.SEED-all.jsonl
    python3 kinds.py rated ratings.csv pairs.key.jsonl RATERS

The kinds are those of section 5.4 of the paper, by a rule: "same" outputs are identical.
"expression": the same sentences but for case, punctuation, order, and the order of names beside
each other (Ann and Bob).  "fact": the same words, but for the speakers, so that other speakers do
the same.  "information": all others.  The rule takes a paraphrase for information, which people do
not; hence pairs.csv has so many pairs of each row of the first seed, in random order, and a column
for each rater, who writes one of the four words; pairs.key.jsonl says which row a pair is of.
"rated" gives the shares of what most raters wrote, and of the rule.
"""

import csv
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from means import table

NAME = "\ue000"  # stands before the number of a name
KINDS = ("same", "expression", "fact", "information")


def kind(one: str, other: str, names: set[str]) -> str:
    """Return how two outputs differ; names: those of the speakers, in lower case.

    >>> names = {"ann", "bob"}
    >>> kind("Ann and Bob meet. Ann sings.", "ann sings; Bob and Ann meet", names)
    'expression'
    >>> kind("Ann asks Bob.", "Bob asks Ann.", names), kind("Ann sings.", "Ann asks.", names)
    ('fact', 'information')
    >>> kind("A[i]n. asks", "BOB asks", {"a[i]n.", "bob"})
    'fact'
    """
    if one == other:
        return "same"
    first, second = sentences(one, names), sentences(other, names)
    if first == second:
        return "expression"
    nameless = [
        Counter(word for sentence in text for word in sentence if not word.startswith(NAME))
        for text in (first, second)
    ]
    return "fact" if nameless[0] == nameless[1] else "information"


def sentences(text: str, names: set[str]) -> list[list[str]]:
    """Return the words of each sentence, names as numbers, with those beside each other in order."""
    order = sorted(names, key=lambda name: (-len(name), name))
    if order:  # nicknames may hold any signs
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, order))})(?!\w)"
        text = re.sub(pattern, lambda match: f" {NAME}{order.index(match[0])} ", text.casefold())
    split = []
    for sentence in re.split(r"[.!?;\n]+", text.casefold()):
        words: list[str] = []
        side_by_side: list[str] = []
        for word in re.findall(rf"{NAME}?\w+", sentence):
            if word.startswith(NAME):
                side_by_side.append(word)
            elif word != "and" or not side_by_side:
                words += [*sorted(side_by_side), word]
                side_by_side = []
        if words or side_by_side:
            split.append([*words, *sorted(side_by_side)])
    return sorted(split)


def pairs(file: str) -> Iterator[tuple[tuple[str, str], str, str, str]]:
    """Yield the row and the pool, the kind and the two outputs of each pair of variants of a dialogue."""
    variants = defaultdict(list)
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        maps = [entry["names"] for entry in record["history"] if "names" in entry]
        names = {name.casefold() for renamed in maps for name in (*renamed, *renamed.values())}
        key = record["id"], record["variant"].partition(":")[0]
        variants[key].append((record["system"], record["prediction"], names))
    for (_, pool), outputs in variants.items():
        for (row, one, some), (_, other, more) in combinations(outputs, 2):
            yield (row, pool.partition(".")[2]), kind(one, other, some | more), one, other


def sort(number: str, file: str, raters: str, *outputs: str) -> None:
    cells = defaultdict(lambda: {f"{name}, %": [] for name in KINDS})
    drawn, chosen, known = random.Random(1), [], set()
    for output in outputs:
        rows = list(pairs(output))
        row = rows[0][0][0]
        if row not in known:  # its first seed
            chosen += drawn.sample(rows, min(int(number), len(rows)))
        known.add(row)
        for key in dict.fromkeys(key for key, *_ in rows):
            counts = Counter(name for one, name, *_ in rows if one == key)
            for name in KINDS:
                cells[key][f"{name}, %"].append(100 * counts[name] / counts.total())
    print(f"Pairs of outputs, by the rule of kinds.py\n\n{table(cells, ('row', 'names'))}")
    drawn.shuffle(chosen)
    with Path(file).open("w", encoding="utf-8", newline="") as sheet:
        writer = csv.writer(sheet)
        writer.writerow(["id", "a", "b", *raters.split()])
        for place, (_, _, one, other) in enumerate(chosen, 1):
            writer.writerow([place, one, other, *[""] * len(raters.split())])
    key = [
        json.dumps({"id": str(place), "row": row, "rule": name, "a": one, "b": other})
        for place, ((row, _), name, one, other) in enumerate(chosen, 1)
    ]
    Path(file).with_suffix(".key.jsonl").write_text("\n".join(key) + "\n", encoding="utf-8")


def rated(ratings: str, key_file: str, raters: str) -> None:
    """Print what most raters say of each row, without the pairs on which no two of them agree."""
    lines = Path(key_file).read_text(encoding="utf-8").splitlines()
    key = {pair["id"]: pair for pair in map(json.loads, lines)}
    counts: dict[tuple[str, str], Counter] = defaultdict(Counter)
    with Path(ratings).open(encoding="utf-8", newline="") as sheet:
        for line in csv.DictReader(sheet):
            words = [line[rater].strip() for rater in raters.split()]
            wrong = next((word for word in words if word and word not in KINDS), None)
            if wrong:
                sys.exit(f"{ratings}: pair {line['id']}: {wrong!r} is none of {', '.join(KINDS)}")
            (word, most), *_ = Counter(words).most_common(1)
            pair = key.get(line["id"], {})
            if any(pair.get(column) != line[column] for column in "ab"):
                sys.exit(f"{ratings}: pair {line['id']} is of other outputs than {key_file}")
            counts[pair["row"], "people"][word if most > 1 or len(words) == 1 else "none"] += 1
            counts[pair["row"], "rule"][pair["rule"]] += 1
    cells = {
        row: {f"{name}, %": [100 * count[name] / count.total()] for name in (*KINDS, "none")}
        for row, count in sorted(counts.items())
    }
    print(table(cells, ("row", "by")))


if __name__ == "__main__":
    {"sort": sort, "rated": rated}[sys.argv[1]](*sys.argv[2:])
