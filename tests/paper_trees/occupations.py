"""Gender-Bias-Hi-En-Eval: one sentence a line in files of each set, and of each system's outputs; a BART without languages."""

import sys
from pathlib import Path

import tiny_models
from conftest import ROOT

from dialtools.models import stand_ins

sys.path.insert(0, str(ROOT / "examples" / "occupations"))


def write(folder: Path) -> dict[str, str]:
    from published import FILES, FRIENDS, NEUTRAL

    simple = folder / "TGBI and Simple Context Evaluation" / "corpus"
    winomt = folder / "WinoMT-Hindi"
    says = {
        "hindi": "वह डॉक्टर है.",
        "indictrans": "He came.",
        "google": "She told him.",
        "aws": "It is.",
    }
    for system, (otsc, neutral, pairs) in FILES.items():
        line = says.get(system, "Her friend came.")
        for speaker, friend in FRIENDS:
            fill(simple / otsc.format(f"me_{speaker}_my_mitra_{friend}_set"), line)
        for name in NEUTRAL:
            fill(simple / neutral.format(f"total_{name}"), line)
        for group in ("pro", "anti"):
            fill(winomt / pairs.format(group), line)
            fill(winomt / f"goldlabel{group}all.txt", "female\t1\tShe came.\tdoctor")
    words = stand_ins.tokenizer()
    model = tiny_models.save(
        folder / "bart", stand_ins.bart(words, max_position_embeddings=512), words
    )
    return {"DATA": str(folder), "MODEL": model, "FROM": "", "TO": ""}


def fill(file: Path, line: str) -> None:
    """Write two lines, without a line break at the end, as the author's files are."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{line} \n{line} ", encoding="utf-8")
