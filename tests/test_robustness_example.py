"""examples/robustness: its kind of perturbation, and its tables against their definitions."""

import json
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from scipy.stats import pearsonr

import dialtools

HOME = ROOT / "examples" / "robustness"
sys.path.append(str(HOME))
import paper_tables as layout  # noqa: E402


@pytest.mark.parametrize("share, mistyped", [(0.3, 2), (0.4, 2), (1.0, 5)])
def test_errors_are_in_a_share_of_the_utterances(share: float, mistyped: int):
    """A third of five, rounded up; every word of theirs."""
    talk = "\n".join(f"{name}: some long words here" for name in ["Ann", "Bob"] * 2 + ["Ann"])
    kind = f"{HOME}/some.py:utterances={share},rate=1"
    (variant,) = dialtools.perturb([{"id": 1, "lang": "en", "dialogue": talk}], kind=[kind])
    before, after = talk.split("\n"), variant["dialogue"].split("\n")
    changed = [
        [a != b for a, b in zip(x.split(), y.split(), strict=True)]
        for x, y in zip(before, after, strict=True)
    ]
    assert sum(map(any, changed)) == mistyped
    assert all(sum(words) in (0, 4) for words in changed)


def test_r_is_that_of_scipy_with_faithfulness_of_its_own_metric():
    rows = [[10.0, 5.0, 1.0], [20.0, 9.0, 7.0], [50.0, None, 2.0], [40.0, 30.0, 9.0]]
    precise = [[0, 0, 4.0], [0, 0, 8.0], [0, 0, 1.0], [0, 0, 2.0]]
    source = {"set": "s", "row": "r", "rows": {"f": rows, "p": precise}}
    (_, (*_, saliency, faithfulness, both)) = layout.r([source], "f", "p")
    known = [0, 1, 3]
    assert (
        saliency == f"{pearsonr([rows[i][0] for i in known], [rows[i][1] for i in known])[0]:.2f}"
    )
    assert (
        faithfulness == f"{pearsonr([row[0] for row in rows], [row[2] for row in precise])[0]:.2f}"
    )
    assert both == f"{pearsonr([precise[i][2] for i in known], [rows[i][1] for i in known])[0]:.2f}"


def test_the_mean_of_rows_is_that_of_their_means(shell, tmp_path: Path):
    """All rows have the same dialogues."""
    names = [f"{name}.results.jsonl" for name in ("en.lead", "en.longest", "en.mean")]
    result = shell(
        f"make -s OUT={tmp_path} LANGS=en {' '.join(f'{tmp_path}/{name}' for name in names)}",
        cwd=HOME,
    )
    assert result.status == 0, result.err
    lead, longest, mean = (
        [json.loads(line) for line in (tmp_path / name).read_text().splitlines()] for name in names
    )
    for dimension in layout.DIMENSIONS:
        for one, other, both in zip(lead, longest, mean, strict=True):
            assert both[dimension] == pytest.approx((one[dimension] + other[dimension]) / 2)
            assert both["n"] == 16
