"""Examples that train encoders: what they find after training they do not find before."""

import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq"
    ),
]


def test_speech_style_is_heard_in_speakers_who_were_never_heard(shell, tmp_path: Path):
    pytest.importorskip("fugashi")
    result = shell(
        f"make -s -C '{ROOT / 'examples' / 'speech-style'}' OUT='{tmp_path}'", timeout=900
    )
    assert result.status == 0, result.err + result.out
    rows = dict(re.findall(r"^(\S+) +(0\.\d+)", (tmp_path / "auc.txt").read_text(), re.M))
    assert float(rows["before.mean"]) < 0.75 < 0.85 < float(rows["mean"])
    named = (tmp_path / "clusters.txt").read_text(encoding="utf-8").splitlines()
    assert len(named) == 11 and any("でござる" in line for line in named)
    assert (tmp_path / "clusters.svg").read_text().count("<text") > 10
    spread = re.findall(r" (0\.\d{3})$", (tmp_path / "characters.txt").read_text(), re.M)
    assert len(spread) == 6 and all(0 < float(one) < 1 for one in spread)


def test_alignment_finds_concepts_by_names_that_it_has_not_seen(shell, tmp_path: Path):
    result = shell(f"make -s -C '{ROOT / 'examples' / 'alignment'}' OUT='{tmp_path}'", timeout=900)
    assert result.status == 0, result.err + result.out
    shown = (tmp_path / "accuracy.txt").read_text().splitlines()[3:7]
    rows = {
        line.split()[0]: [float(mean) for mean in re.findall(r"(?<!±)  +(\d+\.\d)", line)]
        for line in shown
    }
    for loss in ("multiple-negatives", "multi-similarity"):
        first, fifth = rows[f"netmf/{loss}"]
        assert fifth >= first > 80 > rows["names"][1] > rows["untrained"][1]
