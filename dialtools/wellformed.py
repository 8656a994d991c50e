"""What is wrong with the values of the keys that we know; null is no value.

Every command refuses a record with a malformed value, also under a key that
it does not read: it would be the next command's crash.
"""

from collections.abc import Callable, Iterator
from typing import Any

from dialtools import dialogue
from dialtools.errors import show


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and bool(value) and all(map(_is_string, value)))


def _is_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


# What a known key is, and whether a value is that.
_KNOWN: dict[str, tuple[str, Callable[[object], bool]]] = {
    "id": ("an id is a string or an integer", lambda value: type(value) in (str, int)),
    "variant": ("a variant is a string", _is_string),
    "dialogue": ("a dialogue is a list of turns or a string", lambda value: isinstance(value, (list, str))),
    "scores": ('"scores" is an object', lambda value: isinstance(value, dict)),
    **{key: (f'"{key}" is a string', _is_string) for key in ("cluster", "lang", "system", "text", "context")},
    **{key: (f'"{key}" is a string or a list of strings', _is_texts) for key in ("reference", "prediction")},
    **{key: (f'"{key}" is a list of objects', _is_objects) for key in ("history", "errors")}}

_NOT_ANY_STRING = ("dialogue", "errors", "history", "scores")


def problems(record: dict, deep: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (key, what is wrong with its value), in the order of the record.

    deep: look at turns, people and tokens too, which only matter to what works on the input.
    """
    for key, value in record.items():
        if key in _KNOWN and (type(value) is not str or key in _NOT_ANY_STRING):  # most values need no look
            found = problem(key, value, deep)
            if found:
                yield key, found
    if deep:
        yield from _people_problems(record)
        yield from _span_problems(record)


def problem(key: str, value: object, deep: bool = True) -> str | None:
    """Return what is wrong with a value, or None; deep: look at turns too."""
    if value is None or key not in _KNOWN:
        return None
    wanted, fits = _KNOWN[key]
    if not fits(value):
        return f"{wanted}, here is {show(value)}"
    return _dialogue_problem(value) if deep and key == "dialogue" else None


def _dialogue_problem(value: Any) -> str | None:
    if isinstance(value, str):
        first = value.lstrip()[:80].splitlines()
        nameless = first and not dialogue.turns({"dialogue": value})
        return f'the dialogue begins without "Name: ": {show(first[0])}' if nameless else None
    for number, turn in enumerate(value, 1):
        if not isinstance(turn, dict):
            return f"turn {number} is no object: {show(turn)}"
        for key in ("speaker", "text"):
            if not isinstance(turn.get(key), str):
                return f'turn {number} has no "{key}" that is a string: {show(turn)}'
        if not turn["speaker"].strip():
            return f"turn {number} has a speaker without a name: {show(turn)}"
        for _, found in _span_problems(turn):
            return f"in turn {number} {found}"
    return None


def _people_problems(record: dict) -> Iterator[tuple[str, str]]:
    people = record.get("people")
    if people is not None and not (_is_objects(people) and all(_is_string(person.get("name")) for person in people)):
        yield "people", f'"people" is a list of objects with a "name", here is {show(people)}'


def _span_problems(holder: dict) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the tokens and the entities of a turn or a record."""
    for key, wanted in (("tokens", '"start", "end" and "form"'), ("entities", '"start", "end" and perhaps a "text"')):
        spans = holder.get(key)
        if spans is not None:
            wrong = [span for span in spans if not _is_span(span, key)] if isinstance(spans, list) else [spans]
            if wrong:
                yield key, f'"{key}" is a list of objects with {wanted}, here is {show(wrong[0])}'


def _is_span(span: object, key: str) -> bool:
    if not isinstance(span, dict) or type(span.get("start")) is not int or type(span.get("end")) is not int:
        return False
    return _is_string(span.get("form")) if key == "tokens" else isinstance(span.get("text"), (str, type(None)))
