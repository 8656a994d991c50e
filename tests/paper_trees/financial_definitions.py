"""examples/financial-definitions: terms with their points, and Oxford's words as Gadetsky et al. (2018) keep them."""

import json
from pathlib import Path

from tiny_models import save, t5, tokenizer

from dialtools.models import stand_ins


def write(folder: Path) -> dict[str, str]:
    terms = [
        {
            "id": f"t{number}",
            "term": term,
            "sentences": [f"The {term} rose.", f"She sold her {term}."],
            "reference": [f"A {term} is a debt.", "It may fall.", "Banks hold it."][: number + 1],
        }
        for number, term in enumerate(["A-B trust", "bond", "crème (CDO)"])
    ]
    (folder / "investopedia.jsonl").write_text("".join(json.dumps(term) + "\n" for term in terms))
    (folder / "oxford").mkdir()
    for part, words in ("train", ["set", "run"]), ("val", ["go"]), ("test", ["draft", "draft"]):
        entries = [
            [[word], ["a", "first", "version", ",", "of", "it"], ["the", word, str(number)]]
            for number, word in enumerate(words)
        ]
        (folder / "oxford" / f"{part}.json").write_text(json.dumps(entries))
    stand_ins.main("causal", str(folder / "causal"))
    words = tokenizer()
    save(folder / "t5", t5(words), words)
    return {
        "DATA": str(folder),
        "MODELS": f"{folder}/causal {folder}/t5",
        "DECODING": "--beams 1 --max-new-tokens 4",
        "METRICS": "-m meteor -m bleu",
    }
