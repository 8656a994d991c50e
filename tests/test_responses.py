"""Metrics of responses in a dialogue, NSP, Deep AM-FM and RUBER: against plain transformers, and by hand.

The models are tiny ones with random weights (tiny_models.py).
"""

import json
import math
import shutil
from pathlib import Path

import pytest
import tiny_models
from tiny_models import TEXTS, save

import dialtools
from dialtools.metrics import am_fm, nsp, ruber
from dialtools.models import checkpoints, folders, scorers
from dialtools.system.errors import MissingError, OptionError, RecordError

TURNS = [
    {"speaker": "Ann", "text": TEXTS[0]},
    {"speaker": "Bob", "text": " "},
    {"speaker": "Ann", "text": "Bob?"},
]
RECORD = {
    "id": 1,
    "lang": "en",
    "dialogue": TURNS,
    "reference": ["Yes, at ten.", "No."],
    "prediction": "Sure, at ten.",
}
VECTORS = "4 2\nyes 1 0\nno 0 -1\nten 3 4\nsure 1 1\n"


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with models: nsp, pairs (a classifier), bert, gpt2, and a file of word vectors."""
    from transformers import BertConfig, BertForNextSentencePrediction

    place = tiny_models.folder(tmp_path_factory.mktemp("models"))
    words = tiny_models.tokenizer()
    bert = tiny_models.bert(words)
    tiny_models.ready(6)
    config = BertConfig(**bert.config.to_dict() | {"initializer_range": 0.4})
    save(place / "nsp", BertForNextSentencePrediction(config), words)
    save(place / "pairs", tiny_models.classifier(words, ["other", "next"]), words)
    save(place / "bert", bert, words)
    (place / "vectors.txt").write_text(VECTORS)
    return place


def read(place: Path, what: str, *texts: str, words: bool = True):
    """Return what a model makes of a text or a pair, as transformers loads and runs it."""
    import torch
    import transformers

    with checkpoints.hushed(), torch.inference_mode():
        tokens = transformers.AutoTokenizer.from_pretrained(place)(*texts, return_tensors="pt")
        return getattr(transformers, what).from_pretrained(place).eval()(**tokens)


def next_one(place: Path, before: str, text: str) -> float:
    return float(
        read(place, "BertForNextSentencePrediction", before, text).logits.softmax(-1)[0, 0]
    )


def test_nsp_is_that_of_plain_transformers(folder: Path):
    """Of the whole dialogue, turns without text left out, or of its last turn."""
    spec = f"nsp:model={folder}/nsp"
    made = next(dialtools.score([RECORD], metric=[spec, f"{spec},turns=1"]))["scores"]
    expected = [
        next_one(folder / "nsp", before, RECORD["prediction"])
        for before in (f"{TEXTS[0]} Bob?", "Bob?")
    ]
    assert list(made.values()) == pytest.approx(expected, abs=1e-5) and expected[
        0
    ] != pytest.approx(expected[1])
    as_text = {**RECORD, "dialogue": f"Ann: {TEXTS[0]}\nBob: \nAnn: Bob?"}
    assert next(dialtools.score([as_text], metric=[spec]))["scores"] == {
        spec: pytest.approx(expected[0], abs=1e-5)
    }


def test_nsp_cuts_what_was_said_first(folder: Path):
    """As many tokens of the first turns go as are too many; it says so."""
    import torch
    import transformers

    given = {"model": str(folder / "nsp"), "device": "cpu"}
    before, text = " ".join(TEXTS * 3), "Sure."
    dialogues = [[{"speaker": "Ann", "text": before}]]
    with pytest.raises(RecordError, match="positions for 96: long=truncate"):
        nsp.score([text], dialogues, **given)
    words = transformers.AutoTokenizer.from_pretrained(folder / "nsp")
    one, other = (words(part, add_special_tokens=False)["input_ids"] for part in (before, text))
    with checkpoints.hushed(), torch.inference_mode():
        ids = [0, *one[-(96 - 3 - len(other)) :], 2, *other, 2]
        model = transformers.BertForNextSentencePrediction.from_pretrained(folder / "nsp").eval()
        expected = float(model(torch.tensor([ids])).logits.softmax(-1)[0, 0])
    found = nsp.score([text], dialogues, long="truncate", **given)
    assert len(ids) == 96 and found == pytest.approx([expected], abs=1e-5)
    assert nsp.counts([text, text], [*dialogues, "Ann: Hi"], long="truncate", **given) == [
        {"truncated": 1},
        {},
    ]
    with pytest.raises(RecordError, match="the text alone has"):
        nsp.score([before], dialogues, long="truncate", **given)


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({"model": ""}, OptionError, "which model"),
        ({"turns": -1}, OptionError, "0 or more"),
        ({"model": "{}/bert"}, MissingError, "no weights that fit"),
    ],
)
def test_what_nsp_cannot_do(folder: Path, given: dict, error: type, message: str):
    given = {"model": str(folder / "nsp")} | given | {"device": "cpu"}
    with pytest.raises(error, match=message):
        nsp.score(["Hi"], [TURNS], **given | {"model": given["model"].format(folder)})
    with pytest.raises(RecordError, match="no turn that"):
        nsp.score(["Hi"], ["Ann: "], model=str(folder / "nsp"))


def vector(place: Path, text: str):
    """Return the mean of the last states, of length 1."""
    state = read(place, "BertModel", text).last_hidden_state[0].mean(0).double()
    return state / state.norm()


def loss(place: Path, text: str) -> float:
    """Return the mean loss of the tokens of a text behind the token that begins it."""
    import torch
    import transformers

    with checkpoints.hushed(), torch.inference_mode():
        words = transformers.AutoTokenizer.from_pretrained(place)
        ids = torch.tensor([[0, *words(text)["input_ids"]]])
        return float(
            transformers.AutoModelForCausalLM.from_pretrained(place).eval()(ids, labels=ids).loss
        )


def test_am_fm_by_hand(folder: Path):
    """Each part takes its best of two references: (AM + FM) / 2, and each alone."""
    own, one, other = RECORD["prediction"], *RECORD["reference"]
    vectors = {text: vector(folder / "bert", text) for text in (own, one, other)}
    chances = {text: 1 / math.exp(loss(folder / "gpt2", text)) for text in (own, one, other)}
    am = max(float(vectors[own] @ vectors[text]) for text in (one, other))
    fm = max(
        min(chances[own], chances[text]) / max(chances[own], chances[text]) for text in (one, other)
    )
    models = f"model={folder}/bert,lm={folder}/gpt2"
    labels = [
        f"am_fm:{models}",
        f"am_fm:{models},weight=0.8",
        f"am_fm:model={folder}/bert,weight=1",
        f"am_fm:lm={folder}/gpt2,weight=0",
    ]
    made = next(dialtools.score([RECORD], metric=labels))["scores"]
    expected = [am / 2 + fm / 2, 0.8 * am + 0.2 * fm, am, fm]
    assert [made[label] for label in labels] == pytest.approx(expected, abs=1e-5)
    assert am != pytest.approx(fm, abs=0.01)


def test_am_fm_of_what_is_empty_or_the_same(folder: Path):
    given = {"model": str(folder / "bert"), "lm": str(folder / "gpt2"), "device": "cpu"}
    assert am_fm.score(["", "Hi", "Hi"], [[""], ["Hi"], [" "]], **given) == pytest.approx([0, 1, 0])
    assert am_fm.score([], [], **given) == []


def test_am_fm_beside_the_dialogue_and_what_is_cut(folder: Path):
    spec = f"am_fm:model={folder}/bert,lm={folder}/gpt2,against=dialogue"
    record = {**RECORD, "dialogue": [{"speaker": "Ann", "text": " ".join(TEXTS * 3)}]}
    with pytest.raises(RecordError, match="long=truncate"):
        list(dialtools.score([record], metric=[spec]))
    made = next(dialtools.score([record], metric=[f"{spec},long=truncate"]))
    assert (
        made["history"][-1]["counts"]["truncated"] == 1
        and -1 < made["scores"][f"{spec},long=truncate"] < 1
    )


@pytest.mark.parametrize(
    "given, message",
    [
        ({"model": ""}, "which sentence encoder"),
        ({"lm": ""}, "which language model"),
        ({"weight": 1.5}, "from 0 to 1"),
        ({"lm": "{}/bart"}, "lm is a causal model"),
    ],
)
def test_what_am_fm_cannot_do(folder: Path, given: dict, message: str):
    given = {"model": f"{folder}/bert", "lm": f"{folder}/gpt2", "device": "cpu"} | given
    with pytest.raises(OptionError, match=message):
        am_fm.score(["Hi"], [["Hi"]], **given | {"lm": given["lm"].format(folder)})


# The vectors of VECTORS: of "sure, at ten" the largest numbers are (3, 4) and the smallest (1, 1), of "yes, at ten"
# (3, 4) and (1, 0), of "no" (0, -1) twice; "at" has none.
COSINE = (9 + 16 + 1) / math.sqrt((9 + 16 + 1 + 1) * (9 + 16 + 1))


def test_ruber_by_hand(folder: Path):
    lines = f"Ann: {TEXTS[0]}\nBob:  \nAnn: Bob?"
    chance = float(
        read(
            folder / "pairs", "BertForSequenceClassification", lines, RECORD["prediction"]
        ).logits.softmax(-1)[0, 1]
    )
    scaled = (COSINE - 0.5) / 0.5, (chance - 0.001) / 0.998
    spec = f"ruber:model={folder}/pairs,label=next,vectors={folder}/vectors.txt,cosines=0.5:1,probabilities=0.001:0.999"
    expected = {
        "min": min(scaled),
        "max": max(scaled),
        "mean": sum(scaled) / 2,
        "geometric": math.sqrt(scaled[0] * scaled[1]),
        "referenced": COSINE,
        "unreferenced": chance,
    }
    made = next(dialtools.score([RECORD], metric=[f"{spec},combine={name}" for name in expected]))
    assert made["scores"] == {
        f"{spec},combine={name}": pytest.approx(value, abs=1e-5) for name, value in expected.items()
    }
    assert (
        made["history"][-1]["counts"]["no_vector"] == 2
    )  # "at", in the prediction and in a reference


def test_bert_ruber_takes_the_embedding_of_the_text(folder: Path):
    cosine = float(vector(folder / "bert", "Sure.") @ vector(folder / "bert", "Yes."))
    given = {"encoder": str(folder / "bert"), "combine": "referenced", "device": "cpu"}
    assert ruber.score(["Sure.", ""], [["Yes."], ["Yes."]], **given) == pytest.approx(
        [cosine, 0], abs=1e-6
    )


def test_ruber_reads_what_a_trained_scorer_reads(folder: Path, tmp_path: Path):
    """That is the folder's own pair, with tokens for speakers, whatever `query` says; `of` is the response."""
    manner = scorers.Manner(
        "label", ["other", "next"], pair=["dialogue", "prediction"], speakers=["Ann"]
    )
    shutil.copytree(folder / "pairs", tmp_path / "scorer")
    (tmp_path / "scorer" / folders.HABITS).write_bytes(scorers.dumps(manner))
    spec = f"ruber:model={tmp_path}/scorer,label=next,combine=unreferenced,of=context"
    lines = f"<speaker:Ann>: {TEXTS[0]}\n<speaker>:  \n<speaker:Ann>: Bob?"
    chance = float(
        read(folder / "pairs", "BertForSequenceClassification", lines, "At ten.").logits.softmax(
            -1
        )[0, 1]
    )
    made = next(dialtools.score([RECORD | {"context": "At ten."}], metric=[spec]))
    assert made["scores"] == {spec: pytest.approx(chance, abs=1e-5)}
    (tmp_path / "scorer" / folders.HABITS).write_bytes(
        scorers.dumps(manner._replace(pair=["dialogue", "reference"]))
    )
    with pytest.raises(OptionError, match="--pair dialogue,prediction"):
        list(dialtools.score([RECORD], metric=[spec.replace(",of=context", "")]))


