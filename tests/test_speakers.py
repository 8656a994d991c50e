"""models/speakers.py: the second embedding, which dt-generate and the metrics that run a model add by themselves."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import tiny_models

import dialtools
from dialtools.models import checkpoints, speakers
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError, OptionError, RecordError

KINDS = {"bart": "seq2seq", "t5": "seq2seq", "gpt2": "causal"}
RECORDS = [
    {"id": i, "lang": "en", "dialogue": f"Ann: Hi Bob{'!' * i}\nBob: no Ann", "reference": "Ann"}
    for i in range(3)
]
SHORT = dialtools.Decoding(max_new_tokens=6)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, torch) -> Path:
    """Return a folder with a model of each kind that has the embedding, and the same with zeros in it."""
    place = tmp_path_factory.mktemp("speakers")
    words = tiny_models.tokenizer()
    for name in KINDS:
        model = getattr(tiny_models, name)(words)
        speakers.add(model)
        tiny_models.save(place / f"{name}-zeros", model, words)
        with torch.no_grad():
            model.speaker_embedding.weight.copy_(torch.randn(2, 32) * 2)
        tiny_models.save(place / name, model, words)
    return place


def network(place: Path, kind: str) -> Any:
    return checkpoints.network(checkpoints.CLASSES[kind], Checkpoint(str(place)), "cpu", "float32")


@pytest.mark.parametrize("name", KINDS)
def test_a_row_is_added_to_the_embedding_of_each_token_of_the_input(torch, models: Path, name: str):
    """As transformers computes it of the sum."""
    words, model = network(models / name, KINDS[name])
    read = words(["Ann: Hi Bob", "no"], return_tensors="pt", padding=True)
    names = (torch.arange(read.input_ids.numel()) % 3 == 1).long().view_as(read.input_ids)
    more = {"decoder_input_ids": torch.tensor([[2, 5], [2, 6]])} if KINDS[name] == "seq2seq" else {}
    with torch.no_grad():
        with speakers.told(model, names * 7):
            found = model(**read, **more).logits
        untold = model(**read, **more).logits
        rows = model.speaker_embedding.weight
        reader = model.get_encoder() if more else model
        known = reader.get_input_embeddings()(read.input_ids)  # called by itself, it adds nothing
        expected = [
            model(inputs_embeds=known + given, attention_mask=read.attention_mask, **more).logits
            for given in (rows[names], rows[torch.zeros_like(names)])
        ]
    assert torch.allclose(found, expected[0], atol=1e-4) and torch.allclose(
        untold, expected[1], atol=1e-4
    )
    assert not torch.allclose(found, untold, atol=1e-2)


def test_the_decoder_shares_the_words_but_not_the_rows(torch, models: Path):
    """T5 has one embedding for both; a change of the rows changes what the encoder says, not what the decoder reads."""
    words, model = network(models / "t5", "seq2seq")
    seen: list[Any] = []
    model.decoder.block[0].register_forward_pre_hook(lambda part, given: seen.append(given[0]))
    state = model.get_encoder()(input_ids=torch.tensor([[5, 6]]))
    for scale in (1.0, 3.0):
        with torch.no_grad():
            model.speaker_embedding.weight.mul_(scale)
            model(encoder_outputs=state, decoder_input_ids=torch.tensor([[1, 5, 6]]))
    assert torch.equal(*seen)


@pytest.mark.parametrize("name", KINDS)
def test_dt_generate_tells_of_names(models: Path, name: str):
    """Other outputs than without the rows; the same in any batch; none lost where plain transformers loads it."""
    told, zeros, alone = (
        [
            made["prediction"]
            for made in dialtools.generate(
                RECORDS,
                model=str(models / folder),
                decoding=SHORT,
                runtime=dialtools.Runtime(batch_size=size),
            )
        ]
        for folder, size in ((name, 8), (f"{name}-zeros", 8), (name, 1))
    )
    assert told == alone and told != zeros
    transformers = pytest.importorskip("transformers")
    with checkpoints.hushed():
        plain = getattr(transformers, checkpoints.CLASSES[KINDS[name]]).from_pretrained(
            models / name
        )
    assert not hasattr(plain, "speaker_embedding") and plain.config.speaker_embedding


def test_a_prompt_tells_of_names(models: Path, tmp_path):
    (tmp_path / "prompt").write_text("{{ dialogue }}")
    plain, prompted = (
        [
            made["prediction"]
            for made in dialtools.generate(
                RECORDS,
                model=str(models / "bart"),
                decoding=SHORT,
                prompting=dialtools.Prompting(prompt=path),
            )
        ]
        for path in (None, str(tmp_path / "prompt"))
    )
    assert plain == prompted
    (tmp_path / "prompt").write_text("{{ dialogue[0].speaker | length }} letters")
    with pytest.raises(RecordError, match="cannot be followed into the prompt"):
        list(
            dialtools.generate(
                RECORDS[:1],
                model=str(models / "bart"),
                prompting=dialtools.Prompting(prompt=str(tmp_path / "prompt")),
            )
        )


def test_perplexity_and_bartscore_tell_of_the_names_in_labels(torch, models: Path):
    """Against the losses of transformers, told by hand: of a dialogue, and of a text without labels."""
    text, lone = "Ann: Hi Bob", "Hi Bob"
    scored = list(
        dialtools.score(
            [{"id": n, "lang": "en", "prediction": said} for n, said in enumerate((text, lone))],
            metric=[f"perplexity:model={models}/gpt2"],
        )
    )
    words, model = network(models / "gpt2", "causal")
    for record, said in zip(scored, (text, lone), strict=True):
        read = words(said, return_tensors="pt", return_offsets_mapping=True)
        names = torch.tensor(
            [
                [
                    int(said == text and start < end and start < 3)
                    for start, end in read.pop("offset_mapping")[0].tolist()
                ]
            ]
        )
        with torch.no_grad(), speakers.told(model, names):
            loss = model(**read, labels=read.input_ids).loss
        assert next(iter(record["scores"].values())) == pytest.approx(math.exp(loss), rel=1e-4)
        assert names.any() == (said == text)

    (record,) = dialtools.score(
        [{**RECORDS[0], "prediction": "Ann"}],
        metric=[f"bartscore:model={models}/bart,against=dialogue"],
    )
    words, model = network(models / "bart", "seq2seq")
    said = RECORDS[0]["dialogue"]
    read = words(said, return_tensors="pt", return_offsets_mapping=True)
    spans = [(0, 3), (8, 11), (12, 15), (20, 23)]
    assert [said[start:end] for start, end in spans] == ["Ann", "Bob", "Bob", "Ann"]
    names = torch.tensor(
        [
            [
                int(any(start < last and first < end for first, last in spans) and start < end)
                for start, end in read.pop("offset_mapping")[0].tolist()
            ]
        ]
    )
    with torch.no_grad(), speakers.told(model, names):
        loss = model(**read, labels=words("Ann", return_tensors="pt").input_ids).loss
    assert next(iter(record["scores"].values())) == pytest.approx(-float(loss), rel=1e-4)


def test_other_engines_say_that_they_cannot_add_it(models: Path):
    pytest.importorskip("ctranslate2")
    with pytest.raises(OptionError, match="ctranslate2 does not know: engine=torch"):
        list(
            dialtools.generate(
                RECORDS, model=str(models / "bart"), runtime=dialtools.Runtime(engine="ctranslate2")
            )
        )
    with pytest.raises(OptionError, match="a source that is still arriving does not tell"):
        list(dialtools.generate(RECORDS, generator=f"simultaneous:model={models}/bart"))


def spoken(place: Path, kind: str) -> Path:
    """Fill a folder as CDial-GPT's is, a GPT-2 or a GPT."""
    tiny_models.cdial(place, "她爱喝茶")
    if kind == "openai-gpt":
        from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

        size = {"vocab_size": 11, "n_positions": 64, "n_embd": 32, "n_layer": 1, "n_head": 2}
        OpenAIGPTLMHeadModel(OpenAIGPTConfig(**size, initializer_range=0.4)).save_pretrained(place)
    return place


