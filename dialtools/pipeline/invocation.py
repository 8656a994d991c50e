"""A command as it is called: whatever ends it, it says so in one line, and with an exit status."""

import os
import sys
from collections.abc import Collection, Mapping
from errno import EBADF, ENOMEM
from importlib import import_module

import click

from dialtools.pipeline.input_keys import NAMES
from dialtools.plugins import registry
from dialtools.system.errors import (
    ConnectionLost,
    DialtoolsError,
    OptionError,
    nearest,
    not_installed,
    show,
)
from dialtools.system.files import ReaderGone, buffered, is_remote
from dialtools.system.process import die_of_closed_pipe, end_by_exception
from dialtools.system.terminal import Messages, columns, say

INTERRUPTED, INTERNAL = 130, 70


SPEC = "spec"  # the name of the type of plug-ins
FEW = 15  # options that are listed without headings
OWN, REST = "Options", "Help"


class Command(click.Command):
    """A command whose errors are one line each, with the exit status that errors.py gives.

    sections: {name of a parameter: heading above its option}; OWN for others.
    common: names of parameters that many commands have, which --help lists at its end.
    rare: names of parameters that --help lists below the others of their heading.
    of_plugins: {heading: {option of plug-ins: (how it is typed, what it does)}}, where people may
        look for a flag of the command.
    """

    sections: Mapping[str, str] = {}
    common: Collection[str] = ()
    rare: Collection[str] = ()
    of_plugins: Mapping[str, Mapping[str, tuple[str, str]]] = {}

    def main(self, args=None, prog_name=None, **extra):  # type: ignore[override]
        args = list(sys.argv[1:] if args is None else args)
        # Where it is closed, print would take standard output.
        sys.stderr = Messages(sys.stderr or open(os.devnull, "w"))
        sys.stdin, sys.stdout = buffered(sys.stdin, "r"), buffered(sys.stdout, "w")
        try:
            end_by_exception()
            status = super().main(args, self.name, standalone_mode=False)
        except ReaderGone:
            die_of_closed_pipe()
        except (KeyboardInterrupt, click.Abort):
            status = INTERRUPTED
        except Exception as error:
            if "--debug" in args:
                raise
            status = _complain(self.called(args), error)
        if status == INTERRUPTED:
            _flush_what_can_be()  # the next command of a pipe may have ended before this one
        sys.exit(status if isinstance(status, int) else 0)

    def called(self, args: list[str]) -> str:
        """Return the name of what is called, for messages."""
        return self.name or "dialtools"

    def make_context(self, *given, **extra) -> click.Context:
        """Parse the command line; --help and --list print here, perhaps to a closed output."""
        try:
            return super().make_context(*given, **extra)
        except BrokenPipeError:
            raise ReaderGone from None
        except click.exceptions.Exit:
            if sys.stdout is None:  # click says nothing about it
                raise OSError(EBADF, "standard output is closed") from None
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; reject empty values, as of a variable that is not set, and a
        second plug-in where one is taken, as others (-m, -k) may be repeated.
        """
        *_, order = self.make_parser(ctx).parse_args(list(args))
        remaining = super().parse_args(ctx, args)
        for param in self.params:
            if param.type.name == SPEC and not param.multiple and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[-1]} is given twice, and takes one", ctx)
            value = ctx.params.get(param.name or "")
            values = value if isinstance(value, tuple) else (value,)
            if "" in values and getattr(param, "flag_value", None) != "":
                is_option = isinstance(param, click.Option)
                name = param.opts[-1] if is_option else param.human_readable_name.strip("[].")
                raise click.UsageError(f"{name} is empty: is it a variable that is not set?", ctx)
            addresses = [path for path in values if isinstance(path, str) and is_remote(path)]
            if addresses and ctx.params.get("offline") and param.name != "endpoint":
                raise click.UsageError(
                    f"{addresses[0]} is elsewhere, and --offline opens no socket", ctx
                )
        return remaining

    def invoke(self, ctx: click.Context):
        """Call the command.

        Click's own main would end silently on a broken pipe of any kind, and say an empty line
        when it is interrupted.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError as error:
            raise ConnectionLost(str(error)) from error

    def get_help(self, ctx: click.Context) -> str:
        """Return --help."""
        from dialtools.pipeline import short_help

        return short_help.page(self, ctx)

    def get_whole_help(self, ctx: click.Context) -> str:
        """Return --help-all, as wide as the terminal; click would import shutil to ask for that."""
        ctx.terminal_width = max(min(columns(), ctx.max_content_width or 80) - 2, 50)
        return super().get_help(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the docstring as it is written, not filled anew."""
        import inspect

        formatter.write_paragraph()
        for line in inspect.cleandoc(self.help or "").splitlines():
            formatter.write(f"  {line}\n" if line else "\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options under headings."""
        for heading, records in self.shown(ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def shown(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return {heading: options with what they do}."""
        records = {
            heading: list(filter(None, (param.get_help_record(ctx) for param in params)))
            for heading, params in self.grouped(ctx).items()
        }
        records |= {
            heading: [(spelling.removeprefix("-g "), about) for spelling, about in rows.values()]
            for heading, rows in self.of_plugins.items()
        }
        return {heading: rows for heading, rows in records.items() if rows}

    def grouped(
        self, ctx: click.Context, without: Collection[str] = ()
    ) -> dict[str, list[click.Parameter]]:
        """Return {heading: options}; one heading if there are FEW options.

        without: names of parameters to leave out.
        """
        sections: dict[str, list[click.Parameter]] = {
            heading: [] for heading in (OWN, *self.sections.values())
        }
        params = [
            param
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and param.name not in without
        ]
        for param in params:
            heading = self.sections.get(param.name or "", OWN)
            sections[OWN if len(params) <= FEW else heading].append(param)
        return {heading: params for heading, params in sections.items() if params}

    def format_parts(self, formatter: click.HelpFormatter) -> None:
        """Show the commands within this one."""


class CommandGroup(Command, click.Group):
    """A command with commands of its own, such as dt-train generator; one is imported to be run."""

    parts: Mapping[str, str] = {}  # name -> file in commands/

    def called(self, args: list[str]) -> str:
        """Return the name of this command, and of the one in it."""
        return " ".join([super().called(args), *(arg for arg in args[:1] if arg in self.parts)])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options, and the commands."""
        super().format_options(ctx, formatter)
        self.format_parts(formatter)

    def format_parts(self, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, registry.summary("commands", part)) for name, part in self.parts.items()]
            )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.parts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        part = self.parts.get(cmd_name)
        return import_module(f"dialtools.commands.{part}").main if part else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; say which commands there are if it names none."""
        if not args and not ctx.resilient_parsing:
            raise click.UsageError(f"which command? There are {', '.join(self.parts)}", ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]):
        """Find the command that is meant; offer the nearest one."""
        if args and args[0] not in self.parts and not args[0].startswith("-"):
            raise click.UsageError(
                f"no command is called {args[0]!r}"
                f"{nearest(args[0], self.parts)}; there are "
                f"{', '.join(self.parts)}",
                ctx,
            )
        return super().resolve_command(ctx, args)


def _complain(name: str, error: Exception) -> int:
    """Print an error as one line, after all that was made before it; return its exit status."""
    _flush_what_can_be()
    # not a part of one, or of ours
    if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
        error = not_installed(error.name)
    if isinstance(error, MemoryError):
        error = OSError(ENOMEM, "memory ran out")
    # as Python has bytes of a command line
    if isinstance(error, UnicodeEncodeError) and error.encoding == "utf-8":
        error = OptionError(
            f"not UTF-8 (of an option?): {show(error.object[max(0, error.start - 20) : error.end])}"
        )
    if isinstance(error, click.NoSuchOption) and error.ctx:
        names = [
            name.lstrip("-")
            for param in error.ctx.command.params
            for name in param.opts
            if name.startswith("--")
        ]
        typed = error.option_name.lstrip("-").replace("_", "-")
        close = nearest(typed, [*names, "help"], "--")
        for options in getattr(error.ctx.command, "of_plugins", {}).values():
            if typed.replace("-", "_") in options:
                close = f" (did you mean {options[typed.replace('-', '_')][0]}?)"
        if "key" in names and typed.removesuffix("-key") in NAMES:
            close = f" (did you mean --key {typed.removesuffix('-key')}=NAME?)"
        error = click.UsageError(f"No such option: {error.option_name}{close}", error.ctx)
    if isinstance(error, click.ClickException):
        say(name, f"{error.format_message()} (see {name} --help)")
        return error.exit_code
    if isinstance(error, DialtoolsError):
        say(name, str(error))
        return error.exit_status
    if isinstance(error, OSError):
        say(
            name, ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
        )
        return 5
    say(name, f"internal error, please report it: {error!r} (--debug shows where)")
    return INTERNAL


def _flush_what_can_be() -> None:
    """Flush what was made before an error; do not try again at exit if the disk is full."""
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
