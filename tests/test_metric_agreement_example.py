"""examples/metric-agreement: splits, scales and counts of the labels, and the table of the surface, against scipy."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from scipy.stats import kendalltau

HOME = ROOT / "examples" / "metric-agreement"


def read(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_ratings_of_translations_are_scaled_and_divided_eight_to_one_to_one(shell, tmp_path: Path):
    """One pair of languages and one year; no pair is in two parts."""
    (tmp_path / "wmt").mkdir()
    with open(tmp_path / "wmt" / "mqm.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["lp", "src", "mt", "ref", "score", "year"])
        for row in range(1000):
            languages, year = ("zh-en", 2020) if row % 2 else ("en-de", 2020 + row % 4 // 2)
            table.writerow([languages, "…", f"hypothesis, {row}", "reference", -row / 100, year])
    parts = [tmp_path / f"wmt20.{part}jsonl" for part in ("train.", "dev.", "")]
    line = " ".join(map(str, parts))
    result = shell(f"make -s PAPER=1 DATA={tmp_path} OUT={tmp_path} {line}", cwd=HOME)
    assert result.status == 0, result.err
    records = [read(part) for part in parts]
    numbers = [len(part) for part in records]
    assert sum(numbers) == 500 and numbers[0] == pytest.approx(400, abs=25)
    assert min(numbers[1:]) > 25
    texts = {record["prediction"] for part in records for record in part}
    assert texts == {f"hypothesis, {row}" for row in range(1, 1000, 2)}
    for record in records[2]:
        row = int(record["prediction"].split()[1])
        assert record["human"] == pytest.approx((999 - row) / 998)


def test_labels_are_counted_by_tenths(shell, tmp_path: Path):
    table = tmp_path / "labels.txt"
    none = "MODEL= CAUSAL= SEQ2SEQ= NLI= JUDGE= SETS='jsts sick'"
    result = shell(f"make -s {none} OUT={tmp_path} {table}", cwd=HOME)
    assert result.status == 0, result.err
    rows = [line.split()[2:] for line in table.read_text().splitlines()[1:]]
    for name, row in zip(("jsts", "sick"), rows, strict=True):
        published = [round(record["human"] * 100) for record in read(tmp_path / f"{name}.jsonl")]
        tenths = Counter(min(label // 10, 9) for label in published)
        shares = [round(100 * tenths[tenth] / len(published), 1) for tenth in range(10)]
        assert list(map(float, row)) == shares


def test_the_table_of_the_surface_is_that_of_scipy(shell, tmp_path: Path):
    """Of a judge with random weights, whose numbers have many ties."""
    none = "MODEL= CAUSAL= SEQ2SEQ= NLI= SETS=sick METRICS='bleu edit'"
    result = shell(f"make -s {none} OUT={tmp_path} {tmp_path}/surface.txt", cwd=HOME)
    assert result.status == 0, result.err
    rows = [line.split() for line in (tmp_path / "surface.txt").read_text().splitlines()]
    scores = [record["scores"] for record in read(tmp_path / "sick.scored.jsonl")]
    labels = [label for label in scores[0] if label.startswith("judge")]
    assert [row[0] for row in rows[1:3]] == ["judge*", "judge_few*"]
    for label, row in zip(labels, rows[1:3], strict=True):
        for metric, shown in zip(("bleu", "edit"), row[1:], strict=True):
            pairs = [(round(one[label], 10), round(one[metric], 10)) for one in scores]
            assert float(shown) == pytest.approx(kendalltau(*zip(*pairs)).statistic, abs=0.0005001)


def test_the_table_to_choose_by_has_tau_and_seconds(shell, tmp_path: Path):
    """tau is scipy's, of the first eight pairs; models with random weights are left out."""
    line = f"make -s choose MODEL= PAIRS=8 SETS='jsts sick' METRICS='chrf exact' OUT={tmp_path}"
    result = shell(line, cwd=HOME)
    assert result.status == 0, result.err
    head, *rows = result.out.splitlines()
    assert head.split() == ["tau-b", "JSTS", "SICK", "pairs", "s", "for", "1,000", "start"]
    assert {row.split()[0] for row in rows} == {"chrf", "exact", "cider", "ciderD"}
    assert rows[-1].split()[:4] == ["exact", "-", "-", "16"]
    shown = next(row for row in rows if row.startswith("chrf ")).split()
    for name, value in (("jsts", shown[1]), ("sick", shown[4])):
        records = read(tmp_path / "choose" / f"{name}.chrf.jsonl")
        pairs = [(one["scores"]["chrf"], one["human"]) for one in records]
        assert len(pairs) == 8
        assert float(value) == pytest.approx(kendalltau(*zip(*pairs)).statistic, abs=0.0005001)
    assert float(shown[-2]) >= 0 and float(shown[-1]) > 0
