"""What all commands share: options, reading, writing, messages, exit status.

The only place that prints, logs and exits.
"""

import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from stat import S_ISFIFO

import click

from dialtools import keyed, registry, tables, workers
from dialtools import records as jsonl
from dialtools.errors import ConnectionLost, DialtoolsError, OptionError, RecordError
from dialtools.files import STANDARD, ReaderGone, open_output

INTERRUPTED, INTERNAL = 130, 70


class Command(click.Command):
    """A command whose errors are one line each, with the exit status that errors.py gives."""

    def main(self, args=None, prog_name=None, **extra):  # type: ignore[override]
        args = list(sys.argv[1:] if args is None else args)
        try:
            status = super().main(args, self.name, standalone_mode=False)
        except ReaderGone:
            die_of_closed_pipe()
        except (KeyboardInterrupt, click.Abort):
            status = INTERRUPTED
        except Exception as error:
            if "--debug" in args:
                raise
            status = complain(self.name or "dialtools", error)
        sys.exit(status if isinstance(status, int) else 0)

    def make_context(self, *given, **extra) -> click.Context:
        """Parse the command line; what --help and --list print here may find nobody to read it."""
        try:
            return super().make_context(*given, **extra)
        except BrokenPipeError:
            raise ReaderGone from None

    def invoke(self, ctx: click.Context):
        """Call the command; click's own main would end silently on a broken pipe of any kind."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ConnectionLost(str(error)) from error

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the docstring as it is written, not filled anew."""
        import inspect

        formatter.write_paragraph()
        for line in inspect.cleandoc(self.help or "").splitlines():
            formatter.write(f"  {line}\n" if line else "\n")


