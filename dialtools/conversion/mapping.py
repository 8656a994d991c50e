"""Records made of objects with other keys: --field KEY=PATH, --set KEY=VALUE.

A path, as in paths.py, consists of keys and indexes: data.answers.0.text.
"""

from collections.abc import Callable, Iterable

from dialtools.conversion import items
from dialtools.records import dialogue, values, wellformed
from dialtools.system.errors import OptionError, RecordError, show

_TURNS = "dialogue."
_OTHERS = ("context", "reference", "prediction", "scores")  # other inputs of commands
_LISTED = {"['", '["'}  # beginnings of lists written as strings

Note = Callable[[str], None]


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
        if (
            talk is None
            and record.get("text") is None
            and all(record.get(key) is None for key in _OTHERS)
        ):
            note("without_text")
        reference = record.get("reference")
        if type(reference) is str and reference[:2] in _LISTED:
            note("lists_as_strings")
        if not wellformed.is_plain(record):
            _refuse(record, theirs=item.keys() - fields.keys() - {"dialogue"})
        return record

    return make


def _refuse(record: dict, theirs: set[str]) -> None:
    """Raise RecordError for the first malformed value; theirs: keys of the file, not of --field."""
    for key, problem in wellformed.problems(record):
        remedy = f"; --field OTHER={key} keeps it as OTHER" if key in theirs else ""
        raise RecordError(problem + remedy, record)


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
    old = set(fields.values())
    return new | {key: value for key, value in item.items() if key not in new and key not in old}


def at(item: object, path: str) -> object:
    """Return the value of a path; RecordError if there is none."""
    value, lacking = values.at(item, path)
    if lacking is not None:
        where = "" if lacking == path else f" for {path}"
        there = f" in {show(value)}"
        if isinstance(value, dict):
            there = f"; there is {', '.join(value) or 'nothing'}"
        raise RecordError(f"no {show(lacking)}{where}{there}")
    return value


def _turns(found: list, fields: dict[str, str], note: Note) -> list:
    """Return the turns with their own fields moved; two speakers alternate if no turn has one."""
    turns: list = found
    if fields:
        turns = [_moved(turn, fields) for turn in found]
    elif all(isinstance(turn, str) for turn in found):
        turns = _spoken(found, note)
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
    if not any(dialogue.is_nameless(string) for string in strings):
        return [turn for string in strings for turn in dialogue.turns({"dialogue": string})]
    if not dialogue.is_nameless(strings[0]):
        note("some_labels")
    return [{"text": string} for string in strings]
