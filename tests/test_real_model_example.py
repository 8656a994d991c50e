"""examples/real-model: the weights that are rounded once more, and the finding on made-up data with a tiny model."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

HOME = ROOT / "examples" / "real-model"


def test_weights_are_rounded_to_the_nearest_of_sixteen_levels(torch, monkeypatch):
    """By hand: a group from -1 to 0.5 has levels 0.1 apart; one whose weights are alike stays."""
    monkeypatch.syspath_prepend(str(HOME))
    sys.modules.pop("weights", None)
    import weights

    row = torch.tensor([[-1.0, -0.96, -0.31, 0.5, 2.0, 2.0, 2.0, 2.0]])
    expected = torch.tensor([[-1.0, -1.0, -0.3, 0.5, 2.0, 2.0, 2.0, 2.0]])
    assert torch.allclose(weights.rounded(row, 4), expected, atol=1e-6)
    # the levels of four weights are those of four bits already
    once = weights.rounded(torch.randn(3, 64, generator=torch.Generator().manual_seed(1)), 32)
    assert torch.allclose(weights.rounded(once, 32), once, atol=1e-5)
    assert not torch.allclose(weights.rounded(once, 64), once, atol=1e-3)


def dialogsum(folder: Path) -> None:
    """Write a training part as it is published: dialogues of two, and one of three that is left out."""
    items = [
        {
            "fname": f"train_{number}",
            "dialogue": f"#Person1#: Is the {thing} here?\n#Person{people}#: No.\n#Person2#: It is mine.",
            "summary": f"#Person1# looks for the {thing}.",
            "topic": thing,
        }
        for number, (thing, people) in enumerate(
            [("tent", 3), ("key", 1), ("map", 1), ("bag", 1), ("cup", 1)]
        )
    ]
    (folder / "dialogsum.train.jsonl").write_text(
        "".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8"
    )


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_finding_compares_pools_and_systems(shell, torch, tmp_path: Path):
    pytest.importorskip("ctranslate2")
    from dialtools.models import stand_ins

    dialogsum(tmp_path)
    model = tmp_path / "model"
    stand_ins.main("causal", str(model))
    line = (
        f"make -s finding DATA={tmp_path} OUT={tmp_path}/out MODEL={model} MODEL_again={model} "
        "NUMBER=3 POOLS='frequent rare' FINDING_SYSTEMS='plain told numbered again' REPEATED=4 "
        "MEASURED=chrf "
        "WRITE='--max-new-tokens 4 -g causal:no_repeat_ngram_size=0'"
    )
    result = shell(line, cwd=HOME, XDG_CACHE_HOME=str(tmp_path))
    assert result.status == 0, result.err
    made = tmp_path / "out" / "finding"
    ids = [json.loads(line)["id"] for line in (made / "dialogues.jsonl").read_text().splitlines()]
    assert ids == ["train_1", "train_2", "train_3"]
    texts = {}
    for system in "plain", "again":
        records = map(json.loads, (made / f"{system}.jsonl").read_text().splitlines())
        texts[system] = [(r["id"], r["variant"], r["prediction"]) for r in records]
    assert texts["plain"] == texts["again"]  # the same weights here
    assert len(texts["plain"]) == 6
    results = map(json.loads, (made / "systems.results.jsonl").read_text().splitlines())
    sensitivity = {row["system"]: row["S"] for row in results if "system" in row}
    assert sensitivity["numbered"] == 0 < sensitivity["plain"]  # numbers for names
    noise = json.loads((made / "noise.results.jsonl").read_text().splitlines()[0])
    assert (noise["n"], noise["S"]) == (4, 0)  # float32 writes the same in batches of five
    tables = {name: (made / f"{name}.txt").read_text() for name in ("systems", "pools")}
    assert [table.count("\nplain ") for table in tables.values()] == [1, 0]
    assert "\nrare " in tables["pools"] and "n 3" in tables["pools"]
    assert "corrected by holm for " in (made / "systems-ttest.txt").read_text()
    assert "\nrare " in (made / "quality-ttest.txt").read_text()
    assert "<article" in (made / "systems.html").read_text()


def test_the_finding_says_what_data_it_needs(shell, tmp_path: Path):
    result = shell(f"make finding OUT={tmp_path}/out", cwd=HOME)
    assert "make finding needs DATA=FOLDER that holds dialogsum.train.jsonl" in result.err
    assert result.status == 2
