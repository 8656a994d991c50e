"""dt: the list of commands, and completion in a real shell."""

import re
import shutil

import pytest
from conftest import ROOT
from test_contract import FILTERS, program

from dialtools.commands import dt
from dialtools.plugins import registry


def test_all_commands_are_listed_with_what_they_do(shell):
    *blocks, first = [block.splitlines() for block in shell("dt").out.split("\n\n")]
    assert all(heading.endswith(":") for heading, *_ in blocks) and "others:" not in [
        block[0] for block in blocks
    ]
    assert {word for word in " ".join(first).split() if word.startswith("dt-")} <= {
        program(name) for name in FILTERS
    }
    lines = [line.split(maxsplit=1) for _, *lines in blocks for line in lines]
    assert sorted(lines) == [
        [program(name), registry.summary("commands", name)] for name in FILTERS
    ]


def test_the_readme_has_the_same_groups():
    """Rows of its table: a group in bold, in the first one plain, or a command."""
    table = (ROOT / "README.md").read_text().partition("## The commands\n")[2].partition("\n## ")[0]
    groups, group = {}, ""
    for name in re.findall(r"^\| \W*([\w-]+)\W* \|", table, flags=re.MULTILINE):
        if name.startswith("dt-"):
            groups[group] += f" {name.removeprefix('dt-')}"
        elif name != "dt":
            group = name
            groups[group] = ""
    assert {name: names.strip() for name, names in groups.items()} == dt.GROUPS


def test_dt_runs_every_command(shell):
    record = '{"id": 1, "lang": "en", "prediction": "a b", "reference": "a c"}'
    made = shell(
        f"echo '{record}' | dt score -m rouge1 -b -q; "
        "dt swap-names --restor; dt score --batchsize 3; dt scor; dt train parsr; dt _join"
    )
    assert made.out == "50.0\n"
    assert made.err.splitlines() == [
        "dt-swap-names: No such option: --restor (did you mean --restore?) (see dt-swap-names --help)",
        "dt-score: No such option: --batchsize (did you mean --batch-size?) (see dt-score --help)",
        "dt: no command is called 'scor' (did you mean score?); dt lists them (see dt --help)",
        "dt-train: no command is called 'parsr' (did you mean parser?); there are encoder, generator, parser, "
        "scorer (see dt-train --help)",
        "dt: no command is called '_join' (did you mean join?); dt lists them (see dt --help)",
    ]


COMPLETE = """
source <(dt --completion bash)
COMP_WORDS=({words} '{begun}'); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_{function}_completion {command}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    "words, begun, wanted",
    [
        ("dt-perturb -k", "dialogue.c", ["dialogue.closing", "dialogue.combine"]),
        ("dt-perturb", "--keep", ["--keep-original"]),
        ("dt-score --on-error", "s", ["stop", "skip"]),
        ("dt-score -m", "rougeL", ["rougeL", "rougeLsum"]),
        ("dt", "--comp", ["--completion"]),
        ("dt-swap-names --lang ja --pool", "fr", ["frequent"]),
        ("dt-swap-names --pool", "surnames-b", ["surnames-belgium", "surnames-black"]),
        ("dt-names count --pool", "pol", ["polysemous"]),
        ("dt-names", "c", ["collect", "count", "check"]),
        ("dt-score --key", "pred", ["prediction="]),
        ("dt-score --lang", "h", ["hi"]),
        ("dt-score --by", "sys", [""]),
        ("dt", "ttes", ["ttest"]),
        ("dt score -m", "rougeL", ["rougeL", "rougeLsum"]),
    ],
)
def test_bash_completes(shell, words: str, begun: str, wanted: list[str]):
    command = words.split()[0]
    result = shell(
        COMPLETE.format(
            words=words, begun=begun, command=command, function=command.replace("-", "_")
        )
    )
    assert result.out.splitlines() == wanted, result.err


def test_bash_puts_no_space_behind_the_name_of_a_key(shell):
    for option, begun, expected in (
        ("--key", "pred", ["-o nospace", "prediction="]),
        ("--lang", "h", ["hi"]),
    ):
        script = COMPLETE.format(
            words=f"dt-score {option}", begun=begun, command="dt-score", function="dt_score"
        )
        assert shell(f'compopt() {{ echo "$@"; }}\n{script}').out.splitlines() == expected


@pytest.mark.parametrize(
    "command, begun",
    [
        ("dt-check", "in"),
        ("dt-check in.jsonl", "m"),
        ("dt-check -o", "out"),
        ("dt-swap-names --map", "names"),
        ("dt-check --languages", "my"),
        ("dt-score -m", "./mi"),
        ("dt-generate --model", "checkpoi"),
    ],
)
def test_file_names_are_left_to_the_shell(shell, command: str, begun: str):
    """To "file" the script of each answers with what the shell has by itself; with nothing, TAB did nothing."""
    program, *words = command.split()
    asked = f"_{program.upper().replace('-', '_')}_COMPLETE=bash_complete"
    result = shell(f"{asked} COMP_WORDS='{command} {begun}' COMP_CWORD={len(words) + 1} {program}")
    assert (result.out, result.err) == (f"file,{begun}\n", "")


@pytest.mark.parametrize(
    "name, check", [("zsh", "zsh -n"), ("fish", "fish --no-execute"), ("bash", "bash -n")]
)
def test_each_shell_takes_its_script(shell, name: str, check: str):
    script = shell(f"dt --completion {name}").out
    assert all(
        f"{program(command).upper().replace('-', '_')}_COMPLETE" in script for command in FILTERS
    )
    if not shutil.which(name):
        pytest.skip(f"needs {name}")
    result = shell(f"dt --completion {name} > script; {check} script")
    assert (result.err, result.status) == ("", 0)
