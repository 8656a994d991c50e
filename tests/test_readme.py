"""The README and the tour are true: their command lines and their Python run, what they name is there.

Run are all blocks marked sh or python, one after the other, in a folder that
holds examples/.  Commands that are only mentioned, such as one with a model's
name, are parsed.
"""

import re
import shlex
import shutil
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

import click
import pytest
import subcommands
from conftest import ROOT

from dialtools.plugins import registry


def unfenced(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


README, TOUR, PLUGINS = (
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "examples/tour/README.md", "dialtools/PLUGINS.md")
)
COMMANDS = {
    name if name == "dt" else f"dt-{name.replace('_', '-')}": name
    for name in registry.names("commands")
}
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", README + TOUR, flags=re.MULTILINE | re.DOTALL)
INDENTED = re.findall(r"^    (\S.*?)(?:  +#.*)?$", unfenced(README), flags=re.MULTILINE)
MENTIONED = [
    " ".join(code.split())
    for code in re.findall(r"`(dt(?:-[a-z-]+)?(?:\s[^`]*)?)`", README + TOUR + PLUGINS)
]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(
            page
            for folder in ("dialtools", "examples", "tests")
            for page in (ROOT / folder).rglob("*.md")
        ),
    ]
)
OPTIONS = {
    option
    for name in COMMANDS.values()
    for command in (
        import_module(f"dialtools.commands.{name}").main,
        *subcommands.of(name).values(),
    )
    for param in command.params
    for option in (*param.opts, *param.secondary_opts)
}
# Ends at the first command that fails; one that ends because its reader left has not failed.
STRICT = "set -o pipefail; trap 's=$?; [ $s -eq 141 ] || exit $s' ERR\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    made = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", made / "examples")
    return made


# The first is run below.
@pytest.mark.parametrize(
    "kind, code", BLOCKS[1:], ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(BLOCKS[1:], 2)]
)
def test_block(shell, folder, kind: str, code: str):
    if "jq " in code and not shutil.which("jq"):
        pytest.skip("needs jq")
    (folder / "code.py").write_text(code, encoding="utf-8")
    line = STRICT + code if kind == "sh" else "python code.py"
    result = shell(line, cwd=folder, **({} if kind == "sh" else {"PYTHONPATH": str(ROOT)}))
    assert result.status == 0, result.err
    assert result.out.strip()


def test_the_results_it_shows_are_those_of_the_job(shell, folder):
    (shown,) = re.findall(r"^```text\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    result = shell(f"{STRICT}{BLOCKS[0][1].rstrip()} --format text", cwd=folder)
    assert result.status == 0, result.err
    assert (
        set(filter(None, shown.splitlines())) <= set(result.out.splitlines())
        and len(shown.splitlines()) > 3
    )


@pytest.mark.parametrize("line", sorted(set(MENTIONED)))
def test_what_is_mentioned_is_a_command_line(line: str):
    program, *arguments = shlex.split(line)
    command = import_module(f"dialtools.commands.{COMMANDS[program]}").main
    if arguments and arguments[0] in subcommands.of(COMMANDS[program]):
        command = subcommands.of(COMMANDS[program])[arguments.pop(0)]
    try:
        command.make_context(program, arguments, resilient_parsing=True)
    except click.exceptions.Exit:
        return
    known = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    assert {argument for argument in arguments if argument.startswith("-")} <= known | {"--help"}


def test_indented_lines_name_what_is_there(shell):
    config = ConfigParser()
    config.read(ROOT / "setup.cfg")
    assert INDENTED
    for line in INDENTED:
        words = shlex.split(line)
        if words[0] == "make":
            assert shell(f"make --dry-run {shlex.join(words[1:])}", cwd=ROOT).status == 0, line
        else:
            extras = re.findall(r"\[(.*?)\]", line)
            assert words[:2] == ["pip", "install"], line
            assert {extra for group in extras for extra in group.split(",")} <= set(
                config["options.extras_require"]
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_and_links_of_a_page_lead_somewhere(page: Path):
    text = unfenced(page.read_text(encoding="utf-8"))
    named = {
        word
        for code in re.findall(r"`([^`]+)`", text)
        if not code.startswith("pytest")
        for word in re.findall(r"(?<!\S)--[a-z][a-z-]*", code)
    }
    assert named <= OPTIONS | {"--help", "--version"}
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if "://" not in link:
            target, _, title = link.partition("#")
            file = page.parent / target if target else page
            assert file.exists(), link
            assert not title or title in titles(file.read_text(encoding="utf-8")), link


def titles(page: str) -> list[str]:
    """Return the anchors of a page."""
    lines = re.findall(r"^#+ (.*)$", unfenced(page), flags=re.MULTILINE)
    return [title.lower().replace(" ", "-") for title in lines]


def test_all_commands_and_kinds_of_plugins_are_in_it():
    table = re.findall(r"^\| `(dt[a-z-]*)` \|", README, flags=re.MULTILINE)
    assert sorted(table) == sorted(COMMANDS)
    rows = re.findall(
        r"^\| .*? \| `dialtools/(\w+)/` \| `(\w+)\(.*?\| `(\S+)` \|", PLUGINS, flags=re.MULTILINE
    )
    assert {kind: function for kind, function, _ in rows} == {
        kind: next(iter(registry._class(kind).__dataclass_fields__)) for kind in registry.KINDS
    }
    assert all((ROOT / "dialtools" / kind / file).is_file() for kind, _, file in rows)


def test_the_metrics_it_advises_exist():
    (table,) = re.findall(r"^## Which metric\?\n(.*?)^#", TOUR, flags=re.MULTILINE | re.DOTALL)
    advised = {
        code
        for row in re.findall(r"^\| .*? \| (.*) \|$", table, flags=re.MULTILINE)
        for code in re.findall(r"`(\w+)`", row)
    }
    assert len(advised) > 30 and advised <= set(registry.names("metrics"))


def test_lines_are_not_too_long():
    assert max(map(len, (README + TOUR + PLUGINS).splitlines())) <= 130


def test_the_quick_part_fits_two_screens():
    """Of fifty lines each: what it is for, a first result, how to install it and to read your own data."""
    assert README.splitlines().index("## The commands") <= 110
