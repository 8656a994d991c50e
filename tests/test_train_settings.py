"""--set of dt-train: arguments of the library's Trainer, checked, converted, recorded, and obeyed."""

import json
from pathlib import Path
from typing import Any

import pytest
import samples

import dialtools
from dialtools.system.errors import MissingError, OptionError
from dialtools.training import guards, settings, stepping
from dialtools.training.recipe import Course, Grading, Machine, Reading, Recipe

pytest.importorskip("accelerate")
TINY = "tiny:layers=1,hidden=32,heads=2,vocabulary=400,dropout=0"
GIVEN = {
    "optim": "adafactor",
    "max_steps": "7",
    "max_grad_norm": "0.5",
    "tf32": "none",
    "neftune_noise_alpha": "5",
    "torch_compile": "False",
    "lr_scheduler_kwargs": '{"num_cycles": 2}',
    "hub_private_repo": "true",
}
TYPED = {
    "optim": "adafactor",
    "max_steps": 7,
    "max_grad_norm": 0.5,
    "tf32": None,
    "neftune_noise_alpha": 5.0,
    "torch_compile": False,
    "lr_scheduler_kwargs": {"num_cycles": 2},
    "hub_private_repo": True,
}


@pytest.fixture
def data(tmp_path: Path, torch: Any) -> Path:
    """Return a folder with train.jsonl, 22 records, and dev.jsonl, 4 others."""
    rows = [
        {
            "id": f"d{number}",
            "lang": "en",
            "dialogue": f"Ann: Where is room {number}?\nBob: Room {number}? Up there, Ann.",
            "reference": f"Ann looks for room {number}.",
            "text": f"room {number}",
            "label": "odd" if number % 2 else "even",
            "score": number % 5,
        }
        for number in range(26)
    ]
    (tmp_path / "train.jsonl").write_text(samples.lines(rows[:22]))
    (tmp_path / "dev.jsonl").write_text(samples.lines(rows[22:]))
    return tmp_path


def train(data: Path, output: str, what: str = "generator", **asked: Any) -> list[dict]:
    """Return the log of a training in three steps an epoch."""
    values: dict[str, Any] = {"recipe": Recipe(2, batch_size=8), "machine": Machine(device="cpu")}
    if what == "encoder":
        values = {"course": Course(epochs=2, batch_size=8, device="cpu"), "target": "score"}
    elif what == "generator":
        values["reading"] = Reading(max_new_tokens=12, dev_outputs=2)
    if what != "encoder":
        values["allow_blind"] = True
    return list(
        getattr(dialtools, f"train_{what}")(
            **values
            | {
                "model": TINY,
                "train": [str(data / "train.jsonl")],
                "dev": [str(data / "dev.jsonl")],
                "output_dir": str(data / output),
            }
            | asked
        )
    )


def weights(data: Path, output: str) -> bytes:
    return (data / output / "model.safetensors").read_bytes()


def without_time(log: list[dict]) -> list[dict]:
    timed = ("seconds", "tokens_per_second", "model", "resumed")
    return [{key: value for key, value in row.items() if key not in timed} for row in log]


def test_values_are_typed_as_the_library_declares_them():
    assert settings.read([f"{name}={value}" for name, value in GIVEN.items()]) == TYPED
    assert settings.read(TYPED) == TYPED
    assert settings.read(["weight_decay=0.1"], of_encoder=True) == {"weight_decay": 0.1}


@pytest.mark.parametrize(
    "pair, of_encoder, reason",
    [
        ("optm=adafactor", False, "did you mean optim"),
        ("optim", False, "NAME=VALUE"),
        ("seed=1", False, "--seed"),
        ("learning_rate=1", True, "--learning-rate"),
        ("weight_decay=1", False, "--weight-decay"),
        ("output_dir=x", False, "--output-dir"),
        ("eval_steps=5", False, "after each epoch"),
        ("deepspeed=x.json", False, "parts"),
        ("fsdp=full_shard", False, "whole model"),
        ("dataloader_num_workers=2", False, "makes the steps"),
        ("logging_steps=5", True, "each step"),
        ("label_smoothing_factor=0.1", True, "no smoothing"),
        ("adam_beta1=high", False, "float"),
        ("torch_compile=maybe", False, "bool"),
        ("lr_scheduler_kwargs={", False, "no JSON"),
    ],
)
def test_what_cannot_be_set_says_why(pair: str, of_encoder: bool, reason: str):
    with pytest.raises(OptionError, match=reason):
        settings.read([pair], of_encoder)


def test_one_line_and_status_2_on_the_command_line(shell):
    line = "dt-train {} --model tiny --train a --dev b --output-dir c --set optim=x --set optim=y"
    for what in ("generator", "scorer", "encoder"):
        run = shell(line.format(what))
        assert run.status == 2 and run.err.count("\n") == 1 and "--set optim" in run.err


