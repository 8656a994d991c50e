"""Options that belong together: declared once, as the fields of a value (a NamedTuple).

Commands make their command-line options of the fields, functions take the value
as one parameter, and signatures read it.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import click

from dialtools.system.errors import OptionError


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


def command_line(value: type, without: Iterable[str] = ()) -> list[Callable]:
    """Return a click option for each field; its default is None, or False for a flag."""
    return [
        _click_option(name, kind, option)
        for name, (kind, option) in declared(value).items()
        if name not in without
    ]


def _click_option(name: str, kind: Any, option: Option) -> Callable:
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    if kind is bool:
        return click.option(*flags, name, is_flag=True, help=option.help)
    [kind] = [kind] if get_origin(kind) is Literal else set(get_args(kind) or (kind,)) - {NoneType}
    choices = click.Choice(get_args(kind)) if get_origin(kind) is Literal else kind
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
