"""Examples that need a model, with tiny ones of random weights (dialtools.models.stand_ins), and MiniLM."""

import json
import math
import re
import shutil
from pathlib import Path
from statistics import fmean, stdev

import pytest
from conftest import ROOT
from scipy.stats import kendalltau

from dialtools.models import stand_ins

pytestmark = pytest.mark.skipif(
    not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq"
)
HOME = ROOT / "examples"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, torch) -> Path:
    """Return a folder of stand-ins that were made in this process; make finds them, and makes what is not there."""
    folder = tmp_path_factory.mktemp("random")
    for kind in ("causal", "seq2seq", "nli"):
        stand_ins.main(kind, str(folder / kind))
    return folder


def test_without_the_libraries_of_models_there_is_a_line(shell, tmp_path: Path):
    for name in ("torch", "tokenizers", "transformers"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError({name!r}, name={name!r})")
    result = shell(
        "python -m dialtools.models.stand_ins causal out", PYTHONPATH=f"{tmp_path}:{ROOT}"
    )
    assert (result.out, result.err.count("\n"), result.status) == ("", 1, 1)
    assert result.err.endswith(" is not installed: pip install 'dialtools[models]'\n")


@pytest.mark.slow
def test_metric_agreement_has_a_row_for_each_metric_and_a_star_where_it_is_random(
    shell, tmp_path: Path, made: Path
):
    shutil.copytree(made, tmp_path / "random")
    result = shell(
        f"make -s -C '{HOME / 'metric-agreement'}' SETS=sick FAST=8 METRICS=edit OUT='{tmp_path}'"
    )
    assert result.status == 0, result.err + result.out
    head, *rows, note = result.out.splitlines()
    shown = {name: float(value) for name, value, *_ in map(str.split, rows)}
    assert list(shown) == [
        "edit",
        "cosine",
        "bertscore",
        "embedding_average",
        "greedy_matching",
        "perplexity*",
        "bartscore*",
        "classifier*",
        "summac*",
        "judge*",
    ]
    assert head.split()[1] == "SICK" and "means nothing" in note
    records = [
        json.loads(line) for line in (tmp_path / "sick.scored.jsonl").read_text().splitlines()
    ]
    assert len(records) == 8
    for value, scores in zip(
        shown.values(),
        zip(*(record["scores"].values() for record in records), strict=True),
        strict=True,
    ):
        assert value == pytest.approx(
            kendalltau(scores, [record["human"] for record in records])[0], abs=0.0005001
        )


def test_chinese_bias_is_the_mean_difference_of_the_perplexities(shell, tmp_path: Path, made: Path):
    shutil.copytree(made / "causal", tmp_path / "random")
    result = shell(
        f"make -s -C '{HOME / 'chinese-bias'}' OUT='{tmp_path}' MODEL='{tmp_path}/random' KINDS=gender "
        f"measure '{tmp_path}/age.two.jsonl'"
    )
    assert result.status == 0, result.err + result.out
    assert (
        len((tmp_path / "age.two.jsonl").read_text().splitlines()) >= 6
    )  # scored as those about women are
    one, two = (perplexities(tmp_path / f"gender.{side}.scored.jsonl") for side in ("one", "two"))
    kept = [
        {
            id: value
            for id, value in side.items()
            if abs(value - fmean(side.values())) <= 3 * stdev(side.values())
        }
        for side in (one, two)
    ]
    differences = [kept[0][id] - kept[1][id] for id in kept[0].keys() & kept[1].keys()]
    told = re.search(r"difference (\S+) \(.*n = (\d+) pairs", (tmp_path / "gender.txt").read_text())
    assert told and int(told[2]) == len(differences) >= 10
    assert math.isclose(float(told[1]), fmean(differences), rel_tol=1e-3)


def perplexities(file: Path) -> dict[str, float]:
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {record["id"]: next(iter(record["scores"].values())) for record in records}
