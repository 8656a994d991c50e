"""dt-train parser: trees against brute force; a small language learned, continued, taken further; what it refuses.

The treebanks are those of examples/javanese-parsing, of sentences made for it.
"""

import itertools
import json
import random
import re
import shutil
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import tiny_models
from conftest import ROOT

import dialtools
from dialtools import languages
from dialtools.parsing import model as models
from dialtools.parsing.model import best_tree
from dialtools.plugins import registry
from dialtools.plugins.options import gathered
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, RecordError
from dialtools.training.parser import ParserTrainer
from dialtools.training.recipe import ParserRecipe, ParserShape

JV = languages.get("jv")
JAVANESE, INDONESIAN = (
    ROOT / "examples" / "javanese-parsing" / f"{lang}.conllu" for lang in ("jv", "id")
)
pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = {"hidden": 32, "batch_size": 200, "learning_rate": 0.01, "average": 0.9}


@pytest.fixture(scope="module")
def banks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with train.conllu, 90 sentences, and dev.conllu, 30."""
    folder = tmp_path_factory.mktemp("banks")
    blocks = JAVANESE.read_text(encoding="utf-8").split("\n\n")[:-1]
    for name, part in (("train", blocks[:90]), ("dev", blocks[90:]), ("one", blocks[:1])):
        folder.joinpath(f"{name}.conllu").write_text(
            "".join(f"{block}\n\n" for block in part), encoding="utf-8"
        )
    return folder


def training(banks: Path, output: Path, **options) -> Generator[dict, None, None]:
    given = {"train": [str(banks / "train.conllu")], "dev": [str(banks / "dev.conllu")]}
    given |= SMALL | {"output_dir": str(output)} | options
    values = {
        name: gathered(kind, given)
        for name, kind in (("shape", ParserShape), ("recipe", ParserRecipe))
    }
    fields = (*ParserShape._fields, *ParserRecipe._fields)
    return dialtools.train_parser(
        **values, **{name: value for name, value in given.items() if name not in fields}
    )


def train(banks: Path, output: Path, **options) -> list[dict]:
    return list(training(banks, output, **options))


@pytest.fixture(scope="module")
def model(banks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "jv"
    train(banks, folder, epochs=14, language="jv")
    return folder


def hash_of(folder: Path) -> str:
    return json.loads(folder.joinpath("config.json").read_text())["hash"]


def value(scores: list[list[float]], heads: list[int]) -> float:
    return sum(row[head] for row, head in zip(scores, heads, strict=True))


def is_tree(heads: tuple[int, ...]) -> bool:
    def reaches_root(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1]
            if word == 0:
                return True
        return False

    return heads.count(0) == 1 and all(map(reaches_root, range(1, len(heads) + 1)))


@pytest.mark.parametrize("seed", range(5))
def test_the_best_tree_is_the_best_of_all(seed: int):
    """Of all ways to give each word a head, those that are trees with one root are looked at one by one."""
    rng = random.Random(seed)
    for _ in range(60):
        size = rng.randint(1, 5)
        scores = [[round(rng.uniform(-9, 9), 1) for _ in range(size + 1)] for _ in range(size)]
        found = best_tree(scores)
        assert is_tree(tuple(found))
        every = filter(is_tree, itertools.product(range(size + 1), repeat=size))
        assert value(scores, found) == pytest.approx(
            max(value(scores, list(heads)) for heads in every)
        )


def test_the_best_tree_is_that_of_networkx():
    networkx = pytest.importorskip("networkx")
    rng = random.Random(1)
    for size in (12, 30):
        scores = [[rng.uniform(-1, 1) for _ in range(size + 1)] for _ in range(size)]
        graph = networkx.DiGraph()
        graph.add_weighted_edges_from(
            (head, word, score - 1000 * (head == 0))
            for word, row in enumerate(scores, 1)
            for head, score in enumerate(row)
            if head != word
        )
        wanted = {word: head for head, word in networkx.maximum_spanning_arborescence(graph).edges}
        assert best_tree(scores) == [wanted[word] for word in range(1, size + 1)]


def test_a_small_language_is_learned(model: Path, banks: Path):
    """Its sentences follow few rules, so that nearly all words of new ones must be right."""
    card = model.joinpath("README.md").read_text(encoding="utf-8")
    wanted = (str(banks / "train.conllu"), "sha256", "torch", "| seed | 0 |", hash_of(model))
    assert all(part in card for part in wanted)
    parser = registry.load("parsers", f"biaffine:model={model}")
    [tokens] = parser.call(["Adhine maca buku. Sapa sing ora turu ing omah?"], language=JV)
    assert [token.get("word", token["form"]) for token in tokens] == [
        "Adhi",
        "e",
        "maca",
        "buku",
        ".",
        "Sapa",
        "sing",
        "ora",
        "turu",
        "ing",
        "omah",
        "?",
    ]
    assert [token["sent"] for token in tokens] == [1] * 5 + [2] * 7
    assert [token["head"] for token in tokens] == [3, 1, 0, 3, 3, 0, 4, 4, 1, 6, 4, 1]
    assert [token["deprel"] for token in tokens][:5] == ["nsubj", "nmod", "root", "obj", "punct"]
    assert [token["upos"] for token in tokens][:5] == ["NOUN", "PRON", "VERB", "NOUN", "PUNCT"]


def test_the_log_says_what_dt_score_says(shell, model: Path, banks: Path):
    """UAS and LAS of the log are those of the metrics, which are checked against the CoNLL 2018 evaluation."""
    [*_, last] = train(banks, model.parent / "again", epochs=2)
    for upos, names in (("given", ("uas", "las")), ("own", ("uas_own", "las_own"))):
        line = (
            f"dt-convert --from conllu --lang jv {banks}/dev.conllu | dt-parse -q "
            f"--pretokenised --parser biaffine:model={model.parent}/again,upos={upos} | "
            f"dt-score -q --summary -m uas -m las --against {banks}/dev.conllu"
        )
        found = [json.loads(line)["corpus"] for line in shell(line).out.splitlines()]
        assert found == pytest.approx([last[name] for name in names], abs=0.01)


def test_the_same_seed_makes_the_same_model(banks: Path, tmp_path: Path):
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        train(banks, tmp_path / name, epochs=1, seed=seed)
    assert hash_of(tmp_path / "one") == hash_of(tmp_path / "two") != hash_of(tmp_path / "three")


def test_an_interrupted_training_goes_on_to_the_same_model(banks: Path, tmp_path: Path):
    whole = train(banks, tmp_path / "whole", epochs=3)
    broken = training(banks, tmp_path / "broken", epochs=3, go_on=True)
    assert [next(broken).get("epoch") for _ in range(3)] == [None, 1, 2]
    broken.close()
    with pytest.raises(OptionError, match="other settings"):
        train(banks, tmp_path / "broken", epochs=4, go_on=True)
    rest = train(banks, tmp_path / "broken", epochs=3, go_on=True)
    assert hash_of(tmp_path / "broken") == hash_of(tmp_path / "whole")
    for log, resumed in ((rest, 2), (train(banks, tmp_path / "broken", epochs=3, go_on=True), 3)):
        assert log[0] == {**whole[0], "resumed": resumed}
        for record, expected in zip(log[1:], whole[1:], strict=True):
            changed = {"seconds": 0} | ({"model": ""} if "model" in record else {})
            assert {**record, **changed} == {**expected, **changed}
    dev, one = (str(banks / f"{name}.conllu") for name in ("dev", "one"))
    broken = training(banks, tmp_path / "two", epochs=2, train=[dev, one])
    assert [next(broken).get("epoch") for _ in range(2)] == [None, 1]
    broken.close()
    for files, message in (
        ([dev], "one.conllu was .sha256"),
        ([one, dev], "files in another order"),
    ):
        with pytest.raises(OptionError, match=message):
            train(banks, tmp_path / "two", epochs=2, go_on=True, train=files)
    (tmp_path / "whole" / "training.safetensors").unlink()
    with pytest.raises(OptionError, match="holds a model"):
        train(banks, tmp_path / "whole", epochs=3, go_on=True)


def test_a_training_interrupted_in_its_first_epoch_goes_on(
    banks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What it begins with is written first; a folder that cannot be made ends it there."""

    def interrupt(*_) -> None:
        raise RuntimeError("killed")

    train(banks, tmp_path / "whole", epochs=1)
    (tmp_path / "file").touch()
    with monkeypatch.context() as patch:
        patch.setattr(ParserTrainer, "run_epoch", interrupt)
        with pytest.raises(RuntimeError, match="killed"):
            train(banks, tmp_path / "broken", epochs=1)
        with pytest.raises(NotADirectoryError):
            train(banks, tmp_path / "file" / "model", epochs=1)
    rest = train(banks, tmp_path / "broken", epochs=1, go_on=True)
    assert [record.get("epoch") for record in rest] == [None, 1, None] and "resumed" not in rest[0]
    assert hash_of(tmp_path / "broken") == hash_of(tmp_path / "whole")


