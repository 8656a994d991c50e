"""Ratings of translations as tables with commas, STS-B, SICK and JSTS as published; a BERT, a GPT-2 and a judge."""

import csv
import json
from pathlib import Path

from tiny_models import masked, save, tokenizer

from dialtools.models import stand_ins

COLUMNS = "lp src mt ref score system annotators domain year".split()
PAIRS = [
    (f"Ann brings {number} tickets to the {place}", f"{number} tickets, says Ann, to the {other}")
    for number in ("two", "three", "ten", "no")
    for place, other in [("station", "station"), ("room", "train"), ("meeting", "meeting room")]
] * 2


def write(folder: Path) -> dict[str, str]:
    for name in "wmt", "stsbenchmark", "sick", "jglue-jsts":
        (folder / name).mkdir()
    for name, pairs in {"mqm": ("zh-en", "en-de"), "da": ("en-ja",)}.items():
        with open(folder / "wmt" / f"{name}.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for languages in pairs:
                for year in 2020, 2021:
                    for row, (mt, ref) in enumerate(PAIRS * 2):
                        score = -(row % 9) / 2
                        table.writerow(
                            [
                                languages,
                                "…",
                                f"{mt} {row}, {year}",
                                ref,
                                score,
                                "a",
                                3,
                                "news",
                                year,
                            ]
                        )
    for start, part in enumerate(("train", "dev", "test")):
        rows = list(enumerate(PAIRS))[start::3]
        sts = [
            ["captions", "MSRvid", "2012", number, f"{number % 11 / 2:.3f}", *pair]
            for number, pair in rows
        ]
        sts[0] += ["http://source", "http://other"]
        text = "".join("\t".join(map(str, row)) + "\n" for row in sts)
        (folder / "stsbenchmark" / f"sts-{part}.csv").write_text(text)
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    text = "".join(f"{i}\t{a}\t{b}\t{1 + i % 9 / 2}\tNEUTRAL\n" for i, (a, b) in enumerate(PAIRS))
    (folder / "sick" / "SICK_test_annotated.txt").write_text(header + text)
    for part, number in ("train", 1016), ("valid", 10):
        items = [
            {
                "sentence_pair_id": f"{part}{i}",
                "sentence1": f"{PAIRS[i % 24][0]} {part} {i}",
                "sentence2": PAIRS[i % 24][1],
                "label": i % 6,
            }
            for i in range(number)
        ]
        lines = "".join(json.dumps(item) + "\n" for item in items)
        (folder / "jglue-jsts" / f"{part}-v1.3.json").write_text(lines)
    words = tokenizer()
    encoder = save(folder / "encoder", masked(words), words)
    for kind in "causal", "seq2seq", "judge":
        stand_ins.main(kind, str(folder / kind))
    return {
        "DATA": str(folder),
        "MODEL_en": encoder,
        "MODEL_ja": encoder,
        "LAYERS": "0 1",
        "SEQ2SEQ": f"{folder}/seq2seq",
        "JUDGE": f"model={folder}/judge",
        # their packages are not here
        "BLEURT": "",
        "COMET": "",
        # of each kind of row one, as every training takes seconds
        "SETS": "wmt20 wmt21 stsb sick jsts",
        "TUNED_en": "roberta",
        "TUNED_ja": "rinna-37M",
        "BASE_rinna-37M": f"{folder}/causal",
        "RATES_decoder": "1e-3 1e-4",
        "EPOCHS": "1",
        "FAST": "60",
    }