def test_a_value_or_a_library_that_is_not_there_is_told(
    data: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(OptionError, match="optim=nosuch"):
        train(data, "model", settings=["optim=nosuch"])
    with pytest.raises(MissingError, match="bitsandbytes"):
        train(data, "library", settings=["optim=adamw_bnb_8bit"])
    assert not (data / "library").exists() and not (data / "model").exists()
    (data / "file").touch()
    with pytest.raises(NotADirectoryError):  # before a model is looked for
        train(data, "file/model", model="nosuch")
    with pytest.raises(OptionError, match="offline"):
        machine = Machine(device="cpu", offline=True)
        train(data, "model", machine=machine, settings={"push_to_hub": True})
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(MissingError, match="hub cannot be reached"):
        train(data, "hub", settings={"push_to_hub": True})
    assert not (data / "hub").exists()
    with pytest.raises(OptionError, match="one label"):
        smoothing = {"label_smoothing_factor": 0.1}
        train(data, "model", "scorer", grading=Grading("score"), settings=smoothing)


@pytest.mark.parametrize("what", ["generator", "scorer", "encoder"])
def test_a_setting_is_obeyed_recorded_and_kept_by_resume(data: Path, what: str):
    if what == "encoder":
        pytest.importorskip("sentence_transformers")
    asked = {"optim": "adafactor", "lr_scheduler_type": "cosine"}
    log = train(data, "set", what, settings=asked)
    train(data, "plain", what)
    assert weights(data, "set") != weights(data, "plain")
    assert log[0]["recipe"]["set"] == asked
    assert json.loads((data / "set/training.json").read_text())["settings"]["set"] == asked
    assert "adafactor" in (data / "set/README.md").read_text()
    assert "set" not in json.loads((data / "plain/training.json").read_text())["settings"]
    with pytest.raises(OptionError, match="other settings: set was"):
        train(data, "set", what, settings=asked | {"optim": "sgd"}, go_on=True)


def test_smoothing_is_the_same_however_a_step_is_cut(data: Path):
    asked = {"label_smoothing_factor": 0.2}
    logs = [
        train(data, f"{tokens}", machine=Machine(tokens, device="cpu"), settings=asked)
        for tokens in (16384, 200)
    ]
    plain = train(data, "plain")
    whole, parts, sharp = (log[1]["loss"] for log in (*logs, plain))
    assert whole == pytest.approx(parts, rel=1e-5) and abs(whole - sharp) > 1e-3
    for what, row in (("16384", logs[0][-1]), ("200", logs[1][-1])):
        assert (data / what).is_dir() and row["dev_loss"] == pytest.approx(
            logs[0][-1]["dev_loss"], rel=1e-4
        )


def test_steps_end_a_training_within_an_epoch(data: Path):
    log = train(data, "model", settings=["max_steps=4"])
    assert [(row["epoch"], row["step"]) for row in log[1:-1]] == [(1, 3), (2, 4)]
    assert json.loads((data / "model/training.json").read_text())["ended"]


@pytest.mark.parametrize("failing", [3, 5])
def test_a_checkpoint_within_an_epoch_goes_on_to_the_same_model(
    data: Path, monkeypatch: pytest.MonkeyPatch, failing: int
):
    """Saved every 2 of 3 steps; the training fails in a step, after a whole epoch or in the first."""
    expected = train(data, "whole", settings=["save_steps=2"])
    step = stepping._step
    count = 0

    def fails(*given: Any) -> Any:
        nonlocal count
        count += 1
        if count == failing:
            raise OSError("the node is gone")
        return step(*given)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="gone"):
        patch.setattr(stepping, "_step", fails)
        train(data, "broken", settings=["save_steps=2"])
    state = json.loads((data / "broken/training.json").read_text())
    assert state["checkpoint"] == f"checkpoint-{2 * ((failing - 1) // 2)}" and state["inside"]
    log = train(data, "broken", settings=["save_steps=2"], go_on=True)
    assert without_time(log) == without_time(expected)
    assert weights(data, "broken") == weights(data, "whole")


@pytest.mark.parametrize("failing", [3, 5])
def test_an_encoder_goes_on_within_an_epoch_to_the_same_model(
    data: Path, monkeypatch: pytest.MonkeyPatch, failing: int
):
    pytest.importorskip("sentence_transformers")
    expected = train(data, "whole", "encoder", settings=["save_steps=2"])
    check = guards.check_finite

    def fails(number: float, what: str, folder: str) -> None:
        if f"step {failing} " in what:
            raise OSError("the node is gone")
        check(number, what, folder)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="gone"):
        patch.setattr(guards, "check_finite", fails)
        train(data, "broken", "encoder", settings=["save_steps=2"])
    state = json.loads((data / "broken/training.json").read_text())
    assert len(state["inside"]["losses"]) == {3: 2, 5: 1}[failing]
    log = train(data, "broken", "encoder", settings=["save_steps=2"], go_on=True)
    assert without_time(log) == without_time(expected)
    assert weights(data, "broken") == weights(data, "whole")


@pytest.mark.parametrize("what", ["generator", "scorer"])
def test_bfloat16_needs_no_gpu_and_no_word_about_the_device(
    data: Path, monkeypatch: pytest.MonkeyPatch, torch: Any, what: str
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    machine = Machine(precision="bfloat16")
    assert train(data, "model", what, machine=machine)[0]["precision"] == "bfloat16"