@pytest.mark.parametrize("data", [b"", b"{}", "half", "model"])
def test_what_is_no_state_of_a_training_is_told(
    model: Path, banks: Path, tmp_path: Path, data: bytes | str
):
    weights = model.joinpath("model.safetensors").read_bytes()
    state = (
        data
        if isinstance(data, bytes)
        else weights[: len(weights) // 2]
        if data == "half"
        else weights
    )
    (tmp_path / "training.safetensors").write_bytes(state)
    with pytest.raises(
        MissingError, match="training.safetensors is damaged, or is not a state of training: "
    ):
        train(banks, tmp_path, go_on=True)


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"network": "attention", "hidden": 7},
            'network="attention".* needs an even number',
        ),
        (
            {"go_on": True, "overwrite": True},
            "go_on=True continues a training, overwrite=True starts again",
        ),
        ({"train": ["a.conllu", "b.conllu", "a.conllu"]}, "'train': a file is given twice"),
        ({"dev": ["a.conllu", "a.conllu"]}, "'dev': a file is given twice"),
    ],
)
def test_what_does_not_go_together_is_told(
    banks: Path, tmp_path: Path, options: dict, message: str
):
    """Before anything is read: there is no a.conllu."""
    with pytest.raises(OptionError, match=message):
        train(banks, tmp_path / "model", **options)


