"""examples/collaborative-building: what a model is told of a session, and the tables, by hand."""

import json
import shutil

import pytest
from conftest import ROOT

HOME = ROOT / "examples" / "collaborative-building"
pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
ROW = [["place", "oak", x, 0, 0] for x in range(5)]
SESSION = {
    "id": "s",
    "part": "train",
    "acts": [
        {"by": "A", "type": "UTT", "text": "a fence ?"},
        {"by": "A", "type": "BLOCK", "blocks": ROW, "at": [1, 1, 1], "facing": [90, -5.5]},
        {"by": "B", "type": "BLOCK", "blocks": [["break", None, 0, 0, 0]]},
        {"by": "B", "type": "UTT", "text": "better ."},
        {"by": "A", "type": "BLOCK", "blocks": [["place", "stone", 5, 0, 0]]},
        {"by": "B", "type": "BLOCK", "blocks": [["place", "oak", 9, 3, 9]]},
    ],
}


def records(shell, inputs: str) -> list[dict]:
    line = f"jq -c --argjson most 4 --argjson last 2 --arg inputs '{inputs}' -f records.jq"
    result = shell(f"echo '{json.dumps(SESSION)}' | {line}", cwd=HOME)
    assert result.status == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


def test_a_model_is_told_the_changes_the_world_and_where_who_acts_stands(shell):
    """Five operations are two acts; changes are by person; what is broken is none; the last two acts are told."""
    acts = records(shell, "history changes last world position")
    assert [act["true"]["type"] for act in acts] == ["BLOCK"] * 3 + ["UTT"] + ["BLOCK"] * 2
    assert [len(act["true"]["blocks"]) for act in acts] == [4, 1, 1, 0, 1, 1]
    assert acts[0]["context"] == (
        "A: a fence ?\nchanged since: nothing\nworld: empty\nat 1 1 1 facing 90 -5.5\nnext: A"
    )
    last = acts[4]
    assert last["context"] == (
        "A: a fence ?\n"
        "changed: A <oak> 0 0 0 ; <oak> 1 0 0 ; <oak> 2 0 0 ; <oak> 3 0 0 ; <oak> 4 0 0 | B <none> 0 0 0\n"
        "B: better .\nchanged since: nothing\n"
        "world: <oak> 1 0 0 ; <oak> 2 0 0 ; <oak> 3 0 0 ; <oak> 4 0 0\nnext: A"
    )
    assert [turn["text"] for turn in last["dialogue"]] == [
        "<BLOCK> <break> <none> 0 0 0",
        "<UTT> better .",
    ]
    assert [(act["kinds"], act["places"]) for act in acts if act["true"]["type"] == "BLOCK"] == [
        ("others", "elsewhere"),  # nothing was built before
        ("the same as before", "next to those before"),
        ("others", "next to those before"),  # what is broken was placed by the last two acts
        ("others", "elsewhere"),  # 5 0 0 after a break at 0 0 0
        ("others", "elsewhere"),
    ]
    assert records(shell, "world")[0]["context"] == "world: empty\nnext: A"
    told = records(shell, "history worlds")[4]["context"].splitlines()
    assert told[0] == "world: empty" and told[1] == "A: a fence ?"
    assert told[3] == "world: <oak> 1 0 0 ; <oak> 2 0 0 ; <oak> 3 0 0 ; <oak> 4 0 0"


def test_a_table_has_means_spreads_and_stars(shell):
    """0.5 and 0.7 over two seeds: 0.600 ± 0.141; a star if AU is better than all others at 5 %."""
    results = [
        {"group": group, "metric": "accuracy", "mean": mean}
        for group, mean in (("au.1", 50), ("au.2", 70), ("Random", 20.04))
    ]
    rows = '[["Random","Random"],["au","AU (ours)"]]'
    for p, star in (0.04, "*"), (0.06, ""):
        test = {"value": "scores.accuracy", "a": "Random", "b": "au.1", "difference": -30, "p": p}
        result = shell(
            f'jq -sr --argjson columns \'[["Accuracy","accuracy","mean"]]\' --argjson rows \'{rows}\' --arg model au '
            f"--argjson tests '{json.dumps([test])}' -f {HOME}/table.jq <<< '{' '.join(map(json.dumps, results))}'"
        )
        assert result.out.splitlines() == [
            "Model\tAccuracy",
            "Random\t0.200",
            f"AU (ours)\t0.600 ± 0.141{star}",
        ]


def test_random_operations_are_possible_ones(shell):
    """What is broken stands, and where something is placed, nothing stands."""
    world = {f"{x} 0 {z}": "oak" for x in range(3) for z in range(2)}
    records = [{"world": world, "true": {}, "id": n} for n in range(40)]
    line = f"jq -sc --arg most UTT --argjson kinds '[\"oak\"]' --argjson lowest '[0,0,0]' --argjson highest '[3,0,1]' -f {HOME}/simple.jq"
    written = shell(f"{line} <<< '{' '.join(map(json.dumps, records))}' | grep Random").out
    blocks = [b for line in written.splitlines() for b in json.loads(line)["predicted"]["blocks"]]
    assert {block[0] for block in blocks} == {"place", "break"}
    assert all((" ".join(block[-3:]) in world) == (block[0] == "break") for block in blocks)
    counts = {len(json.loads(line)["predicted"]["blocks"]) for line in written.splitlines()}
    assert counts <= {1, 2, 3, 4} and len(counts) > 1
