"""Metrics that ask models how likely a text or a label is, against plain transformers, one text at a time.

The models are tiny ones with random weights (tiny_models.py); sums over what
they say are done by hand.
"""

import logging
import math
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
import tiny_families
import tiny_models
from tiny_models import TEXTS, save

import dialtools
from dialtools import languages
from dialtools.evaluation import scorer as scorers
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.metrics import bartscore, fed, learned_metrics, nli, perplexity
from dialtools.metrics.learned_metrics import bleurt, comet
from dialtools.metrics.model_outputs import classifier
from dialtools.models import checkpoints, classifiers, likelihoods
from dialtools.models.folders import Checkpoint
from dialtools.records import dialogue
from dialtools.system.errors import MissingError, OptionError, RecordError

LONG = " ".join(TEXTS * 3)  # beyond 96 positions
NLI = ["contradiction", "entailment", "neutral"]


@pytest.fixture(scope="session")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of models: those of tiny_models.folder, and masked, nli, several and bert."""
    place = tiny_models.folder(tmp_path_factory.mktemp("models"))
    words = tiny_models.tokenizer()
    save(place / "bert", tiny_models.bert(words), words)
    save(place / "nli", tiny_models.classifier(words, NLI), words)
    save(
        place / "several",
        tiny_models.classifier(words, ["toxic", "Rude"], problem_type="multi_label_classification"),
        words,
    )
    words = tiny_models.tokenizer([*tiny_models.SPECIAL, "<mask>"])
    words.mask_token = "<mask>"
    save(place / "masked", tiny_models.masked(words), words)
    return place


def plain(name: Path, what: str) -> SimpleNamespace:
    """Return a tokenizer and a model as transformers loads them."""
    import transformers

    with checkpoints.hushed():
        return SimpleNamespace(
            words=transformers.AutoTokenizer.from_pretrained(name),
            network=getattr(transformers, f"AutoModelFor{what}").from_pretrained(name).eval(),
        )


def loss(model: SimpleNamespace, ids: list[int], labels: list[int] | None = None) -> float:
    """Return the loss as the model computes it, the mean over its tokens."""
    import torch

    with torch.inference_mode(), checkpoints.hushed():
        given = torch.tensor([ids])
        return float(
            model.network(
                input_ids=given, labels=given if labels is None else torch.tensor([labels])
            ).loss
        )


# Perplexity.


def test_perplexity_is_that_of_a_plain_loop(folder: Path):
    model = plain(folder / "gpt2", "CausalLM")
    expected = [math.exp(loss(model, model.words(text)["input_ids"])) for text in TEXTS]
    order = Random(1).sample(range(len(TEXTS)), len(TEXTS))
    for size in (1, 3, 16):
        given = {"model": str(folder / "gpt2"), "batch_size": size, "device": "cpu"}
        assert perplexity.score(TEXTS, **given) == pytest.approx(expected, rel=1e-5)
        shuffled = perplexity.score([TEXTS[at] for at in order], **given)
        assert shuffled == pytest.approx([expected[at] for at in order], rel=1e-5)
    assert len(set(expected)) == len(TEXTS)
    assert perplexity.score([], model="nothing") == []


def test_batches_of_one_are_exact(folder: Path):
    """As dt-score --help has it: what is scored alone, or in another order, has the same number, to the last bit."""
    for spec in (f"perplexity:model={folder / 'gpt2'}", f"bartscore:model={folder / 'bart'}"):
        records = [
            {"id": at, "lang": "en", "prediction": one, "reference": other}
            for at, (one, other) in enumerate(zip(TEXTS, TEXTS[::-1], strict=True))
        ]
        alone = [
            next(dialtools.score([record], metric=[spec]))["scores"][spec] for record in records
        ]
        made = list(dialtools.score(records[::-1], metric=[f"{spec},batch_size=1"]))
        assert [record["scores"][f"{spec},batch_size=1"] for record in made[::-1]] == alone


def test_each_distinct_text_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch):
    read, run = [], likelihoods._losses
    monkeypatch.setattr(
        likelihoods, "_losses", lambda model, rows: read.extend(rows) or run(model, rows)
    )
    found = perplexity.score([*TEXTS, *TEXTS[::-1]], model=str(folder / "gpt2"))
    assert found == [*found[: len(TEXTS)], *found[: len(TEXTS)][::-1]]
    lengths = [len(row.ids) for row in read]
    assert len(read) == len(TEXTS) and lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("bos, eos", [("yes", "no"), ("no", "yes"), ("yes", "yes"), ("no", "no")])
@pytest.mark.parametrize("name", ["gpt2", "framed"])
def test_tokens_before_and_after(folder: Path, tmp_path: Path, name: str, bos: str, eos: str):
    """They are put there by hand; of a tokenizer that puts them there itself, "tokenizer" is what it does."""
    place, first, last = folder / "gpt2", 0, 0
    if name == "framed":
        words = tiny_models.tokenizer()
        place, first, last = Path(save(tmp_path, tiny_models.gpt2(words), words)), 0, 2
    model = plain(place, "CausalLM")
    inner = model.words(TEXTS[0], add_special_tokens=False)["input_ids"]
    ids = [first] * (bos == "yes") + inner + [last] * (eos == "yes")
    found = perplexity.score([TEXTS[0]], model=str(place), bos=bos, eos=eos)
    assert found == pytest.approx([math.exp(loss(model, ids))], rel=1e-5)
    if name == "framed":
        own = perplexity.score([TEXTS[0]], model=str(place))
        assert own == pytest.approx([math.exp(loss(model, [first, *inner, last]))], rel=1e-5)


@pytest.mark.parametrize("stride", [0, 1, 30, 95])
def test_windows_as_transformers_documents_them(folder: Path, stride: int):
    """The loop of its page on perplexity: labels of what was predicted before are -100; sums instead of its means."""
    model = plain(folder / "gpt2", "CausalLM")
    ids = model.words(LONG, verbose=False)["input_ids"][:230]
    text = model.words.decode(ids)
    assert model.words(text, verbose=False)["input_ids"] == ids
    total = done = 0.0
    for begin in range(0, len(ids), stride or 48):
        end = min(begin + 96, len(ids))
        new = int(end - done)
        labels = [-100] * (end - begin - new) + ids[end - new : end]
        number = sum(label != -100 for label in labels[1:])
        total += number * loss(model, ids[begin:end], labels)
        done = end
        if end == len(ids):
            break
    [found] = perplexity.score([text], model=str(folder / "gpt2"), long="stride", stride=stride)
    assert found == pytest.approx(math.exp(total / (len(ids) - 1)), rel=1e-5)


def test_long_texts(folder: Path):
    model, name = plain(folder / "gpt2", "CausalLM"), str(folder / "gpt2")
    with pytest.raises(RecordError, match=r"\d+ tokens, and the model has positions for 96"):
        perplexity.score([LONG], model=name)
    cut = model.words(LONG, verbose=False)["input_ids"][:96]
    [found] = perplexity.score([LONG], model=name, long="truncate")
    assert found == pytest.approx(math.exp(loss(model, cut)), rel=1e-5)
    assert perplexity.counts([LONG, "Hi there"], model=name, long="truncate") == [
        {"truncated": 1},
        {},
    ]
    assert perplexity.counts([LONG, "Hi there"], model=name, long="stride") == [{"windowed": 1}, {}]
    assert perplexity.counts([LONG], model=name) == [{}]


@pytest.mark.parametrize("unit, number", [("byte", 33), ("space", 8), ("words", 7)])
def test_units(folder: Path, unit: str, number: int):
    """The sum of losses is that of the tokens; 30 characters of which é has two bytes and — three, counted by hand."""
    text, model = "Hé Bob, bring the 2 — ok? Sure", plain(folder / "gpt2", "CausalLM")
    ids = model.words(text)["input_ids"]
    [found] = perplexity.score([text], model=str(folder / "gpt2"), unit=unit)
    assert found == pytest.approx(math.exp(loss(model, ids) * (len(ids) - 1) / number), rel=1e-5)


def test_pseudo_perplexity_masks_each_token_in_its_turn(folder: Path, torch):
    model = plain(folder / "masked", "MaskedLM")
    for text, found in zip(
        TEXTS, perplexity.score(TEXTS, model=str(folder / "masked")), strict=True
    ):
        ids = model.words(text)["input_ids"]
        lost = []
        for at in range(1, len(ids) - 1):
            given = torch.tensor([[*ids[:at], model.words.mask_token_id, *ids[at + 1 :]]])
            with torch.inference_mode():
                lost.append(-float(model.network(given).logits[0, at].log_softmax(-1)[ids[at]]))
        assert found == pytest.approx(math.exp(sum(lost) / len(lost)), rel=1e-5)


def test_what_stands_behind_the_head_counts(tmp_path: Path, torch):
    """Gemma 2 caps its logits after the head, which is asked for some places alone."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    torch.manual_seed(1)
    words = tiny_models.tokenizer()
    network = Gemma2ForCausalLM(
        Gemma2Config(
            vocab_size=len(words),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
            initializer_range=0.5,
            final_logit_softcapping=2.0,
            pad_token_id=1,
        )
    )
    place = Path(save(tmp_path, network, words))
    model = plain(place, "CausalLM")
    expected = [math.exp(loss(model, model.words(text)["input_ids"])) for text in TEXTS]
    assert perplexity.score(TEXTS, model=str(place)) == pytest.approx(expected, rel=1e-5)


