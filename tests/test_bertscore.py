"""bertscore against the package bert-score, called with one pair at a time, and by hand."""

import json
import math
import random
import shutil
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import samples
import tiny_models

import dialtools
from dialtools import languages
from dialtools.evaluation import scorer as scorers
from dialtools.metrics import bertscore
from dialtools.models import encoders, readers
from dialtools.models.checkpoints import Place
from dialtools.system.errors import MissingError, OptionError, RecordError

pytestmark = pytest.mark.filterwarnings("default")  # those of torch and transformers are theirs
LAYER = 4


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of a BERT of 96 positions, with [CLS] and [SEP] by name; it has one layer."""
    pytest.importorskip("torch")
    words = tiny_models.tokenizer()
    words.cls_token, words.sep_token = "<s>", "</s>"
    return tiny_models.save(tmp_path_factory.mktemp("tiny"), tiny_models.bert(words), words)


JAVANESE = [
    "Sugeng enjing, kepriye kabare?",
    "Aku arep lunga menyang pasar.",
    "Kowe wis mangan durung?",
]


def pairs(lang: str, number: int = 12) -> list[tuple[str, str]]:
    texts = [text for _, text in samples.TURNS[lang]] if lang in samples.TURNS else list(JAVANESE)
    texts += [" ".join(texts[:2]), texts[0][:5], f"  {texts[1]}\n", "…", texts[0] + " 👍🏽"]
    rng = random.Random(3)
    return [(rng.choice(texts), rng.choice(texts)) for _ in range(number)]


def scores(spec: str, given: list[tuple[str, str]], lang: str = "en") -> list[float]:
    return scorers.of(spec, lang).values([one for one, _ in given], [[other] for _, other in given])


@pytest.fixture(scope="module")
def package(minilm: str) -> Callable[[str, str], list[float]]:
    """Return the package's scores of a pair by itself: P, R, F1."""
    pytest.importorskip("bert_score")
    scorer = bertscore.package(minilm, LAYER, "cpu", True)
    return lambda one, other: [part.item() for part in scorer.score([one], [other])]


@pytest.mark.parametrize("lang", [*samples.TURNS, "jv"])
def test_equal_to_the_package(lang: str, minilm: str, package: Callable):
    given = [pair for pair in pairs(lang) if all(map(str.strip, pair))]
    expected = [package(*pair) for pair in given]
    for at, value in enumerate("prf"):
        found = scores(f"bertscore:model={minilm},layer={LAYER},value={value}", given, lang)
        assert found == pytest.approx([row[at] for row in expected], abs=1e-6)


def test_ctranslate2_agrees(made_here, minilm: str, package: Callable):
    given = pairs("en")
    spec = f"bertscore:model={minilm},layer={LAYER},engine=ctranslate2"
    assert scores(spec, given) == pytest.approx([package(*pair)[2] for pair in given], abs=1e-6)
    assert "|ctranslate2:" in scorers.of(spec, "en").signature()


@pytest.mark.parametrize(
    "kind, sizes",
    [
        (
            "Roberta",
            {
                "num_hidden_layers": 2,
                "hidden_size": 32,
                "num_attention_heads": 2,
                "intermediate_size": 32,
                "max_position_embeddings": 42,
            },
        ),  # two of which are for padding
        (
            "Longformer",
            {
                "num_hidden_layers": 2,
                "hidden_size": 32,
                "num_attention_heads": 2,
                "intermediate_size": 32,
                "max_position_embeddings": 42,
                "attention_window": [8, 8],
            },
        ),  # one for each layer
        (
            "DistilBert",
            {
                "n_layers": 2,
                "dim": 32,
                "n_heads": 2,
                "hidden_dim": 32,
                "max_position_embeddings": 40,
            },
        ),
    ],
)
def test_other_kinds_of_encoders(kind: str, sizes: dict, tmp_path: Path):
    """Each layer of tiny ones, with texts that are too long, against the package."""
    bert_score, transformers = (
        pytest.importorskip("bert_score"),
        pytest.importorskip("transformers"),
    )
    words = tiny_models.tokenizer()
    words.cls_token, words.sep_token, words.model_max_length = "<s>", "</s>", 40
    config = getattr(transformers, f"{kind}Config")(vocab_size=len(words), pad_token_id=1, **sizes)
    folder = tiny_models.save(tmp_path, getattr(transformers, f"{kind}Model")(config), words)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    given = [
        (one, other)
        for one in tiny_models.TEXTS[:3]
        for other in [*tiny_models.TEXTS[3:5], "so " * 60]
    ]
    for layer in range(3):
        scorer = bert_score.BERTScorer(model_type=folder, num_layers=layer, device="cpu")
        expected = [scorer.score([one], [other])[2].item() for one, other in given]
        assert scores(f"bertscore:model={folder},layer={layer}", given) == pytest.approx(
            expected, abs=1e-6
        )
    del settings["model_max_length"]  # the positions are as many as before
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    encoders.encoder.cache_clear()
    assert scores(f"bertscore:model={folder},layer=2", given) == pytest.approx(expected, abs=1e-6)


