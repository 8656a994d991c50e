"""Plug-ins: found by their files, described, and bound to their options.

A spec says which one, with options: rouge2:stem=yes.  It names one of ours (rouge2, typo.case), a
file (./mine.py, or ./mine.py:NAME where that declares several), a module (package.module:NAME), or
one that an installed distribution brings (entry points of the group dialtools.metrics, …).
"""

import functools
import importlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from dialtools.plugins.options import alternatives, parsed
from dialtools.system.errors import DialtoolsError, OptionError, RecordError, among, masked, nearest

KINDS = {  # folder: (module of dialtools.plugins, class of what is declared)
    "metrics": ("metric", "Metric"),
    "perturbations": ("perturbation", "Perturbation"),
    "generators": ("generator", "Generator"),
    "parsers": ("parser", "Parser"),
    "formats": ("format", "Format"),
    "hypothesis_tests": ("hypothesis_test", "HypothesisTest"),
    "objectives": ("objective", "Objective"),
}
_HOME = os.path.dirname(os.path.dirname(__file__))


class Plugin(NamedTuple):
    """A plug-in with its options bound."""

    # as typed, a file by its name, addresses without secrets; the key of its results
    label: str
    name: str
    declared: Any  # a Metric, a Perturbation, …
    call: Callable
    options: dict  # those given, converted
    source: str | None = None  # of a user's own: digits of the hash of its file, "" in Python

    @property
    def is_ours(self) -> bool:
        """Tell whether dialtools brings it."""
        return self.source is None

    @property
    def provenance(self) -> dict[str, str]:
        """What a signature says of the source of a user's own."""
        return {"source": self.source} if self.source else {}

    def needs(self, options: dict | None = None) -> tuple[str, ...]:
        """Return the keys, or columns, that it reads of a record."""
        needs = self.declared.needs
        return needs(self.defaults() if options is None else options) if callable(needs) else needs

    def defaults(self) -> dict:
        """Return all options with the values that they will have."""
        return {name: parameter.default for name, parameter in _parameters(self.call).items()}

    def shown(self) -> list[str]:
        """Return all options but the language, as lists of plug-ins show them: kind=[any]|drop|add.

        The default comes first, "…" where there is none, or one that follows from the language or
        the model.
        """
        by_language = getattr(self.declared, "by_language", {})
        return [
            f"{name}={_value(parameter, name in by_language)}"
            for name, parameter in _parameters(self.call).items()
            if name not in ("lang", "language")
        ]

    def given(self, **values: object) -> "Plugin":
        """Return the plug-in with values for those of its options that have not been given."""
        known = _parameters(self.call)
        options = {name: value for name, value in values.items() if name in known} | self.options
        return self._replace(call=functools.partial(self.call, **options), options=options)

    def bound(self, **values: object) -> "Plugin":
        """Return the plug-in with named arguments that no spec can express, such as a function."""
        parameters = inspect.signature(self.call).parameters
        known = {
            name: value
            for name, value in values.items()
            if value is not None and name in parameters
        }
        return self._replace(call=functools.partial(self.call, **known)) if known else self


def word(kind: str) -> str:
    """Return the word for one plug-in of a kind, such as "metric"."""
    return "test" if kind == "hypothesis_tests" else KINDS[kind][0]


# --on-error and --jobs call a filter, which asks for them, for every few records
@functools.lru_cache(maxsize=None)
def names(kind: str) -> tuple[str, ...]:
    """Return the names of our plug-ins of a kind, or of our commands."""
    return tuple(sorted(name for file in _files(kind) for name in _names_in(kind, file)))


def _files(kind: str) -> list[str]:
    """Return the names of a kind's files, those in a folder as folder.file."""
    folder = os.path.join(_HOME, kind)
    paths = (
        os.path.relpath(os.path.join(path, file), folder)
        for path, _, files in os.walk(folder)
        for file in files
        if file.endswith(".py") and "a" <= file[0] <= "z"
    )
    return [path.removesuffix(".py").replace(os.sep, ".") for path in paths]


def _names_in(kind: str, file: str) -> list[str]:
    """Return the names of the plug-ins that one of our files declares, read without importing it."""
    if kind not in KINDS:
        return [file]
    variables = re.findall(rf"^(\w+) = {KINDS[kind][1]}\(", _text(kind, file), re.MULTILINE)
    # a perturbation is called GROUP.NAME: typo.case of typo/case.py, terms.swap of terms.py
    group = file.rpartition(".")[0] or (file if kind == "perturbations" else "")
    prefix = f"{group}." if group else ""
    return [file if variable.isupper() else prefix + variable for variable in variables]


