"""CHBias (posts, pairs, posts turned round) and LCCC, with a model like CDial-GPT: a vocab.txt alone."""

import json
from pathlib import Path

import tiny_models

GROUPS = {
    "gender": ("她爱喝茶", "他爱喝茶", "female", "male"),
    "age": ("老头真固执", "小伙真固执", "old", "young"),
}


def write(folder: Path) -> dict[str, str]:
    texts = ""
    for kind, (one, two, first, second) in GROUPS.items():
        place = folder / "chbias" / kind
        place.mkdir(parents=True)
        posts = {
            group: [f"{text}{n}，讨厌。" for n in range(12)]
            for group, text in ((first, one), (second, two))
        }
        for group, lines in posts.items():
            rows = [",replaced_sentence", *(f"{n},{line}" for n, line in enumerate(lines))]
            (place / f"{kind}_{group}_test.csv").write_bytes("\r\n".join([*rows, ""]).encode())
            (place / f"{kind}_{group}_valid.txt").write_bytes("\r\n".join(lines[:4]).encode())
        train = [f"{line}唉" for line in posts[first]]
        for name, more in (
            ("", []),
            ("_cada", train),
            ("_ctda", [f"{line}唉" for line in posts[second]]),
        ):
            (place / f"{kind}_train{name}.txt").write_bytes("\r\n".join([*train, *more]).encode())
        texts += one + two
    talk = [["好 听 吗 ？", "好 听 。", f"{n} 呢 ？"] for n in range(6)]
    (folder / "LCCC-base_test.json").write_text(json.dumps(talk, ensure_ascii=False))
    model = tiny_models.cdial(
        folder / "cdial", f"{texts}，讨厌唉。好听吗？呢0123456789abcdefghijklmnopqrstuvwxyz"
    )
    return {
        "DATA": str(folder),
        "MODEL": str(model),
        "KINDS": "gender age",
        "ROWS": "LMD CTDA",
        "SEEDS": "1",
        "EPOCHS": "1",
    }