def test_a_layer_before_the_last_is_that_of_the_whole_model(tmp_path: Path):
    """What a DeBERTa of two layers has a list of is no layer's: both have both."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    words, text = tiny_models.tokenizer(), tiny_models.TEXTS[0]
    tiny_models.ready()
    model = transformers.DebertaV2Model(
        transformers.DebertaV2Config(
            vocab_size=len(words),
            num_hidden_layers=2,
            hidden_size=32,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=96,
            relative_attention=True,
            position_biased_input=False,
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            type_vocab_size=0,
            pad_token_id=1,
            initializer_range=0.4,
        )
    ).eval()
    folder = tiny_models.save(tmp_path, model, words)
    with torch.inference_mode():
        expected = (
            model(**words(text, return_tensors="pt"), output_hidden_states=True)
            .hidden_states[1][0]
            .numpy()
        )
    assert encoders.encoder(folder, layer=1).read([text])[text].states == pytest.approx(
        expected, abs=1e-5
    )


def test_the_package_itself(minilm: str, package: Callable):
    given = [*pairs("en", 4), ("", "a"), ("a", " ")]
    spec = f"bertscore:model={minilm},layer={LAYER},backend=bert_score"
    assert scores(spec, given) == [package(*pair)[2] for pair in given[:4]] + [0, 0]
    assert "|bert-score:" in scorers.of(spec, "en").signature()
    with pytest.raises(OptionError, match="not those of backend=bert_score"):
        scores(spec + ",long=window", given)


def test_by_hand(tiny: str):
    """The states of plain transformers, the sums of Zhang et al. 2020, equation 1, written out."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    one, other = "Thanks! See you.", "Which room is it, Ann?"
    words, bert = AutoTokenizer.from_pretrained(tiny), AutoModel.from_pretrained(tiny).eval()
    with torch.no_grad():
        rows = [
            bert(**words(text, return_tensors="pt", return_token_type_ids=False)).last_hidden_state[
                0
            ]
            for text in (one, other)
        ]
    vectors = [[(row / row.norm()).tolist() for row in own] for own in rows]
    similar = [
        [sum(a * b for a, b in zip(x, y, strict=True)) for y in vectors[1]] for x in vectors[0]
    ]
    precision = sum(max(row) for row in similar[1:-1]) / (
        len(similar) - 2
    )  # the ends are matched, not counted
    recall = sum(max(column) for column in list(zip(*similar, strict=True))[1:-1]) / (
        len(similar[0]) - 2
    )
    for value, expected in (
        ("p", precision),
        ("r", recall),
        ("f", 2 * precision * recall / (precision + recall)),
    ):
        assert scores(
            f"bertscore:model={tiny},layer=1,value={value}", [(one, other)]
        ) == pytest.approx([expected], abs=1e-6)


@pytest.mark.parametrize("lang", samples.TURNS)
def test_neither_order_nor_batch_nor_shard_matters(lang: str, tiny: str):
    given = [*pairs(lang, 30), ("", "a"), ("a", ""), ("", "")]
    order = random.Random(1).sample(range(len(given)), len(given))
    spec = f"bertscore:model={tiny},layer=1"
    whole = scores(spec, given, lang)
    encoders.encoder.cache_clear()
    assert scores(spec + ",batch_size=3", [given[at] for at in order], lang) == pytest.approx(
        [whole[at] for at in order], abs=1e-6
    )
    encoders.encoder.cache_clear()
    assert [scores(spec, [pair], lang)[0] for pair in given] == pytest.approx(whole, abs=1e-6)
    assert scores(spec, [], lang) == []
    assert whole[-3:] == [0, 0, 0]