def test_a_training_interrupted_behind_its_last_epoch_has_but_to_say_which_was_best(
    banks: Path, tmp_path: Path
):
    broken = training(banks, tmp_path, epochs=1)
    last = [next(broken), next(broken)][1]
    broken.close()
    rest = train(banks, tmp_path, epochs=1, go_on=True)
    assert [record.get("best") for record in rest] == [None, None, 1] and rest[1] == last


def test_a_parser_of_another_language_is_a_start(model: Path, tmp_path: Path):
    """Words, characters and labels are added; with the same few steps the start shows."""
    blocks = INDONESIAN.read_text(encoding="utf-8").split("\n\n")[:-1]
    for name, part in (("train", blocks[:20]), ("dev", blocks[100:])):
        tmp_path.joinpath(f"{name}.conllu").write_text(
            "".join(f"{block}\n\n" for block in part), encoding="utf-8"
        )
    [*_, scratch] = train(tmp_path, tmp_path / "scratch", epochs=3)
    [*_, further] = train(tmp_path, tmp_path / "further", epochs=3, model=str(model))
    assert further["las"] > scratch["las"] + 5
    old, new = (
        json.loads(folder.joinpath("vocabulary.json").read_text())
        for folder in (model, tmp_path / "further")
    )
    assert all(new[table][: len(old[table])] == old[table] for table in old)
    assert "membaca" in set(new["words"]) - set(old["words"])
    assert f"{model}, weights {hash_of(model)}" in (tmp_path / "further" / "README.md").read_text()
    with pytest.raises(OptionError, match="the parent model has 32"):
        train(tmp_path, tmp_path / "other", model=str(model), hidden=16)


