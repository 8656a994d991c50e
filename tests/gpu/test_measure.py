"""The rows of measure.py with tiny models: on a GPU where there is one, else (slow) on the CPU."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.mark.slow
def test_every_row_holds(tmp_path, monkeypatch, capsys):
    torch = pytest.importorskip("torch")
    pytest.importorskip("bert_score")
    import measure

    device = "cuda" if torch.cuda.is_available() else "cpu"
    monkeypatch.setattr(
        sys,
        "argv",
        ["measure.py", "--tiny", "--device", device, "--output", str(tmp_path / "gpu.json")],
    )
    assert measure.main() == 0
    assert "FAILED" not in capsys.readouterr().out and (tmp_path / "gpu.json").exists()
