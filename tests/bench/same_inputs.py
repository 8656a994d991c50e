"""What the runs of same.py read: small files of our own, in eleven languages."""

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).with_name("same_data")
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES, CASES = ROOT / "examples", ROOT / "tests" / "cases" / "dt-convert"
CODED = {
    "surrogate": b'{"id": 1, "text": "\\ud800"}\n',
    "bytes": b'{"id": 1, "text": "\xff"}\n',
    "none": b"",
    "bom": b'\xef\xbb\xbf{"id": 1, "text": "a", "dialogue": "A: hi"}\r\n',
    "blank": b"\n\n",
    "brackets": b'{"id": 1, "text": ' + b"[" * 3000 + b"\n",
    "twice": b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n{"id": 1, "text": "c"}\n',
}


def write(place: Path) -> None:
    """Write all inputs into a folder."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import samples

    shutil.copytree(DATA, place, dirs_exist_ok=True)
    records, parsed = samples.records(25) + list(more_dialogues()), samples.parsed(20)
    english = [record for record in samples.records(60) if record["lang"] == "en"]
    for name, made in (
        ("dialogues", records),
        ("dialogues-en", english),
        ("parsed", parsed),
        ("predicted", predictions(records)),
        ("labels", labels()),
        ("tests", scores()),
        ("parses", map(with_gold, parsed)),
    ):
        put(place / f"{name}.jsonl", made)
    write_names(place)
    write_faults(place, samples.lines(records[:3]))
    write_formats(place)
    (place / "nothing").write_text("")
    for lang in ("ru", "und", "x-y", "pt-BR"):
        put(
            place / f"tongue-{lang}.jsonl",
            [{"id": 1, "lang": lang, "prediction": "Это так, да.", "reference": "Это не так."}],
        )
    shown = (
        (EXAMPLES / "speaker-names" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    )
    put(place / "shown.jsonl", map(json.loads, shown[::4]))
    for name in ("chinese-bias", "counterfactuals"):
        shutil.copyfile(EXAMPLES / name / "posts.jsonl", place / f"{name}-posts.jsonl")
    for path in (EXAMPLES / "occupations").glob("*.tsv"):
        shutil.copyfile(path, place / path.name)
    shutil.copyfile(ROOT / "tests" / "data" / "annotated.conllu", place / "annotated.conllu")
    shutil.copytree(EXAMPLES / "prompts", place / "prompts")


def put(path: Path, records) -> None:
    """Write records as JSON Lines."""
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    path.write_text("".join(lines), encoding="utf-8")


def read(path: Path) -> list[dict]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def more_dialogues() -> Iterator[dict]:
    """Yield the dialogues of languages that the tests' samples lack, as turns and as one string."""
    for record in read(DATA / "turns.jsonl"):
        turns = record["dialogue"]
        text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
        more = {"context": turns[0]["text"], "reference": turns[-1]["text"]}
        yield {**record, **more}
        yield {**record, "id": f"{record['id']}-text", "dialogue": text, **more}


def predictions(records: list[dict]) -> Iterator[dict]:
    """Yield two systems' predictions of each record, with all that a metric may want."""
    for i, record in enumerate(records):
        given = record["reference"]
        references = given if isinstance(given, list) else [given]
        near = "..." if i % 7 == 3 else references[i % len(references)]
        for system, text in (("a", near), ("b", references[0][: 6 + i % 9] + "…")):
            spaced = record["lang"] not in ("zh", "ja")
            size = len(text.split()) if spaced else len(text.replace(" ", ""))
            yield {
                **record,
                "system": system,
                "prediction": text,
                "age": i % 3,
                "source_length": size + 1,
                "delays": [float(j + 1) for j in range(size)],
                "elapsed": [j + 1.5 for j in range(size)],
                "set": f"s{i % 2}",
                "gender": "male" if i % 2 else "female",
                "stereotype": "pro" if i % 3 else "anti",
                "human": i % 5 + (system == "a"),
            }


def labels() -> Iterator[dict]:
    """Yield labels of three annotators and two systems, and ratings."""
    kinds = ["yes", "no", "maybe"]
    for i in range(24):
        yield {
            "id": i,
            "lang": "en",
            "system": "ab"[i % 2],
            "prediction": kinds[i % 3],
            "reference": [kinds[(i + i // 5) % 3], kinds[i % 2], kinds[i % 3]],
            "rating": str(1 + i % 5),
            "other": str(1 + (i + i // 3) % 5),
        }


def scores() -> Iterator[dict]:
    """Yield scores of three systems in clusters, with variants, ties, and some missing."""
    for i in range(40):
        for shift, system in enumerate("abc"):
            value = (i * 37 % 41) / 41 + shift * 0.04 + (i * shift % 7) / 50
            missing = i % 11 == 10 and shift == 1
            made = {"f1": None if missing else round(value, 6), "yes": (i * (shift + 3)) % 5 > 1}
            record = {
                "id": i,
                "system": system,
                "cluster": f"c{i // 3}",
                "age": i % 4,
                "scores": made,
                "rating": 1 + (i + shift * (i % 3)) % 5,
                "human": (i * 7 + shift) % 11,
            }
            yield record
            if i % 4 == 0:
                yield {**record, "variant": "x:1", "scores": made | {"f1": round(value * 0.9, 6)}}


def with_gold(record: dict) -> dict:
    """Return a parsed record with a prediction, and gold tokens that differ in places."""
    turns = [
        turn
        | {
            "gold": [
                token | ({"deprel": "dep", "upos": "X"} if i % 4 == 1 else {})
                for i, token in enumerate(turn["tokens"])
            ]
        }
        for turn in record["dialogue"]
    ]
    return {**record, "dialogue": turns, "prediction": record["reference"][0]}


def write_names(place: Path) -> None:
    """Write the cases of the tests of names as dialogues, by language."""
    made: dict[str, list[dict]] = {}
    for case in read(ROOT / "tests" / "data" / "name_cases.jsonl"):
        turns = [{"speaker": name, "text": case["input"]} for name in case["map"]["names"]]
        made.setdefault(case["lang"], []).append(
            {
                "id": case["n"],
                "lang": case["lang"],
                "dialogue": turns,
                "reference": case["input"],
                "prediction": case.get("expected", case["input"]),
            }
        )
    for lang, cases in made.items():
        put(place / f"names-{lang}.jsonl", cases)


def write_faults(place: Path, good: str) -> None:
    """Write a file for each malformed record, and all that are one line behind good records."""
    rows = [line.split("\t", 1) for line in (DATA / "faults.tsv").read_text().splitlines()]
    faults = {name: line.encode() + b"\n" for name, line in rows}
    for name, line in (faults | CODED).items():
        (place / f"fault-{name}.jsonl").write_bytes(line)
    (place / "mixed.jsonl").write_bytes(good.encode() + b"".join(faults.values()))


def write_formats(place: Path) -> None:
    """Write the files of all formats that the cases of dt-convert have, and tables of our own."""
    for path in CASES.glob("*/*"):
        if path.name not in ("cmd", "expected"):
            (place / "formats" / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place / "formats" / path.parent.name / path.name)
    chats = [
        {"id": str(i), "dialogue": f"Änne: hallo\nPeter: {i}", "summary": "Zwei grüßen."}
        for i in range(6)
    ]
    (place / "table.json").write_text(
        json.dumps(chats, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    with open(place / "table.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text", "lang", "rating:json"])
        table.writerows([i, f'a, "b"\n{i}é', "fr", json.dumps({"n": 2**70 + i})] for i in range(5))
