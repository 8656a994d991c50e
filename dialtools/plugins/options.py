"""Options that belong together, declared once as the fields of a NamedTuple; values and annotations.

Commands make their command-line options of the fields, functions take the value
as one parameter, and signatures read it.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import click

from dialtools.system.errors import OptionError, nearest


class Choice(click.Choice):
    """One of some words; the error for a mistyped one names the nearest."""

    def get_invalid_choice_message(self, value, ctx):
        words = [str(choice) for choice in self.choices]
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + nearest(value, words)


class Option(NamedTuple):
    """What a field declares beside its name, type and default: Annotated[int, Option(…)]."""

    help: str
    least: float | None = None
    metavar: str | None = None
    flags: tuple[str, ...] = ()  # instead of --name
    most: float | None = None


def declared(value: type) -> dict[str, tuple[Any, Option]]:
    """Return the type and the declaration of each field."""
    found = {name: get_args(kind) for name, kind in value.__annotations__.items()}
    return {name: (kind, option) for name, (kind, option) in found.items()}


def command_line(value: type, only: Iterable[str] | None = None) -> list[Callable]:
    """Return a click option for each field, or for some; its default is None, or False for a flag."""
    return [
        _click_option(name, kind, option)
        for name, (kind, option) in declared(value).items()
        if only is None or name in only
    ]


def of_plugin(plugin: str, value: type, without: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return {field: (how it is typed as an option of a plug-in, what it does)}; "-g causal:k=N"."""
    spellings = {}
    for name, (kind, option) in declared(value).items():
        words = get_args(kind) if get_origin(kind) is Literal else ()
        typed = "yes" if kind is bool else option.metavar or "|".join(map(str, words)) or "…"
        if name not in without:
            spellings[name] = f"-g {plugin}:{name}={typed}", option.help
    return spellings


def _click_option(name: str, kind: Any, option: Option) -> Callable:
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    if kind is bool:
        return click.option(*flags, name, is_flag=True, help=option.help)
    [kind] = [kind] if get_origin(kind) is Literal else set(get_args(kind) or (kind,)) - {NoneType}
    choices = Choice(get_args(kind)) if get_origin(kind) is Literal else kind
    return click.option(*flags, name, type=choices, metavar=option.metavar, help=option.help)


def gathered(value: type, given: Mapping[str, Any]) -> Any:
    """Return a value with the fields that are given; None and False give nothing."""
    return value(**{name: given[name] for name in declared(value) if is_given(given.get(name))})


def gathered_all(values: Mapping[str, type], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a command with the fields of values replaced by the values, by their names."""
    fields = {field for value in values.values() for field in declared(value)}
    others = {name: option for name, option in given.items() if name not in fields}
    return {name: gathered(value, given) for name, value in values.items()} | others


def is_given(option: Any) -> bool:
    """Tell whether an option of the command line was given."""
    return option is not None and option is not False


def changed(*values: Any) -> dict[str, Any]:
    """Return the fields of values that differ from their defaults."""
    return {
        name: field
        for value in values
        for name, field in value._asdict().items()
        if field != value._field_defaults[name]
    }


def check(*values: Any) -> None:
    """Raise OptionError for a field below its least value, or above its greatest."""
    for value in values:
        for name, (_, option) in declared(type(value)).items():
            field = getattr(value, name)
            if None not in (field, option.least) and not field >= option.least:  # a NaN is not
                raise OptionError(f"{name} is at least {option.least}, not {field}")
            if None not in (field, option.most) and field > option.most:
                raise OptionError(f"{name} is at most {option.most}, not {field}")


def flat(function: Callable) -> Callable:
    """Return a plug-in's function with the fields of its values as keyword-only parameters.

    Their defaults are those of the parameter's own default, or else of the class.
    Annotated[Decoding, "beams", "stop"] is a value of which only these fields are options.
    """
    signature = inspect.signature(function)
    parameters: list[inspect.Parameter] = []
    values: dict[str, tuple[Any, tuple[str, ...]]] = {}  # name: (class, fields that are options)
    for name, parameter in signature.parameters.items():
        kind, fields = _fields(parameter.annotation)
        if not fields:
            parameters.append(parameter)
            continue
        defaults = dict(kind._field_defaults)
        if parameter.default is not parameter.empty:
            defaults = parameter.default._asdict()
        values[name] = kind, fields
        parameters += [
            inspect.Parameter(
                field,
                parameter.KEYWORD_ONLY,
                default=defaults[field],
                annotation=_type(kind.__annotations__[field]),
            )
            for field in fields
        ]
    defaults_of = {parameter.name: parameter.default for parameter in parameters}

    @functools.wraps(function)
    def call(*columns: Any, **options: Any) -> Any:
        gathered = {
            name: kind(**{field: options.pop(field, defaults_of[field]) for field in fields})
            for name, (kind, fields) in values.items()
        }
        return function(*columns, **gathered, **options)

    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _type(annotation: Any) -> Any:
    """Return the type of a field, without its declaration as an option."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _fields(annotation: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the class of a value and its fields that are options; none for other parameters."""
    kind, *known = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    return kind, tuple(known) or getattr(kind, "_fields", ())


LARGEST = 1e30  # number that a file may hold, and that is learned
_SCALARS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}
_LISTS = (list, tuple, Sequence, Iterable)
_DICTS = {dict, Mapping}
_SINGULAR = re.compile(r"\ba ((?:whole )?\w+)")
_SWITCH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def fits(value: Any, annotation: Any, of_file: bool = False) -> bool:
    """Return whether a value is what an annotation says.

    In a call one item is as good as a list of it, and records are not looked into.

    of_file: a file of JSON holds the value: lists are lists, and floats are finite and at most
        LARGEST.
    """
    kind, args = get_origin(annotation) or annotation, get_args(annotation)
    if kind in (Union, UnionType):
        return any(fits(value, option, of_file) for option in args)
    if kind is Annotated:
        return fits(value, args[0], of_file)
    if kind is Literal:
        return value in args
    if kind in _SCALARS:
        from numbers import Integral, Real  # numpy's are such

        types: Any = {int: Integral, float: Real, str: (str, os.PathLike)}.get(kind, kind)
        if not isinstance(value, types) or kind is not bool and type(value) is bool:
            return False
        return not of_file or kind is not float or abs(value) <= LARGEST  # nor is NaN
    if kind is Callable:  # or a plug-in that is declared
        return callable(value) or hasattr(value, "__dataclass_fields__")
    if of_file:
        items = value if kind is list and type(value) is list else ()
        return type(value) is kind and all(fits(item, args[0], True) for item in items)
    if kind is Mapping and args and isinstance(value, Mapping):
        return all(fits(item, args[1]) for item in value.values())
    if kind in _LISTS and isinstance(value, bytes | Mapping) and not _DICTS & {*args}:
        return False
    if kind in _LISTS and args and isinstance(value, list | tuple):
        return args[0] in _DICTS or all(fits(item, args[0]) for item in value)
    if kind in _LISTS and args and fits(value, args[0]):
        return True
    return not isinstance(kind, type) or isinstance(value, Iterable if kind in _LISTS else kind)


