"""examples/landmarks: sounds of made-up faces; with pystoi and pesq, how good they are."""

import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

HOME = ROOT / "examples" / "landmarks"


def test_without_the_libraries_of_sound_there_is_a_line(shell):
    """-S leaves out what is installed."""
    line = "echo '{\"id\": 1}' | dt-score -q -m 'exec:python -S quality.py stoi' --lang und"
    result = shell(line, cwd=HOME)
    assert (result.out, result.err.count("\n"), result.status) == ("", 1, 3)
    assert " is not installed: pip install pystoi pesq" in result.err


def test_a_spectrogram_becomes_a_sound_with_this_spectrogram_and_lips_help(
    tmp_path: Path, torch, monkeypatch
):
    """A model that reads lips errs less with a sample's own than with others'; sounds come back up to their phases."""
    monkeypatch.syspath_prepend(str(HOME))
    import recordings
    import speech

    for part, count in ("train", "12"), ("test", "3"):
        recordings.toy(str(tmp_path / part), count, count)  # the count is the seed, too
    speech.train(str(tmp_path / "model.pt"), str(tmp_path / "train"), "50", "64", "64", "4")
    speech.speak(str(tmp_path / "model.pt"), str(tmp_path / "test"), str(tmp_path / "out"))
    error = {
        system: sum(
            distance(speech, recordings, file, tmp_path / "out" / system / file.name)
            for file in (tmp_path / "test").glob("*.wav")
        )
        for system in ("model", "other", "vocoder")
    }
    assert error["vocoder"] < error["model"] / 2 and error["model"] < 0.9 * error["other"], error


def distance(speech, recordings, *files: Path) -> float:
    true, made = (speech.mels(speech.torch.from_numpy(recordings.heard(file))) for file in files)
    return float((true[: len(made)] - made[: len(true)]).abs().mean())


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_landmarks_of_a_sample_tell_more_than_those_of_another(shell, tmp_path: Path, torch):
    for name in ("pystoi", "pesq"):
        pytest.importorskip(name)
    result = shell(
        f"make -s -C {HOME} OUT={tmp_path} TRAIN=24 TEST=5 STEPS=60",
        PYTHONPATH=":".join(sys.path),
        timeout=600,
    )
    assert result.status == 0, result.err
    rows = [line.split() for line in (tmp_path / "quality.txt").read_text().splitlines()]
    assert rows[0] == ["system", "stoi", "estoi", "pesq"]
    for model, other, vocoder in zip(*(map(float, row[1:]) for row in rows[1:]), strict=True):
        assert other < model < vocoder
