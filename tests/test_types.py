"""`import dialtools` for type checkers: what is mistyped is an error, and what is returned is known."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, environment

import dialtools

sys.path.append(str(ROOT / "man"))
import mkstub

# Each line that is wrong ends in what mypy calls its error.
PROGRAM = """
from pathlib import Path

import dialtools

records = dialtools.read(Path("in.jsonl"), "more.jsonl.gz", lang="en")
renamed = dialtools.swap_names(records, pool=["black", "white"], variants=5, person="Bob")
outputs = dialtools.generate(renamed, model=Path("m"), decoding=dialtools.Decoding(beams=4))
scored = dialtools.score(outputs, metric=["rouge2", len], loading=dialtools.Loading(offline=True))
reveal_type(next(scored))
labels: list[str] = [record["id"] for record in scored]
for result in dialtools.score([{"prediction": "a", "reference": "a"}], metric="rouge2", summary=True):
    print(result["mean"] + 1)
dialtools.train_parser(train="a", dev="b", output_dir=".", shape=dialtools.ParserShape(layers=1))
dialtools.ttest(scored, value="rouge2", correct="none")
dialtools.report("in.jsonl", scored, title="Names").save("report.html")
dialtools.write(scored, Path("out.jsonl"))
reveal_type(dialtools.score(["a"], ["a"], metric="rouge2", summary=True).to_pandas())
reveal_type(dialtools.show(records, worst="S:rouge2"))
frame: dialtools.DataFrame
dialtools.ttest(frame, records, value="f1")

dialtools.score(records, metrik="rouge2")  # call-arg
dialtools.score(records)  # call-arg
dialtools.score(records, metric=2)  # arg-type
dialtools.swap_names(records, variants="five")  # arg-type
dialtools.swap_names("in.jsonl")  # arg-type
dialtools.ttest(scored, value="rouge2", correct="nothing")  # arg-type
dialtools.join(records, records, by="lines")  # arg-type
dialtools.generate(records, decoding=dialtools.Decoding(beams="4"))  # arg-type
dialtools.generate(records, decoding={"beams": 4})  # arg-type
dialtools.scoer(records, metric="rouge2")  # attr-defined
"""


def test_the_stub_declares_all_that_is_there():
    declared = re.findall(r"^def (\w+)|(\w+) as \2", mkstub.stub(), flags=re.MULTILINE)
    assert {*dir(dialtools)} <= {name for pair in declared for name in pair} | {"__version__"}


def test_type_checkers_see_mistakes_and_no_others(tmp_path: Path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    checked = subprocess.run(
        [*command, "--follow-imports=silent", "program.py"],
        cwd=tmp_path,
        env=environment(tmp_path, MYPYPATH=str(ROOT)),
        capture_output=True,
        text=True,
    )
    found = re.findall(r"^program.py:(\d+): error: .*\[(.*)\]$", checked.stdout, re.MULTILINE)
    lines = enumerate(PROGRAM.splitlines(), 1)
    assert found == [(str(n), line.partition("  # ")[2]) for n, line in lines if "  # " in line]
    revealed = re.findall('Revealed type is "(.*)"', checked.stdout)
    assert revealed[0] == "dict[str, Any]" and revealed[2].endswith("Stream[str]")
