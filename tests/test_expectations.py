"""dt-check --expect: expectations of variants and results as tests; all numbers are by hand."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from table_tests import each_row

import dialtools
from dialtools.system.errors import OptionError, RecordError


def record(id: str, variant: str = "", prediction: str | None = "a b", **more) -> dict:
    named = {"variant": variant} if variant else {}
    return {"id": id, "lang": "en", **named, "prediction": prediction, **more}


def scored(id: str, variant: str, **scores: float | None) -> dict:
    return record(id, variant, scores=scores)


def rows(records: list[dict], *expect: str, **options) -> list[tuple]:
    return [
        tuple(row[key] for key in ("kind", "holds", "passed", "failed", "missing"))
        for row in dialtools.check(records, expect=expect, **options)
    ]


# F1 of "a c" against "a b" is 1/2, of "c" 0, of "a b" 1
CHANGED = [
    record("1"),
    record("1", "typo.case:1"),
    record("1", "typo.case:2", "a c"),
    record("1", "typo.keyboard:1", "c"),
    record("2"),
    record("2", "typo.case:1", "a c"),
    record("2", "typo.keyboard:1"),
]


def test_invariants_compare_outputs_with_the_original_s():
    assert rows(CHANGED, "invariant: f1 >= 0.5", "invariant: exact > 0.9") == [
        ("typo.case", True, 3, 0, 0),
        ("typo.keyboard", False, 1, 1, 0),
        ("all", False, 4, 1, 0),
        ("typo.case", False, 1, 2, 0),
        ("typo.keyboard", False, 1, 1, 0),
        ("all", False, 2, 3, 0),
    ]


def test_an_invariant_is_what_dt_score_computes_against_the_original():
    records = dialtools.score(CHANGED, metric=["rouge1:against=original"])
    scores = {
        (one["id"], one["variant"]): one["scores"]["rouge1:against=original"]
        for one in records
        if "variant" in one
    }
    for (id, variant), score in scores.items():
        pair = [one for one in CHANGED if one["id"] == id and one.get("variant") in (None, variant)]
        assert rows(pair, f"invariant: rouge1 == {score!r}")[0][1]


def test_equal_outputs_have_the_best_score():
    """ROUGE-2 of one word is 0, also against itself."""
    pair = [record("1", "", "a"), record("1", "typo.case:1", "a")]
    assert rows(pair, "invariant: rouge2 >= 1") == [("typo.case", True, 1, 0, 0)]
    assert rows(pair, "invariant: ter <= 0") == [("typo.case", True, 1, 0, 0)]


@each_row(
    "kind, kinds",
    [
        ("typo", ["typo.case", "typo.keyboard", "all"]),
        ("typo.case", ["typo.case"]),
        ("typ", [None]),
        ("dialogue", [None]),
    ],
)
def test_an_expectation_may_be_of_a_kind(kind: str, kinds: list):
    made = rows(CHANGED, f"invariant of {kind}: f1 >= 0.5")
    assert [row[0] for row in made] == kinds
    assert made != [(None, True, 0, 0, 0)]


def test_drops_are_differences_of_scores():
    """100 - 99.9 is 0.09999999999999432 in floating point: such differences are equal to 0.1."""
    records = [
        scored("1", "", bleu=99.9, f1=0.5),
        scored("1", "not:1", bleu=100.0, f1=0.4),
        scored("1", "not:2", bleu=99.8, f1=0.2),
    ]
    assert rows(records, "drop: f1 < -0.1") == [("not", False, 1, 1, 0)]
    assert rows(records, "drop: f1 <= -0.1") == [("not", True, 2, 0, 0)]
    assert rows(records, "drop: bleu >= 0.1", pass_rate=50) == [("not", True, 1, 1, 0)]
    [row] = dialtools.check(records, expect=["drop: f1 < -0.1"])
    assert row["first"] == "record 2" and row["example"] == "1 not:1: -0.1"


def test_what_has_no_number_does_not_pass():
    lone = record("3", "typo.case:1")
    failing = record("4", "typo.case:1", None, errors=[{"by": "dt-generate", "reason": "late"}])
    empty = scored("4", "typo.case:2", f1=None)
    records = [scored("2", "", f1=1.0), scored("2", "typo.case:1", f1=1.0), lone]
    records += [scored("4", "", f1=1.0), failing, empty]
    [row] = dialtools.check(records, expect=["drop: f1 == 0"])
    assert (row["passed"], row["missing"], row["holds"], row["rate"]) == (1, 3, False, 25)
    assert row["failures"] == [
        "3 typo.case:1: no original beside it: dt-perturb --keep-original",
        "4 typo.case:1: late",
        "4 typo.case:2: f1 is null",
    ]
    assert rows(records, "invariant: exact > 0") == [("typo.case", False, 2, 0, 2)]
    assert rows(records, "f1 > 0.5")[:2] == [
        ("original", True, 2, 0, 0),
        ("typo.case", False, 1, 0, 3),
    ]


def test_a_score_may_be_of_originals():
    records = [scored("1", "", f1=1.0), scored("1", "typo.case:1", f1=0.0)]
    assert rows(records, "score of original: f1 > 0.9") == [("original", True, 1, 0, 0)]
    assert rows(records, "score: f1 > 0.9") == rows(records, "f1 > 0.9")


@each_row("expect", ["invariant: exact > 0", "drop: f1 < 1", "f1 > 0", "S:f1 < 20", "f2 > 0"])
def test_an_expectation_of_nothing_does_not_hold(expect: str):
    for records in ([], [record("1")]):
        [row] = dialtools.check(records, expect=expect)
        assert (row["holds"], row["n"], row["rate"]) == (False, 0, None) and row["note"]


def test_a_mistyped_label_is_told_the_nearest():
    [row] = dialtools.check([scored("1", "", rouge2=1.0)], expect="rouge3 > 0")
    assert row["note"] == "no record or result with rouge3 (did you mean rouge2?)"


def test_results_and_sources_are_in_percent():
    """Of CHANGED, 1's outputs a b, a c, c and 2's a c, a b: S of F1 is that of dt-score."""
    records = [one for one in CHANGED if "keyboard" not in one.get("variant", "")]
    records = [*records, record("2", "typo.case:2")]
    [result] = dialtools.score(records, metric=["f1"], sensitivity=True)
    sources = list(dialtools.score(records, metric=["f1"], sensitivity=True, per_source=True))
    assert result["S"] == 50 and [one["scores"]["S:f1"] for one in sources] == [50, 50]
    assert rows([result, *sources], "S:f1 < 50") == [
        (None, False, 0, 1, 0),
        (None, False, 0, 2, 0),
    ]
    assert rows([result, *sources], "S:f1 <= 50") == [(None, True, 1, 0, 0), (None, True, 2, 0, 0)]
    assert rows([result], "mean:f1 > 0") == [(None, False, 0, 0, 1)]  # no references: null
    [row] = dialtools.check([result], expect="S:f1 > 0.5")
    assert row["holds"] and row["note"] == "S:f1 is in percent, and 0.5 no share of 1"


def test_a_fraction_of_points_is_told():
    records = [scored("1", "", bleu=99.0), scored("1", "typo.case:1", bleu=95.0)]
    for expect in ("invariant: bleu > 0.9", "bleu > 0.9", "drop: bleu > -0.9"):
        row, *_ = dialtools.check(records, expect=expect)
        assert " is from 0 to 100, and " in row["note"]
    [row] = dialtools.check(records, expect="invariant: bleu > 90")
    assert row["holds"] and "note" not in row


def test_a_kind_of_a_result():
    results = list(dialtools.score(CHANGED, metric=["f1"], robustness=True))
    made = rows(results, "consistency:f1 <= 50")
    assert made == [
        ("typo.case", True, 1, 0, 0),
        ("typo.keyboard", True, 1, 0, 0),
        ("typo.*", True, 1, 0, 0),
        ("all", True, 1, 0, 0),
    ]


def test_results_of_tests():
    records = [
        record(str(id), variant, scores={"f1": 0.5 + 0.01 * id + shift})
        for id in range(5)
        for variant, shift in (("", 0), ("typo.case:1", -0.1 - 0.01 * (id % 2)))
    ]
    results = list(dialtools.ttest(records, value=["f1"], by="kind"))
    assert rows(results, "p:f1 < 0.05", "difference:scores.f1 < 5") == [
        ("original, typo.case", True, 1, 0, 0),
        ("original, typo.case", False, 0, 1, 0),
    ]


def test_sources_that_failed_are_missing():
    source = {"id": "1", "lang": "en", "unit": "percent", "scores": {"S:f1": 3.0}}
    failed = record("2", "typo.case:1", errors=[{"by": "dt-score", "reason": "no tokens"}])
    assert sorted(rows([source, failed], "S:f1 < 20"), key=str) == [
        ("all", False, 1, 0, 1),
        ("typo.case", False, 0, 0, 1),
        (None, True, 1, 0, 0),
    ]


@each_row(
    "expect, part",
    [
        ("invariant exact > 1", "wanted is"),
        ("f1 = 1", "wanted is"),
        ("f1 > one", "wanted is"),
        ("f1 > 1e999", "too large"),
        ("invariant: exact > 90", "from 0 to 1 in records"),
        ("drop: f1 < -10", "from 0 to 1 in records"),
        ("invariant: nosuch > 0", "nosuch"),
        ("invariant: distinct2 > 0", "does not compare"),
        ("invariant: f1:against=original > 0", "does not compare"),
    ],
)
def test_a_bad_expectation_is_refused(expect: str, part: str):
    with pytest.raises(OptionError, match=part):
        list(dialtools.check(CHANGED, expect=expect))


def test_a_malformed_record_ends_it():
    with pytest.raises(RecordError, match="no number"):
        rows([scored("1", "", f1="high")], "f1 > 0")  # type: ignore[arg-type]
    with pytest.raises(RecordError):
        rows([record("1"), record("2"), record("1")], "invariant: exact > 0")
    for line in (
        {"id": 1, "unit": "percent", "scores": {}, "variant": 5},
        {"metric": "f1", "signature": "", "S": "x"},
    ):
        with pytest.raises(RecordError):
            rows([line], "S:f1 > 0")
    assert rows([record("1"), *CHANGED], "invariant of typo.keyboard: f1 > 0", on_error="skip")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    odd = record("a<&>\x01\n]]>", "typo.case:1", "c")
    dialtools.write([*CHANGED, record(odd["id"]), odd], path)
    return path


def test_junit_names_the_records(shell, tmp_path: Path, file: Path):
    line = (
        "dt-check in.jsonl --expect 'invariant: f1 >= 0.5' --expect 'S:f1 < 3' --junit out.xml "
        "--expect 'invariant of typo.keyboard: f1 >= 0' --format json"
    )
    result = shell(line, cwd=tmp_path)
    assert result.status == 1 and result.err == "dt-check: 1 of 3 expectations holds\n"
    root = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert root.tag == "testsuites"
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["5", "3", "1"]
    suites = {suite.get("name"): suite for suite in root}
    assert [
        tuple(suite.get(key) for key in ("name", "tests", "failures", "errors")) for suite in root
    ] == [
        ("invariant: f1 >= 0.5", "3", "3", "0"),
        ("S:f1 < 3", "1", "0", "1"),
        ("invariant of typo.keyboard: f1 >= 0", "1", "0", "0"),
    ]
    case, *_ = suites["invariant: f1 >= 0.5"]
    failure = case.find("failure")
    assert case.get("name") == "typo.case" and failure is not None
    assert failure.get("message") == "3 of 4 passed (75 %), 1 failed, 0 without a number"
    assert failure.text == '"a<&>\\u0001\\n]]>" typo.case:1: 0'
    rows_written = [json.loads(line) for line in result.out.splitlines()]
    assert [row["failures"] for row in rows_written][1] == ["1 typo.keyboard:1: 0"]


def test_a_pass_rate_and_a_table(shell, tmp_path: Path, file: Path):
    line = "dt-check in.jsonl --expect 'invariant: f1 >= 0.5' --format text --pass-rate"
    result = shell(f"{line} 50", cwd=tmp_path)
    assert (result.status, result.err) == (0, "dt-check: 1 of 1 expectations holds\n")
    result = shell(f"{line} 60", cwd=tmp_path)
    assert result.status == 1
    assert [line.split()[:7] for line in result.out.splitlines() if "typo." in line] == [
        ["typo.case", "yes", "75.00", "4", "3", "1", "in.jsonl:9"],
        ["typo.keyboard", "no", "50.00", "2", "1", "1", "in.jsonl:4"],
    ]


def test_options_of_expectations_need_some(shell, tmp_path: Path):
    lines = ("--junit x.xml", "--pass-rate 90", "--languages --expect 'f1 > 0'")
    mistaken = ("--expect 'f1 => 0'", *(f"--expect 'f1 > 0' --pass-rate {n}" for n in (0.9, 101)))
    for line in (*lines, *mistaken):
        assert shell(f"echo '{{}}' | dt-check {line}", cwd=tmp_path).status == 2
    same = "dt-check --expect 'f1 > 0' -o x --junit x"
    assert shell(f"echo '{{}}' | {same}", cwd=tmp_path).status == 2


def test_the_workflow_of_the_example_runs(shell, tmp_path: Path):
    """Each line of shell that it has, but for the installation; the README shows one that fails."""
    yaml = pytest.importorskip("yaml")
    folder = shutil.copytree(ROOT / "examples" / "github-actions", tmp_path / "example")
    workflow = yaml.safe_load((folder / "workflow.yml").read_text())
    steps = workflow["jobs"]["behaviour"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines == ["pip install dialtools", "make all"]
    assert shell(f"set -e; {lines[1]}", cwd=folder).status == 0
    kept = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert all((folder / path).is_file() for path in kept.split())
    suites = ElementTree.parse(folder / "out" / "junit.xml").getroot()
    assert [suites.get(key) for key in ("tests", "failures")] == ["5", "0"]
    blocks = (folder / "README.md").read_text().split("```text\n$ ")[1:]
    for block, status in zip(blocks, (2, 0), strict=True):
        line, _, shown = block.partition("```")[0].partition("\n")
        result = shell(line, cwd=folder, COLUMNS="")
        assert (result.status, result.out) == (status, shown)
