"""Plug-ins of the user's own: by file, by module, by an installed distribution, in Python."""

import json
import os
from pathlib import Path

import pytest
import samples

import dialtools
from dialtools.plugins.metric import Metric

METRICS = '''
"""Words in common."""
from dialtools.plugins.metric import Metric

def overlap(predictions, references, *, weight: float = 1.0):
    """Return the share of the prediction's words that the first reference has."""
    rows = [(text.split(), texts[0].split()) for text, texts in zip(predictions, references)]
    return [weight * sum(w in r for w in p) / max(1, len(p)) for p, r in rows]

overlap = Metric(overlap, range=(0, 1))
any_number = Metric(lambda predictions, references: [3.0 for _ in predictions])
'''
PERTURBATION = '''
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue

def shout(record, rng, *, mark: str = "!"):
    """Return an edit for each utterance: a mark at its end."""
    return [
        [pointer, len(holder["text"]), len(holder["text"]), "", mark]
        for pointer, holder in dialogue.utterances(record)
    ]

PERTURBATION = Perturbation(shout)
'''
GENERATOR = '''
import pathlib
from dialtools.plugins.generator import Generator

def generate(records, *, calls: str = "calls"):
    """Return the first text of each record, and note that it was asked for."""
    for record in records:
        with open(calls, "a") as file:
            file.write("x")
        yield {"prediction": record["dialogue"][0]["text"]}

GENERATOR = Generator(generate)
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with plug-ins, as a module and as an installed distribution."""
    for name, text in (("mine", METRICS), ("loud", PERTURBATION), ("first", GENERATOR)):
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(METRICS)
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dialtools.metrics]\nshared = mine:overlap\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RECORDS = [
    {"id": id, "variant": f"names:{n}", "prediction": text, "reference": "a b"}
    for id in ("x", "y")
    for n, text in enumerate(("a c", "a b"), 1)
]


@pytest.mark.parametrize(
    "spec, label",
    [
        ("./mine.py:overlap", "overlap"),
        ("own.mine:overlap:weight=0.5", "overlap:weight=0.5"),
        ("shared", "shared"),
    ],
)
def test_a_metric_of_ones_own(home: Path, shell, spec: str, label: str):
    """By hand: half and all of the words are in the reference; S of two variants, both ways, is 50."""
    (home / "in.jsonl").write_text(samples.lines(RECORDS))
    path = {"PYTHONPATH": str(home)}
    scored = shell(f"dt-score -q -m {spec} in.jsonl", **path)
    weight = 0.5 if "weight" in spec else 1
    values = [json.loads(line)["scores"][label] for line in scored.out.splitlines()]
    assert values == [0.5 * weight, weight, 0.5 * weight, weight]
    result = json.loads(shell(f"dt-score -q -m {spec} --sensitivity in.jsonl", **path).out)
    assert result["metric"] == label and result["unit"] == "percent"
    assert result["S"] == 100 - 50 * weight
    assert "|source:" in result["signature"]
    summed = shell(f"dt-score -m {spec} in.jsonl", **path)
    assert summed.status == 0 and "signature: " in summed.err and "|source:" in summed.err


def test_what_a_file_does_not_declare(home: Path, shell):
    for spec, message in (
        ("./mine.py", "add :NAME of one"),
        ("./mine.py:absent", "has no 'absent'"),
        ("./loud.py", "declares no metric"),
        ("./absent.py", "no Python file is at"),
        ("absent.module:x", "no metric is called"),
    ):
        result = shell(f"dt-score -m {spec} none.jsonl")
        assert (result.status, result.err.count("\n")) == (2, 1) and message in result.err
    (home / "odd.py").write_text(METRICS.replace("range=", "rnage="))
    assert "unexpected keyword argument 'rnage'" in shell("dt-score -m ./odd.py:overlap none").err


@pytest.mark.parametrize(
    "name, code, command",
    [
        ("mine", METRICS, "dt-score -m ./mine.py:overlap"),
        ("loud", PERTURBATION, "dt-perturb -k ./loud.py --overwrite"),
        ("first", GENERATOR, "dt-generate -g ./first.py --overwrite"),
    ],
)
def test_what_goes_wrong_in_a_file_is_told_with_its_line(
    home: Path, shell, name: str, code: str, command: str
):
    """In a file whose tenth line fails."""
    lines = code.splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("def "))
    body = ["    pass"] * (8 - end) + ["    [{}['x'] for _ in '1']"]
    (home / f"{name}.py").write_text("\n".join([*lines[: end + 1], *body, *lines[end + 1 :]]))
    records = samples.records(2, ("en",))
    (home / "in.jsonl").write_text(
        samples.lines(record | {"prediction": "a", "reference": "a"} for record in records)
    )
    result = shell(f"{command} in.jsonl")
    assert result.status == 3 and f"{name}.py:10: KeyError: 'x'" in result.err
    skipped = shell(f"{command} in.jsonl --on-error skip")
    assert skipped.status == 1 and "2 records failed" in skipped.err
    assert f"in.jsonl:1: {name}.py:10: KeyError: 'x' (id" in skipped.err


@pytest.mark.parametrize("name, command", [("loud", "dt-perturb -k"), ("first", "dt-generate -g")])
def test_a_function_that_returns_nothing_is_named(home: Path, shell, name: str, command: str):
    """As one does that lacks its return."""
    kind = {"loud": "perturbation", "first": "generator"}[name]
    (home / f"{name}.py").write_text(
        f"from dialtools.plugins.{kind} import {kind.title()}\n\n"
        f"def idle(records, rng=None):\n    pass\n\nIDLE = {kind.title()}(idle)\n"
    )
    (home / "in.jsonl").write_text(samples.lines(samples.records(2, ("en",))))
    result = shell(f"{command} ./{name}.py in.jsonl")
    assert result.status == 3 and f"{name}.py: idle returned nothing" in result.err


def test_a_metric_without_a_range_is_refused_with_what_to_do(home: Path, shell):
    (home / "in.jsonl").write_text(samples.lines(RECORDS))
    result = shell("dt-score -m ./mine.py:any_number --sensitivity in.jsonl")
    assert result.status == 2 and "no bounded score" in result.err


def test_a_perturbation_of_ones_own_is_undone(home: Path, shell):
    records = samples.records(4, ("en",))
    (home / "in.jsonl").write_text(samples.lines(records))
    varied = shell("dt-perturb -q -k ./loud.py --seed 3 in.jsonl > out.jsonl && cat out.jsonl")
    first = json.loads(varied.out.splitlines()[0])
    assert first["variant"] == "loud:1" and first["history"][-1]["signature"].startswith("loud|")
    restored = shell("dt-perturb -q --restore out.jsonl")
    assert [json.loads(line)["dialogue"] for line in restored.out.splitlines()] == [
        record["dialogue"] for record in records
    ]


def test_a_generator_of_ones_own_has_cache_resume_and_jobs(home: Path, shell):
    (home / "in.jsonl").write_text(samples.lines(samples.records(4, ("en",))))
    generate = "dt-generate -q -g ./first.py --overwrite in.jsonl"
    plain = shell(generate).out
    assert plain.count("\n") == 4 and os.path.getsize("calls") == 4
    assert shell(f"{generate} --jobs 2").out == plain and os.path.getsize("calls") == 8
    assert shell(f"{generate} --cache kept.sqlite").out == plain
    calls = os.path.getsize("calls")
    assert shell(f"{generate} --cache kept.sqlite").out == plain
    assert os.path.getsize("calls") == calls
    half = "".join(plain.splitlines(keepends=True)[:3])
    (home / "out.jsonl").write_text(half)
    shell(f"{generate} --resume -o out.jsonl")
    assert (home / "out.jsonl").read_text() == plain


def test_a_declared_value_in_python():
    def half(predictions: list[str], references: list[list[str]]) -> list[float]:
        return [0.5 for _ in predictions]

    (result,) = dialtools.score(RECORDS, metric=Metric(half, range=(0, 1)), summary=True)
    assert (result["metric"], result["mean"], result["unit"]) == ("half", 50, "percent")
