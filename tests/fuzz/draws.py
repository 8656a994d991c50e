"""What is run: a command line of ../bench/same.runs or of fuzz.runs, with a hostile file or option."""

import inspect
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, get_args, get_origin

import click
import hostile
from corpus import RUNS, same_runs

# sections of same.runs that are left out, and those that need models
SECTIONS = {"help", "running", "python", "debug", "data", "treebanks", "examples"}
MODELS_IN = {"models", "training", "encoders"}
WEIGHTS = {"dt-convert": 6.0, "dt-train": 0.3}  # how often a command is drawn; others 1
MODELS = 0.1  # of its lines that load models, how often one is drawn beside one of the others
# options of files that are written; what is named here stays within the folder of the run
WRITTEN = (
    "output",
    "output_dir",
    "report",
    "rejected",
    "unmatched_file",
    "tree",
    "pdf",
    "png",
    "cache",
)
TARGETS = ["out", "out.gz", "out.zst", "no/such/out", ".", "/dev/null", "/dev/full", "x" * 300, "-"]
# a run that does as much work as it is told to is no fault
LARGE = ("seed", "limit", "max_input", "batch_size", "batch_tokens", "window", "most_sources")
INTEGERS = ["-1", "0", "1", "2", "3", "1.5", "x", "٣", "1e3", " 1"]
FLOATS = ["nan", "inf", "-inf", "-1", "0", "1", "1e-300", "1e300", "0.5", "x", "1,5"]
PATHS = [
    "id",
    "lang",
    "scores",
    "scores.f1",
    "dialogue",
    "dialogue.0.text",
    "history.0",
    "reference",
]
PATHS += ["a..b", ".", "0", "scores.", "system", "variant", "kind", "text", "people", "no-such"]
PROGRAMS = [
    "cat",
    "true",
    "false",
    "sed -u s/a/e/g",
    "no-such",
    "sh -c 'kill -9 $$'",
    "yes",
    "head -n 1",
]
KEPT = {"debug", "help", "version", "trust_remote_code", "threads", "jobs", "progress", "split"}


class Line(NamedTuple):
    """A sound command line."""

    words: list[str]
    loads_models: bool


def lines(root: Path, place: Path, models: bool) -> dict[str, list[Line]]:
    """Return {command: its lines}, each command that stands alone or begins a pipe."""
    lists = same_runs.names(root, place / "in")
    found: dict[str, list[Line]] = {}
    for path in (same_runs.RUNS, RUNS):
        for section, patterns in same_runs.sections(path):
            loads_models = section in MODELS_IN
            if section in SECTIONS or loads_models and not models:
                continue
            for pattern in patterns:
                for line in same_runs.expanded(pattern, lists):
                    words = _first(shlex.split(line))
                    if words:
                        name = " ".join(words[: 1 + (words[0] == "dt-train")])
                        found.setdefault(name, []).append(Line(words, loads_models))
    return found


def _first(words: list[str]) -> list[str]:
    """Return the first command of a line; [] if it is none of ours."""
    end = next(
        (i for i, word in enumerate(words) if word in ("|", ";", "&&", ">", "<")), len(words)
    )
    words = [word for word in words[:end] if word != "--debug"]  # which promises a traceback
    return words if words[0].startswith("dt-") else []


class Case(NamedTuple):
    """A run: the words of its line, and how its hostile files are made."""

    words: list[str]
    copies: list[tuple[str, str]]  # from in/…, to a file of the run's folder
    seed: str


def draw(seed: str, known: dict[str, list[Line]], place: Path) -> Case:
    """Return the case of a seed."""
    random = Random(seed)
    weights = [WEIGHTS.get(name.split()[0], 1.0) for name in known]
    name = random.choices(list(known), weights)[0]
    plain = [line for line in known[name] if not line.loads_models]
    heavy = [line for line in known[name] if line.loads_models]
    line = random.choice(heavy if heavy and (not plain or random.random() < MODELS) else plain)
    words, copies = list(line.words), []
    files = [number for number, word in enumerate(words) if "in/" in word]
    change = random.random()
    if files and change < 0.75:
        _spoil(random, words, copies, random.choice(files), place)
    if not files or change > 0.6:
        for _ in range(random.choice([1, 1, 2])):
            _retype(random, words, copies, place)
    return Case(words, copies, seed)


def _spoil(random: Random, words: list[str], copies: list, number: int, place: Path) -> None:
    """Put a hostile copy in the place of a file that a word names."""
    before, _, rest = words[number].partition("in/")
    source = rest.partition(",")[0]
    if not (place / "in" / source).exists():  # a line that names no file is hostile as it is
        return
    target = f"hostile{len(copies)}{Path(source).suffix}"
    copies.append((source, target))
    words[number] = before + target + rest.removeprefix(source)


