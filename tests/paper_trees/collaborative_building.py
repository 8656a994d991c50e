"""examples/collaborative-building: sessions in its own form (the corpus has to be brought into it), in Japanese."""

import json
from pathlib import Path

from tiny_models import gpt2, save, tokenizer


def write(folder: Path) -> dict[str, str]:
    parts = ["train"] * 4 + ["dev", "test"]
    sessions = [
        {
            "id": f"g{number}",
            "lang": "ja",
            "part": part,
            "acts": [
                {"by": "A", "type": "UTT", "text": f"{number}番になにか作りますか？"},
                {"by": "B", "type": "UTT", "text": f"屋根みたいなの{number}"},
                {"by": "A", "type": "SKIP"},
                {
                    "by": "B",
                    "type": "BLOCK",
                    "blocks": [["place", "oak_fence", 4, -1, z] for z in range(4, 10)],
                },
                {"by": "A", "type": "BLOCK", "blocks": [["break", None, 4, -1, 4 + number % 6]]},
                {"by": "B", "type": "UTT", "text": f"{number}番目の道を作ります"},
                {"by": "A", "type": "FINISH"},
            ],
        }
        for number, part in enumerate(parts)
    ]
    for session in sessions:
        for number, act in enumerate(session["acts"]):
            act |= {"at": [number, -1, 3], "facing": [90.5, 0]}
    (folder / "sessions.jsonl").write_text(
        "".join(json.dumps(session, ensure_ascii=False) + "\n" for session in sessions),
        encoding="utf-8",
    )
    words = tokenizer(["<end>"], None)
    save(folder / "calm", gpt2(words, n_positions=4096), words)
    return {
        "DATA": str(folder),
        "MODEL": f"{folder}/calm",
        "SEEDS": "1",
        "TRAINING": "--epochs 1 --batch-size 8 --lora 2 --dev-outputs 1",
        "DECODING": "-g causal --max-new-tokens 4",
    }
