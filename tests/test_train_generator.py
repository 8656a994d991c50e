"""dt-train generator: examples, steps, a small model trained, continued and used; what it refuses."""

import json
import math
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import samples
import tiny_models
from conftest import ROOT, until

import dialtools
from dialtools.models import folders
from dialtools.plugins import registry
from dialtools.plugins.objective import Objective
from dialtools.plugins.options import gathered
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, RecordError
from dialtools.training import batch, guards, steps, tiny
from dialtools.training.batch import Example
from dialtools.training.recipe import Machine, Reading, Recipe

pytest.importorskip("accelerate")
pytestmark = pytest.mark.usefixtures("one_thread")
PEOPLE = ["Ann", "Bob", "Carla", "Dev", "Mio", "Ken"]
THINGS = ["tickets", "cake", "map", "tent", "radio", "ladder"]
TINY = "tiny:layers=1,hidden=32,heads=2,vocabulary=400,dropout=0"
# losses of the speaker-names paper, with weights that give each a part in the gradient
CA, DH = "attention:weight=30000", "states:weight=10"


def record(number: int) -> dict:
    """Return a dialogue of two about a thing, and its summary."""
    one, other = PEOPLE[number % 6], PEOPLE[(number % 6 + 1 + number // 6 % 5) % 6]
    thing = THINGS[number * 7 % 5 + number % 2]
    said = [
        f"{one}: Hi {other}, where is the {thing} of room {number}?",
        f"{other}: Here is the {thing}, {one}.",
    ]
    return {
        "id": f"d{number}",
        "lang": "en",
        "dialogue": "\n".join(said * (1 + number % 3)),
        "reference": f"{one} asks {other} for the {thing}.",
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with train.jsonl, 24 records, dev.jsonl, 4, and a template."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "train.jsonl").write_text(samples.lines([record(n) for n in range(24)]))
    (folder / "dev.jsonl").write_text(samples.lines([record(n) for n in range(100, 104)]))
    (folder / "ask.jinja").write_text("Say what they want.\n{{ dialogue }}")
    return folder


def training(data: Path, output: Path, **asked: Any) -> Iterator[dict]:
    """Train as asked; options that belong to a value go there."""
    given = {
        "model": TINY,
        "train": [str(data / "train.jsonl")],
        "dev": [str(data / "dev.jsonl")],
        "output_dir": str(output),
        "epochs": 2,
        "batch_size": 8,
        "dev_outputs": 4,
        "max_new_tokens": 16,
        "device": "cpu",
        "allow_blind": True,
    } | asked
    kinds = {
        "reading": Reading,
        "recipe": Recipe,
        "machine": Machine,
        "prompting": dialtools.Prompting,
    }
    fields = {field for kind in kinds.values() for field in kind._fields}
    return dialtools.train_generator(
        **{name: gathered(kind, given) for name, kind in kinds.items()},
        **{name: value for name, value in given.items() if name not in fields},
    )


def train(data: Path, output: Path, **asked: Any) -> list[dict]:
    return list(training(data, output, **asked))


class Trained:
    """A model that was trained with a template, in windows of 40 tokens, and its log."""

    def __init__(self, folder: Path, data: Path):
        self.folder, self.data = folder, data
        self.log = train(
            data,
            folder,
            prompt=str(data / "ask.jinja"),
            max_input=40,
            epochs=6,
            learning_rate=0.02,
            best="rouge1",
        )


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("models") / "trained", data)


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def same(one: Path, other: Path) -> bool:
    import torch

    left, right = weights(one), weights(other)
    return left.keys() == right.keys() and all(
        torch.equal(left[name], right[name]) for name in left
    )


def test_a_model_is_trained_and_transformers_loads_it(trained: Trained, torch: Any):
    """Its loss on the dev set is computed here without any of our code but the template."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    about, *epochs, best = trained.log
    assert about["kind"] == "seq2seq" and about["examples"] == 24 and about["steps"] == 3
    assert about["cut_inputs"] > 0 and "--max-input" in about["warnings"][0]
    assert [epoch["epoch"] for epoch in epochs] == list(range(1, 7))
    chosen = max(epochs, key=lambda epoch: epoch["rouge1"])
    assert best["best"] == chosen["epoch"] and best["rouge1"] == chosen["rouge1"]
    assert epochs[-1]["loss"] < epochs[0]["loss"] / 2
    model = AutoModelForSeq2SeqLM.from_pretrained(trained.folder)
    words = AutoTokenizer.from_pretrained(trained.folder)
    total = count = 0
    for number in range(100, 104):
        one = record(number)
        ids = words(
            f"Say what they want.\n{one['dialogue']}",
            truncation=True,
            max_length=40,
            return_tensors="pt",
        ).input_ids
        labels = words(one["reference"], return_tensors="pt").input_ids
        with torch.no_grad():
            scores = model(input_ids=ids, labels=labels).logits[0].log_softmax(-1)
        total -= float(scores.gather(1, labels.T).sum())
        count += labels.shape[1]
    assert best["dev_loss"] == pytest.approx(total / count, abs=1e-4)
    assert best["gap"] == pytest.approx(best["dev_loss_shuffled"] - best["dev_loss"])


def test_dt_generate_reads_as_in_training(trained: Trained):
    """With the template and the window, and the outputs for --dev have the score of the log."""
    dev = dialtools.read(str(trained.data / "dev.jsonl"))
    made = list(
        dialtools.generate(
            dev, model=str(trained.folder), decoding=dialtools.Decoding(beams=1, max_new_tokens=16)
        )
    )
    entries = [one["history"][-1] for one in made]
    assert all(entry["input_tokens"] <= 40 for entry in entries)
    assert any(entry["truncated"] for entry in entries) and all(
        "prompt" in entry for entry in entries
    )
    assert "max_input:40" in entries[0]["signature"]
    [score] = dialtools.score(made, metric=["rouge1"], summary=True)
    assert score["mean"] == pytest.approx(trained.log[-1]["rouge1"])
    plain = trained.data / "plain.jinja"
    plain.write_text("{{ dialogue }}")
    other = list(
        dialtools.generate(
            made[:1],
            model=str(trained.folder),
            overwrite=True,
            prompting=dialtools.Prompting(prompt=str(plain)),
        )
    )
    assert other[0]["history"][-1]["prompt"] != entries[0]["prompt"]


@pytest.mark.parametrize(
    "content, reason",
    [
        ({"max_input": "40"}, '"max_input" cannot be "40"'),
        ({"max_input": 0}, '"max_input" cannot be 0'),
        ({"truncate": "up"}, '"truncate" cannot be "up"'),
        ({"prompting": []}, '"prompting" cannot be'),
        ({"prompting": {"prompt": 1}}, '"prompt" cannot be 1'),
        ({"prompting": {"prompts": "ask.jinja"}}, '"prompts" is not known'),
        ({"prompting": {"prompt": "../ask.jinja"}}, '"prompt" is a file in the folder'),
        ({"prompting": {"each": "word"}}, '"each" cannot be "word"'),
    ],
)
def test_what_a_damaged_folder_says_of_itself(tmp_path: Path, trained: Trained, content, reason):
    folder = tmp_path / "model"
    folder.mkdir()
    for file in trained.folder.glob("*.*"):
        (folder / file.name).symlink_to(file)
    (folder / "dialtools.json").unlink()
    (folder / "dialtools.json").write_text(json.dumps(content))
    with pytest.raises(MissingError, match=f"dialtools.json.*{reason}"):
        list(dialtools.generate([record(1)], model=str(folder)))


def test_the_card_says_how_it_was_made(trained: Trained):
    card = (trained.folder / "README.md").read_text()
    assert "sha256" in card and "| max_input | 40 |" in card
    assert folders.habits(str(trained.folder)).max_input == 40
    left = {path.name for path in trained.folder.iterdir()}
    assert "checkpoints" not in left and "model.safetensors" in left


def test_a_training_that_was_interrupted_goes_on_to_the_same_model(data: Path, tmp_path: Path):
    """Also one that was killed; here it is left after an epoch, as the checkpoint is the same.

    The command is the same from the first start on, and goes on once more when all is done.
    """
    whole = train(data, tmp_path / "whole", model=TINY.replace("dropout=0", "dropout=0.1"))
    asked = {"model": TINY.replace("dropout=0", "dropout=0.1")}
    broken = training(data, tmp_path / "broken", go_on=True, **asked)
    assert [next(broken).get("epoch") for _ in range(2)] == [None, 1]
    broken.close()
    with pytest.raises(OptionError, match="holds an interrupted training"):
        train(data, tmp_path / "broken", **asked)
    with pytest.raises(OptionError, match="other settings: seed was 0, now 1"):
        train(data, tmp_path / "broken", go_on=True, seed=1, **asked)
    changing = dict.fromkeys(("seconds", "tokens_per_second", "model", "resumed"))
    for resumed in (1, 2):
        log = train(data, tmp_path / "broken", go_on=True, **asked)
        assert log[0]["resumed"] == resumed
        assert [one | changing for one in log] == [one | changing for one in whole]
    assert same(tmp_path / "whole", tmp_path / "broken")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "whole" / file).read_text() == (tmp_path / "broken" / file).read_text()
    with pytest.raises(OptionError, match="other settings: epochs was 2, now 3"):
        train(data, tmp_path / "broken", go_on=True, **asked, epochs=3)
    (tmp_path / "broken" / "training.json").unlink()
    with pytest.raises(OptionError, match="holds a model"):
        train(data, tmp_path / "broken", go_on=True, **asked)


@pytest.mark.slow
def test_the_same_command_makes_the_same_model(shell, tmp_path: Path):
    """Of languages with more characters than the tokenizer takes, many of them equally frequent."""
    records = samples.records(10)
    (tmp_path / "train.jsonl").write_text(samples.lines(records))
    dev = {**records[0], "id": "dev", "reference": "Ann"}
    (tmp_path / "dev.jsonl").write_text(samples.lines([dev]))
    for name, seed in (("one", "1"), ("two", "2")):
        made = shell(
            f"dt-train generator --model {TINY} --train train.jsonl --dev dev.jsonl --epochs 1 "
            f"--dev-outputs 1 --device cpu --allow-blind --threads 1 -q --output-dir {name}",
            PYTHONHASHSEED=seed,
        )
        assert made.status == 0, made.err
    for file in ("tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_parts_of_a_step_make_no_difference(data: Path, tmp_path: Path):
    """Gradients of parts are summed, also where memory runs out, as here on a GPU for 3 rows.

    Adam takes steps of one size for gradients of any, so that losses are compared, not weights.
    """

    def narrow(batch: Any, outputs: Any, model: Any) -> Any:
        if len(batch.groups) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return outputs.logits.sum() * 0

    [_, whole, _] = train(data, tmp_path / "whole", epochs=1)
    for name, asked in (("parts", {"batch_tokens": 100}), ("narrow", {"objective": [narrow]})):
        [_, parts, _] = train(data, tmp_path / name, epochs=1, **asked)
        assert parts["loss"] == pytest.approx(whole["loss"], rel=1e-4)
        assert parts["dev_loss"] == pytest.approx(whole["dev_loss"], rel=1e-3)
    assert parts["batch_tokens"] < 16384
    with pytest.raises(MissingError, match="not enough memory for one record"):
        train(
            data,
            tmp_path / "none",
            objective=[stopping("out of memory", 1)],
            batch_tokens=1,
            batch_size=1,
        )


@pytest.fixture
def variants(data: Path, tmp_path: Path) -> Path:
    """Return a folder for gradients.py: dialogues of one to three variants, and terms of them."""
    rows = [
        {**one, "reference": " ".join([one["reference"]] * (1 + number % 3))}
        for number, one in enumerate(map(record, range(9)))
    ]
    renamed = list(dialtools.swap_names(rows, variants=2, seed=1, keep_original=True))
    kept = [one for number, one in enumerate(renamed) if number % 3 <= number // 3 % 3]
    (tmp_path / "train.jsonl").write_text(samples.lines(kept))
    (tmp_path / "dev.jsonl").write_text((data / "dev.jsonl").read_text())
    terms = ["kind\tone\ttwo", "target\ttent\tmap", "target\tcake\ttickets"]
    terms += [f"attribute\t{word}\t" for word in ("radio", "where", "room", "asks")]
    (tmp_path / "terms.tsv").write_text("\n".join(terms))
    return tmp_path


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_step_is_the_same_however_it_is_cut_or_spread(variants: Path, processes: int):
    """The loss of every objective, and the gradient of all, of a seq2seq and of a causal model.

    In one part, in several, and in two processes over gloo.
    """
    import gradients

    running = gradients.processes(variants, 16384, processes) if processes > 1 else []
    whole = gradients.measured(variants, f"{variants}/whole", 16384)
    cut = gradients.of(running) or [gradients.measured(variants, f"{variants}/cut", 300)]
    for kind, step in ((kind, step) for found in cut for kind, step in found.items()):
        losses = whole[kind]["losses"]
        assert len(losses) == 8 and sum(loss > 0.01 for loss in losses.values()) == 7  # emb: 0
        for label, loss in step["losses"].items():
            assert loss == pytest.approx(losses[label], rel=1e-5), label
        assert float((step["gradient"] - whole[kind]["gradient"]).norm()) < 1e-5


@pytest.mark.parametrize("names", [[], [CA], [DH], [CA, DH]])
def test_the_batch_of_the_speaker_names_paper_may_be_read_in_pairs(
    data: Path, tmp_path: Path, monkeypatch, names: list[str]
):
    """32 records in a step, K = 2 variants of 16 dialogues, in one batch or in parts of one dialogue."""
    import gradients

    monkeypatch.setattr(steps, "PADDING", 1)  # else a step is several batches, too
    renamed = dialtools.swap_names(map(record, range(40)), seed=1, keep_original=True)
    (tmp_path / "train.jsonl").write_text(samples.lines(renamed))
    (tmp_path / "dev.jsonl").write_text((data / "dev.jsonl").read_text())
    rows: list[int] = []

    def counted(batch: Any, outputs: Any, model: Any) -> Any:
        rows.append(len(batch.groups))
        return outputs["logits"].sum() * 0

    steps_of, parts_of = {}, {}
    for tokens in (16384, 1):
        steps_of[tokens] = gradients.trained(
            tmp_path, f"{tmp_path}/{tokens}", tokens, [*names, counted], batch_size=32, clip=1e6
        )
        parts_of[tokens], rows[:] = rows[:], []
    assert sorted(parts_of[16384]) == [16, 32, 32]
    assert parts_of[1] == [2] * 40 if names else [1] * 80
    (_, whole), (_, parts) = steps_of.values()
    assert 1e-5 * whole[0].norm() > (parts[0] - whole[0]).norm()
    log_whole, log_parts = (log for log, _ in steps_of.values())
    assert log_parts[1]["objectives"] == pytest.approx(log_whole[1]["objectives"], rel=1e-3)


@pytest.mark.parametrize("kind", ["llama", "bart", "t5", "m2m_100"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_cross_entropy_is_that_of_transformers(torch: Any, kind: str, smoothing: float):
    """Its gradient is, too, and logits are those of the labels alone unless an objective needs all."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM
    from transformers.trainer_pt_utils import LabelSmoother

    sizes = {"vocab_size": 40, "d_model": 16, "hidden_size": 16, "intermediate_size": 16}
    config = AutoConfig.for_model(
        kind, **sizes, num_hidden_layers=1, num_attention_heads=2, pad_token_id=1
    )
    config.decoder_start_token_id = 2
    torch.manual_seed(1)
    is_causal = kind == "llama"
    model = (
        (AutoModelForCausalLM if is_causal else AutoModelForSeq2SeqLM).from_config(config).eval()
    )
    rows = [Example((5, 6, 7, 8), (9, 2), 0), Example((5, 6), (30, 31, 2), 0)]
    made = batch.batch("causal" if is_causal else "seq2seq", rows, SimpleNamespace(pad_token_id=1))
    outputs = model(**made.inputs)
    expected = outputs.loss
    if smoothing:
        labels = made.inputs["labels"]
        expected = LabelSmoother(smoothing)(outputs, labels, shift_labels=is_causal)
    expected.backward()
    gradients = [weight.grad.clone() for weight in model.parameters()]
    shapes = []

    def seen(batch: Any, outputs: Any, model: Any) -> Any:
        shapes.append(tuple(outputs.logits.shape))
        return outputs.logits.sum() * 0

    for declared in (Objective(seen, needs=()), seen):  # a function may need all
        model.zero_grad()
        objective = registry.load("objectives", declared)
        losses = batch.losses_of(model, model, made, [objective], smoothing)
        (losses.entropy / losses.tokens).backward()
        assert losses.tokens == 5
        assert losses.entropy.item() / 5 == pytest.approx(expected.item(), rel=1e-5)
        for weight, gradient in zip(model.parameters(), gradients, strict=True):
            assert torch.allclose(weight.grad, gradient, atol=1e-6)
    assert shapes == [(5, 40), (*made.inputs["labels"].shape, 40)]


def test_an_objective_is_added_and_told(data: Path, tmp_path: Path):
    """The mean of 3 is 3; the variants of a record stand in one batch."""
    seen = []

    def three(batch: Any, outputs: Any, model: Any) -> Any:
        seen.append(sorted(batch.groups.tolist()))
        return outputs.logits.sum() * 0 + 3

    compared = Objective(three, needs=("variants",))
    with pytest.raises(OptionError, match="three compares the variants of a record"):
        train(data, tmp_path / "none", objective=[compared])
    renamed = dialtools.swap_names(map(record, range(12)), variants=2, seed=1)
    (tmp_path / "variants.jsonl").write_text(samples.lines(renamed))
    log = train(
        data,
        tmp_path / "model",
        train=str(tmp_path / "variants.jsonl"),
        objective=[compared],
        epochs=1,
        batch_tokens=200,
    )
    assert log[1]["objectives"] == {"three": pytest.approx(3)} and log[0]["steps"] == 3
    assert all(groups[::2] == groups[1::2] for groups in seen) and len(seen) > 3


def test_a_causal_model_and_an_adapter_of_it(data: Path, tmp_path: Path, torch: Any):
    """The loss of a causal model is that of its target alone, computed here."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    log = train(data, tmp_path / "causal", model=f"{TINY},kind=causal", epochs=1)
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "causal")
    words = AutoTokenizer.from_pretrained(tmp_path / "causal")
    total = count = 0
    for number in range(100, 104):
        read = words(record(number)["dialogue"] + "\n").input_ids
        learned = [*words(record(number)["reference"]).input_ids, words.eos_token_id]
        with torch.no_grad():
            scores = model(torch.tensor([read + learned])).logits[0].log_softmax(-1)
        total -= sum(float(scores[len(read) + at - 1, token]) for at, token in enumerate(learned))
        count += len(learned)
    assert log[1]["dev_loss"] == pytest.approx(total / count, abs=1e-4)
    pytest.importorskip("peft")
    [about, *_], _ = (
        train(data, tmp_path / name, model=str(tmp_path / "causal"), lora=2, epochs=1)
        for name in ("adapter", "again")
    )
    weights = "adapter_model.safetensors"
    assert (tmp_path / "adapter" / weights).read_bytes() == (
        tmp_path / "again" / weights
    ).read_bytes()
    assert about["trained"] < about["weights"] / 5
    [made] = dialtools.generate([record(1)], model=str(tmp_path / "adapter"))
    assert made["history"][-1]["output_tokens"] > 0


def test_tokens_are_added_and_stay_in_outputs(data: Path, tmp_path: Path):
    """A new model has them, and one that is trained on; each is one token, and the other words are cut as before."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    known = 0
    for name, model, tokens in (
        ("first", TINY, ["<UTT>", "<BLOCK>"]),
        ("second", str(tmp_path / "first"), ["<SKIP>", "<UTT>"]),
    ):
        (tmp_path / "tokens").write_text("\n".join(tokens) + "\n")
        train(data, tmp_path / name, model=model, epochs=1, add_tokens=str(tmp_path / "tokens"))
        words, made = (
            kind.from_pretrained(tmp_path / name) for kind in (AutoTokenizer, AutoModelForSeq2SeqLM)
        )
        assert (
            made.get_input_embeddings().num_embeddings
            == made.get_output_embeddings().out_features
            == len(words)
        )
        assert len(words) - known == (1 if known else len(words))
        known, text = len(words), "<UTT> Ann asks <BLOCK>"
        ids = words(text).input_ids
        assert words.decode(ids, skip_special_tokens=True) == text and ids[
            0
        ] == words.convert_tokens_to_ids("<UTT>")
    assert "<SKIP>" in (tmp_path / "second" / "README.md").read_text()  # the card
    for texts, more, message in [
        ("", {}, "has no token"),
        ("<a>\n<b>\n<a>", {}, "has '<a>' twice"),
    ]:
        (tmp_path / "tokens").write_text(texts)
        with pytest.raises(OptionError, match=message):
            train(data, tmp_path / "third", add_tokens=str(tmp_path / "tokens"), **more)


@pytest.mark.parametrize("kind, tied", [("causal", True), ("causal", False), ("seq2seq", True)])
def test_an_adapter_trains_the_embeddings_of_added_tokens(
    data: Path, tmp_path: Path, torch: Any, kind: str, tied: bool
):
    """Of its model only these change; an adapter that is loaded again is what was trained."""
    pytest.importorskip("peft")
    from dialtools.models import checkpoints
    from dialtools.models.folders import Checkpoint

    train(data, tmp_path / "base", model=f"{TINY},kind={kind}", epochs=1)
    name = checkpoints.CLASSES[kind]

    def loaded(folder: str) -> tuple[Any, Any, Any]:
        words, model = checkpoints.network(
            name, Checkpoint(str(tmp_path / folder), True, False, False), "cpu", "float32"
        )
        return words, model.get_input_embeddings().weight, model.get_output_embeddings().weight

    if not tied:
        _, model = checkpoints.network(
            name, Checkpoint(str(tmp_path / "base"), True, False, False), "cpu", "float32"
        )
        model.config.tie_word_embeddings = False
        model.get_output_embeddings().weight = torch.nn.Parameter(
            model.get_output_embeddings().weight.detach().clone()
        )
        model.save_pretrained(tmp_path / "base")
    (tmp_path / "tokens").write_text("<UTT>\n<BLOCK>\n")
    settings = {"model": str(tmp_path / "base"), "add_tokens": str(tmp_path / "tokens"), "lora": 2}
    train(data, tmp_path / "adapter", epochs=1, learning_rate=0.01, **settings)
    words, before, out_before = loaded("base")
    grown, after, out_after = loaded("adapter")
    assert (len(after), len(out_after)) == (len(before) + 2, len(before) + 2) == (len(grown),) * 2
    assert torch.equal(after[:-2], before) and torch.equal(out_after[:-2], out_before)
    assert (after is out_after) == tied and not torch.equal(after[-2], after[-1])
    [made] = dialtools.generate([record(1)], model=str(tmp_path / "adapter"))
    assert made["history"][-1]["output_tokens"] > 0


def test_a_turn_is_learned_from_a_turn(data: Path, tmp_path: Path):
    """The text to learn is a dialogue of as many turns, as dt-generate --each turn writes it."""
    spoken = [
        {**record(n), "dialogue": "Ann: one\nBob: two", "reference": "Ann: eins\nBob: zwei"}
        for n in range(8)
    ]
    (tmp_path / "turns.jsonl").write_text(samples.lines(spoken))
    log = (
        train(
            data,
            tmp_path / "model",
            train=str(tmp_path / "turns.jsonl"),
            epochs=1,
            each="turn",
            dev=str(tmp_path / "dev.jsonl"),
        )
        if (tmp_path / "dev.jsonl").write_text(
            samples.lines([{**spoken[0], "id": "new", "dialogue": "Ann: one\nBob: three"}])
        )
        else []
    )
    assert log[0]["examples"] == 16 and log[0]["dev"] == 2
    spoken[3]["reference"] = "Ann: eins"
    (tmp_path / "turns.jsonl").write_text(samples.lines(spoken))
    with pytest.raises(RecordError, match="turns.jsonl:4: .* it has 1 turns, and the record's 2"):
        train(data, tmp_path / "other", train=str(tmp_path / "turns.jsonl"), each="turn")


def stopping(reason: str, when: int) -> Callable:
    """Return an objective that fails in its n-th batch."""
    calls = []

    def failing(batch: Any, outputs: Any, model: Any) -> Any:
        calls.append(1)
        if len(calls) == when:
            raise RuntimeError(reason)
        return outputs.logits.sum() * 0

    return failing


def test_a_failure_leaves_the_model_of_the_epoch_before(data: Path, tmp_path: Path):
    """A GPU that is lost in the second epoch; the training goes on from there."""
    lost = stopping("CUDA error: unspecified launch failure", 5)
    with pytest.raises(MissingError, match="the GPU failed or was lost: .* keeps the model"):
        train(data, tmp_path / "lost", objective=[lost])
    assert weights(tmp_path / "lost")
    rest = train(data, tmp_path / "lost", objective=[lost], go_on=True)
    assert [one.get("epoch") for one in rest] == [None, 1, 2, None]


def test_a_loss_that_is_no_number_ends_the_training(data: Path, tmp_path: Path):
    def nan(batch: Any, outputs: Any, model: Any) -> Any:
        return outputs.logits.sum() * math.nan

    with pytest.raises(OptionError, match="training diverged: in step 1 the loss is nan"):
        train(data, tmp_path / "model", objective=[nan])
    with pytest.raises(
        OptionError, match="on 'dev' after epoch 1 the loss is nan; .* holds no model"
    ):
        train(data, tmp_path / "exploded", batch_size=24, learning_rate=1e30)
    assert not (tmp_path / "exploded" / "model.safetensors").exists()


def test_a_model_of_weights_that_are_no_numbers_is_told(data: Path, tmp_path: Path):
    """One to start from, of which a single number is infinite."""
    from safetensors.torch import save_file

    train(data, tmp_path / "start", epochs=1)
    damaged = weights(tmp_path / "start")
    damaged["model.decoder.layers.0.fc1.bias"][3] = math.inf
    save_file(damaged, tmp_path / "start" / "model.safetensors", {"format": "pt"})
    with pytest.raises(MissingError, match="start is damaged: the weights .*fc1.bias are not all"):
        train(data, tmp_path / "model", model=str(tmp_path / "start"))


def test_a_full_disk_leaves_the_last_good_checkpoint(data: Path, tmp_path: Path):
    """Files of at most so many bytes: the optimiser's state has twice those of the weights."""
    asked = {"model": f"{TINY},kind=causal"}
    epochs = training(data, tmp_path / "model", **asked)
    next(epochs)
    next(epochs)
    size = (tmp_path / "model" / "model.safetensors").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1000, hard))
    try:
        with pytest.raises(OSError, match="cannot write the checkpoint .* keeps the model"):
            next(epochs)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert weights(tmp_path / "model")
    rest = train(data, tmp_path / "model", go_on=True, **asked)
    assert [one.get("epoch") for one in rest] == [None, 1, 2, None]


