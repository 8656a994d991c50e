"""dt-train scorer: labels, several labels and numbers learned, kept, run as they were trained; what it refuses."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny_models

import dialtools
from dialtools.models import scorers
from dialtools.plugins.options import gathered
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.training import targets
from dialtools.training.recipe import Grading, Machine, Recipe

pytest.importorskip("accelerate")
pytest.importorskip("sklearn")
pytestmark = pytest.mark.usefixtures("one_thread")
TINY = "tiny:layers=1,hidden=32,heads=2,vocabulary=400,dropout=0"
THINGS = {
    "fruit": "apple pear plum grape melon".split(),
    "tool": "saw drill chisel hammer file".split(),
    "beast": "horse donkey camel mule ox".split(),
}
WORDS = {word: kind for kind, words in THINGS.items() for word in words}


def row(seed: int, number: int) -> dict:
    """Return a text of words of one kind, another of its own, and what can be learned of them."""
    rng = random.Random(seed * 1000 + number)
    kind, other = rng.choice(list(THINGS)), rng.choice(list(THINGS))
    text, second = (" ".join(rng.choices(THINGS[one], k=4)) for one in (kind, other))
    return {
        "id": f"{seed}.{number}",
        "lang": "en",
        "text": text,
        "second": second,
        "kind": kind,
        "other": other,
        "edible": kind == "fruit",
        "kinds": sorted({kind, other}),
        "like": 1 + 4 * (kind == other),
        "price": 10.0 * (list(THINGS).index(kind) + list(THINGS).index(other)) - 5,
    }


def rows(seed: int, count: int) -> list[dict]:
    return [row(seed, number) for number in range(count)]


def write(path: Path, records: list[dict]) -> str:
    dialtools.write(records, path)
    return str(path)


def trained(place: Path, train: list[dict], dev: list[dict], **asked: Any) -> list[dict]:
    return list(training(place, train, dev, **asked))


def training(place: Path, train: list[dict], dev: list[dict], **asked: Any) -> Iterator[dict]:
    given = {
        "model": TINY,
        "train": [write(place / "train.jsonl", train)],
        "device": "cpu",
        "epochs": 4,
        "dev": [write(place / "dev.jsonl", dev)] if dev else [],
        "output_dir": str(place / "model"),
        "batch_size": 8,
        "learning_rate": 0.005,
        "offline": True,
    } | asked
    kinds = {"grading": Grading, "recipe": Recipe, "machine": Machine}
    fields = {field for kind in kinds.values() for field in kind._fields}
    return dialtools.train_scorer(
        grading=gathered(Grading, given),
        machine=gathered(Machine, given),
        recipe=gathered(Recipe, given),
        **{name: value for name, value in given.items() if name not in fields},
    )


def test_labels_are_learned_and_written_with_calibrated_probabilities(tmp_path, torch):
    """Probabilities are those of transformers' own model, divided by the temperature in the log."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    log = trained(tmp_path, rows(1, 120), rows(2, 40), target="kind")
    assert log[0]["kind"] == "label" and sum(log[0]["labels"].values()) == 120
    assert [entry["epoch"] for entry in log[1:-1]] == [1, 2, 3, 4] and log[-1]["macro_f1"] > 0.9
    assert (
        log[-1]["gap"] == pytest.approx(log[-1]["dev_loss_shuffled"] - log[-1]["dev_loss"])
        and log[-1]["gap"] > 0.5
    )
    folder = str(tmp_path / "model")
    made = list(dialtools.generate(rows(2, 40), generator=f"classifier:model={folder},device=cpu"))
    right = [record["prediction"] == record["kind"] for record in made]
    assert sum(right) / len(right) == pytest.approx(log[-1]["accuracy"])
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        outputs = network(
            **AutoTokenizer.from_pretrained(folder)(made[3]["text"], return_tensors="pt")
        ).logits[0]
    expected = (outputs / log[-1]["temperature"]).softmax(-1).tolist()
    assert (
        list(made[3]["prediction_scores"])
        == ["beast", "fruit", "tool"]
        == [*network.config.id2label.values()]
    )
    assert list(made[3]["prediction_scores"].values()) == pytest.approx(expected, abs=1e-5)
    [scored] = dialtools.score(made[3:4], metric=[f"classifier:model={folder},label=fruit"])
    # what it was trained to read, or what it is told to read: not the same text
    metric = f"classifier:model={folder},label=fruit"
    texts = [{"id": 1, "lang": "en", "text": made[0]["text"], "prediction": made[1]["text"]}]
    [both] = dialtools.score(texts, metric=[metric, f"{metric},of=text", f"{metric},of=prediction"])
    asked = [made[place]["prediction_scores"]["fruit"] for place in (0, 0, 1)]
    assert list(both["scores"].values()) == pytest.approx(asked) and asked[0] != asked[2]
    signatures = both["history"][-1]["signature"].values()
    assert len(set(signatures)) == 3
    assert [*scored["scores"].values()] == [pytest.approx(expected[1], abs=1e-5)]
    card = (tmp_path / "model" / "README.md").read_text()
    assert "| target | kind |" in card and "sha256" in card and "dt-train scorer" in card


