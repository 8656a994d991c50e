"""examples/alignment: plausibility of triples, mentions in their sentence, what is frozen, and concepts with one or two names."""

import argparse
import json
import shutil
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import tiny_models
from conftest import ROOT

HOME = ROOT / "examples" / "alignment"
torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def align() -> ModuleType:
    spec = spec_from_file_location("align", HOME / "align.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules["align"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(align: ModuleType, tmp_path_factory: pytest.TempPathFactory):
    words = tiny_models.tokenizer(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    words.mask_token = "<mask>"
    place = tmp_path_factory.mktemp("model")
    return align.Aligned(tiny_models.save(place, tiny_models.masked(words), words), "", 8, 2)


def test_plausibility_of_triples_is_that_of_the_papers(align: ModuleType):
    """TransE by its distance; ComplEx by complex numbers: Re(<head, relation, conjugate of tail>)."""
    torch.manual_seed(1)
    head, relation, tail = torch.randn(3, 5, 8)
    distance = [sum(abs(x) for x in row) for row in (head + relation - tail).tolist()]
    assert align.plausibility("transe", head, relation, tail).neg().tolist() == pytest.approx(
        distance, abs=1e-5
    )
    h, r, t = (torch.complex(*part.chunk(2, dim=-1)) for part in (head, relation, tail))
    expected = (h * r * t.conj()).sum(-1).real.tolist()
    assert align.plausibility("complex", head, relation, tail).tolist() == pytest.approx(
        expected, abs=1e-5
    )


def test_a_mention_is_the_mean_of_its_tokens_in_the_sentence(model):
    text, span = "Ann: Which room? See you.", (5, 15)
    read = model.read(["Thanks", text], [(0, 6), span])[1]
    batch = model.tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
    [offsets] = batch.pop("offset_mapping").tolist()
    states = model.lm.base_model(**batch).last_hidden_state[0]
    # a token may begin with the space before the word
    inside = [n for n, (start, end) in enumerate(offsets) if start < 15 and end > 5]
    assert "".join(text[slice(*offsets[n])] for n in inside).strip() == text[slice(*span)]
    assert read.tolist() == pytest.approx(states[inside].mean(0).tolist(), abs=1e-5)


def test_half_of_an_encoder_is_its_embeddings_and_lower_layers(align: ModuleType, model):
    def trained(text: str) -> set[str]:
        model.requires_grad_(True)
        align.freeze(model, text, "none")
        return {name for name, weight in model.named_parameters() if weight.requires_grad}

    everything, half, nothing = map(trained, ("none", "half", "all"))
    assert nothing == {"map.weight", "relations.weight"} < half < everything
    assert not any(".embeddings.word" in name for name in half)


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_of_two_names_one_is_for_the_test_and_one_name_is_learned(shell, tmp_path: Path):
    rows = ["C1|ENG|||||||||||||a||||", "C2|ENG|||||||||||||b||||", "C2|FRE|||||||||||||c||||"]
    rows += [f"C3|ENG|||||||||||||{name}||||" for name in "aef"]
    (tmp_path / "MRCONSO.RRF").write_text("".join(f"{row}\n" for row in rows))
    out = tmp_path / "out"
    result = shell(f"make -s PAPER=1 DATA={tmp_path} OUT={out} {out}/names.jsonl", cwd=HOME)
    assert result.status == 0, result.err
    names = [json.loads(line) for line in (out / "names.jsonl").read_text().splitlines()]
    parts = {(name["node"], name["text"]): name["part"] for name in names}
    assert parts == {
        ("C1", "a"): "train",
        ("C2", "b"): "test",
        ("C2", "c"): "train",
        ("C3", "a"): "test",
        ("C3", "e"): "dev",
        ("C3", "f"): "train",
    }
    # a name of two concepts may lead to either
    assert {tuple(name["reference"]) for name in names if name["text"] == "a"} == {("C1", "C3")}


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_facts_of_biolama_and_mentions_of_mantra_are_asked_for(shell, tmp_path: Path):
    """Objects of MeSH lead to concepts, genes to none; a mention in two pieces goes from the first to the last."""
    import_module("paper_trees.alignment").fill(tmp_path)
    out = tmp_path / "out"
    result = shell(f"make -s PAPER=1 DATA={tmp_path} OUT={out} {out}/asked.jsonl", cwd=HOME)
    assert result.status == 0, result.err
    asked = [json.loads(line) for line in (out / "asked.jsonl").read_text().splitlines()]
    mentions = [one for one in asked if one["id"].startswith("mantra/Spanish/EMEA")]
    assert [
        (one["lang"], one["text"][slice(*one["mention"])], one["reference"]) for one in mentions
    ] == [("es", "mano", "C2"), ("es", "mano, ¡ay!, la mano derecha", "C3")]
    assert mentions[0]["asked"] == "concepts" and "\n" in mentions[0]["text"]
    prompts = [json.loads(line) for line in (out / "prompts.jsonl").read_text().splitlines()]
    facts = [one for one in prompts if one["id"].startswith("biolama/")]
    assert facts[0]["text"] == "Drug D1 prevents [MASK] ."
    assert facts[0]["names"] == ["abc1", "knee pain", "knee pains", "sore knee"]
    assert [one["nodes"] for one in facts] == [["C090"], [], ["C0000007"]]
    in_graph = [one["id"] for one in asked if one["asked"] == "in graph"]
    assert [id for id in in_graph if "biolama" in id] == [
        "biolama/D1-CD1/node",
        "biolama/D3-CD1/node",
    ]
    assert len(in_graph) == 4  # those of MedLAMA, too


def test_a_language_is_left_out_of_what_is_learned(align: ModuleType, tmp_path: Path):
    (tmp_path / "triples").write_text("a\tr\tb\n")
    record = {"node": "a", "part": "train", "mention": [0, 1]}
    with open(tmp_path / "names", "w", encoding="utf-8") as file:
        for lang in ("en", "fr"):
            file.write(json.dumps(record | {"lang": lang, "text": lang}) + "\n")
    files = {
        "triples": tmp_path / "triples",
        "names": tmp_path / "names",
        "mentions": tmp_path / "names",
    }
    data = align.Data(argparse.Namespace(**files, without="fr"))
    assert dict(data.names) == {0: ["en"]} and [text for text, _, _ in data.mentions] == ["en"]
