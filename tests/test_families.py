"""dt-generate with models of each family it is for: against plain transformers, by torch and by ctranslate2."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny_families
import tiny_models
from flat_options import generate

from dialtools.models import checkpoints, ctranslate, folders, likelihoods, multilingual, writers
from dialtools.system.errors import MissingError, OptionError, RecordError

RECORDS = [
    {"id": number, "lang": "en", "text": text}
    for number, text in enumerate([*tiny_models.TEXTS[::2], " ".join(tiny_models.TEXTS[:3]), "Hi"])
]
LANGUAGES = {
    "mbart": ("ja_XX", "hi_IN"),
    "mbart50": ("ja_XX", "hi_IN"),
    "m2m": ("ja", "hi"),
    "nllb": ("jpn_Jpan", "hin_Deva"),
}
FAMILIES = (
    "bart",
    "pegasus",
    "t5",
    "flan",
    "mt5",
    "mbart",
    "mbart50",
    "m2m",
    "nllb",
    "marian",
    "llama",
)


def saved(family: str, place: Path) -> tuple[str, Any, Any]:
    """Return the folder of a model, the model and its tokenizer."""
    pytest.importorskip("transformers")
    if family in ("m2m", "marian"):
        pytest.importorskip("sentencepiece")
        model, words = getattr(tiny_families, family)(place)
    else:
        model, words = tiny_models.nllb() if family == "nllb" else getattr(tiny_families, family)()
    return tiny_models.save(place / family, model, words), model.eval(), words


def by_transformers(family: str, model: Any, words: Any) -> list[str]:
    """Return what plain transformers writes for each record, told of languages as its manual says for the family."""
    source, target = LANGUAGES.get(family, ("", ""))
    more, known = {}, getattr(words, "lang_token_to_id", {})
    if target:
        words.src_lang = source
        token = known[f"__{target}__"] if known else words.convert_tokens_to_ids(target)
        more = {"decoder_start_token_id" if family == "mbart" else "forced_bos_token_id": token}
    found = []
    for record in RECORDS:
        if words.chat_template:
            given = words.apply_chat_template(
                [{"role": "user", "content": record["text"]}],
                return_tensors="pt",
                add_generation_prompt=True,
                return_dict=True,
            )
        else:
            given = words(record["text"], return_tensors="pt")
        start = given["input_ids"].shape[1] if family == "llama" else 1
        with checkpoints.hushed():
            out = model.generate(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                num_beams=4,
                max_new_tokens=12,
                early_stopping=True,
                do_sample=False,
                **more,
            )
        own = [token for token in out[0, start:].tolist() if token not in known.values()]
        found.append(words.decode(own, skip_special_tokens=True).strip())
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_both_engines_write_what_transformers_writes(family: str, made_here, tmp_path: Path):
    place, model, words = saved(family, tmp_path)
    expected = by_transformers(family, model, words)
    assert len(set(expected)) > 3  # they depend on what was read
    source, target = LANGUAGES.get(family, (None, None))
    options = dict(
        model=place,
        stop_at_beams=True,
        renormalize=True,
        max_new_tokens=12,
        src_lang=source,
        tgt_lang=target,
    )
    for engine in ("torch", "ctranslate2"):
        made = generate(RECORDS, engine=engine, no_repeat_ngram_size=0, **options)
        assert [record["prediction"] for record in made] == expected
    longer = [
        [
            record["prediction"]
            for record in generate(RECORDS, engine=engine, number=3, min_new_tokens=9, **options)
        ]
        for engine in ("torch", "ctranslate2")
    ]
    assert longer[0] == longer[1]


def test_a_model_that_reads_padding_reads_each_record_by_itself(tmp_path: Path):
    """RWKV has no mask; and no search, which transformers says."""
    from transformers import RwkvConfig, RwkvForCausalLM

    words = tiny_models.tokenizer(["<end>"], None)
    tiny_models.ready()
    model = RwkvForCausalLM(
        RwkvConfig(
            vocab_size=len(words),
            hidden_size=32,
            num_hidden_layers=2,
            attention_hidden_size=32,
            intermediate_size=32,
            context_length=200,
            bos_token_id=0,
            eos_token_id=0,
        )
    ).eval()
    place = tiny_models.save(tmp_path, model, words)
    expected = []
    for record in RECORDS:
        given = words(record["text"] + "\n", return_tensors="pt")["input_ids"]
        with checkpoints.hushed():
            out = model.generate(
                input_ids=given, max_new_tokens=12, do_sample=False, pad_token_id=0
            )
        expected.append(words.decode(out[0, given.shape[1] :], skip_special_tokens=True).strip())
    options = dict(model=place, max_new_tokens=12, no_repeat_ngram_size=0)
    assert [record["prediction"] for record in generate(RECORDS, beams=1, **options)] == expected
    with pytest.raises(
        OptionError, match="transformers refuses: RwkvForCausalLM cannot use beam search"
    ):
        list(generate(RECORDS, **options))


@pytest.mark.parametrize("family", ["Mistral", "Qwen2"])
def test_what_lies_beyond_a_window_that_slides_is_cut_for_ctranslate2(
    family: str, made_here, tmp_path: Path
):
    """CTranslate2 went on without a window (Qwen) or wrote other texts (Mistral); the reference is transformers'."""
    import transformers

    words = tiny_models.tokenizer()
    tiny_models.ready(7)
    model = getattr(transformers, f"{family}ForCausalLM")(
        getattr(transformers, f"{family}Config")(
            vocab_size=len(words),
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            initializer_range=0.4,
            max_position_embeddings=512,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            sliding_window=40,
            **{"use_sliding_window": True, "max_window_layers": 0} if family == "Qwen2" else {},
        )
    )
    place = tiny_models.save(tmp_path / family, model, words)
    records = [
        {"id": n, "lang": "en", "text": " ".join(tiny_models.TEXTS[n : n + 4])} for n in range(3)
    ]
    options = dict(model=place, beams=1, no_repeat_ngram_size=2, max_new_tokens=12)
    made = list(generate(records, engine="ctranslate2", **options))
    assert [record["history"][0]["truncated"] for record in made] == [True] * 3
    expected = [record["prediction"] for record in generate(records, max_input=28, **options)]
    assert [record["prediction"] for record in made] == expected
    where, text = checkpoints.Place(device="cpu"), records[0]["text"]
    with pytest.raises(RecordError, match="the model has positions for 40"):
        likelihoods.causal(place, [text], where, likelihoods.CausalReading(engine="ctranslate2"))
    short, own = likelihoods.causal(
        place, ["Hi", text], where, likelihoods.CausalReading(engine="ctranslate2", long="truncate")
    )
    expected = likelihoods.causal(place, ["Hi", text], where)
    assert short == pytest.approx(expected[0], abs=1e-4) and own == pytest.approx(
        expected[1][:39], abs=1e-4
    )