def make(case: Case, folder: Path, corpora: Path) -> None:
    """Write the hostile files of a case into the folder of its run."""
    random = Random(f"files {case.seed}")
    for source, target in case.copies:
        hostile.copy(random, corpora / source, folder / target)


def _retype(random: Random, words: list[str], copies: list, place: Path) -> None:
    """Give an option another value, or add one."""
    command = _command(words)
    if command is None:  # the name of a command's command was spoiled before
        return
    param = random.choice([param for param in command.params if param.name not in KEPT])
    if not isinstance(param, click.Option):
        words.append(random.choice(["no-such", ".", "in/nothing", "in", "in/posts.jsonl"]))
        return
    option = random.choice(param.opts)
    if param.is_flag:
        words.append(option)
        return
    typed = _typed(random, param, copies, place)
    old = [i for i, word in enumerate(words[:-1]) if word in param.opts]
    if old and (random.random() < 0.7 or not param.multiple):
        words[random.choice(old) + 1] = typed
    else:
        words += [option, typed]


def _command(words: list[str]) -> click.Command | None:
    name = words[0].removeprefix("dt-").replace("-", "_")
    command = import_module(f"dialtools.commands.{name}").main
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[1])
    return command


def _typed(random: Random, param: click.Option, copies: list, place: Path) -> str:
    """Return a value for an option, sound or not."""
    kind: Any = param.type
    if param.name in WRITTEN:
        return random.choice(TARGETS)
    if getattr(kind, "kind", None) in import_module("dialtools.plugins.registry").KINDS:
        return _spec(random, kind.kind)
    if isinstance(kind, click.Choice):
        return random.choice([*kind.choices, "x", "", str(kind.choices[0]).upper()])
    if isinstance(kind, (click.types.IntParamType, click.IntRange)):
        large = [str(2**31), str(2**63), str(10**30)] if param.name in LARGE else []
        return random.choice(INTEGERS + large)
    if isinstance(kind, click.types.FloatParamType):
        return random.choice(FLOATS)
    wanted = str(param.metavar or "") + str(param.name)
    if any(word in wanted for word in ("FILE", "FOLDER", "DIR", "MODEL", "model")):
        return _file(random, copies, place)
    return _text(random, place)


def _file(random: Random, copies: list, place: Path) -> str:
    """Return the name of any of our files, copied, or of what is no file."""
    if random.random() < 0.3:
        return random.choice(["no-such", ".", "/dev/null", "", "http://localhost:9/x", "s3://x/y"])
    known = sorted(path.name for path in (place / "in").iterdir() if path.is_file())
    source = random.choice(known)
    target = f"other{len(copies)}{Path(source).suffix}"
    copies.append((source, target))
    return target


def _text(random: Random, place: Path) -> str:
    choice = random.random()
    if choice < 0.4:
        return random.choice(PATHS)
    if choice < 0.7:
        text = random.choice(hostile.TEXTS).replace("\0", "")
        return text.replace("/", "")[:5000]
    return random.choice(
        ["id=x", "=x", "dialogue.text=id", "a:b=c", "en", "zh", "und", "1/2", "3/2", "0..9", "5..2"]
        + ["f1 > 0.2", "f1 >", "a and b", "sd:3", "sd:nan", "reference,text", "reference=x {id}"]
        + [
            "{id}",
            "{{ id }}",
            "{% for %}",
            "(",
            "[1]",
            '{"Ann": "Bob"}',
            '{"Ann": 1}',
            "all",
            "none",
        ]
    )


def _spec(random: Random, kind: str) -> str:
    """Return a plug-in with options, of which some are hostile."""
    registry = import_module("dialtools.plugins.registry")
    plugin = registry.load(kind, name := random.choice(registry.names(kind)))
    if getattr(plugin.declared, "whole_spec", ""):
        return f"{name}:{random.choice(PROGRAMS)}"
    parameters = inspect.signature(plugin.call).parameters
    options = [(option, parameters[option]) for option in registry.options(plugin.call)]
    chosen = random.sample(options, min(len(options), random.choice([0, 1, 1, 2])))
    typed = [f"{option}={_value(random, parameter)}" for option, parameter in chosen]
    return name + (":" + ",".join(typed) if typed else "")


def _value(random: Random, parameter: inspect.Parameter) -> str:
    """Return a text for an option of a plug-in."""
    kinds = list(_kinds(parameter.annotation))
    kind = random.choice(kinds or [str])
    if isinstance(kind, str):
        return kind
    if kind is bool:
        return random.choice(["yes", "no", "x"])
    if kind in (int, float):
        return random.choice(INTEGERS if kind is int else FLOATS)
    return random.choice(
        [*PATHS, "words", "characters", "no-such", "lang", "en", "in/vectors.txt", "x"]
    )


def _kinds(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from _kinds(part)
    elif annotation is not type(None):
        yield annotation
