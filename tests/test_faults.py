"""Hostile input and surroundings: what a case folder cannot hold."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import samples
from conftest import ROOT

CASES = Path(__file__).parent / "cases"
JOB = (
    "dt-convert --from jsonl | dt-swap-names --variants 2 --seed 1 --keep-original | dt-perturb -k typo.case "
    "--keep-original | dt-generate -g longest | dt-score --sensitivity -m rouge2 -m rougeL"
)

# Each with the name of the key that a 20 MB string stands in.
FILTERS = [
    ("dt-check", "text"),
    ("dt-convert --from jsonl", "text"),
    ("dt-perturb --overwrite -k typo.case", "text"),
    ("dt-generate -g longest", "dialogue"),
    ("dt-swap-names", "dialogue"),
    ("dt-score -m exact", "prediction"),
    ("dt-score -m rouge2", "prediction"),
    ("dt-ttest --value n --by system", "note"),
]


@pytest.mark.parametrize("filter, key", FILTERS, ids=[filter for filter, _ in FILTERS])
def test_a_line_of_20_megabytes(shell, tmp_path, filter: str, key: str):
    """It is a record like any other."""
    long = f"Once {'more' * 25}. " * (20_000_000 // 107)
    for system in "XY" if "--by system" in filter else "X":
        value = [{"speaker": "Ann", "text": long}] if key == "dialogue" else long
        record = {
            "id": "a",
            "lang": "en",
            "system": system,
            "n": 1,
            "reference": "Once more.",
            key: value,
        }
        with open(tmp_path / "in.jsonl", "a") as file:
            file.write(json.dumps(record) + "\n")
    result = shell(f"{filter} -o out.jsonl in.jsonl")
    assert result.status == 0, result.err
    assert "error" not in result.err
    if key in ("dialogue", "prediction", "text") and filter != "dt-check":
        made = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert [record["n"] for record in made] == [1]


@pytest.mark.parametrize(
    "filter",
    [
        "dt-convert --from jsonl",
        "dt-perturb --overwrite -k typo.case",
        "dt-perturb --overwrite -k typo.case --jobs 2",
        "dt-generate -g longest --on-error keep",
        "dt-swap-names --overwrite | dt-swap-names --restore",
        "dt-score -m exact --against text",
        "dt-clean --all",
        "dt-check",
    ],
)
def test_what_is_nested_as_deeply_as_json_is_read(shell, tmp_path, filter: str):
    """orjson reads 1,024 levels; Python's own limit is 1,000 calls."""
    deep = "[" * 1000 + '{"id": 1}' + "]" * 1000
    line = (
        '{"id": "a", "lang": "en", "text": "Is it so?", "dialogue": "Ann: Is it so?", '
        f'"prediction": "So it is.", "reference": "It is.", "x": {deep}}}\n'
    )
    (tmp_path / "in.jsonl").write_text(line)
    result = shell(
        f"{filter.replace(' |', ' in.jsonl |', 1)} {'' if '|' in filter else 'in.jsonl'}"
    )
    assert result.status in (0, 1) and "internal" not in result.err
    assert filter == "dt-check" or deep.replace(" ", "") in result.out


