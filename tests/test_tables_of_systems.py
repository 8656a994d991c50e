"""Tables of several systems: a hint on --by, marks that are explained in LaTeX, lines as long as they need to be."""

import json

import pytest


@pytest.fixture
def systems(tmp_path):
    """A file of three systems, 20 records each."""
    lines = []
    for system in ("good", "bad", "a-system-with-a-name-of-more-than-twenty-eight-characters"):
        for number in range(20):
            text = f"the cat number {number} sat on the mat"
            output = {"good": text, "bad": f"a dog {number}"}.get(system, text[: 9 + number])
            record = {"id": f"d{number}", "lang": "en", "system": system, "reference": text}
            lines.append(json.dumps(record | {"prediction": output}))
    (tmp_path / "systems.jsonl").write_text("\n".join(lines))
    return "systems.jsonl"


def test_a_table_of_systems_hints_at_by_system(shell, systems):
    hint = "dt-score: 3 systems are here: --by system tests their differences"
    command = f"dt-score -m rouge2 {systems}"
    for line in (f"{command} --summary --format text", f"{command} -o out.jsonl"):
        assert shell(line).err.splitlines()[-1] == hint
    for options in (
        "--summary",
        "--summary --format text --by system",
        "--summary --format text -q",
    ):
        assert hint not in shell(f"{command} {options}").err


def test_latex_prints_what_its_marks_mean(shell, systems):
    out = shell(f"dt-score -m rouge2 --summary --by system --format latex {systems}").out
    table = out[out.index(r"\begin{tabular}") : out.index(r"\end{tabular}")]
    assert "$^{{*}{*}{*}}$ \\\\" in table.partition(r"\bottomrule")[0]
    legend = table.partition(r"\bottomrule")[2]
    assert "$^{{*}{*}{*}}$ p $<$ 0.001" in legend and "t test over dialogues, Holm" in legend
    unmarked = shell(f"dt-score -m rouge2 --summary --format latex {systems}").out
    assert r"\multicolumn" not in unmarked


def test_a_text_table_in_a_pipe_is_not_cut(shell, systems):
    metrics = " ".join(
        f"-m {name}" for name in ("rouge1", "rouge2", "rougeL", "chrf", "bleu", "f1", "edit")
    )
    line = f"dt-score {metrics} --summary --by system --format text {systems} -q"
    wide, narrow = shell(line, COLUMNS="").out, shell(line, COLUMNS="60").out
    head = next(row for row in wide.splitlines() if row.startswith("system "))
    assert all(name in head for name in ("rouge1", "chrf", "edit")) and len(head) > 80
    assert max(map(len, narrow.splitlines()[2:8])) <= 60


def test_a_mistyped_word_is_told_the_nearest(shell, systems):
    for options, word in (
        ("--format latx", "latex"),
        ("--on-error skp", "skip"),
        ("--precision float3", "float32"),
    ):
        result = shell(f"dt-score -m rouge2 {options} {systems}")
        assert result.status == 2 and f"(did you mean {word}?)" in result.err
    result = shell(f"dt-score -m rouge2 --summary {systems}", DIALTOOLS_FORMAT="markdwn")
    assert result.status == 2 and "(did you mean markdown?)" in result.err