# [CLS] [speaker1] 她 爱 [speaker2] 喝: the sign of a turn is the type of all its tokens, also of what is written
TOLD, TYPES = "[CLS][speaker1]她爱[speaker2]喝", [2, 5, 5, 5, 6, 6]


@pytest.mark.parametrize("kind", ["gpt2", "openai-gpt"])
def test_whose_turn_it_is_is_the_type_of_a_token(torch, tmp_path: Path, kind: str):
    """As transformers reads it with token_type_ids; a text without signs has none."""
    from transformers import AutoModelForCausalLM

    words, model = network(spoken(tmp_path, kind), "causal")
    plain = AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    texts = [TOLD, "她爱喝"]
    told, untold = [words(text, add_special_tokens=False)["input_ids"] for text in texts]
    assert words.convert_ids_to_tokens([2, 5, 6]) == ["[CLS]", "[speaker1]", "[speaker2]"]
    with torch.no_grad():
        found = model(torch.tensor([told, [*untold, 0, 0, 0]])).logits
        expected = plain(torch.tensor([told]), token_type_ids=torch.tensor([TYPES])).logits
        without = plain(torch.tensor([untold])).logits
    assert torch.allclose(found[0], expected[0], atol=1e-4)
    assert torch.allclose(found[1, :3], without[0], atol=1e-4)


