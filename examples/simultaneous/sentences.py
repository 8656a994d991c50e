"""Align the sentences of a talk's translation with those of its reference, m to n, and write a record for each group.

    python3 sentences.py [length|words] < talks.jsonl

A talk is a record as dt-resegment reads it; its sentences are the lines of the prediction, or else end
with a mark.  Where its language is written without spaces, each character is a word.  A group has at
most two sentences of each side, as in Gale and Church 1994.  length: how alike the groups are is told
by their lengths in characters, as there; words: by the words that one side alone has, each e times less
likely than none.  A sentence without a reference goes to the group before (the first to that after), and
how many did is told; a reference without one gets an empty text.
"""

import json
import re
import sys
from functools import partial
from itertools import accumulate
from math import erfc, log, sqrt

from rapidfuzz.distance import Indel

from dialtools.generators.simultaneous import Unit, units
from dialtools.records import dialogue

END = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])(?![。？！」』”’）])|(?<=[。？！][」』”’）])")
MARKS = ".,;:?!。、，；：？！"
# Gale and Church 1994: how often groups of so many sentences occur, and the variance of a character's length.
PRIORS = {(1, 1): 0.89, (1, 0): 0.0099, (0, 1): 0.0099, (1, 2): 0.089, (2, 1): 0.089, (2, 2): 0.011}
VARIANCE = 6.8


def by_length(reference: str, hypothesis: str) -> float:
    x, y = len(reference), len(hypothesis)
    outside = erfc(abs(x - y) / sqrt(VARIANCE * (x + y) / 2) / sqrt(2)) if x + y else 1.0
    return -log(max(outside, 1e-300))


def by_words(reference: str, hypothesis: str, unit: Unit = "word") -> float:
    return Indel.distance(
        *(
            [word.strip(MARKS) for word in units(text.casefold(), unit)]
            for text in (reference, hypothesis)
        )
    )


def groups(
    references: list[str], hypotheses: list[str], cost=by_length, space: str = " "
) -> list[tuple[range, range]]:
    """Return the numbers of the sentences of each group, in their order, at the least cost."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for m in range(len(references) + 1):
        for n in range(len(hypotheses) + 1):
            ways = [
                (
                    best[m - i, n - j][0]
                    - log(prior)
                    + cost(space.join(references[m - i : m]), space.join(hypotheses[n - j : n])),
                    (i, j),
                )
                for (i, j), prior in PRIORS.items()
                if (m - i, n - j) in best
            ]
            if ways:
                best[m, n] = min(ways)
    m, n, path = len(references), len(hypotheses), []
    while m or n:
        i, j = best[m, n][1]
        path.append((range(m - i, m), range(n - j, n)))
        m, n = m - i, n - j
    return path[::-1]


def sentences(prediction: str) -> list[str]:
    """Return the lines, or where there is one alone what ends with a mark."""
    lines = [line for line in prediction.split("\n") if line.strip()]
    if len(lines) > 1:
        return lines
    return [" ".join(part.split()) for part in END.split(prediction) if part.strip()]


def records(talk: dict, cost=by_length) -> tuple[list[dict], int]:
    """Return a record for each group with a reference, and how many sentences had none."""
    space = dialogue.language(talk).space
    unit: Unit = "word" if space else "char"
    segments, hypotheses = talk["segments"], sentences(talk["prediction"])
    lengths = [segment["source_length"] for segment in segments]
    starts = [
        segment.get("start", start)
        for segment, start in zip(segments, accumulate(lengths, initial=0), strict=False)
    ]
    parts: list[list] = []  # numbers of references, and texts
    extra, before = 0, []
    for of_references, of_hypotheses in groups(
        [segment["reference"] for segment in segments],
        hypotheses,
        partial(by_words, unit=unit) if cost is by_words else cost,
        space,
    ):
        texts = [hypotheses[number] for number in of_hypotheses]
        extra += len(texts) if not of_references else 0
        if of_references:
            parts.append([of_references, before + texts])
            before = []
        elif parts:
            parts[-1][1] += texts
        else:
            before += texts
    aligned, place = [], 0
    for number, (of_references, texts) in enumerate(parts, 1):
        first, last = of_references[0], of_references[-1]
        size = len(units(space.join(texts), unit))
        cut = {
            key: [delay - starts[first] for delay in talk[key][place : place + size]]
            for key in ("delays", "elapsed")
            if key in talk
        }
        aligned.append(
            {key: value for key, value in talk.items() if key not in ("segments", "history")}
            | {
                "id": f"{talk['id']}-{number}",
                "cluster": talk["id"],
                "prediction": space.join(texts),
                "reference": space.join(segments[place]["reference"] for place in of_references),
                "source_length": starts[last] + lengths[last] - starts[first],
                **cut,
            }
        )
        place += size
    return aligned, extra


if __name__ == "__main__":
    cost = by_words if sys.argv[1:] == ["words"] else by_length
    for line in sys.stdin:
        aligned, extra = records(json.loads(line), cost)
        if extra:
            print(f"sentences without a reference: {extra}", file=sys.stderr)
        for record in aligned:
            print(json.dumps(record, ensure_ascii=False))
