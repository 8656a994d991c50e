"""dt-convert --split: files that hold what the shards of a run would read, and dt-merge without the input."""

import json
from pathlib import Path

import pytest

from dialtools.system.errors import OptionError
from dialtools.system.files import OutputParts, new_folder


def test_each_file_is_a_shard_and_together_they_are_the_input(shell, tmp_path: Path):
    (tmp_path / "in.csv").write_text("text\n" + "so it is\n" * 40)
    assert (
        shell(
            "dt-convert --lang en -q in.csv --split 3 --output-dir parts; dt-convert --lang en -q in.csv -o in"
        ).status
        == 0
    )
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        f"part-{n}-of-3.jsonl" for n in (1, 2, 3)
    ]
    for number in (1, 2, 3):
        shard = shell(f"dt-convert -q in --shard {number}/3").out
        assert shard == (tmp_path / "parts" / f"part-{number}-of-3.jsonl").read_text() != ""
    run = "dt-perturb -k typo.case -q"
    assert (
        shell(
            f"for n in 1 2 3; do {run} parts/part-$n-of-3.jsonl -o out$n; done; {run} in -o one"
        ).status
        == 0
    )
    assert shell("dt-merge -q --order in out2 out3 out1").out == (tmp_path / "one").read_text()
    made = shell("dt-merge out2 out3 out1")
    assert made.out == "".join((tmp_path / f"out{number}").read_text() for number in (1, 2, 3))
    assert "no --order: the records stand part by part, 1 to 3" in made.err
    assert "read twice, so none is a pipe" in shell("dt-merge out1 out2 <(cat out3)").err


@pytest.mark.parametrize(
    "before, said",
    [
        ("dt-perturb -k typo.case --rate 1 --shard 2/3 -q in -o out2", "was not made as"),
        ("cp out1 out2", "are both of part"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused_without_the_input(
    shell, tmp_path: Path, before: str, said: str
):
    lines = [json.dumps({"id": number, "lang": "en", "text": "so it is"}) for number in range(30)]
    (tmp_path / "in").write_text("\n".join(lines) + "\n")
    made = shell(
        f"for n in 1 2 3; do dt-perturb -k typo.case --shard $n/3 -q in -o out$n; done; {before}; "
        "dt-merge out1 out2 out3 -o m"
    )
    assert said in made.err
    assert not (tmp_path / "m").exists()


def test_a_folder_is_there_when_it_is_complete(shell, tmp_path: Path):
    made = shell("""printf '{"id": 1}\\n{"id"' | dt-convert --split 2 --output-dir out""")
    assert made.status == 3 and list(tmp_path.iterdir()) == []
    (tmp_path / "out").mkdir()
    with new_folder(str(tmp_path / "out")) as place:
        Path(place, "a").write_text("x")
        assert list((tmp_path / "out").iterdir()) == []
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "a"]
    with (
        pytest.raises(OptionError, match="out is there already, and is no empty folder"),
        new_folder(str(tmp_path / "out")),
    ):
        pass
    for options in (
        "--split 2",
        "--output-dir d",
        "--split 2 --output-dir d -o x",
        "--split 2 --output-dir d --format csv",
    ):
        assert shell(f"dt-convert --lang en {options} out/a").status == 2


def test_lines_wait_for_few_files_to_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OutputParts, "MOST", 20)
    parts = OutputParts([str(tmp_path / str(number)) for number in range(3)])
    for number in range(30):
        parts.write(number % 2, f"{number}\n".encode())
        assert parts.size <= 23
    parts.flush()
    texts = [(tmp_path / str(number)).read_text().split() for number in range(3)]
    assert texts == [[str(n) for n in range(0, 30, 2)], [str(n) for n in range(1, 30, 2)], []]
