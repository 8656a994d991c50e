"""What the runs of same.py read: small files of our own, in eleven languages."""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
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
PEOPLE = {
    "id": "p",
    "lang": "en",
    "people": [{"name": "Zoë", "gender": "f", "aliases": ["Zo"]}, {"name": "Max"}],
    "dialogue": "Ann: Is Zoë there?\nBob: Zo and Max are, Ann.",
    "reference": "Zoë is there.",
}


def write(place: Path, checkout: Path = ROOT, models: bool = True) -> None:
    """Write all inputs into a folder; models: tiny models, too."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import samples

    shutil.copytree(DATA, place, dirs_exist_ok=True)
    records, parsed = samples.records(25) + list(more_dialogues()), samples.parsed(20)
    english = [record for record in samples.records(60) if record["lang"] == "en"]
    for name, lines in (
        ("dialogues", records),
        ("dialogues-en", english),
        ("parsed", parsed),
        ("predicted", predictions(records)),
        ("predicted-en", [r for r in predictions(records) if r["lang"] == "en"]),
        ("predicted-zh", [r for r in predictions(records) if r["lang"] in ("zh", "ja")]),
        ("labels", labels()),
        ("tests", scores()),
        ("tests-a", [r for r in scores() if r["system"] == "a"]),
        ("parses", map(with_gold, parsed)),
        ("no-lang", [without(record, "lang") for record in english]),
        ("other-keys", map(with_other_keys, list(predictions(english))[::2])),
        ("short", [record for record in predictions(english) if len(record["prediction"]) < 60]),
        ("raters", raters()),
        ("tests-keyed", map(with_keys_of_tests, scores())),
        ("training", examples(0, 40)),
        ("developing", examples(40, 48)),
        ("keyed-training", map(with_other_keys_alone, examples(0, 40))),
        ("labelled", examples(0, 6)),
        ("rated", map(with_prediction, examples(0, 12))),
        ("candidates", map(candidate, examples(0, 12))),
        ("scored-shots", [record | {"score": 50} for record in predictions(english[:3])]),
        ("people", [PEOPLE]),
    ):
        put(place / f"{name}.jsonl", lines)
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
    for name in ("annotated.conllu", "louder.sed"):
        shutil.copyfile(ROOT / "tests" / "data" / name, place / name)
    shutil.copytree(EXAMPLES / "prompts", place / "prompts")
    (place / "prompts" / "broken.jinja").write_text("{{ dialogue")
    write_small_files(place)
    write_tables(place / "tables", records)
    data = checkout / "dialtools" / "languages"
    shutil.copytree(data / "en", place / "languages" / "en")
    shutil.copyfile(data / "SOURCES.tsv", place / "languages" / "SOURCES.tsv")
    for name in ("README.md", "examples/tour/README.md", "examples/recipes/README.md"):
        write_script(place / "scripts", name)
    if models and find_spec("torch") and find_spec("transformers"):
        command = [sys.executable, __file__, str(place / "models")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


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
            value = (i * 37 % 41) / 55 + shift * 0.04 + (i * shift % 7) / 50
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


def without(record: dict, key: str) -> dict:
    """Return a record without a key."""
    return {name: value for name, value in record.items() if name != key}


def with_other_keys(record: dict) -> dict:
    """Return a record whose keys have other names, my-id and the like; it has all that commands know."""
    record = record | {"text": record["prediction"], "context": "Ann?", "label": "a"}
    return with_other_keys_alone(record)


def with_other_keys_alone(record: dict) -> dict:
    """Return a record whose keys have other names."""
    return {f"my-{name}": value for name, value in record.items()}


def with_keys_of_tests(record: dict) -> dict:
    """Return a record of scores with other names for its keys."""
    names = {"id": "number", "variant": "form", "cluster": "group", "system": "who", "human": "n"}
    return {names.get(name, name): value for name, value in record.items()}


def raters() -> Iterator[dict]:
    """Yield ratings of three people who agree more or less, some of them missing."""
    for i in range(30):
        record = {"id": i, "first": 1 + i % 5, "second": 1 + (i + i // 7) % 5}
        yield record | ({} if i % 9 == 8 else {"third": 1 + (i + i // 4) % 5})


def examples(begin: int, end: int) -> Iterator[dict]:
    """Yield records to learn from: dialogues with a summary, pairs of texts, labels, numbers, vectors."""
    people = ["Ann", "Bob", "Carla", "Dan", "Eve", "Frank", "Gina", "Hugo", "Ida", "Jack"]
    things = ["bread", "milk", "tickets", "a map"] if begin == 0 else ["a lamp", "two books"]
    for i in range(begin, end):
        one, other, thing = (
            people[i % 10],
            people[(i + 1 + i // 10 % 4) % 10],
            things[i % len(things)],
        )
        yield {
            "id": f"e{i}",
            "lang": "en",
            "dialogue": [
                {"speaker": one, "text": f"Hi {other}! Can you bring {thing}?"},
                {"speaker": other, "text": "Sure, she will." if i % 2 else f"No, {one}."},
            ],
            "text": f"A gay friend wants {thing}." if i % 3 else f"His mother wants {thing}.",
            "context": f"{thing}?",
            "reference": f"{one} asks {other} for {thing}.",
            "label": ["yes", "no", "maybe"][i % 3],
            "labels": [name for n, name in enumerate(("short", "kind")) if (i >> n) % 2],
            "number": (i * 7 % 10) / 10,
            "sure": i % 2 == 0,
            "same": i % 2,
            "part": f"p{i % 4}",
            "profile": f"{one} likes {thing}.",
            "vector": [((i * n) % 7) / 7 + 0.1 for n in range(1, 9)],
        }


def with_prediction(record: dict) -> dict:
    """Return a record with a prediction that has most words of its reference."""
    return {**record, "prediction": record["reference"].replace(" asks ", " wants ")}


def candidate(record: dict) -> dict:
    """Return what dt-generate -g nearest may choose."""
    return {"id": record["part"] + record["id"], "text": record["text"]}


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


def write_small_files(place: Path) -> None:
    """Write pools of names, a specification of terms, word vectors, and the data of a language."""
    names = [
        ("Anna", "f"),
        ("Ben", "m"),
        ("Kim", "u"),
        ("Dora", "f"),
        ("Emil", "m"),
        ("Faith", "f"),
    ]
    (place / "pool.tsv").write_text("".join(f"{name}\t{gender}\n" for name, gender in names))
    lines = [f"{name},{gender}\n" for name, gender in names]
    (place / "pool.csv").write_text("name,gender\n" + "".join(lines))
    lines = [f"{name}\t{gender}\t{'ab'[i % 2]}\n" for i, (name, gender) in enumerate(names)]
    (place / "groups.tsv").write_text("name\tgender\tgroup\n" + "".join(lines))
    (place / "terms.tsv").write_text("kind\tone\ttwo\ntarget\train\tsun\ntarget\tman\twoman\n")
    (place / "groups-of.tsv").write_text(
        "kind\tone\ttwo\ntarget\tbread\tmilk\ntarget\tAnn\tBob\nattribute\tfriend\tmother\nattribute\tasks\twants\n"
    )
    (place / "words.txt").write_text("<act>\n<say>\n")
    text = (place / "predicted.jsonl").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"\w+", text)))
    vectors = [
        " ".join([word, *(str((sum(word.encode()) * n % 11) / 11) for n in range(1, 5))])
        for word in words
    ]
    (place / "vectors.txt").write_text(
        "\n".join([f"{len(words)} 4", *vectors]) + "\n", encoding="utf-8"
    )
    english = read(place / "dialogues-en.jsonl")
    put(place / "twice.jsonl", [english[0], english[0]])
    put(
        place / "two-systems.jsonl",
        [{"id": english[0]["id"], "system": name, "prediction": name} for name in "ab"],
    )


def write_tables(place: Path, records: list[dict]) -> None:
    """Write outputs for records as a table of each kind, and a workbook, a data set and Parquet of other things."""
    place.mkdir()
    rows = [
        {"id": str(record["id"]), "output": f"Output {i}", "rating": i % 5}
        for i, record in enumerate(records)
        if i % 6
    ]
    put(place / "out.jsonl", rows)
    (place / "out.json").write_text(json.dumps(rows))
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        lines = [
            delimiter.join(map(str, row.values()))
            for row in [dict(zip(rows[0], rows[0], strict=True)), *rows]
        ]
        (place / f"out.{name}").write_text("\n".join(lines) + "\n")
    chats = [
        {"id": f"c{i}", "dialogue": f"Ann: Hi {i}\nBob: Yes", "reference": ["Hi.", "Yes."][i % 2]}
        for i in range(4)
    ]
    if find_spec("openpyxl"):
        import openpyxl

        for name, first, more in (("out", rows, []), ("book", chats, rows[:3])):
            book = openpyxl.Workbook()
            for sheet, lines in ((book.active, first), (book.create_sheet("more"), more)):
                for line in (
                    [list(lines[0]), *(list(row.values()) for row in lines)] if lines else []
                ):
                    sheet.append(line)
            book.save(place / f"{name}.xlsx")
    if find_spec("pyarrow"):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), place / "out.parquet")
        pictures = [chat | {"image": b"\xff\x00"} for chat in chats]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(pictures), place / "rows.parquet")
        table = pyarrow.Table.from_pylist(pictures)
        with pyarrow.ipc.new_stream(place / "set.arrow", table.schema) as stream:
            stream.write_table(table)
    if find_spec("datasets"):
        import datasets

        datasets.disable_progress_bars()
        datasets.Dataset.from_list([chat | {"image": b"\xff"} for chat in chats]).save_to_disk(
            str(place / "set")
        )


def write_script(place: Path, name: str) -> None:
    """Write the commands that a page shows as a script, those after "$ " or, without any, its blocks of sh."""
    place.mkdir(exist_ok=True)
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = []
    for block in re.split(r"(?m)^\$ ", text)[1:]:
        lines = block.partition("\n\n")[0].splitlines()
        size = next(i for i, line in enumerate(lines, 1) if not line.endswith(("|", "\\")))
        blocks.append("\n".join(lines[:size]))
    blocks = blocks or re.findall(r"(?ms)^```sh\n(.*?)^```", text)
    stem = name.removesuffix("/README.md").rpartition("/")[2].lower()
    (place / stem.replace("readme.md", "readme")).with_suffix(".sh").write_text(
        "\n".join(["set -o pipefail", *blocks]) + "\n", encoding="utf-8"
    )


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


def write_models(place: Path) -> None:
    """Make tiny models, each in a folder."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import tiny_families
    import tiny_models

    from dialtools.models import stand_ins

    tiny_models.folder(place)
    words = tiny_models.tokenizer()
    for name, model in (
        ("bert", tiny_models.bert(words)),
        ("classifier", tiny_models.classifier(words, ["no", "yes"])),
        ("regressor", tiny_models.classifier(words, ["number"])),
        ("nsp", stand_ins.nsp(words)),
        ("judge", stand_ins.judge(words)),
        ("causal", tiny_models.gpt2(words, n_positions=1024)),
        ("reader", tiny_models.classifier(words, ["no", "yes"], max_position_embeddings=512)),
    ):
        tiny_models.save(place / name, model, words)
    words.mask_token = "<mask>"
    tiny_models.save(place / "masked", tiny_models.masked(words), words)
    words.model_max_length = 96
    tiny_models.save(place / "bounded", tiny_models.bert(words), words)
    for name, parts in (("nllb", tiny_models.nllb()), ("llama", tiny_families.llama())):
        tiny_models.save(place / name, *parts)
    if find_spec("stanza"):
        import tiny_stanza

        (place.parent / "stanza").mkdir()
        tiny_stanza.train(place.parent / "stanza")
    if find_spec("ufal.udpipe"):
        import tiny_udpipe

        tiny_udpipe.train(place.parent / "udpipe.model")


if __name__ == "__main__":
    write_models(Path(sys.argv[1]))
