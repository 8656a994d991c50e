"""Records made of objects with other keys: --field KEY=PATH, --set KEY=VALUE.

A path, as in records/values.py, consists of keys and indexes: data.answers.0.text.

Outputs of several systems in the columns of one table make a record for each system:
--field prediction:bart=out1 --field prediction:t5=out2 makes two records of a row, with one id.
A record takes what is said without a system, too; the columns of the other systems are left out.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from dialtools.conversion import items
from dialtools.conversion.chats import BY
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue, history, validation, values, wellformed
from dialtools.system.errors import OptionError, RecordError, show

_TURNS = "dialogue."
_OTHERS = ("context", "reference", "prediction", "scores")  # other inputs of commands
_LISTED = {"['", '["'}  # beginnings of lists written as strings

Item = TypeVar("Item")
Note = Callable[[str], None]
# number of an item, from 1; number of a system; the item
OfSystem = tuple[int, int, dict | RecordError]


class FoundItem(NamedTuple):
    """What a format has found in a file."""

    format: Plugin  # with the options that were given
    item: dict | RecordError


def signing_maker(
    field: Iterable[str], constants: Iterable[str], note: Note = lambda what: None, **cut: bool
) -> tuple[Callable[[tuple[int, int, FoundItem]], dict], int]:
    """Return a function from what was found to records with the entry of dt-convert in their
    history, and the number of systems.

    The history of a record has the keys of its constants alone: their values stand in the record.
    A line of JSON that is a record already stays as it is.

    note: as in system_maker.
    cut: how dialogues are cut afterwards, under the names that the signature has.
    """
    field, constants = tuple(field), tuple(constants)
    make, number = system_maker(field, constants, note)
    options: dict[str, Any] = {
        "field": field or None,
        **{name: given or None for name, given in cut.items()},
        "set": [constant.partition("=")[0] for constant in constants] or None,
    }
    extended = functools.cache(functools.partial(history.extended, **options))

    def make_signed(of_system: tuple[int, int, FoundItem]) -> dict:
        number, system, (format, item) = of_system
        record = make((number, system, item))
        if isinstance(record.get("lang"), str):
            validation.require_script(record, "own")
        if format.name == "jsonl" and not any(options.values()) and record == item:
            return record
        counted = history.made(record)  # by a format that counts something itself
        before = (record.get("history") or [])[: -1 if counted else None]
        facts = dict(counted or {"signature": history.signature(format.name, **format.options)})
        facts |= {"by": BY, "signature": extended(facts["signature"])}
        return history.add({**record, "history": before}, **facts)

    return make_signed, number


def by_system(field: Iterable[str]) -> dict[str, list[str]]:
    """Return {system: its KEY=PATH}, under "" those without a system.

    >>> by_system(["id=nr", "prediction:bart=out1", "prediction:t5=out2"])
    {'': ['id=nr'], 'bart': ['prediction=out1'], 't5': ['prediction=out2']}
    """
    systems: dict[str, list[str]] = {"": []}
    for option in field:
        key, equals, path = option.partition("=")
        name, colon, system = key.partition(":")
        if colon and not (name and system):
            raise OptionError(
                f"--field KEY:SYSTEM=COLUMN is wanted for several systems, not {option!r}"
            )
        systems.setdefault(system, []).append(f"{name}{equals}{path}")
    return systems


def for_systems(
    placed: Iterator[tuple[str, Item]], number: int
) -> Iterator[tuple[str, tuple[int, int, Item]]]:
    """Yield each (place, item) once for each system."""
    for count, (place, item) in enumerate(placed, 1):
        for system in range(number):
            yield place, (count, system, item)


def system_maker(
    field: Iterable[str], constants: Iterable[str], note: Note = lambda what: None
) -> tuple[Callable[[OfSystem], dict], int]:
    """Return a function from items to records, as `maker` does, and the number of systems.

    note: also called with "numbered_ids" for each record that shares the number of its item as its
        id.
    """
    systems = by_system(field)
    common = systems.pop("")
    fixed = list(constants)
    if systems and any(constant.startswith("system=") for constant in fixed):
        raise OptionError("--field KEY:SYSTEM=COLUMN names the systems: leave out --set system=…")
    columns = {option.partition("=")[2] for options in systems.values() for option in options}
    makers = []
    for name, options in (systems or {"": []}).items():
        fields = [*common, *options]
        unused = columns - {option.partition("=")[2] for option in fields}
        of_system = [f"system={name}"] if name else []
        makers.append((unused, maker(fields, [*fixed, *of_system], note)))

    def make(of_system: OfSystem) -> dict:
        number, system, found = of_system
        unused, make_record = makers[system]
        item = items.require(found)
        if unused:
            item = {key: value for key, value in item.items() if key not in unused}
        record = make_record(item)
        if systems and record.get("id") is None:
            note("numbered_ids")
            record = {"id": str(number)} | record | {"id": str(number)}
        return record

    return make, len(makers)


def maker(
    field: Iterable[str], constants: Iterable[str], note: Note = lambda what: None
) -> Callable[[dict], dict]:
    """Return a function from objects to records for --field and --set.

    It raises RecordError for an object that makes no record.

    note: called for each record with what is notable about it:
        "without_text": it has no text that commands work on, and no scores;
        "numbered_speakers": no turn had a speaker;
        "some_labels": its turns are strings; the first is "Name: text", but not all are;
        "one_line": its dialogue is a string of one line with several colons as after names;
        "lists_as_strings": its reference is a string that begins like a list of strings.
    """
    fields = _pairs(field, "--field KEY=PATH")
    of_turns = {
        key.removeprefix(_TURNS): path for key, path in fields.items() if key.startswith(_TURNS)
    }
    of_records = {key: path for key, path in fields.items() if not key.startswith(_TURNS)}
    fixed = _pairs(constants, "--set KEY=VALUE")

    def make(item: dict) -> dict:
        record = (_moved(item, of_records) if of_records else item) | fixed
        talk = record.get("dialogue")
        if isinstance(talk, list):
            record["dialogue"] = _turns(talk, of_turns, note)
        elif isinstance(talk, str) and "\n" not in talk.strip() and talk.count(": ") > 1:
            note("one_line")
        if all(record.get(key) is None for key in ("dialogue", "text", *_OTHERS)):
            note("without_text")
        reference = record.get("reference")
        if type(reference) is str and reference[:2] in _LISTED:
            note("lists_as_strings")
        if not wellformed.is_plain(record):
            of_file = item.keys() - fields.keys() - {"dialogue"}  # keys of the file, not of --field
            for key, problem in wellformed.problems(record):
                remedy = f"; --field OTHER={key} keeps it as OTHER" if key in of_file else ""
                raise RecordError(problem + remedy, record)
        return record

    return make


def _pairs(options: Iterable[str], usage: str) -> dict[str, str]:
    """Return {KEY: VALUE} of KEY=VALUE options."""
    pairs: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not key or not equals:
            raise OptionError(f"{usage} is wanted, not {option!r}")
        if key in pairs:
            given = " and ".join(map(repr, options))
            raise OptionError(f"{usage} is wanted, each KEY once, not {given}")
        pairs[key] = value
    return pairs


def _moved(item: object, fields: dict[str, str]) -> dict:
    """Return the values of paths under their new keys, then the other values of an object."""
    new = {key: at(item, path) for key, path in fields.items()}
    if not isinstance(item, dict):
        return new
    moved = {*new, *fields.values()}
    return new | {key: value for key, value in item.items() if key not in moved}


def at(item: object, path: str) -> object:
    """Return the value of a path; RecordError if there is none."""
    value, lacking = values.at(item, path)
    if lacking is not None:
        where = "" if lacking == path else f" for {path}"
        present = f" in {show(value)}"
        if isinstance(value, dict):
            present = f"; there is {', '.join(value) or 'nothing'}"
        raise RecordError(f"no {show(lacking)}{where}{present}")
    return value


def _turns(talk: list, fields: dict[str, str], note: Note) -> list:
    """Return the turns with their own fields moved; two speakers alternate if no turn has one."""
    turns: list = talk
    if fields:
        turns = [_moved(turn, fields) for turn in talk]
    elif all(isinstance(turn, str) for turn in talk):
        turns = _spoken(talk, note)
    if not turns or not all(
        isinstance(turn, dict) and turn.get("speaker") is None for turn in turns
    ):
        return turns
    note("numbered_speakers")
    return [
        items.keep({"speaker": items.speaker(number)}, turn) for number, turn in enumerate(turns)
    ]


def _spoken(strings: list[str], note: Note) -> list[dict]:
    """Return turns made of strings; with speakers only if each string is "Name: text".

    >>> _spoken(["Ann: Hi", "Ann: Bob?"], print)
    [{'speaker': 'Ann', 'text': 'Hi'}, {'speaker': 'Ann', 'text': 'Bob?'}]
    """
    if not any(map(dialogue.is_nameless, strings)):
        return [turn for string in strings for turn in dialogue.turns({"dialogue": string})]
    if not dialogue.is_nameless(strings[0]):
        note("some_labels")
    return [{"text": string} for string in strings]