def test_the_faster_engine_agrees(folder: Path, made_here):
    given = {"model": str(folder / "gpt2"), "long": "stride", "bos": "yes", "device": "cpu"}
    slow, fast = (
        perplexity.score([*TEXTS, LONG], **given, engine=engine)
        for engine in ("torch", "ctranslate2")
    )
    assert fast == pytest.approx(slow, rel=1e-5)
    assert perplexity.counts([LONG], **given, engine="ctranslate2") == [{"windowed": 1}]
    with pytest.raises(OptionError, match="float32"):
        perplexity.score(TEXTS, **given, engine="ctranslate2", precision="bfloat16")


def test_half_precision_is_named_and_close(folder: Path):
    name = str(folder / "gpt2")
    whole, half = (
        perplexity.score(TEXTS, model=name, precision=how) for how in ("float32", "bfloat16")
    )
    assert half != whole and half == pytest.approx(whole, rel=0.3)
    assert (
        "|precision:bfloat16|"
        in scorers.of(f"perplexity:model={name},precision=bfloat16", "en").signature()
    )


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({}, OptionError, "which model"),
        ({"model": "{}/none"}, MissingError, "no model folder"),
        ({"model": "{}"}, MissingError, "no config.json"),
        ({"model": "{}/bert"}, OptionError, "is a BertModel, which says nothing of how likely"),
        ({"model": "{}/nli"}, OptionError, "ForSequenceClassification, which says nothing"),
        ({"model": "{}/bart"}, OptionError, "writes one text from another"),
        ({"model": "{}/masked", "kind": "causal"}, OptionError, "sees what comes after"),
        ({"model": "{}/masked", "bos": "yes"}, OptionError, "for causal models"),
        ({"model": "{}/gpt2", "unit": "word"}, OptionError, "did you mean words"),
        (
            {"model": "{}/gpt2", "unit": "byte", "long": "truncate"},
            OptionError,
            "long=stride reads all",
        ),
        (
            {"model": "{}/gpt2", "long": "stride", "stride": 96},
            OptionError,
            "less than the model has positions, 96",
        ),
        ({"model": "{}/gpt2", "device": "toaster"}, MissingError, "--device cpu"),
    ],
)
def test_what_has_no_perplexity(folder: Path, given: dict, error: type, message: str):
    given = {
        key: value.format(folder) if isinstance(value, str) else value
        for key, value in given.items()
    }
    with pytest.raises(error, match=message) as raised:
        perplexity.score(["Hi Bob"], **given)
    assert "\n" not in str(raised.value)


