"""Imports: nothing but click and the standard library before it is needed, and all of our own one way."""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import samples
from conftest import ROOT

NEW = """
import sys
from collections import Counter
before = set(sys.modules)
import importlib, json, pathlib
{code}
print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
"""
EVERYTHING = """
home = pathlib.Path({root!r}, "dialtools")
for path in sorted(home.rglob("*.py")):
    name = ".".join(path.relative_to(home.parent).with_suffix("").parts).removesuffix(".__init__")
    importlib.import_module(name)
"""
HEAVY = {
    "bert_score",
    "fugashi",
    "jieba",
    "nltk",
    "numpy",
    "pandas",
    "regex",
    "sacrebleu",
    "scipy",
    "stanza",
    "torch",
    "tqdm",
    "transformers",
}


def imported(shell, tmp_path, code: str) -> set[str]:
    """Return the top-level modules, but for the standard library's, that a fresh interpreter loads for the code."""
    (tmp_path / "code.py").write_text(NEW.format(code=code))
    result = shell("python code.py", PYTHONPATH=str(ROOT))
    assert result.status == 0, result.err
    return set(json.loads(result.out.splitlines()[-1])) - sys.stdlib_module_names


def test_all_modules_together_import_click_alone(shell, tmp_path):
    new = imported(shell, tmp_path, EVERYTHING.format(root=str(ROOT)))
    assert new <= {"click", "dialtools"}, "import it in the function that uses it"
    assert "dialtools" in new


def test_the_package_itself_imports_nothing(shell, tmp_path):
    assert imported(shell, tmp_path, "import dialtools; dir(dialtools)") == {"dialtools"}


@pytest.mark.parametrize(
    "command, options, needed",
    [
        ("perturb", "-k typo.case", set()),
        ("swap_names", "", set()),
        ("generate", "-g longest", set()),
        ("check", "", set()),
        ("convert", "--from jsonl", set()),
        ("score", "-m rouge2 -m exact", set()),
        ("score", "-m rouge2 -m rougeL --sensitivity", set()),
        ("score", "-m bleu -m rouge1:stem=yes", set()),
        ("score", "-m chrf", {"numpy"}),
        ("score", "-m chrf:backend=sacrebleu", {"numpy", "sacrebleu"}),
    ],
)
def test_a_run_imports_what_it_needs_alone(
    shell, tmp_path, command: str, options: str, needed: set[str]
):
    """English input: in other languages regex finds the words."""
    records = samples.records(10, ("en",))
    (tmp_path / "in.jsonl").write_text(
        samples.lines(samples.predicted(records) if command == "score" else records)
    )
    code = f"""
module = importlib.import_module("dialtools.commands.{command}")
try:
    module.main({options.split()} + ["in.jsonl", "-o", "out"])
except SystemExit as end:
    assert not end.code, end.code
"""
    assert imported(shell, tmp_path, code) & HEAVY - {"regex"} == needed
    assert (tmp_path / "out").exists()


def test_a_model_that_is_not_there_is_told_before_torch_is_loaded(shell, tmp_path):
    """Which takes seconds; a path is mistyped easily."""
    code = """
module = importlib.import_module("dialtools.commands.generate")
try:
    module.main(["--model", "./nothing"])
except SystemExit as end:
    assert end.code == 4, end.code
"""
    assert not imported(shell, tmp_path, code) & HEAVY


def test_the_list_of_heavy_modules_is_not_stale(shell, tmp_path):
    """If one could be imported unseen, the test above would say nothing."""
    assert imported(shell, tmp_path, "import sacrebleu") & HEAVY >= {"sacrebleu"}


HOME = ROOT / "dialtools"
MAP = re.findall(
    r"^\| `(\w+)/?` \|", (HOME / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_the_map_has_each_folder_once():
    folders = [path.name for path in HOME.iterdir() if (path / "__init__.py").exists()]
    assert sorted(MAP) == sorted(folders)
    assert [path.name for path in HOME.glob("*.py")] == ["__init__.py"]


@pytest.fixture(scope="module")
def uses() -> set[tuple[str, str]]:
    """Return which folder imports from which."""
    return {
        (path.relative_to(HOME).parts[0].removesuffix(".py"), used)
        for path in HOME.rglob("*.py")
        for used in used_by(path)
    }


def test_the_house_has_at_most_eight_floors(uses):
    floors: dict[str, int] = {}
    for folder in reversed(MAP):
        below = [floors[used] for user, used in uses if user == folder != used and used in floors]
        floors[folder] = 1 + max(below, default=0)
    assert 6 <= max(floors.values()) <= 8, floors


def test_each_module_uses_only_what_stands_below_it_in_the_map(uses):
    assert ("commands", "pipeline") in uses and ("records", "system") in uses
    assert [(one, other) for one, other in uses if MAP.index(one) > MAP.index(other)] == []


def test_a_class_name_stands_for_one_thing():
    names = Counter(
        node.name
        for path in (ROOT / "dialtools").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def used_by(path: Path) -> Iterator[str]:
    """Yield which of the modules and folders of dialtools a file imports from, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "dialtools"
        ):
            _, _, folder = node.module.partition(".")
            yield from (
                [folder.partition(".")[0]]
                if folder
                else {name.name for name in node.names} & {*MAP}
            )
