"""PAPER=1 of each example runs to its last table on made-up data in the form of the published data, with tiny models."""

from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT

TREES = sorted(file for file in ROOT.glob("tests/paper_trees/*.py") if file.stem != "__init__")


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES, ids=lambda file: file.stem)
def test_paper_mode_reaches_its_last_table(shell, tmp_path: Path, tree: Path):
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    variables = import_module(f"paper_trees.{tree.stem}").write(data)
    line = " ".join(f"'{name}={value}'" for name, value in variables.items())
    result = shell(
        f"make -s PAPER=1 OUT={out} {line}",
        cwd=ROOT / "examples" / tree.stem.replace("_", "-"),
        timeout=900,
    )
    assert result.status == 0, result.err
    assert f"All files are in {out}" in result.out