def test_a_model_that_sees_what_comes_is_known_whatever_it_pads_with(tmp_path: Path, torch):
    """An XLM without a mask takes token 1 for padding, and what is looked at is what it says of that."""
    import transformers

    words = tiny_models.tokenizer()
    tiny_models.ready()
    save(
        tmp_path,
        transformers.XLMWithLMHeadModel(
            transformers.XLMConfig(
                vocab_size=len(words),
                emb_dim=16,
                n_layers=1,
                n_heads=2,
                max_position_embeddings=96,
                bos_index=0,
                pad_index=1,
                eos_index=2,
                unk_index=3,
                embed_init_std=0.4,
                init_std=0.4,
            )
        ),
        words,
    )
    with pytest.raises(OptionError, match="sees what comes after a token"):
        perplexity.score(TEXTS, model=str(tmp_path))


@pytest.mark.parametrize(
    "text, unit, message",
    [
        ("", "token", "no text"),
        ("a", "token", "bos=yes"),
        ("?!", "space", None),
        ("— ?", "words", "no words"),
    ],
)
def test_texts_of_next_to_nothing(folder: Path, text: str, unit: str, message: str | None):
    given = {"model": str(folder / "gpt2"), "unit": unit}
    if message is None:
        assert perplexity.score([text], **given)[0] > 1
        return
    with pytest.raises(RecordError, match=message):
        perplexity.score(["Hi Bob", text], **given)
    if text == "a":
        assert perplexity.score([text], bos="yes", **given)[0] > 1


def test_any_text_of_a_record_is_scored(folder: Path):
    spec, other = (f"perplexity:model={folder}/gpt2,of={key}" for key in ("text", "dialogue"))
    records = [
        {"id": 1, "prediction": None, "text": "Hi Bob", "dialogue": "Ann: So?"},
        {"id": 2, "text": "Hi Bob", "dialogue": [{"speaker": "Ann", "text": "So?"}]},
    ]
    expected = perplexity.score(["Hi Bob", "Ann: So?"], model=str(folder / "gpt2"))
    for made in dialtools.score(records, metric=[spec, other]):
        assert [made["scores"][spec], made["scores"][other]] == pytest.approx(expected, rel=1e-5)
        assert "|of:text|" in made["history"][-1]["signature"][spec]
    with pytest.raises(RecordError, match='"text" is a string'):
        list(dialtools.score([{"id": 1, "text": ["Hi"]}], metric=[spec]))


def test_a_loss_beyond_all_numbers():
    with pytest.raises(RecordError, match="beyond the numbers: a mean loss of 800"):
        perplexity.perplexity([800.0], 1)


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧 e\u0301", "שלום bob", "ＦＵＬＬ", "नमस्ते", "a\u0000b", "x" * 60]
)
def test_any_text(folder: Path, text: str):
    for name in ("gpt2", "masked"):
        assert math.isfinite(perplexity.score([text], model=str(folder / name))[0])


# BARTScore.


@pytest.mark.parametrize("name", ["bart", "t5"])
def test_bartscore_is_minus_the_loss(folder: Path, name: str):
    """transformers' own loss over all tokens of the target, special ones too; the paper's code divides it alike."""
    model, others = plain(folder / name, "Seq2SeqLM"), TEXTS[::-1]
    forth, back = (
        [
            -loss(model, model.words(one)["input_ids"], model.words(two)["input_ids"])
            for one, two in zip(first, second, strict=True)
        ]
        for first, second in ((others, TEXTS), (TEXTS, others))
    )
    expected = {
        "precision": forth,
        "recall": back,
        "f": [(a + b) / 2 for a, b in zip(forth, back, strict=True)],
    }
    for direction, values in expected.items():
        for size in (1, 5):
            found = bartscore.score(
                TEXTS,
                [[text] for text in others],
                model=str(folder / name),
                direction=direction,
                batch_size=size,
            )
            assert found == pytest.approx(values, rel=1e-5)
    for rule, together in (("max", max), ("mean", lambda values: sum(values) / 2)):
        [found] = bartscore.score(
            TEXTS[:1], [[others[0], TEXTS[1]]], model=str(folder / name), refs=rule
        )
        single = bartscore.score(
            [TEXTS[0]] * 2, [[others[0]], [TEXTS[1]]], model=str(folder / name)
        )
        assert found == pytest.approx(together(single), rel=1e-5)


@pytest.mark.parametrize(
    "family, source, target",
    [
        ("mbart", "en_XX", "ja_XX"),
        ("mbart50", "en_XX", "ja_XX"),
        ("m2m", "en", "ja"),
        ("nllb", "eng_Latn", "jpn_Jpan"),
    ],
)
def test_bartscore_of_a_model_of_many_languages(
    torch, tmp_path: Path, family: str, source: str, target: str
):
    """transformers' own loss with labels by text_target; M2M-100 has no prepare_decoder_input_ids_from_labels."""
    made = (
        tiny_families.m2m(tmp_path)
        if family == "m2m"
        else getattr(tiny_models if family == "nllb" else tiny_families, family)()
    )
    name = save(tmp_path / family, *made)
    model, others = plain(Path(name), "Seq2SeqLM"), TEXTS[::-1]
    model.words = checkpoints.tokenizer_of(
        Checkpoint(name)
    )  # else languages of M2M-100 would be pieces of words

    def expected(read: str, written: str, one: list[str], two: list[str]) -> list[float]:
        model.words.src_lang, model.words.tgt_lang = read, written
        rows = [model.words(text, text_target=other) for text, other in zip(one, two, strict=True)]
        return pytest.approx(
            [-loss(model, row["input_ids"], row["labels"]) for row in rows], rel=1e-5
        )

    given = {"model": name, "src_lang": source, "tgt_lang": target}
    references = [[text] for text in others]
    assert bartscore.score(TEXTS, references, **given) == expected(source, target, others, TEXTS)
    assert bartscore.score(TEXTS, references, **given, direction="recall") == expected(
        target, source, TEXTS, others
    )
    alike = bartscore.score(TEXTS, references, model=name, src_lang=target, tgt_lang=target)
    assert alike == expected(target, target, others, TEXTS)
    assert bartscore.score(TEXTS, references, model=name, language=languages.get("ja")) == alike
    assert bartscore.score(TEXTS, references, model=name, language=languages.get("hi")) != alike
    with pytest.raises(RecordError, match="has not one code for tlh"):
        bartscore.score(TEXTS, references, model=name, language=languages.get("tlh"))
    with pytest.raises(OptionError, match="knows no language 'xx_XX'"):
        bartscore.score(TEXTS, references, model=name, src_lang="xx_XX", tgt_lang=target)


