"""help() and messages of the functions: parameters, their types and defaults, and no flags."""

import ast
import inspect
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from table_tests import each_row

import dialtools
from dialtools.pipeline import python_words

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FUNCTIONS = [*dialtools.COMMANDS, *dialtools._RECORDS]


@each_row("name", [*FUNCTIONS, *dialtools._VALUES])
def test_help_tells_each_parameter_with_its_type_and_default(name: str):
    function = getattr(dialtools, name)
    text = pydoc.render_doc(function, renderer=pydoc.plaintext)
    doc = inspect.getdoc(function) or ""
    assert not FLAG.search(doc) and "function <lambda>" not in text
    for parameter in inspect.signature(function).parameters.values():
        [line] = re.findall(rf"^\*?{parameter.name}: (.+)$", doc, re.MULTILINE)
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        assert line.endswith(default) and not line.startswith(("collections.", "typing."))
        assert re.search(rf"^\*?{parameter.name}: .*\n(?:\w+: .*\n)*    \S", doc, re.MULTILINE)


def test_help_of_a_function():
    text = pydoc.render_doc(dialtools.swap_names, renderer=pydoc.plaintext)
    assert "swap_names(records, *, pool=None, pool_file=None, " in text
    assert "    variants: int = 1\n        number for each record and pool" in text
    assert "    seed: int = 0\n" in text


@each_row(
    "name, given, told",
    [
        ("score", {"metric": "f1", "beams": 4}, "beams is no parameter$"),
        ("score", {"metrik": "f1"}, r"metrik is no parameter \(did you mean metric\?\)$"),
        ("generate", {"beams": 4}, r"beams is in decoding=dialtools\.Decoding\(beams=…\)$"),
        (
            "score",
            {"metric": "f1", "offline": True},
            r"in loading=dialtools\.Loading\(offline=…\)$",
        ),
    ],
)
def test_an_unknown_argument_is_told_with_what_to_write(name: str, given: dict, told: str):
    with pytest.raises(TypeError, match=told):
        getattr(dialtools, name)([], **given)


def messages() -> Iterator[tuple[Path, str]]:
    """Yield texts with flags, of all code but docstrings and what commands declare; 7 for values."""
    for path in sorted((ROOT / "dialtools").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        parts = {c for node in nodes if isinstance(node, ast.JoinedStr) for c in ast.walk(node)}
        docs = {node.value for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            text = ""
            if isinstance(node, ast.JoinedStr):
                text = "".join(p.value if isinstance(p, ast.Constant) else "7" for p in node.values)  # type: ignore[misc]
            elif isinstance(node, ast.Constant) and node not in parts | docs:
                text = node.value if isinstance(node.value, str) else ""
            if FLAG.search(text) and " " in text:
                yield path, text


def test_no_message_names_an_option_of_a_function_as_a_flag():
    """Whichever message an engine below raises, each command's function has it in its own words."""
    texts = dict.fromkeys(messages())
    assert len(texts) > 300
    for file in dialtools.COMMANDS.values():
        options = python_words.options_of(file)
        for path, text in texts:
            if path.parent.name == "commands" and path.stem != file:
                continue
            words = re.sub(
                r"\bdt-[a-z-]+(?: [a-z]+)? --[a-z-]+|--\w+7",
                "",
                python_words.in_python(text, options),
            )
            left = [flag for flag in FLAG.findall(words) if options.named(flag)]
            assert not left, (file, path, text, words)


def test_notes_of_results_are_in_words_of_python():
    outputs = [{"id": 1, "lang": "en", "prediction": "a", "reference": "a"}]
    [result] = dialtools.score(outputs, metric="rouge2", sensitivity=True)
    assert "swap_names(variants=2)" in result["note"]
    record = outputs[0] | {"note": "use --variants 2"}
    assert next(dialtools.score([record], metric="exact"))["note"] == "use --variants 2"


def test_a_pool_is_a_file_or_its_lines(tmp_path: Path):
    record = {"id": 1, "lang": "en", "dialogue": [{"speaker": "Ann", "text": "Hi"}]}
    (tmp_path / "mine.txt").write_text("Zennon\n")
    assert (
        list(dialtools.names_check(tmp_path / "mine.txt"))[0]["first"] == f"{tmp_path}/mine.txt:1"
    )
    assert list(dialtools.names_check(["Zennon"]))[0]["first"] == "names:1"
    pools = [["Zennon"], tmp_path / "mine.txt", {"mine": str(tmp_path / "mine.txt")}]
    for pool in pools:
        [swapped] = dialtools.swap_names([record], pool_file=pool)
        assert swapped["dialogue"][0]["speaker"] == "Zennon"
