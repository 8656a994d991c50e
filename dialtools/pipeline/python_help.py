"""What help() tells of functions and of the values that they take: each parameter, as Python has it."""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, get_args

_MODULES = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z])")
_BEGUN = re.compile(r"(\w+(?:, \w+)*): ?(.*)")


class _Shown(str):
    """A default that help shows as it is."""

    def __repr__(self) -> str:
        return str(self)


def signature(function: inspect.Signature) -> inspect.Signature:
    """Return a signature as help shows it, on one line: types stand in the docstring."""
    empty = inspect.Parameter.empty
    parameters = [
        one if one.default is empty else one.replace(default=_Shown(_default(one.default)))
        for one in function.parameters.values()
    ]
    plain = [parameter.replace(annotation=empty) for parameter in parameters]
    return inspect.Signature(plain)


def docstring(
    doc: str, parameters: Iterable[inspect.Parameter], help_of: Callable[[str], str]
) -> str:
    """Return a docstring with each parameter, its type and its default, in their order.

    help_of: the name of a parameter of which the docstring says nothing -> what it is.
    """
    known = {parameter.name: parameter for parameter in parameters}
    lines = inspect.cleandoc(doc).splitlines()
    before, after = list[str](), list[str]()
    texts: dict[tuple[str, ...], list[str]] = {}  # names: what the docstring says of them
    names: tuple[str, ...] = ()
    for line in lines:
        begun = _BEGUN.fullmatch(line)
        if begun and {*begun[1].split(", ")} <= known.keys():
            names = tuple(begun[1].split(", "))
            texts[names] = [begun[2]]
        elif names and line.startswith("    "):
            texts[names].append(line.strip())
        else:
            names = ()
            (after if texts else before).append(line)
    documented = {name for group in texts for name in group}
    texts |= {(name,): [help_of(name)] for name in known if name not in documented}

    entries: list[str] = []
    for group in sorted(texts, key=lambda group: list(known).index(group[0])):
        entries += [_head(known[name]) for name in group]
        entries += [f"    {line}" for line in texts[group] if line]
    parts = ("\n".join(part).strip("\n") for part in (before, entries, after))
    return "\n\n".join(part for part in parts if part)


def _head(parameter: inspect.Parameter) -> str:
    stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
    kind = parameter.annotation
    if isinstance(kind, str):  # of a class that is imported when it is needed
        return f"{stars}{parameter.name}: {kind}{default}"
    kind = get_args(kind)[0] if hasattr(kind, "__metadata__") else kind
    return f"{stars}{parameter.name}: {_MODULES.sub('', inspect.formatannotation(kind))}{default}"


def _default(value: Any) -> str:
    """Return a default as it is written; of an object what makes it, of a function its place."""
    if callable(value):
        return "…"
    return f"{type(value).__name__}()" if hasattr(value, "_fields") else repr(value)