def test_a_broken_line_of_20_megabytes_is_one_short_line(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "' + "x" * 20_000_000)
    result = shell("dt-perturb -k typo.case in.jsonl")
    assert (result.out, result.status) == ("", 3)
    assert (
        result.err == "dt-perturb: in.jsonl:1: not JSON: unexpected end of data (column 20000022)\n"
    )


@pytest.mark.parametrize(
    "filter, prepare",
    [
        ("dt-convert --from jsonl", list),
        ("dt-swap-names --variants 3", list),
        ("dt-perturb --overwrite -k typo.case", list),
        ("dt-perturb --overwrite -k typo.case --jobs 2", list),
        ("dt-generate -g longest", list),
        ("dt-score -m rouge1", samples.predicted),
    ],
)
def test_a_reader_that_leaves_is_no_error(shell, tmp_path, filter: str, prepare):
    """As for any Unix filter: killed by SIGPIPE (141), without a word."""
    (tmp_path / "in.jsonl").write_text(samples.lines(prepare(samples.records(2000, ("en",)))))
    result = shell(f"{filter} in.jsonl | head -n 1; echo ${{PIPESTATUS[0]}}")
    line, status = result.out.splitlines()
    assert json.loads(line)["id"] == "en-0"
    assert (status, result.err) == ("141", "")


FORBID = """
import os, sys

def hook(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"a socket: {event} {arguments}\\n".encode())
        os._exit(99)

sys.addaudithook(hook)
"""


@pytest.mark.parametrize(
    "line",
    [
        f"cat in.jsonl | {JOB}",
        "dt-check in.jsonl; dt",
        "dt-perturb -k typo.case --jobs 2 in.jsonl",
        "dt-generate -g lead --offline in.jsonl | dt-score -m chrf -m bleu -m distinct1 -o scored.jsonl; "
        "dt-ttest --value scores.chrf --by lang scored.jsonl; dt --completion bash",
    ],
)
def test_what_needs_no_model_opens_no_socket(shell, tmp_path, line: str):
    """Python itself reports every use of a socket, and here ends at the first."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(FORBID)
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(10, ("en", "zh"))))
    result = shell(f"set -o pipefail; {line}", PYTHONPATH=str(tmp_path / "site"))
    assert result.status == 0 and "a socket" not in result.err, result.err
    assert result.out
    tried = shell("python -c 'import socket; socket.socket()'", PYTHONPATH=str(tmp_path / "site"))
    assert tried.status == 99, "or the test would show nothing"


def test_each_fault_is_tried_on_each_filter():
    """The cases in tests/cases/faults run what each.sh lists."""
    from test_contract import FILTERS as names
    from test_contract import program

    text = (CASES / "faults" / "each.sh").read_text()
    # The last two read no records; the others have faults of their own in test_cluster.py and the like.
    assert [name for name in names if program(name) not in text] == [
        "cluster",
        "join",
        "report",
        "template",
        "train",
    ]
    assert len(list((CASES / "faults").glob("*/cmd"))) >= 12


@pytest.mark.parametrize(
    "line",
    [
        """jq -nc '{lang: "e\\u001b[31mn", text: "a"}' | dt-perturb -k typo.case""",
        """jq -nc '{("k\\u009b31m\\u202e"): 1}' | dt-perturb -k typo.case""",
        "dt-perturb -k typo.case $'no\\e[31m.jsonl'",
    ],
)
def test_no_control_character_of_the_input_reaches_the_terminal(shell, line: str):
    result = shell(line)
    assert result.status and all(c.isprintable() for c in result.err.rstrip("\n")), result.err
    assert "31m" in result.err


def test_debug_shows_where_and_nothing_else_does(shell):
    line = "echo broken | dt-perturb -k typo.case"
    assert "Traceback" not in shell(line).err
    assert "Traceback" in shell(f"{line} --debug").err


def test_an_output_without_room_for_a_name_is_an_error(shell):
    result = shell(f"dt-perturb -k typo.case -o {'x' * 300} < /dev/null")
    assert result.status == 5 and result.err.count("\n") == 1


def test_a_worker_that_fails_tells_as_one_process_would(shell, tmp_path):
    records = samples.records(300, ("en",))
    records[200] = {**records[200], "dialogue": []}
    (tmp_path / "in.jsonl").write_text(samples.lines(records))
    alone = shell("dt-generate -g longest in.jsonl > /dev/null")
    assert alone.status == 3
    assert alone.err == 'dt-generate: in.jsonl:201: a dialogue without turns (id "en-200")\n'
    assert shell("dt-generate -g longest --jobs 2 in.jsonl > /dev/null") == alone
    for jobs in ("", "--jobs 2"):
        kept = shell(f"dt-generate -g longest --on-error keep {jobs} in.jsonl")
        made = [json.loads(line) for line in kept.out.splitlines()]
        assert kept.status == 1 and "1 record failed" in kept.err and len(made) == 300
        assert made[200]["errors"] == [{"by": "dt-generate", "reason": "a dialogue without turns"}]
        skipped = shell(f"dt-generate -g longest --on-error skip {jobs} in.jsonl")
        assert skipped.status == 1 and skipped.out.count("\n") == 299


@pytest.mark.parametrize(
    "there, line, missing",
    [
        ("", "dt-check", "click"),
        ("", "dt-swap-names --help", "click"),
        ("", "dt", "click"),
        ("click", "dt-check", "orjson"),
        ("click orjson", "dt-score -m rougeL", "rapidfuzz"),
        ("click orjson", "dt-score -m rougeL --jobs 2", "rapidfuzz"),
        ("click orjson", "dt-check --progress", "tqdm"),
    ],
)
def test_a_library_of_the_base_install_that_is_missing_is_named(
    shell, tmp_path, there: str, line: str, missing: str
):
    """As where a checkout is used before it is installed."""
    (tmp_path / "site").mkdir()
    for library in there.split():
        found = find_spec(library)
        assert found and found.origin
        (tmp_path / "site" / library).symlink_to(Path(found.origin).parent)
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "reference": "so it is", "prediction": "it is so"}\n'
    )
    program, *options = line.split()
    result = shell(
        f"python -S {ROOT}/bin/{program} {' '.join(options)} < in.jsonl",
        PYTHONPATH=str(tmp_path / "site"),
    )
    assert (result.out, result.status) == ("", 4)
    assert (
        result.err == f"{program}: the library {missing} is not installed: pip install {missing}\n"
    )


def test_what_a_python_was_built_without_is_nothing_to_install(shell, tmp_path):
    (tmp_path / "no").mkdir()
    (tmp_path / "no" / "sitecustomize.py").write_text("import sys; sys.modules['_sqlite3'] = None")
    result = shell(
        'dt-generate -g echo --cache made.sqlite <<< \'{"id": 1, "lang": "en", "text": "a"}\'',
        PYTHONPATH=str(tmp_path / "no"),
    )
    assert (result.err, result.status) == (
        "dt-generate: this Python was built without its module _sqlite3\n",
        4,
    )
