"""dt-generate: extractive systems by hand, models against plain transformers.

The models are those of tiny_models.py.
"""

import json
import shutil
import socket
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
import tiny_models
from flat_options import generate
from tiny_models import TEXTS, save, tokenizer

import dialtools
from dialtools.commands import generate as command
from dialtools.inference import outputs
from dialtools.models import checkpoints, encoders, engine_torch, writers
from dialtools.pipeline import failures
from dialtools.plugins import registry
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.text import paraphrases

RECORDS = [
    {"id": "a", "lang": "en", "dialogue": "\n".join(TEXTS[:3])},
    {"id": "b", "lang": "en", "dialogue": "\n".join(TEXTS[3:5]), "context": "When is the meeting?"},
    {
        "id": "c",
        "lang": "ja",
        "dialogue": [
            {"speaker": "Mio", "text": "チケットはありますか。"},
            {"speaker": "Ken", "text": "はい、二枚あります。"},
        ],
    },
    {"id": "d", "lang": "en", "text": "The station is closed on Monday."},
]
SHORT = {"max_new_tokens": 12}


def turns(*lines: str) -> list[dict]:
    """Return "A: text" lines as turns; a line may end after the colon."""
    return [
        {"speaker": name, "text": text}
        for name, _, text in (line.partition(": ") for line in lines)
    ]


def predictions(records: list[dict], **options) -> dict:
    return {record["id"]: record["prediction"] for record in generate(records, **options)}


def test_what_any_generator_knows_of_the_options_is_passed_on():
    known = {
        name
        for each in registry.names("generators")
        for name in registry.load("generators", each).defaults()
    }
    assert {*outputs.NAMES} <= known


def test_values_are_the_options_of_the_command(shell, tmp_path: Path):
    (tmp_path / "p.jinja").write_text("{{ text }}!\nAnd {{ id }}?")
    (tmp_path / "in").write_text('{"id": 1, "lang": "en", "text": "Hi"}\n')
    prompting = dialtools.Prompting(prompt=str(tmp_path / "p.jinja"), extract="first-line")
    [made] = dialtools.generate(
        dialtools.read(str(tmp_path / "in")), generator="echo", prompting=prompting
    )
    assert made["prediction"] == "Hi!" and made["history"][0]["output"] == "Hi!\nAnd 1?"
    written = shell("dt-generate -g echo --prompt p.jinja --extract first-line -q in").out
    assert json.loads(written) == made


@pytest.mark.parametrize(
    "values, message",
    [
        ({"decoding": dialtools.Decoding(beams=2)}, "lead has no option 'beams'"),
        ({"runtime": dialtools.Runtime(device="cpu")}, "lead has no option 'device'"),
        ({"serving": dialtools.Serving(retries=1)}, "lead has no option 'retries'"),
        ({"prompting": dialtools.Prompting(shot_count=-1)}, "shot_count is at least 0, not -1"),
    ],
)
def test_a_value_that_changes_what_a_generator_does_not_have_is_an_error(
    values: dict, message: str
):
    with pytest.raises(OptionError, match=message):
        list(dialtools.generate(RECORDS[:1], generator="lead", **values))


# Extractive systems; lengths counted by hand, label, colon and space included.

FIVE = turns("Ann: one", "Bob: three", "Al: twenty", "Bo: ten", "Ann: four")  # 8, 10, 10, 7, 9


@pytest.mark.parametrize(
    "spec, expected",
    [
        ("lead", "Ann: one"),
        ("lead:k=2", "Ann: one\nBob: three"),
        ("lead:k=2,speaker=no", "one\nthree"),
        ("middle", "Al: twenty"),
        ("middle:k=2", "Bob: three\nAl: twenty"),
        ("middle:k=3", "Bob: three\nAl: twenty\nBo: ten"),
        ("longest", "Bob: three"),  # 10 like "Al: twenty", but earlier
        ("longest:k=3", "Bob: three\nAl: twenty\nAnn: four"),
        ("longest:speaker=no", "twenty"),
        ("longest:k=3,speaker=no", "twenty\nthree\nfour"),
        ("lead:k=9", "Ann: one\nBob: three\nAl: twenty\nBo: ten\nAnn: four"),
        ("middle:k=9", "Ann: one\nBob: three\nAl: twenty\nBo: ten\nAnn: four"),
        ("longest:k=9", "Bob: three\nAl: twenty\nAnn: four\nAnn: one\nBo: ten"),
    ],
)
def test_extractive(spec: str, expected: str):
    record = {"id": 1, "dialogue": FIVE}
    [made] = generate([record], generator=spec)
    assert (made["prediction"], made["system"]) == (expected, spec)