def test_a_model_that_reads_nothing_is_an_error_at_the_end(data: Path, tmp_path: Path):
    log = []
    with pytest.raises(guards.Blind, match="does not read its input.*the model is kept"):
        for one in training(
            data,
            tmp_path / "model",
            allow_blind=False,
            learning_rate=1e-9,
            model=f"{TINY},kind=causal",
        ):
            log.append(one)
    assert [one.get("epoch") for one in log] == [None, 1, 2, None]
    assert "does not read its input" in log[1]["warnings"][0] and weights(tmp_path / "model")


def test_training_ends_early(data: Path, tmp_path: Path):
    """A learning rate near 0 leaves all epochs alike, so that none is better than the first."""
    log = train(
        data, tmp_path / "model", epochs=9, early_stopping=2, best="rouge1", learning_rate=1e-12
    )
    assert [one.get("epoch") for one in log] == [None, 1, 2, 3, None] and log[-1]["best"] == 1


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"dev": "train.jsonl"}, OptionError, "'dev' has only records of 'train'"),
        (
            {"dev": [{**record(1), "dialogue": "Ann: new", "variant": "a:1"}, record(100)]},
            OptionError,
            r"'dev' shares 1 ids with 'train', such as \"d1\" \(0 with the same texts\)",
        ),
        (
            {"train": [record(1), {"id": 2, "text": "a"}]},
            RecordError,
            r'changed.jsonl:2: no "reference"; the record has id, text.*\(id 2\)',
        ),
        ({"train": [{**record(1), "reference": " "}]}, RecordError, ':1: "reference" is empty'),
        ({"target": "label"}, RecordError, 'train.jsonl:1: no "label"'),
        ({"dev": []}, OptionError, "'dev': no records"),
        ({"model": "tiny:size=3"}, OptionError, "tiny has no option 'size'"),
        ({"model": "tiny:hidden=30,heads=4"}, OptionError, "hidden is a multiple"),
        (
            {"train": [{**record(1), "dialogue": ""}]},
            RecordError,
            "changed.jsonl:1: nothing to read",
        ),
        ({"best": "perplexity"}, OptionError, "perplexity: which model?"),
        ({"best": "perplexty"}, OptionError, "no metric is called 'perplexty'"),
        ({"lora": 4}, OptionError, "lora adapts a trained model"),
        ({"objective": ["atention"]}, OptionError, "no objective is called 'atention'"),
        ({"warmup": 2}, OptionError, "warmup is at most 1, not 2"),
        ({"go_on": True, "overwrite": True}, OptionError, "give only one"),
    ],
)
def test_what_does_not_fit_is_told(
    data: Path, tmp_path: Path, change: dict, error: type, message: str
):
    asked = dict(change)
    for part in ("train", "dev"):
        if isinstance(asked.get(part), list):
            (tmp_path / "changed.jsonl").write_text(samples.lines(asked[part]))
            asked[part] = str(tmp_path / "changed.jsonl")
        elif part in asked:
            asked[part] = str(data / asked[part])
    with pytest.raises(error, match=message):
        train(data, tmp_path / "model", **asked)
    assert not (tmp_path / "model" / "training.json").exists()


