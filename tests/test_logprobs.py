"""How likely outputs and given texts are: --logprobs and -g choice, against plain transformers.

The models are tiny ones with random weights (tiny_models.py); a server of ours plays the others.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import tiny_models
from misbehaving_server import Handler, completion, said, serving, shout

import dialtools
from dialtools.generators import choice
from dialtools.inference import continuations
from dialtools.models import checkpoints
from dialtools.models.checkpoints import Place
from dialtools.models.decoding import Decoding, Serving
from dialtools.system.errors import DialtoolsError, RecordError

RECORDS = [
    {"id": 1, "lang": "en", "text": "Ann: Hi Bob, can you bring the tickets?"},
    {"id": 2, "lang": "en", "text": "See you."},
    {"id": 3, "lang": "en", "text": "Mio: チケットはありますか。"},
]


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.folder(tmp_path_factory.mktemp("models"))


def logprob(folder: Path, kind: str, read: str, written: list[int]) -> list[float]:
    """Return the logarithm of the probability of each token, by one pass of plain transformers."""
    import torch
    import transformers

    what = "AutoModelForCausalLM" if kind == "gpt2" else "AutoModelForSeq2SeqLM"
    with checkpoints.hushed(), torch.inference_mode():
        words = transformers.AutoTokenizer.from_pretrained(folder / kind)
        network = getattr(transformers, what).from_pretrained(folder / kind).eval()
        ids = words(read)["input_ids"]
        if kind == "gpt2":
            logits = network(torch.tensor([[*ids, *written]])).logits[0, len(ids) - 1 : -1]
        else:
            logits = network(input_ids=torch.tensor([ids]), labels=torch.tensor([written])).logits[
                0
            ]
        return logits.log_softmax(-1)[range(len(written)), written].tolist()


def ids_of(folder: Path, kind: str, text: str, **options: Any) -> list[int]:
    import transformers

    with checkpoints.hushed():
        words = transformers.AutoTokenizer.from_pretrained(folder / kind)
    return words(text, **options)["input_ids"]


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(beams=1),
        Decoding(beams=3, number=2, repetition_penalty=1.3),
        Decoding(sample=True, number=2, temperature=3.0, top_k=40),
    ],
)
def test_logprobs_are_those_of_a_forward_pass(
    folder: Path, kind: str, decoding: Decoding, monkeypatch: pytest.MonkeyPatch
):
    """Whatever chose the tokens: a search, penalties, a temperature."""
    from dialtools.models import engine_torch

    seen = {}
    with_logprobs = engine_torch._with_logprobs

    def watched(network: Any, rows: list, outputs: list, start: int | None) -> list:
        for row, of_row in zip(rows, outputs, strict=True):
            seen[row.ids] = [output.ids for output in of_row]
        return with_logprobs(network, rows, outputs, start)

    monkeypatch.setattr(engine_torch, "_with_logprobs", watched)
    decoding = decoding._replace(max_new_tokens=6, logprobs=True)
    made = list(dialtools.generate(RECORDS, model=str(folder / kind), decoding=decoding))
    for record in made:
        read = record["text"] + ("\n" if kind == "gpt2" else "")
        written = seen[tuple(ids_of(folder, kind, read))]
        pairs = record["logprobs"] if decoding.number > 1 else [record["logprobs"]]
        assert len(pairs) == len(written) == decoding.number
        for of_output, ids in zip(pairs, written, strict=True):
            expected = logprob(folder, kind, read, ids)
            assert [value for _, value in of_output] == pytest.approx(expected, abs=1e-4)
            assert math.fsum(v for _, v in of_output) == pytest.approx(sum(expected), abs=1e-4)
    assert "|logprobs:yes|" in made[0]["history"][-1]["signature"]
    outputs = [record["prediction"] for record in made]
    plain = dialtools.generate(
        RECORDS, model=str(folder / kind), decoding=decoding._replace(logprobs=False)
    )
    assert [record["prediction"] for record in plain] == outputs


def test_logprobs_end_where_the_output_does(folder: Path):
    decoding = Decoding(beams=1, max_new_tokens=8, logprobs=True)
    model = str(folder / "gpt2")
    [whole] = dialtools.generate(RECORDS[:1], model=model, decoding=decoding)
    tokens = [token for token, _ in whole["logprobs"]]
    assert "".join(tokens).strip() == whole["prediction"] and len(tokens) == 8
    stop = tokens[3] + tokens[4]
    [cut] = dialtools.generate(RECORDS[:1], model=model, decoding=decoding._replace(stop=stop))
    assert cut["logprobs"] == whole["logprobs"][: cut["history"][-1]["output_tokens"]]
    [silent] = dialtools.generate(RECORDS[:1], model=str(folder / "silent"), decoding=decoding)
    assert silent["prediction"] == "" and silent["logprobs"] == []


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
@pytest.mark.parametrize("beams", [1, 2])
def test_ctranslate2_says_what_torch_says(folder: Path, made_here, kind: str, beams: int):
    """Of outputs of which the first needs no token but its end, too."""
    more = ",stop_at_beams=yes,renormalize=yes" if beams > 1 else ""
    task = "causal" if kind == "gpt2" else "seq2seq"
    decoding = Decoding(beams=beams, number=beams, max_new_tokens=6, logprobs=True)
    for name in (kind, "silent") if kind == "bart" and beams == 1 else (kind,):
        by_engine = [
            list(
                dialtools.generate(
                    RECORDS,
                    generator=f"{task}:engine={engine}{more}",
                    model=str(folder / name),
                    decoding=decoding,
                )
            )
            for engine in ("torch", "ctranslate2")
        ]
        for first, second in zip(*by_engine, strict=True):
            assert first["prediction"] == second["prediction"]
            of_outputs = [
                record["logprobs"] if beams > 1 else [record["logprobs"]]
                for record in (first, second)
            ]
            for one, other in zip(*of_outputs, strict=True):
                assert [token for token, _ in one] == [token for token, _ in other]
                expected = pytest.approx([value for _, value in one], abs=1e-4)
                assert [value for _, value in other] == expected


def telling(handler: Handler, body: dict, before: int) -> None:
    """Answer with log-probabilities, in the form of the interface; to "See you." without."""
    answer = completion(body, *["two words"] * body.get("n", 1))
    for one in answer["choices"]:
        if "prompt" in body and body.get("logprobs"):
            one["logprobs"] = {"tokens": ["two", " words"], "token_logprobs": [-0.5, -0.25]}
        elif body.get("logprobs") and said(body) != "See you.":
            tokens = [("two", -0.5), (" words", -0.25)]
            one["logprobs"] = {"content": [{"token": t, "logprob": v} for t, v in tokens]}
    answer["system_fingerprint"] = "fp_1"
    handler.give(answer)


def test_logprobs_of_servers(shell, tmp_path):
    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    with serving(telling) as server:
        base = f"dt-generate --endpoint {server.url} --model m --logprobs in.jsonl"
        chat = shell(f"{base} -g endpoint:price=0.5/2")
        plain = shell(f"{base} -g endpoint:api=completions --sample -n 2 -q")
        body = """-g 'endpoint:body={"temperature": 0.7, "seed": 5}'"""
        with_body = shell(f"{base} {body} -q").out
    made = [json.loads(line) for line in chat.out.splitlines()]
    expected = [["two", -0.5], [" words", -0.25]]
    assert [record["logprobs"] for record in made] == [expected, None, expected]
    assert made[0]["history"][-1]["fingerprint"] == "fp_1"
    # 8 + 2 + 2 words read at 0.5 for a million, 3 times 2 written at 2
    assert chat.err == (
        "dt-generate: 3 records, 12 tokens of input, 6 tokens of output, "
        "0.000018 paid for tokens, 1 output without log-probabilities\n"
    )
    assert [json.loads(line)["logprobs"] for line in plain.out.splitlines()] == [[expected] * 2] * 3
    signature = json.loads(with_body.splitlines()[0])["history"][-1]["signature"]
    assert "|temperature:0.7|seed:5|logprobs:yes|body:" in signature


@pytest.mark.parametrize("price", ["1", "a/b", "-1/2", "1/inf", "1/2/3"])
def test_what_is_no_price(price: str):
    with pytest.raises(DialtoolsError, match="price is IN/OUT"):
        list(
            dialtools.generate(
                RECORDS, endpoint="http://127.0.0.1:9/v1", model="m", serving=Serving(price=price)
            )
        )


def test_a_repeated_run_pays_nothing(shell, tmp_path):
    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    with serving(shout) as server:
        line = f"dt-generate --endpoint {server.url} --model m --cache c in.jsonl"
        first = shell(f"{line} -g endpoint:price=1/1").err
        again = shell(f"{line} -g endpoint:price=1/1").err
    assert "paid for tokens" in first and "3 outputs from the cache\n" in again


# Choice.

OPTIONS = ["Yes, at ten.", "No.", "はい", "Yes"]


def choices(folder: Path, kind: str, read: str, before: str, text: str) -> dict[str, float]:
    """Return the likelihoods of a text by plain transformers."""
    if kind == "gpt2":
        ids = ids_of(folder, kind, before + text, add_special_tokens=False)
    else:
        ids = ids_of(folder, kind, text)  # with an end
    total = sum(logprob(folder, kind, read, ids))
    return {"sum": total, "mean": total / len(ids), "byte": total / len(text.encode())}


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
def test_choices_are_likelihoods(folder: Path, kind: str):
    record = {**RECORDS[0], "answers": OPTIONS}
    for by in ("sum", "mean", "byte"):
        spec = f"choice:options=answers,by={by}"
        [made] = dialtools.generate([record], generator=spec, model=str(folder / kind))
        read = record["text"] + ("\n" if kind == "gpt2" else "")
        expected = {text: choices(folder, kind, read, "", text) for text in OPTIONS}
        assert [one["text"] for one in made["choices"]] == OPTIONS
        for one in made["choices"]:
            values = {key: value for key, value in one.items() if key != "text"}
            assert values == pytest.approx(expected[one["text"]], abs=1e-4)
        assert made["prediction"] == max(OPTIONS, key=lambda text: expected[text][by])
        assert f"|by:{by}|" in made["history"][-1]["signature"]


def test_a_choice_goes_on_from_a_prompt(folder: Path, shell, tmp_path):
    """As in lm-evaluation-harness a space stands between "Answer:" and the text."""
    (tmp_path / "p.txt").write_text("{{ text }} Answer:")
    (tmp_path / "in.jsonl").write_text(json.dumps(RECORDS[1]) + "\n")
    spec = """-g 'choice:options=["Yes","No"]'"""
    model = f"--model {folder / 'gpt2'}"
    result = shell(f"dt-generate {spec} {model} --prompt p.txt in.jsonl")
    made = json.loads(result.out)
    read = RECORDS[1]["text"] + " Answer:"
    for one in made["choices"]:
        expected = choices(folder, "gpt2", read, " ", one["text"])
        assert one["sum"] == pytest.approx(expected["sum"], abs=1e-4)
        # of the text itself, as acc_norm has it
        assert one["byte"] == pytest.approx(one["sum"] / len(one["text"]))
    assert made["system"] == "gpt2" and result.status == 0
    assert shell(f"dt-generate {spec} {model} in.jsonl | dt-show").status == 0


def test_choices_are_those_of_lm_evaluation_harness(folder: Path, tmp_path):
    """HFLM.loglikelihood of lm_eval 0.4.13, of "See you. Answer:" and " " before each text."""
    (tmp_path / "p.txt").write_text("{{ text }} Answer:")
    [made] = dialtools.generate(
        RECORDS[1:2],
        generator='choice:options=["Yes, at ten.","No.","Monday"]',
        model=str(folder / "gpt2"),
        prompting=dialtools.Prompting(prompt=str(tmp_path / "p.txt")),
    )
    expected = [-68.47402, -38.02478, -6.66988]  # acc compares these, acc_norm those by length
    assert [one["sum"] for one in made["choices"]] == pytest.approx(expected, abs=1e-3)
    by_length = [value / size for value, size in zip(expected, (12, 3, 6), strict=True)]
    assert [one["byte"] for one in made["choices"]] == pytest.approx(by_length, abs=1e-3)


def test_a_choice_has_no_second_sign_of_a_word(torch, tmp_path):
    """A tokenizer as that of Llama 2 puts a sign before each text, here one of three tokens; tokens
    are taken from prompt and text together, as lm-evaluation-harness does."""
    from tokenizers import normalizers

    words = tiny_models.tokenizer(["<end>"], None)
    signs = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    words.backend_tokenizer.normalizer = normalizers.Sequence(signs)
    tiny_models.save(tmp_path / "gpt2", tiny_models.gpt2(words), words)
    (tmp_path / "p.txt").write_text("{{ text }} Answer:")
    for lang, space in (("en", " "), ("zh", "")):
        [made] = dialtools.generate(
            [{**RECORDS[1], "lang": lang}],
            generator='choice:options=["Yes, at ten.","No."]',
            model=str(tmp_path / "gpt2"),
            prompting=dialtools.Prompting(prompt=str(tmp_path / "p.txt")),
        )
        read = "See you. Answer:"
        before = ids_of(tmp_path, "gpt2", read)
        for one in made["choices"]:
            ids = ids_of(tmp_path, "gpt2", f"{read}{space}{one['text']}")[len(before) :]
            expected = sum(logprob(tmp_path, "gpt2", read, ids))
            assert one["sum"] == pytest.approx(expected, abs=1e-4)

    # as Zephyr's, whose turn follows a line end, and as Mistral's
    alone = tuple(ids_of(tmp_path, "gpt2", "No."))
    for kind, template, expected in (
        ("zephyr", r"{{ messages[0].content + '\n' }}", alone[3:]),
        ("mistral", "[INST] [/INST]", alone),
    ):
        words.chat_template = template
        model = tiny_models.save(tmp_path / kind, tiny_models.gpt2(words), words)
        reader = continuations.reader(model, Decoding(max_new_tokens=1), Place())
        assert reader.tokens("No.", RECORDS[1], False) == expected


@pytest.mark.parametrize(
    "spec, message",
    [
        ("choice:options=answers", "No model"),
        ("choice", "No model"),
        ("choice:model={}", "which texts are there"),
        ("choice:model={},options=other", '"other" is a list of two texts or more'),
        ("choice:model={},options=answers,by=luck", "luck"),
        ('choice:model={},options=["a"]', "a list of two texts or more"),
        ("choice:model={},options=answers,max_new_tokens=2", "no option 'max_new_tokens'"),
    ],
)
def test_what_cannot_be_chosen_is_told(folder: Path, spec: str, message: str):
    record = {**RECORDS[0], "answers": ["a", "b"]}
    with pytest.raises(DialtoolsError, match=message):
        list(dialtools.generate([record], generator=spec.format(folder / "gpt2")))


def test_a_prompt_is_cut_for_the_longest_choice(folder: Path):
    model, options = str(folder / "gpt2"), ["a", "long " * 10]
    record = {"id": 1, "text": "word " * 200 + "the end"}
    [made] = choice.generate([record], model=model, options=options)
    size = len(ids_of(folder, "gpt2", options[1], add_special_tokens=False))
    assert made["truncated"] and made["input_tokens"] == 96 - size
    with pytest.raises(RecordError, match="has no room in 96 positions"):
        list(choice.generate([record], model=model, options=["a", "long " * 99]))