def _text(kind: str, file: str) -> str:
    with open(_path(kind, file), encoding="utf-8") as lines:
        return lines.read()


def _path(kind: str, file: str) -> str:
    return os.path.join(_HOME, kind, *file.split(".")) + ".py"


def file_of(kind: str, name: str) -> str | None:
    """Return the file that declares one of our plug-ins: its own, or one of several, like rouge.py."""
    if re.fullmatch(r"[a-z][\w-]*(\.[a-z][\w-]*)*", name) and os.path.exists(_path(kind, name)):
        return name

    def alike(file: str) -> int:
        return len(os.path.commonprefix([file, name]))

    candidates = sorted(_files(kind), key=alike, reverse=True)
    return next((file for file in candidates if name in _names_in(kind, file)), None)


def summary(kind: str, name: str) -> str:
    """Return what a plug-in of ours, or a command, is, in a line."""
    file = file_of(kind, name) if kind in KINDS else name
    if file is None:
        return load(kind, name).declared.summary
    if file != name:
        module = importlib.import_module(f"dialtools.{kind}.{file}")
        return _declared(kind, module, name.rpartition(".")[2]).summary
    with open(_path(kind, file), encoding="utf-8") as lines:
        first = next(line for line in lines if line.startswith(('"""', 'r"""')))
    return first.strip().lstrip("r").strip('"')


def split(spec: str) -> tuple[str, dict[str, str]]:
    """Return a spec's name, with that of a value in a file or module, and its options as typed.

    A value may be JSON in brackets, or another spec in square ones, with commas in it.

    >>> split("longest:k=3,unit=words"), split("./mine.py:soft:weight=2")
    (('longest', {'k': '3', 'unit': 'words'}), ('./mine.py:soft', {'weight': '2'}))
    >>> split('endpoint:stop=["a","b"],body={"x": 1, "y": "}"},api=chat')[1]
    {'stop': '["a","b"]', 'body': '{"x": 1, "y": "}"}', 'api': 'chat'}
    >>> split('back-translation:there=[endpoint:model=m,stop=["a","b"]],back=folder')[1]
    {'there': '[endpoint:model=m,stop=["a","b"]]', 'back': 'folder'}
    """
    name, _, rest = spec.partition(":")
    variable, _, more = rest.partition(":")
    if is_external(name) and variable and "=" not in variable:
        name, rest = f"{name}:{variable}", more
    pairs = [part.partition("=") for part in _parts(rest)] if rest else []
    keys = [key for key, _, _ in pairs]
    for key, equals, _ in pairs:
        if keys.count(key) > 1:
            raise OptionError(f"{spec}: {key} is there twice")
        if not equals or not key:
            raise OptionError(f"{spec}: options are written {name}:option=value,option=value")
    return name, {key: value for key, _, value in pairs}


def _parts(options: str) -> list[str]:
    """Return options as typed, parted at commas, but not at those of JSON or a spec in brackets."""
    if "=[" not in options and "={" not in options:
        return options.split(",")

    from json import JSONDecoder

    parts, rest = [], options
    while rest:
        key, _, value = rest.partition("=")
        length = len(rest.partition(",")[0])
        if "," not in key and value[:1] in ("[", "{"):
            try:
                length = len(key) + 1 + JSONDecoder().raw_decode(value)[1]
            except ValueError:
                length = _end_of_brackets(rest) if value[0] == "[" else length
        parts.append(rest[:length])
        rest = rest[length:].removeprefix(",")
    return parts


