"""What holds for every command; commands are found, not listed."""

import inspect
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import get_origin

import click
import pytest
import samples
import subcommands
from conftest import ROOT, environment
from table_tests import each_row

import dialtools
from dialtools.pipeline import cli, python_calls
from dialtools.plugins import registry
from dialtools.plugins.options import Choice
from dialtools.variants import kinds

COMMANDS = registry.names("commands")
FILTERS = [name for name in COMMANDS if name != "dt"]
PARTS = {
    f"{name}_{part}": (name, part) for name in COMMANDS for part in subcommands.of(name)
}  # "train_parser", …
FUNCTIONS = {name: name for name in [*FILTERS, *PARTS] if not subcommands.of(name)}
SHARED = {
    param.name for param in cli.command("x", *cli.stream())(lambda: None).params
}  # options of every filter
# how a command writes, and what else
WRITING = {
    "bare",
    "diff",
    "embed",
    "format",
    "junit",
    "output_dir",
    "pdf",
    "plot",
    "png",
    "rejected",
    "report_file",
    "signatures",
    "split",
    "tree_file",
    "unmatched_file",
}
READING = {"field", "lines", "per_source", "raters", "with_file"}  # what a command reads, and how


def program(name: str) -> str:
    if name in PARTS:
        return " ".join([program(PARTS[name][0]), PARTS[name][1]])
    return name if name == "dt" else f"dt-{name.replace('_', '-')}"


def module(name: str) -> ModuleType:
    return import_module(f"dialtools.commands.{'_' if name in PARTS else ''}{name}")


def command(name: str) -> click.Command:
    return module(name).main