def test_a_window_that_slides_in_the_encoder_counts_too(made_here, tmp_path: Path):
    """T5Gemma has one for each side; the reference is transformers, which is given no more to read."""
    from transformers import T5GemmaConfig, T5GemmaForConditionalGeneration

    words = tiny_models.tokenizer()
    side = dict(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        query_pre_attn_scalar=8,
        max_position_embeddings=512,
        attn_logit_softcapping=None,
        final_logit_softcapping=None,
        pad_token_id=1,
        eos_token_id=2,
    )
    tiny_models.ready(7)
    model = T5GemmaForConditionalGeneration(
        T5GemmaConfig(
            encoder=side | {"sliding_window": 40},
            decoder=side | {"sliding_window": 50},
            vocab_size=len(words),
            initializer_range=0.4,
        )
    )
    model.generation_config.update(decoder_start_token_id=0, eos_token_id=2, pad_token_id=1)
    options = dict(model=tiny_models.save(tmp_path, model, words), beams=1, max_new_tokens=12)
    records = [
        {"id": n, "lang": "en", "text": " ".join(tiny_models.TEXTS[n : n + 6])} for n in range(3)
    ]
    made = list(generate(records, engine="ctranslate2", **options))
    assert [record["history"][0]["truncated"] for record in made] == [True] * 3
    expected = [record["prediction"] for record in generate(records, max_input=40, **options)]
    assert [record["prediction"] for record in made] == expected


