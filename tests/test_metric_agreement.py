"""The example metric-agreement: its table on the sample is Kendall's tau as scipy has it of rounded scores."""

import json
import shutil
from pathlib import Path

import pytest
from scipy.stats import kendalltau

from conftest import ROOT

HOME = ROOT / "examples" / "metric-agreement"


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_table(shell, tmp_path: Path):
    result = shell(f"make -s -C '{HOME}' OUT='{tmp_path}' check")
    assert result.status == 0, result.err + result.out
    rows = [line.split() for line in (HOME / "expected" / "table.txt").read_text().splitlines()[1:]]
    for column, name in enumerate(("jsts", "jsick", "sick"), 1):
        records = [json.loads(line) for line in (tmp_path / "plain" / f"{name}.scored.jsonl").read_text().splitlines()]
        human = [record["human"] for record in records]
        for row in rows:
            scores = [round(record["scores"][row[0]], 10) for record in records]  # ties that rounding broke are ties
            shown = float(row[column].replace("-", "nan", row[column] == "-"))  # where all scores are the same
            assert shown == pytest.approx(kendalltau(scores, human).statistic, abs=0.0005001, nan_ok=True)
