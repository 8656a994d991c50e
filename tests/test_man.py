"""The manual pages are those of the commands as they are now, and man shows them without complaint."""

import shutil
import sys

import pytest
import subcommands
from conftest import ROOT

from dialtools.plugins import registry

sys.path.append(str(ROOT / "man"))
import mkman
import mkstub

PAGES = mkman.pages()


def test_there_is_a_page_for_each_command():
    assert sorted(path.name for path in (ROOT / "man").glob("*.1")) == sorted(PAGES)
    commands = registry.names("commands")
    assert len(PAGES) == len(commands) + sum(len(subcommands.of(name)) for name in commands)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_what_would_be_written_now(page: str):
    assert (ROOT / "man" / page).read_text(encoding="utf-8") == PAGES[page], "run make man"


def test_the_types_of_the_functions_are_what_would_be_written_now():
    assert mkstub.STUB.read_text(encoding="utf-8") == mkstub.stub(), "run make man"


@pytest.mark.parametrize("page", PAGES)
def test_man_shows_a_page(shell, page: str):
    if not shutil.which("man") or not shutil.which("groff"):
        pytest.skip("needs man and groff")
    result = shell(
        f"man --warnings --local-file man/{page} | col -b", cwd=ROOT, MANWIDTH="100", MANROFFOPT=""
    )
    assert (result.err, result.status) == ("", 0)
    for title in (
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "EXIT STATUS",
        "EXAMPLES",
        "SEE ALSO",
    ):
        assert f"\n{title}\n" in result.out
    assert page.removesuffix(".1") in result.out and "--version" in result.out


def test_pages_tell_of_plugins_options_and_keys():
    text = PAGES["dt-score.1"].replace("\\-", "-")
    assert "\n.SH METRICS\n" in text and "\\fBchrf\\fR" in text and "order=6" in text
    assert "refs=[max]|mean" in text and "backend=[…]|sacrebleu" in text and ", lang=" not in text
    assert (
        "zeros=[wilcox]|pratt" in PAGES["dt-ttest.1"] and "NAME:option=value" in PAGES["dt-ttest.1"]
    )
    assert '"prediction", "reference"' in text and "Memory: " in text
    assert "\\fB--on-error\\fR [stop|skip|keep]" in text


@pytest.mark.parametrize(
    "text, shown",
    [
        ("a-b", r"a\-b"),
        (r"\n", r"\en"),
        (".x\n'y", "\\&.x\n\\(aqy"),
        ("~`^", r"\(ti\(ga\(ha"),
        ("猫 -k", "猫 \\-k"),
    ],
)
def test_roff_shows_text_as_it_is(text: str, shown: str):
    assert mkman.roff(text) == shown