def test_longest_sees_names_but_not_without_labels():
    record = {"id": 1, "dialogue": turns("Al: abcdef", "Maximilian: abc")}
    assert predictions([record], generator="longest")[1] == "Maximilian: abc"
    assert predictions([record], generator="longest:speaker=no")[1] == "abcdef"


def test_length_is_in_code_points():
    record = {
        "id": 1,
        "dialogue": turns("A: 日本語", "A: abcd"),
    }  # 3 and 4 code points; 9 and 4 bytes
    assert predictions([record], generator="longest")[1] == "A: abcd"


@pytest.mark.parametrize("spec", ["lead", "middle", "longest"])
def test_turns_without_text_are_no_utterances(spec: str):
    record = {"id": 1, "dialogue": turns("A very long name: ", "Bo: yes", "Cy:  \t ")}
    assert predictions([record], generator=spec)[1] == "Bo: yes"
    [made] = generate([{"id": 1, "dialogue": turns("Ann: ", "Bo: ")}], generator=spec)
    assert made["prediction"] == "" and made["history"][-1]["counts"] == {"empty": 1}


@pytest.mark.parametrize("spec", ["lead", "middle", "longest"])
@pytest.mark.parametrize(
    "record, message",
    [
        ({"dialogue": []}, "without turns"),
        ({"dialogue": ""}, "without turns"),
        ({"text": "Hi"}, 'no "dialogue"'),
    ],
)
def test_extractive_needs_turns(spec: str, record: dict, message: str):
    with pytest.raises(RecordError, match=message):
        list(generate([{"id": 1, **record}], generator=spec))


def test_a_function_is_a_generator():
    def shout(records: list[dict], *, mark: str = "!") -> list[dict]:
        return [{"prediction": record["text"].upper() + mark, "loudness": 11} for record in records]

    [made] = generate([{"id": 1, "text": "hi"}], generator=shout, system="S")
    assert (made["prediction"], made["system"], made["history"][0]["loudness"]) == ("HI!", "S", 11)
    assert made["history"][0]["signature"].startswith("shout|mark:!|v:")


def test_an_existing_prediction_is_kept_from_harm():
    record = {
        "id": 1,
        "dialogue": "Ann: Hi",
        "prediction": "mine",
        "system": "me",
        "scores": {"rouge1": 1.0},
        "statistics": {"bleu": [1, 1]},
    }
    with pytest.raises(RecordError, match="overwrite=True"):
        list(generate([record], generator="lead"))
    before = deepcopy(record)
    [made] = generate([record], generator="lead", overwrite=True)
    assert (made["prediction"], made["system"]) == ("Ann: Hi", "lead")
    assert not {"scores", "statistics"} & made.keys() and "counts" not in made["history"][0]
    assert record == before
    del record["prediction"]  # where nobody predicted anything, "system" meant something else
    [made] = generate([record], generator="lead")
    assert made["system"] == "lead" and made["history"][0]["counts"] == {"replaced_system": 1}


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, 'generator="lead", generator="longest"'),
        ({"generator": "longest", "beams": 2}, "no option 'beams'; it has k, speaker"),
        ({"generator": "longer"}, "did you mean longest"),
        ({"generator": "lead:k=0"}, "k is at least 1"),
        ({"generator": "seq2seq"}, "No model given"),
        ({"generator": "causal:beams=2", "beams": 3}, "beams is given twice"),
        ({"generator": "causal:model=x", "beams": 0}, "beams is at least 1"),
        ({"generator": "causal:model=x", "number": 5}, "beams=5"),
        ({"generator": "causal:model=x", "sample": True, "beams": 4}, "beams=1"),
        ({"generator": "causal:model=x", "top_k": 5}, r"add .*sample=True"),
        (
            {"generator": "causal:model=x", "sample": True, "temperature": float("nan")},
            "temperature is at least",
        ),
        ({"generator": "causal:model=x", "sample": True, "top_p": 1.5}, "probability"),
    ],
)
def test_wrong_options(given: dict, message: str):
    with pytest.raises(OptionError, match=message):
        list(generate([{"id": 1, "dialogue": "Ann: Hi"}], **given))