def complain(name: str, error: Exception) -> int:
    """Print an error as one line; return its exit status."""
    if isinstance(error, click.ClickException):
        say(name, f"{error.format_message()} (see {name} --help)")
        return error.exit_code
    if isinstance(error, DialtoolsError):
        say(name, str(error))
        return error.exit_status
    if isinstance(error, OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a full disk refused cannot be flushed at exit either
        say(name, ": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
        return 5
    say(name, f"internal error, please report it: {error!r} (--debug shows where)")
    return INTERNAL


def say(name: str, text: str) -> None:
    """Print one line on standard error."""
    print(f"{name}: {' '.join(text.split())}", file=sys.stderr)


def die_of_closed_pipe() -> None:
    """End as a Unix program does when nobody reads its output any more."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)


class Plugin(click.ParamType):
    """The spec of a plug-in, NAME or NAME:OPTION=VALUE,…, checked before any input is read."""

    def __init__(self, kind: str, function_name: str = ""):
        self.kind, self.name, self.function_name = kind, "spec", function_name

    def convert(self, value, param, ctx):
        try:
            registry.load(self.kind, value, self.function_name)
        except OptionError as error:
            self.fail(str(error), param, ctx)
        return value

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=registry.summary(self.kind, name))
                for name in registry.names(self.kind) if name.startswith(incomplete)]


def command(name: str, *decorators: Callable) -> Callable:
    """Make a function a command with the given options, --debug and --version."""
    from dialtools import __version__

    def decorate(function: Callable) -> Command:
        wrapped = function
        last = (click.option("--debug", is_flag=True, expose_value=False, help="Show a traceback where an error ends "
                             "the command."), click.version_option(__version__, message="%(prog)s %(version)s"))
        for decorator in reversed((*decorators, *last)):
            wrapped = decorator(wrapped)
        return click.command(name, cls=Command, context_settings={"help_option_names": ["-h", "--help"]})(wrapped)

    return decorate


def listing(kind: str) -> Callable:
    """Make --list: the plug-ins of a kind, with a line each."""
    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            names = registry.names(kind)
            width = max(map(len, names))
            click.echo("\n".join(f"{name:{width}}  {registry.summary(kind, name)}" for name in names))
            ctx.exit()

    return click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=show,
                        help=f"List the {registry.called(kind)}s and leave.")


files = click.argument("files", nargs=-1, metavar="[FILE]...")
output = click.option("-o", "--output", default=STANDARD, metavar="FILE",
                      help="Write to FILE, which appears only when it is complete.")
limit = click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Read only the first N records.")
lang = click.option("--lang", metavar="TAG", help="Language of records that name none, such as en, zh, ja.")
seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random choices.")
on_error = click.option("--on-error", type=click.Choice(["stop", "skip", "keep"]), default="stop", show_default=True,
                        help="What to do with a record that cannot be worked on: stop, skip it, or keep it with "
                        "the reason in \"errors\".")
jobs = click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
                    help="Work in N processes.")
shard = click.option("--shard", metavar="I/N", help="Work only on the I-th of N parts of the input (by id); "
                     "\"slurm\" takes both from the job array.")
progress = click.option("--progress", is_flag=True, help="Show progress even where standard error is no terminal.")
format_option = click.option("--format", type=click.Choice(tables.FORMATS), help="How to write results; text on a "
                             "terminal, json (JSON Lines) otherwise.")
quiet = click.option("-q", "--quiet", is_flag=True, help="No closing line, no progress.")


def key_options(*keys: str) -> Callable:
    """Make an option for each key of a record that may be called otherwise in the input."""
    def decorate(function: Callable) -> Callable:
        for key in reversed(keys):
            function = click.option(f"--{key}-key", metavar="KEY", help=f"The input's key for \"{key}\".")(function)
        return function

    return decorate


def stream(*keys: str) -> tuple[Callable, ...]:
    """Return the options of every filter; keys are those that it reads."""
    return (files, output, limit, lang, on_error, jobs, shard, key_options(*keys), progress, quiet)


def render(dicts: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of records."""
    return map(jsonl.dumps, dicts)


def renderer(format: str | None, output: str = STANDARD) -> Callable[[Iterable[dict]], Iterator[bytes]]:
    """Return the `render` of results for --format; without one, text on a terminal and JSON Lines otherwise."""
    shown = output == STANDARD and sys.stdout.isatty()
    return partial(tables.render, format=format or ("text" if shown else "json"), width=columns())


def columns() -> int:
    """Return the width of the terminal."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def colours() -> bool:
    """Is standard output a terminal that wants colours?"""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def write(lines: Iterable[bytes], output: str = STANDARD) -> None:
    """Write lines to standard output, or to a file that appears only when all are written."""
    import orjson  # noqa: F401, an exception out of a signal in the middle of its first import would crash Python

    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that nothing half-written is left
    with open_output(output) as file:
        for line in lines:
            file.write(line)
        file.flush()


def run(filter: Callable, *, by: str, keys: Iterable[str] = (), whole_groups: bool = False, batch: int = 1,
        then: Callable[[Iterator[dict]], Iterator[dict]] = iter, render: Callable = render, results: bool = False,
        closing: Callable[[], str] = str, read: Callable = jsonl.read, **given) -> int:
    """Read records, run a filter over them, write what it makes; return the exit status.

    by: name of the command, in messages and in history.
    keys: what each record must have.
    whole_groups: the filter needs all records of one source together.
    batch: how many records the filter works on at once.
    then: takes the stream of made records in the main process, passes it on or sums it up.
    render: dicts -> lines.
    results: what is written are results, made by `then`, no records.
    closing: text for standard error after the last record.
    read: as records.read, for input that is no JSON Lines.
    given: the values of all options of the command; those of `stream` are used here.
    """
    shared = {name: given.pop(name) for name in list(given) if name in _SHARED or name.endswith("_key")}
    tally: Counter = Counter()
    source = Source(by, keys, read=read, results=results, **shared)
    on_error, jobs = shared.get("on_error", "stop"), shared.get("jobs", 1)

    def counted(made: Iterable[workers.Made]) -> Iterator[dict]:
        for record, failed in made:
            tally.update(records=1, failed=failed)
            if not failed:
                _count(tally, record, by)
            if not failed or on_error == "keep":
                yield record

    made = workers.run(partial(filter, **given), source, by=by, jobs=jobs, whole_groups=whole_groups, batch=batch,
                       keep_failed=on_error != "stop")
    try:
        done = then(counted(made))
        write(render(done if results else source.named_back(done)), shared["output"])
    except RecordError as error:
        raise source.located(error) from None
    if not shared["quiet"]:
        source.close(tally)
        sys.stderr.write(closing())
    return 1 if tally["failed"] else 0


_SHARED = {"files", "output", "limit", "lang", "on_error", "jobs", "shard", "progress", "quiet"}


def _count(tally: Counter, record: dict, by: str) -> None:
    """Add what the record's last history entry counts, if it is this command's."""
    entries = record.get("history")
    if entries and entries[-1].get("by") == by:
        tally.update(entries[-1].get("counts", {}))
        if entries[-1].get("changed") is False:
            tally["unchanged"] += 1


class Source:
    """The input of a command: an iterator of records that knows where each came from."""

    def __init__(self, by: str, keys: Iterable[str] = (), *, read: Callable = jsonl.read, results: bool = False,
                 files: tuple[str, ...] = (), limit: int | None = None, lang: str | None = None,
                 shard: str | None = None, progress: bool = False, quiet: bool = False, output: str = STANDARD,
                 **names):
        self.by = by
        self.notes: Counter = Counter()
        self.places: deque = deque(maxlen=10_000)
        self.rename = {own: key.removesuffix("_key") for key, own in names.items() if key.endswith("_key") and own}
        if not files and sys.stdin.isatty():
            say(by, "reading records from the terminal; end with Ctrl-D, or give a FILE")
        found = read(*files, keys=keys, lang=lang or "en", limit=limit, rename=self.rename, places=self.places,
                     note=lambda key: self.notes.update([key]))
        self.assumed = lang is None
        self.records = self._sharded(found, shard) if shard else found
        if progress or (not quiet and _watched(output, results)):
            from tqdm import tqdm

            self.records = tqdm(self.records, desc=by, unit=" records", leave=False)

    def __iter__(self) -> Iterator[dict]:
        return iter(self.records)

    def _sharded(self, records: Iterator[dict], spec: str) -> Iterator[dict]:
        part, parts = shard_of(spec)
        return (record for record in records if keyed.shard(record["id"], parts) == part)

    def named_back(self, records: Iterable[dict]) -> Iterator[dict]:
        """Yield records with their keys called as in the input."""
        return (jsonl.exchange(record, self.rename) for record in records)

    def located(self, error: RecordError) -> RecordError:
        """Return the error with the FILE:LINE of its record, if that was read lately."""
        if error.place is None and error.record is not None:
            error.place = next((place for key, place in self.places if key == jsonl.key(error.record)), None)
        return error

    def close(self, tally: Counter) -> None:
        """Print what was noted while reading and counted while working, if it is worth a line."""
        if self.notes["id"]:
            say(self.by, f'{self.notes["id"]:,} records had no "id": numbered from "1" by input order')
        if self.notes["lang"] and self.assumed:
            say(self.by, f'{self.notes["lang"]:,} records had no "lang": taken for en (--lang)')
        counts = [f"{count:,} {name.replace('_', ' ')}" for name, count in tally.items() if name != "records" and count]
        if counts:
            say(self.by, f"{tally['records']:,} records; {', '.join(counts)}")


def _watched(output: str, results: bool) -> bool:
    """Is there a terminal for progress, no next command in the pipe to show it, and no record in between?"""
    if output != STANDARD:
        return sys.stderr.isatty()
    return sys.stderr.isatty() and not S_ISFIFO(os.fstat(1).st_mode) and (results or not sys.stdout.isatty())


def shard_of(spec: str) -> tuple[int, int]:
    """Return (I, N) of "I/N", I from 1 to N, or of the Slurm job array for "slurm"."""
    try:
        if spec == "slurm":
            task, first, count = (int(os.environ[f"SLURM_ARRAY_TASK_{name}"]) for name in ("ID", "MIN", "COUNT"))
            part, parts = task - first + 1, count
        else:
            part, parts = map(int, spec.split("/"))
    except KeyError as error:
        raise OptionError(f"--shard slurm: no {error.args[0]} in the environment; this is no job array") from None
    except ValueError:
        raise OptionError(f"--shard is I/N, such as 1/4, not {spec!r}") from None
    if not 1 <= part <= parts:
        raise OptionError(f"--shard {part}/{parts}: the part is from 1 to {parts}")
    return part, parts
