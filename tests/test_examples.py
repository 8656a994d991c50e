"""The Makefiles of examples/: every command line that they would run is one that the commands understand."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT, environment
from misbehaving import Handler, completion, said, serving

MAKEFILES = sorted((ROOT / "examples").glob("*/Makefile"))


def recipe(makefile: Path, *arguments: str, home: Path) -> str:
    """Return what make would run, lines that go on joined."""
    done = subprocess.run(["make", "--dry-run", "--always-make", "--keep-going", "--no-print-directory",
                           f"OUT={home}/out", *arguments], cwd=makefile.parent, env=environment(home),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 or "No rule to make target" in done.stderr, done.stderr  # data that one has to get
    return done.stdout.replace("\\\n", " ")


def commands(recipe: str) -> Iterator[list[str]]:
    """Yield the words of each command of ours."""
    for line in recipe.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="|;&<>()")
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if not re.fullmatch(r"[|;&<>()]+", word):
                command.append(word)
                continue
            if command and re.fullmatch("dt(-[a-z-]+)?", command[0]):
                yield command
            command = []


@pytest.mark.parametrize("makefile", MAKEFILES, ids=lambda path: path.parent.name)
def test_its_command_lines_are_understood(makefile: Path, tmp_path: Path):
    made = recipe(makefile, "all", home=tmp_path)
    found = list(commands(made))
    assert found or not made
    for name, *arguments in found:
        module = import_module(f"dialtools.commands.{name.removeprefix('dt-').replace('-', '_')}")
        module.main.make_context(name, arguments)  # raises for an option that there is not


@pytest.mark.parametrize("makefile", MAKEFILES, ids=lambda path: path.parent.name)
def test_it_does_as_expected(makefile: Path, tmp_path: Path):
    if not re.search("^check:", makefile.read_text(), flags=re.MULTILINE):
        pytest.skip("it wants a model")
    done = subprocess.run(["make", "--no-print-directory", "check", f"OUT={tmp_path}/out"], cwd=makefile.parent,
                          env=environment(tmp_path), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_counterfactuals_are_tried_again(tmp_path: Path):
    """A server that at first writes what will not do; scores without a model stand for those of models."""
    def write(handler: Handler, body: dict, before: int) -> None:
        text = re.findall(r"Here is a text: \{(.*)\}\. Rewrite it", said(body))[-1]
        word = "cheerful" if len(handler.server.got) > 10 else "Muslim gay mosque Jewish trans"  # type: ignore
        new = re.sub("Muslim|mosque|gay|Jewish|trans", word, text, flags=re.IGNORECASE)
        outputs = ["no braces", "{" + text + "}", "{?}", "Sure! {" + new + "} {more}", "{Rewrite it to be}"]
        handler.give(completion(body, *outputs, *["{" + new + "}"] * 11))

    folder = shutil.copytree(ROOT / "examples", tmp_path / "examples") / "counterfactuals"
    with serving(write) as server:
        done = subprocess.run(
            ["make", "--no-print-directory", f"ASK=--endpoint {server.url} --model m", "BERT=chrf:against=text",
             "GROUP=length_ratio:against=text", "KEEP='$(BLEU)' > 50 and '$(GROUP)' < 1.1", "RANK='$(BLEU)'",
             "BEFORE=cer:against=text", "AFTER=edit:against=text"],
            cwd=folder, env=environment(tmp_path), capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert {body["n"] for _, _, body in server.got} == {16} and {body["top_k"] for _, _, body in server.got} == {40}

    def lines(name: str) -> list[dict]:
        return [json.loads(line) for line in (folder / "out" / f"{name}.jsonl").read_text().splitlines()]

    assert [len(lines(f"pending{number}")) for number in range(1, 6)] == [5, 5, 5, 0, 0]
    made = lines("counterfactuals")
    assert [record["id"] for record in made] == ["p1", "p2", "p3", "p4", "p5"]
    assert made[2]["prediction"] == "A cheerful couple runs the bakery now. Best bread in town."
    assert "variant" not in made[2] and made[2]["history"][0]["output"][0] == "no braces"
    reasons = {record["rejected"] for number in (1, 2, 3) for record in lines(f"dropped{number}")}
    assert reasons == {"bare punctuation", "a repeat of the input", "a repeat of another output",
                       "an echo of the prompt"}
    assert json.loads((folder / "out" / "effect.json").read_text())["n"] == 5
