"""The examples in the help of each command are true: run by bash in the repository's root, they write what is shown."""

import re
import shutil
from importlib import import_module
from inspect import cleandoc

import pytest
import subcommands
from comparing import same_text
from conftest import ROOT

from dialtools.plugins import registry
from examples import Example, examples

HELP = {
    name: import_module(f"dialtools.commands.{name}").main.help or ""
    for name in registry.names("commands")
}
HELP |= {
    f"{name} {part}": command.help or ""
    for name in list(HELP)
    for part, command in subcommands.of(name).items()
}
FOUND = [(name, example) for name, text in HELP.items() for example in examples(cleandoc(text))]


@pytest.mark.parametrize(
    "name, example", FOUND, ids=[f"{name}-{number}" for number, (name, _) in enumerate(FOUND, 1)]
)
def test_example(shell, name: str, example: Example):
    if "jq " in example.command and not shutil.which("jq"):
        pytest.skip("needs jq")
    result = shell(example.command, cwd=ROOT)
    if "is not installed" in result.err:
        pytest.skip(result.err.strip())
    assert result.status == 0, result.err
    # What goes to standard error may be shown or not.
    shown = [line for line in example.shown.splitlines() if line not in result.err.splitlines()]
    assert same_text(plain(result.out), plain("\n".join(shown))), (
        f"{result.out}\nis not\n{example.shown}"
    )


def plain(text: str) -> str:
    """Return a text without tabs, which docstrings cannot show, and without the empty lines in its end."""
    return re.sub(r"[ \t]+", " ", text).rstrip("\n")


def test_each_command_has_an_example():
    assert {name for name, _ in FOUND} == set(HELP)