def test_commands_are_in_bin_and_in_setup_cfg():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg")
    scripts = dict(
        line.split(" = ")
        for line in config["options.entry_points"]["console_scripts"].strip().splitlines()
    )
    assert scripts == {program(name): "dialtools.commands:main" for name in COMMANDS}
    assert sorted(path.name for path in (ROOT / "bin").iterdir()) == sorted(scripts)
    for name in COMMANDS:
        script = (ROOT / "bin" / program(name)).read_text()
        assert "from dialtools.commands import main" in script


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_may_be_started_in_any_way(method: str, tmp_path: Path):
    """Linux has forked them until Python 3.14, macOS spawns; a program of bin/ is imported anew there."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import multiprocessing as own\nown.set_start_method('{method}')\n"
    )
    made = subprocess.run(
        [sys.executable, ROOT / "bin" / "dt-score", "-q", "-m", "exact", "--jobs", "2"],
        capture_output=True,
        text=True,
        input='{"id": 1, "lang": "en", "prediction": "a", "reference": "a"}\n',
        env=environment(tmp_path, PYTHONPATH=str(tmp_path)),
    )
    assert (made.stderr, made.returncode) == ("", 0) and '"scores":{"exact":1.0}' in made.stdout


def test_commands_are_functions_of_the_package():
    for name, function in FUNCTIONS.items():
        assert inspect.unwrap(getattr(dialtools, function)) is getattr(module(name), function)
    assert {*FUNCTIONS.values(), "read", "write"} <= set(dir(dialtools))


@each_row("name", [*COMMANDS, *PARTS])
def test_commands_bear_their_names(name: str):
    assert command(name).name == program(name)


@each_row("name", FUNCTIONS)
def test_options_mirror_the_function(name: str):
    """Each keyword-only parameter is an option with the same name and default, and each option is a parameter.

    A function can only be given in Python; some fields are options of generators, as in causal:top_p=0.9.
    """
    of_generators = {key for keys in command(name).of_plugins.values() for key in keys}
    parameters = python_calls.signature_of(getattr(dialtools, FUNCTIONS[name])).parameters.values()
    wanted = {
        key: default
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.annotation != Callable | None
        for key, default in fields(p).items()
        if key not in of_generators
    }
    given = command(name).make_context(program(name), [], resilient_parsing=True).params
    own = {
        key: default
        for key, default in given.items()
        if key in wanted or not (key in SHARED | WRITING | READING or key == "key")
    }
    assert {key: plain(default) for key, default in own.items()} == {
        key: plain(p) for key, p in wanted.items()
    }


def fields(parameter: inspect.Parameter) -> dict[str, object]:
    """Return the default of a parameter; of a value, what each field is on the command line unless it is given."""
    if not hasattr(parameter.default, "_fields"):
        return {parameter.name: parameter.default}
    return {
        key: False if default is False else None
        for key, default in parameter.default._asdict().items()
    }


def plain(default: object) -> object:
    """Return a default so that all ways to say that there is none are the same."""
    return None if default in ((), [], {}, inspect.Parameter.empty) else default


@each_row("name", FUNCTIONS)
def test_functions_return_iterators(name: str):
    annotation = inspect.signature(
        inspect.unwrap(getattr(dialtools, FUNCTIONS[name]))
    ).return_annotation
    if name == "report":
        pytest.skip("returns a page")
    assert (get_origin(annotation) or annotation) is Iterator


@each_row("name", [*COMMANDS, *PARTS])
def test_help_says_what_must_be_known(name: str):
    text = inspect.cleandoc(command(name).help or "")
    assert "\n\nMemory: " in text
    assert "\n\nExamples:\n\n$ " in text
    assert max(map(len, text.splitlines())) <= 120


@each_row("name, width", product([*COMMANDS, *PARTS], [80, 100]))
def test_help_is_one_page_and_leaves_out_no_option(monkeypatch, name: str, width: int):
    """A line of an example may be longer: it is to be copied."""
    monkeypatch.setenv("COLUMNS", str(width))
    main = command(name)
    page = main.get_help(click.Context(main, info_name=program(name)))
    lines = [line for line in page.splitlines() if not line.startswith("  ")]
    assert page.count("\n") < 60 and max(map(len, lines)) <= width
    assert inspect.cleandoc(main.help or "").splitlines()[0] == " ".join(
        page.split("\n\n")[1].split()
    )
    for param in main.params:
        assert not isinstance(param, click.Option) or min(param.opts, key=len) in page


def test_every_choice_names_the_nearest_word():
    for name in [*COMMANDS, *PARTS]:
        for param in command(name).params:
            assert not isinstance(param.type, click.Choice) or isinstance(param.type, Choice), param


def test_options_under_headings_of_help_exist():
    commands = [command(name) for name in [*COMMANDS, *PARTS]]
    named = {name for main in commands for name in (*main.sections, *main.rare)}
    params = {param.name for main in commands for param in main.get_params(click.Context(main))}
    assert named <= params


@each_row("name", [*COMMANDS, *PARTS])
def test_help_all_is_the_whole_manual(shell, name: str):
    shown = shell(f"{program(name)} --help-all").out
    for line in inspect.cleandoc(command(name).help or "").splitlines():
        assert line in shown


@each_row("name", [*COMMANDS, *PARTS])
def test_usage_errors_are_one_line(shell, name: str):
    result = shell(f"{program(name)} --no-such-option")
    assert (result.out, result.status) == ("", 2)
    assert result.err.startswith(f"{program(name)}: No such option") and result.err.count("\n") == 1
    called = program(name).partition(" ")[0]
    assert shell(f"{program(name)} --version") == (f"{called} {dialtools.__version__}\n", "", 0)
    assert shell(f"{program(name)} -h | true; echo ${{PIPESTATUS[0]}}").out in ("0\n", "141\n")


def test_plugins_of_each_kind_are_listed(shell):
    for name in FUNCTIONS:
        kinds = {
            param.type.kind
            for param in command(name).params
            if isinstance(param.type, cli.PluginType)
        }
        listed = shell(f"{program(name)} --list").out if kinds else ""
        for kind in kinds:
            lines = [
                line.split(maxsplit=1) for line in listed.splitlines() if not line.startswith(" ")
            ]
            assert lines == [
                [plugin, registry.summary(kind, plugin)] for plugin in registry.names(kind)
            ]


def perturb() -> tuple[str, list[dict]]:
    families = " ".join(f"-k {name}" for name in kinds.families())
    return families, samples.parsed(40)


def score() -> tuple[str, list[dict]]:
    arguments = " ".join(f"-m {metric}" for metric in samples.metrics())
    return arguments, samples.predicted(samples.records(60))


def parse() -> tuple[str, list[dict]]:
    pytest.importorskip("fugashi")
    return "--parser fugashi", samples.records(60, ("ja",))


# One way to call each filter that maps records one by one: -> arguments, records; --jobs begins with chunks of 16.
MAPPING: dict[str, Callable[[], tuple[str, list[dict]]]] = {
    "swap_names": lambda: ("--variants 2 --seed 3 --keep-original", samples.records(60)),
    "perturb": perturb,
    "score": score,
    "parse": parse,
    "generate": lambda: ("-g longest:k=2", samples.records(60)),
}


@pytest.fixture(scope="module", params=MAPPING)
def mapped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """Return how to run a filter on the sample, and what it makes of it in one plain run."""
    arguments, records = MAPPING[request.param]()
    folder = tmp_path_factory.mktemp(request.param)

    def run(more: str = "", given: list[dict] = records) -> list[bytes]:
        done = subprocess.run(
            f"{program(request.param)} {arguments} -q {more}".split(),
            env=environment(folder),
            input=samples.lines(given).encode(),
            capture_output=True,
            timeout=300,
        )
        assert (done.stderr, done.returncode) == (b"", 0)
        return done.stdout.splitlines(keepends=True)

    plain = run()
    assert len(plain) >= len(records)
    return run, plain, records


def test_processes_make_no_difference(mapped):
    run, plain, _ = mapped
    assert run("--jobs 2") == plain


def test_keeping_errors_makes_no_difference(mapped):
    run, plain, _ = mapped
    assert run("--on-error keep") == plain
    assert run("--on-error skip --jobs 2") == plain


def test_order_makes_no_difference(mapped):
    run, plain, records = mapped
    shuffled = random.Random(1).sample(records, len(records))
    assert sorted(run("", shuffled)) == sorted(plain)


def test_shards_make_no_difference(mapped):
    run, plain, _ = mapped
    shards = [run(f"--shard {part}/2") for part in (1, 2)]
    assert all(shards)
    assert sorted(line for shard in shards for line in shard) == sorted(plain)


def test_the_rest_makes_no_difference(mapped):
    run, plain, records = mapped
    limited = run("--limit 20")
    assert run("", records[:20]) == plain[: len(limited)] == limited


def test_what_a_filter_does_not_know_passes_through(mapped):
    _, plain, records = mapped
    sources = {record["id"]: record["source"] for record in records}
    for line in plain:
        made = json.loads(line)
        assert made["source"] == sources[made["id"]]
        assert next(iter(made)) == "source"


def test_python_makes_the_same_as_the_command(tmp_path, shell):
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(20)))
    code = (
        "import dialtools; dialtools.write(dialtools.perturb(dialtools.read('in.jsonl'), "
        "kind=['typo.case', 'dialogue.combine'], variants=1, seed=4))"
    )
    in_python = shell(f'python -c "{code}"')
    assert in_python.err == "" and in_python.out.count("\n") == 40
    assert (
        in_python.out
        == shell("dt-perturb -k typo.case -k dialogue.combine --seed 4 -q < in.jsonl").out
    )


@each_row(
    "filters",
    [
        "dt-perturb -k typo.case",
        "dt-perturb -k typo.case --jobs 2",
        "dt-perturb -k typo.case --on-error keep",
        "dt-swap-names",
        "dt-generate -g longest",
        "dt-generate -g lead | dt-score -m distinct1",
    ],
)
def test_an_endless_input_is_worked_on_while_it_comes(shell, filters: str):
    """Output starts before input ends; when its reader leaves, each command of the pipe ends, silently."""
    record = json.dumps({"lang": "en", "dialogue": [{"speaker": "Ann", "text": "Hello there"}]})
    result = shell(f"yes '{record}' | {filters} | head -n 1; echo ${{PIPESTATUS[*]}}")
    line, statuses = result.out.splitlines()
    assert json.loads(line)["id"] == "1" and result.err == ""
    assert set(statuses.split()[:-1]) == {"141"}


def test_interpreter_of_the_tests_is_that_of_the_commands(shell):
    assert shell("python3 -c 'import sys; print(sys.prefix)'").out.strip() == sys.prefix
