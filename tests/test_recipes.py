"""The recipes are true: run in their folder, the commands of examples/recipes/README.md write what is shown.

By hand: of the types three of five are right; F1 is 1/2, 2/3 and 2/3, and 4/7, 0 and 0.  Of the blocks one of three
is in both sets, then none.  By scikit-learn: the folds; by scipy: Pearson's r.
"""

import re
import shutil

import pytest
from comparing import same_text
from conftest import ROOT

from examples import Example, examples

FOLDER = ROOT / "examples" / "recipes"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", [example for block in BLOCKS for example in examples(block)])
def test_recipe(shell, example: Example):
    if not shutil.which("jq"):
        pytest.skip("needs jq")
    result = shell(f"set -o pipefail; {example.command}", cwd=FOLDER)
    assert result.status == 0, result.err
    assert same_text(result.out.rstrip("\n"), example.shown.rstrip("\n")), (
        f"{result.out}\nis not\n{example.shown}"
    )