def test_self_attention_learns_as_well(banks: Path, tmp_path: Path):
    log = train(banks, tmp_path / "model", epochs=8, network="attention", learning_rate=0.003)
    assert log[-1]["las"] > 60 > log[1]["las"]


def test_sentences_beside_a_sentence_do_not_matter(model: Path, banks: Path):
    """Neither padding nor batches change a parse."""
    text = banks.joinpath("dev.conllu").read_text(encoding="utf-8")
    texts = [
        line.removeprefix("# text = ") for line in text.splitlines() if line.startswith("# text")
    ]
    parse = registry.load("parsers", f"biaffine:model={model}").call
    texts += ["", " \n", "😀", "Á" * 40, "neither, nor", "猫が寝る。", "a" * 1000]
    together = parse(texts, language=JV)
    assert together == [parse([text], language=JV)[0] for text in texts]
    assert together[-7:-5] == [[], []]
    for text, tokens in zip(texts, together, strict=True):
        assert all(text[token["start"] : token["end"]] == token["form"] for token in tokens)
        assert "".join(token["form"] for token in tokens) == "".join(text.split())


def test_given_parts_of_speech_stay(model: Path):
    annotate = registry.load("parsers", f"biaffine:model={model},upos=given", "annotate").call
    given = [{"form": "maca", "start": 0, "end": 4, "upos": "NOUN", "sent": 1}]
    assert annotate([given], language=JV) == [[{**given[0], "head": 0, "deprel": "root"}]]
    with pytest.raises(RecordError, match='"maca" has no upos'):
        annotate([[{"form": "maca", "start": 0, "end": 4}]], language=JV)


def test_a_model_that_does_not_fit_is_told(model: Path, tmp_path: Path):
    parser = registry.load("parsers", f"biaffine:model={model}")
    with pytest.raises(RecordError, match="is for jv, the record is en"):
        parser.call(["So it goes."], language=languages.get("en"))
    assert parser.call(["Siti turu."], language=languages.get("jv-Latn"))
    for name, change, message in (
        ("older", {"version": 0}, "has version 0; only version 1 is supported"),
        ("other", {"format": "bert"}, "holds no parser of dt-train"),
    ):
        shutil.copytree(model, tmp_path / name)
        config = json.loads(model.joinpath("config.json").read_text())
        (tmp_path / name / "config.json").write_text(json.dumps(config | change))
        with pytest.raises(MissingError, match=message):
            registry.load("parsers", f"biaffine:model={tmp_path / name}").call(
                ["Siti"], language=JV
            )
    with pytest.raises(MissingError, match="no parser in"):
        registry.load("parsers", f"biaffine:model={tmp_path}").call(["Siti"], language=JV)


@pytest.mark.parametrize(
    "name, change, message",
    [
        ("config.json", lambda config: config.pop("version"), "has version null"),
        ("config.json", lambda config: config.pop("sizes"), "KeyError: 'sizes'"),
        (
            "config.json",
            lambda config: config["sizes"].update(other=1),
            "unexpected keyword argument 'other'",
        ),
        ("config.json", lambda config: config.update(pieces=None), "AttributeError"),
        (
            "config.json",
            lambda config: config["pieces"].update(e="y"),
            "config.json has other hashes",
        ),
        ("config.json", lambda config: config.update(hash="00"), "config.json has other hashes"),
        ("vocabulary.json", dict.clear, "KeyError: 'words'"),
        (
            "vocabulary.json",
            lambda tables: tables["words"].append("new"),
            "size mismatch for words.weight: ",
        ),
        (
            "vocabulary.json",
            lambda tables: tables["words"].reverse(),
            "config.json has other hashes",
        ),
    ],
)
def test_a_model_that_is_damaged_is_told(
    model: Path, tmp_path: Path, name: str, change: Callable, message: str
):
    shutil.copytree(model, tmp_path / "model")
    found = json.loads(model.joinpath(name).read_text())
    change(found)
    (tmp_path / "model" / name).write_text(json.dumps(found))
    with pytest.raises(MissingError, match=f"the parser in .*{message}") as error:
        registry.load("parsers", f"biaffine:model={tmp_path}/model").call(
            ["Siti turu."], language=JV
        )
    assert "\n" not in str(error.value)


