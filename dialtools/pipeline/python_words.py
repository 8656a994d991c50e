"""Messages of commands in Python's words.

They are written for the command line, where most are read: "--overwrite replaces it".  Who calls a
function gets them with its parameters: "overwrite=True replaces it".
"""

import functools
import inspect
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

import dialtools
from dialtools import languages
from dialtools.pipeline import cli
from dialtools.plugins import registry

_OPTION = r"(?<![\w-])-(?:-[a-z][a-z-]*|[a-z])(?![\w…-])"
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s,;()'"-](?:[^\s;()]*[^\s,;:.()])?)"""
# commands of commands, such as dt-train parser
_PARTS = "|".join(file.rpartition("_")[2] for file in dialtools.COMMANDS.values() if file[0] == "_")
# Quoted texts and other programs, which stay; a command with options; an option.
_WORDS = re.compile(
    rf"""(?P<stays>"(?:[^"\\]|\\.)*"|(?<!\w)'[^']*'|\b(?:jq|iconv|pip|python|hf)\ [^;]*)"""
    rf"""|\b(?P<command>dt-[a-z-]+(?:\ (?:{_PARTS})(?=\ -))?)"""
    rf"""(?P<options>(?:\ {_OPTION}(?:\ {_VALUE})?)+)"""
    rf"""|(?P<option>{_OPTION})(?:\ (?P<value>{_VALUE}))?""",
    re.VERBOSE,
)
# A value behind an option, not the next word of the sentence: KEY, "…", 0.9, KEY=PATH, 2..50, a/b.
_IS_VALUE = re.compile(r"""[A-Z][A-Z_,-]*$|['"\d]|\S*(?:=|\.\.|/)|cpu$""")
_NUMBERS = type(click.INT), type(click.FLOAT)  # and ranges of them
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")
# of every function whose command has --key
KEY = inspect.Parameter(
    "key", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Mapping[str, str] | None
)


class Options(NamedTuple):
    """The options of a command, and the parameters of its function.

    program: the name of the command.
    fields: {field: the parameter whose value has it, such as decoding}.
    """

    program: str = ""
    options: Sequence[click.Parameter] = ()
    signature: inspect.Signature = inspect.Signature()
    fields: Mapping[str, inspect.Parameter] = {}

    def named(self, flag: str) -> Any:
        """Return an option of the command, None if there is none of that name."""
        for option in self.options:
            if isinstance(option, click.Option):
                if flag in (*option.opts, *option.secondary_opts):
                    return option
        return None

    def are_of_function(self, option: Any) -> bool:
        """Tell whether an option is a parameter of the function, or in the value of one."""
        is_parameter = option is not None and option.name in self.signature.parameters
        return is_parameter or option is not None and option.name in self.fields


@functools.cache
def options_of(file: str) -> Options:
    """Return the options of the command in a file of commands/."""
    module = import_module(f"dialtools.commands.{file}")
    names = (name for name, module_name in dialtools.COMMANDS.items() if module_name == file)
    signature = inspect.signature(getattr(module, next(names, "main")))
    options = module.main.params
    if any(option.name == "key" for option in options):
        signature = signature.replace(parameters=[*signature.parameters.values(), KEY])
    fields = {
        field: parameter
        for parameter in signature.parameters.values()
        for field in getattr(parameter.default, "_fields", ())
    }
    return Options(module.main.name, options, signature, fields)


def in_python(message: str, options: Options) -> str:
    """Return a message about the options of a command as one about the parameters of its function.

    Options that the function lacks are named as those of the command.

    >>> perturb, generate = options_of("perturb"), options_of("generate")
    >>> in_python('it has a "--seed 1"; --overwrite drops it, --seed 1 does not', perturb)
    'it has a "--seed 1"; overwrite=True drops it, seed=1 does not'
    >>> in_python("--jobs 2, or see dt-check --languages DIR", perturb)
    'dt-perturb --jobs 2, or see check(languages="DIR")'
    >>> in_python("use a smaller --batch-size, or --beams 1", generate)
    'use a smaller Runtime.batch_size, or decoding=Decoding(beams=1)'
    """

    def replaced(match: re.Match) -> str:
        flag, word = match["option"], match["value"]
        if match["stays"] is not None:
            return match[0]
        if match["command"] is not None:
            return _called(match["command"], match["options"]) or match[0]
        option = options.named(flag)
        if not options.are_of_function(option):
            if flag == "--lang":  # of the records
                return '"lang"' + (f': "{word}"' if word else "")
            return f"{options.program} {match[0]}" if option else match[0]
        value, following = _value(option, flag, word, is_call=False)
        if value is not None:
            return _arguments({option.name: value}, options) + following
        is_field = option.name in options.fields
        name = f"'{option.name}'"
        if is_field:
            name = f"{type(options.fields[option.name].default).__name__}.{option.name}"
        return name + following

    return re.sub(r"\b([a-z_]+)=yes\b", r"\1=True", _WORDS.sub(replaced, message))


def _value(option: Any, flag: str, word: str | None, is_call: bool) -> tuple[str | None, str]:
    """Return the value that an option has in a message, and the word behind it unless it is that.

    None: the option is only named.

    is_call: the words are of a command line, not of a sentence.
    """
    following = "" if word is None else f" {word}"
    if option.is_flag:
        return str(flag not in option.secondary_opts), following
    if word is None or not (is_call or _is_value(word, option)):
        return None, following
    value = word.strip("'\"")
    if str(option.metavar).startswith("KEY=") and "=" in value:
        key, _, path = value.partition("=")
        return f'{{"{key}": "{path}"}}', ""
    is_plain = _NUMBER.match(value) or isinstance(option.type, _NUMBERS)
    return value if is_plain else f'"{value}"', ""


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


def _called(command: str, words: str) -> str | None:
    """Return a command with options as the call of its function, None if that lacks one."""
    name, _, part = command.removeprefix("dt-").replace("-", "_").partition(" ")
    file = f"_{name}_{part}" if part else name
    options = options_of(file)
    values: dict[str, str] = {}
    following = ""
    for flag, word in re.findall(rf"({_OPTION})(?: ({_VALUE}))?", words):
        option = options.named(flag)
        if not options.are_of_function(option):
            return None
        value, following = _value(option, flag, word or None, is_call=True)
        before = values.get(option.name)  # field={"a": "b"} and field={"c": "d"} are one
        values[option.name] = f"{before[:-1]}, {value[1:]}" if before and value else value or "…"
    return f"{file.strip('_')}({_arguments(values, options)}){following}"


def _arguments(values: Mapping[str, str], options: Options) -> str:
    """Return the arguments of a call, fields within the values that have them."""
    texts: dict[str, list[str]] = {}
    for name, value in values.items():
        parameter = options.fields.get(name)
        texts.setdefault(parameter.name if parameter else name, []).append(f"{name}={value}")
    of_values = {parameter.name: parameter.default for parameter in options.fields.values()}
    return ", ".join(
        f"{name}={type(of_values[name]).__name__}({', '.join(of_one)})"
        if name in of_values
        else ", ".join(of_one)
        for name, of_one in texts.items()
    )