def test_bartscore_writes_by_the_vocabulary_of_what_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """A tokenizer of MarianMT has a vocabulary for each side; here that of the output reads no x."""
    from tokenizers import normalizers

    where = checkpoints.Place(device="cpu")
    tokenizer, _ = likelihoods.loaded("seq2seq", str(folder / "bart"), where)
    expected = likelihoods.written(str(folder / "bart"), ["Hi Bob"], ["Sure"], where)
    for mode, normalizer in (
        ("target", normalizers.Replace("x", "")),
        ("input", tokenizer._tokenizer.normalizer),
    ):
        monkeypatch.setattr(
            tokenizer,
            f"_switch_to_{mode}_mode",
            partial(setattr, tokenizer._tokenizer, "normalizer", normalizer),
            raising=False,
        )
    assert likelihoods.written(str(folder / "bart"), ["Hi Bob"], ["xSxure"], where) == expected
    assert likelihoods.written(str(folder / "bart"), ["xHi Bob"], ["Sure"], where) != expected


def test_bartscore_of_texts_that_a_model_cannot_read_together(tmp_path: Path, torch):
    """Those that ProphetNet is to write change by their padding; its own loss is of further tokens, too."""
    import transformers

    words = tiny_models.tokenizer()
    tiny_models.ready()
    save(
        tmp_path,
        transformers.ProphetNetForConditionalGeneration(
            transformers.ProphetNetConfig(
                vocab_size=len(words),
                hidden_size=16,
                num_encoder_layers=1,
                num_decoder_layers=1,
                encoder_ffn_dim=16,
                decoder_ffn_dim=16,
                num_encoder_attention_heads=2,
                num_decoder_attention_heads=2,
                init_std=0.4,
                max_position_embeddings=96,
                pad_token_id=1,
                bos_token_id=0,
                eos_token_id=2,
                decoder_start_token_id=0,
            )
        ),
        words,
    )
    model, expected = plain(tmp_path, "Seq2SeqLM"), []
    for text in TEXTS:
        ids = model.words(text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            said = model.network(input_ids=ids, labels=ids).logits[0].log_softmax(-1)
        expected.append(said.gather(1, ids.T).mean().item())
    assert bartscore.score(TEXTS, [[text] for text in TEXTS], model=str(tmp_path)) == pytest.approx(
        expected, rel=1e-5
    )


def test_bartscore_of_a_model_of_one_language_takes_no_codes(folder: Path):
    with pytest.raises(OptionError, match="tokenizer knows none"):
        bartscore.score(["Hi"], [["Hi"]], model=str(folder / "bart"), tgt_lang="ja_XX")


def test_bartscore_of_long_and_of_empty_texts(folder: Path):
    name = str(folder / "bart")
    with pytest.raises(RecordError, match="positions for 96"):
        bartscore.score(["Hi"], [[LONG]], model=name)
    assert bartscore.score(["Hi"], [[LONG]], model=name, long="truncate")[0] < 0
    assert bartscore.counts(["Hi", "Hi"], [["a", LONG], ["a"]], model=name, long="truncate") == [
        {"truncated": 1},
        {},
    ]
    assert bartscore.score(["", "Hi"], [["Hi"], [""]], model=name) == pytest.approx(
        [
            bartscore.score([""], [["Hi"]], model=name)[0],
            bartscore.score(["Hi"], [[""]], model=name)[0],
        ]
    )
    for other, message in (("gpt2", "is a causal model"), ("masked", "is a masked model")):
        with pytest.raises(OptionError, match=message):
            bartscore.score(["Hi"], [["Hi"]], model=str(folder / other))


@pytest.mark.parametrize(
    "spec", ["bartscore:model=x", "perplexity:model=x", "cer", "classifier:model=x,label=y"]
)
def test_what_has_no_bounds_measures_no_sensitivity(spec: str):
    with pytest.raises(OptionError, match="no bounded score"):
        ChosenMetric(spec).require_comparable()


# Labels.


def probabilities(name: Path, *texts: str) -> dict[str, float]:
    """Return {label: probability} by plain transformers."""
    import torch

    model = plain(name, "SequenceClassification")
    with torch.inference_mode():
        logits = model.network(**model.words(*texts, return_tensors="pt")).logits[0]
    made = logits.sigmoid() if name.name == "several" else logits.softmax(-1)
    return dict(zip(model.network.config.id2label.values(), made.tolist(), strict=True))


@pytest.mark.parametrize(
    "name, label", [("nli", "entailment"), ("nli", "NEUTRAL"), ("several", "rude")]
)
def test_probability_of_a_label(folder: Path, name: str, label: str):
    known = [
        {key.casefold(): value for key, value in probabilities(folder / name, text).items()}
        for text in TEXTS
    ]
    expected = [row[label.casefold()] for row in known]
    for size in (1, 16):
        found = classifier.score(TEXTS, model=str(folder / name), label=label, batch_size=size)
        assert found == pytest.approx(expected, rel=1e-5)
    none = classifier.score(TEXTS, model=str(folder / name), label=label, activation="none")
    assert classifier.score(
        TEXTS, model=str(folder / name), label=label, activation="sigmoid"
    ) == pytest.approx([1 / (1 + math.exp(-value)) for value in none], rel=1e-5)


def test_a_classifier_without_positions_reads_any_text(tmp_path: Path, torch):
    """What the configuration of XLNet says of them is -1; its label is that of the last place, which no padding is."""
    import transformers

    words = tiny_models.tokenizer()
    tiny_models.ready()
    save(
        tmp_path,
        transformers.XLNetForSequenceClassification(
            transformers.XLNetConfig(
                vocab_size=len(words),
                d_model=32,
                n_layer=1,
                n_head=2,
                d_inner=32,
                initializer_range=0.4,
                pad_token_id=1,
            )
        ),
        words,
    )
    model, texts = plain(tmp_path, "SequenceClassification"), [LONG, *TEXTS]
    with torch.inference_mode():
        expected = [
            model.network(**model.words(text, return_tensors="pt")).logits.softmax(-1)[0, 1].item()
            for text in texts
        ]
    assert classifier.score(texts, model=str(tmp_path), label="LABEL_1") == pytest.approx(
        expected, abs=1e-5
    )


def test_a_classifier_whose_tokenizer_pads_with_another_token(tmp_path: Path, torch):
    """A GPT-2 takes its label from the last token that is not what the model calls padding."""
    import transformers

    words = tiny_models.tokenizer()
    tiny_models.ready()
    save(
        tmp_path,
        transformers.GPT2ForSequenceClassification(
            transformers.GPT2Config(
                vocab_size=len(words),
                n_embd=32,
                n_layer=1,
                n_head=2,
                n_positions=96,
                initializer_range=0.4,
                pad_token_id=3,
            )
        ),
        words,
    )
    expected = [probabilities(tmp_path, text)["LABEL_1"] for text in TEXTS]
    assert classifier.score(TEXTS, model=str(tmp_path), label="LABEL_1") == pytest.approx(
        expected, rel=1e-5
    )


@pytest.mark.parametrize(
    "kind, sizes",
    [
        ("BigBird", {"block_size": 4, "num_random_blocks": 1}),
        ("FNet", {}),
        ("MobileBert", {"embedding_size": 8, "intra_bottleneck_size": 16, "true_hidden_size": 16}),
    ],
)
def test_a_classifier_that_cannot_read_texts_together(
    kind: str, sizes: dict, tmp_path: Path, torch
):
    """Padding changes its numbers, or a shorter text before: by plain transformers each text has a model of its own."""
    import transformers

    words = tiny_models.tokenizer()
    words.model_input_names = ["input_ids"]
    tiny_models.ready()
    save(
        tmp_path,
        getattr(transformers, f"{kind}ForSequenceClassification")(
            getattr(transformers, f"{kind}Config")(
                vocab_size=len(words),
                hidden_size=16,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=16,
                max_position_embeddings=200,
                initializer_range=0.4,
                pad_token_id=1,
                **sizes,
            )
        ),
        words,
    )
    texts = [TEXTS[0], " ".join(TEXTS[:4]), *TEXTS[1:4]]
    expected = []
    for text in texts:
        model = plain(tmp_path, "SequenceClassification")
        with torch.inference_mode():
            expected.append(
                model.network(**model.words(text, return_tensors="pt"))
                .logits.softmax(-1)[0, 1]
                .item()
            )
    for _ in range(2):
        assert classifier.score(texts, model=str(tmp_path), label="LABEL_1") == pytest.approx(
            expected, abs=1e-6
        )


@pytest.mark.parametrize("other", ["first", "second"])
def test_probability_of_a_label_of_two_texts(folder: Path, other: str):
    pairs = list(zip(TEXTS, TEXTS[::-1], strict=True))
    expected = [
        probabilities(folder / "nli", *(pair[::-1] if other == "first" else pair))["entailment"]
        for pair in pairs
    ]
    found = classifier.score(
        TEXTS,
        [[text] for text in TEXTS[::-1]],
        model=str(folder / "nli"),
        label="entailment",
        other=other,
    )
    assert found == pytest.approx(expected, rel=1e-5)
    spec = f"classifier:model={folder}/nli,label=entailment"
    assert (ChosenMetric(spec).keys, ChosenMetric(f"{spec},other=first,against=context").keys) == (
        ("prediction",),
        ("prediction", "context"),
    )


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({}, OptionError, "which model, and which label"),
        (
            {"model": "{}/nli", "label": "entailed"},
            OptionError,
            r"did you mean entailment\?\); it has contradiction, ",
        ),
        ({"model": "{}/bert", "label": "x"}, OptionError, "is a BertModel, which has no labels"),
        ({"model": "{}/gpt2", "label": "x"}, OptionError, "has no labels for texts"),
    ],
)
def test_what_has_no_label(folder: Path, given: dict, error: type, message: str):
    with pytest.raises(error, match=message):
        classifier.score(["Hi"], **{key: value.format(folder) for key, value in given.items()})


