"""Treebanks of Universal Dependencies under their published names, vectors of fastText and a multilingual BERT."""

from pathlib import Path

import tiny_models
from conftest import ROOT

SOURCES = {
    "ud-javanese-csui/jv_csui-ud-test.conllu": "jv",
    "ud-indonesian-gsd/id_gsd-ud-train.conllu": "id",
    "ud-french-gsd/fr_gsd-ud-train.conllu": "id",
}


def write(folder: Path) -> dict[str, str]:
    for name, language in SOURCES.items():
        file = folder / name
        file.parent.mkdir()
        source = ROOT / "examples" / "javanese-parsing" / f"{language}.conllu"
        sentences = source.read_text(encoding="utf-8").split("\n\n")[:30]
        file.write_text("".join(f"{sentence}\n\n" for sentence in sentences), encoding="utf-8")
    (folder / "fasttext").mkdir()
    for language in ("jv", "id", "fr"):
        (folder / "fasttext" / f"cc.{language}.300.vec").write_text(
            "2 4\naku 0.1 0.2 0.3 0.4\nmangan 0.4 0.3 0.2 0.1\n", encoding="utf-8"
        )
    words = tiny_models.tokenizer()
    return {
        "DATA": str(folder),
        "MULTILINGUAL": tiny_models.save(folder / "bert", tiny_models.bert(words), words),
        "EMBEDDINGS": "fastText multi-BERT",
        "SEEDS": "1",
        "EPOCHS": "1",
        "SOURCE_EPOCHS": "1",
        "SIZE": "--network attention --layers 1 --hidden 16",
    }
