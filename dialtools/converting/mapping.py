"""Records made of objects that call things otherwise: --field KEY=PATH, --set KEY=VALUE.

A path, as in paths.py, leads into an object by keys and indexes: data.answers.0.text.
"""

from collections.abc import Callable, Iterable
from functools import partial

from dialtools import dialogue, paths, records
from dialtools.converting import items
from dialtools.errors import OptionError, RecordError, show

_TURNS = "dialogue."


def maker(field: Iterable[str], constants: Iterable[str],
          note: Callable[[str], None] = lambda what: None) -> Callable[[dict], dict]:
    """Return the function object -> record of some --field and --set.

    note: is told "speakers" for each dialogue that had none.
    """
    fields = _pairs(field, "--field is KEY=PATH")
    of_turns = {key.removeprefix(_TURNS): path for key, path in fields.items() if key.startswith(_TURNS)}
    of_records = {key: path for key, path in fields.items() if not key.startswith(_TURNS)}
    return partial(_record, of_records, of_turns, _pairs(constants, "--set is KEY=VALUE"), note)


def _pairs(given: Iterable[str], usage: str) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for key, equals, value in pairs:
        if not key or not equals:
            raise OptionError(f"{usage}, not {key + equals + value!r}")
    found = {key: value for key, _, value in pairs}
    if len(found) < len(pairs):
        raise OptionError(f"{usage}, each KEY once, not {' and '.join(map(repr, given))}")
    return found


def _record(fields: dict[str, str], of_turns: dict[str, str], constants: dict[str, str], note: Callable[[str], None],
            item: dict) -> dict:
    """Return the item as a record; RecordError where a path leads nowhere or a value is malformed."""
    record = _moved(item, fields) if fields else item
    if isinstance(record.get("dialogue"), list):
        record = record | {"dialogue": _turns(record["dialogue"], of_turns, note)}
    record = record | constants
    records.refuse(record)
    return record


def _moved(item: dict, fields: dict[str, str]) -> dict:
    """Return the item with what the paths lead to under new keys; a value that had a key of the item's moves."""
    new = {key: at(item, path) for key, path in fields.items()}
    old = set(fields.values())
    return new | {key: value for key, value in item.items() if key not in new and key not in old}


def at(item: object, path: str) -> object:
    """Return what a path leads to; RecordError where it leads nowhere."""
    value, lacking = paths.at(item, path)
    if lacking is not None:
        where = "" if lacking == path else f" for {path}"
        there = f'; there is {", ".join(value) or "nothing"}' if isinstance(value, dict) else f" in {show(value)}"
        raise RecordError(f"no {show(lacking)}{where}{there}")
    return value


def _turns(found: list, fields: dict[str, str], note: Callable[[str], None]) -> list:
    """Return the turns with their own fields moved; where no turn has a speaker, two speak in turn.

    >>> _turns(["Ann: Hi", "Ann: Bob?"], {}, print)
    [{'speaker': 'Ann', 'text': 'Hi'}, {'speaker': 'Ann', 'text': 'Bob?'}]
    """
    if found and not fields and all(isinstance(turn, str) and not dialogue.is_nameless(turn) for turn in found):
        return [turn for line in found for turn in dialogue.turns({"dialogue": line})]
    turns = [_turn(turn, fields) for turn in found]
    if any("speaker" in turn for turn in turns if isinstance(turn, dict)):
        return turns
    if turns:
        note("speakers")
    return [{"speaker": items.speaker(number)} | turn if isinstance(turn, dict) else turn
            for number, turn in enumerate(turns)]


def _turn(turn: object, fields: dict[str, str]) -> object:
    if isinstance(turn, str) and not fields:
        return {"text": turn}
    if isinstance(turn, dict):
        return _moved(turn, fields) if fields else turn
    return {key: at(turn, path) for key, path in fields.items()} if fields else turn
