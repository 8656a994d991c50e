"""dt: the list of commands, and completion in a real shell."""

import shutil

import pytest
from test_contract import FILTERS, program

from dialtools import registry


def test_all_commands_are_listed_with_what_they_do(shell):
    lines = [line.split(maxsplit=1) for line in shell("dt").out.splitlines()]
    assert lines == [[program(name), registry.summary("commands", name)] for name in FILTERS]


COMPLETE = """
source <(dt --completion bash)
COMP_WORDS=({words} '{begun}'); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_{function}_completion {command}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("words, begun, wanted", [
    ("dt-perturb -k", "dialogue.c", ["dialogue.closing", "dialogue.combine"]),
    ("dt-perturb", "--keep", ["--keep-original"]), ("dt-score --on-error", "s", ["stop", "skip"]),
    ("dt-score -m", "rougeL", ["rougeL", "rougeLsum"]), ("dt", "--comp", ["--completion"])])
def test_bash_completes(shell, words: str, begun: str, wanted: list[str]):
    command = words.split()[0]
    result = shell(COMPLETE.format(words=words, begun=begun, command=command, function=command.replace("-", "_")))
    assert result.out.splitlines() == wanted, result.err


@pytest.mark.parametrize("command, begun", [("dt-check", "in"), ("dt-check in.jsonl", "m"), ("dt-check -o", "out"),
                                            ("dt-swap-names --map", "names"), ("dt-check --languages", "my")])
def test_file_names_are_left_to_the_shell(shell, command: str, begun: str):
    """To "file" the script of each answers with what the shell has by itself; with nothing, TAB did nothing."""
    program, *words = command.split()
    asked = f"_{program.upper().replace('-', '_')}_COMPLETE=bash_complete"
    result = shell(f"{asked} COMP_WORDS='{command} {begun}' COMP_CWORD={len(words) + 1} {program}")
    assert (result.out, result.err) == (f"file,{begun}\n", "")


@pytest.mark.parametrize("name, check", [("zsh", "zsh -n"), ("fish", "fish --no-execute"), ("bash", "bash -n")])
def test_each_shell_takes_its_script(shell, name: str, check: str):
    script = shell(f"dt --completion {name}").out
    assert all(f"{program(command).upper().replace('-', '_')}_COMPLETE" in script for command in FILTERS)
    if not shutil.which(name):
        pytest.skip(f"needs {name}")
    result = shell(f"dt --completion {name} > script; {check} script")
    assert (result.err, result.status) == ("", 0)
