"""SAMSum: chats with a summary each, in three JSON arrays; an encoder for BERTScore.

The model is one whose tokens are those of the chats: what is no English has no score by ROUGE.
"""

import json
from pathlib import Path

import tiny_models

PEOPLE = ["Amanda", "Jerry", "Olivia", "Olafur", "Tim", "Kim", "Edward", "Lenny", "Sam", "Naomi"]
THINGS = ["cookies", "tickets", "a tent", "the keys", "an umbrella", "the report"]
SIZES = {"train": 16, "val": 4, "test": 4}


def write(folder: Path) -> dict[str, str]:
    for day, (part, size) in enumerate(SIZES.items(), 1):
        chats = [chat(f"{part}{number}", day, number) for number in range(size)]
        (folder / f"{part}.json").write_text(json.dumps(chats), encoding="utf-8")
    words = tiny_models.tokenizer()
    tiny_models.save(folder / "bert", tiny_models.bert(words), words)
    return {
        "DATA": str(folder),
        "MODEL": "tiny:layers=1,hidden=32,heads=2,vocabulary=270",
        "BERTSCORE": f"{folder}/bert,layer=1",
        "ROWS": "vanilla fre",
        "EPOCHS": "1",
        "SEEDS": "1",
        "VARIANTS": "2",
        "SHARES": "",
        "TRAINING": "--allow-blind --best rouge2 --beams 1 --max-new-tokens 12",
        "DECODING": "--beams 1 --max-new-tokens 12 --batch-size 64",
    }


def chat(id: str, day: int, number: int) -> dict:
    """Return an item of the published files, whose lines end with a carriage return and a newline."""
    one, other = PEOPLE[number % 10], PEOPLE[(3 * number + 1) % 10]
    thing = THINGS[number % 6]
    lines = [
        f"{one}: I have {thing}, {other}.",
        f"{other}: Great!",
        f"{one}: See you on the {day}, {other} :-)",
    ]
    summary = f"{one} has {thing} for {other}."
    return {"id": id, "summary": summary, "dialogue": "\r\n".join(lines)}