def test_offline_and_seed_go_with_every_generator():
    assert predictions(RECORDS[:1], generator="lead", offline=True, seed=3)["a"] == TEXTS[0]


def test_batches_stay_whole_where_failures_are_kept():
    sizes = []

    def work(records):
        batch = list(records)
        sizes.append(len(batch))
        for record in batch:
            if record["id"] == 6:
                raise RecordError("no", record)
        yield from batch

    records = [{"id": number} for number in range(1, 11)]
    made = list(failures.isolated(work, records, by="x", batch=4))
    assert sizes == [4, 4, 1, 2, 2]  # the second window again, in two parts around the failure
    assert [record["id"] for record in made if "errors" in record] == [6]
    assert [record["id"] for record in made] == list(range(1, 11))


# Models.


@pytest.fixture(scope="session")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.folder(tmp_path_factory.mktemp("models"))


@pytest.fixture(params=["bart", "gpt2"])
def model(folder: Path, request: pytest.FixtureRequest) -> str:
    return str(folder / request.param)


def by_transformers(model: str, text: str, **options) -> list[str]:
    """Return what plain transformers writes for one text."""
    import transformers

    kind = "AutoModelForCausalLM" if model.endswith("gpt2") else "AutoModelForSeq2SeqLM"
    with checkpoints.hushed():
        words = transformers.AutoTokenizer.from_pretrained(model)
        network = getattr(transformers, kind).from_pretrained(model).eval()
        given = words(text, return_tensors="pt")
        out = network.generate(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], **options
        )
    start = given["input_ids"].shape[1] if model.endswith("gpt2") else 1
    return [text.strip() for text in words.batch_decode(out[:, start:], skip_special_tokens=True)]


READ = {
    "a": "\n".join(TEXTS[:3]),
    "b": "When is the meeting?\n" + "\n".join(TEXTS[3:5]),
    "c": "\n".join(TEXTS[5:7]),
    "d": "The station is closed on Monday.",
}


def test_as_transformers_does(model: str):
    """The reference is transformers' own generate, called directly, one text at a time."""
    end = "\n" if model.endswith("gpt2") else ""
    expected = {
        id: by_transformers(
            model,
            text + end,
            num_beams=4,
            length_penalty=1.0,
            max_new_tokens=12,
            no_repeat_ngram_size=0,
        )[0]
        for id, text in READ.items()
    }
    assert (
        predictions(RECORDS, model=model, batch_size=1, no_repeat_ngram_size=0, **SHORT) == expected
    )
    assert (
        predictions(RECORDS, model=model, batch_size=4, no_repeat_ngram_size=0, **SHORT) == expected
    )
    assert len(set(expected.values())) == 4  # it does depend on the input


def test_no_trigram_twice_as_in_transformers(folder: Path):
    model = str(folder / "bart")
    expected = {
        id: by_transformers(
            model, text, num_beams=4, length_penalty=1.0, max_new_tokens=16, no_repeat_ngram_size=3
        )[0]
        for id, text in READ.items()
    }
    assert predictions(RECORDS, model=model, batch_size=1, max_new_tokens=16) == expected
    assert (
        predictions(RECORDS, model=model, batch_size=1, max_new_tokens=16, no_repeat_ngram_size=0)
        != expected
    )


def test_a_prompt_may_be_repeated(torch):
    ids, scores = torch.tensor([[5, 6, 7, 5, 6]]), torch.zeros(1, 9)
    [whole], [output] = engine_torch.without_repeats(3, 0), engine_torch.without_repeats(3, 3)
    assert (whole(ids, scores) == -torch.inf).nonzero().tolist() == [[0, 7]]
    assert not (output(ids, scores) == -torch.inf).any()


def test_n_best(model: str):
    expected = by_transformers(
        model,
        READ["a"] + ("\n" if model.endswith("gpt2") else ""),
        num_beams=5,
        num_return_sequences=3,
        max_new_tokens=12,
        no_repeat_ngram_size=0,
    )
    [made] = generate(RECORDS[:1], model=model, number=3, beams=5, no_repeat_ngram_size=0, **SHORT)
    assert made["prediction"] == expected
    assert len(made["history"][0]["output_tokens"]) == 3


