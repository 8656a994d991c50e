"""Cases of commands: tests/cases/COMMAND/NAME/{cmd,input…,expected}, run by a real shell.

cmd       lines of shell, run by bash in a temporary folder; $CASE is the case's own folder
expected  standard output, "--- stderr", standard error, "--- exit STATUS"
needs     (not always there) modules and programs without which the case is skipped, one a line

Lines that are JSON are compared as JSON: keys in their order, floats to six
digits.  `pytest --update` rewrites what differs; the review is `git diff`.
"""

import json
import math
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import Result, ROOT

from dialtools import __version__

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/cmd"))


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: str(case.relative_to(CASES)))
def test_case(case: Path, shell, tmp_path: Path, request: pytest.FixtureRequest):
    missing = [name for name in _needs(case) if not (find_spec(name) or shutil.which(name))]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    given = _shown(shell((case / "cmd").read_text(), CASE=str(case)), case, tmp_path)
    file = case / "expected"
    expected = file.read_bytes().decode() if file.exists() else ""
    if request.config.getoption("--update") and not _same_text(given, expected):
        file.write_bytes(given.encode())
    elif not _same_text(given, expected):
        assert given == expected, "run pytest --update if this is right"


def test_no_case_is_half_there():
    assert FOLDERS
    assert sorted(path.parent for path in CASES.glob("*/*/expected")) == FOLDERS


def _needs(case: Path) -> list[str]:
    file = case / "needs"
    return file.read_text().split() if file.exists() else []


def _shown(result: Result, case: Path, folder: Path) -> str:
    """Return a result as it stands in `expected`, without what differs from machine to machine."""
    text = f"{_ended(result.out)}--- stderr\n{_ended(result.err)}--- exit {result.status}\n"
    for value, name in ((case, "$CASE"), (folder, "$PWD"), (ROOT, "$ROOT")):
        text = text.replace(str(value), name)
    return text.replace(f"|v:{__version__}", "|v:VERSION")


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n(no newline at the end)\n"


def _same_text(given: str, expected: str) -> bool:
    lines, wanted = given.split("\n"), expected.split("\n")
    return len(lines) == len(wanted) and all(map(_same_line, lines, wanted))


def _same_line(line: str, wanted: str) -> bool:
    if line == wanted:
        return True
    if not (line.startswith(("{", "[")) and wanted.startswith(("{", "["))):
        return False
    try:
        return _same(json.loads(line), json.loads(wanted))
    except ValueError:
        return False


def _same(a: object, b: object) -> bool:
    """Are two JSON values the same, keys in the same order, floats to six digits?"""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
    return a == b


@pytest.mark.parametrize("a, b, same", [
    ('{"a": 0.12345671}', '{"a": 0.12345672}', True), ('{"a": 0.1234567}', '{"a": 0.1234667}', False),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', False), ('{"a": 1}', '{"a": 1.0}', False),
    ('{"a": [1]}', '{"a":  [1]}', True), ("a  b", "a b", False), ("[broken", "[broken ", False)])
def test_comparison(a: str, b: str, same: bool):
    assert _same_line(a, b) is same
