"""The engines of dt-generate: CTranslate2 against transformers, what each refuses; models of all kinds; batches.

The models are those of tiny_models.py, converted once for the whole file.
"""

import json
import shutil
import sqlite3
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
import tiny_families
import tiny_models
from flat_options import generate
from tiny_models import TEXTS

import dialtools
from dialtools.evaluation import noise
from dialtools.inference import identity_check, inputs
from dialtools.models import checkpoints, ctranslate, engine_torch, engine_vllm, folders, writers
from dialtools.models.decoding import Decoding
from dialtools.system.errors import MissingError, OptionError, RecordError

RECORDS = [
    {"id": number, "lang": "en", "text": text}
    for number, text in enumerate([*TEXTS, " ".join(TEXTS[:3]), "Hi", "Thanks! " * 9])
]
FEW = RECORDS[::2]  # which are short, long, Japanese and repetitive as all are
SHORT = {"max_new_tokens": 12}


@pytest.fixture(scope="session")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of models: those of tiny_models, and ending, a BART whose outputs are of many lengths."""
    place = tiny_models.folder(tmp_path_factory.mktemp("engines"))
    words = tiny_models.tokenizer()
    bart = tiny_models.bart(words)
    bart.final_logits_bias[0, 2] = 6.0
    tiny_models.save(place / "ending", bart, words)
    return place


def outputs(model: Path, records: list[dict] = FEW, **options) -> list:
    made = generate(
        records,
        model=str(model),
        **{"stop_at_beams": True, "renormalize": True, **SHORT, **options},
    )
    return [record["prediction"] for record in made]


@pytest.mark.parametrize(
    "name", ["ending", *(pytest.param(name, marks=pytest.mark.slow) for name in ("t5", "gpt2"))]
)
def test_ctranslate2_writes_what_transformers_writes(folder: Path, made_here, name: str):
    model = folder / name
    for options in (
        {},
        {"no_repeat_ngram_size": 0, "length_penalty": 2.0},
        {"beams": 1},
        {"min_new_tokens": 9},
        {"repetition_penalty": 1.7, "no_repeat_ngram_size": 2, "beams": 1},
        {"max_new_tokens": 30, "beams": 3},
    ):
        expected = outputs(model, exact=True, **options)
        assert outputs(model, engine="ctranslate2", **options) == expected, options
        assert len(set(expected)) > 3  # they depend on what was read


def test_n_best_and_its_scores(folder: Path, made_here):
    """Scores are those of transformers: sums of log-probabilities over length to the power of the penalty."""
    made = [
        list(
            generate(
                RECORDS,
                model=str(folder / "ending"),
                engine=engine,
                stop_at_beams=True,
                renormalize=True,
                number=3,
                max_new_tokens=40,
            )
        )
        for engine in ("torch", "ctranslate2")
    ]
    for ours, theirs in zip(*made, strict=True):
        assert ours["prediction"] == theirs["prediction"]
        scores = [record["history"][0]["beam_scores"] for record in (ours, theirs)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-3) and scores[0] == sorted(
            scores[0], reverse=True
        )


def test_n_best_where_a_search_goes_on_to_its_last_step(folder: Path, made_here):
    """An output that is cut gets the end, and may then be better than one that ended before."""
    records = [
        {"id": text, "text": text}
        for text in ("Ann:", "I will be", "will be there", "meeting", "Dev:", "Mio:")
    ]
    given = {"stop_at_beams": True, "renormalize": True, "beams": 3, "number": 3, **SHORT}
    made = [
        [
            record["prediction"]
            for record in generate(records, model=str(folder / "ending"), engine=engine, **given)
        ]
        for engine in ("torch", "ctranslate2")
    ]
    assert made[0] == made[1]


def test_ctranslate2_and_the_least_and_the_most_tokens(folder: Path, made_here):
    """The end that is forced is one of both."""
    for beams in (1, 3):
        given = {"beams": beams, "min_new_tokens": 12, **SHORT}
        assert outputs(folder / "ending", engine="ctranslate2", **given) == outputs(
            folder / "ending", exact=True, **given
        )
    with pytest.raises(OptionError, match="max_new_tokens is 2 or more"):
        outputs(folder / "ending", engine="ctranslate2", max_new_tokens=1)


def test_the_least_tokens_by_a_models_own_settings(folder: Path, made_here, tmp_path: Path):
    model = shutil.copytree(folder / "ending", tmp_path / "least")
    path = model / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"min_new_tokens": 9}))
    for beams in (1, 4):
        expected = outputs(folder / "ending", exact=True, beams=beams, min_new_tokens=9)
        assert expected != outputs(folder / "ending", exact=True, beams=beams)
        assert (
            outputs(model, exact=True, beams=beams)
            == outputs(model, engine="ctranslate2", beams=beams)
            == expected
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ending", "gpt2"])
def test_what_is_empty_in_a_models_own_settings_is_no_setting(
    folder: Path, made_here, tmp_path: Path, name: str
):
    """Published models have such lists; the reference is the same model with null in their places."""
    given = {"stop_at_beams": True, "renormalize": True, **SHORT}
    empty = {
        key: []
        for key in (
            "suppress_tokens",
            "begin_suppress_tokens",
            "bad_words_ids",
            "stop_strings",
            "forced_bos_token_id",
            "forced_eos_token_id",
            "decoder_start_token_id",
        )
    }
    for kind, lists in (
        ("empty", empty | {"sequence_bias": {}}),
        ("null", dict.fromkeys([*empty, "sequence_bias"])),
    ):
        path = Path(shutil.copytree(folder / name, tmp_path / kind), "generation_config.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | lists))
    for engine in ("torch", "ctranslate2"):
        expected = outputs(tmp_path / "null", engine=engine, **given)
        assert outputs(tmp_path / "empty", engine=engine, **given) == expected
        assert outputs(tmp_path / "null", **given) == expected


def test_settings_that_cannot_be_read_are_not_done_without(folder: Path, made_here, tmp_path: Path):
    model = shutil.copytree(folder / "gpt2", tmp_path / "model")
    (model / "generation_config.json").write_text("{,}")
    for engine in ("torch", "ctranslate2"):
        with pytest.raises(MissingError, match="generation_config.json is no JSON"):
            outputs(model, engine=engine, **SHORT)


def test_a_model_that_writes_padding_does_not_come_to_an_end(torch, made_here, tmp_path: Path):
    words = tiny_models.tokenizer()
    bart = tiny_models.bart(words)
    bart.final_logits_bias[0, 1] = 1000
    name = tiny_models.save(tmp_path / "padding", bart, words)
    for engine in ("torch", "ctranslate2"):
        [made] = generate(
            RECORDS[:1], model=name, engine=engine, beams=1, no_repeat_ngram_size=0, **SHORT
        )
        told = made["history"][0]
        assert (made["prediction"], told["finish"], told["output_tokens"]) == (
            "",
            "length",
            11,
        )  # and the forced end


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("ending", {}, "stop_at_beams=True,renormalize=True"),
        ("ending", {"no_repeat_ngram_size": 0}, "add stop_at_beams=True, or"),
        (
            "ending",
            {"stop_at_beams": True, "renormalize": True, "repetition_penalty": 2.0},
            "beams=1",
        ),
        ("gpt2", {"sample": True}, "engine=torch for samples"),
        ("gpt2", {"device": "meta"}, "no device 'meta'"),
    ],
)
def test_what_ctranslate2_cannot_do_is_an_error(
    folder: Path, made_here, name: str, options: dict, message: str
):
    with pytest.raises((OptionError, MissingError), match=message):
        list(
            generate(
                RECORDS[:1], model=str(folder / name), engine="ctranslate2", **{**SHORT, **options}
            )
        )


def test_int8_is_named_in_the_signature_and_not_for_torch(
    folder: Path, cache, tmp_path: Path, monkeypatch
):
    """In a working directory with a module of the user's own that is called as one of the libraries is."""
    (tmp_path / "torch.py").write_text("raise SystemExit('not that one')")
    monkeypatch.chdir(tmp_path)
    [made] = generate(
        RECORDS[:1],
        model=str(folder / "ending"),
        engine="ctranslate2",
        precision="int8",
        beams=1,
        **SHORT,
    )
    assert "|engine:ctranslate2|" in made["history"][0]["signature"]
    assert "|precision:int8|" in made["history"][0]["signature"]
    with pytest.raises(OptionError, match="torch has no int8"):
        list(generate(RECORDS[:1], model=str(folder / "ending"), precision="int8", **SHORT))