def test_each_distinct_text_is_read_once_the_longest_first(
    tiny: str, monkeypatch: pytest.MonkeyPatch
):
    encoder = encoders.encoder(tiny, Place(batch_size=32), 1, "torch")  # as the metric calls it
    encoder._kept.clear()
    run, rows = encoder.reader.run, []
    monkeypatch.setattr(
        encoder, "reader", encoder.reader._replace(run=lambda own: rows.extend(own) or run(own))
    )
    records = [
        {
            "id": at,
            "prediction": "so " * (at % 5 + 1),
            "reference": ["Which room?", f"{at % 7} rooms"],
            "variant": f"names:{n}",
        }
        for at in range(40)
        for n in (1, 2)
    ]
    list(
        dialtools.score(
            records, metric=[f"bertscore:model={tiny},layer=1,value={value}" for value in "pf"]
        )
    )
    assert len(rows) == 5 + 1 + 7 and [len(row) for row in rows] == sorted(
        map(len, rows), reverse=True
    )
    list(dialtools.score(records, metric=[f"bertscore:model={tiny},layer=1"], sensitivity=True))
    assert len(rows) == 13  # what was read last is kept


@pytest.mark.parametrize("asked", ["sensitivity", "robustness"])
def test_sensitivity_is_that_of_pairs(asked: str, tiny: str):
    """S by its definition, from scores of single pairs; a record at a time gives what a window gives."""
    said = ["Which room?", "Which room is it?", "Thanks! See you."]
    records = [
        {
            "id": n,
            "dialogue": "Ann: Hi",
            "prediction": text,
            "reference": "See you in the room.",
            **({"variant": f"names:{at}"} if at else {}),
        }
        for n in range(2)
        for at, text in enumerate([said[n], *said])
    ]
    spec = f"bertscore:model={tiny},layer=1"
    (result,) = dialtools.score(records, metric=[spec], **{asked: True})
    change = [100 * (1 - scores(spec, [(a, b)])[0]) for a in said for b in said if a != b]
    if asked == "sensitivity":
        assert result["S"] == pytest.approx(sum(change) / 6, abs=1e-4)
        quality = [
            100 * value for value in scores(spec, [(a, "See you in the room.") for a in said])
        ]
        assert (result["mean"], result["R"]) == pytest.approx(
            (sum(quality) / 3, max(quality) - min(quality)), abs=1e-4
        )
    else:
        from_first = [
            100 * (1 - scores(spec, [(a, said[n])])[0]) * (a != said[n])
            for n in range(2)
            for a in said
        ]
        assert result["consistency"] == pytest.approx(sum(from_first) / 6, abs=1e-4)


# Several references, rarity, baselines.


def test_several_references(tiny: str):
    texts = ["Which room?", "See you.", "Thanks!"]
    single = scores(
        f"bertscore:model={tiny},layer=1", [("See you in room 2", text) for text in texts]
    )
    for rule, expected in ("max", max(single)), ("mean", sum(single) / 3):
        assert scorers.of(f"bertscore:model={tiny},layer=1,refs={rule}", "en").values(
            ["See you in room 2"], [texts]
        ) == pytest.approx([expected], abs=1e-6)


def test_idf_is_that_of_the_package(minilm: str, tmp_path: Path):
    bert_score = pytest.importorskip("bert_score")
    given = pairs("en", 6)
    corpus = [
        *(text for _, text in samples.TURNS["en"]),
        "See you in room 2\u2028See you",
    ]  # one text, of two lines
    file = tmp_path / "references.txt"
    file.write_text("\n".join([*corpus, "", " "]))
    scorer = bert_score.BERTScorer(
        model_type=minilm, num_layers=LAYER, device="cpu", idf=True, idf_sents=corpus, nthreads=0
    )
    spec = f"bertscore:model={minilm},layer={LAYER},idf={file}"
    found = scores(spec, given)
    assert found == pytest.approx(
        [scorer.score([one], [other])[2].item() for one, other in given], abs=1e-6
    )
    assert (
        "|idf:" in scorers.of(spec, "en").signature()
        and str(file) not in scorers.of(spec, "en").signature()
    )


def test_idf_of_a_file_that_is_no_text(tiny: str, tmp_path: Path):
    (tmp_path / "texts").write_bytes(b"caf\xe9\n")
    with pytest.raises(OptionError, match="texts: not UTF-8: byte 0xe9"):
        scores(f"bertscore:model={tiny},layer=1,idf={tmp_path / 'texts'}", [("a", "b")])


def test_idf_of_a_window_is_refused(tiny: str):
    with pytest.raises(OptionError, match="those of a few records will not do"):
        scores(f"bertscore:model={tiny},layer=1,idf=yes", [("a", "b")])


def test_layers_and_models_are_those_of_the_package():
    utils = pytest.importorskip("bert_score.utils")
    table = Path(bertscore.__file__).with_suffix(".tsv").read_text(encoding="utf-8")
    models = [row.partition("\t")[0] for row in table.splitlines()[1:]]
    assert len(models) == 107
    assert all(bertscore.default_layer(model) == utils.model2layers[model] for model in models)
    for lang in ("en", "zh", "ja", "hi", "id", "jv", "de"):
        assert scorers.of("bertscore", lang).options["model"] == utils.lang2model[lang]
    assert "|model:roberta-large|layer:17|" in scorers.of("bertscore", "en").signature()


