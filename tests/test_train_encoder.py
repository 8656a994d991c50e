"""dt-train encoder: what it learns, from pairs, groups and vectors; what it refuses; nearest candidates."""

import random
from collections.abc import Iterator

import numpy
import pytest

import dialtools
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.training.pairs import accuracy_at, auc
from dialtools.training.recipe import Course

pytest.importorskip("sentence_transformers")
TINY = "tiny:layers=1,hidden=32,heads=2,vocabulary=400,dropout=0"
THINGS = {
    "fruit": "apple pear plum grape melon".split(),
    "tool": "saw drill chisel hammer file".split(),
    "beast": "horse donkey camel mule ox".split(),
}


def texts(seed: int, count: int) -> list[tuple[str, str]]:
    """Return texts, each about things of one kind."""
    rng = random.Random(seed)
    return [
        (kind, " ".join(rng.choices(THINGS[kind], k=4)))
        for kind in rng.choices(list(THINGS), k=count)
    ]


def write(path, rows: list[dict]) -> str:
    named = ({"id": f"{path.stem}{n}", "lang": "en", **row} for n, row in enumerate(rows))
    dialtools.write(named, path)
    return str(path)


def pairs(seed: int, count: int, graded: bool) -> list[dict]:
    rows = []
    for (kind, one), (other_kind, other) in zip(texts(seed, count), texts(seed + 99, count)):
        alike = float(kind == other_kind)
        rows.append({"text": one, "reference": other, "like": 1 + 4 * alike if graded else alike})
    return rows


def trained(tmp_path, train: list[dict], dev: list[dict], epochs: int = 3, **options) -> list[dict]:
    return list(training(tmp_path, train, dev, epochs, **options))


def training(
    tmp_path, train: list[dict], dev: list[dict], epochs: int = 3, output: str = "model", **options
) -> Iterator[dict]:
    course = Course(device="cpu", epochs=epochs, batch_size=16, max_input=32)
    return dialtools.train_encoder(
        **{"model": TINY, "course": course} | options,
        train=[write(tmp_path / "train.jsonl", train)],
        dev=[write(tmp_path / "dev.jsonl", dev)],
        output_dir=str(tmp_path / output),
    )


def test_pairs_with_targets_are_learned_and_scored(tmp_path):
    log = trained(tmp_path, pairs(1, 240, True), pairs(2, 60, True), target="like")
    assert log[0]["kind"] == "graded" and log[0]["target_range"] == [1, 5]
    assert [entry["epoch"] for entry in log[1:-1]] == [0, 1, 2, 3]
    assert log[-1]["spearman"] > max(0.6, log[1]["spearman"] + 0.2)
    folder = str(tmp_path / "model")
    alike, unlike = (
        next(iter(record["scores"].values()))
        for record in dialtools.score(
            [
                {"id": n, "lang": "en", "prediction": "apple pear plum grape", "reference": other}
                for n, other in enumerate(["melon grape pear plum", "saw drill hammer file"])
            ],
            metric=[f"cosine:model={folder}"],
            loading=dialtools.Loading(device="cpu", offline=True),
        )
    )
    assert alike > unlike + 0.2


def test_groups_are_learned_the_same_twice_and_not_over_a_model(tmp_path):
    rows = [
        [{"text": text, "speaker": kind} for kind, text in texts(seed, count)]
        for seed, count in ((3, 200), (4, 40))
    ]
    log = trained(tmp_path, *rows, pair="text", group="speaker")
    assert log[0]["loss"] == "batch-hard-triplet" and log[-1]["auc"] > max(0.8, log[1]["auc"])
    with pytest.raises(OptionError, match="holds a model"):
        trained(tmp_path, *rows, pair="text", group="speaker")
    again = trained(tmp_path, *rows, pair="text", group="speaker", overwrite=True)
    assert [one | {"seconds": 0} for one in again] == [one | {"seconds": 0} for one in log]


