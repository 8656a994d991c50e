"""The metric judge: what is asked, what an answer says, and what is no answer; a server of ours plays the model."""

import json
from collections.abc import Callable
from pathlib import Path

import misbehaving_server
import pytest
import tiny_models
from misbehaving_server import completion, said, serving

import dialtools
from dialtools.commands import score as command
from dialtools.evaluation import scorer as scorers
from dialtools.generators.transformers import causal
from dialtools.metrics import judge
from dialtools.system.errors import OptionError, RecordError

RECORD = {
    "id": "a",
    "lang": "en",
    "reference": ["Bob brings bread.", "Bread comes."],
    "prediction": "Bob brings it.",
}


def test_a_number_is_read():
    answers = [
        ("85", 85),
        ("Score: 7.5", 7.5),
        ("7,5", 7.5),
        (" 0\n", 0),
        ("100", 100),
        ("85/100", 85),
        ("85 / 100.", 85),
        ("85 out of 100", 85),
        ("**85**", 85),
        ("90%", 90),
        ("**Score:** 12\r\nThere are 3 reasons", 12),
        ("８５", 85),
        ("\n\n60", 60),
        ("100/100", 100),
        ("60\n\nReference: 2 cats.", 60),
        ("The 1st text is good.\n85", 85),
        ("85分", 85),
        ("评分：85分\n理由：第2句没有3个名字。", 85),
        ("第2句没有了：60分", 60),
        ("#Person1# is right: 60", 60),
        ('{\n"score": 85\n}', 85),
        ("<think>\nThe 1st has 2 facts.\n</think>\n\n85", 85),
    ]
    assert [(answer, judge.number(answer)) for answer, _ in answers] == answers


def test_what_is_no_number_from_0_to_100():
    for answer, message in [
        ("", "no number"),
        ("Very good!", "no number"),
        ("eighty", "no number"),
        ("-5", "not from 0 to 100"),
        ("−5", "not from 0 to 100"),
        ("101", "not from 0 to 100"),
        ("from 0 to 100 it is 85", "more than one number"),
        ("70 or 80", "more than one number"),
        ("/100", "no number"),
        ("1,000", "not from 0 to 100"),
        ("#Person1# is right.", "no number"),
        ("COVID-19 is missing.", "no number"),
        ("第2个更好", "no number"),
        ("2番目の方が良い", "no number"),
        ("Coverage: 90\n**Style:** 80\nScore: 85", "more than one number"),
        ("80-90", "more than one number"),
        ("85,90,95", "more than one number"),
        ("It is 85pts, 2 are missing", "than one"),
        ("12,345,678", "not from 0 to 100"),
        ("The 2nd is better, or the 11th.", "no number"),
        ("Step 1:\nThey are alike.\nScore: 85", "more than one number"),
        ("8.5/10", "more than one number"),
        ("The score is 12.\nThere are 3 reasons", "more than one number"),
        ("1. 85", "more than one number"),
    ]:
        with pytest.raises(RecordError, match=message):
            judge.number(answer)


def test_what_is_cut_is_no_number():
    """It was 8 of 85, and 0 of "from 0 to 100"."""
    for answer in (
        "8",
        "I take a number from 0",
        "<think>\nThe 2 texts",
        "It is 85\nbecause",
        "So",
    ):
        with pytest.raises(RecordError, match="is cut, give it more max_new_tokens"):
            judge.number(answer, cut=True)
    assert judge.number("85\n\nReference: Ann", cut=True) == 85


def test_the_prompt_shows_record_and_shots(tmp_path: Path):
    assert judge.template("", "")(RECORD).endswith(
        "and no other word.\n\nReference: Bob brings bread.\nCandidate: Bob brings it.\nScore:"
    )
    shots = tmp_path / "shots.jsonl"
    shots.write_text(
        json.dumps({"id": 1, "reference": "Yes.", "prediction": "No.", "score": 5}) + "\n"
    )
    assert (
        "\n\nReference: Yes.\nCandidate: No.\nScore: 5\n\nReference: Bob brings bread.\n"
        in judge.template("", str(shots))(RECORD)
    )
    own = tmp_path / "own.txt"
    own.write_text("{{ prediction }}? {{ shots | length }}")
    assert judge.template(str(own), str(shots))(RECORD) == "Bob brings it.? 1"
    own.write_text("{{ prediction }}!")
    assert judge.template(str(own), str(shots))(RECORD) == "Bob brings it.!", (
        "what the signature's digest is of"
    )
    with pytest.raises(RecordError, match='no "reference"'):
        judge.template("", "")({"id": 1, "prediction": "x"})