def test_a_tokenizer_without_a_maximal_length_is_no_trouble_to_the_package(
    minilm: str, tmp_path: Path
):
    """transformers gives it one of 10^30 tokens, which the library tokenizers cannot take."""
    pytest.importorskip("bert_score")
    folder = tmp_path / "model"
    shutil.copytree(minilm, folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["model_max_length"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    given = [("See you.", "Which room?")]
    spec = "bertscore:layer=3,backend=bert_score,model="
    assert scores(f"{spec}{folder}", given) == pytest.approx(scores(f"{spec}{minilm}", given))


def test_odd_architectures_are_those_of_an_encoder():
    for architectures in (None, [], [None], [{}], "BertModel", {"a": 1}, 7):
        config = {"architectures": architectures, "num_hidden_layers": 2}
        assert readers.layer_of("x", config, None) == 2, architectures


def test_baselines():
    """The published numbers of the package: roberta-large, layer 17, English."""
    pytest.importorskip("bert_score")
    path = (
        Path(find_spec("bert_score").origin).parent
        / "rescale_baseline"
        / "en"
        / "roberta-large.tsv"
    )
    row = next(line for line in path.read_text().splitlines() if line.startswith("17,"))
    assert bertscore.baseline(languages.get("en"), "roberta-large", 17) == tuple(
        map(float, row.split(",")[1:])
    )
    for lang, model, layer in (
        ("jv", "bert-base-multilingual-cased", 9),
        ("en", "roberta-large", 99),
        ("en", "/m", 1),
    ):
        with pytest.raises(OptionError, match="published"):
            bertscore.baseline(languages.get(lang), model, layer)


def test_rescaled(tiny: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bertscore, "baseline", lambda *what: (0.1, 0.2, 0.5))
    plain, rescaled = (
        scores(f"bertscore:model={tiny},layer=1{more}", [("See you.", "Which room?")])[0]
        for more in ("", ",rescale=yes")
    )
    assert rescaled == pytest.approx((plain - 0.5) / 0.5, abs=1e-9)


# Long texts.


def test_long_texts(tiny: str):
    long = " ".join(f"number {n}" for n in range(80))
    cut = {"id": 1, "prediction": long, "reference": [long + " and more", "Hi"]}
    (made,) = dialtools.score([cut], metric=[f"bertscore:model={tiny},layer=1"])
    assert made["history"][-1]["counts"]["truncated"] == 2
    assert made["scores"][f"bertscore:model={tiny},layer=1"] == pytest.approx(
        1, abs=1e-6
    )  # what differs is cut off
    (made,) = dialtools.score([cut], metric=[f"bertscore:model={tiny},layer=1,long=window"])
    assert made["history"][-1]["counts"]["windowed"] == 2
    assert 0.5 < made["scores"][f"bertscore:model={tiny},layer=1,long=window"] < 0.9999
    with pytest.raises(
        RecordError, match="has .* tokens, 96 are what the encoder can read"
    ) as error:
        list(dialtools.score([cut], metric=[f"bertscore:model={tiny},layer=1,long=error"]))
    assert error.value.record == {**cut, "lang": "en"}
    short = {"id": 1, "prediction": "Hi", "reference": "Hi"}
    assert (
        "truncated"
        not in next(dialtools.score([short], metric=[f"bertscore:model={tiny},layer=1"]))[
            "history"
        ][-1]["counts"]
    )


@pytest.mark.parametrize("tokens, limit", [(0, 6), (4, 6), (5, 6), (9, 6), (23, 6), (8, 3)])
def test_windows_give_each_token_the_state_where_it_is_farthest_from_an_end(
    tokens: int, limit: int
):
    numpy = pytest.importorskip("numpy")
    ids = [100, *range(tokens), 101]
    rows = encoders.rows(ids, encoders.Frame(1, 2), limit, True)
    assert all(row[0] == 100 and row[-1] == 101 and len(row) <= limit for row in rows)
    states = [
        numpy.array([[token, min(at, len(row) - 1 - at)] for at, token in enumerate(row)])
        for row in rows
    ]
    read, joined = encoders.joined(ids, states, encoders.Frame(1, 2), limit)
    assert read == ids and joined[:, 0].tolist() == ids
    for token in range(tokens):
        distances = [
            own[own[:, 0] == token, 1].max() for own in states if (own[:, 0] == token).any()
        ]
        assert joined[token + 1, 1] == max(distances)


# What goes wrong is said in one line.


def spoilt(tiny: str, place: Path, *lost: str, **changes) -> str:
    shutil.copytree(tiny, place / "model")
    for name in lost:
        (place / "model" / name).unlink()
    config = json.loads((place / "model" / "config.json").read_text())
    (place / "model" / "config.json").write_text(json.dumps(config | changes))
    return str(place / "model")


@pytest.mark.parametrize(
    "lost, changes, error, message",
    [
        (["model.safetensors"], {}, MissingError, "no weights in safetensors"),
        (["tokenizer.json"], {}, MissingError, "cannot load the model in"),
        (
            [],
            {"num_hidden_layers": 2},
            OptionError,
            "which layer of .*, of 0 to 2. .* no default for it",
        ),
        ([], {"is_decoder": True}, OptionError, "writes texts"),
        ([], {"architectures": ["GPT2LMHeadModel"]}, OptionError, "writes texts"),
    ],
)
def test_bad_models(
    tiny: str, tmp_path: Path, lost: list[str], changes: dict, error: type, message: str
):
    layer = "" if "num_hidden_layers" in changes else ",layer=1"
    with pytest.raises(error, match=message) as found:
        scores(f"bertscore:model={spoilt(tiny, tmp_path, *lost, **changes)}{layer}", [("a", "b")])
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "spec, error, message",
    [
        ("model=./nowhere,layer=1", MissingError, "no model folder ./nowhere"),
        ("layer=9", OptionError, "1 layers"),
        ("layer=-1", OptionError, "1 layers"),
        ("", OptionError, "which layer of .*, of 0 to 1. .* no default for it"),
        ("layer=1,device=toaster", MissingError, "--device cpu"),
        ("layer=1,rescale=yes", OptionError, "published"),
        ("layer=1,engine=ctranslate2,precision=bfloat16", OptionError, "in float32"),
    ],
)
def test_bad_options(tiny: str, spec: str, error: type, message: str):
    if "ctranslate2" in spec:
        pytest.importorskip("ctranslate2")
    whole = (
        f"bertscore:{spec}"
        if "model=" in spec
        else f"bertscore:model={tiny}{',' * bool(spec)}{spec}"
    )
    with pytest.raises(error, match=message) as found:
        scores(whole, [("a", "b")])
    assert "\n" not in str(found.value)


def test_an_adapter_is_merged(tiny: str, tmp_path: Path):
    """The reference is what peft makes of both; the adapter says little else than which model it is for."""
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    warnings.simplefilter("ignore")  # of peft, about transformers
    words = transformers.AutoTokenizer.from_pretrained(tiny)
    adapted = peft.get_peft_model(
        transformers.AutoModel.from_pretrained(tiny),
        peft.LoraConfig(r=4, target_modules=["query", "value"], init_lora_weights=False),
    )
    adapter = tiny_models.save(tmp_path / "adapter", adapted)
    merged = tiny_models.save(tmp_path / "merged", adapted.merge_and_unload(), words)
    by_adapter, expected, without = (
        scores(f"bertscore:model={place},layer=1", pairs("en")) for place in (adapter, merged, tiny)
    )
    assert by_adapter == pytest.approx(expected, abs=1e-6) != without


def test_no_token_for_padding(tmp_path: Path):
    pytest.importorskip("torch")
    words = tiny_models.tokenizer()
    words.pad_token = None
    bert = tiny_models.bert(words)
    bert.config.pad_token_id = None
    with pytest.raises(MissingError, match="no token for padding"):
        scores(f"bertscore:model={tiny_models.save(tmp_path, bert, words)},layer=1", [("a", "b")])


def test_a_text_of_which_no_token_is_known(minilm: str):
    record = {"id": 7, "lang": "ko", "prediction": "ⲁⲃⲅ", "reference": "cat"}  # Coptic
    with pytest.raises(RecordError, match="the encoder knows no token of") as error:
        list(
            dialtools.score(
                [{**record, "id": 6, "prediction": "a"}, record],
                metric=[f"bertscore:model={minilm},layer=1"],
            )
        )
    assert error.value.record == record


def test_any_text(tiny: str):
    texts = [
        "",
        " ",
        "\u200b",
        "e\u0301" * 3,
        "👩‍👩‍👧‍👦",
        "مرحبا",
        "ＡＢＣ",
        "\x00",
        "a" * 10_000,
        "[CLS] </s> <pad>",
        "\u202e",
    ]
    found = scores(
        f"bertscore:model={tiny},layer=1", [(one, other) for one in texts for other in texts]
    )
    assert all(math.isfinite(value) and -1 <= value <= 1 + 1e-6 for value in found)
