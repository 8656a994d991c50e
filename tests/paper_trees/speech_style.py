"""Novels as plain text: narration, utterances in quotation marks, some with the name before them."""

from pathlib import Path

import tiny_models

ENDINGS = ["ですわ", "だぜ", "でござる"]
NAMES = ["マリー", "キュロス", "ミオ"]


def write(folder: Path) -> dict[str, str]:
    for number in range(2):
        (folder / f"novel{number}.txt").write_text(novel(number), encoding="utf-8")
    annotated = "same,a,b\n1,2,2\n1,2,1\n1,-1,0\n0,-2,-2\n0,-2,-1\n0,1,1\n"
    (folder / "annotated.csv").write_text(annotated, encoding="utf-8")
    words = tiny_models.tokenizer()
    tiny_models.save(folder / "bert", tiny_models.bert(words), words)
    data = {"DATA": str(folder), "MODEL": str(folder / "bert"), "SHARE": "4"}
    return data | {"CLUSTERS": "3", "CENTRES": "20", "ANNOTATED": str(folder / "annotated.csv")}


def novel(number: int) -> str:
    """Return eight scenes of two people; one of them says nothing but dots."""
    text = "　昔のことである。\r\n\r\n"
    for scene in range(8):
        for turn in range(6):
            who = (scene + turn % 2) % 3
            name = NAMES[who] if number else ""
            said = (
                "……"
                if scene == turn == 4
                else f"雨の{scene}日{turn}時{ENDINGS[who]}。寒い{ENDINGS[who]}！"
            )
            text += f"{name}「{said}」\r\n\r\n"
        text += f"　二人は{scene}番目の町へ行った。\r\n"
    return text
