"""Cases of commands: tests/cases/COMMAND/NAME/{cmd,input…,expected}, run by a real shell.

cmd       lines of shell, run by bash in a temporary folder; $CASE is the case's own folder
expected  standard output, "--- stderr", standard error, "--- exit STATUS"
needs     (not always there) modules and programs without which the case is skipped, one a line

Lines that are JSON are compared as JSON: keys in their order, floats to six
digits.  `pytest --update` rewrites what differs; the review is `git diff`.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from comparing import same_text
from conftest import ROOT, Result

from dialtools import __version__

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/cmd"))


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: str(case.relative_to(CASES)))
def test_case(case: Path, shell, tmp_path: Path, request: pytest.FixtureRequest):
    missing = [name for name in _needs(case) if not (find_spec(name) or shutil.which(name))]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    given = _shown(shell((case / "cmd").read_text(), CASE=str(case)), case, tmp_path)
    assert "Traceback" not in given and "internal error" not in given, (
        given
    )  # nothing to expect, --update or not
    file = case / "expected"
    expected = file.read_bytes().decode() if file.exists() else ""
    if request.config.getoption("--update") and not same_text(given, expected):
        file.write_bytes(given.encode())
    elif not same_text(given, expected):
        assert given == expected, "run pytest --update if this is right"


def test_no_case_is_half_there():
    assert FOLDERS
    assert sorted(path.parent for path in CASES.glob("*/*/expected")) == FOLDERS


def _needs(case: Path) -> list[str]:
    file = case / "needs"
    told = file.read_text().split() if file.exists() else []
    return ["jq", *told] if "jq " in (case / "cmd").read_text() else told


def _shown(result: Result, case: Path, folder: Path) -> str:
    """Return a result as it stands in `expected`, without what differs from machine to machine."""
    text = f"{_ended(result.out)}--- stderr\n{_ended(result.err)}--- exit {result.status}\n"
    for value, name in ((case, "$CASE"), (folder, "$PWD"), (ROOT, "$ROOT")):
        text = text.replace(str(value), name)
    return text.replace(f"|v:{__version__}", "|v:VERSION")


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n(no newline at the end)\n"