def graded(handler: misbehaving_server.Handler, body: dict, before: int) -> None:
    """Answer with the number of characters of the candidate; of "so", with words alone."""
    candidate = said(body).rpartition("Candidate: ")[2].partition("\n")[0]
    handler.give(completion(body, f"{len(candidate)}/100" if candidate != "so" else "It is so-so"))


def test_a_server_judges():
    records = [
        RECORD | {"id": n, "prediction": text} for n, text in enumerate(["abc", "x" * 40, "abc"])
    ]
    with serving(graded) as server:
        spec = f"judge:endpoint={server.url},model=m"
        [one, two, three] = dialtools.score(records, metric=[spec])
        assert [record["scores"][spec] for record in (one, two, three)] == [3, 40, 3]
        assert len(server.got) == 2, "the same prompt is asked once"
        assert {body["temperature"] for _, _, body in server.got} == {0}
        signature = one["history"][-1]["signature"][spec]
    assert (
        f"|model:m|endpoint:{server.url}|prompt:{judge.described({'endpoint': '', 'prompt': '', 'shots': ''})['prompt']}|shots:no|max_new_tokens:16|"
        in signature
    )
    assert not any(name in signature for name in ("precision", "batch_size", "torch"))


@pytest.fixture
def run(tmp_path: Path, capfdbinary: pytest.CaptureFixture) -> Callable:
    """Return run(arguments, records) -> (exit status, records, what stands on standard error)."""

    def run(*arguments: str, records: list[dict]) -> tuple[int, list[dict], str]:
        dialtools.write(records, tmp_path / "in.jsonl")
        with pytest.raises(SystemExit) as end:
            command.main([*arguments, str(tmp_path / "in.jsonl")])
        out, err = capfdbinary.readouterr()
        return int(str(end.value.code)), list(map(json.loads, out.splitlines())), err.decode()

    return run


def test_no_number_is_an_error_on_that_record(run: Callable):
    records = [RECORD | {"id": f"r{n}", "prediction": "so" if n == 3 else "word"} for n in range(6)]
    with serving(graded) as server:
        spec = f"judge:endpoint={server.url},model=m"
        status, _, err = run("-m", spec, records=records)
        assert status == 3 and err.count("\n") == 1
        assert ':4: the judge\'s answer has no number: "It is so-so" (id "r3")' in err
        status, made, err = run("-m", spec, "--on-error", "keep", "-q", records=records)
    assert status == 1 and [record.get("scores", {}).get(spec) for record in made] == [
        4,
        4,
        4,
        None,
        4,
        4,
    ]
    assert "no number" in made[3]["errors"][0]["reason"]


def nonsense(handler: misbehaving_server.Handler, body: dict, before: int) -> None:
    handler.give(b"<html>no</html>", kind="text/html")


def test_a_server_of_nonsense_is_one_line(run: Callable):
    with serving(nonsense) as server:
        status, made, err = run("-m", f"judge:endpoint={server.url},model=m", records=[RECORD])
        assert (
            (status, made) == (5, [])
            and err.count("\n") == 1
            and "is it the address of an API" in err
        )
        status, made, err = run(
            "-m", f"judge:endpoint={server.url},model=m", "--offline", records=[RECORD]
        )
        assert (status, made) == (2, []) and "opens none" in err and err.count("\n") == 1
    for spec, message in (
        ("judge", "which model"),
        ("judge:endpoint=nowhere,model=m", "an endpoint is an address"),
    ):
        status, made, err = run("-m", spec, records=[RECORD])
        assert (status, made) == (2, []) and message in err and err.count("\n") == 1


def test_a_causal_model_is_asked_as_dt_generate_asks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A tiny model with random weights says no number; what it says is what the generator writes greedily."""
    pytest.importorskip("transformers")
    words = tiny_models.tokenizer(["<end>"], None)
    place = tiny_models.save(tmp_path, tiny_models.gpt2(words, n_positions=512), words)
    [expected] = causal.generate(
        [{"id": "a", "prompt": judge.template("", "")(RECORD)}],
        model=place,
        beams=1,
        no_repeat_ngram_size=0,
        max_new_tokens=16,
    )
    heard: list[str] = []
    monkeypatch.setattr(judge, "number", lambda answer, cut: heard.append(answer) or 50.0)
    assert judge.score([RECORD], model=place) == [50.0] and heard == [expected["prediction"]]
    with pytest.raises(RecordError, match="cannot read so long a prompt"):
        judge.score([RECORD | {"prediction": "word " * 500}], model=place)
    with pytest.raises(OptionError, match="max_new_tokens"):
        judge.score([RECORD], model=place, max_new_tokens=0)
    signature = scorers.of(f"judge:model={place}", "en").signature()
    assert "endpoint" not in signature and "|torch:" in signature and "|transformers:" in signature