@pytest.mark.parametrize("pad", [None, 450])
def test_a_classifier_without_padding(pad: int | None, tmp_path: Path):
    """The model may know more tokens than its tokenizer, and call one of these padding."""
    words = tiny_models.tokenizer()
    place = save(
        tmp_path, tiny_models.classifier(words, NLI, vocab_size=500, pad_token_id=pad), words
    )
    with pytest.raises(MissingError, match="no token for padding"):
        classifier.score(["Hi"], model=place, label="neutral")


def test_a_classifier_and_long_texts(folder: Path):
    given = {"model": str(folder / "nli"), "label": "neutral"}
    with pytest.raises(RecordError, match="positions for 96"):
        classifier.score([LONG], **given)
    assert 0 < classifier.score([LONG], **given, long="truncate")[0] < 1
    del given["label"]
    assert classifier.counts([LONG, "Hi"], **given, long="truncate") == [{"truncated": 1}, {}]


def test_positions_that_are_kept_for_padding(folder: Path, tmp_path: Path):
    """RoBERTa counts from after its padding, and not every tokenizer says how long a text may be."""
    import transformers

    words = transformers.AutoTokenizer.from_pretrained(folder / "masked")
    config = transformers.RobertaConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=16,
        max_position_embeddings=20,
        pad_token_id=1,
    )
    for name, kind in (("labels", "SequenceClassification"), ("masked", "MaskedLM")):
        save(tmp_path / name, getattr(transformers, f"RobertaFor{kind}")(config), words)
    fits, longer = (" ".join(["a"] * number) for number in (8, 9))
    assert [len(words(text)["input_ids"]) for text in (fits, longer)] == [
        17,
        19,
    ]  # a, space, a, … and two around
    for metric, given in (
        (classifier, {"model": str(tmp_path / "labels"), "label": "LABEL_0"}),
        (perplexity, {"model": str(tmp_path / "masked")}),
    ):
        assert metric.score([fits], **given)[0] > 0
        with pytest.raises(
            RecordError, match="positions for 1[68]"
        ):  # those around the text are counted, or not
            metric.score([longer], **given)
        assert metric.score([longer], **given, long="truncate")[0] > 0