def test_samples_depend_on_seed_and_id_alone(model: str):
    options = {"model": model, "sample": True, "top_k": 50, "no_repeat_ngram_size": 0, **SHORT}
    drawn = predictions(RECORDS, **options)
    assert predictions(RECORDS, **options) == drawn
    assert predictions(RECORDS[::-1], **options, batch_size=3) == drawn
    assert predictions(RECORDS[1:2], **options)["b"] == drawn["b"]
    assert predictions(RECORDS, **options, seed=1) != drawn
    several = predictions(RECORDS, **options, number=3)
    assert {id: texts[0] for id, texts in several.items()} == drawn
    assert all(len(set(texts)) == 3 for texts in several.values())
    same = [{"id": number, "text": "Hi"} for number in (1, 2)]
    assert len(set(predictions(same, **options).values())) == 2


def test_a_cold_sample_is_the_best_token(model: str):
    greedy = predictions(RECORDS, model=model, beams=1, **SHORT)
    assert predictions(RECORDS, model=model, sample=True, temperature=0.001, **SHORT) == greedy
    assert predictions(RECORDS, model=model, sample=True, top_k=1, **SHORT) == greedy
    assert predictions(RECORDS, model=model, sample=True, top_p=0.001, **SHORT) == greedy


def test_draws_follow_the_distribution(torch):
    """20,000 draws with temperature 2 from probabilities in the ratio 16:4:1:0 come as 4:2:1:0.

    Each count is within 5 standard deviations of a binomial of that probability.
    """
    rows = 20_000
    scores = torch.tensor([16.0, 4.0, 1.0, 0.0]).log().repeat(rows, 1)
    for step in engine_torch.draws(2.0, 0, 1.0, list(range(rows))):
        scores = step(None, scores)
    counts = scores.argmax(dim=1).bincount(minlength=4).tolist()
    for count, share in zip(counts, (4 / 7, 2 / 7, 1 / 7, 0), strict=True):
        assert abs(count - rows * share) <= 5 * (rows * share * (1 - share)) ** 0.5


@pytest.mark.parametrize(
    "name, given, read",
    [
        ("bart", {}, 96),
        ("bart", {"max_input": 10}, 10),
        ("bart", {"max_input": 96}, 96),
        ("gpt2", {}, 84),
        ("t5", {}, 1024),
        ("t5", {"max_input": 1200}, 1200),
    ],
)
def test_long_input_is_cut_and_counted(folder: Path, name: str, given: dict, read: int):
    record = {"id": 1, "dialogue": [{"speaker": "Ann", "text": f"number {n}"} for n in range(200)]}
    [cut, whole] = generate(
        [record, {"id": 2, "text": "Hi"}], model=str(folder / name), **given, **SHORT
    )
    entry = cut["history"][0]
    assert (entry["input_tokens"], entry["truncated"], entry["counts"]["truncated"]) == (
        read,
        True,
        1,
    )
    assert whole["history"][0]["truncated"] is False and "truncated" not in whole["history"][0].get(
        "counts", {}
    )


def test_a_model_rewords_repeated_utterances(folder: Path):
    """What it writes is what transformers writes for the utterance alone, on one line; silence is an error."""
    reword = paraphrases.named(f"seq2seq:model={folder}/bart,max_new_tokens=12", offline=True)
    [expected] = by_transformers(
        str(folder / "bart"), TEXTS[1], max_new_tokens=12, num_beams=4, no_repeat_ngram_size=3
    )
    assert reword(TEXTS[1], Random(1), lang="en", formality="casual") == " ".join(expected.split())
    with pytest.raises(RecordError, match="writes nothing as a paraphrase of"):
        silent = paraphrases.named(f"seq2seq:model={folder}/silent,max_new_tokens=9")
        silent("Hi.", Random(1), lang="en", formality="casual")


def test_what_writes_is_no_sentence_encoder(model: str):
    with pytest.raises(OptionError, match="writes texts: an encoder is"):
        encoders.vectors(model, ["a"], offline=True)


def test_embeddings_are_means_of_states(torch, tmp_path: Path):
    """Those of a tiny BERT, by plain transformers, each text by itself; a folder that wants other ones is refused."""
    words = tokenizer()
    bert = tiny_models.bert(words)
    save(tmp_path, bert, words)
    found = encoders.vectors(str(tmp_path), TEXTS, offline=True)
    for text, vector in zip(TEXTS, found, strict=True):
        with torch.inference_mode():
            mean = bert(**words(text, return_tensors="pt")).last_hidden_state[0].mean(0)
        assert vector == pytest.approx((mean / mean.norm()).tolist(), abs=1e-5)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    encoders.manner.cache_clear()
    with pytest.raises(OptionError, match="makes its embeddings by max"):
        encoders.vectors(str(tmp_path), ["a"])


