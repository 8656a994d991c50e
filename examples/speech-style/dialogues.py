"""Write dialogues of two, who say sentences drawn by chance: only how tells who speaks.

python3 dialogues.py PART DIALOGUES SEED < speakers.tsv > dialogues.jsonl
"""

import csv
import json
import random
import sys
from pathlib import Path

TURNS = 8
SENTENCES = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").split()


def utterance(speaker: dict, rng: random.Random) -> str:
    """Return what this speaker says, mostly one sentence, one in three with the speaker's "I"."""
    topic = ""
    if rng.random() < 1 / 3:
        topic = speaker["I"] + "の" + rng.choice(["家では", "話では", "町では"])
    endings = speaker["endings"].split()
    end = rng.choice("。。！")
    sentence = topic + rng.choice(SENTENCES) + rng.choice(endings) + end
    return sentence if rng.random() < 3 / 4 else sentence + utterance(speaker, rng)


def main(part: str, number: str, seed: str) -> None:
    rng = random.Random(f"{part} {seed}")
    speakers = [row for row in csv.DictReader(sys.stdin, delimiter="\t") if row["part"] == part]
    for id in range(1, int(number) + 1):
        one = rng.choice(speakers)
        other = rng.choice([row for row in speakers if row["style"] != one["style"]])
        turns = [
            {"speaker": who["speaker"], "text": utterance(who, rng)}
            for who in [one, other] * (TURNS // 2)
        ]
        dialogue = {"id": f"{part}{id}", "lang": "ja", "dialogue": turns}
        print(json.dumps(dialogue, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