@pytest.mark.parametrize(
    "labels, changes, expected",
    [
        (["a", "b"], {}, "softmax"),
        (["a"], {}, "sigmoid"),
        (["a"], {"problem_type": "regression"}, "none"),
        (["a", "b"], {"problem_type": "multi_label_classification"}, "sigmoid"),
    ],
)
def test_how_numbers_become_probabilities(torch, labels: list[str], changes: dict, expected: str):
    config = tiny_models.classifier(tiny_models.tokenizer(), labels, **changes).config
    assert classifiers.activation_of(config) == expected


def test_summac_by_hand(folder: Path):
    """The mean, over the prediction's sentences, of the highest entailment by a sentence of the source."""
    source, prediction = "Ann: Hi. Bob is here?\nBob: Sure.", "Bob is here. It is ten! Sure"
    premises, hypotheses = (
        ["Ann: Hi.", "Bob is here?", "Bob: Sure."],
        ["Bob is here.", "It is ten!", "Sure"],
    )
    best = [
        max(
            probabilities(folder / "nli", premise, hypothesis)["entailment"] for premise in premises
        )
        for hypothesis in hypotheses
    ]
    found = nli.summac.score(
        [prediction, "", prediction], [[source], [source], [""]], model=str(folder / "nli")
    )
    assert found == pytest.approx([sum(best) / 3, 0, 0], rel=1e-5)
    assert nli.summac.counts(
        [prediction, "so " * 200], [[source]] * 2, model=str(folder / "nli"), long="truncate"
    ) == [{}, {"truncated": 1}]
    with pytest.raises(OptionError, match="no label 'yes'"):
        nli.summac.score([prediction], [[source]], model=str(folder / "nli"), label="yes")
    ChosenMetric(f"summac:model={folder}/nli").require_comparable()


def test_entailment_by_hand(folder: Path):
    prediction, text, other = "Bob is here.", "Bob is here now.", "It is ten."

    def entails(premise: str, hypothesis: str) -> float:
        return probabilities(folder / "nli", premise, hypothesis)["entailment"]

    ways = [(entails(prediction, one), entails(one, prediction)) for one in (text, other)]
    columns = [prediction, text], [[text, other], [prediction]]
    for direction, expected in {
        "forward": (max(ways[0][0], ways[1][0]), ways[0][1]),
        "back": (max(ways[0][1], ways[1][1]), ways[0][0]),
        "min": (max(map(min, ways)), min(ways[0])),
        "mean": (max(sum(way) / 2 for way in ways), sum(ways[0]) / 2),
    }.items():
        found = nli.entailment.score(*columns, model=str(folder / "nli"), direction=direction)
        assert found == pytest.approx(expected, rel=1e-5), direction
        metric = ChosenMetric(f"entailment:model={folder}/nli,direction={direction}")
        assert metric.declared.symmetric == (direction in ("min", "mean"))
        metric.require_comparable()
    long = [[prediction, "so " * 200]] * 2
    counts = nli.entailment.counts(
        long[0], [[text]] * 2, model=str(folder / "nli"), long="truncate", direction="back"
    )
    assert counts == [{}, {"truncated": 1}]
    with pytest.raises(OptionError, match="entailment: which model"):
        nli.entailment.score(*columns)


# FED.


def test_fed_by_hand(folder: Path, torch):
    """Each turn and what follows it end with the token for the end; losses of what follows alone."""
    model = plain(folder / "gpt2", "CausalLM")
    said = [
        {"speaker": "Ann", "text": "Hi Bob"},
        {"speaker": "Bob", "text": ""},
        {"speaker": "Ann", "text": "Which?"},
    ]
    before = [
        token
        for text in ("Hi Bob", "Which?", "See you.")
        for token in [*model.words(text)["input_ids"], 0]
    ]
    means: dict[str, list[float]] = {"good": [], "bad": []}
    for row in languages.get("en").table("followups"):
        if row["quality"] == "relevant":
            ids = [*model.words(row["text"])["input_ids"], 0]
            means[row["side"]].append(-loss(model, before + ids, [-100] * len(before) + ids))
    good, bad = (sum(values) / len(values) for values in means.values())
    found = fed.score(
        ["See you.", "See you."], [said, said], model=str(folder / "gpt2"), quality="relevant"
    )
    assert found == pytest.approx([good - bad] * 2, rel=1e-4)
    assert fed.score(["See you."], [said], model=str(folder / "gpt2")) != pytest.approx(found[:1])


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({"quality": "relevance"}, OptionError, "did you mean relevant"),
        ({"language": languages.get("de")}, RecordError, "there are en, "),
        ({"model": "{}/bart"}, OptionError, "is a seq2seq model"),
        ({"model": ""}, OptionError, "which model"),
    ],
)
def test_what_fed_cannot_do(folder: Path, given: dict, error: type, message: str):
    given = {"model": "{}/gpt2"} | given
    given["model"] = given["model"].format(folder)
    with pytest.raises(error, match=message):
        fed.score(["Hi"], [[{"text": "So"}]], **given)
    with pytest.raises(RecordError, match="says nothing"):
        fed.score([" "], [[{"text": "So"}]], model=str(folder / "gpt2"))


