"""The table of features is true: each line whose output is shown prints it, the others are command lines."""

import re
import shlex
import shutil
import subprocess
from importlib import import_module

import click
import pytest
from conftest import ROOT, environment

PAGE = (ROOT / "examples" / "tour" / "features.md").read_text(encoding="utf-8")
ROWS = {
    int(number): (line.replace("\\|", "|"), re.findall("`([^`]+)`", result.replace("\\|", "|")))
    for number, line, result in re.findall(
        r"^\| (\d+) \| .*? \| `(.+?)` \| (.*) \|$", PAGE, flags=re.MULTILINE
    )
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("features")
    shutil.copytree(ROOT / "examples" / "speaker-names", folder / "examples" / "speaker-names")
    shutil.copytree(ROOT / "examples" / "prompts", folder / "examples" / "prompts")
    (files,) = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    subprocess.run(["bash", "-c", files], cwd=folder, env=environment(folder), check=True)
    return folder


def test_no_row_is_missing():
    assert list(ROWS) == list(range(1, 81))


@pytest.mark.parametrize("number", [number for number, (_, shown) in ROWS.items() if shown])
def test_a_line_prints_what_is_shown(shell, folder, number: int):
    line, shown = ROWS[number]
    if "jq " in line and not shutil.which("jq"):
        pytest.skip("needs jq")
    first, *_ = re.findall(r"^```sh\n(.*?)\n", PAGE, flags=re.MULTILINE)
    result = shell(f"{first}\n{line}", cwd=folder)
    assert all(part in result.out + result.err for part in shown), result


@pytest.mark.parametrize("number", [number for number, (_, shown) in ROWS.items() if not shown])
def test_a_line_that_needs_more_is_a_command_line(number: int):
    program, *arguments = shlex.split(ROWS[number][0])
    if program.startswith("dt-"):
        command = import_module(f"dialtools.commands.{program[3:].replace('-', '_')}").main
        command.make_parser(click.Context(command)).parse_args(arguments)
