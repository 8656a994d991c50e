"""How a command is declared: the options that commands share, their checks, and the way into a run.

All that --help needs is here, and so nothing but click and what is imported in a moment; `run` and
`renderer` import the rest when they are called.
"""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from dialtools.pipeline import input_keys
from dialtools.pipeline.invocation import REST, SPEC, Command, CommandGroup
from dialtools.pipeline.work import IN_AND_OUT, Work
from dialtools.plugins import registry
from dialtools.plugins.options import Choice
from dialtools.system import process
from dialtools.system.errors import OptionError, nearest
from dialtools.system.files import (
    STANDARD,
    STREAMS,
    is_input,
    is_replaced,
)
from dialtools.system.terminal import columns, is_terminal
from dialtools.tables import FORMATS

FORMAT = "DIALTOOLS_FORMAT"

# those that say nothing of what a command does
COMMON = "offline threads debug version help_all".split()


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module of ours that is imported when it is first called."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"dialtools.{module}"), name)(*arguments)

    return call


class PluginType(click.ParamType):
    """The spec of a plug-in, NAME or NAME:OPTION=VALUE,…, checked before any input is read."""

    def __init__(self, kind: str, check: Callable[[str], object] | None = None):
        """Take the kind; check: raises OptionError for a bad spec, as `registry.load` does."""
        self.kind, self.name, self.check = kind, SPEC, check or partial(registry.load, kind)

    def convert(self, value, param, ctx):
        try:
            self.check(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)
        return value

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        if incomplete[:1] in (".", "/", "~"):  # a plug-in of the user's own
            return [CompletionItem(incomplete, type="file")]
        return [
            CompletionItem(name, help=registry.summary(self.kind, name))
            for name in registry.names(self.kind)
            if name.startswith(incomplete)
        ]


class TextType(click.ParamType):
    """Any text; where its metavar is that of a file or folder, the shell completes it."""

    name = "text"

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        is_file = any(word in (param.metavar or "") for word in ("FILE", "FOLDER", "DIR", "MODEL"))
        return [CompletionItem(incomplete, type="file")] if is_file else []


def command(
    name: str,
    *decorators: Callable,
    cls: type[click.Command] = Command,
    sections: Mapping[str, Iterable[str]] = {},
    rare: Collection[str] = (),
    of_plugins: Mapping[str, Mapping[str, tuple[str, str]]] = {},
) -> Callable:
    """Make a function a command with the given options, --debug and --version.

    The docstring of its module is the manual.

    sections: {heading: the names of its parameters}, of a long --help; others have their own.
    rare: names of parameters that are seldom given, which --help only lists.
    of_plugins: as in Command.
    """
    from dialtools import __version__

    def decorate(function: Callable) -> Any:
        wrapped = function
        debug = click.option(
            "--debug",
            is_flag=True,
            expose_value=False,
            help="Show a traceback if an error ends the command.",
        )
        version = click.version_option(__version__, message="%(prog)s %(version)s")
        everything = click.option(
            "--help-all",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show all that is to know and exit.",
        )
        for decorator in reversed((*decorators, debug, version, everything)):
            wrapped = decorator(wrapped)
        declared: Any = click.command(
            name,
            cls=cls,
            help=sys.modules[function.__module__].__doc__,
            context_settings={"help_option_names": ["-h", "--help"]},
        )(wrapped)
        for param in declared.params:
            if param.type is click.STRING:
                param.type = TextType()
        help_option = declared.get_help_option(
            click.Context(declared, **declared.context_settings)
        ).name
        shared = {
            "Input and output": IN_AND_OUT,
            REST: ("debug", "version", "help_all", help_option),
        }
        declared.sections = {
            name: heading for heading, names in {**sections, **shared}.items() for name in names
        }
        declared.common, declared.rare = {*COMMON, *IN_AND_OUT, help_option}, rare
        declared.of_plugins = of_plugins
        return declared

    return decorate


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        command: Any = ctx.command
        click.echo(command.get_whole_help(ctx))
        ctx.exit()


def group(name: str, parts: Mapping[str, str], *decorators: Callable) -> Callable:
    """Make a function a command with commands of its own; parts: {"generator": file in commands/}."""

    def decorate(function: Callable) -> CommandGroup:
        declared = command(name, *decorators, cls=CommandGroup)(function)
        declared.no_args_is_help = False  # which would be an error as long as the help
        declared.parts = parts
        return declared

    return decorate


def listing(kind: str, about: Callable[[str], str] | None = None) -> Callable:
    """Make --list, which shows the plug-ins of a kind, a line each; about: name -> a second one."""

    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            names = registry.names(kind)
            width = max(map(len, names))
            for name in names:
                click.echo(f"{name:{width}}  {registry.summary(kind, name)}")
                if about:
                    click.echo(f"{'':{width}}    {about(name)}")
            ctx.exit()

    return click.option(
        "--list",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help=f"List the {registry.word(kind)}s and exit.",
    )


files = click.argument("files", nargs=-1, metavar="[FILE]...")
output = click.option(
    "-o",
    "--output",
    default=STANDARD,
    metavar="FILE",
    help="Write to FILE, which appears only when it is complete.",
)
limit = click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    callback=lambda ctx, param, value: value and min(value, sys.maxsize),  # which Python counts to
    help="Read only the first N records.",
)


