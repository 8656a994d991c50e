"""CivilComments with identities as one table, a BERT to be frozen, a classifier; what rewrites only echoes its prompt."""

import csv
from pathlib import Path

import tiny_models

GROUPS = ("muslim", "jewish", "transgender", "homosexual_gay_or_lesbian")
TEXTS = (
    "My Muslim neighbour brought us dates again and I still owe her a large cake.",
    "The Jewish bakery on our corner has the best bread of the whole town by far.",
    "A transgender woman runs the library now and the children like her very much.",
    "The gay couple next door plays chess on the balcony every single summer evening.",
    "Nobody has cleaned the windows of the old station for as long as I remember.",
)


def write(folder: Path) -> dict[str, str]:
    with open(folder / "civil_comments.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "comment_text", "toxicity", *GROUPS])
        for number in range(30):
            about = number % 5
            scores = [1.0 if about == group else "" for group in range(4)]
            rows.writerow(
                [number, f"{TEXTS[about]} {number}", 0.0 if number < 20 else 0.5, *scores]
            )
    words = tiny_models.tokenizer()
    bert = tiny_models.save(folder / "bert", tiny_models.bert(words), words)
    toxic = tiny_models.save(
        folder / "toxic", tiny_models.classifier(words, ["fine", "toxic"]), words
    )
    return {
        "DATA": str(folder),
        "FROZEN": bert,
        "STEPS": "20",
        "ENCODER": bert,
        "CLASSIFIER": toxic,
        "ASK": "-g echo",
        "SAMPLING": "",
        "BLEU_LEAST": "0",
        "BERT_LEAST": "0",
        "GROUP_MOST": "1",
        "TRIES": "1 2",
    }
