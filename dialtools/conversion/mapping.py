"""Records made of objects that call things otherwise: --field KEY=PATH, --set KEY=VALUE.

A path, as in paths.py, leads into an object by keys and indexes: data.answers.0.text.
"""

from collections.abc import Callable, Iterable

from dialtools.conversion import items
from dialtools.errors import OptionError, RecordError, show
from dialtools.records import dialogue, paths, wellformed

_TURNS = "dialogue."
_OTHERS = ("context", "reference", "prediction", "scores")  # what else commands work on
_LISTED = {"['", '["'}  # how a list of strings begins that was made a string

Note = Callable[[str], None]


def maker(field: Iterable[str], constants: Iterable[str], note: Note = lambda what: None) -> Callable[[dict], dict]:
    """Return the function object -> record of some --field and --set; RecordError for what makes no record.

    note: is told, for each record that it is true of,
        "texts": there is none of the texts that commands work on, or but null, nor scores of some;
        "speakers": no turn had a speaker;
        "labels": its turns are strings, and the first, but not each, is "Name: text";
        "lines": its dialogue is a string of one line, with a colon as after a name at more than its beginning;
        "lists": its reference is a string that begins as a list of strings does.
    """
    fields = _pairs(field, "--field is KEY=PATH")
    of_turns = {key.removeprefix(_TURNS): path for key, path in fields.items() if key.startswith(_TURNS)}
    of_records = {key: path for key, path in fields.items() if not key.startswith(_TURNS)}
    fixed = _pairs(constants, "--set is KEY=VALUE")

    def make(item: dict) -> dict:
        record = (_moved(item, of_records) if of_records else item) | fixed
        talk = record.get("dialogue")
        if isinstance(talk, list):
            record["dialogue"] = _turns(talk, of_turns, note)
        elif isinstance(talk, str) and "\n" not in talk.strip() and talk.count(": ") > 1:
            note("lines")
        if talk is None and record.get("text") is None and all(
                record.get(key) is None for key in _OTHERS):
            note("texts")
        reference = record.get("reference")
        if type(reference) is str and reference[:2] in _LISTED:
            note("lists")
        if not wellformed.is_plain(record):
            _refuse(record, theirs=item.keys() - fields.keys() - {"dialogue"})
        return record

    return make


def _refuse(record: dict, theirs: set[str]) -> None:
    """Raise RecordError for the first malformed value; theirs: keys that may mean something else in the file."""
    for key, problem in wellformed.problems(record):
        raise RecordError(problem + (f"; --field OTHER={key} keeps it as OTHER" if key in theirs else ""), record)


def _pairs(options: Iterable[str], usage: str) -> dict[str, str]:
    """Return {KEY: VALUE} of some KEY=VALUE."""
    pairs: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not key or not equals:
            raise OptionError(f"{usage}, not {option!r}")
        if key in pairs:
            raise OptionError(f"{usage}, each KEY once, not {' and '.join(map(repr, options))}")
        pairs[key] = value
    return pairs


def _moved(item: object, fields: dict[str, str]) -> dict:
    """Return what the paths lead to under its new keys, then what else an object has; no key's value is there twice."""
    new = {key: at(item, path) for key, path in fields.items()}
    if not isinstance(item, dict):
        return new
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


def _turns(found: list, fields: dict[str, str], note: Note) -> list:
    """Return the turns with their own fields moved; where none of them has a speaker (or null), two speak in turn."""
    turns: list = found
    if fields:
        turns = [_moved(turn, fields) for turn in found]
    elif all(isinstance(turn, str) for turn in found):
        turns = _spoken(found, note)
    if not turns or not all(isinstance(turn, dict) and turn.get("speaker") is None for turn in turns):
        return turns
    note("speakers")
    return [items.keep({"speaker": items.speaker(number)}, turn) for number, turn in enumerate(turns)]


def _spoken(strings: list[str], note: Note) -> list[dict]:
    """Return the turns that strings are; speakers only where each is "Name: text", for people say such things, too.

    >>> _spoken(["Ann: Hi", "Ann: Bob?"], print)
    [{'speaker': 'Ann', 'text': 'Hi'}, {'speaker': 'Ann', 'text': 'Bob?'}]
    """
    if not any(dialogue.is_nameless(string) for string in strings):
        return [turn for string in strings for turn in dialogue.turns({"dialogue": string})]
    if not dialogue.is_nameless(strings[0]):
        note("labels")
    return [{"text": string} for string in strings]