def test_seq2seq_loses_the_end_and_causal_the_beginning(folder: Path):
    long = [{"speaker": "Ann", "text": f"number {n}"} for n in range(200)]
    other_end, other_start = long[:-1] + turns("Bob: so"), turns("Bob: so") + long[1:]
    for name, as_before in (("bart", other_end), ("gpt2", other_start)):
        records = [
            {"id": n, "dialogue": dialogue}
            for n, dialogue in enumerate((long, other_end, other_start))
        ]
        made = {
            str(record["dialogue"]): record
            for record in generate(records, model=str(folder / name), **SHORT)
        }
        same = [
            text
            for text, record in made.items()
            if record["prediction"] == made[str(long)]["prediction"]
        ]
        assert same == [str(long), str(as_before)]


@pytest.mark.parametrize(
    "given, message",
    [({"max_new_tokens": 96}, "positions for 96"), ({"max_input": 2}, "the model adds 2 tokens")],
)
def test_what_does_not_fit_the_model(folder: Path, given: dict, message: str):
    with pytest.raises(OptionError, match=message):
        list(generate(RECORDS, model=str(folder / "bart"), **given))
    assert (
        len(list(generate(RECORDS[:1], model=str(folder / "bart"), max_new_tokens=95, beams=1)))
        == 1
    )


def test_a_system_prompt_that_leaves_no_room_fails_alone(folder: Path, tmp_path: Path):
    """It may be another one for each record, such as a dialogue that a question is asked about."""
    words = tokenizer(["<end>"], None)
    words.chat_template = (
        "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant]"
    )
    place = save(tmp_path / "chat", tiny_models.gpt2(words), words)
    (tmp_path / "question.jinja").write_text("Which room?")
    (tmp_path / "said.jinja").write_text("{{ text }}")
    asked = [{"id": number, "text": "Monday " * times} for number, times in enumerate((1, 90))]
    made = generate(
        asked,
        model=place,
        prompt=str(tmp_path / "question.jinja"),
        batch_size=1,
        window=1,
        system_prompt=str(tmp_path / "said.jinja"),
        **SHORT,
    )
    assert next(made)["id"] == 0
    with pytest.raises(
        RecordError, match="no room for text beside the chat template and the system"
    ) as caught:
        next(made)
    assert caught.value.record["id"] == 1


def test_unfinished_and_empty(folder: Path):
    [cut] = generate(RECORDS[:1], model=str(folder / "bart"), **SHORT)
    assert (
        cut["history"][0]["unfinished"] and cut["history"][0]["output_tokens"] == 11
    )  # and the forced end
    [empty] = generate(RECORDS[:1], model=str(folder / "silent"), **SHORT)
    assert (empty["prediction"], empty["system"]) == ("", "silent")
    assert (
        empty["history"][0]["counts"] == {"empty": 1} and empty["history"][0]["output_tokens"] == 0
    )


def test_nothing_to_read(model: str):
    for record in (
        {"id": 1, "dialogue": []},
        {"id": 1, "text": " \n"},
        {"id": 1, "dialogue": [], "context": "Why?"},
    ):
        with pytest.raises(RecordError, match="nothing to read"):
            list(generate([record], model=model, **SHORT))
    [made] = generate([{"id": 1, "dialogue": turns("Ann: ", "Bob: ")}], model=model, **SHORT)
    assert made["prediction"]


def test_signature(folder: Path):
    [made] = generate(RECORDS[:1], model=str(folder / "bart"), batch_size=2, **SHORT)
    assert made["history"][0]["signature"].rpartition("|v:")[0] == (
        f"seq2seq|model:{folder}/bart|window:64|batch_size:2|batch_tokens:8192|beams:4|"
        "no_repeat_ngram_size:3|length_penalty:1.0|max_input:1024|"
        "max_new_tokens:12|num_return:1|precision:float32"
    )
    [made] = generate(
        RECORDS[:1], model=str(folder / "gpt2"), sample=True, seed=5, device="cpu", **SHORT
    )
    assert (
        "|beams:1|" in made["history"][0]["signature"]
        and "|sample:yes|temperature:1.0|top_k:0|top_p:1.0|seed:5|"
        in made["history"][0]["signature"]
        and "device" not in made["history"][0]["signature"]
    )


