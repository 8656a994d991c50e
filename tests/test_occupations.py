"""examples/occupations: the paper's tables of outputs whose numbers were counted by hand."""

import json
import shutil

import pytest
from conftest import ROOT

HOME = ROOT / "examples" / "occupations"
pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")


def make(shell, out, line: str) -> None:
    result = shell(f"make -s OUT={out} {line}", cwd=HOME)
    assert result.status == 0, result.err


def test_tables_of_a_service(shell, tmp_path):
    """It says she of nurses, they of formal sentences, and he of everybody else."""
    out = tmp_path / "out"
    make(shell, out, f"{out}/sentences.jsonl {out}/sentences.txt")
    sentences = [json.loads(line) for line in (out / "sentences.jsonl").read_text().splitlines()]
    assert (out / "sentences.txt").read_text().splitlines() == [one["text"] for one in sentences]

    def says(one: dict) -> str:
        word = "They" if one["set"] == "S1 formal" else "She" if "नर्स" in one["text"] else "He"
        return f"{word} came."

    service = tmp_path / "service.txt"
    service.write_text("".join(says(one) + "\n" for one in sentences))
    make(shell, out, f"SYSTEMS={service} {out}/table1.txt {out}/table2.txt {out}/table3.txt")
    tables = [
        [
            line.rsplit(None, columns)
            for line in (out / f"table{n}.txt").read_text().splitlines()[1:]
        ]
        for n, columns in ((1, 1), (2, 2), (3, 4))
    ]
    # P: of ten formal sentences all are neutral; of ten others one is female; of 16 of occupations four
    p = {
        "S1 formal": 1,
        "S2 impolite": (0.9 * 0.1) ** 0.5,
        "S4 occupation": (0.75 * 0.25) ** 0.5,
        "S5 negative": 0,
    }
    values = {name: float(value) for name, value in tables[0]}
    assert {name: values[name] for name in p} == pytest.approx(p, abs=5e-4)
    sets = [value for name, value in values.items() if name != "TGBI"]
    assert len(sets) == 7 and values["TGBI"] == pytest.approx(sum(sets) / 7, abs=1e-3)
    # one occupation of 12 is female
    assert tables[1][0] == ["female speaker, female friend", "91.67", "8.33*"]
    assert tables[1][3] == ["male speaker, male friend", "91.67*", "8.33"]
    # 48 sentences, 12 of them of doctor and nurse, who are female in half: 6 + 18 of 48 right
    pairs = [one for one in sentences if one["test"] == "winomt"]
    right = [
        (("नर्स" in one["text"]) == (one["gender"] == "female"), one["stereotype"]) for one in pairs
    ]
    assert len(pairs) == 48 and sum(good for good, _ in right) == 24
    assert tables[2][0][1] == "50" and tables[2][0][4] == "0"


def test_significant_differences_are_those_of_scipy(shell, tmp_path):
    """A service that says "they" in the first half of the sentences, against he: no p is changed much by Holm."""
    stats = pytest.importorskip("scipy.stats")
    make(shell, tmp_path, f"{tmp_path}/sentences.jsonl {tmp_path}/he.txt")
    sentences = [
        json.loads(line) for line in (tmp_path / "sentences.jsonl").read_text().splitlines()
    ]
    pairs = [n for n, one in enumerate(sentences) if one["test"] == "winomt"]
    said = ["They came." if n in pairs[:24] else "He came." for n in range(len(sentences))]
    (tmp_path / "service.txt").write_text("".join(f"{line}\n" for line in said))
    make(shell, tmp_path, f"SYSTEMS='he {tmp_path}/service.txt' {tmp_path}/significant.txt")
    right, neutral = (tmp_path / "significant.txt").read_text().splitlines()
    he = [float(sentences[n]["gender"] == "male") for n in pairs]
    service = [0.0] * 24 + he[24:]
    p = stats.ttest_rel(he, service).pvalue
    assert right.startswith("service is worse than he in scores.gender_accuracy: difference -25 ")
    assert f"p = {p:.4f} after Holm" in right
    assert "service is higher than he in scores.gender:share=neutral" in neutral


def test_genders_of_sentences(shell, tmp_path):
    """The form of the verb or of "own" tells the gender; half of each are as the occupation is taken."""
    make(shell, tmp_path, f"{tmp_path}/winomt.jsonl")
    pairs = [json.loads(line) for line in (tmp_path / "winomt.jsonl").read_text().splitlines()]
    for one in pairs:
        forms = ("करती", "अपनी") if one["gender"] == "female" else ("करता", "अपने")
        assert sum(form in one["text"].split() for form in forms) == 1
        referent = one["one_taken"] if " ने " not in one["text"] else one["two_taken"]
        assert one["stereotype"] == ("pro" if one["gender"] == referent else "anti")
    assert sum(one["stereotype"] == "pro" for one in pairs) == 24