def test_the_model_of_each_epoch_is_kept_when_asked_for(tmp_path):
    log = trained(tmp_path, rows(1, 60), rows(2, 30), target="kind", epochs=3, keep_epochs=True)
    for epoch in log[1:-1]:
        folder = tmp_path / f"model/epoch-{epoch['epoch']}"
        made = dialtools.generate(rows(2, 30), generator=f"classifier:model={folder},device=cpu")
        right = [record["prediction"] == record["kind"] for record in made]
        assert sum(right) / len(right) == pytest.approx(epoch["accuracy"])
        assert f"| epoch | {epoch['epoch']} |" in (folder / "README.md").read_text()
    best = tmp_path / f"model/epoch-{log[-1]['best']}/model.safetensors"
    assert best.read_bytes() == (tmp_path / "model/model.safetensors").read_bytes()
    again = {"target": "kind", "epochs": 1, "keep_epochs": True, "overwrite": True}
    with pytest.raises(OptionError, match="holds the model to start from"):
        trained(tmp_path, rows(1, 60), rows(2, 30), model=str(best.parent), **again)
    trained(tmp_path, rows(1, 60), rows(2, 30), **again)  # those of the training before are gone
    assert [folder.name for folder in (tmp_path / "model").glob("epoch-*")] == ["epoch-1"]


def test_numbers_of_pairs_come_in_their_own_unit(tmp_path):
    """Also those of a table, where 5 and 5.0 are texts: they were classes."""
    train, dev = (
        [{**one, "price": f"{one['price']:.{n % 2}f}"} for n, one in enumerate(rows(seed, number))]
        for seed, number in ((1, 120), (2, 40))
    )
    log = trained(tmp_path, train, dev, target="price", pair="text,second")
    assert log[0]["target_range"] == [-5, 35] and log[-1]["spearman"] > 0.8
    assert '"price" holds texts that are numbers' in "; ".join(log[0]["warnings"])
    assert targets.value(train[1], "price", "label") == train[1]["price"]
    scored = list(
        dialtools.score(
            rows(2, 40),
            metric=[f"regressor:model={tmp_path / 'model'}"],
            loading=dialtools.Loading(device="cpu", offline=True),
        )
    )
    errors = [next(iter(record["scores"].values())) - record["price"] for record in scored]
    assert (sum(error**2 for error in errors) / 40) ** 0.5 == pytest.approx(
        log[-1]["rmse"], abs=1e-4
    )
    with pytest.raises(OptionError, match="has learned to read two texts"):
        list(dialtools.score(rows(2, 1), metric=[f"regressor:model={tmp_path / 'model'},of=text"]))
    with pytest.raises(OptionError, match="predicts a number"):
        list(dialtools.generate(rows(2, 1), generator=f"classifier:model={tmp_path / 'model'}"))