def test_half_precision(folder: Path):
    assert len(predictions(RECORDS, model=str(folder / "bart"), precision="bfloat16", **SHORT)) == 4


# Folders that are no models.


def broken(place: Path, *lost: str, **changes) -> str:
    """Take files away from a model's folder, change its configuration; return the folder."""
    for name in lost:
        (place / name).unlink()
    if changes:
        config = json.loads((place / "config.json").read_text())
        (place / "config.json").write_text(json.dumps(config | changes))
    return str(place)


def only_pickled(place: Path) -> str:
    import torch

    torch.save({}, place / "pytorch_model.bin")
    return broken(place, "model.safetensors")


def cut_short(place: Path) -> str:
    weights = (place / "model.safetensors").read_bytes()
    (place / "model.safetensors").write_bytes(weights[:1000])
    return str(place)


def misspelt(place: Path) -> str:
    """Return a folder whose tokenizer is JSON, but none that the library in Rust takes."""
    text = (place / "tokenizer.json").read_text()
    (place / "tokenizer.json").write_text(text.replace('"lstrip"', '"lstripe"'))
    return str(place)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda place: broken(place, "config.json"), "no config.json"),
        (misspelt, "cannot load the model in .*: .*lstrip"),
        (lambda place: broken(place, "model.safetensors"), "no weights in safetensors"),
        (only_pickled, "no weights in safetensors"),
        (cut_short, "cannot load"),
        (lambda place: broken(place, "tokenizer.json", "tokenizer_config.json"), "no tokenizer"),
        (lambda place: broken(place, decoder_layers=2), "no weights that fit"),
        (lambda place: broken(place, d_model=64), "no weights that fit"),
        (lambda place: broken(place, d_model="x"), "cannot load"),
        (
            lambda place: broken(place, pad_token_id=9999),
            "cannot load the model in .*: Padding_idx must be within",
        ),
        (lambda place: broken(place, model_type="of-my-own"), "cannot load"),
        (
            lambda place: broken(
                place, model_type="of-my-own", auto_map={"AutoConfig": "mine.Config"}
            ),
            "trust_remote_code",
        ),
        (lambda place: f"{place}/not-there", "there is no model folder"),
    ],
)
def test_no_model_in_the_folder(folder: Path, tmp_path: Path, spoil: Callable, message: str):
    shutil.copytree(folder / "bart", tmp_path / "model")
    with pytest.raises(MissingError, match=message):
        list(generate(RECORDS, model=spoil(tmp_path / "model"), **SHORT))


def test_a_tokenizer_of_another_model(folder: Path, tmp_path: Path):
    place = shutil.copytree(folder / "gpt2", tmp_path / "model")
    tokenizer(["<end>", *(f"<extra{n}>" for n in range(500))], None).save_pretrained(place)
    with pytest.raises(MissingError, match="tokens that the model does not know"):
        list(generate(RECORDS, model=str(place), **SHORT))


def test_the_kind_is_read_from_the_configuration(folder: Path, tmp_path: Path):
    assert (writers.kind(str(folder / "bart")), writers.kind(str(folder / "gpt2"))) == (
        "seq2seq",
        "causal",
    )
    place = broken(
        shutil.copytree(folder / "gpt2", tmp_path / "model"),
        architectures=["GPT2ForTokenClassification"],
    )
    with pytest.raises(OptionError, match="writes no text"):
        list(generate(RECORDS, model=place))
    assert len(list(generate(RECORDS, generator=f"causal:model={place}", **SHORT))) == 4
    with pytest.raises(MissingError, match="no weights that fit"):
        list(generate(RECORDS, generator=f"causal:model={folder}/bart", **SHORT))


def test_a_missing_library_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch):
    checkpoints.kind_of.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingError, match=r"pip install 'dialtools\[models\]'"):
        list(generate(RECORDS, model=str(folder / "bart")))


def test_no_such_device(folder: Path):
    with pytest.raises(MissingError, match='device="cpu"'):
        list(generate(RECORDS, model=str(folder / "bart"), device="toaster"))


# The command, in this process, which has torch already.


