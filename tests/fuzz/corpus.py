"""The sound files that runs begin with: those of tests/bench/same.py, and files of other programs."""

import gzip
import os
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests" / "bench"))

import same_inputs  # noqa: E402
import same_runs  # noqa: E402
import same_worker  # noqa: E402

RUNS = Path(__file__).with_name("fuzz.runs")


def write(place: Path, models: bool) -> None:
    """Write all files into a folder `in` of a place; run what makes more of them.

    models: tiny models, too.
    """
    folder = place / "in"
    folder.mkdir(parents=True)
    same_inputs.write(folder, models=models)
    _write_tables(folder)
    _write_packed(folder)
    _write_options(folder)
    lines = [
        line
        for path in (same_runs.RUNS, RUNS)
        for section, found in same_runs.sections(path)
        for line in found
        if re.search(r"> in/\S*\w$", line) and "{ROOT}" not in line
        if section not in ("data", "treebanks")
    ]
    for number, line in enumerate(lines):
        work = place / f"made{number}"
        work.mkdir()
        (work / "in").symlink_to(folder)
        same_worker.run(str(work), line)
        shutil.copyfile(work / "stdout", folder / line.rpartition("> in/")[2])
        shutil.rmtree(work)
    for name in ("CALLS", "CPU"):  # they name files of the folder that the last line ran in
        os.environ.pop(name, None)
    _write_answers(folder)


def _write_tables(folder: Path) -> None:
    """Write a workbook of Excel, Parquet, Arrow, and a data set of Hugging Face, of one table."""
    import datasets
    import pyarrow.ipc
    import pyarrow.parquet
    from openpyxl import Workbook

    talk = [{"speaker": "Ann", "text": "Hi, Bob!"}, {"speaker": "Bob", "text": "Hello."}]
    columns: dict[str, list[Any]] = {
        "id": [f"t{number}" for number in range(40)],
        "dialogue": [talk * (1 + number % 3) for number in range(40)],
        "reference": [["They greet.", "A greeting."][: 1 + number % 2] for number in range(40)],
        "rating": [None if number % 7 == 0 else number / 4 for number in range(40)],
        "kind": ["a" if number % 2 else "b" for number in range(40)],
    }
    table = pyarrow.table(columns)
    table = table.set_column(4, "kind", table["kind"].dictionary_encode())
    for packing in ("snappy", "zstd", "gzip"):
        pyarrow.parquet.write_table(
            table, folder / f"{packing}.parquet", row_group_size=15, compression=packing
        )
    for name, packing in (("plain", None), ("lz4", "lz4")):
        options = pyarrow.ipc.IpcWriteOptions(compression=packing)
        with pyarrow.ipc.new_stream(
            folder / f"{name}.arrow", table.schema, options=options
        ) as sink:
            sink.write_table(table, max_chunksize=15)
    with pyarrow.ipc.new_file(folder / "file.arrow", table.schema) as sink:
        sink.write_table(table)
    datasets.disable_progress_bars()
    datasets.Dataset.from_dict(columns).save_to_disk(folder / "set", num_shards=2)

    book = Workbook()
    rows = [["id", "output", "rating", "n:json", "when"], [1, "Hi", 4.5, "[2]", None], [2, None, 3]]
    for row in [*rows, [3, "=A2", 1], [4, "Bye.", 2, "{}", "2024-03-05"]]:
        book.active.append(row)
    book.save(folder / "book.xlsx")
    book.create_sheet("More").append(["id", "text"])
    book.save(folder / "sheets.xlsx")


def _write_packed(folder: Path) -> None:
    (folder / "dialogues.jsonl.gz").write_bytes(
        gzip.compress((folder / "dialogues-en.jsonl").read_bytes()[:20_000])
    )


def _write_options(folder: Path) -> None:
    """Write what options name: vectors, candidates, pools, a folder of a language."""
    drawn = random.Random(1)
    same_inputs.put(
        folder / "vectors.jsonl",
        [
            {"id": n, "lang": "en", "text": f"text {n}", "v": [drawn.random() for _ in range(4)]}
            for n in range(30)
        ],
    )
    same_inputs.put(
        folder / "candidates.jsonl",
        [{"id": n, "text": text} for n, text in enumerate(["a greeting", "a trip", "a meal"])],
    )
    words = ["hi", "the", "station", "ticket", "bob"]
    (folder / "vectors.txt").write_text("".join(f"{word} 0.1 0.{len(word)} 1\n" for word in words))
    (folder / "pool.tsv").write_text("Ann\tf\nBob\tm\nKim\nZoe\tf\nMax\tm\nEli\tm\nUma\tf\n")
    (folder / "spec.tsv").write_text(
        "kind\tone\ttwo\ntarget\tmother\tfather\nattribute\tgood\tbad\n"
    )
    shutil.copytree(ROOT / "dialtools" / "languages" / "jv", folder / "languages" / "jv")
    shutil.copyfile(
        ROOT / "dialtools" / "languages" / "SOURCES.tsv", folder / "languages" / "SOURCES.tsv"
    )
    (folder / "outputs.csv").write_text(
        "id,variant,output,out2\n" + "".join(f"en-{n},,Output {n},{n}\n" for n in range(25))
    )


def _write_answers(folder: Path) -> None:
    """Write a file of answers to the questions of dt-generate --requests."""
    message = {"choices": [{"message": {"role": "assistant", "content": "A greeting."}}]}
    same_inputs.put(
        folder / "answers.jsonl",
        [
            {
                "custom_id": request["custom_id"],
                "response": {"status_code": 200, "body": message | {"usage": {"total_tokens": 9}}},
            }
            for request in same_inputs.read(folder / "requests.jsonl")
        ],
    )