def test_several_labels_at_once_by_the_threshold_of_the_folder(tmp_path):
    log = trained(
        tmp_path,
        rows(1, 160),
        rows(2, 40),
        target="kinds",
        pair="text,second",
        epochs=6,
        class_weights=True,
    )
    assert log[0]["kind"] == "labels" and log[-1]["micro_f1"] > 0.7
    least = scorers.of(str(tmp_path / "model")).threshold
    assert least == log[-1]["threshold"]
    for record in dialtools.generate(
        rows(2, 9), generator=f"classifier:model={tmp_path / 'model'}"
    ):
        assert record["prediction"] == "; ".join(
            label for label, value in record["prediction_scores"].items() if value >= least
        )


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of peft, when it loads by itself
def test_an_adapter_of_an_encoder_gives_the_probabilities_that_peft_gives(tmp_path, torch):
    peft = pytest.importorskip("peft")
    words = tiny_models.tokenizer()
    start = tiny_models.save(tmp_path / "start", tiny_models.bert(words), words)
    log = trained(
        tmp_path,
        rows(1, 16),
        rows(2, 8),
        target="kind",
        model=start,
        lora=2,
        epochs=1,
        allow_blind=True,
    )
    folder = str(tmp_path / "model")
    [made] = dialtools.generate(rows(2, 1), generator=f"classifier:model={folder},device=cpu")
    network = peft.AutoPeftModelForSequenceClassification.from_pretrained(
        folder, num_labels=3
    ).eval()
    with torch.no_grad():
        outputs = network(**words(made["text"], return_tensors="pt")).logits[0]
    assert log[0]["trained"] < log[0]["weights"] / 4
    assert [*made["prediction_scores"].values()] == pytest.approx(
        (outputs / log[-1]["temperature"]).softmax(-1).tolist(), abs=1e-5
    )


def test_the_cosine_of_a_decoder_is_that_of_the_last_tokens_before_the_end(tmp_path, torch):
    """At a rate of nearly 0 the adapter and the linear unit change nothing, so that the decoder itself gives the cosine."""
    from transformers import AutoModel

    words = tiny_models.tokenizer()
    start = tiny_models.save(tmp_path / "start", tiny_models.gpt2(words), words)
    log = trained(
        tmp_path,
        rows(1, 16),
        rows(2, 8),
        target="like",
        pair="text,second",
        head="cosine",
        model=start,
        lora=2,
        epochs=1,
        learning_rate=1e-12,
        allow_blind=True,
    )
    assert log[-1]["unit"] == pytest.approx([1, 0], abs=1e-9)
    [scored] = dialtools.score(
        [{**row(2, 1), "prediction": "none"}], metric=[f"regressor:model={tmp_path / 'model'}"]
    )
    network = AutoModel.from_pretrained(start).eval()
    with torch.no_grad():  # the very last token is the end
        one, other = (
            network(**words(scored[key], return_tensors="pt")).last_hidden_state[0, -2]
            for key in ("text", "second")
        )
    expected = 1 + 4 * float(
        torch.nn.functional.cosine_similarity(one, other, dim=0)
    )  # of the range from 1 to 5
    assert [*scored["scores"].values()] == [pytest.approx(expected, abs=1e-4)]


def test_turns_are_read_with_tokens_of_their_speakers_behind_a_profile(tmp_path, torch):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    def talk(seed: int, number: int) -> list[dict]:
        return [
            {
                **one,
                "text": None,
                "bio": "likes tea",
                "dialogue": [
                    {"speaker": speaker, "text": one["text"]} for speaker in ("Ann", f"Guest{at}")
                ],
            }
            for at, one in enumerate(rows(seed, number))
        ]

    log = trained(
        tmp_path,
        talk(1, 16),
        talk(2, 8),
        target="kind",
        profile="bio",
        speaker_tokens=True,
        epochs=1,
        allow_blind=True,
    )
    assert log[0]["speakers"] == 1  # the others speak in one record each
    folder = str(tmp_path / "model")
    [made] = dialtools.generate(
        [{**talk(2, 1)[0], "lang": "en"}], generator=f"classifier:model={folder},device=cpu"
    )
    said = made["dialogue"][0]["text"]
    given = AutoTokenizer.from_pretrained(folder)(
        "likes tea", f"<speaker:Ann>: {said}\n<speaker>: {said}", return_tensors="pt"
    )
    with torch.no_grad():
        outputs = (
            AutoModelForSequenceClassification.from_pretrained(folder).eval()(**given).logits[0]
        )
    assert [*made["prediction_scores"].values()] == pytest.approx(
        (outputs / log[-1]["temperature"]).softmax(-1).tolist(), abs=1e-5
    )
    with pytest.raises(RecordError, match="turn 1 is no object"):
        odd = [{**talk(2, 1)[0], "dialogue": ["Ann"]}]
        list(dialtools.score(odd, metric=[f"classifier:model={folder},label=fruit"]))