def test_ruber_with_another_query(folder: Path):
    chance = float(
        read(folder / "pairs", "BertForSequenceClassification", "Which?", "At ten.").logits.softmax(
            -1
        )[0, 0]
    )
    spec = f"ruber:model={folder}/pairs,label=other,combine=unreferenced,query=context"
    record = {"id": 1, "lang": "en", "context": "Which?", "prediction": "At ten."}
    assert next(dialtools.score([record], metric=[spec]))["scores"] == {
        spec: pytest.approx(chance, abs=1e-5)
    }
    with pytest.raises(RecordError, match="a query is a text or a dialogue"):
        list(
            dialtools.score([record | {"ask": ["Which?"]}], metric=[spec.replace("context", "ask")])
        )


@pytest.mark.parametrize(
    "given, message",
    [
        ({"label": ""}, "which model, and which label"),
        ({"vectors": ""}, "vectors=FILE, or of encoder=PATH"),
        ({"cosines": "1:0"}, "the lower first"),
        ({"cosines": "0.5"}, "two numbers"),
        ({"probabilities": "nan:1"}, "lower"),
        ({"label": "nex"}, "did you mean next"),
    ],
)
def test_what_ruber_cannot_do(folder: Path, given: dict, message: str):
    given = {
        "model": f"{folder}/pairs",
        "label": "next",
        "vectors": f"{folder}/vectors.txt",
        "device": "cpu",
    } | given
    with pytest.raises(OptionError, match=message):
        ruber.score(["Sure."], [["Yes."]], [TURNS], **given)


def test_the_pairs_of_the_docstring_of_ruber(shell, tmp_path: Path):
    """Each response, and that of the dialogue before in its place; both are of one cluster."""
    said = [
        {"id": number, "lang": "en", "dialogue": f"Ann: {number}?\nBob: {number}!"}
        for number in (1, 2, 3)
    ]
    dialtools.write(said, tmp_path / "train.jsonl")
    lines = ruber.__doc__.partition("\n    dt-convert")[2].partition("    dt-train")[0]
    done = shell(f"dt-convert{lines.replace('TRAIN', '-q train.jsonl')}cat pairs.jsonl")
    made = [json.loads(line) for line in done.out.splitlines()]
    assert [
        (one["id"], one["cluster"], one["dialogue"], one["prediction"], one["label"])
        for one in made
    ] == [
        (1, "1", "Ann: 1?", "1!", "next"),
        ("1-other", "1", "Ann: 1?", "3!", "other"),
        (2, "2", "Ann: 2?", "2!", "next"),
        ("2-other", "2", "Ann: 2?", "1!", "other"),
        (3, "3", "Ann: 3?", "3!", "next"),
        ("3-other", "3", "Ann: 3?", "2!", "other"),
    ], done.err