def test_weights_that_are_damaged_are_told(model: Path, tmp_path: Path):
    weights = model.joinpath("model.safetensors").read_bytes()
    other = bytearray(weights)
    other[-1] ^= 1
    for name, data, message in (
        ("empty", b"", "SafetensorError"),
        ("half", weights[: len(weights) // 2], "Safetensor"),
        ("other", bytes(other), "config.json has other hashes"),
    ):
        shutil.copytree(model, tmp_path / name)
        (tmp_path / name / "model.safetensors").write_bytes(data)
        with pytest.raises(MissingError, match=message):
            models.load(str(tmp_path / name))


def test_a_model_without_hashes_is_read(model: Path, tmp_path: Path):
    """Older ones have none of their vocabulary."""
    shutil.copytree(model, tmp_path / "model")
    config = json.loads(model.joinpath("config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(
        json.dumps({key: value for key, value in config.items() if "hash" not in key})
    )
    assert models.load(str(tmp_path / "model")).config == config


def test_the_parser_works_where_device_says(model: Path):
    import torch

    def call(device: str):
        return registry.load("parsers", f"biaffine:model={model},device={device}").call(
            ["Siti turu."], language=JV
        )

    assert call("cpu") == registry.load("parsers", f"biaffine:model={model}").call(
        ["Siti turu."], language=JV
    )
    there = getattr(torch.accelerator.current_accelerator(), "type", None)
    for name in {"cuda", "mps", "tpu", "meta", "0"} - {there}:
        with pytest.raises(MissingError, match=f"no device '{name}' here"):
            call(name)


def test_a_treebank_of_one_sentence_will_do(banks: Path, tmp_path: Path):
    log = train(banks, tmp_path / "model", train=[str(banks / "one.conllu")], epochs=1)
    assert log[0]["sentences"] == 1 and log[-1]["best"] == 1


ROW = "1\tTuru\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tSiti\t_\tPROPN\t_\t_\t1\tnsubj\t_\t_\n\n"


@pytest.mark.parametrize(
    "text, message",
    [
        (ROW.replace("\tnsubj", "\t_"), 'bad.conllu:1: word 2, "Siti", has no DEPREL'),
        (ROW.replace("1\tnsubj", "_\tnsubj"), "bad.conllu:2: word 2 has no HEAD"),
        (ROW.replace("PROPN", "_"), 'word 2, "Siti", has no UPOS'),
        (ROW.replace("0\troot", "2\troot"), "bad.conllu:1: no root: "),
        (ROW.replace("1\tnsubj", "0\troot"), "bad.conllu:2: two roots"),
        (ROW.replace("1\tnsubj", "7\tnsubj"), "bad.conllu:2: HEAD of word 2 is 7"),
        (ROW.replace("\t", " "), "bad.conllu:1: 1 columns between tabs"),
        ("# nothing\n", "bad.conllu: no sentence"),
    ],
)
def test_what_is_no_tree_is_an_error_with_its_place(
    banks: Path, tmp_path: Path, text: str, message: str
):
    (tmp_path / "bad.conllu").write_text(text)
    for part in ("train", "dev"):
        with pytest.raises(DialtoolsError) as error:
            train(banks, tmp_path / "model", epochs=1, **{part: [str(tmp_path / "bad.conllu")]})
        assert message in str(error.value) and "trees=no" not in str(error.value)
    assert not (tmp_path / "model").exists()


def test_a_training_whose_losses_are_no_numbers_is_told(banks: Path, tmp_path: Path):
    with pytest.raises(
        OptionError, match="diverged in epoch 1 .* a lower ParserRecipe.learning_rate"
    ):
        train(banks, tmp_path / "model", epochs=1, learning_rate=1e30)
    assert not (tmp_path / "model" / "config.json").exists()


def test_any_seed_will_do(banks: Path, tmp_path: Path):
    train(banks, tmp_path / "model", train=[str(banks / "one.conllu")], epochs=1, seed=2**64)
    assert (tmp_path / "model").exists()


def test_what_comes_through_a_pipe_has_no_hash(shell, banks: Path, tmp_path: Path):
    """It is read once, and what is left of it has the hash of nothing."""
    shell(
        f"dt-train parser --train - --dev {banks}/dev.conllu --epochs 1 --hidden 8 --output-dir "
        f"{tmp_path}/model -q < {banks}/one.conllu"
    )
    assert "| train: standard input | no file" in (tmp_path / "model" / "README.md").read_text()


def test_windows_line_ends_make_no_difference(banks: Path, tmp_path: Path):
    path = tmp_path / "crlf.conllu"
    path.write_bytes(banks.joinpath("one.conllu").read_bytes().replace(b"\n", b"\r\n"))
    train(banks, tmp_path / "crlf", train=[str(path)], epochs=1)
    train(banks, tmp_path / "lf", train=[str(banks / "one.conllu")], epochs=1)
    assert hash_of(tmp_path / "crlf") == hash_of(tmp_path / "lf")


def test_a_model_is_not_overwritten_unasked(model: Path, banks: Path):
    with pytest.raises(OptionError, match="give overwrite=True"):
        train(banks, model)


def test_word_vectors_are_used_and_kept(model: Path, banks: Path, tmp_path: Path):
    """The words of the file, seen in training or not, are in the model; another language needs its own."""
    path = tmp_path / "jv.vec"
    path.write_text("4 3\nmaca 1 0 0\nturu 0 1 0\nkucing 0 0 1\nSiti 1 1 0\n", encoding="utf-8")
    train(banks, tmp_path / "model", epochs=1, word_vectors=str(path), model=str(model))
    words = json.loads((tmp_path / "model" / "vocabulary.json").read_text())["vectors"]
    assert words[3:] == ["maca", "turu", "kucing", "Siti"]
    assert registry.load("parsers", f"biaffine:model={tmp_path / 'model'}").call(
        ["kucing turu"], language=JV
    )[0]
    with pytest.raises(OptionError, match="give 'word_vectors' for this language too"):
        train(banks, tmp_path / "other", model=str(tmp_path / "model"))
    for text, message in (
        ("maca 1 0\nturu 1\n", "jv.vec:2: 1 numbers, expected 2 as before"),
        ("2 2\n", "no vectors"),
        ("maca 1 x\n", "jv.vec:1: not a vector"),
        ("maca 1 nan\n", 'jv.vec:1: not a vector: "1 nan"'),
        ("maca\n", 'jv.vec:1: not a vector: ""'),
    ):
        path.write_text(text)
        with pytest.raises(RecordError) as error:
            train(banks, tmp_path / "other", word_vectors=str(path))
        assert message in str(error.value)


def test_states_of_a_transformer_are_used(
    banks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Parsing reads the transformer anew, alone or with others; without it there is no parse."""
    words = tiny_models.tokenizer()
    folder = tiny_models.save(tmp_path / "bert", tiny_models.bert(words), words)
    log = train(banks, tmp_path / "model", epochs=2, transformer=str(folder))
    parse = registry.load("parsers", f"biaffine:model={tmp_path / 'model'}").call
    monkeypatch.chdir(tmp_path)
    train(banks, tmp_path / "further", epochs=1, model=str(tmp_path / "model"))
    train(banks, tmp_path / "near", epochs=1, transformer="bert")
    assert all(
        f"| transformer | {folder} |" in (tmp_path / name / "README.md").read_text()
        for name in ("further", "near")
    )
    texts = ["Siti turu.", "Guru kuwi arep nulis layang lan ibu arep turu ing omah."]
    assert parse(texts, language=JV) == [parse([text], language=JV)[0] for text in texts]
    assert log[-1]["las"] > log[1]["las"]
    with pytest.raises(MissingError):
        train(banks, tmp_path / "other", epochs=1, transformer=str(tmp_path))
    config = tmp_path / "model" / "config.json"
    config.write_text(
        json.dumps(json.loads(config.read_text()) | {"transformer": "nobody/no-model"})
    )
    record = {"id": 1, "lang": "jv", "text": "Siti turu."}
    with pytest.raises(MissingError, match="leave out offline=True"):
        list(dialtools.parse([record], parser=f"biaffine:model={tmp_path / 'model'}", offline=True))
    with pytest.raises(MissingError, match="leave out offline=True"):
        train(banks, tmp_path / "other", epochs=1, transformer="nobody/no-model", offline=True)


def experiment(shell, options: str) -> Path:
    if not all(map(shutil.which, ("make", "jq", "column", "awk"))):
        pytest.skip("needs make, jq, column and awk")
    home = ROOT / "examples" / "javanese-parsing"
    result = shell(
        f"make --no-print-directory --always-make -C {home} {options} OUT=$HOME/out", timeout=600
    )
    assert result.status == 0, result.err
    return Path(result.out.strip().splitlines()[-1].removeprefix("All files are in "))


@pytest.mark.slow
def test_the_experiment_runs_on_a_slice(shell, tmp_path: Path):
    """One seed, and hardly any training: each row of the table is there, from given words and from the text."""
    for lang, path in (("jv", JAVANESE), ("id", INDONESIAN)):
        blocks = path.read_text(encoding="utf-8").split("\n\n")[:50]
        tmp_path.joinpath(f"{lang}.conllu").write_text(
            "".join(f"{block}\n\n" for block in blocks), encoding="utf-8"
        )
    made = experiment(
        shell,
        "all JAVANESE=$HOME/jv.conllu ID=$HOME/id.conllu EN= FR= HR= IT= KO= "
        "SEEDS=1 EPOCHS=2 SOURCE_EPOCHS=2 SIZE='--hidden 16 --batch-size 200'",
    )
    head, *rows = [
        re.split("  +", line) for line in made.joinpath("table.txt").read_text().splitlines()
    ]
    assert head == ["row", "UAS", "LAS", "UAS from text", "LAS from text"]
    assert [row[0] for row in rows] == ["FS", "TL-ID"]
    assert all(0 <= float(cell.split(" ± ")[0]) <= 100 for row in rows for cell in row[1:])
    assert "TL-ID" in made.joinpath("differences.txt").read_text()
    assert made.joinpath("confusion.txt").read_text().split()[:5] == [
        "true",
        "predicted",
        "FS",
        "TL-ID",
        "-",
    ]


def test_the_statistics_of_a_treebank_are_those_counted_here(shell):
    if not all(map(shutil.which, ("make", "column", "awk"))):
        pytest.skip("needs make, column and awk")
    home = ROOT / "examples" / "javanese-parsing"
    made = shell(f"make -s -C {home} statistics JAVANESE=jv.conllu ID=id.conllu OUT=$HOME/out")
    rows = [re.split("  +", line)[-1] for line in made.out.splitlines()[:8]]
    blocks = home.joinpath("jv.conllu").read_text(encoding="utf-8").strip().split("\n\n")
    lines = [line.split("\t") for block in blocks for line in block.splitlines()]
    words = [line for line in lines if line[0].isdigit()]
    labels = {line[7] for line in words}
    specific = sum(":" in label for label in labels)
    assert rows == [
        str(len(blocks)),
        str(len(words)),
        str(len({line[1].lower() for line in words})),
        f"{len(words) / len(blocks):.2f}",
        str(len({line[3] for line in words})),
        str(len(labels) - specific),
        str(specific),
        str(len(labels)),
    ]


def test_bars_are_of_the_best_row_by_las(shell, tmp_path: Path):
    """HTL's best is of BERT, whose UAS is lower; the labels of bars are comments in the picture."""
    if not shutil.which("make"):
        pytest.skip("needs make")
    pytest.importorskip("matplotlib")
    tmp_path.joinpath("best.txt").write_text(
        "embedding  kind  row        UAS                   LAS\n"
        "fastText   FS    FS         75.00 ± 2.21 ± 0.10   68.97 ± 2.39 ± 0.10\n"
        "fastText   HTL   HTL-EN-ID  84.94 ± 1.84          79.22 ± 2.09\n"
        "BERT       HTL   HTL-IT-ID  83.50 ± 1.90          79.50 ± 2.08\n",
        encoding="utf-8",
    )
    home = ROOT / "examples" / "javanese-parsing"
    made = shell(
        f"make -s -C {home} JAVANESE=jv.conllu OUT={tmp_path} -o {tmp_path}/best.txt {tmp_path}/best.svg"
    )
    assert made.status == 0, made.err
    labels = re.findall("<!-- (.+) -->", tmp_path.joinpath("best.svg").read_text(encoding="utf-8"))
    assert [label for label in labels if re.fullmatch(r"\d+\.\d\d", label)] == (
        ["75.00", "83.50", "68.97", "79.50"] + ["84.94", "83.50", "79.22", "79.50"]
    )
    assert [label for label in labels if label in ("FS", "HTL", "fastText", "BERT")] == [
        "FS",
        "HTL",
        "fastText",
        "BERT",
    ]


def test_a_row_of_two_transfers_learns_each_language_in_turn(shell):
    """What make would do for one row: English, Indonesian from English, Javanese from that."""
    if not shutil.which("make"):
        pytest.skip("needs make")
    home = ROOT / "examples" / "javanese-parsing"
    made = shell(
        f"make -n -C {home} JAVANESE=jv.conllu ID=id.conllu EN=en.conllu OUT=new "
        "new/models/HTL-EN-ID.1.jsonl"
    )
    trained = [line.split() for line in made.out.splitlines() if "dt-train" in line]
    told = [
        {
            option: line[line.index(option) + 1]
            for option in ("--output-dir", "--train", "--model")
            if option in line
        }
        for line in trained
    ]
    assert told == [
        {"--output-dir": "new/models/source-EN", "--train": "en.conllu"},
        {
            "--output-dir": "new/models/source-EN-ID",
            "--train": "id.conllu",
            "--model": "new/models/source-EN",
        },
        {
            "--output-dir": "new/models/HTL-EN-ID.1",
            "--train": "new/jv/train.conllu",
            "--model": "new/models/source-EN-ID",
        },
    ]


@pytest.mark.slow
def test_the_fast_setting_of_the_experiment_runs(shell):
    """On our sentences transfer helps beyond doubt; all of them are parsed in the folds."""
    made = experiment(shell, "fast")
    assert "TL-ID is higher than FS in las" in made.joinpath("differences.txt").read_text()
    folds = [line.split() for line in made.joinpath("folds.txt").read_text().splitlines()[1:]]
    assert [row[:3] for row in folds] == [
        [row, metric, "24"] for row in ("FS", "TL-ID") for metric in ("uas", "las")
    ]


def test_what_is_too_long_for_a_sentence_is_told_or_cut(model: Path):
    """A text of many words without an end, and words that are given as one sentence."""
    parser = registry.load("parsers", f"biaffine:model={model}")
    [tokens] = parser.call(["turu " * 450], language=JV)
    assert len(tokens) == 450 and tokens[-1]["sent"] >= 3
    given = [{"form": "turu", "start": 5 * i, "end": 5 * i + 4, "sent": 1} for i in range(501)]
    with pytest.raises(RecordError, match="a sentence of 501 words, at most 500 are supported"):
        registry.load("parsers", f"biaffine:model={model}", "annotate").call([given], language=JV)