def folded(place: Path, train: list[dict], **asked: Any) -> list[dict]:
    return trained(place, train, [], **{"epochs": 5, "folds": 2, "repeats": 2} | asked)


def test_folds_predict_every_record_and_leak_no_cluster(tmp_path):
    noted: list[dict] = []
    records = [{**one, "cluster": f"c{number // 4}"} for number, one in enumerate(rows(1, 80))]
    records[0]["kind"] = "plant"  # which no model can learn that is to predict it
    made = folded(tmp_path, records, target="kind", note=noted.append)
    assert sum('has the label "plant"' in str(note.get("warnings")) for note in noted) == 2
    assert [(record["id"], record["repeat"]) for record in made] == [
        (one["id"], repeat) for one in records for repeat in (1, 2)
    ]
    for repeat in (1, 2):
        folds: dict[str, set[int]] = {}
        for record in made[repeat - 1 :: 2]:
            folds.setdefault(record["cluster"], set()).add(record["fold"])
            assert record["variant"] == f"repeat:{repeat}" and set(record["prediction_scores"]) == {
                *THINGS,
                "plant",
            }
        assert all(len(own) == 1 for own in folds.values()) and {1, 2} == set().union(
            *folds.values()
        )
    assert [record["fold"] for record in made[::2]] != [record["fold"] for record in made[1::2]]
    assert sum(record["prediction"] == record["kind"] for record in made) > 140
    assert sum("best" in note for note in noted) == 4 and {note["repeat"] for note in noted} == {
        1,
        2,
    }
    left = ["README.md", "log.jsonl", "training.json"]
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == left


def test_folds_that_were_interrupted_go_on(tmp_path):
    """In the second of two models, behind its first epoch; the log has each epoch once."""
    whole = folded(tmp_path, rows(1, 24), target="kind", epochs=2, repeats=1)
    (tmp_path / "model").rename(tmp_path / "whole")

    def interrupt(record: dict) -> None:
        if (record["fold"], record.get("epoch")) == (2, 1):
            raise KeyboardInterrupt

    asked = {"target": "kind", "epochs": 2, "repeats": 1, "go_on": True}
    with pytest.raises(KeyboardInterrupt):
        folded(tmp_path, rows(1, 24), **asked, note=interrupt)
    for models in (1, 2):
        noted: list[dict] = []
        assert folded(tmp_path, rows(1, 24), **asked, note=noted.append) == whole
        assert noted[0] == {"resumed": models, "models": 2}
        log = (tmp_path / "model" / "log.jsonl").read_text().splitlines()
        assert [(one["fold"], one.get("epoch")) for one in map(json.loads, log)] == [
            (fold, epoch) for fold in (1, 2) for epoch in (None, 1, 2, None)
        ]


def test_folds_do_not_depend_on_the_order_of_records():
    from dialtools.training import folds
    from dialtools.training.data import Data
    from dialtools.training.recipe import Job
    from dialtools.training.scorer import ScorerTraining

    job = Job("", "tiny", (), (), "", 3, False, False)
    given = ScorerTraining(job, Grading(), Recipe(), Machine())
    kinds = targets.Targets("label", sorted(THINGS), [0.0, 1.0], "kind")
    records = rows(1, 40)
    found = [
        dict(
            zip(
                [one["id"] for one in order],
                folds._divided(
                    folds.Validation(given, folds.Folds(4), Data(order, {}, False), kinds, print), 1
                ),
            )
        )
        for order in (records, records[::-1])
    ]
    assert found[0] == found[1]
    for kind in THINGS:  # each label is spread evenly
        each = [
            sum(found[0][one["id"]] == fold for one in records if one["kind"] == kind)
            for fold in (1, 2, 3, 4)
        ]
        assert max(each) - min(each) <= 1


