"""dt-train generator --vary and --objective: variants drawn by the filters, and losses that reach the model."""

import json
from pathlib import Path
from typing import Any

import pytest
import samples
import tiny_models

import dialtools
from dialtools.models import checkpoints
from dialtools.models.folders import Checkpoint
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError
from dialtools.training import variation
from dialtools.training.recipe import Reading, Recipe

NAMES = ["Ann", "Bob", "Carl", "Dora", "Eve", "Finn", "Gail", "Hugh"]
RECORDS = [
    {
        "id": number,
        "lang": "en",
        "dialogue": f"{one}: Hi {other}, can you bring the tickets?\n{other}: Yes, {one}.",
        "reference": f"{one} asks {other} for tickets.",
    }
    for number, (one, other) in enumerate(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
]


def drawn(
    specs: Any, epoch: int, variants: int = 2, seed: int = 1, records: list[dict] = RECORDS
) -> list[list[dict]]:
    return list(variation.epochs(specs, variants, seed)(records)(epoch))


def test_names_are_drawn_as_dt_swap_names_draws_them():
    """The record itself, and what the filter makes with a seed of the epoch's own."""
    for epoch in (0, 1):
        rows = drawn("names:pool=frequent", epoch, variants=3)
        assert [row[0] for row in rows] == RECORDS
        for number in (1, 2):
            seed = stable_hash.digest(1, "vary", epoch, number)
            assert [row[number] for row in rows] == list(
                dialtools.swap_names(RECORDS, pool="frequent", seed=seed)
            )
    texts = {
        json.dumps(row[1]["dialogue"]) for epoch in range(4) for row in drawn("names", epoch)[:1]
    }
    assert len(texts) == 4, "each epoch has its own"
    assert drawn("names", 2) == drawn("names", 2) != drawn("names", 2, seed=2)
    assert drawn("names", 1, records=RECORDS[3:5]) == drawn("names", 1)[3:5], (
        "whatever the other records are"
    )


def test_the_pool_of_the_training_data():
    found = {
        turn.partition(":")[0]
        for row in drawn("names:pool=train,gender=no", 0, variants=4)
        for made in row[1:]
        for turn in made["dialogue"].splitlines()
    }
    assert found <= {*NAMES} and len(found) > 5
    with pytest.raises(OptionError, match="has no names of speakers, only roles or placeholders"):
        drawn(
            "names:pool=train",
            0,
            records=[{"id": 1, "lang": "en", "dialogue": "#Person1#: Hi", "reference": "Hi"}],
        )


def test_one_of_a_family_is_drawn_for_each_variant():
    kinds = {
        made["variant"].partition(":")[0] for epoch in range(4) for _, made in drawn("typo", epoch)
    }
    assert len(kinds) > 2 and all(kind.startswith("typo.") for kind in kinds)
    assert "typo.contraction" not in kinds, "which changes nothing here"


def test_several_are_applied_one_after_the_other():
    (_, made), *_ = drawn(["names", "typo.case:rate=1"], 0)
    assert [entry["by"] for entry in made["history"]] == ["dt-swap-names", "dt-perturb"]
    assert made["variant"].startswith("names:1/typo.case")


@pytest.mark.parametrize(
    "spec, message",
    [
        (
            "names:pol=train",
            r"names has no option 'pol' \(did you mean pool\?\); it has pool, gender, roles",
        ),
        ("names:gender=maybe", "names: gender is yes or no, not 'maybe'"),
        (
            "typoo",
            r"no perturbation is called 'typoo' \(did you mean typo\?\); there are",
        ),
    ],
)
def test_what_cannot_be_drawn(spec: str, message: str):
    with pytest.raises(OptionError, match=message):
        drawn(spec, 0)
    with pytest.raises(OptionError, match="there are at least 2 variants"):
        drawn("names", 0, variants=1)


@pytest.fixture
def files(tmp_path: Path, torch) -> dict[str, Any]:
    """Return what a training of a tiny model asks for."""
    for name, records in (("train", RECORDS[:6]), ("dev", RECORDS[6:])):
        (tmp_path / f"{name}.jsonl").write_text(samples.lines(records))
    return {
        "train": str(tmp_path / "train.jsonl"),
        "dev": str(tmp_path / "dev.jsonl"),
        "output_dir": str(tmp_path / "model"),
        "model": "tiny:layers=1,hidden=16,heads=2,vocabulary=400",
        "recipe": Recipe(epochs=2, batch_size=6),
        "reading": Reading(max_new_tokens=8, dev_outputs=1),
        "allow_blind": True,
    }


@pytest.mark.parametrize("kind", ["seq2seq", "causal"])
def test_objectives_add_up_and_an_embedding_comes_with_the_folder(torch, files: dict, kind: str):
    seen = []

    def small(batch: Any, outputs: Any, model: Any) -> Any:
        seen.append(sorted(batch.groups.tolist()))
        return sum((weight**2).sum() for weight in model.parameters()) * 1e-6

    files["model"] += f",kind={kind}"
    about, *epochs, best = dialtools.train_generator(
        objective=["attention", "states:weight=10", "emb", small],
        vary=["names:pool=frequent"],
        variants=3,
        **files,
    )
    assert about["examples"] == 18 and about["objectives"] == [
        "attention",
        "states:weight=10",
        "emb",
        "small",
    ]
    assert all(len(groups) % 3 == 0 and groups[::3] == groups[2::3] for groups in seen), (
        "variants stand together"
    )
    for epoch in epochs:
        added = epoch["objectives"]
        assert added["emb"] == 0 and all(
            added[label] > 0 for label in ("attention", "states:weight=10", "small")
        )
    _, model = checkpoints.network(
        checkpoints.CLASSES[kind], Checkpoint(files["output_dir"]), "cpu", "float32"
    )
    assert (model.speaker_embedding.weight != 0).any(1).all(), "both rows have learned"
    (made,) = dialtools.generate(
        RECORDS[:1], model=files["output_dir"], decoding=dialtools.Decoding(max_new_tokens=4)
    )
    assert isinstance(made["prediction"], str)


def test_a_prediction_is_no_target_where_names_are_drawn(files: dict):
    files["reading"] = Reading(target="prediction")
    with pytest.raises(OptionError, match="names of 'vary' renames no predictions"):
        next(dialtools.train_generator(vary="names:pool=train", **files))


def test_an_adapter_brings_the_embedding_along(torch, files: dict, tmp_path: Path):
    pytest.importorskip("peft")
    words = tiny_models.tokenizer()
    files["model"] = tiny_models.save(tmp_path / "bart", tiny_models.bart(words), words)
    list(
        dialtools.train_generator(
            objective=["emb"],
            **{**files, "recipe": Recipe(epochs=1, batch_size=2, lora=2, learning_rate=0.05)},
        )
    )
    _, model = checkpoints.network(
        checkpoints.CLASSES["seq2seq"], Checkpoint(files["output_dir"]), "cpu", "float32"
    )
    assert (model.speaker_embedding.weight != 0).any(1).all()
    (made,) = dialtools.generate(
        RECORDS[:1], model=files["output_dir"], decoding=dialtools.Decoding(max_new_tokens=4)
    )
    assert isinstance(made["prediction"], str)
    with pytest.raises(
        OptionError,
        match="attribute changes the input embeddings, which Recipe.lora does not train",
    ):
        list(
            dialtools.train_generator(
                objective=["attribute"], **{**files, "recipe": Recipe(lora=2), "overwrite": True}
            )
        )


def test_objectives_that_cannot_work(torch, files: dict, tmp_path: Path):
    for weight in ("-1", "nan"):
        with pytest.raises(
            OptionError, match=f"states:weight={weight}: weight is a number from 0, not {weight}"
        ):
            list(dialtools.train_generator(objective=[f"states:weight={weight}"], **files))
    with pytest.raises(
        OptionError,
        match="attention compares the variants of a record, and no id is in 'train' twice",
    ):
        list(dialtools.train_generator(objective=["attention"], **files))
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(
        samples.lines(
            [
                {**record, "lang": lang}
                for record, lang in zip(RECORDS, ["en", "fr"] * 3, strict=False)
            ]
        )
    )
    with pytest.raises(
        OptionError, match="target is for texts of one language, and 'train' has en, fr"
    ):
        list(
            dialtools.train_generator(
                objective=["target"], **{**files, "train": str(mixed), "overwrite": True}
            )
        )