@pytest.fixture
def run(tmp_path: Path, capfdbinary: pytest.CaptureFixture) -> Callable:
    """Return run(arguments, records) -> (exit status, output, what stands on standard error)."""
    file = tmp_path / "in.jsonl"

    def run(*arguments: str, records: list[dict] = RECORDS) -> tuple[int, bytes, str]:
        dialtools.write(records, file)
        with pytest.raises(SystemExit) as end:
            command.main([*arguments, str(file)])
        out, err = capfdbinary.readouterr()
        return int(str(end.value.code)), out, err.decode()

    return run


def tokens(out: bytes) -> str:
    """Return what the closing line says of tokens, by the histories of the records."""
    entries = [json.loads(line).get("history", [{}])[-1] for line in out.splitlines()]
    read = sum(entry.get("input_tokens", 0) for entry in entries)
    counts = [entry.get("output_tokens", 0) for entry in entries]
    written = sum(sum(count) if isinstance(count, list) else count for count in counts)
    return f"{read} tokens of input, {written} tokens of output"


@pytest.mark.parametrize("beams", [1, 2])
def test_memory_that_runs_out_makes_smaller_batches(
    run: Callable, model: str, beams: int, monkeypatch: pytest.MonkeyPatch
):
    """A model that has room for two inputs at once stands for a small device."""
    import torch
    from transformers import GenerationMixin

    records = [
        {"id": n, "lang": "en", "text": f"{n} " + "Ann and Bob " * (n % 4 + 1)} for n in range(24)
    ]
    arguments = ["-g", f"{'causal' if model.endswith('gpt2') else 'seq2seq'}:window=12"]
    arguments += ["--model", model, "--max-new-tokens", "6", "--beams", str(beams)]
    _, plain, _ = run(*arguments, records=records)
    generate = GenerationMixin.generate

    def small(network, **options):
        if len(options["input_ids"]) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return generate(network, **options)

    monkeypatch.setattr(GenerationMixin, "generate", small)
    writers.writer.cache_clear()
    status, out, err = run(*arguments, records=records)
    made = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and len(made) == 24
    expected = [json.loads(line)["prediction"] for line in plain.splitlines()]
    assert [record["prediction"] for record in made] == expected
    *lines, closing = err.splitlines()
    assert lines[0].startswith("dt-generate: memory ran out for 8 inputs of up to ")
    room = [int(line.rpartition("batch_tokens=")[2]) for line in lines]
    assert room == sorted({*room}, reverse=True)  # less each time
    fewer = [record["history"][-1].get("batch_size") for record in made]
    assert {*fewer} <= {1, 2, None}
    assert f", {24 - fewer.count(None)} records in smaller batches, " in closing
    writers.writer.cache_clear()


def test_the_same_command_writes_the_same_bytes(run: Callable, model: str):
    for more in ([], ["--sample", "-n", "2"]):
        arguments = ["--model", model, "--max-new-tokens", "12", "--batch-size", "3", *more]
        status, out, err = run(*arguments)
        assert status == 0 and len(out.splitlines()) == 4
        # and nothing by transformers
        assert err == f"dt-generate: 4 records, 4 outputs unfinished, {tokens(out)}\n"
        writers.writer.cache_clear()
        assert run(*arguments) == (status, out, err)


def test_a_model_of_another_kind_is_told_without_all_that_there_are(run: Callable, folder: Path):
    status, out, err = run("-g", "seq2seq", "--model", str(folder / "gpt2"))
    assert (status, out) == (4, b"") and err.endswith(
        "Config'> for this kind of AutoModel: AutoModelForSeq2SeqLM.\n"
    )


def test_no_socket_is_opened(run: Callable, model: str, monkeypatch: pytest.MonkeyPatch):
    def refuse(*given, **more):
        raise AssertionError("a socket")

    checkpoints.kind_of.cache_clear()
    writers.writer.cache_clear()
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for arguments in (
        ["-g", "longest", "--limit", "3"],
        ["--model", model, "--offline", "--max-new-tokens", "12"],
        ["--model", model, "--max-new-tokens", "12"],
    ):
        assert run(*arguments)[0] == 0
    status, out, err = run("--model", "nobody/no-model", "--offline")
    assert (status, out) == (4, b"")
    assert err == (
        "dt-generate: the model nobody/no-model is not on this machine: leave out --offline, "
        "or get it with: hf download nobody/no-model\n"
    )


