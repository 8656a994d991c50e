"""Plug-ins, found from the names of their files.

A plug-in is a file in a folder (metrics/, perturbations/typo/, …) that
defines the folder's function.  Its name is the file's; its options are the
function's keyword-only parameters; its first docstring line is its summary.
"""

import functools
import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from dialtools.system.errors import OptionError, nearest

FUNCTIONS = {
    "metrics": "score",
    "perturbations": "perturb",
    "generators": "generate",
    "parsers": "parse",
    "formats": "read",
    "hypothesis_tests": "test",
    "objectives": "loss",
}
_HOME = os.path.dirname(os.path.dirname(__file__))
_SWITCH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class Plugin(NamedTuple):
    """A plug-in with its options bound."""

    label: str  # as typed; the key of its results
    name: str
    call: Callable
    options: dict  # those given, converted
    module: ModuleType | None  # None for a function of the user's own

    def constant(self, name: str, default):
        """Return a constant of the plug-in's file, or an attribute of the user's function."""
        if self.module:
            return vars(self.module).get(name, default)  # getattr would write a message first
        return getattr(self.call.func, name, default)  # type: ignore[attr-defined]

    def defaults(self) -> dict:
        """Return all options with the values that they will have."""
        return {name: parameter.default for name, parameter in _parameters(self.call).items()}

    def shown(self) -> list[str]:
        """Return all options but the language, as lists of plug-ins show them: kind=[any]|drop|add.

        The default comes first, "…" where there is none, or one that follows from the language or
        the model.
        """
        free = {
            name: parameter
            for name, parameter in _parameters(self.call).items()
            if name not in ("lang", "language")
        }
        depends = self.constant("BY_LANGUAGE", {})
        return [f"{name}={_value(parameter, name in depends)}" for name, parameter in free.items()]

    def given(self, **values: object) -> "Plugin":
        """Return the plug-in with values for those of its options that have not been given."""
        taken = {name: value for name, value in values.items() if name in _parameters(self.call)}
        options = taken | self.options
        return (
            self._replace(call=functools.partial(self.call, **options), options=options)
            if taken
            else self
        )

    def bound(self, **values: object) -> "Plugin":
        """Return the plug-in with named arguments that no spec can express, such as a function."""
        parameters = inspect.signature(self.call).parameters
        taken = {
            name: value
            for name, value in values.items()
            if value is not None and name in parameters
        }
        return self._replace(call=functools.partial(self.call, **taken)) if taken else self


# --on-error and --jobs call a filter, which asks for them, for every few records
@functools.lru_cache(maxsize=None)
def names(kind: str) -> tuple[str, ...]:
    """Return the names of the plug-ins of a kind; those in a folder are called folder.file."""
    folder = os.path.join(_HOME, kind)
    paths = (
        os.path.relpath(os.path.join(path, file), folder)
        for path, _, files in os.walk(folder)
        for file in files
        if file.endswith(".py") and "a" <= file[0] <= "z"
    )
    return tuple(sorted(path.removesuffix(".py").replace(os.sep, ".") for path in paths))


def summary(kind: str, name: str) -> str:
    """Return the first line of a plug-in's docstring, read without importing it."""
    with open(_path(kind, name), encoding="utf-8") as file:
        return (
            next(line for line in file if line.startswith(('"""', 'r"""')))
            .strip()
            .lstrip("r")
            .strip('"')
        )


def split(spec: str) -> tuple[str, dict[str, str]]:
    """Return a spec's name and its options as typed.

    >>> split("longest:k=3,unit=words")
    ('longest', {'k': '3', 'unit': 'words'})
    """
    name, _, rest = spec.partition(":")
    pairs = [part.partition("=") for part in rest.split(",")] if rest else []
    for key, equals, _ in pairs:
        if sum(other == key for other, _, _ in pairs) > 1:
            raise OptionError(f"{spec}: {key} is there twice")
        if not equals or not key:
            raise OptionError(f"{spec}: options are written {name}:option=value,option=value")
    return name, {key: value for key, _, value in pairs}


def several(given: Any) -> tuple:
    """Return the values of a repeatable option in Python: one text or function, or several.

    >>> several("rouge2"), several(["rouge1", "rouge2"])
    (('rouge2',), ('rouge1', 'rouge2'))
    """
    return (given,) if isinstance(given, str) or callable(given) else tuple(given)


def load(kind: str, spec: str | Callable, function_name: str = "") -> Plugin:
    """Return the plug-in of a spec ("rouge2", "longest:k=3") or of a user's function.

    Values of options are made anew when a file that one names was changed, as that of terms may be.

    function_name: another function of its file than the one that all of its kind define.
    """
    return _load(
        kind,
        spec,
        function_name,
        () if callable(spec) else tuple(map(_state, re.split("[:=,]", spec)[1:])),
    )


def _state(value: str) -> tuple[int, ...]:
    """Return what tells whether the file of an option's value was changed; nothing of a pipe."""
    if not os.path.isfile(value):
        return ()
    found = os.stat(value)
    return found.st_ino, found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=256)