def test_one_command_begins_goes_on_and_ends(tmp_path):
    """Left behind its first epoch, it goes on to the encoder of a training that was not."""
    given = (tmp_path, pairs(1, 64, True), pairs(2, 16, True))
    whole = trained(*given, target="like")
    begun = training(*given, target="like", output="again", go_on=True)
    assert [next(begun).get("epoch") for _ in range(3)] == [None, 0, 1]
    begun.close()
    changing = dict.fromkeys(("seconds", "model", "resumed"))
    for resumed in (2, 4):
        log = list(training(*given, target="like", output="again", go_on=True))
        assert log[0]["resumed"] == resumed
        assert [one | changing for one in log] == [one | changing for one in whole]
    for file in ("model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "model" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()


def test_texts_are_led_to_vectors_and_find_them_again(tmp_path):
    axes = {kind: [float(kind == other) for other in THINGS] + [0.1] for kind in THINGS}
    rows = [
        [{"text": text, "node": axes[kind], "reference": kind} for kind, text in texts(seed, count)]
        for seed, count in ((5, 200), (6, 40))
    ]
    log = trained(tmp_path, *rows, pair="text", vectors="node")
    assert log[-1]["accuracy@1"] > 0.8 > log[1]["accuracy@1"]
    named = write(tmp_path / "nodes.jsonl", [{"vector": axes[kind]} for kind in THINGS])
    found = list(
        dialtools.generate(
            [{"id": n, "lang": "en", **row} for n, row in enumerate(rows[1])],
            generator=f"nearest:model={tmp_path / 'model'},candidates={named},number=2,device=cpu,offline=yes",
        )
    )
    names = dict(zip(["nodes0", "nodes1", "nodes2"], THINGS))
    right = [names[record["prediction"][0]] == record["reference"] for record in found]
    assert (
        sum(right) / len(right) == pytest.approx(log[-1]["accuracy@1"])
        and len(found[0]["prediction"]) == 2
    )


@pytest.mark.parametrize("loss", ["multiple-negatives", "multi-similarity"])
def test_losses_of_vectors_are_those_of_their_formulas(tmp_path, loss: str):
    """One step at a rate of nearly 0, so that the saved encoder is the one whose loss is told; two texts share a vector."""
    from sentence_transformers import SentenceTransformer

    rows = [
        {"text": text, "v": vector}
        for text, vector in zip(
            ["apple pear", "saw", "mule ox", "grape plum"],
            [[1, 0, 2], [0, 1, 0], [1, 1, 1], [1, 0, 2]],
        )
    ]
    log = list(
        dialtools.train_encoder(
            model=TINY,
            train=[write(tmp_path / "train.jsonl", rows)],
            dev=[write(tmp_path / "dev.jsonl", texts_with_vectors())],
            output_dir=str(tmp_path / "model"),
            pair="text",
            vectors="v",
            course=Course(loss=loss, device="cpu", epochs=1, batch_size=4, learning_rate=1e-12),
        )
    )
    own = (
        SentenceTransformer(str(tmp_path / "model"), device="cpu")
        .encode([row["text"] for row in rows], normalize_embeddings=True)
        .astype(float)
    )
    given = numpy.array([[1, 0, 2], [0, 1, 0], [1, 1, 1]], float)
    cosines, right = own @ (given / numpy.linalg.norm(given, axis=1, keepdims=True)).T, [0, 1, 2, 0]
    if loss == "multiple-negatives":  # InfoNCE, temperature 1/20
        each = [
            numpy.log(numpy.exp(20 * row).sum()) - 20 * row[at] for row, at in zip(cosines, right)
        ]
    else:  # Wang et al. 2019, equation 15, with alpha 2, beta 50, lambda 0.5
        each = [
            numpy.log(1 + numpy.exp(-2 * (row[at] - 0.5))) / 2
            + numpy.log(1 + numpy.exp(50 * (numpy.delete(row, at) - 0.5)).sum()) / 50
            for row, at in zip(cosines, right)
        ]
    assert log[2]["loss"] == pytest.approx(numpy.mean(each), rel=1e-4)


def test_given_negatives_stand_beside_those_of_the_batch(tmp_path):
    """The loss is InfoNCE over all references and all third texts, by hand, of the encoder as it was saved."""
    from sentence_transformers import SentenceTransformer

    rows = [
        {"text": one, "reference": other, "no": third}
        for one, other, third in (
            ("apple pear", "plum", "saw"),
            ("mule ox", "horse", "grape plum"),
            ("file", "drill saw", "camel"),
        )
    ]
    log = list(
        dialtools.train_encoder(
            model=TINY,
            train=[write(tmp_path / "train.jsonl", rows)],
            dev=[
                write(
                    tmp_path / "dev.jsonl",
                    rows[:1] + [{"text": "ox", "reference": "camel", "no": "saw"}],
                )
            ],
            output_dir=str(tmp_path / "model"),
            pair="text,reference,no",
            course=Course(device="cpu", epochs=1, batch_size=3, learning_rate=1e-12),
        )
    )
    encoder = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    own, right, wrong = (
        encoder.encode([row[key] for row in rows], normalize_embeddings=True).astype(float)
        for key in ("text", "reference", "no")
    )
    cosines = 20 * own @ numpy.concatenate([right, wrong]).T
    assert log[2]["loss"] == pytest.approx(
        numpy.mean([numpy.log(numpy.exp(row).sum()) - row[at] for at, row in enumerate(cosines)]),
        rel=1e-4,
    )


def test_a_text_whose_tokens_an_encoder_does_not_know(tmp_path, minilm: str):
    train, dev = (
        pairs(1, 4, True),
        [*pairs(2, 99, True), {"text": "ꙮꙮ", "reference": "saw", "like": 5}],
    )
    with pytest.raises(RecordError, match="knows no token") as error:
        list(
            dialtools.train_encoder(
                model=minilm,
                train=[write(tmp_path / "train.jsonl", train)],
                dev=[write(tmp_path / "dev.jsonl", dev)],
                output_dir=str(tmp_path / "model"),
                target="like",
                course=Course(device="cpu", offline=True),
            )
        )
    assert str(error.value.place).endswith("dev.jsonl:100") and error.value.record["id"] == "dev99"


def texts_with_vectors() -> list[dict]:
    return [{"text": "pear apple", "v": [1, 0, 2]}, {"text": "hammer", "v": [0, 1, 0]}]


def test_no_epochs_write_the_encoder_that_training_starts_from(tmp_path):
    rows = (
        [{"text": text, "speaker": kind} for kind, text in texts(7, 30)],
        [{"text": "saw ox", "speaker": kind} for kind in ("tool", "tool", "beast")],
    )
    log = trained(tmp_path, *rows, pair="text", group="speaker", epochs=0)
    assert [entry.get("epoch") for entry in log] == [None, 0, None] and log[-1]["best"] == 0
    assert (
        sorted(path.name for path in (tmp_path / "model").iterdir()).count("model.safetensors") == 1
    )
    assert not (tmp_path / "model" / "checkpoints").exists()


def test_an_encoder_of_weights_that_are_no_numbers_is_told(tmp_path):
    """One that the last step makes, and one to start from, for which some losses are 0."""
    from safetensors.torch import load_file, save_file

    given = (tmp_path, pairs(1, 8, False), pairs(2, 8, False), 1)
    with pytest.raises(OptionError, match="training diverged: on 'dev' after epoch 1 .* is nan"):
        trained(*given, target="like", course=Course(learning_rate=1e30, device="cpu"))
    assert not (tmp_path / "model" / "model.safetensors").exists()
    trained(*given, target="like", course=Course(epochs=0, device="cpu"), output="start")
    file = tmp_path / "start" / "model.safetensors"
    weights = {name: weight * float("nan") for name, weight in load_file(file).items()}
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(MissingError, match="start is damaged: the weights .*word_embeddings"):
        course = Course("online-contrastive", device="cpu")
        trained(*given, target="like", model=str(file.parent), output="none", course=course)


@pytest.mark.parametrize(
    "row, options, reason",
    [
        ({"text": "a"}, {}, 'no text under "reference"'),
        ({"text": "a", "reference": "b"}, {"target": "like"}, "no number under"),
        (
            {"text": "a", "reference": "b", "like": "4,5"},
            {"target": "like"},
            '"like" must be a number, not "4,5"',
        ),
        ({"text": "a"}, {"pair": "text", "group": "speaker"}, "no group"),
        ({"text": "a", "v": [1, "x"]}, {"pair": "text", "vectors": "v"}, "list of numbers"),
        ({"text": "a", "v": [0, 0]}, {"pair": "text", "vectors": "v"}, "no direction"),
        ({"text": "a"}, {"pair": "text", "vectors": "v"}, 'no vector under "v"'),
    ],
)
def test_records_that_lack_what_they_need(tmp_path, row: dict, options: dict, reason: str):
    with pytest.raises(RecordError, match=reason) as error:
        trained(tmp_path, [row], [row], **options)
    assert str(error.value.place or "").endswith("train.jsonl:1")


@pytest.mark.parametrize(
    "train, dev, options, reason",
    [
        (pairs(1, 4, True), pairs(1, 4, True), {"target": "like"}, "only records of 'train'"),
        (
            [{"text": t, "reference": t, "like": 1} for t in "ab"],
            pairs(1, 4, False),
            {"target": "like"},
            'all "like" are 1',
        ),
        (
            pairs(1, 4, True),
            pairs(2, 4, True),
            {"target": "like", "group": "speaker"},
            "only one of",
        ),
        (pairs(1, 4, True), pairs(2, 4, True), {"pair": "text"}, "'pair' has two"),
        (
            pairs(1, 4, True),
            pairs(2, 4, True),
            {"pair": "text,reference,text", "target": "like"},
            "third path",
        ),
        (
            [{"text": t, "g": t} for t in "ab"],
            [{"text": "c", "g": "a"}],
            {"pair": "text", "group": "g"},
            "'train': no two",
        ),
        (
            [{"text": t, "g": 1} for t in "ab"],
            [{"text": "c", "g": "a"}],
            {"pair": "text", "group": "g"},
            "'train': all have",
        ),
        (
            [{"text": t, "v": [1, 2]} for t in "ab"],
            [{"text": "c", "v": [1]}],
            {"pair": "text", "vectors": "v"},
            "1 numbers, those",
        ),
        ([], pairs(2, 4, True), {}, "no records"),
    ],
)
def test_data_that_cannot_be_learned(tmp_path, train: list, dev: list, options: dict, reason: str):
    with pytest.raises(OptionError, match=reason):
        trained(tmp_path, train, dev, **options)


@pytest.mark.parametrize("part", ["train", "dev"])
def test_a_file_is_not_given_twice(tmp_path, part: str):
    given = {
        one: [write(tmp_path / f"{one}.jsonl", pairs(seed, 4, True))]
        for seed, one in enumerate(("train", "dev"))
    }
    with pytest.raises(OptionError, match=f"'{part}': a file is given twice"):
        next(
            dialtools.train_encoder(
                model=TINY,
                **{**given, part: given[part] * 2},
                output_dir=str(tmp_path / "model"),
                target="like",
            )
        )


def test_measures_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(1)
    scores, targets = (
        [rng.randrange(9) / 9 for _ in range(60)],
        [float(rng.random() < 0.4) for _ in range(60)],
    )
    assert auc(scores, targets) == pytest.approx(metrics.roc_auc_score(targets, scores))
    vectors, others = (numpy.random.default_rng(seed).normal(size=(30, 4)) for seed in (1, 2))
    labels = numpy.arange(30)
    for k in (1, 5):
        assert accuracy_at(vectors, others, k) == pytest.approx(
            metrics.top_k_accuracy_score(labels, vectors @ others.T, k=k, labels=labels)
        )


def test_several_processes_would_write_one_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(OptionError, match="in one process"):
        trained(tmp_path, [], [])


def test_a_device_that_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingError, match="no device 'nosuch' here"):
        course = Course(device="nosuch")
        trained(tmp_path, pairs(1, 8, False), pairs(2, 8, False), target="like", course=course)