@pytest.mark.parametrize(
    "arguments, expected, message",
    [
        (["--model", "{folder}/nothing"], 4, "there is no model folder"),
        (["--model", "{folder}"], 4, "no config.json"),
        (["--model", "{folder}/bart", "--jobs", "2"], 2, "--batch-size"),
        ([], 2, "-g longest"),
        (["-g", "seq2seq:precision=int8", "--model", "{folder}/bart"], 2, "int8"),
    ],
)
def test_exit_status(
    run: Callable, folder: Path, arguments: list[str], expected: int, message: str
):
    status, out, err = run(*(argument.format(folder=folder) for argument in arguments))
    assert (status, out) == (expected, b"") and message in err and err.count("\n") == 1


def test_a_failure_leaves_the_other_batches_as_they_were(run: Callable, model: str):
    records = RECORDS + [
        {"id": "e", "lang": "en", "text": " "},
        {"id": "f", "lang": "en", "text": "Hi"},
    ]
    arguments = ["--model", model, "--max-new-tokens", "12", "--batch-size", "2"]
    _, plain, _ = run(*arguments)
    status, kept, err = run(*arguments, "--on-error", "keep", records=records)
    assert status == 1 and kept.splitlines()[:4] == plain.splitlines()
    assert json.loads(kept.splitlines()[4])["errors"][0]["by"] == "dt-generate"
    expected = f"6 records, 5 outputs unfinished, {tokens(kept)}, 1 record failed"
    assert err == f"dt-generate: {expected}\n"


def test_what_comes_before_an_error_is_written(run: Callable, folder: Path, tmp_path: Path):
    long = {"id": "e", "lang": "en", "text": " ".join(TEXTS * 3)}
    prompt = tmp_path / "prompt"
    prompt.write_text("{{ lang }}: {{ text }}")
    texts = [
        {"id": str(number), "lang": "en", "text": text} for number, text in enumerate(TEXTS[:3])
    ]
    model = ["--model", str(folder / "bart"), "--max-new-tokens", "12"]
    for arguments, before, wrong, message in (
        (model, RECORDS, {"id": "e", "lang": "en"}, "dialogue"),
        ([*model, "-g", "seq2seq:truncate=error"], RECORDS, long, "the model can read"),
        ([*model, "--identity-check", "2"], RECORDS, {**long, "text": " "}, "nothing to read"),
        (
            [*model, "--prompt", str(prompt)],
            texts,
            {"id": "e", "lang": "en", "dialogue": "A: b"},
            'no "text"',
        ),
        (["-g", "middle"], RECORDS[:3], {"id": "e", "dialogue": [], "lang": "en"}, "without turns"),
        (
            ["--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--requests"],
            RECORDS,
            {**long, "text": " "},
            "nothing to read",
        ),
    ):
        _, plain, _ = run(*arguments, records=before)
        status, out, err = run(*arguments, records=[*before, wrong, RECORDS[0] | {"id": "z"}])
        assert (status, out) == (3, plain) and plain.count(b"\n") == len(before)
        assert message in err and '(id "e")' in err.splitlines()[0]


def test_a_window_that_an_error_ended_is_made_again(run: Callable, model: str, tmp_path: Path):
    records = [
        {"id": number, "lang": "en", "text": text} for number, text in enumerate([*TEXTS, *TEXTS])
    ]
    arguments = ["--model", model, "--max-new-tokens", "12"]
    arguments += ["-g", f"{'causal' if model.endswith('gpt2') else 'seq2seq'}:window=6"]
    _, whole, _ = run(*arguments, records=records)
    out = tmp_path / "out"
    wrong = [*records[:9], {"id": 9, "lang": "en", "text": " "}, *records[10:]]
    assert run(*arguments, "-o", str(out), "--resume", records=wrong)[0] == 3
    lines = out.read_bytes().splitlines(keepends=True)
    assert len(lines) == 9
    other = [
        line.replace(b'"output_tokens":', b'"output_tokens":9') for line in lines[6:]
    ]  # as another batch might
    out.write_bytes(b"".join(lines[:6] + other))
    status, _, err = run(*arguments, "-o", str(out), "--resume", records=records)
    assert (status, out.read_bytes()) == (0, whole)


@pytest.mark.parametrize("name", ["seq2seq", "causal", "endpoint"])
def test_the_seed_may_stand_in_the_spec(name: str):
    """--seed is always there, 0 by default."""
    _, options = outputs.chosen(f"{name}:seed=2", {"seed": 0})
    assert options["seed"] == 2
    with pytest.raises(OptionError):
        outputs.chosen(f"{name}:seed=2", {"seed": 1})