def test_records_to_choose_by_that_were_learned_are_told(data: Path, tmp_path: Path):
    """Under other ids; records of one dialogue with another target are others."""
    dev = [
        record(1) | {"id": "a"},
        record(2) | {"id": "b", "reference": "Somebody asks."},
        record(100),
    ]
    (tmp_path / "dev.jsonl").write_text(samples.lines(dev))
    log = training(data, tmp_path / "model", dev=[str(tmp_path / "dev.jsonl")])
    assert next(log)["warnings"] == [
        "--dev: 1 of 3 records have the texts and the target of records of --train: they favour an epoch "
        "that knows these by heart"
    ]


def test_a_folder_of_another_run_is_kept(data: Path, trained: Trained):
    with pytest.raises(OptionError, match="holds a model: give overwrite=True"):
        train(data, trained.folder)
    with pytest.raises(OptionError, match="is the model to start from"):
        train(data, trained.folder, model=str(trained.folder), overwrite=True)


def test_a_vocabulary_without_the_script_of_the_data_is_told(data: Path, tmp_path: Path):
    """Before the first step; the tokenizer knows Latin letters and no bytes."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = ["<pad>", "</s>", "<unk>", *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    made = Tokenizer(
        models.BPE({letter: at for at, letter in enumerate(letters)}, [], unk_token="<unk>")
    )
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    words = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    tiny_models.save(tmp_path / "latin", tiny_models.t5(words), words)
    chinese = {
        **record(1),
        "lang": "zh",
        "dialogue": "小明：你好吗？\n小红：很好。",
        "reference": "他们问好。",
    }
    (tmp_path / "zh.jsonl").write_text(samples.lines([record(2), chinese]))
    with pytest.raises(OptionError, match="lacks the script of the data: 100% of its CJK letters"):
        train(
            data,
            tmp_path / "model",
            model=str(tmp_path / "latin"),
            train=str(tmp_path / "zh.jsonl"),
        )


def test_a_tiny_tokenizer_gives_texts_back():
    texts = [*tiny_models.TEXTS, "सुनो, राम!", "两个  空格\n第二行"]
    for kind in ("seq2seq", "causal"):
        words = tiny.tokenizer(texts, tiny.Shape(kind=kind, vocabulary=700))
        for text in (*texts, "Ünseen ☃ 12,5 €\n\n x"):
            ids = words(text)["input_ids"]
            assert words.decode(ids, skip_special_tokens=True) == text
            assert words.unk_token_id not in ids
        name = words("Ann", add_special_tokens=False)["input_ids"]
        assert words("Hi!\nAnn: Hi Ann", add_special_tokens=False)["input_ids"].count(name[0]) == 2


def test_a_tiny_tokenizer_is_the_same_each_time():
    """Of characters that are equally frequent, more than it takes, those with the lowest codes."""
    characters = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    texts = [characters[::-1], characters]
    first, *others = (tiny.tokenizer(texts, tiny.Shape(vocabulary=700)) for _ in range(3))
    assert all(one.get_vocab() == first.get_vocab() for one in others)
    assert characters[0] in first.get_vocab() and characters[-1] not in first.get_vocab()


def test_steps_hold_little_padding_and_whole_groups():
    """The lengths are those of a log-normal distribution, as of dialogues and summaries."""
    import random

    rng = random.Random(1)
    lengths = [
        (int(rng.lognormvariate(5, 0.5)), int(rng.lognormvariate(3, 0.5))) for _ in range(1000)
    ]
    examples = [
        Example((0,) * (read + more), (0,) * learned, group)
        for group, (read, learned) in enumerate(lengths)
        for more in (0, 3)
    ]
    for together in (False, True):
        made = steps.Steps(lambda epoch: examples, 32, together, 7)
        orders = [
            [one.group for step in made for one in step]
            for epoch in (0, 1, 0)
            if not made.set_epoch(epoch)
        ]
        assert orders[0] == orders[2] != orders[1] and sorted(orders[1]) == sorted(orders[0])
        parts = [part for step in made for part in steps.parts(step, 4000, together)]
        assert max(map(steps.size, parts)) <= 4000 and len(made) == 63
        assert sum(map(steps.tokens, parts)) / sum(map(steps.size, parts)) > 0.9
        if together:
            assert all(
                sum(one.group == other.group for other in part) == 2
                for part in parts
                for one in part
            )


@pytest.mark.slow
def test_several_processes_train_one_model(data: Path, shell, tmp_path: Path):
    """Two over gloo: the losses are those of one, within float tolerance; the first alone writes."""
    common = (
        f"generator --model {TINY} --train {data}/train.jsonl --dev {data}/dev.jsonl --epochs 2 "
        "--batch-size 8 --device cpu --allow-blind -q --best rouge1"
    )
    one = shell(f"dt-train {common} --output-dir one", OMP_NUM_THREADS="1")
    two = shell(
        "python -m torch.distributed.run --nproc-per-node 2 --master-port 29577 "
        f"{ROOT}/bin/dt-train {common} --output-dir two",
        OMP_NUM_THREADS="1",
        timeout=300,
    )
    assert (one.status, two.status) == (0, 0), two.err
    logs = [[json.loads(line) for line in made.out.splitlines()] for made in (one, two)]
    assert logs[1][0]["processes"] == 2 and len(logs[0]) == len(logs[1]) == 4
    for left, right in zip(logs[0][1:], logs[1][1:], strict=True):
        for name in ("loss", "dev_loss", "dev_loss_shuffled", "rouge1"):
            assert left[name] == pytest.approx(right[name], rel=1e-4)
    assert (tmp_path / "two" / "model.safetensors").exists()


@pytest.mark.slow
def test_a_training_that_is_killed_goes_on_to_the_same_model(data: Path, shell, tmp_path: Path):
    import subprocess

    from conftest import environment

    line = (
        f"dt-train generator --model {TINY} --train {data}/train.jsonl --dev {data}/dev.jsonl -q "
        "--epochs 6 --batch-size 4 --device cpu --allow-blind --resume -o log.jsonl --output-dir "
    )
    variables = {"OMP_NUM_THREADS": "1"}
    assert shell(line + "whole", **variables).status == 0
    with subprocess.Popen(
        (line + "killed").split(),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        env=environment(tmp_path, **variables),
    ) as running:
        state = tmp_path / "killed" / "training.json"
        until(lambda: state.exists() and '"checkpoint-12"' in state.read_text(), 120)
        running.kill()
    for complete in (False, True):
        rest = shell(line + "killed", **variables)
        assert rest.status == 0 and ("is complete" in rest.err) == complete
        log = [json.loads(one) for one in (tmp_path / "log.jsonl").read_text().splitlines()]
        assert log[0]["resumed"] >= 2
        assert [one.get("epoch") for one in log] == [None, 1, 2, 3, 4, 5, 6, None]
    assert same(tmp_path / "whole", tmp_path / "killed")


def test_errors_are_one_line_with_a_status(shell, data: Path):
    assert DialtoolsError.exit_status == 1
    made = shell(
        f"dt-train generator --model tiny --train {data}/train.jsonl --dev nothing.jsonl "
        "--output-dir model"
    )
    assert (
        made.status == 5
        and made.err == "dt-train generator: nothing.jsonl: No such file or directory\n"
    )


def test_a_model_with_the_tokenizer_of_a_bert_learns_to_end(tmp_path: Path, torch: Any):
    """As CDial-GPT: vocab.txt alone, and [SEP], which separates texts, is the end of one."""
    posts = [
        {"id": n, "lang": "zh", "text": "她爱喝", "reference": "她爱喝茶。"} for n in range(16)
    ]
    (tmp_path / "train.jsonl").write_text(samples.lines(posts))
    (tmp_path / "dev.jsonl").write_text(samples.lines([posts[0] | {"id": "d", "text": "爱喝"}]))
    model = tiny_models.cdial(tmp_path / "cdial", "她爱喝茶。")
    log = list(
        training(tmp_path, tmp_path / "out", model=str(model), epochs=30, learning_rate=1e-2)
    )
    assert log[1]["unknown"] == 0
    [made] = dialtools.generate([posts[0]], model=str(tmp_path / "out"))
    assert made["prediction"] == "她 爱 喝 茶 。" and made["history"][0]["finish"] == "stop"
    # [CLS] [speaker1] 她 爱 喝 [speaker2]: no end before what is to be written
    sign = posts[0] | {"text": "[speaker1]她爱喝[speaker2]"}
    [made] = dialtools.generate([sign], model=str(model))
    assert made["history"][0]["input_tokens"] == 6
    for most, is_cut in ((6, False), (5, True)):
        [made] = dialtools.generate(
            [sign], model=str(model), decoding=dialtools.Decoding(max_input=most)
        )
        entry = made["history"][0]
        assert (entry["input_tokens"], entry["truncated"]) == (most, is_cut)


def test_a_model_without_a_sign_of_the_end_cannot_learn_one(data: Path, tmp_path: Path):
    words = tiny_models.tokenizer(frame=None)
    words.eos_token, words.pad_token = None, "<pad>"
    tiny_models.save(tmp_path / "endless", tiny_models.gpt2(words, eos_token_id=None), words)
    with pytest.raises(MissingError, match="has no token for the end, so that the model cannot"):
        next(training(data, tmp_path / "out", model=str(tmp_path / "endless")))