def are_records(annotation: Any = None) -> bool:
    """Return whether an annotation is that of records: many dicts, and no path to them."""
    is_union = get_origin(annotation) in (Union, UnionType)
    options = get_args(annotation) if is_union else (annotation,)
    items = [get_args(option)[0] for option in options if get_origin(option) in _LISTS]
    return any(_DICTS & {item, *get_args(item)} for item in items) and str not in options


def in_words(annotation: Any) -> str:
    """Return an annotation as people say it.

    >>> in_words(str | Sequence[int] | None), in_words(Literal["a", "b"])
    ('a string or a list of whole numbers or None', "'a' or 'b'")
    """
    kind, args = get_origin(annotation) or annotation, get_args(annotation)
    if kind in (Union, UnionType):
        return " or ".join(map(in_words, args))
    if kind is Annotated:
        return in_words(args[0])
    if kind is Literal:
        return " or ".join(map(repr, args))
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind in _LISTS:
        items = in_words(args[0]) if args else "anything"
        return f"a list of {_SINGULAR.sub(lambda words: words[1] + 's', items)}"
    return {Mapping: "a dict", Callable: "a function"}.get(kind, f"a {kind.__name__}")


def alternatives(annotation: Any) -> list:
    """Return the types that an annotation allows and the texts of its Literals; None is none."""
    if annotation is NoneType:
        return []
    if get_origin(annotation) in (Union, UnionType, Literal):
        return [kind for part in get_args(annotation) for kind in alternatives(part)]
    return [get_origin(annotation) or annotation]


def parsed(text: str, annotation: Any) -> Any:
    """Return a typed text as the first alternative of an annotation that it can be, a string last.

    Raise ValueError where it can be none, such as a list that is no JSON.

    >>> parsed("yes", bool | str), parsed("4", str | int), parsed("[4]", list | None)
    (True, 4, [4])
    """
    kinds = alternatives(annotation)
    small = text.lower()
    if text in kinds:  # a choice
        return text
    if bool in kinds and small in _SWITCH:
        return _SWITCH[small]
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                pass
    if {dict, list} & {*kinds} and text[:1] in ("{", "["):
        import json

        return json.loads(text)
    for kind in kinds:
        if isinstance(kind, type) and kind not in (bool, int, float, dict, list, str):
            try:
                return kind(text)  # a class that takes a text, such as a specification of terms
            except ValueError:
                if str not in kinds:
                    raise
    if str in kinds:
        return text
    raise ValueError(f"{text!r} is none of {kinds}")
