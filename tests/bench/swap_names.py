"""The speed of renaming, beside one plain regular expression for each record.

    python tests/bench/swap_names.py

The peer does the same replacements with one alternation per record and
nothing else: no case, no forms, no edits to undo.  CPU seconds of one
process, the two in turn, medians.
"""

import gc
import random
import re
import statistics
import time

import dialtools
from dialtools.languages import get
from dialtools.names import pools

WORDS = (
    "so what time shall we meet tomorrow I think that it is fine with me thanks a lot see you "
    "there then"
).split()


def dialogues(count: int, turns: int, people: int) -> list[dict]:
    """Return dialogues of ten turns of twenty words, with a mention in every other turn."""
    rng = random.Random(1)
    # most dialogues have other ones
    names = [row["name"] for row in pools.named("rare", get("en"))]
    made = []
    for id in range(count):
        speakers = rng.sample(names, people)
        said = [
            " ".join(rng.choices(WORDS, k=20) + [rng.choice(speakers)] * (n % 2))
            for n in range(turns)
        ]
        made.append(
            {
                "id": id,
                "lang": "en",
                "reference": f"{speakers[0]} meets {speakers[1]}.",
                "dialogue": [
                    {"speaker": speakers[n % people], "text": text} for n, text in enumerate(said)
                ],
            }
        )
    return made


def ours(records: list[dict], pool: list[str], variants: int = 1) -> None:
    for _ in dialtools.swap_names(records, pool_file=pool, gender=False, variants=variants):
        pass


def five(records: list[dict], pool: list[str]) -> None:
    """Make five variants of a fifth of the records: as many turns as the others write."""
    ours(records[::5], pool, variants=5)


def restored(records: list[dict], pool: list[str]) -> None:
    for _ in dialtools.swap_names(records, restore=True):
        pass


def renamed(records: list[dict], pool: list[str]) -> list[dict]:
    """Return what `restored` gets: the records with other names, and an output that holds some."""
    return [
        {**record, "prediction": record["reference"]}
        for record in dialtools.swap_names(records, pool_file=pool, gender=False)
    ]


def plain(records: list[dict], pool: list[str]) -> None:
    for record in records:
        speakers = dict.fromkeys(turn["speaker"] for turn in record["dialogue"])
        names = dict(
            zip(speakers, random.Random(record["id"]).sample(pool, len(speakers)), strict=True)
        )
        pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
        {
            **record,
            "reference": pattern.sub(lambda match: names[match[0]], record["reference"]),
            "dialogue": [
                {
                    "speaker": names[turn["speaker"]],
                    "text": pattern.sub(lambda match: names[match[0]], turn["text"]),
                }
                for turn in record["dialogue"]
            ],
        }


gc.set_threshold(100_000)  # as the commands do


def seconds(function, records: list[dict], pool: list[str]) -> float:
    start = time.process_time()
    function(records, pool)
    return time.process_time() - start


def main() -> None:
    pool = [f"Zz{n}y" for n in range(1000)]
    for count, turns, people in (
        (2000, 10, 2),
        (200, 100, 2),
        (20, 1000, 2),
        (2, 10_000, 2),
        (2, 10_000, 200),
    ):
        records = dialogues(count, turns, people)
        pairs = [(seconds(ours, records, pool), seconds(plain, records, pool)) for _ in range(5)]
        own, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(a / b for a, b in pairs)
        print(
            f"{count} dialogues of {turns:,} turns, {people} names: {own:.3f} s, plain "
            f"{peer:.3f} s, ratio {ratio:.1f}, {60 * count / own:,.0f} a minute, "
            f"{1e6 * own / count / turns:.0f} us a turn"
        )


if __name__ == "__main__":
    main()
