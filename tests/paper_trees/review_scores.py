"""PeerRead's ACL 2017 and ASAP-Review's ICLR, as published: papers that science-parse read, reviews, marks, decisions."""

import json
from pathlib import Path

import tiny_models

SCORED, MARKED = 10, 24


def write(folder: Path) -> dict[str, str]:
    for number in range(SCORED):
        acl = folder / "PeerRead/data/acl_2017" / ("train" if number % 5 else "test")
        reviews = [
            {"CLARITY": str(2 + number % 2 + n), "RECOMMENDATION": "3", "comments": "…"}
            for n in range(2)
        ]
        dump(acl / f"reviews/{number}.json", {"reviews": reviews})
        dump(acl / f"parsed_pdfs/{number}.pdf.json", paper(number))
    marks = []
    for number in range(MARKED):
        id = f"ICLR_2017_{number}"
        iclr = folder / "ReviewAdvisor/dataset/ICLR_2017"
        dump(iclr / f"ICLR_2017_content/{id}_content.json", paper(number))
        decision = "Accept (Poster)" if number % 4 else "Reject"
        dump(iclr / f"ICLR_2017_paper/{id}_paper.json", {"id": id, "decision": decision})
        sentiment = "positive" if number % 4 == 2 else "negative"
        labels = [[0, 4, f"clarity_{sentiment}"], [5, 9, "summary"]]
        marks.append(json.dumps({"id": id, "text": "…", "labels": labels}))
    aspects = folder / "ReviewAdvisor/dataset/aspect_data/review_with_aspect.jsonl"
    aspects.parent.mkdir(parents=True)
    aspects.write_text("\n".join(marks) + "\n", encoding="utf-8")
    (folder / "glove.840B.300d.txt").write_text("we 0.1 0.2\npaper -0.3 0.4\n", encoding="utf-8")

    words = tiny_models.tokenizer()
    tiny_models.save(folder / "scibert", tiny_models.bert(words), words)
    short = "--epochs 1 --batch-size 8 --learning-rate 5e-5 --max-input 64"
    tasks = {"FROM": "clarity clarity-all decision", "TARGETS": "CLARITY"}
    sizes = {"FIRST": f"{short} --epochs 2", "TRAINING": short, "CHECKPOINTS": "2", "CNN": "1"}
    return {
        **{"DATA": str(folder), "MODEL": str(folder / "scibert"), "FOLDS": "--folds 2 --repeats 2"},
        **tasks,
        **sizes,
    }


def paper(number: int) -> dict:
    sections = [
        {"heading": "1 Introduction", "text": f"We study {number}."},
        {"text": "No heading."},
    ]
    return {"metadata": {"abstractText": f"Paper {number}.", "sections": sections}}


def dump(file: Path, value: dict) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")