@pytest.mark.parametrize(
    "change, options, reason",
    [
        ({"kind": None}, {}, "no target"),
        ({"kind": 1e40}, {}, "no finite number"),
        ({"kind": {"a": 1}}, {}, "must be a label"),
        ({"text": "  "}, {}, "nothing to read"),
        ({"prompt": 5}, {}, '"prompt" is a text, here is 5'),
        ({"dialogue": [{"speaker": "Ann"}]}, {}, 'turn 1 has no "text" that is a string'),
        ({"dialogue": [5]}, {}, "turn 1 is no object"),
        (
            {"dialogue": [{"speaker": {}, "text": "a"}]},
            {"of": "text", "speaker_tokens": True},
            "no .spea",
        ),
        ({}, {"pair": "text,none"}, 'no "none"'),
        ({}, {"profile": "bio"}, 'no "bio"'),
    ],
)
def test_records_that_cannot_be_learned(tmp_path, change: dict, options: dict, reason: str):
    records = [{**one, **(change if number == 5 else {})} for number, one in enumerate(rows(1, 8))]
    with pytest.raises(RecordError, match=reason) as error:
        trained(tmp_path, records, rows(2, 4), target="kind", **options)
    assert str(error.value.place).endswith("train.jsonl:6" if change else "train.jsonl:1")


@pytest.mark.parametrize(
    "content, reason",
    [
        ("[]", "is no JSON object"),
        ("{", "is no JSON"),
        ({"scorer": 5}, "here is 5 instead of an object"),
        ({"scorer": {}}, 'there is no "task"'),
        ({"scorer": {"task": "rank"}}, '"task" cannot be "rank"'),
        ({"scorer": {"task": "label", "age": 1}}, '"age" is not known'),
        ({"scorer": {"task": "label", "pair": ["text"]}}, '"pair" cannot be'),
        ({"scorer": {"task": "label", "speakers": [1]}}, '"speakers" cannot be'),
        ({"scorer": {"task": "label", "max_input": True}}, '"max_input" cannot be true'),
        ({"scorer": {"task": "label", "max_input": 2}}, '"max_input" cannot be 2'),
        ({"scorer": {"task": "label", "temperature": float("nan")}}, '"temperature" cannot be'),
        ({"scorer": {"task": "label", "temperature": 0}}, '"temperature" cannot be 0'),
        ({"scorer": {"task": "label", "threshold": 1.5}}, '"threshold" cannot be 1.5'),
        ({"scorer": {"task": "number", "range": [1, 1]}}, r'"range" cannot be \[1, 1\]'),
        ({"scorer": {"task": "number", "unit": [1, "0"]}}, '"unit" cannot be'),
    ],
)
def test_what_a_damaged_folder_says_of_itself(tmp_path, content: Any, reason: str):
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "dialtools.json").write_text(text)
    with pytest.raises(MissingError, match=f"dialtools.json.*{reason}"):
        list(dialtools.score([{"prediction": "a"}], metric=[f"regressor:model={tmp_path}"]))


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"target": "lang"}, 'all "lang" are'),
        ({"target": "seed"}, 'all "seed" are 1'),
        ({"target": "kind", "dev": []}, "give 'dev'"),
        ({"target": "kind", "folds": 3}, "give 'dev'"),
        ({"target": "kind", "best": "rmse"}, "is measured by loss, accuracy, macro_f1"),
        ({"target": "kind", "head": "cosine"}, "compares two texts"),
        ({"target": "kind", "pair": "text"}, "pair has two"),
        ({"target": "kind", "pair": "text,second", "head": "cosine"}, "is for numbers"),
        ({"target": "kind", "dev": [], "folds": 9}, "only 8 clusters"),
        ({"target": "rare", "dev": [], "folds": 2}, "without fold"),
        ({"target": "price", "class_weights": True}, "is for labels"),
        ({"target": "kind", "speaker_tokens": True}, "has a dialogue"),
        ({"target": "kind", "task": "number"}, "is a label"),
        ({"target": "mixed"}, r'"mixed" is a label \("a"\) in some records, a number \(1\) in'),
        ({"target": "some"}, r'"some" is a label \("n/a"\) in some records, a number \(1\) in'),
        ({"target": "some", "task": "number"}, 'leave these out, or .*task="label".* learns all'),
    ],
)
def test_data_and_options_that_make_no_scorer(tmp_path, options: dict, reason: str):
    records, dev = (
        [
            {
                **one,
                "seed": 1,
                "rare": "yes" if number == 5 else "no",
                "mixed": "a" if number else 1,
                "some": str(number) if number else "n/a",
            }
            for number, one in enumerate(rows(seed, 8))
        ]
        for seed in (1, 2)
    )
    with pytest.raises(OptionError, match=reason):
        trained(tmp_path, records, options.pop("dev", dev), **options)


