"""BPersona-chat as one JSON object a chat, both directions, three translators; a BERT and an NLLB."""

import json
from pathlib import Path

import tiny_models

from dialtools.models import stand_ins

TURNS = [
    ("i have a dog .", "犬を飼っています。", "犬犬がある"),
    ("do you like cats ?", "猫は好きですか。", "猫の好き"),
    ("i like books .", "本が好きです。", "本"),
]


def write(folder: Path) -> dict[str, str]:
    for direction in ("en-ja", "ja-en"):
        for number, system in enumerate(("human", "nmt-model-a", "nmt-model-b")):
            chats = [
                {
                    "chat_id": f"{chat:04}",
                    "direction": direction,
                    "system": system,
                    "turns": [turn(direction, chat, place, number) for place in range(4)],
                }
                for chat in range(1, 13)
            ]
            file = folder / "bpersona-chat" / f"{direction}.{system}.jsonl"
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(json.dumps(chat) + "\n" for chat in chats), encoding="utf-8")
    words = stand_ins.tokenizer()
    detector = tiny_models.save(folder / "bert", tiny_models.bert(words), words)
    return {
        "DATA": str(folder),
        "DETECTOR": detector,
        "TRANSLATOR": tiny_models.save(folder / "nllb", *tiny_models.nllb()),
        "SEEDS": "1 2",
        "TRAINING": "--epochs 1 --max-input 96",
    }


def turn(direction: str, chat: int, place: int, system: int) -> dict:
    """Return a turn; people are always right, the first model hardly ever, and one turn is not judged."""
    english, japanese, wrong = (f"{chat} {text}" for text in TURNS[(chat + place) % 3])
    good = system == 0 or (chat + place) % (4 if system == 1 else 2) == 0
    source, right = (english, japanese) if direction == "en-ja" else (japanese, english)
    return {
        "person": f"person {place % 2 + 1}",
        "source": source,
        "translation": right if good else wrong,
        "good": "u" if (chat, place) == (7, 3) else "y" if good else "n",
    }
