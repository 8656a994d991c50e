"""Talks of MuST-C, English to German: one yaml of segments, and a line of each language for each; an NLLB."""

from pathlib import Path

import tiny_models

TALKS = {
    "ted_1.wav": [
        ("Tomorrow the boats leave.", "Morgen fahren die Boote ab."),
        ("It rained.", "Es regnete."),
    ],
    "ted_2.wav": [
        ("We stayed there, you know.", "Wir blieben dort, wissen Sie."),
        ("Why?", "Warum?"),
    ],
}


def write(folder: Path) -> dict[str, str]:
    texts = folder / "en-de" / "data" / "tst-COMMON" / "txt"
    texts.mkdir(parents=True)
    rows = [
        (
            f"- {{duration: {len(english) / 10}, offset: {10.5 + 4 * place}, rW: 4, uW: 0, "
            f"speaker_id: spk.1, wav: {wav}}}",
            english,
            german,
        )
        for wav, segments in TALKS.items()
        for place, (english, german) in enumerate(segments)
    ]
    for ending, lines in zip(("yaml", "en", "de"), zip(*rows, strict=True), strict=True):
        file = texts / f"tst-COMMON.{ending}"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    model = tiny_models.save(folder / "nllb", *tiny_models.nllb())
    return {"DATA": str(folder), "MODEL": model, "ROWS": "reference pause context", "LENGTH": "20"}
