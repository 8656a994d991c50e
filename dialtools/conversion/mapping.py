"""Records made of objects with other keys: --field KEY=PATH, --set KEY=VALUE.

A path, as in records/values.py, consists of keys and indexes: data.answers.0.text.

Outputs of several systems in the columns of one table make a record for each system:
--field prediction:bart=out1 --field prediction:t5=out2 makes two records of a row, with one id.
A record takes what is said without a system, too; the columns of the other systems are left out.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from dialtools.conversion import items
from dialtools.conversion.chats import BY
from dialtools.conversion.human_ratings import TEXT, Raters
from dialtools.conversion.items import FoundItem
from dialtools.records import dialogue, history, validation, values, wellformed
from dialtools.system.errors import OptionError, RecordError, nearest, show

_TURNS = "dialogue."
_OTHERS = ("context", "reference", "prediction", "scores")  # other inputs of commands
_LISTED = {"['", '["'}  # beginnings of lists written as strings

Item = TypeVar("Item")
OfSystem = tuple[int, int, Item]  # number of an item, from 1; number of a system, from 0; the item


class Fields(NamedTuple):
    """Where the keys of one system's records come from.

    of_records, of_turns: {KEY: PATH}.
    constants: {KEY: VALUE}.
    unused: the columns of other systems.
    """

    of_records: dict[str, str]
    of_turns: dict[str, str]
    constants: dict[str, str]
    unused: set[str]


class Mapping:
    """What --field and --set make of items: a record of each, or one for each of several systems."""

    def __init__(
        self,
        field: Iterable[str] = (),
        constants: Iterable[str] = (),
        note: Callable[[str], object] = lambda what: None,
        raters: Raters | None = None,
    ):
        """Take KEY=PATH, or KEY:SYSTEM=PATH, and KEY=VALUE; OptionError for what is neither.

        note: called for each record with what is notable about it:
            "without_text": it has no text that commands work on, and no scores;
            "numbered_ids": of several systems, it has the number of its item as its id;
            "numbered_speakers": no turn had a speaker;
            "some_labels": its turns are strings; the first is "Name: text", but not all are;
            "one_line": its dialogue is a string of one line with several colons as after names;
            "lists_as_strings": its reference is a string that begins like a list of strings.
        """
        self.field, self.constants, self.note = tuple(field), tuple(constants), note
        self.raters = raters or Raters()
        options: dict[str, list[str]] = {"": []}  # by system, "" for all
        for option in self.field:
            key, equals, path = option.partition("=")
            name, colon, system = key.partition(":")
            if colon and not (name and system):
                raise OptionError(
                    f"--field KEY:SYSTEM=COLUMN is wanted for several systems, not {option!r}"
                )
            options.setdefault(system, []).append(f"{name}{equals}{path}")
        common = options.pop("")
        self.has_systems = bool(options)
        if self.has_systems and any(pair.startswith("system=") for pair in self.constants):
            raise OptionError(
                "--field KEY:SYSTEM=COLUMN names the systems: leave out --set system=…"
            )
        columns = {pair.partition("=")[2] for pairs in options.values() for pair in pairs}
        self.systems: list[Fields] = []
        for system, pairs in (options or {"": []}).items():
            paths = _pairs([*common, *pairs], "--field KEY=PATH")
            fixed = [*self.constants, *([f"system={system}"] if system else [])]
            self.systems.append(
                Fields(
                    {key: path for key, path in paths.items() if not key.startswith(_TURNS)},
                    {
                        key.removeprefix(_TURNS): path
                        for key, path in paths.items()
                        if key.startswith(_TURNS)
                    },
                    _pairs(fixed, "--set KEY=VALUE"),
                    columns - {*paths.values()},
                )
            )

    def items(
        self,
        placed: Iterable[tuple[str, Item]],
        text: Sequence[str] = TEXT,
        limit: int | None = None,
    ) -> Iterator[tuple[str, OfSystem[Item]]]:
        """Yield each (place, item) once for each system, with the ratings of all its raters.

        text: the keys that identify a text, of which rows hold the ratings.
        limit: how many to yield.
        """
        texts = islice(self.raters.texts(placed, self.systems[0].of_records, text), limit)
        for number, (place, item) in enumerate(texts, 1):
            for system in range(len(self.systems)):
                yield place, (number, system, item)

    def record(self, of_system: OfSystem[dict | RecordError]) -> dict:
        """Return the record of an item for a system. Raise RecordError if it makes none."""
        number, system, found = of_system
        fields, item = self.systems[system], items.require(found)
        if fields.unused:
            item = {key: value for key, value in item.items() if key not in fields.unused}
        paths = fields.of_records
        record = (_moved(item, paths) if paths else item) | fields.constants
        talk = record.get("dialogue")
        if isinstance(talk, list):
            record["dialogue"] = self._turns(talk, fields.of_turns)
        elif isinstance(talk, str) and "\n" not in talk.strip() and talk.count(": ") > 1:
            self.note("one_line")
        if all(record.get(key) is None for key in ("dialogue", "text", *_OTHERS)):
            self.note("without_text")
        reference = record.get("reference")
        if type(reference) is str and reference[:2] in _LISTED:
            self.note("lists_as_strings")
        if not wellformed.is_plain(record):
            of_file = item.keys() - paths.keys() - {"dialogue"}  # keys of the file, not of --field
            for key, problem in wellformed.problems(record):
                remedy = f"; --field OTHER={key} keeps it as OTHER" if key in of_file else ""
                raise RecordError(problem + remedy, record)
        if self.has_systems and record.get("id") is None:
            self.note("numbered_ids")
            record = {"id": str(number)} | record | {"id": str(number)}
        return record

    def _turns(self, talk: list, paths: dict[str, str]) -> list:
        """Return turns with their own fields moved; two speakers alternate if no turn has one."""
        turns: list = talk
        if paths:
            turns = [_moved(turn, paths) for turn in talk]
        elif all(isinstance(turn, str) for turn in talk):
            if not any(map(dialogue.is_nameless, talk)):
                return [turn for text in talk for turn in dialogue.turns({"dialogue": text})]
            if not dialogue.is_nameless(talk[0]):
                self.note("some_labels")
            turns = [{"text": text} for text in talk]
        if not turns or not all(
            isinstance(turn, dict) and turn.get("speaker") is None for turn in turns
        ):
            return turns
        self.note("numbered_speakers")
        return [
            items.keep({"speaker": items.speaker(number)}, turn)
            for number, turn in enumerate(turns)
        ]


def signing(mapping: Mapping, **work: object) -> Callable[[OfSystem[FoundItem]], dict]:
    """Return a function from what was found to records with the entry of dt-convert in their history.

    Of its constants the entry has the keys alone: their values stand in the record.  A line of JSON
    that is a record already stays as it is.

    work: what is done with the records afterwards, under the names that the signature has.
    """
    options: dict[str, Any] = {
        "field": mapping.field or None,
        **{name: given or None for name, given in work.items()},
        "set": [constant.partition("=")[0] for constant in mapping.constants] or None,
    }
    extended = functools.cache(functools.partial(history.extended, **options))

    def signed(of_system: OfSystem[FoundItem]) -> dict:
        number, system, (format, item) = of_system
        record = mapping.record((number, system, item))
        if isinstance(record.get("lang"), str):
            validation.require_script(record, "own")
        if format.name == "jsonl" and not any(options.values()) and record == item:
            return record
        counted = history.made(record)  # by a format that counts something itself
        before = (record.get("history") or [])[: -1 if counted else None]
        facts = dict(counted or {"signature": history.signature(format.name, **format.options)})
        facts |= {"by": BY, "signature": extended(facts["signature"])}
        return history.add({**record, "history": before}, **facts)

    return signed


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


def _moved(item: object, paths: dict[str, str]) -> dict:
    """Return the values of paths under their new keys, then the other values of an object."""
    new = {key: at(item, path) for key, path in paths.items()}
    if not isinstance(item, dict):
        return new
    moved = {*new, *paths.values()}
    return new | {key: value for key, value in item.items() if key not in moved}


def at(item: object, path: str) -> object:
    """Return the value of a path; RecordError if there is none."""
    value, lacking = values.at(item, path)
    if lacking is not None:
        where = "" if lacking == path else f" for {path}"
        present = f" in {show(value)}"
        if isinstance(value, dict):
            present = f"{nearest(lacking, value)}; there is {', '.join(value) or 'nothing'}"
        raise RecordError(f"no {show(lacking)}{where}{present}")
    return value