@pytest.mark.parametrize(
    "family, part, at",
    [
        ("marian", "model.encoder.layers.0.fc1.bias", 0),
        ("marian", "final_logits_bias", 7),
        ("marian", "model.decoder.layers.0.encoder_attn.v_proj.weight", 0),
        ("marian", "model.shared.weight", 480),
        ("t5", "decoder.final_layer_norm.weight", 0),
        ("llama", "model.layers.1.mlp.up_proj.weight", 0),
        ("llama", "lm_head.weight", -1),
        ("bert", "encoder.layer.0.output.dense.bias", 0),
    ],
)
def test_a_model_that_is_converted_wrongly_is_refused(
    family: str, part: str, at: int, made_here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The converter is given weights of which one is off by a hundredth, of any token; as they are they are taken."""
    if family == "bert":
        words = tiny_models.tokenizer()
        place = tiny_models.save(tmp_path / family, tiny_models.bert(words), words)
    else:
        place = saved(family, tmp_path)[0]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # where none is kept
    as_expected = ctranslate._as_expected

    def spoiled(model: Any, architecture: str) -> Any:
        model.state_dict()[part].flatten()[at] += 0.01
        return as_expected(model, architecture)

    with monkeypatch.context() as patch:
        patch.setattr(ctranslate, "_as_expected", spoiled)
        with pytest.raises(
            MissingError, match="differs by .* from that of transformers: engine=torch"
        ):
            ctranslate.converted(folders.Checkpoint(place))
    assert ctranslate.converted(folders.Checkpoint(place))


def test_a_marian_that_may_write_its_padding_is_refused(made_here, tmp_path: Path):
    """CTranslate2 leaves that out; where the settings do not forbid it, transformers may write it."""
    place, model, words = saved("marian", tmp_path)
    model.generation_config.bad_words_ids = None
    tiny_models.save(tmp_path / "marian", model)
    with pytest.raises(
        OptionError,
        match=rf"bad_words_ids None, and what ctranslate2 .* is \[\[{len(words) - 1}\]\]",
    ):
        list(generate(RECORDS, model=place, engine="ctranslate2", beams=1))


def test_where_tokens_are_forbidden_a_search_renormalizes_or_is_refused(made_here, tmp_path: Path):
    place, model, _ = saved("marian", tmp_path)
    model.generation_config.renormalize_logits = False
    tiny_models.save(tmp_path / "marian", model)
    options = dict(
        model=place,
        engine="ctranslate2",
        no_repeat_ngram_size=0,
        stop_at_beams=True,
        max_new_tokens=12,
    )
    with pytest.raises(OptionError, match="add renormalize=True, or"):
        list(generate(RECORDS, **options))


def test_a_search_without_length_penalty_goes_on_after_its_best_output(made_here, tmp_path: Path):
    """CTranslate2 would end it there, and have others than the second best."""
    place, model, _ = saved("marian", tmp_path)
    model.generation_config.forced_eos_token_id = None
    tiny_models.save(tmp_path / "marian", model)
    records = [{"id": text, "lang": "en", "text": text} for text in ("at", "Mio:")]
    made = [
        [
            record["prediction"]
            for record in generate(
                records,
                model=place,
                engine=engine,
                beams=3,
                number=2,
                length_penalty=0.0,
                no_repeat_ngram_size=0,
                max_new_tokens=30,
                stop_at_beams=True,
            )
        ]
        for engine in ("torch", "ctranslate2")
    ]
    assert made[0] == made[1]


@pytest.mark.parametrize("family", LANGUAGES)
def test_which_language_is_not_guessed(family: str, tmp_path: Path):
    """The decoder of mBART-25 would begin with another token, and write in no language at all."""
    place = saved(family, tmp_path)[0]
    with pytest.raises(OptionError, match="No output language given: use tgt_lang=CODE"):
        list(generate(RECORDS[:1], model=place, max_new_tokens=9))
    with pytest.raises(OptionError, match="knows no language 'hi_XX'.*it has a"):
        list(generate(RECORDS[:1], model=place, tgt_lang="hi_XX", max_new_tokens=9))


def test_a_tokenizer_that_names_two_languages_has_no_tokens_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """That of FSMT (facebook/wmt19-en-de) has a src_lang and a tgt_lang, and no more to choose from than BART's."""
    place = saved("bart", tmp_path)[0]
    [expected] = generate(RECORDS[:1], model=place, max_new_tokens=9)
    words = writers.writer(
        "seq2seq", folders.Checkpoint(place), "torch", "auto", "float32"
    ).tokenizer
    monkeypatch.setattr(words, "src_lang", "en", raising=False)
    multilingual.many.cache_clear()
    assert list(generate(RECORDS[:1], model=place, max_new_tokens=9)) == [expected]
    with pytest.raises(OptionError, match="tokenizer knows no languages"):
        list(generate(RECORDS[:1], model=place, max_new_tokens=9, tgt_lang="de"))


@pytest.mark.parametrize("family", LANGUAGES)
def test_what_is_read_is_of_the_records_language(family: str, tmp_path: Path):
    """The tokenizer's own is English, in which it would read whatever it is given; NLLB has two scripts for zh."""
    place = saved(family, tmp_path)[0]
    japanese, target = LANGUAGES[family]

    def made(records: list[dict], **more: str) -> list[str]:
        return [
            record["prediction"]
            for record in generate(
                records, model=place, tgt_lang=target, max_new_tokens=12, batch_size=1, **more
            )
        ]

    own = {"en": made(RECORDS), "ja": made(RECORDS, src_lang=japanese)}
    assert own["en"] != own["ja"]
    assert own["en"] == made(
        RECORDS, src_lang={"nllb": "eng_Latn", "m2m": "en"}.get(family, "en_XX")
    )
    written = ["ja", "en", "JA_jp", "en", "jpn_Jpan", "en"]  # however it is written
    mixed = [record | {"lang": lang} for record, lang in zip(RECORDS, written, strict=True)]
    assert made(mixed) == [
        own["en" if lang == "en" else "ja"][number] for number, lang in enumerate(written)
    ]
    at = next(
        number for number, pair in enumerate(zip(*own.values(), strict=True)) if len(set(pair)) > 1
    )
    twins = [
        RECORDS[at] | {"id": lang, "lang": lang} for lang in own
    ]  # one text, in one window and in a cache
    assert made(twins, cache=str(tmp_path / "cache")) == [texts[at] for texts in own.values()]
    unclear = {"nllb": "zh", "mbart": "sw"}.get(family, "tlh")
    with pytest.raises(
        RecordError, match=rf"has not one code for {unclear}: which is it.*\(id 1\)"
    ):
        made([record | {"lang": unclear if record["id"] == 1 else "en"} for record in RECORDS])


@pytest.mark.parametrize("family", ["bart", "llama"])
def test_pickled_weights_are_read_where_that_is_allowed(family: str, made_here, tmp_path: Path):
    """The texts are those of the same weights in safetensors; what a pickle would run is not run even so."""
    import torch

    place, model, _ = saved(family, tmp_path)
    options = dict(model=place, max_new_tokens=9, stop_at_beams=True, renormalize=True)
    expected = [record["prediction"] for record in generate(RECORDS, **options)]
    (tmp_path / family / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / family / "pytorch_model.bin")
    writers.writer.cache_clear()
    for engine in ("torch", "ctranslate2"):
        with pytest.raises(MissingError, match="no weights in safetensors.*allow_pickle=True"):
            list(generate(RECORDS, engine=engine, **options))
        made = list(generate(RECORDS, engine=engine, allow_pickle=True, **options))
        assert [record["prediction"] for record in made] == expected
        assert "allow_pickle" not in made[0]["history"][0]["signature"]
    torch.save({"x": Runs(tmp_path / "was run")}, tmp_path / family / "pytorch_model.bin")
    folders.digest.cache_clear()
    writers.writer.cache_clear()
    for engine in ("torch", "ctranslate2"):
        with pytest.raises(MissingError, match="holds more than weights"):
            list(generate(RECORDS, engine=engine, allow_pickle=True, **options))
    assert not (tmp_path / "was run").exists()


class Runs:
    """What makes a file when it comes out of a pickle."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickled_weights_are_part_of_a_models_digest(tmp_path: Path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"1")
    first = folders.digest(folders.Checkpoint(str(tmp_path)))
    (tmp_path / "pytorch_model.bin").write_bytes(b"2")
    folders.digest.cache_clear()
    assert folders.digest(folders.Checkpoint(str(tmp_path))) != first
    with pytest.raises(MissingError, match="no weights: there is no file"):
        (tmp_path / "pytorch_model.bin").unlink()
        folders.check_weights(str(tmp_path), allow_pickle=True)


def test_a_hub_model_without_safetensors_is_told_alike():
    """The reason is what transformers 5.23 says."""
    reason = (
        "org/old does not appear to have a file named model.safetensors or model.safetensors.index.json and thus "
        "cannot be loaded with `safetensors`. Please do not set `use_safetensors=True`."
    )
    assert checkpoints._explained("org/old", False, reason) == folders.unsafe("org/old")


def test_a_full_disk_is_no_missing_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Converting is done by another process, of which its last line is told."""
    pytest.importorskip("ctranslate2")
    for file in ("config.json", "model.safetensors"):
        (tmp_path / file).write_text("{}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        ctranslate.subprocess,
        "run",
        lambda *given, **more: SimpleNamespace(
            returncode=1, stderr=b"Traceback\nOSError: [Errno 28] No space left on device\n"
        ),
    )
    with pytest.raises(OSError, match="for ctranslate2 into .*cache.*: No space left on device"):
        ctranslate.converted(folders.Checkpoint(str(tmp_path)))
