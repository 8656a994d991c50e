"""examples/mending: a fair comparison, and a test over seeds and dialogues."""

import json
import random
import re
import shlex
import shutil
import sys
from math import ceil
from pathlib import Path

import pytest
from conftest import ROOT
from scipy import stats

HOME = ROOT / "examples" / "mending"
sys.path.append(str(HOME))
import compare  # noqa: E402

# Rows whose training data are as many as those of another.
SAME_SIZE = {
    "short": "vanilla",
    "emb": "vanilla",
    "id": "vanilla",
    "share20": "vanilla",
    "ins": "aug",
    "freins": "freaug",
}


@pytest.fixture(scope="module")
def table() -> list[list[float]]:
    """Return differences of three seeds by forty dialogues, in which both differ."""
    drawn = random.Random(1)
    dialogues = [drawn.gauss(-4, 6) for _ in range(40)]
    return [
        [dialogue + of_seed + drawn.gauss(0, 3) for dialogue in dialogues]
        for of_seed in (-1.0, 0.4, 2.0)
    ]


def test_the_square_of_t_is_min_f(table: list[list[float]]):
    """F over seeds and F over dialogues by scipy; minF' = F1 F2 / (F1 + F2), df by Clark 1973, p. 347."""
    columns = list(zip(*table, strict=True))
    f1 = stats.ttest_1samp([sum(column) / 3 for column in columns], 0).statistic ** 2
    f2 = stats.ttest_1samp([sum(row) / 40 for row in table], 0).statistic ** 2
    lowest = f1 * f2 / (f1 + f2)
    freedom = (f1 + f2) ** 2 / (f1**2 / 2 + f2**2 / 39)
    test = compare.crossed(table)
    assert test.p == pytest.approx(stats.f.sf(lowest, 1, freedom))
    assert test.mean == pytest.approx(sum(map(sum, table)) / 120)
    assert abs(test.mean) / test.half == pytest.approx(lowest**0.5 / stats.t.ppf(0.975, freedom))


def test_p_is_corrected_as_by_hand():
    """Holm: 0.01 · 4, 0.02 · 3, then no less than that: 0.03 · 2 and 0.04 · 1."""
    assert compare.holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def shown(tmp_path: Path, capsys, outputs_of_aug: list[str], quality: float) -> str:
    """Return the line of aug, whose S is 20 points below that of vanilla, in a table of made-up runs."""
    drawn = random.Random(2)
    scores, sources = [], []
    for seed in (1, 2, 3):
        for system, change, mean in ("vanilla", 40, 50.0), ("aug", 20, quality):
            row = {"metric": "rouge2", "by": "pool", "system": system, "group": "seen", "n": 20}
            # the names differ from dialogue to dialogue: neither of these tells a collapsed row
            row |= {"seed": seed, "mean": mean, "S": change, "control": 99.0, "distinct": 100.0}
            scores.append(row)
            for n in range(20):
                text = outputs_of_aug[n] if system == "aug" else f"Ann asks Bob {n}"
                source = {"system": system, "pool": "seen", "seed": seed, "id": n}
                source["scores"] = {"S:rouge2": change + drawn.gauss(0, 2)}
                sources.append(source | {"outputs": [text]})
    records = {
        "scores": scores,
        "sources": sources,
        "test": [{"reference": f"{name} asks Bob {n}"} for n, name in enumerate(NAMES)],
    }
    for name, part in records.items():
        lines = "".join(json.dumps(record) + "\n" for record in part)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    files = [
        tmp_path / name for name in ("scores.jsonl", "sources.jsonl", "names.tsv", "test.jsonl")
    ]
    files[2].write_text("".join(f"{name}\tu\n" for name in ("Ann", "Bob", *NAMES)))
    compare.main("rouge2", *map(str, files))
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("aug "))


NAMES = [f"Name{n}" for n in range(20)]


@pytest.mark.parametrize(
    "outputs, quality, starred",
    [
        ([f"{name} asks Bob {n}" for n, name in enumerate(NAMES)], 50.0, True),
        (
            [f"{name} and Bob talk" for name in NAMES],
            50.0,
            False,
        ),  # the same of each, but for names
        ([f"{name} asks Bob {n}" for n, name in enumerate(NAMES)], 45.0, False),  # less quality
    ],
)
def test_a_collapsed_row_has_no_star(tmp_path, capsys, outputs, quality, starred):
    assert shown(tmp_path, capsys, outputs, quality).endswith("*") == starred


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_names_are_held_out_and_steps_are_equal(shell, tmp_path: Path):
    data = {row: tmp_path / f"{row}.1.train.jsonl" for row in ("vanilla", "aug", "fre", "freaug")}
    settings = f"OUT={tmp_path} ROWS='{' '.join(data)}'"
    result = shell(f"make -s {settings} {tmp_path}/variants-all.jsonl", cwd=HOME, timeout=300)
    assert result.status == 0, result.err
    learned = [
        record for file in (*data.values(), *tmp_path.glob("*.dev.jsonl")) for record in read(file)
    ]
    words = {
        word
        for record in learned
        for word in re.findall(r"\w+", f"{record['dialogue']} {record['reference']}")
    }
    names = {"seen": set(), "unseen": set()}
    for record in read(tmp_path / "variants-all.jsonl"):
        pool = record["variant"].removeprefix("names.").partition(":")[0]
        names[pool] |= {turn.partition(":")[0] for turn in record["dialogue"].splitlines()}
    assert names["seen"] <= words and not names["unseen"] & words
    assert min(map(len, names.values())) > 40
    train, dev, test = (
        {nameless(record) for record in read(tmp_path / f"base.{part}.jsonl")}
        for part in ("train", "dev", "test")
    )
    assert not train & dev and not train & test and not dev & test

    plan = shell(f"make -n --always-make OUT={tmp_path} all", cwd=HOME).out.replace("\\\n", " ")
    steps = {}
    for words_of_line in map(shlex.split, re.findall("^dt-train .*", plan, flags=re.MULTILINE)):
        option = dict(zip(words_of_line, words_of_line[1:], strict=False))
        row = Path(option["--output-dir"]).name.partition(".")[0]
        batches = ceil(len(read(data[SAME_SIZE.get(row, row)])) / int(option["--batch-size"]))
        steps[row] = int(option["--epochs"]) * batches
        assert ("--allow-blind" in words_of_line) == (row in ("ins", "freins"))
    assert steps.pop("short") == 126
    assert set(steps) == {*data, *SAME_SIZE} - {"short"} and set(steps.values()) == {252}


def nameless(record: dict) -> str:
    speakers = {turn.partition(":")[0] for turn in record["dialogue"].splitlines()}
    return re.sub("|".join(speakers), "", record["dialogue"])


def read(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