def _end_of_brackets(text: str) -> int:
    """Return the end of a value in square brackets, with all that they enclose; of the text, where they stay open."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "]" and depth == 0:
            return place + 1
    return len(text)


def is_external(name: str) -> bool:
    """Tell whether a name may be that of a file or a module: ./mine.py, package.module."""
    return name.endswith(".py") or "/" in name or "." in name


def several(values: Any) -> tuple:
    """Return the values of a repeatable option in Python: one text, id, function or plug-in, or
    several.

    >>> several("rouge2"), several(["rouge1", "rouge2"]), several({"id": "nr"})
    (('rouge2',), ('rouge1', 'rouge2'), ('id=nr',))
    """
    if isinstance(values, Mapping):
        return tuple(f"{key}={value}" for key, value in values.items())
    is_one = isinstance(values, str | int) or callable(values)
    is_one = is_one or hasattr(values, "__dataclass_fields__")
    return (values,) if is_one else tuple(values)


def load(kind: str, spec: Any, function: str = "") -> Plugin:
    """Return the plug-in of a spec ("rouge2", "longest:k=3"), of a value declared in Python, or of
    a function of the user's own.

    function: the field of another function of it than the one that all of its kind have.  Options
    are made anew when a file that the spec names was changed, such as one of terms.
    """
    files = tuple(map(_state, re.split("[:=,]", spec))) if isinstance(spec, str) else ()
    return _load(kind, spec, function, files)


def _state(path: str) -> tuple[int, ...]:
    """Return what tells whether a file was changed; nothing of what is no file."""
    if not os.path.isfile(path):
        return ()
    state = os.stat(path)
    return state.st_ino, state.st_size, state.st_mtime_ns


@functools.lru_cache(maxsize=256)
def _load(kind: str, spec: Any, function: str, files: tuple) -> Plugin:
    declaration = _class(kind)
    if not isinstance(spec, str):
        declared = spec if isinstance(spec, declaration) else declaration(spec)
        work = _function(declared, function)
        name = getattr(work, "__name__", "function")
        return Plugin(name, name, declared, functools.partial(work), {}, "")
    name, declared, source = _named(kind, spec)
    whole, rest = getattr(declared, "whole_spec", ""), spec.partition(":")[2]
    typed = _before(whole, rest, spec) if whole and rest else split(spec)[1]
    work = _function(declared, function)
    if work is None:
        raise OptionError(
            f"{name} has no {function}; there is one in {', '.join(declaring(kind, function))}"
        )
    options = {key: _convert(name, _parameters(work), key, text) for key, text in typed.items()}
    label = options.get("name") or spec if whole else spec
    if source is not None:  # a path would be a poor name of results
        label = ":".join(filter(None, [name, ",".join(map("=".join, typed.items()))]))
    work = functools.partial(work if source is None else _locating(work), **options)
    return Plugin(masked(label), name, declared, work, options, source)


def _locating(work: Callable) -> Callable:
    """Return a user's function; what it raises becomes a RecordError with its place in the file."""

    @contextmanager
    def located() -> Iterator[None]:
        try:
            yield
        except (DialtoolsError, OSError, MemoryError, ModuleNotFoundError):
            raise
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            [frame] = [frame for frame in frames if frame.filename == path][-1:] or frames[-1:]
            place = f"{os.path.relpath(frame.filename)}:{frame.lineno}"
            raise RecordError(f"{place}: {type(error).__name__}: {error}") from error

    path = inspect.getsourcefile(work) or ""

    @functools.wraps(work)
    def call(*columns: Any, **options: Any) -> Any:
        with located():
            result = work(*columns, **options)
        if result is None:
            raise RecordError(f"{os.path.relpath(path)}: {work.__name__} returned nothing")
        return items(result) if isinstance(result, Iterator) else result

    def items(result: Iterator) -> Iterator:
        with located():
            yield from result

    return call


def _before(whole: str, rest: str, spec: str) -> dict[str, str]:
    """Return options of which the last one, `whole`, is all that follows the others.

    >>> _before("program", "name=mine,range=0-1,jq -r .a,.b", "")
    {'name': 'mine', 'range': '0-1', 'program': 'jq -r .a,.b'}
    """
    options: dict[str, str] = {}
    while match := re.match("([a-z_]+)=([^,]*)(?:,|$)", rest):
        if match[1] in options:
            raise OptionError(f"{spec}: {match[1]} is there twice")
        options[match[1]], rest = match[2], rest[match.end() :]
    return options | ({whole: rest} if rest else {})


def _class(kind: str) -> type:
    module, name = KINDS[kind]
    return getattr(importlib.import_module(f"dialtools.plugins.{module}"), name)


def _function(declared: Any, field: str) -> Any:
    """Return a function of a plug-in: that of a field, or the first, which does the work."""
    return getattr(declared, field or next(iter(declared.__dataclass_fields__)))


def _named(kind: str, spec: str) -> tuple[str, Any, str | None]:
    """Return the name of the plug-in that a spec names, what it declares, and the hash of its
    source if it is not ours."""
    name = spec.partition(":")[0]
    file = file_of(kind, name)
    if file is not None:
        module = importlib.import_module(f"dialtools.{kind}.{file}")
        variable = "" if file == name else name.rpartition(".")[2]
        return name, _declared(kind, module, variable), None
    if not is_external(name):
        entry = next((entry for entry in _entry_points(kind) if entry.name == name), None)
        if entry is None:
            require_known(kind, name)
            raise OptionError(f"no {word(kind)} is called {name!r}")
        return name, _as_declared(kind, entry.load(), name), _hash(sys.modules[entry.module])
    target, _, variable = split(spec)[0].partition(":")
    if target.endswith(".py") or "/" in target:
        module, stem = _module_of_file(target), os.path.basename(target).removesuffix(".py")
    else:
        require_known_module(kind, target)
        module, stem = importlib.import_module(target), target.rpartition(".")[2]
    return variable or stem, _declared(kind, module, variable), _hash(module)


