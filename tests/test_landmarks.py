"""examples/landmarks: sounds of made-up faces; with pystoi and pesq, how good they are."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

HOME = ROOT / "examples" / "landmarks"


@pytest.fixture
def example(torch, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the example, whose modules can be imported."""
    monkeypatch.syspath_prepend(str(HOME))
    return HOME


def test_without_the_libraries_of_sound_there_is_a_line(shell):
    """-S leaves out what is installed."""
    line = "echo '{\"id\": 1}' | dt-score -q -m 'exec:python -S quality.py stoi' --lang und"
    result = shell(line, cwd=HOME)
    assert (result.out, result.err.count("\n"), result.status) == ("", 1, 3)
    assert " is not installed: pip install pystoi pesq" in result.err


def test_equations_four_and_five(example: Path, torch):
    """By hand: the mean of 0 to 5 is 2.5, the largest distance 2.5; errors 1 and 3 give 0.5 · 2 + 5."""
    from network import loss, normalised

    points = torch.arange(6.0).view(1, 2, 3)
    assert normalised(points).flatten().tolist() == pytest.approx([-1, -0.6, -0.2, 0.2, 0.6, 1])
    assert loss(torch.tensor([1.0, 3.0]), torch.zeros(2)).item() == 6


def test_the_size_of_a_network_is_that_counted_by_hand(example: Path, torch):
    """Weights of the encoder, and multiplications of its first block, of two channels over 90 × 3."""
    from network import Block, Encoder
    from speech import macs

    encoder = Encoder(5, [2], 4)
    block = 5 * 15 * 2 + 2 + 5 * 2 + 2 + 2 * 2  # convolution, the way past it, norm
    rest = 2 * 9 * 4 + 4 + 2 * 4 + 2 * (4 * 2 * (4 + 2) + 2 * 4 * 2)  # last, norm, LSTM of 2 + 2
    assert sum(weights.numel() for weights in encoder.parameters()) == block + rest

    class One(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block(2, 5, 2, (1, 1))

        def forward(self, seen, frames):
            return self.block(seen)

    assert macs(One(), torch.zeros(1, 5, 90, 3), 0) == 90 * 3 * (5 * 15 * 2 + 5 * 2)


def test_a_decoder_that_is_told_the_truth_sees_only_what_was_before(example: Path, torch):
    """Another third frame changes what comes after it alone; attention keeps to frames near by."""
    from network import Decoder

    torch.manual_seed(0)
    decoder = Decoder(4, 8, 32, 8, 8, r=2, delta=2).eval()
    memory, true = torch.randn(1, 6, 4), torch.randn(1, 8, 80)
    changed = true.clone()
    changed[0, 3] *= -5
    spoken = []
    for sound in true, changed:
        torch.manual_seed(1)  # the prenet drops out
        spoken.append(decoder(memory, 8, sound))
    first, second = spoken
    assert (first[0] - second[0])[0].abs().amax(1).gt(0).tolist() == [False] * 4 + [True] * 4
    present = [(step + 0.5) * 6 / 4 for step in range(4)]
    near = [[abs(frame - moment) <= 2 for frame in range(6)] for moment in present]
    assert first[2][0].gt(0).tolist() == near and first[2].sum(2).allclose(torch.ones(1, 4))


def test_pieces_are_stretches_in_which_each_frame_shows_a_face(example: Path, tmp_path: Path):
    """Of 280 frames without the 50th and the 201st: 150, at 61 of which a piece of 90 can start; sound goes along."""
    import numpy as np
    import recordings
    from speech import Pieces

    points = np.arange(280.0)[:, None, None] * np.ones((1, 2, 3))
    points[[49, 200]] = np.nan
    sound = np.repeat(np.arange(280) / 280, recordings.RATE // 25)
    recordings.keep(str(tmp_path), "x", (points, sound, None))
    assert [file.name for file in tmp_path.glob("*.wav")] == ["x-00050.wav"]
    pieces = Pieces(tmp_path, "whole")
    assert (pieces.counts.tolist(), pieces.frames) == ([61], 288)
    assert pieces.apart() == [(0, 0)]
    assert pieces.piece(0, 60)[0][[0, -1], 0, 0].tolist() == [110, 199]
    assert pieces.piece(0, 60)[1].shape == (288, 80)
    heard = recordings.heard(tmp_path / "x-00050.wav")
    assert heard[[0, -1]] == pytest.approx([50 / 280, 199 / 280], abs=1e-4)


def test_a_spectrogram_becomes_a_sound_with_this_spectrogram_and_lips_help(
    example: Path, tmp_path: Path, torch, capsys, monkeypatch: pytest.MonkeyPatch
):
    """A model that reads lips errs less with a sample's own than with others'; sounds come back up to their phases."""
    import recordings
    import speech
    from spectrogram import sound_of

    for part, count in ("train", "12"), ("test", "3"):
        recordings.toy(str(tmp_path / part), "low", part, count)
    monkeypatch.setattr(speech, "sound_of", lambda logs: sound_of(logs, 8))
    small = "--hidden 48 --decoder 48 --prenet 48 --postnet 16 --attention 16 --channels 8,16"
    course = "--per-step 24 --delta 3 --steps 60 --warmup 10 --rate 0.01 --batch 4 --report 2"
    folders = [str(tmp_path / name) for name in ("model.pt", "train", "test")]
    speech.train(speech.options().parse_args([*folders, *small.split(), *course.split()]))
    speech.speak(folders[0], folders[2], str(tmp_path / "out"))
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["step"] for record in records[:2]] == [30, 60]
    error = {
        system: sum(
            distance(recordings, record["reference"], record["prediction"])
            for record in records[2:]
            if record["system"] == system
        )
        for system in ("model", "other", "vocoder")
    }
    assert error["vocoder"] < error["model"] / 2 and error["model"] < 0.9 * error["other"], error


def distance(recordings, *files: str) -> float:
    import torch
    from spectrogram import mels

    true, spoken = (mels(torch.from_numpy(recordings.heard(file))) for file in files)
    return float((true[: len(spoken)] - spoken[: len(true)]).abs().mean())


def test_the_total_is_the_mean_of_the_speakers_with_the_spread_of_the_seeds(
    example: Path, tmp_path: Path, capsys
):
    """Two speakers, two seeds: totals of 0.2 and 0.4, whose standard deviation is 0.1414."""
    import speech_tables

    folders = []
    for speaker, scores in ("a", (0.1, 0.5)), ("b", (0.3, 0.3)):
        for seed, score in enumerate(scores):
            folders.append(tmp_path / f"mediapipe.{speaker}.lips.{seed}")
            folders[-1].mkdir()
            lines = [{"system": "model", "scores": {"stoi": score + d}} for d in (-0.05, 0.05)]
            folders[-1].joinpath("scored.jsonl").write_text("\n".join(map(json.dumps, lines)))
    speech_tables.quality(folders)
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "STOI" in line]
    shown = {row[0]: row[-3:] for row in rows if row[-2] == "±"}
    assert shown == {
        "a": ["0.300", "±", "0.283"],
        "b": ["0.300", "±", "0.000"],
        "total": ["0.300", "±", "0.141"],
    }


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_landmarks_of_a_sample_tell_more_than_those_of_another(shell, tmp_path: Path, torch):
    for name in ("pystoi", "pesq"):
        pytest.importorskip(name)
    result = shell(
        f"make -s -C {HOME} OUT={tmp_path} CLIPS_train=24 CLIPS_test=5 ROWS=lips",
        PYTHONPATH=":".join(sys.path),
        timeout=600,
    )
    assert result.status == 0, result.err
    head, *rows = [line.split() for line in (tmp_path / "quality.txt").read_text().splitlines()]
    assert head == ["Sub-dataset", "Metrics", "Ours", "other", "vocoder"]
    for row in rows:
        model, other, vocoder = map(float, row[-3:])
        assert other < model < vocoder
