"""Dialogues with predictions and references for benchmarks, the same on every machine.

    python tests/bench/synthetic.py pairs 10000 > pairs.jsonl
    python tests/bench/synthetic.py sensitivity 2000 > sensitivity.jsonl

Words of English, drawn by Zipf's law; a dialogue of 8 turns and 116 words; a
reference of 23 words and a prediction of 19 that keeps about half of them.
In the sensitivity set each source has five variants, of which a quarter
equals the first.
"""

import argparse
import json
import random
from collections.abc import Iterator
from itertools import accumulate, groupby, permutations
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS = (
    ROOT.joinpath("dialtools", "languages", "en", "words.txt").read_text(encoding="utf-8").split()
)
VARIANTS = 5


class Writer:
    """Draws words and sentences."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        # frequent words are short
        self.words = sorted(WORDS, key=lambda word: (len(word) > 3, self.rng.random()))
        self.weights = list(accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))

    def draw(self, count: int) -> list[str]:
        return self.rng.choices(self.words, cum_weights=self.weights, k=count)

    def changed(self, words: list[str], kept: float, count: int) -> list[str]:
        """Return about `count` words, of which a share is kept in its order."""
        new = [
            word if self.rng.random() < kept else other
            for word, other in zip(words, self.draw(len(words)), strict=True)
        ]
        return new[:count]


def sentence(words: list[str]) -> str:
    """Return words with a capital, a comma, a full stop."""
    half = len(words) // 2
    return " ".join([words[0].capitalize(), *words[1:half]]) + ", " + " ".join(words[half:]) + "."


def pairs(count: int) -> Iterator[dict]:
    """Yield records with a dialogue, a reference and a prediction."""
    writer = Writer(1)
    for number in range(count):
        reference = writer.draw(writer.rng.randint(16, 31))
        dialogue = [
            {
                "speaker": ("Ann", "Bob")[turn % 2],
                "text": sentence(writer.draw(writer.rng.randint(8, 21))),
            }
            for turn in range(8)
        ]
        yield {
            "id": f"d{number}",
            "lang": "en",
            "dialogue": dialogue,
            "reference": sentence(reference),
            "prediction": sentence(writer.changed(reference, 0.5, writer.rng.randint(14, 25))),
        }


def sensitivity(count: int) -> Iterator[dict]:
    """Yield five variants of each source, one after the other."""
    writer = Writer(2)
    for record in pairs(count):
        first = record["prediction"][:-1].replace(",", "").lower().split()
        for number in range(1, VARIANTS + 1):
            same = number == 1 or writer.rng.random() < 0.25
            words = first if same else writer.changed(first, 0.7, len(first))
            yield {**record, "variant": f"names:{number}", "prediction": sentence(words)}


def compared(variants: list[dict]) -> tuple[list[str], list[str]]:
    """Return the texts that sensitivity compares: with references, and all ordered pairs."""
    one, other = [], []
    for _, group in groupby(variants, key=lambda record: record["id"]):
        found = list(group)
        said = [record["prediction"] for record in found]
        for prediction, text in [
            *((record["prediction"], record["reference"]) for record in found),
            *permutations(said, 2),
        ]:
            one.append(prediction)
            other.append(text)
    return one, other


def write(path: Path, records: Iterator[dict]) -> Path:
    """Write records as JSON Lines, as most programs do."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
            for record in records
        )
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["pairs", "sensitivity"])
    parser.add_argument("count", type=int)
    given = parser.parse_args()
    for record in {"pairs": pairs, "sensitivity": sensitivity}[given.kind](given.count):
        print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
