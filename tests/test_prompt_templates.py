"""The templates of examples, each filled with a sample record; what is expected was written by hand."""

import json

import pytest
from conftest import ROOT
from flat_options import generate

from dialtools.inference import views
from dialtools.system.errors import RecordError

FOLDER = ROOT / "examples" / "prompts"
ELSEWHERE = {"definition": "financial-definitions", "counterfactual": "counterfactuals"}
CHAT = [{"speaker": "Ann", "text": "Coming?"}, {"speaker": "Bob", "text": "At ten."}]
SHOT = {"id": "s", "dialogue": "Cy: Hi", "context": "Cy", "reference": ["R1", "R2"], "term": "bond"}
RECORD = {
    "id": "r",
    "dialogue": CHAT,
    "context": "At ten",
    "reference": "Bob comes.",
    "prediction": "Bob does.",
}
BOTH = "Ann: Coming?\nBob: At ten."


@pytest.fixture
def shots(tmp_path):
    (tmp_path / "shots.jsonl").write_text(json.dumps(SHOT) + "\n")
    return {"shots": str(tmp_path / "shots.jsonl"), "shot_count": 1}


def filled(name: str, record: dict, **more) -> str:
    template = FOLDER.parent / ELSEWHERE.get(name, "prompts") / f"{name}.jinja"
    [made] = generate([record], generator="echo", prompt=str(template), overwrite=True, **more)
    return made["prediction"]


@pytest.mark.parametrize(
    "name, end, shot",
    [
        ("summary", f"Dialogue:\n{BOTH}\nSummary:", "Dialogue:\nCy: Hi\nSummary: R1\n\n"),
        (
            "question",
            f"Dialogue:\n{BOTH}\nAnswer: At ten\nQuestion:",
            "Dialogue:\nCy: Hi\nAnswer: Cy\nQuestion: R1\n\n",
        ),
        (
            "answer",
            f"Dialogue:\n{BOTH}\nQuestion: At ten\nAnswer:",
            "Dialogue:\nCy: Hi\nQuestion: Cy\nAnswer: R1\n\n",
        ),
    ],
)
def test_of_a_dialogue(name: str, end: str, shot: str, shots: dict):
    plain = filled(name, RECORD)
    task, _, rest = plain.partition("\n\n")
    assert rest == end and "\n" not in task
    assert filled(name, RECORD, **shots) == f"{task}\n\n{shot}{end}"
    with pytest.raises(RecordError, match='no "dialogue"'):
        filled(name, {"id": 1, "text": "x"})


def test_next_response():
    assert (
        filled("next-response", RECORD).endswith(f"\n\n{BOTH}")
        and filled("next-response", RECORD)[0] == "G"
    )


def test_translation():
    assert filled("translation", {"id": 1, "text": "Hi", "into": "Hindi"}) == (
        "Hi\n\nWrite this in Hindi, and nothing else."
    )
    assert filled("translation", RECORD | {"into": "Hindi"}, each="turn") == (
        "Ann: Now Ann says: Coming? Write what Ann says in Hindi, and nothing else.\n"
        "Bob: So far: Ann: Coming? Now Bob says: At ten. Write what Bob says in Hindi, and nothing else."
    )


ASKED = 'Say what "{}" means, as bullet points; write two at most.\nDefinition:'


def test_definition(shots: dict):
    record = {"id": 1, "term": "repo", "uses": ["A repo is repaid.", "Repo rates rose."]}
    base, shot = ASKED.format("repo"), ASKED.format("bond") + " R1\n\n"
    uses = "A repo is repaid.\n\nRepo rates rose.\n\n"
    assert filled("definition", record) == base
    assert filled("definition", record, **shots) == shot + base
    assert filled("definition", record, examples="uses") == uses + base
    assert filled("definition", record, examples="uses", **shots) == shot + uses + base
    of_field = base.replace("Say", "In the field of law, say")
    assert filled("definition", record | {"field": "law"}, **shots) == shot + of_field


def test_counterfactual():
    prompt = filled("counterfactual", {"id": 1, "text": "Cats {are} nice", "about": "cats"})
    *shown, last = prompt.split("\n\n")
    assert last == "Here is a text: {Cats {are} nice}. Rewrite it to be not about cats."
    braces = views.extractor("braces")
    for one in shown:
        asked, _, answer = one.partition("\n")
        assert (
            asked.startswith("Here is a text: {")
            and asked.endswith(".")
            and braces(answer) == answer[1:-1]
        )


@pytest.mark.parametrize(
    "record, given",
    [
        (RECORD, f"Dialogue:\n{BOTH}\nQuestion: At ten\n"),
        ({"id": 1, "text": "Hi"} | RECORD | {"dialogue": []}, "Text:\nHi\nQuestion: At ten\n"),
        ({"id": 1, "reference": ["Bob comes."], "prediction": ["Bob does."]}, ""),
    ],
)
def test_judge(record: dict, given: str):
    _, _, rest = filled("judge", record).partition("\n\n")
    assert rest == (
        f"{given}Reference: Bob comes.\nAnswer: Bob does.\n\n"
        "Write one whole number from 0 to 100 and nothing else."
    )


def test_every_template_is_here_and_in_the_readme():
    names = {path.stem for path in FOLDER.glob("*.jinja")}
    assert names == {
        "summary",
        "question",
        "answer",
        "next-response",
        "translation",
        "judge",
    }
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}.jinja` |" in readme for name in names)
    assert all(
        f"`{name}.jinja` in `{folder}`" in " ".join(readme.split())
        for name, folder in ELSEWHERE.items()
    )