def _load(kind: str, spec: str | Callable, function_name: str, states: tuple) -> Plugin:
    if callable(spec):
        name = getattr(spec, "__name__", "function")
        return Plugin(name, name, functools.partial(spec), {}, None)
    name, _, rest = spec.partition(":")
    require_known(kind, name)
    module = importlib.import_module(f"dialtools.{kind}.{name}")
    whole = getattr(module, "WHOLE", None)
    typed = {whole: rest} if whole and rest else split(spec)[1]
    wanted = function_name or FUNCTIONS[kind]
    function = getattr(module, wanted, None)
    if function is None:
        raise OptionError(
            f"{name} has no {wanted}; there is one in {', '.join(defining(kind, wanted))}"
        )
    options = {key: _convert(name, _parameters(function), key, text) for key, text in typed.items()}
    return Plugin(spec, name, functools.partial(function, **options), options, module)


def defining(kind: str, function_name: str) -> dict[str, Callable]:
    """Return {plug-in: function} of those of a kind that define a function."""
    modules = {name: importlib.import_module(f"dialtools.{kind}.{name}") for name in names(kind)}
    return {
        name: getattr(module, function_name)
        for name, module in modules.items()
        if hasattr(module, function_name)
    }


def said_to_define(kind: str, function_name: str) -> list[str]:
    """Return the plug-ins of a kind whose file defines a function, without importing any.

    A file defines what begins a line as "def NAME(" or "NAME = ", or is bound there beside others.
    """
    sign = re.compile(
        rf"^(?:def {function_name}\(|(?:\w+, )*{function_name}(?:, \w+)* = )", re.MULTILINE
    )
    return [name for name in names(kind) if sign.search(_source(kind, name))]


def _source(kind: str, name: str) -> str:
    with open(_path(kind, name), encoding="utf-8") as file:
        return file.read()


def _path(kind: str, name: str) -> str:
    return os.path.join(_HOME, kind, *name.split(".")) + ".py"


def require_known(kind: str, name: str, more: Iterable[str] = ()) -> None:
    """Raise OptionError, with the nearest name, if there is no such plug-in; more: other names."""
    known = names(kind)
    if name not in known:
        member = next(
            (f" (did you mean {other}?)" for other in known if other.endswith(f".{name}") and name),
            "",
        )
        raise OptionError(
            f"no {called(kind)} is called "
            f"{name!r}{member or nearest(name, [*known, *more])}; there are "
            f"{', '.join(known)}"
        )


def called(kind: str) -> str:
    """Return the word for one plug-in of a kind, such as "metric"."""
    return "test" if kind == "hypothesis_tests" else kind.removesuffix("s")


def options(function: Callable) -> list[str]:
    """Return the names of the options of a function of a plug-in."""
    return list(_parameters(function))


def _parameters(function: Callable) -> dict[str, inspect.Parameter]:
    """Return the options of a plug-in's function that can be typed."""
    parameters = inspect.signature(function).parameters
    return {
        name: p
        for name, p in parameters.items()
        if p.kind is p.KEYWORD_ONLY and _can_be_typed(p.annotation)
    }


def _can_be_typed(annotation: object) -> bool:
    """Return whether a text can become a value of an annotation: no function, no list."""
    kinds = get_args(annotation) if get_origin(annotation) in (UnionType, Union) else (annotation,)
    return all(kind is not Callable and get_origin(kind) in (None, Literal) for kind in kinds)


def _choices(annotation) -> list:
    """Return what an annotation allows: types, and the texts of a Literal; None cannot be typed."""
    if annotation is NoneType:
        return []
    parts = get_args(annotation)
    return [kind for part in parts for kind in _choices(part)] if parts else [annotation]


def _value(parameter: inspect.Parameter, depends: bool) -> str:
    """Return an option's default, in brackets if there are other values."""
    default = "…" if depends else _shown(parameter.default)
    others = [
        value
        for value in _choices(parameter.annotation)
        if isinstance(value, str) and value != default
    ]
    return "|".join([f"[{default}]", *others]) if others else default


def _shown(default: object) -> str:
    """Return a default as it would be typed, "…" for none."""
    if default in (inspect.Parameter.empty, None, ""):
        return "…"
    return ("yes" if default else "no") if isinstance(default, bool) else str(default)


def _convert(plugin: str, parameters: dict[str, inspect.Parameter], key: str, text: str):
    """Return an option's value as the annotation of its parameter wants it."""
    if key not in parameters:
        raise OptionError(
            f"{plugin} has no option {key!r}{nearest(key, parameters)}; "
            f"it has {', '.join(parameters) or 'none'}"
        )
    kinds = _choices(parameters[key].annotation)
    for kind in kinds:
        try:
            if isinstance(kind, str):  # a choice of a Literal
                if kind == text:
                    return text
            else:
                return _SWITCH[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            continue
    words = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}
    expected = " or ".join(words.get(kind, str(kind)) for kind in kinds)
    raise OptionError(f"{plugin}: {key} is {expected}, not {text!r}")