def test_a_label_of_the_dev_set_that_was_not_learned(tmp_path):
    with pytest.raises(RecordError, match="add such records there, or leave this one out") as error:
        trained(tmp_path, rows(1, 8), [*rows(2, 2), {**row(3, 1), "kind": "plant"}], target="kind")
    assert str(error.value.place).endswith("dev.jsonl:3")


def test_texts_of_the_training_records_under_other_ids_are_told(tmp_path):
    records = rows(1, 8)
    log = training(
        tmp_path,
        records,
        [*rows(2, 3), {**records[0], "id": "another"}],
        target="kind",
        task="label",
    )
    assert (
        "--dev: 1 of 4 records have the texts and the target of records of --train: they favour an epoch that "
        "knows these by heart"
    ) in next(log)["warnings"]


def test_temperature_and_threshold_are_the_best_there_are(torch):
    """Against a fine grid; odds of 3 to 1 at outputs that say 9 to 1 want a temperature of 2."""
    kinds = targets.Targets("label", ["a", "b"], [0.0, 1.0], "label")
    outputs = torch.tensor([[0.0, 2 * 1.0986123]] * 4)
    assert targets.temperature(
        outputs, torch.tensor([[1.0], [1.0], [1.0], [0.0]]), kinds
    ) == pytest.approx(2, abs=1e-3)
    rng = random.Random(3)
    wanted = torch.tensor([[float(rng.random() < 0.3)] for _ in range(60)])
    outputs = torch.tensor([[0.0, float(own) * 1.5 - 3 + rng.gauss(0, 1)] for own in wanted])
    least = targets.threshold(outputs, wanted, kinds)

    def worth(least: float) -> float:
        made = (outputs.softmax(1)[:, 1:] >= least).float()
        return targets.measured(kinds, made, wanted)["macro_f1"]

    assert worth(least) == max(worth(one / 100) for one in range(101)) > worth(0.5)


def test_weights_of_labels_are_those_that_scikit_learn_balances():
    import numpy
    from sklearn.utils.class_weight import compute_class_weight

    places = [0] * 7 + [1] * 2 + [2] * 3
    kinds = targets.Targets("label", list("abc"), [0.0, 1.0], "label")
    assert targets.weights([(float(place),) for place in places], kinds) == pytest.approx(
        compute_class_weight("balanced", classes=numpy.arange(3), y=places)
    )


def test_an_interrupted_training_goes_on_to_the_same_model(tmp_path):
    """Also where the scorer that it starts from, an intermediate task, had other labels."""
    from safetensors.torch import load_file

    trained(tmp_path, rows(1, 24), rows(2, 8), target="edible", epochs=1, allow_blind=True)
    (tmp_path / "model").rename(tmp_path / "first")
    asked = {"target": "kind", "model": str(tmp_path / "first"), "epochs": 3, "allow_blind": True}
    whole = trained(tmp_path, rows(3, 24), rows(4, 8), **asked)
    assert list(whole[0]["labels"]) == sorted(THINGS)
    assert "its head was made anew" in (tmp_path / "model" / "README.md").read_text()
    asked |= {"output_dir": str(tmp_path / "again"), "go_on": True}
    begun = training(tmp_path, rows(3, 24), rows(4, 8), **asked)
    assert [next(begun)["kind"], next(begun)["epoch"]] == ["label", 1]
    begun.close()
    changing = dict.fromkeys(("seconds", "tokens_per_second", "model", "resumed"))
    for resumed in (1, 3):
        rest = trained(tmp_path, rows(3, 24), rows(4, 8), **asked)
        assert rest[0]["resumed"] == resumed
        assert [one | changing for one in rest] == [one | changing for one in whole]
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("model", "again"))
    assert all(one[name].equal(other[name]) for name in one)
