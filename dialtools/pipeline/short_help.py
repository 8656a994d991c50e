"""What --help shows: one page with an example and the options of the command, and where to read on.

--help-all and the manual page have the rest: whole texts, and the options that all commands have.
"""

import inspect
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from dialtools.system.terminal import columns

if TYPE_CHECKING:
    from dialtools.pipeline.invocation import Command

WIDEST = 100  # columns
_NAMES = 24  # columns of an option and its value; longer ones have a line of their own
_LONG = 50  # characters of an option's text, from which on only its first sentence is shown
# up to a full stop or semicolon that ends a word, and is not in brackets
_SENTENCE = re.compile(r"(?:[^().;]|\([^()]*\)|[.;](?!\s|$))+")
_EXTRA = re.compile(r"  \[(?:required|default: [^;\]]*)")  # errors tell ranges


def page(command: "Command", ctx: click.Context) -> str:
    """Return the text of --help."""
    ctx.terminal_width = width = max(min(columns(), WIDEST) - 2, 50)
    about, _, examples = inspect.cleandoc(command.help or "").partition("\n\nExamples:\n\n")
    formatter = click.HelpFormatter(width=width, max_width=width)
    command.format_usage(ctx, formatter)
    formatter.write_paragraph()
    formatter.write_text(about.partition("\n")[0])
    formatter.write_paragraph()
    first_example = re.split(r"\n+(?=\$ )", examples)[0]
    formatter.write(textwrap.indent(first_example.rstrip("\n"), "  ") + "\n")

    for heading, params in command.grouped(ctx, command.common).items():
        with formatter.section(heading):
            formatter.write_dl(_rows(ctx, params, command.rare), col_max=_NAMES)
            rare = [param for param in params if param.name in command.rare]
            if rare:
                formatter.write(_filled(f"also {_flags(rare)}", width, "  "))
    command.format_parts(formatter)
    formatter.write_paragraph()
    if isinstance(command, click.Group):
        formatter.write_text(f"{command.name} COMMAND --help has the options of one.")
    common = [param for param in command.params if param.name in command.common]
    formatter.write(_filled(_further(command.name or "", _flags(common)), width))
    return formatter.getvalue().rstrip("\n")


def _rows(
    ctx: click.Context, params: Iterable[click.Parameter], without: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the options, each with what it does in brief."""
    for param in params:
        record = None if param.name in without else param.get_help_record(ctx)
        if record:
            yield record[0], brief(record[1])


def brief(text: str) -> str:
    """Return the first sentence of what is said of an option, all of a short text, and its default.

    It also says whether the option may be repeated.

    >>> brief("How to write (text; json) what was found out; a table has a row for each.  [x>=0]")
    'How to write (text; json) what was found out.'
    """
    about, extra = text.partition("  [")[0], _EXTRA.search(text)
    sentence = _SENTENCE.match(about)
    if sentence and len(about) > _LONG:
        about = f"{sentence[0]}." + " Repeatable." * ("epeat" in about[len(sentence[0]) :])
    return about + (f"{extra[0]}]" if extra else "")


def _further(name: str, common: str) -> str:
    """Return where to read on; common: the options of many commands."""
    manual = f"man {name.replace(' ', '-')}"
    return f"Also {common}: {name} --help-all explains them, and {manual} has everything."


def _flags(params: Iterable[click.Parameter]) -> str:
    """Return the options, each by its shortest name."""
    return ", ".join(min(param.opts, key=len) for param in params if param.opts[0][0] == "-")


def _filled(text: str, width: int, indent: str = "") -> str:
    """Return lines of a text that are not divided within an option."""
    return (
        textwrap.fill(
            text,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        + "\n"
    )
