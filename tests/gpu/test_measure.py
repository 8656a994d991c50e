"""The rows of measure.py with tiny models: on a GPU where there is one, else on the CPU."""

import importlib.machinery
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import test_vllm
from conftest import ROOT

sys.path.insert(0, str(Path(__file__).resolve().parent))
HEAD = "row seconds peer ratio goal GiB peer check note"


@pytest.fixture(scope="module")
def measure() -> ModuleType:
    for library in ("torch", "bert_score", "accelerate"):
        pytest.importorskip(library)
    import measure

    return measure


def test_every_row_holds(measure: ModuleType, tmp_path: Path, monkeypatch, capsys):
    import torch

    device, file = "cuda" if torch.cuda.is_available() else "cpu", tmp_path / "gpu.json"
    line = ["measure.py", "--tiny", "--device", device, "--output", str(file)]
    monkeypatch.setattr(sys, "argv", line)
    assert measure.main() == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == HEAD.split() and len(lines) == len(measure.ROWS)
    rows = {row["row"]: row for row in json.loads(file.read_text())["rows"]}
    missing = {"vllm": "vllm is not installed", "two devices": "there are no two GPUs"}
    for name, row in rows.items():
        if row["check"] is None:
            assert row["note"] == missing[name]
        else:
            assert row["check"] is True, row
    for name in ("bfloat16", "BART-large, beam 4", "1B causal, greedy", "bertscore", "perplexity"):
        assert rows[name]["seconds"] > 0 and rows[name]["ratio"] > 0
        assert rows[name]["memory"] is not None and rows[name]["reference_memory"] is not None
    assert rows["training"]["seconds"] > 0 and rows["training"]["reference"] > 0


def test_the_row_of_vllm(measure: ModuleType, tmp_path: Path, monkeypatch):
    """Played by the model of test_vllm.py, in this process."""
    library = ModuleType("vllm")
    library.__spec__ = importlib.machinery.ModuleSpec("vllm", None)
    library.LLM, library.SamplingParams = test_vllm.LLM, test_vllm.parameters  # type: ignore[attr-defined]
    library.exceptions = SimpleNamespace(VLLMError=test_vllm.VLLMError)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", library)
    monkeypatch.setattr(measure, "apart", lambda call, setting: call(setting))
    for name in ("VLLM_CONFIGURE_LOGGING", "VLLM_NO_USAGE_STATS", "VLLM_ENABLE_V1_MULTIPROCESSING"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    models = {"causal": measure.shapes.causal(tmp_path / "causal", True)}
    row = measure.vllm(measure.Setting("auto", True, models, tmp_path))
    assert row.check and row.note.startswith("6 of 6 texts the same; engine=torch takes ")
    assert measure.vllm(measure.Setting("cpu", True, models, tmp_path)).note == "vllm runs on a GPU"
    measure.forget("cpu")


def test_a_row_that_breaks_ends_no_other(measure: ModuleType, tmp_path: Path, monkeypatch, capsys):
    def missing(setting):
        raise measure.MissingError("this is not installed")

    rows = {"broken": lambda setting: 1 / 0, "missing": missing}
    monkeypatch.setattr(measure, "ROWS", rows)
    made = list(measure.measured(measure.Setting("cpu", True, {}, tmp_path), list(rows)))
    assert [row["check"] for row in made] == [False, None]
    assert made[0]["note"] == "ZeroDivisionError: division by zero"
    assert "-       this is not installed" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["", "cpu"])
def test_make_gpu_takes_a_device(shell, device: str):
    line = f"{'DEVICE=cpu ' * bool(device)}make -n gpu | grep measure"
    words = shell(line, cwd=ROOT).out.split()
    assert words[2:] == (
        ["--device", "cpu", "--tiny", "--output", "gpu.json"]
        if device
        else ["--device", "cuda", "--output", "gpu.json"]
    )
