"""Align the words of translations with those of their sources: an "alignment" such as "0-0 1-2" for each record.

    python3 words.py < records.jsonl

IBM model 1 with a preference for the diagonal (as in Dyer et al. 2013, fast_align, with a fixed weight),
five rounds of EM over the "text" and "prediction" of all records, and over their references, in both
directions; a link is what both directions find.  Where the language of the translation is written
without spaces, each character is a word, and of the source where there are as many "ends" as characters.
Alignments of a better aligner can take its place.
"""

import json
import sys
from collections import defaultdict
from math import exp
from typing import get_args

from dialtools.generators.simultaneous import Unit, units
from dialtools.records import dialogue

ROUNDS = 5
DIAGONAL = 4.0  # weight of the distance from the diagonal
MARKS = ".,;:?!。、，；：？！"


def near(i: int, m: int, j: int, n: int) -> float:
    return exp(-DIAGONAL * abs((i + 0.5) / m - (j + 0.5) / n))


def learn(pairs: list[tuple[list[str], list[str]]]) -> dict[tuple[str, str], float]:
    """Return p(target word | source word), by expectation and maximisation."""
    table: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(ROUNDS):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for source, target in pairs:
            for j, after in enumerate(target):
                shares = [
                    table[before, after] * near(i, len(source), j, len(target))
                    for i, before in enumerate(source)
                ]
                for before, share in zip(source, shares, strict=True):
                    counts[before, after] += share / sum(shares)
                    totals[before] += share / sum(shares)
        table = defaultdict(
            float, {pair: count / totals[pair[0]] for pair, count in counts.items()}
        )
    return table


def links(
    source: list[str], target: list[str], table: dict[tuple[str, str], float]
) -> set[tuple[int, int]]:
    """Return the likeliest word of the source for each of the target."""
    return {
        (
            max(
                range(len(source)),
                key=lambda i: table[source[i], after] * near(i, len(source), j, len(target)),
            ),
            j,
        )
        for j, after in enumerate(target)
        if source
    }


def words(text: str, unit: Unit = "word") -> list[str]:
    return [word.strip(MARKS).casefold() for word in units(text, unit)]


def source_words(record: dict) -> list[str]:
    """Return the words of the source, as many as it has ends."""
    text, ends = record.get("text", ""), record.get("ends")
    for unit in get_args(Unit):
        if ends is None or len(ends) == len(units(text, unit)):
            return words(text, unit)
    sys.exit(
        f"record {record.get('id')}: {len(ends)} ends for {len(text.split())} words of its text"
    )


def target_unit(record: dict) -> Unit:
    return "word" if dialogue.language(record).space else "char"


if __name__ == "__main__":
    read = [json.loads(line) for line in sys.stdin]
    known = [
        (source_words(record), words(target, target_unit(record)))
        for record in read
        for target in (record["prediction"], record.get("reference"))
        if record.get("text") and isinstance(target, str) and target.split()
    ]
    forward, backward = learn(known), learn([(target, source) for source, target in known])
    for record in read:
        source, target = source_words(record), words(record["prediction"], target_unit(record))
        both = links(source, target, forward) & {(i, j) for j, i in links(target, source, backward)}
        record.setdefault("ends", [])  # without a transcript there are no links
        record["alignment"] = " ".join(f"{i}-{j}" for i, j in sorted(both))
        print(json.dumps(record, ensure_ascii=False))
