"""Write the types of `import dialtools`, whose functions are imported when they are first used.

dialtools/__init__.pyi has what type checkers and editors see: the functions as they are declared,
with what callers may give beside that.  mkman.py writes it with the manual pages.
"""

import ast
import inspect
import os
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

HOME = Path(__file__).resolve().parent
sys.path.insert(0, str(HOME.parent))

import dialtools
from dialtools.pipeline.cli import PluginType
from dialtools.pipeline.python_calls import signature_of
from dialtools.system.batches import Listed

STUB = HOME.parent / "dialtools" / "__init__.pyi"
HEAD = '''\
"""{summary}"""

# Written by man/mkman.py from the functions; a test compares them.

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

from dialtools.pipeline.streams import Stream as Stream
from dialtools.records.frames import DataFrame as DataFrame
{imports}

Record: TypeAlias = dict[str, Any]
Records: TypeAlias = Iterable[Record] | DataFrame
Text: TypeAlias = str | PathLike[str]

__version__: str
COMMANDS: dict[str, str]
_RECORDS: tuple[str, ...]
_VALUES: dict[str, str]
'''
_FILES = re.compile("FILE|FOLDER|DIR|MODEL")  # in a metavar
_LISTS = (list, tuple, Sequence, Iterable)
_PLAIN = {dict: "Record", Callable: "Callable[..., Any]", Mapping: "Mapping[str, Any]"}


class Types:
    """Annotations as texts; the classes that they name are to be imported."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}

    def function(self, function: Callable, options: Mapping[str, click.Parameter]) -> str:
        """Return the declaration of a function; options: of its command, by their names."""
        hints, signature = _hints(inspect.unwrap(function)), signature_of(function)
        lines, stars = [], ""
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY and not stars:
                stars = "*"
                lines.append("    *,")
            star = stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else stars
            prefix = star if parameter.kind is parameter.VAR_POSITIONAL else ""
            is_keyword = parameter.kind is parameter.KEYWORD_ONLY
            text = self.text(hints.get(name, parameter.annotation), options.get(name), is_keyword)
            lines.append(f"    {prefix}{name}: {text}{_default(parameter.default)},")
        returned = self.text(hints["return"])
        doc = inspect.getdoc(function) or ""
        doc += "\n" if "\n" in doc else ""
        body = [f"    {line}".rstrip() for line in f'"""{doc}"""'.splitlines()]
        head = f"def {function.__name__}("
        return "\n".join([head, *lines, f") -> {returned}:", *body])

    def text(
        self, annotation: Any, option: click.Parameter | None = None, is_keyword: bool = False
    ) -> str:
        """Return an annotation as callers see it.

        option: the one of the command that is called as the parameter.
        is_keyword: one item is as good as a list of it.
        """
        return " | ".join(dict.fromkeys(self._alternatives(annotation, option, is_keyword)))

    def _alternatives(
        self, annotation: Any, option: click.Parameter | None, is_keyword: bool
    ) -> Iterator[str]:
        kind, args = get_origin(annotation) or annotation, get_args(annotation)
        if kind in (Union, UnionType):
            for one in args:
                yield from self._alternatives(one, option, is_keyword)
        elif kind in (NoneType, None, Any):
            yield "Any" if kind is Any else "None"
        elif kind is str:
            yield _texts(option)
        elif kind is os.PathLike:
            yield "PathLike[str]"
        elif kind is Literal:
            yield f"Literal[{', '.join(map(repr, args))}]"
        elif kind in _PLAIN and (not args or args == (str, Any)):
            yield _PLAIN[kind]
        elif kind in (Iterator, Listed):  # of what is returned
            yield f"Stream[{self.text(args[0]) if args else 'Any'}]"
        elif kind is Iterable and args[0] in (dict, Mapping):
            yield "Records"
        elif kind is Callable:
            *taken, returned = map(self.text, (*args[0], args[1]))
            yield f"Callable[[{', '.join(taken)}], {returned}]"
        elif not args:
            yield self._imported(kind)
        else:
            items = [self.text(one, option, is_keyword) for one in args if one is not Ellipsis]
            is_of_records = args[0] in (dict, Mapping) or get_origin(args[0]) in _LISTS
            if is_keyword and kind in _LISTS and not is_of_records:
                yield from (*self._alternatives(args[0], option, True), f"Sequence[{items[0]}]")
            else:
                items += ["..."] if args[-1] is Ellipsis else []
                yield f"{self._imported(kind)}[{', '.join(items)}]"

    def _imported(self, kind: type) -> str:
        if kind.__module__.startswith("dialtools."):
            self.imports.setdefault(kind.__module__, set()).add(kind.__name__)
        return kind.__name__


def _texts(option: click.Parameter | None) -> str:
    """Return the type of a parameter that takes texts: those of a choice, paths, or any."""
    if option and isinstance(option.type, click.Choice):
        return f"Literal[{', '.join(map(repr, option.type.choices))}]"
    metavar = str(option.metavar) if option else ""
    is_path = option and (isinstance(option.type, PluginType) or _FILES.search(metavar))
    return "Text" if is_path else "str"


def _hints(function: Callable) -> dict[str, Any]:
    """Return the annotations of a function, also those of classes that no run imports."""
    module = inspect.getmodule(function)
    assert module is not None
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(ast.unparse(node.body), names)  # type: ignore[arg-type]
    return typing.get_type_hints(function, names, include_extras=True)


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    is_short = value is None or isinstance(value, bool | int | float | str) or value == ()
    return f" = {value!r}" if is_short else " = ..."


def main() -> None:
    """Write the stub."""
    STUB.write_text(stub(), encoding="utf-8")


def stub() -> str:
    """Return the stub of the package."""
    types, functions = Types(), []
    for name in (*dialtools.COMMANDS, *dialtools._RECORDS):
        file = dialtools.COMMANDS.get(name)
        module = import_module(f"dialtools.commands.{file}" if file else "dialtools.records.jsonl")
        options = {option.name: option for option in module.main.params} if file else {}
        functions.append(types.function(getattr(dialtools, name), options))
    for name, module_name in dialtools._VALUES.items():
        types.imports.setdefault(f"dialtools.{module_name}", set()).add(name)
    imports = [
        f"from {module} import {', '.join(f'{name} as {name}' for name in sorted(names))}"
        for module, names in sorted(types.imports.items())
    ]
    head = HEAD.format(
        summary=(inspect.getdoc(dialtools) or "").partition("\n")[0], imports="\n".join(imports)
    )
    return "\n\n".join([head.rstrip(), *functions]) + "\n"


if __name__ == "__main__":
    main()