def test_a_model_is_converted_once_for_all_copies_of_it(folder: Path, made_here, tmp_path: Path):
    first = ctranslate.converted(folders.Checkpoint(str(folder / "ending")))
    copy = shutil.copytree(folder / "ending", tmp_path / "copy")
    assert ctranslate.converted(folders.Checkpoint(str(copy))) == first
    assert not [name for name in Path(first).parent.iterdir() if name.name.startswith(".")]
    one, other = (
        folders.digest(folders.Checkpoint(str(folder / name))) for name in ("bart", "ending")
    )
    assert one != other


def test_what_cannot_be_converted_says_why(folder: Path, cache, tmp_path: Path):
    from transformers import BlenderbotConfig, BlenderbotForConditionalGeneration

    words = tiny_models.tokenizer()
    model = BlenderbotForConditionalGeneration(
        BlenderbotConfig(
            vocab_size=len(words),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_position_embeddings=64,
        )
    )
    with pytest.raises(MissingError, match="No conversion is registered.* engine=torch takes it"):
        ctranslate.converted(folders.Checkpoint(tiny_models.save(tmp_path / "other", model, words)))


def test_where_converted_models_may_be_kept_is_told(folder: Path, monkeypatch, tmp_path: Path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(
        OSError, match="Not a directory; XDG_CACHE_HOME names .*file/dialtools/ctranslate2"
    ):
        ctranslate.converted(folders.Checkpoint(str(folder / "ending")))


def test_a_model_that_no_engine_takes_is_not_recommended_to_another(
    folder: Path, cache, tmp_path: Path
):
    broken = shutil.copytree(folder / "bart", tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(
        MissingError,
        match="cannot take .*: cannot load the model in [^;]*broken: Error while [^;]*$",
    ):
        ctranslate.converted(folders.Checkpoint(str(broken)))


def test_vllm_refuses_what_it_would_do_otherwise():
    with pytest.raises(OptionError, match="--beams 1"):
        engine_vllm._check(search(beams=4))
    with pytest.raises(OptionError, match="no_repeat_ngram_size=0"):
        engine_vllm._check(search(beams=1, no_repeat_ngram_size=3))
    with pytest.raises(OptionError, match="makes its own batches"):
        engine_vllm._check(search(beams=1, exact=True))


def search(**changes) -> writers.Search:
    exact = changes.pop("exact", False)
    return writers.Search(Decoding(**{"no_repeat_ngram_size": 0, **changes}), exact=exact)


def test_vllm_is_missing(folder: Path):
    if by_vllm_is_installed():
        pytest.skip("it is installed")
    with pytest.raises(MissingError, match="vllm"):
        list(
            generate(
                RECORDS[:1],
                model=str(folder / "gpt2"),
                engine="vllm",
                beams=1,
                no_repeat_ngram_size=0,
            )
        )


def by_vllm_is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("vllm") is not None


# What a model reads and where its output ends.


def test_an_output_ends_before_a_stop_text(folder: Path):
    for name, beams in (("gpt2", 1), ("gpt2", 4), ("bart", 1)):
        [whole] = generate(RECORDS[:1], model=str(folder / name), beams=beams, **SHORT)
        stop = whole["prediction"][3:5]
        [cut] = generate(
            RECORDS[:1],
            model=str(folder / name),
            beams=beams,
            stop=json.dumps(["@@@", stop]),
            **SHORT,
        )
        assert cut["prediction"] == whole["prediction"].partition(stop)[0].strip()
        entry = cut["history"][0]
        assert (
            entry["finish"] == "stop"
            and entry["output_tokens"] <= whole["history"][0]["output_tokens"]
        )


def test_stop_texts_for_tokenizers_that_lack_letters_and_in_special_tokens(torch, tmp_path: Path):
    """Neither did with the stop_strings of transformers."""
    name = tiny_models.save(tmp_path / "t5", *tiny_families.flan())
    [whole] = generate(RECORDS[:1], model=name, beams=1, **SHORT)
    stop = whole["prediction"][4:6]
    [cut] = generate(RECORDS[:1], model=name, beams=1, stop=stop, **SHORT)
    assert (
        cut["prediction"] == whole["prediction"].partition(stop)[0].strip() != whole["prediction"]
    )
    words = tiny_models.tokenizer()
    first = tiny_models.bart(words, forced_bos_token_id=0)  # "<s>", which nobody sees
    name = tiny_models.save(tmp_path / "bart", first, words)
    [whole], [same] = (
        generate(RECORDS[:1], model=name, beams=1, stop=stop, **SHORT) for stop in ("", "<s>")
    )
    assert same["prediction"] == whole["prediction"] != ""


def test_a_chat_template_is_filled_and_survives_a_cut(folder: Path, tmp_path: Path):
    """What is read is rendered by hand here."""
    words = tiny_models.tokenizer(["<end>"], None)
    words.chat_template = (
        "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant]"
    )
    place = tiny_models.save(tmp_path / "chat", tiny_models.gpt2(words), words)
    record = {"id": 1, "lang": "en", "text": "Which room? " * 30}
    [made] = generate([{**record, "text": "Which room?"}], model=place, **SHORT)
    assert made["history"][0]["input_tokens"] == len(
        words("[user] Which room?\n[assistant]")["input_ids"]
    )
    [made] = generate([record], model=place, max_input=60, **SHORT)
    assert made["history"][0]["truncated"] and 50 < made["history"][0]["input_tokens"] <= 60
    writer = writers.writer("causal", folders.Checkpoint(place), "torch", "auto", "float32")
    for side, edge in (("left", "[user] "), ("right", "[user] Which room?")):
        ids, *_ = inputs.rows([record], writer, "causal", 60, side)[0]
        assert words.decode(ids).startswith(edge) and words.decode(ids).endswith("\n[assistant]")


def test_a_prompt_that_is_too_long_may_be_an_error(folder: Path):
    long = {"id": 1, "lang": "en", "text": "Which room? " * 90}
    with pytest.raises(RecordError, match="truncate=left or right"):
        list(generate([long], model=str(folder / "bart"), truncate="error", **SHORT))
    sides = [
        next(generate([long], model=str(folder / "bart"), truncate=side, max_input=20, **SHORT))
        for side in ("left", "right")
    ]
    assert all(made["history"][0]["input_tokens"] == 20 for made in sides)


def test_a_cache_knows_a_model_by_what_is_in_its_folder(folder: Path, tmp_path: Path):
    """What was made is found again after the folder has moved, and not for another model in its place."""
    place, file = tmp_path / "moved", str(tmp_path / "c.sqlite")
    shutil.copytree(folder / "bart", place)
    first = list(generate(RECORDS[:4], model=str(folder / "bart"), cache=file, **SHORT))
    with sqlite3.connect(file) as base:
        base.execute(
            'UPDATE made SET facts = replace(facts, \'"prediction": "\', \'"prediction": "kept \')'
        )
    moved = list(generate(RECORDS[:4], model=str(place), cache=file, **SHORT))
    assert [record["prediction"] for record in moved] == [
        "kept " + record["prediction"] for record in first
    ]
    other = list(generate(RECORDS[:4], model=str(folder / "t5"), cache=file, **SHORT))
    assert not any(record["prediction"].startswith("kept") for record in other)


def test_a_cache_keeps_each_batch_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """An interrupt in the second batch of a window leaves the outputs of the first."""
    file, write, sizes = str(tmp_path / "c.sqlite"), engine_torch._write, []

    def interrupted(kind, tokenizer, network, rows, search):
        sizes.append(len(rows))
        if len(sizes) == 2:
            raise KeyboardInterrupt
        return write(kind, tokenizer, network, rows, search)

    monkeypatch.setattr(engine_torch, "_write", interrupted)
    writers.writer.cache_clear()
    options = {"model": str(folder / "bart"), "cache": file, "batch_size": 2, "window": 6, **SHORT}
    with pytest.raises(KeyboardInterrupt):
        list(generate(RECORDS[:6], **options))
    with sqlite3.connect(file) as base:
        assert base.execute("SELECT count(*) FROM made").fetchone() == (2,)
    list(generate(RECORDS[:6], **options))
    assert sizes == [2, 2, 2, 2]  # the two that are left, after the one that was interrupted
    writers.writer.cache_clear()


def test_languages_are_for_models_that_have_them(folder: Path):
    with pytest.raises(OptionError, match="knows no languages"):
        list(generate(RECORDS[:1], model=str(folder / "bart"), tgt_lang="fr", **SHORT))


def test_a_model_of_many_languages(torch, made_here, tmp_path: Path):
    """The reference is transformers' own generate with the language's token forced."""
    network, words = tiny_models.nllb()
    place = tiny_models.save(tmp_path / "nllb", network, words)
    words.src_lang = "hin_Deva"
    for target in ("fra_Latn", "jpn_Jpan"):
        expected = []
        for record in RECORDS[:4]:
            with checkpoints.hushed():
                out = network.eval().generate(
                    **words(record["text"], return_tensors="pt"),
                    num_beams=4,
                    max_new_tokens=12,
                    early_stopping=True,
                    forced_bos_token_id=words.convert_tokens_to_ids(target),
                )
            expected.append(words.decode(out[0], skip_special_tokens=True).strip())
        for engine in ("torch", "ctranslate2"):
            made = list(
                generate(
                    RECORDS[:4],
                    model=place,
                    src_lang="hin_Deva",
                    tgt_lang=target,
                    engine=engine,
                    stop_at_beams=True,
                    no_repeat_ngram_size=0,
                    **SHORT,
                )
            )
            assert [record["prediction"] for record in made] == expected
            assert f"|src_lang:hin_Deva|tgt_lang:{target}|" in made[0]["history"][0]["signature"]
    with pytest.raises(
        OptionError, match=r"knows no language 'fra' \(did you mean fra_Latn\?\); it has ace_Arab, "
    ):
        list(generate(RECORDS[:1], model=place, tgt_lang="fra", **SHORT))
    with pytest.raises(OptionError, match="No output language given"):
        list(generate(RECORDS[:1], model=place, **SHORT))


def test_the_source_of_one_call_is_not_that_of_the_next(torch, tmp_path: Path):
    """The tokenizer is kept between calls."""
    place = tiny_models.save(tmp_path / "nllb", *tiny_models.nllb())

    def read(**options: str) -> list:
        made = generate(RECORDS[:4], model=place, tgt_lang="fra_Latn", **options, **SHORT)
        return [record["prediction"] for record in made]

    own = read()
    assert read(src_lang="hin_Deva") != own and read() == own


def test_an_adapter_is_merged_into_its_model(torch, folder: Path, made_here, tmp_path: Path):
    """The reference is the model with peft around it, not merged."""
    peft = pytest.importorskip("peft")
    checkpoint = folders.Checkpoint(str(folder / "gpt2"), offline=True)
    _, network = checkpoints.network("AutoModelForCausalLM", checkpoint, "cpu", "float32")
    torch.manual_seed(7)
    warnings.simplefilter("ignore")  # of peft, about transformers
    adapted = peft.get_peft_model(
        network,
        peft.LoraConfig(
            r=4,
            target_modules=["c_attn"],
            fan_in_fan_out=True,
            init_lora_weights=False,
            task_type="CAUSAL_LM",
        ),
    )
    with checkpoints.hushed():
        adapted.save_pretrained(tmp_path / "adapter")
    words = tiny_models.tokenizer(["<end>"], None)
    given = words(TEXTS[0] + "\n", return_tensors="pt")
    with checkpoints.hushed():
        out = adapted.eval().generate(
            **given, max_new_tokens=12, num_beams=1, do_sample=False, pad_token_id=0
        )
    expected = words.decode(out[0, given["input_ids"].shape[1] :], skip_special_tokens=True).strip()
    made = [
        next(
            generate(
                RECORDS[:1],
                model=str(tmp_path / "adapter"),
                engine=engine,
                beams=1,
                no_repeat_ngram_size=0,
                **SHORT,
            )
        )["prediction"]
        for engine in ("torch", "ctranslate2")
    ]
    assert made == [expected, expected] != [outputs(folder / "gpt2", beams=1)[0]] * 2


# Batches.


def test_memory_that_runs_out_halves_the_batch(folder: Path, monkeypatch: pytest.MonkeyPatch):
    sizes, model = [], str(folder / "bart")
    expected = outputs(folder / "bart", RECORDS)
    write = engine_torch._write

    def small(kind, tokenizer, network, rows, search):
        sizes.append(len(rows))
        if len(rows) > 2 or any(row.ids == starved for row in rows):
            raise RuntimeError(
                "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
            )
        return write(kind, tokenizer, network, rows, search)

    starved: tuple = ()
    monkeypatch.setattr(engine_torch, "_write", small)
    writers.writer.cache_clear()
    assert outputs(folder / "bart", RECORDS) == expected and sizes[:3] == [8, 4, 2]
    starved = tuple(
        writers.writer("seq2seq", folders.Checkpoint(model)).tokenizer(RECORDS[3]["text"])[
            "input_ids"
        ]
    )
    with pytest.raises(RecordError, match="not enough memory for this record alone"):
        list(generate(RECORDS, model=model, **SHORT))
    writers.writer.cache_clear()


def test_equal_prompts_are_read_once_but_drawn_for_each_record(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    read = []
    write = engine_torch._write

    def noted(kind, tokenizer, network, rows, search):
        read.extend(rows)
        return write(kind, tokenizer, network, rows, search)

    monkeypatch.setattr(engine_torch, "_write", noted)
    writers.writer.cache_clear()
    records = [{"id": number, "lang": "en", "text": TEXTS[number % 2]} for number in range(8)]
    list(generate(records, model=str(folder / "gpt2"), **SHORT))
    assert len(read) == 2
    drawn = [
        made["prediction"]
        for made in generate(records, model=str(folder / "gpt2"), sample=True, **SHORT)
    ]
    assert len(read) == 10 and len(set(drawn)) == 8
    writers.writer.cache_clear()


def test_the_noise_floor_is_reported(folder: Path):
    """With exact=yes nothing differs; what is said of a record is the distance of its two outputs."""
    made = list(
        generate(RECORDS, model=str(folder / "bart"), identity_check=5, exact=True, **SHORT)
    )
    assert noise.counted(made) == [0.0] * 5
    texts = iter(["abcd", "abxd", "same", "same"])

    def fickle(records: list[dict], *, batch_size: int = 8) -> list[dict]:
        return [{"prediction": next(texts)} for _ in records]

    [one, two] = [
        record for text in ("a", "b") for record in [{"id": text, "lang": "en", "text": text}]
    ]
    made = [next(generate([record], generator=fickle, identity_check=1)) for record in (one, two)]
    assert noise.counted(made) == [0.25, 0.0]
    assert made[0]["history"][0]["counts"] == {"generated_again": 1, "differing": 1}


def test_what_int8_writes_is_checked_against_float32():
    asked = []

    class Model(NamedTuple):
        name: str = "mine"

        def call(self, records: list[dict], **options) -> list[dict]:
            asked.append(options)
            return [{"prediction": "abcd"} for _ in records]

    make = identity_check.rechecked(
        lambda records: [{"prediction": "abxd"} for _ in records],
        Model(),
        {"batch_size": 8, "precision": "int8"},
        1,
    )
    assert [made.get("identity") for made in make([{}, {}])] == [0.25, None]
    assert asked == [{"batch_size": 1, "precision": "float32"}]


def test_the_floor_stands_beside_s_and_in_the_notes_of_a_test():
    """Of four outputs two were checked, of which one differs by half of its characters: 50 % and 25 % by hand."""
    entries = [
        {"by": "dt-generate", "signature": "x"} | ({"identity": value} if value is not None else {})
        for value in (0.0, 0.5, None, None)
    ]
    records = [
        {
            "id": id,
            "lang": "en",
            "variant": f"names:{n}",
            "reference": "a b",
            "prediction": text,
            "history": [entries[2 * at + n - 1]],
        }
        for at, id in enumerate("pq")
        for n, text in ((1, "a b"), (2, "a c"))
    ]
    [result] = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert [result[f"identity_{name}"] for name in ("checked", "differ", "distance")] == [
        2,
        50.0,
        25.0,
    ]
    sources = list(dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True))
    assert sources[0]["identity_check"] == [0.0, 0.5] and "identity_check" not in sources[1]
    note = "2 generated again (50.0 % differ, by 25.0 % of characters on average)"
    for tested, value in (
        (list(dialtools.score(records, metric=["rouge1"])), "scores.rouge1"),
        (sources, "scores.S:rouge1"),
    ):
        [found] = dialtools.ttest(tested, tested, value=value)
        assert any(note in text for text in found["notes"])


def test_several_devices_write_what_one_writes(folder: Path, shell, tmp_path: Path):
    """Two processes, windows of three records in turn; the last line is that of a record that fails."""
    lines = [json.dumps(record) for record in [*RECORDS, {"id": "x", "lang": "en", "text": " "}]]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    plain = f"dt-generate --model {folder}/bart --max-new-tokens 9 -g seq2seq:window=3 --on-error keep in.jsonl --device "
    one, two = shell(plain + "cpu"), shell(plain.replace("--device", "--device") + "cpu,cpu")
    assert one == two and one.status == 1 and len(one.out.splitlines()) == len(lines)
    missing = shell(plain + "0,1")
    assert missing.status == 4 and "--device cpu always works" in missing.err
