"""Write the manual pages of all commands from their click commands: python man/mkman.py.

With them it writes the types of the functions (mkstub.py).  Pages carry no date, so that a test can
compare them with what is written here.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import cleandoc, getmodule
from pathlib import Path

import click
import mkstub

HOME = Path(__file__).resolve().parent
sys.path.insert(0, str(HOME.parent))

from dialtools import __version__
from dialtools.pipeline import cli
from dialtools.pipeline.input_keys import NAMES, KeyType
from dialtools.pipeline.invocation import OWN, Command
from dialtools.pipeline.work import EVERYWHERE
from dialtools.plugins import registry

STATUS = (
    ("0", "all is well"),
    (
        "1",
        "finished, but some records failed (--on-error skip or keep), or a check found "
        "something wrong",
    ),
    ("2", "the command line is wrong"),
    ("3", "a record is malformed, or cannot be worked on"),
    ("4", "a model, a library or a resource is missing; the message says how to get it"),
    ("5", "reading or writing failed"),
    ("70", "an error of dialtools itself; please report it"),
    ("130", "interrupted"),
    ("141", "killed by SIGPIPE, silently: the reader of standard output went away"),
)
PIPES = (
    'In a script, begin with "set -o pipefail" (bash), and in a Makefile with "SHELL = bash" '
    'and ".SHELLFLAGS = -o pipefail -c": a pipe then fails if any command of it does.'
)
SPEC = """\
Options are written after a colon: NAME:option=value,option=value.  Beside each \
stands its default, in brackets where
it is one of several values, and "…" where it has none, or one that follows from the \
language or the model.

python -m pydoc dialtools.{kind}.FILE tells all of one: what it reads, what it leaves out, \
its sources and examples.  FILE is its name, unless its line ends with another."""
ROFF = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}


def main() -> None:
    """Write every page; remove those of commands that are no more."""
    made = pages()
    for old in HOME.glob("*.1"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (HOME / name).write_text(text, encoding="utf-8")
    mkstub.main()


def pages() -> dict[str, str]:
    """Return {file name: text} of all pages."""
    shown = {}
    for stem in registry.names("commands"):
        program = stem if stem == "dt" else f"dt-{stem.replace('_', '-')}"
        command = import_module(f"dialtools.commands.{stem}").main
        shown[program] = registry.summary("commands", stem), command
        for name, part in getattr(command, "parts", {}).items():
            own = import_module(f"dialtools.commands.{part}").main
            shown[f"{program} {name}"] = registry.summary("commands", part), own
    return {
        f"{program.replace(' ', '-')}.1": page(program, summary, command, list(shown))
        for program, (summary, command) in shown.items()
    }


def page(program: str, summary: str, command: Command, programs: list[str]) -> str:
    """Return the page of one command."""
    context = click.Context(command, info_name=program, **command.context_settings)
    about, _, examples = cleandoc(command.help or "").partition("\nExamples:\n")
    title = program.replace(" ", "-")
    sections = [
        ("NAME", [f"{roff(title)} \\- {roff(summary.rstrip('.'))}"]),
        (
            "SYNOPSIS",
            [f"\\fB{roff(program)}\\fR {roff(' '.join(command.collect_usage_pieces(context)))}"],
        ),
        ("DESCRIPTION", blocks(about)),
        ("OPTIONS", options(command, context)),
        *plugins(command),
        ("RECORDS", records(command)),
        ("STANDARD ERROR", counts(program, command)),
        ("EXIT STATUS", [*items(STATUS), ".PP", roff(PIPES)]),
        ("EXAMPLES", verbatim(cleandoc(examples)) if examples else []),
        (
            "SEE ALSO",
            [
                ", ".join(
                    f"\\fB{roff(other.replace(' ', '-'))}\\fR(1)"
                    for other in programs
                    if other != program
                )
            ],
        ),
    ]
    head = f'.TH "{roff(title.upper())}" 1 "" "dialtools {__version__}" "dialtools"'
    body = [line for title, lines in sections if lines for line in (f".SH {title}", *lines)]
    return "\n".join([head, ".nh", ".ad l", *body]) + "\n"


def roff(text: str) -> str:
    """Return text that roff shows as it is."""
    shown = "".join(ROFF.get(character, character) for character in text)
    return re.sub(r"^([.'])", r"\\&\1", shown, flags=re.MULTILINE)


def blocks(text: str) -> list[str]:
    """Return the lines of paragraphs; those that are indented stay as they are."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines += verbatim(paragraph) if paragraph.startswith(" ") else [".PP", roff(paragraph)]
    return lines


def verbatim(text: str) -> list[str]:
    return [".PP", ".EX", roff(text.rstrip()), ".EE"]


def options(command: Command, context: click.Context) -> list[str]:
    """Return the options as --help has them, under its headings, names bold."""
    lines: list[str] = []
    for heading, records in command.shown(context).items():
        lines += [f".SS {heading}"] if heading != OWN else []
        lines += items(
            (re.sub(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", r"\\fB\1\\fR", name), what)
            for name, what in records
        )
    return lines


def items(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a list of terms and what they mean; a term may hold \\fB and \\fR."""
    for term, meaning in pairs:
        marked = re.split(r"(\\f[BR])", term)
        yield from (
            ".TP",
            "".join(part if part.startswith("\\f") else roff(part) for part in marked),
            roff(meaning),
        )


def plugins(command: click.Command) -> Iterator[tuple[str, list[str]]]:
    """Yield a section for each kind of plug-in that an option takes: names, summaries, options."""
    kinds = dict.fromkeys(
        param.type.kind for param in command.params if isinstance(param.type, cli.PluginType)
    )
    for kind in kinds:
        names = registry.names(kind)
        shown = items((f"\\fB{name}\\fR", _plugin(kind, name)) for name in names)
        yield kind.replace("_", " ").upper(), [*blocks(SPEC.format(kind=kind)), *shown]


def _plugin(kind: str, name: str) -> str:
    options, file = ", ".join(registry.load(kind, name).shown()), registry.file_of(kind, name)
    return (
        registry.summary(kind, name)
        + (f"  Options: {options}." if options else "")
        + (f"  FILE: {file}." if file != name else "")
    )


def counts(program: str, command: click.Command) -> list[str]:
    """Return what the closing line of a command may count."""
    names = {param.name for param in command.params}
    counters = getattr(getmodule(command.callback), "COUNTERS", {})
    needed = {"resumed": "resume", "failed": "on_error"}
    told = {
        key: found
        for key, found in {**counters, **EVERYWHERE}.items()
        if found[0] and needed.get(key, "quiet") in names
    }
    return (
        [
            *blocks("The closing line counts the records that were written and, if there are any:"),
            *items(told.values()),
        ]
        if told
        else []
    )


def records(command: click.Command) -> list[str]:
    """Return which keys of a record the command reads, as its options tell."""
    types = [param.type for param in command.params if isinstance(param.type, KeyType)]
    if not types:
        return []
    named = ", ".join(f'"{key}"' for key in types[0].read)
    return blocks(f"""\
No FILE, or -, is standard input; FILEs that end in .gz or .zst are unpacked.

One record a line, as JSON.  Of each it uses {named}, if they are there.
If the input has other names for them, give these by --key {types[0].read[-1]}=NAME and the like; the
output has the names of the input.  In every command the same may be given for {", ".join(NAMES)}.""")


if __name__ == "__main__":
    main()