def require_known_module(kind: str, name: str) -> None:
    """Raise OptionError, with the nearest plug-in of ours, if there is no such module."""
    from importlib.util import find_spec

    try:
        is_there = find_spec(name) is not None
    except (ImportError, ValueError):
        is_there = False
    if not is_there:
        require_known(kind, name)


def _module_of_file(path: str) -> ModuleType:
    """Return the module of a user's file. Raise OptionError for one that cannot be run."""
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"dialtools_user_{os.path.basename(path).removesuffix('.py')}"
    spec = spec_from_file_location(name, path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise OptionError(f"no Python file is at {path}")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError:
        raise
    except Exception as error:
        raise OptionError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _hash(module: ModuleType) -> str:
    """Return 8 digits of the hash of a module's source, which tells an edited plug-in from another."""
    import hashlib

    with open(module.__file__ or os.devnull, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:8]


def _declared(kind: str, module: ModuleType, variable: str) -> Any:
    """Return what a module declares under a name, or the only one that it declares."""
    if variable:
        if not hasattr(module, variable):
            raise OptionError(f"{module.__file__} has no {variable!r}")
        return _as_declared(kind, getattr(module, variable), variable)
    values = {
        name: value for name, value in vars(module).items() if isinstance(value, _class(kind))
    }
    if len(values) == 1:
        return next(iter(values.values()))
    declared = KINDS[kind][1]
    if values:
        raise OptionError(f"{module.__file__} declares {', '.join(values)}: add :NAME of one")
    raise OptionError(
        f"{module.__file__} declares no {word(kind)}: {word(kind).upper()} = {declared}(function)"
    )


def _as_declared(kind: str, value: Any, name: str) -> Any:
    """Return a declared plug-in; a function is declared here, with nothing said of it."""
    if isinstance(value, _class(kind)):
        return value
    if not callable(value):
        raise OptionError(f"{name} is neither a {KINDS[kind][1]} nor a function, but {value!r:.60}")
    return _class(kind)(value)


def _entry_points(kind: str) -> list:
    """Return the plug-ins of a kind that installed distributions bring."""
    from importlib.metadata import entry_points

    return list(entry_points(group=f"dialtools.{kind}"))


def installed(kind: str) -> list[str]:
    """Return the names of the plug-ins of a kind that installed distributions bring."""
    return sorted(entry.name for entry in _entry_points(kind))


def declaring(kind: str, field: str) -> list[str]:
    """Return the names of our plug-ins of a kind that declare a function, without importing any."""
    sign = re.compile(rf"\b{field}=")
    return [name for name in names(kind) if sign.search(_declaration(kind, name))]


def _declaration(kind: str, name: str) -> str:
    """Return the text of one of our files from where a plug-in is declared on."""
    file = file_of(kind, name) or name
    variable = r"[A-Z_]+" if file == name else name.rpartition(".")[2]
    parts = re.split(rf"^{variable} = {KINDS[kind][1]}\(", _text(kind, file), flags=re.MULTILINE)
    first_line = parts[-1].partition("\n")[0]
    return first_line if first_line.endswith(")") else parts[-1].partition("\n)\n")[0]


def require_known(kind: str, name: str, more: Iterable[str] = ()) -> None:
    """Raise OptionError, with the nearest name, if there is no such plug-in; more: other names."""
    known = [*names(kind), *installed(kind)]
    if name not in known:
        member = next(
            (f" (did you mean {one}?)" for one in known if one.endswith(f".{name}") and name), ""
        )
        raise OptionError(
            f"no {word(kind)} is called {name!r}{member or nearest(name, [*known, *more])}; there "
            f"are {among(name, known)}"
        )


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


def _value(parameter: inspect.Parameter, depends: bool) -> str:
    """Return an option's default, in brackets if there are other values."""
    default = "…" if depends else _shown(parameter.default)
    others = [
        value
        for value in alternatives(parameter.annotation)
        if isinstance(value, str) and value not in ("", default)
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
    try:
        return parsed(text, parameters[key].annotation)
    except ValueError:
        words = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}
        kinds = alternatives(parameters[key].annotation)
        expected = " or ".join(words.get(kind, str(kind)) for kind in kinds if kind != "")
        close = nearest(text, [kind for kind in kinds if isinstance(kind, str)])
        raise OptionError(f"{plugin}: {key} is {expected}, not {text!r}{close}") from None
