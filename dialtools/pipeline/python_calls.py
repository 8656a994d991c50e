"""Commands as functions of Python: their arguments are checked, their errors are in Python's words.

Messages are written for the command line, where most are read: "--overwrite replaces it".  Who
calls a function gets them with its parameters: "overwrite=True replaces it".
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple, get_args, get_origin

import click

import dialtools
from dialtools import languages
from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.streams import Stream, taken
from dialtools.plugins import registry
from dialtools.plugins.options import are_records, fits, in_words
from dialtools.records.validation import exchange
from dialtools.system import programs
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import DialtoolsError, OptionError, RecordError

_OPTION = r"(?<![\w-])-(?:-[a-z][a-z-]*|[a-z])(?![\w…-])"
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s,;()'"-](?:[^\s;()]*[^\s,;:.()])?)"""
# Quoted texts and other programs, which stay; a command with options; an option.
_WORDS = re.compile(
    rf"""(?P<stays>"(?:[^"\\]|\\.)*"|(?<!\w)'[^']*'|\b(?:jq|iconv|pip|python|hf)\ [^;]*)"""
    rf"""|\b(?P<command>dt-[a-z-]+(?:\ (?:check|collect|count|encoder|generator|parser|scorer)(?=\ -))?)"""
    rf"""(?P<options>(?:\ {_OPTION}(?:\ {_VALUE})?)+)"""
    rf"""|(?P<option>{_OPTION})(?:\ (?P<value>{_VALUE}))?""",
    re.VERBOSE,
)
# A value behind an option, not the next word of the sentence: KEY, "…", 0.9, KEY=PATH, 2..50, a/b.
_IS_VALUE = re.compile(r"""[A-Z][A-Z_,-]*$|['"\d]|\S*(?:=|\.\.|/)|cpu$""")
# functions, and parameters, that make something else of records than records
_RESULTS = (
    "check",
    "keywords",
    "names_check",
    "names_collect",
    "names_count",
    "report",
    "show",
    "ttest",
)
_SUMMARIES = ("confusion", "robustness", "sensitivity", "summary")
# of every function whose command has --key
_KEY = inspect.Parameter(
    "key", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Mapping[str, str] | None
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")


class _Options(NamedTuple):
    """The options of a command, and those parameters of its function that are called alike."""

    options: Sequence[click.Parameter]
    parameters: frozenset[str]

    def named(self, flag: str) -> Any:
        """Return an option, None for one that the function does not have."""
        for option in self.options:
            flags = (*option.opts, *option.secondary_opts)
            if isinstance(option, click.Option) and option.name in self.parameters:
                if flag in flags:
                    return option
        return None


def _argument(option: Any, flag: str, word: str | None, is_call: bool) -> tuple[str, str]:
    """Return an option as an argument, and the word behind it unless that is its value.

    is_call: the words are of a command line, not of a sentence.
    """
    following = "" if word is None else f" {word}"
    if option.is_flag:
        return f"{option.name}={flag not in option.secondary_opts}", following
    if word is None or not (is_call or _is_value(word, option)):
        return f"'{option.name}'", following
    value = word.strip("'\"")
    if str(option.metavar).startswith("KEY=") and "=" in value:
        key, _, path = value.partition("=")
        return f'{option.name}={{"{key}": "{path}"}}', ""
    is_plain = _NUMBER.match(value) or option.type in (click.INT, click.FLOAT)
    return f"{option.name}={value}" if is_plain else f'{option.name}="{value}"', ""


def _is_value(word: str, option: click.Option) -> bool:
    """Return whether the word behind an option is its value, not the next of the sentence."""
    kind = option.type
    if option.metavar == "TAG" and word in languages.known():
        return True
    if isinstance(kind, click.Choice):
        return word in kind.choices
    if isinstance(kind, cli.PluginType):
        word_is_known = registry.split(word)[0] in registry.names(kind.kind)
        return word_is_known or _IS_VALUE.match(word) is not None
    return _IS_VALUE.match(word) is not None


@functools.cache
def _options(file: str) -> _Options:
    """Return the options of the command in a file of commands/."""
    module = import_module(f"dialtools.commands.{file}")
    names = (name for name, module_name in dialtools.COMMANDS.items() if module_name == file)
    parameters = inspect.signature(getattr(module, next(names, "main"))).parameters.values()
    fields = (getattr(param.default, "_fields", (param.name,)) for param in parameters)
    return _Options(module.main.params, frozenset(("key", *chain.from_iterable(fields))))


def function(name: str) -> Callable:
    """Return the function of a command, for callers of Python."""
    file = dialtools.COMMANDS[name]
    return _in_python(getattr(import_module(f"dialtools.commands.{file}"), name), _options(file))


def of_records(name: str) -> Callable:
    """Return a function that reads or writes records, for callers of Python."""
    return _in_python(
        getattr(import_module("dialtools.records.jsonl"), name), _Options((), frozenset())
    )


def _in_python(function: Callable, options: _Options) -> Callable:
    """Return a function whose arguments are checked, and whose errors are in Python's words.

    So are those of the items that it yields.
    """
    signature = inspect.signature(function)
    if any(option.name == "key" for option in options.options):
        signature = signature.replace(parameters=[*signature.parameters.values(), _KEY])

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        arguments = tuple(map(taken, arguments))
        named = {name: taken(value) for name, value in named.items()}
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            for item in value if parameter.kind is parameter.VAR_POSITIONAL else (value,):
                _require(name, item, parameter.annotation)
        with _in_words(options):
            rename = input_keys.renaming(bound.arguments.pop("key", None))
            for name, value in bound.arguments.items() if rename else ():
                bound.arguments[name] = _exchanged(
                    value, signature.parameters[name].annotation, rename
                )
            outputs = function(*bound.args, **bound.kwargs)
        if isinstance(outputs, Listed):
            lists_of = (_each(items, options) for items in _each(outputs.lists, options))
            return Stream(type(outputs)(lists_of))
        if not isinstance(outputs, Iterator):
            return outputs
        if rename and not _are_results(function, bound.arguments):
            outputs = _exchanged(outputs, Iterable[dict], rename)
        return Stream(_each(programs.until_end(outputs), options))

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__module__ = "dialtools"  # where pickle finds it
    return call


def _exchanged(value: Any, annotation: Any, rename: dict[str, str]) -> Any:
    """Return records, or each of several, with keys exchanged; other arguments as they are."""
    if get_origin(annotation) is Sequence and are_records(*get_args(annotation)):
        [of_one] = get_args(annotation)
        return [_exchanged(item, of_one, rename) for item in value]
    if value is None or not are_records(annotation):
        return value
    return Listed(
        (exchange(item, rename) if isinstance(item, dict) else item for item in held)
        for held in lists(value)
    )


def _are_results(function: Callable, arguments: dict[str, Any]) -> bool:
    """Return whether a call makes something else than records of its input."""
    return function.__name__ in _RESULTS or any(arguments.get(name) for name in _SUMMARIES)


@contextmanager
def _in_words(options: _Options) -> Iterator[None]:
    """Put the message of an error that comes out of the block into Python's words."""
    try:
        yield
    except RecordError as error:
        error.reason = in_python(error.reason, options)
        raise
    except DialtoolsError as error:
        error.args = (in_python(str(error), options),)
        raise


def _each(items: Iterable, options: _Options) -> Iterator:
    with _in_words(options):
        yield from items


def in_python(message: str, options: _Options) -> str:
    """Return a message about the options of a command as one about the parameters of its function.

    >>> perturb, convert = _options("perturb"), _options("convert")
    >>> in_python('it has a "--seed 1"; --overwrite drops it, --seed 1 does not', perturb)
    'it has a "--seed 1"; overwrite=True drops it, seed=1 does not'
    >>> in_python("--field KEY=PATH is wanted: see dt-check --languages DIR", convert)
    'field={"KEY": "PATH"} is wanted: see check(languages="DIR")'
    """

    def replaced(match: re.Match) -> str:
        flag, word = match["option"], match["value"]
        if match["stays"] is not None:
            return match[0]
        if match["command"] is not None:
            return _called(match["command"], match["options"]) or match[0]
        if option := options.named(flag):
            return "".join(_argument(option, flag, word, is_call=False))
        if flag == "--lang":  # of the records
            return '"lang"' + (f': "{word}"' if word else "")
        return match[0]

    return _WORDS.sub(replaced, message)


def _called(command: str, words: str) -> str | None:
    """Return a command with options as the call of its function, None if that lacks one."""
    name, _, part = command.removeprefix("dt-").replace("-", "_").partition(" ")
    file = f"_{name}_{part}" if part else name
    options = _options(file)
    arguments: dict[str, str] = {}
    following = ""
    for flag, word in re.findall(rf"({_OPTION})(?: ({_VALUE}))?", words):
        option = options.named(flag)
        if option is None:
            return None
        argument, following = _argument(option, flag, word or None, is_call=True)
        before = arguments.get(option.name)  # field={"a": "b"} and field={"c": "d"} are one
        arguments[option.name] = (
            f"{before[:-1]}, {argument.partition('{')[2]}" if before else argument
        )
    return f"{file.strip('_')}({', '.join(arguments.values())}){following}"


def _require(name: str, value: Any, wanted: Any) -> None:
    if isinstance(value, str | os.PathLike) and are_records(wanted):
        path = os.fspath(value)
        raise OptionError(
            f"{name} is a path, {path!r}: dialtools.read({path!r}) gives the records of JSON Lines, "
            "dialtools.convert those of other files"
        )
    are_parts = get_origin(wanted) is Sequence and are_records(*get_args(wanted))
    if isinstance(value, list | tuple) and are_parts:
        for item in value:
            _require(name, item, get_args(wanted)[0])
    elif value is not None and not fits(value, wanted):  # None: as if it was not given
        raise OptionError(f"{name} is {in_words(wanted)}, not {value!r:.60}")
    elif hasattr(value, "_fields"):
        for field, kind in value.__annotations__.items():
            if getattr(value, field) is not None:  # which is not given, on the command line, too
                _require(field, getattr(value, field), kind)
