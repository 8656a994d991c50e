"""Commands as functions of Python: their arguments are checked, what they give is shown, and their
errors are in Python's words.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, get_args, get_origin

import dialtools
from dialtools.pipeline import input_keys, python_help
from dialtools.pipeline.python_words import KEY, Options, in_python, options_of
from dialtools.pipeline.streams import Stream, taken
from dialtools.plugins import options
from dialtools.plugins.options import are_records, fits, in_words
from dialtools.records.validation import exchange
from dialtools.system import programs
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import DialtoolsError, OptionError, RecordError, nearest

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


def function(name: str) -> Callable:
    """Return the function of a command, for callers of Python."""
    file = dialtools.COMMANDS[name]
    return _in_python(getattr(import_module(f"dialtools.commands.{file}"), name), options_of(file))


def of_records(name: str) -> Callable:
    """Return a function that reads or writes records, for callers of Python."""
    declared = getattr(import_module("dialtools.records.jsonl"), name)
    return _in_python(declared, Options(signature=inspect.signature(declared)))


def signature_of(function: Callable) -> inspect.Signature:
    """Return the parameters of a function of the package, with their types."""
    signature = inspect.signature(inspect.unwrap(function))
    if "key" not in inspect.signature(function).parameters or "key" in signature.parameters:
        return signature
    return signature.replace(parameters=[*signature.parameters.values(), KEY])


def with_help(declared: Any) -> Any:
    """Return a class of values, such as Decoding, whose help tells its fields."""
    fields = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for (name, (kind, _)), default in zip(
            options.declared(declared).items(), declared._field_defaults.values(), strict=True
        )
    ]
    about = {
        name: re.sub("--([a-z-]+)", lambda flag: flag[1].replace("-", "_"), option.help)
        for name, (_, option) in options.declared(declared).items()
    }
    declared.__doc__ = python_help.docstring(declared.__doc__, fields, about.__getitem__)
    declared.__signature__ = python_help.signature(inspect.Signature(fields))
    return declared


def _in_python(function: Callable, of_command: Options) -> Callable:
    """Return a function whose arguments are checked, and whose errors are in Python's words.

    So are those of the items that it yields.
    """
    signature = of_command.signature

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        arguments = tuple(map(taken, arguments))
        named = {name: taken(value) for name, value in named.items()}
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            hint = _on_unknown(named, of_command)
            raise TypeError(f"{function.__name__}() {error}{hint}") from None
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            for item in value if parameter.kind is parameter.VAR_POSITIONAL else (value,):
                is_required = parameter.default is parameter.empty
                _require(name, item, parameter.annotation, is_required)
        with _in_words(of_command):
            rename = input_keys.renaming(bound.arguments.pop("key", None))
            for name, value in bound.arguments.items() if rename else ():
                bound.arguments[name] = _exchanged(
                    value, signature.parameters[name].annotation, rename
                )
            outputs = function(*bound.args, **bound.kwargs)
        if isinstance(outputs, Listed):
            lists_of = (_each(items, of_command) for items in _each(outputs.lists, of_command))
            return Stream(type(outputs)(lists_of))
        if not isinstance(outputs, Iterator):
            return outputs
        if _are_results(function, bound.arguments):
            outputs = (_worded(item, of_command) for item in outputs)
        elif rename:
            outputs = _exchanged(outputs, Iterable[dict], rename)
        return Stream(_each(programs.until_end(outputs), of_command))

    call.__doc__ = python_help.docstring(
        in_python(function.__doc__ or "", of_command),
        signature.parameters.values(),
        lambda name: _about(signature.parameters[name], of_command),
    )
    call.__signature__ = python_help.signature(signature)  # type: ignore[attr-defined]
    call.__module__ = "dialtools"  # where pickle finds it
    return call


def _about(parameter: inspect.Parameter, of_command: Options) -> str:
    """Return what a parameter is of which the function's docstring says nothing."""
    if parameter is KEY:
        return 'what the input calls keys of ours, such as {"prediction": "summary"}.'
    if are_records(parameter.annotation):
        return "records, or a table of them: of pandas, polars, pyarrow or datasets."
    helps = {option.name: getattr(option, "help", None) for option in of_command.options}
    text = in_python(helps.get(parameter.name) or "", of_command)
    return text[:1].lower() + text[1:]


def _on_unknown(named: Iterable[str], of_command: Options) -> str:
    """Return what to write in the place of an argument that a function does not have."""
    parameters, fields = of_command.signature.parameters, of_command.fields
    name = next((name for name in named if name not in parameters), "")
    if name in fields:
        value = f"{type(fields[name].default).__name__}({name}=…)"
        return f"; {name} is in {fields[name].name}=dialtools.{value}"
    return f"; {name} is no parameter{nearest(name, parameters)}" if name else ""


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
def _in_words(of_command: Options) -> Iterator[None]:
    """Put the message of an error that comes out of the block into Python's words."""
    try:
        yield
    except RecordError as error:
        error.reason = in_python(error.reason, of_command)
        raise
    except DialtoolsError as error:
        error.args = (in_python(str(error), of_command),)
        raise


def _each(items: Iterable, of_command: Options) -> Iterator:
    with _in_words(of_command):
        yield from items


def _worded(result: Any, of_command: Options) -> Any:
    """Return a result with its notes in Python's words; a line of text as it is."""
    if not isinstance(result, dict):
        return result
    notes: dict[str, Any] = {}
    if isinstance(note := result.get("note"), str):
        notes["note"] = in_python(note, of_command)
    if isinstance(several := result.get("notes"), list):
        notes["notes"] = [in_python(note, of_command) for note in several]
    return result | notes


def _require(name: str, value: Any, wanted: Any, is_required: bool = False) -> None:
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
    elif (value is not None or is_required) and not fits(value, wanted):  # None: as if not given
        raise OptionError(f"{name} is {in_words(wanted)}, not {value!r:.60}")
    elif hasattr(value, "_fields"):
        for field, kind in value.__annotations__.items():
            if getattr(value, field) is not None:  # which is not given, on the command line, too
                _require(field, getattr(value, field), kind)