def test_turns_are_told_while_a_model_writes(torch, tmp_path: Path):
    """By beams, of keys and values that were read before: as generate() of transformers with token_type_ids."""
    from transformers import AutoModelForCausalLM

    place = str(spoken(tmp_path, "gpt2"))
    plain = AutoModelForCausalLM.from_pretrained(place).eval()
    words = checkpoints.tokenizer_of(Checkpoint(place))
    said = "她爱喝茶" * 5  # long enough to be read once for both
    texts = [f"[speaker1]{said}[speaker2]喝{end}" for end in ("", "茶[speaker1]")]
    records = [{"id": n, "lang": "zh", "text": text} for n, text in enumerate(texts)]
    types = [[2, *[5] * 21, 6, 6], [2, *[5] * 21, 6, 6, 6, 5]]
    for beams in (1, 3):
        decoding = dialtools.Decoding(max_new_tokens=6, beams=beams, no_repeat_ngram_size=0)
        found = list(dialtools.generate(records, model=place, decoding=decoding))
        for record, of_tokens in zip(found, types, strict=True):
            ids = words(f"[CLS]{record['text']}", add_special_tokens=False, return_tensors="pt")
            made = plain.generate(
                **{**ids, "token_type_ids": torch.tensor([of_tokens])},
                num_beams=beams,
                max_new_tokens=6,
                eos_token_id=3,
                pad_token_id=0,
            )
            written = words.decode(made[0, len(of_tokens) :], skip_special_tokens=True)
            assert record["prediction"] == written.strip()


def test_other_engines_say_that_they_do_not_tell_turns(tmp_path: Path):
    pytest.importorskip("ctranslate2")
    runtime = dialtools.Runtime(engine="ctranslate2")
    with pytest.raises(OptionError, match="whose turn each token is in"):
        list(dialtools.generate(RECORDS, model=str(spoken(tmp_path, "gpt2")), runtime=runtime))


def test_a_folder_that_lost_its_rows(models: Path, tmp_path):
    """The configuration says that there are some."""
    words = tiny_models.tokenizer()
    place = Path(tiny_models.save(tmp_path / "lost", tiny_models.bart(words), words))
    config = json.loads((place / "config.json").read_text()) | {"speaker_embedding": True}
    (place / "config.json").write_text(json.dumps(config))
    with pytest.raises(MissingError, match="has no weights that fit speaker_embedding"):
        network(place, "seq2seq")