# Packages that are not there, played by what has the same interface: that of unbabel-comet 2.2.7 and BLEURT 0.0.2,
# which were run once with models of random weights: the numbers were theirs, text by text.


class RegressionMetric:
    """Stands for a model of COMET that reads references; its number is how long the texts are together."""

    hparams: dict = {"pool": "avg"}

    def __init__(self) -> None:
        self.calls: list[tuple] = []

    def requires_references(self) -> bool:
        return True

    def predict(
        self,
        samples,
        batch_size=16,
        gpus=1,
        devices=None,
        mc_dropout=0,
        progress_bar=True,
        accelerator="auto",
        num_workers=None,
        length_batching=True,
    ):
        logging.getLogger("pytorch_lightning").warning("See what else we have")
        self.calls.append((len(samples), batch_size, gpus, devices, progress_bar))
        return SimpleNamespace(scores=[sum(map(len, row.values())) for row in samples])


class ReferencelessRegression(RegressionMetric):
    def requires_references(self) -> bool:
        return False


class Unified(ReferencelessRegression):
    hparams = {"input_segments": ["mt", "src"]}


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    path = tmp_path / "checkpoints" / "model.ckpt"
    path.parent.mkdir()
    path.write_text("")
    (tmp_path / "hparams.yaml").write_text("")
    return str(path)


def comet_is(monkeypatch: pytest.MonkeyPatch, load: Callable) -> None:
    def download_model(model: str, saving_directory=None, local_files_only=False) -> str:
        raise KeyError(f"Model '{model}' not supported by COMET.")

    package = SimpleNamespace(
        load_from_checkpoint=lambda path, local_files_only: load(), download_model=download_model
    )
    monkeypatch.setitem(sys.modules, "comet", package)
    learned_metrics._comet.cache_clear()


COLUMNS = ["a", "a"], ["bb", "bb"], [["ccc", "c"], ["ccc"]]


def test_comet_gets_what_it_reads(checkpoint: str, monkeypatch: pytest.MonkeyPatch, caplog):
    model = RegressionMetric()
    comet_is(monkeypatch, lambda: model)
    assert comet.score(*COLUMNS, model=checkpoint, device="cpu") == [6, 6]
    assert comet.score(*COLUMNS, model=checkpoint, device="cpu", refs="mean", batch_size=4) == [
        5,
        6,
    ]
    assert model.calls == [(2, 16, 0, None, False), (2, 4, 0, None, False)]
    assert not caplog.records and logging.getLogger("x").isEnabledFor(logging.WARNING)
    assert ChosenMetric("comet:model=x,source=context,reference=no").keys == (
        "context",
        "prediction",
    )
    with pytest.raises(RecordError, match='"text" is a string'):
        comet.score([None], ["b"], [["c"]], model=checkpoint)


@pytest.mark.parametrize(
    "device, asked", [("cuda:1", (1, [1])), ("cuda", (1, None)), ("cpu", (0, None))]
)
def test_comet_works_where_it_is_told_to(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch, device: str, asked: tuple
):
    model = RegressionMetric()
    comet_is(monkeypatch, lambda: model)
    monkeypatch.setattr(checkpoints, "device_of", lambda name: name)
    comet.score(*COLUMNS, model=checkpoint, device=device)
    assert model.calls[0][2:4] == asked


@pytest.mark.parametrize("kind", [ReferencelessRegression, Unified])
def test_comet_with_and_without_references(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch, kind: type
):
    comet_is(monkeypatch, kind)
    assert comet.score(*COLUMNS[:2], model=checkpoint, device="cpu", reference=False) == [3, 3]
    with pytest.raises(OptionError, match="reads no reference: reference=no"):
        comet.score(*COLUMNS, model=checkpoint, device="cpu")
    comet_is(monkeypatch, RegressionMetric)
    with pytest.raises(OptionError, match="leave out reference=no"):
        comet.score(*COLUMNS[:2], model=checkpoint, device="cpu", reference=False)


class XCOMETMetric(RegressionMetric):
    """Stands for a model that marks errors: every "bad" of the translation."""

    def predict(self, samples, **options):
        predicted = super().predict(samples, **options)
        spans = [
            [
                {"text": "bad", "confidence": 0.5, "severity": "major", "start": n, "end": n + 3}
                for n in range(len(row["mt"]))
                if row["mt"].startswith("bad", n)
            ]
            for row in samples
        ]
        predicted.metadata = SimpleNamespace(error_spans=spans)
        return predicted