def _complete_language(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from dialtools import languages

    return [tag for tag in languages.known() if tag.startswith(incomplete)]


lang = click.option(
    "--lang",
    metavar="TAG",
    shell_complete=_complete_language,
    help="Language of records without one, such as en, zh, ja.",
)
offline = click.option(
    "--offline", is_flag=True, help="Open no socket: use only models that are on this machine."
)
keep_original = click.option(
    "--keep-original", is_flag=True, help="Write the record itself before its variants."
)
overwrite = click.option(
    "--overwrite",
    is_flag=True,
    help="Drop predictions and scores that are there, which fit no variant.",
)
seed = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of all random choices."
)
on_error = click.option(
    "--on-error",
    type=Choice(["stop", "skip", "keep"]),
    default="stop",
    show_default=True,
    help="What to do with a failed record: stop, skip it, or keep it with the "
    'reason in "errors" (a malformed one is skipped).',
)
jobs = click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    callback=lambda ctx, param, value: value or process.available_cores(),
    help="Number of processes, 0 for all cores; each gets 16 to 256 lines at a time.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    expose_value=False,
    # libraries that are loaded later read it
    callback=lambda ctx, param, value: value and os.environ.update(OMP_NUM_THREADS=str(value)),
    help="Threads of a model on a CPU (OMP_NUM_THREADS, or else the cores that "
    "there are, shared by the processes of --jobs).",
)
shard = click.option(
    "--shard",
    metavar="I/N",
    help="Work on part I of N of the input, chosen by id; slurm/N takes I from "
    "the job array (slurm alone: of an array that begins at 1 and is whole), env "
    "both from RANK and WORLD_SIZE or SLURM_PROCID and SLURM_NTASKS, env/N I from "
    "JOB_COMPLETION_INDEX.",
)
progress = click.option(
    "--progress", is_flag=True, help="Show progress even if standard error is not a terminal."
)


def _check_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Raise UsageError for a format that the environment names and nobody knows."""
    asked = os.environ.get(FORMAT)
    if value is None and asked and asked not in FORMATS:
        raise click.UsageError(
            f"{FORMAT}={asked} in the environment is no format{nearest(asked, FORMATS)}; there are "
            f"{', '.join(FORMATS)}"
        )
    return value


format_option = click.option(
    "--format",
    type=Choice(FORMATS),
    callback=_check_format,
    help="How to write results; text on a terminal, json (JSON Lines) "
    "otherwise, or what the variable DIALTOOLS_FORMAT says.",
)
signatures = click.option(
    "--signatures",
    is_flag=True,
    help="Write each signature in full below a table, not what they have in "
    "common once; JSON and CSV have all of them.",
)
resume = click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted run in the FILE of -o; give --resume from the first run on.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="No closing line, no progress.")


def stream(*keys: str) -> tuple[Callable, ...]:
    """Return the options of every filter; keys are those that it reads."""
    key = input_keys.option("id", "lang", *keys)
    return (files, output, resume, limit, lang, on_error, jobs, shard, key, progress, quiet)


def reading(*keys: str, also: Sequence[Callable] = ()) -> tuple[Callable, ...]:
    """Return the options of a command that reads records; keys: those that it reads.

    also: options that not all such commands have.
    """
    key = input_keys.option("id", "lang", *keys)
    return (files, output, limit, lang, *also, key, progress, quiet)


def check_apart(option: str, path: str | None, output: str, files: Sequence[str]) -> None:
    """Raise UsageError if an option's file is also the output or an input."""
    if STREAMS.get(path or "") == STREAMS.get(output, "") == "stdout":
        raise click.UsageError(
            f"{option} and the output are both standard output: name a FILE for one of them"
        )
    if path is None or not is_replaced(path):
        return
    if os.path.realpath(path) == os.path.realpath(output):
        raise click.UsageError(f"{option} and -o are one file, {path}")
    if is_input(path, files):
        raise click.UsageError(f"{option}: {path} is an input, and would be replaced")


def run(work: Work, **options) -> int:
    """Read records, do the work, write its outputs; return the exit status, as `engine.run` does."""
    from dialtools.pipeline import engine

    return engine.run(work, **options)


def renderer(
    format: str | None, output: str, signatures: bool = False, baseline: bool = False
) -> Callable[[Iterable[dict]], Iterator[bytes]]:
    """Return the `render` for --format; signatures, baseline: as in tables.render."""
    from dialtools.tables import tables

    # in a pipe or a file a line is as long as it needs to be, unless COLUMNS says otherwise
    is_shown = output == STANDARD and is_terminal(sys.stdout) or bool(os.environ.get("COLUMNS"))
    return partial(
        tables.render,
        format=result_format(format, output),
        width=columns() if is_shown else sys.maxsize,
        signatures=signatures,
        baseline=baseline,
    )


def result_format(format: str | None, output: str) -> str:
    """Return the format of results: as asked, else text on a terminal and JSON Lines elsewhere."""
    is_shown = output == STANDARD and is_terminal(sys.stdout)
    return format or os.environ.get(FORMAT) or ("text" if is_shown else "json")