def test_errors_that_comet_marks_stay_in_the_record(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch
):
    model = XCOMETMetric()
    comet_is(monkeypatch, lambda: model)
    monkeypatch.setattr(scorers, "_version", lambda library: "2")
    records = [
        {"id": 1, "text": "x", "prediction": "a bad day", "reference": ["good", "g"]},
        {"id": 2, "text": "x", "prediction": "fine", "reference": "fine"},
    ]
    label = f"comet:model={checkpoint}"
    scored = list(dialtools.score(records, metric=[label]))
    assert [record["error_spans"][label] for record in scored] == [
        [{"text": "bad", "confidence": 0.5, "severity": "major", "start": 2, "end": 5}],
        [],
    ]
    assert len(model.calls) == 1  # for scores and errors
    restored = dialogue.unpredicted(scored[0], overwrite=True)
    assert "error_spans" not in restored
    comet_is(monkeypatch, RegressionMetric)
    again = next(dialtools.score(scored[:1], metric=[label, "exact"]))
    assert again["error_spans"] == {} and again["scores"].keys() == {label, "exact"}
    comet_is(monkeypatch, XCOMETMetric)
    with pytest.raises(RecordError, match='"error_spans" is an object, here is'):
        list(dialtools.score([records[0] | {"error_spans": [[0, 1]]}], metric=[label]))


def test_no_checkpoint_of_comet(checkpoint: str, monkeypatch: pytest.MonkeyPatch):
    def broken() -> None:
        raise RuntimeError("Weights only\nload failed")

    comet_is(monkeypatch, broken)
    with pytest.raises(MissingError, match="cannot be loaded: Weights only load failed"):
        comet.score(*COLUMNS, model=checkpoint, device="cpu")
    with pytest.raises(MissingError, match="neither a file"):
        comet.score(*COLUMNS, model="wmt20-comet-da", device="cpu", offline=True)
    os.unlink(Path(checkpoint).parent.parent / "hparams.yaml")
    with pytest.raises(MissingError, match="no hparams.yaml"):
        comet.score(*COLUMNS, model=checkpoint, device="cpu")


def test_bleurt_gets_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Scorer:
        def __init__(self, checkpoint: str):
            assert (Path(checkpoint) / "vocab.txt").exists(), "File vocab.txt missing."

        def score(self, *args, references=(), candidates=(), batch_size=None):
            assert not args
            return [
                len(one) - len(other) for one, other in zip(references, candidates, strict=True)
            ]

    package = SimpleNamespace(
        BleurtScorer=Scorer, tf=SimpleNamespace(errors=SimpleNamespace(OpError=EOFError))
    )
    monkeypatch.setattr(learned_metrics, "_bleurt_package", lambda: package)
    for file, message in (
        ("bleurt_config.json", "no bleurt_config.json"),
        ("vocab.txt", "loaded: File vocab.txt mis"),
    ):
        with pytest.raises(MissingError, match=message):
            bleurt.score(["a"], [["bb"]], model=str(tmp_path))
        (tmp_path / file).write_text("{}")
    assert bleurt.score(["a", "cc"], [["bb", "bbb"], ["c"]], model=str(tmp_path)) == [2, -1]


@pytest.mark.parametrize(
    "name, command", [("comet", "unbabel-comet"), ("bleurt", "git+https://github.com/google")]
)
def test_a_missing_package_is_named(name: str, command: str):
    with pytest.raises(MissingError, match=f"pip install {command}".replace("+", r"\+")):
        scorers.of(f"{name}:model=x", "en")


def test_a_classifier_writes_labels_as_predictions(folder: Path, torch):
    """The most probable label by the probabilities that transformers' own model gives."""
    records = [
        {"id": number, "lang": "en", "text": text, "context": "tell me"}
        for number, text in enumerate(TEXTS)
    ]
    model = plain(folder / "nli", "SequenceClassification")
    rows = model.network(
        **model.words(TEXTS, ["yes"] * len(TEXTS), padding=True, return_tensors="pt")
    ).logits
    own = {"model": str(folder / "nli"), "of": "text", "against": "answer", "other": "second"}
    spec = ",".join(f"{key}={value}" for key, value in own.items())
    made = list(
        dialtools.generate(
            [{**record, "answer": "yes"} for record in records],
            generator=f"classifier:{spec},number=3",
        )
    )
    for record, row in zip(made, rows.softmax(-1).tolist(), strict=True):
        order = sorted(range(3), key=lambda at: -row[at])
        assert record["prediction"] == [NLI[at] for at in order] and record["system"] == "nli"
        assert record["prediction_scores"] == pytest.approx(
            dict(zip(NLI, row, strict=True)), abs=1e-5
        )
    [first] = dialtools.generate(records[:1], model=str(folder / "nli"))
    scores = {
        label: classifier.score([f"tell me\n{TEXTS[0]}"], model=str(folder / "nli"), label=label)[0]
        for label in NLI
    }
    assert first["prediction"] == max(scores, key=scores.get)
    assert first["prediction_scores"] == pytest.approx(scores)
    [several] = dialtools.generate(
        records[:1], generator=f"classifier:model={folder / 'several'},of=text"
    )
    found = {
        label: classifier.score(TEXTS[:1], model=str(folder / "several"), label=label)[0]
        for label in ("toxic", "Rude")
    }
    assert several["prediction"] == "; ".join(label for label in found if found[label] >= 0.5)


@pytest.mark.parametrize(
    "more, reason",
    [
        ("", "No classifier given"),
        ("model=nli,against=context", "needs both against=KEY and other="),
        ("model=nli,of=summary", 'no "summary"'),
        ("model=several,number=2,of=context", "several labels at once"),
        ("model=nli", "positions for .*: long=truncate"),
        ("model=nli,against=reference,other=first", "one text .* are 2"),
    ],
)
def test_a_classifier_that_can_write_no_label(folder: Path, torch, more: str, reason: str):
    record = {"id": 1, "lang": "en", "text": LONG, "reference": ["a", "b"], "context": "b"}
    spec = more.replace("model=", f"model={folder}/")
    with pytest.raises((OptionError, RecordError), match=reason):
        list(dialtools.generate([record], generator=f"classifier:{spec}" if spec else "classifier"))
    if more == "model=nli":
        [made] = dialtools.generate([record], generator=f"classifier:{spec},long=truncate")
        assert made["history"][-1]["truncated"] and made["prediction"] in NLI
