"""What is wrong with the values of the keys that we know; null is no value.

Every command refuses a record with a malformed value, also under a key that it does not read: it
would be the next command's crash.
"""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, NamedTuple

from dialtools.records import dialogue
from dialtools.system.errors import RecordError, show

LONGEST_TAG = 60  # characters; RFC 5646 knows no language tag of more than 35
GENDERS = ("f", "m", "u", "")  # of names: female, male, both, not known
_OF_NUMBERS = "; jq -c '(.dialogue[].speaker | numbers) |= tostring' makes strings of numbers"
_OF_A_STRING = (
    "; if that is a list made a string, jq -c '.dialogue |= fromjson' makes it one "
    "again, if it is JSON"
)
_OF_PAIRS = (
    "; of [NAME, TEXT] dt-convert --field dialogue.speaker=0 --field dialogue.text=1 makes one"
)
_OF_A_FRAME = "; of a DataFrame that is given as it is, such cells are missing keys"
_OF_PEOPLE = (
    '"people" is a list of objects with a "name", and perhaps a "gender" (f, m, u) and a '
    'list of "aliases", here is '
)
# further strings that dt-parse may give tokens
_WITH_TOKENS = ("context", "reference", "prediction")
_SPANS = (
    ("tokens", '"start", "end" and "form"'),
    ("entities", '"start", "end" and perhaps a "text"'),
)
_LOOKED_AT = frozenset(
    ("people", *(key for key, _ in _SPANS), *(f"{key}_tokens" for key in _WITH_TOKENS))
)


class _Rule(NamedTuple):
    """What a known key is: a value of one of the types is that, others may fit."""

    wanted: str
    types: tuple[type, ...]
    fits: Callable[[Any], bool]


def _of_type(wanted: str, *types: type) -> _Rule:
    return _Rule(wanted, types, lambda value: isinstance(value, types))


def _is_history(value: object) -> bool:
    if not isinstance(value, list):
        return False
    for entry in value:  # plain loops, for there is a history in nearly every record
        if not isinstance(entry, dict) or not isinstance(entry.get("by", ""), str):
            return False
        signature, counts = entry.get("signature", ""), entry.get("counts")
        if not isinstance(signature, str):
            if not isinstance(signature, dict) or not _are_strings(signature.values()):
                return False
        if counts is not None:
            if not isinstance(counts, dict):
                return False
            for count in counts.values():
                if type(count) is not int:
                    return False
    return True


def _are_strings(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_texts(value: Any) -> bool:
    return isinstance(value, str) or isinstance(value, list) and bool(value) and _are_strings(value)


_RULES: dict[str, _Rule] = {
    "id": _Rule("an id is a string or an integer", (str, int), lambda value: False),
    "cluster": _Rule("a cluster is a string or an integer", (str, int), lambda value: False),
    "variant": _of_type("a variant is a string", str),
    "system": _of_type('"system" is a string', str),
    "text": _of_type('"text" is a string', str),
    "context": _of_type('"context" is a string', str),
    "dialogue": _of_type("a dialogue is a list of turns or a string", list, str),
    "scores": _of_type('"scores" is an object', dict),
    "statistics": _of_type('"statistics" is an object', dict),
    "lang": _Rule(
        '"lang" is a language tag such as en or zh-Hant',
        (),  # its data is looked up where it is wanted; here it is to stand in a message
        lambda value: type(value) is str and len(value) <= LONGEST_TAG and value.isprintable(),
    ),
    "reference": _Rule('"reference" is a string or a list of strings', (str,), _are_texts),
    "prediction": _Rule('"prediction" is a string or a list of strings', (str,), _are_texts),
    "history": _Rule(
        '"history" is a list of objects: "by" a string, "signature" a string or an object of '
        'strings, "counts" an object of whole numbers',
        (),
        _is_history,
    ),
    "errors": _Rule(
        '"errors" is a list of objects',
        (),
        lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
    ),
}


def _is_part(value: Any) -> bool:
    """Return whether this is the place of a word within its surface word, [which, of how many]."""
    if value is None:
        return True
    is_pair = isinstance(value, list) and [type(number) for number in value] == [int, int]
    return is_pair and 1 <= value[0] <= value[1]


# What a known key of a token is, and whether a value is that.
_OF_TOKENS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **{
        key: ("a text", lambda value: value is None or isinstance(value, str))
        for key in ("lemma", "upos", "xpos", "feats", "deprel", "word")
    },
    "head": (
        "a whole number from 0",
        lambda value: value is None or type(value) is int and value >= 0,
    ),
    "sent": ("a whole number", lambda value: type(value) is int),
    "part": ("[which, of how many], as in [1, 2]", _is_part),
}


def is_number(value: object) -> bool:
    """Return whether this is a finite number, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < inf


def is_plain(record: dict, deep: bool = True) -> bool:
    """Return whether no value can be malformed; False also for a null under a known key.

    deep: and a dialogue has turns, of speakers and texts, without people, tokens or entities
        beside them.
    """
    for key, value in record.items():
        rule = _RULES.get(key)
        if rule is not None and type(value) not in rule.types and not rule.fits(value):
            return False
    return not deep or (
        _LOOKED_AT.isdisjoint(record) and _is_plain_dialogue(record.get("dialogue") or ())
    )


def _is_plain_dialogue(value: Any) -> bool:
    if type(value) is str:
        return not dialogue.is_nameless(value)
    for turn in value:
        if type(turn) is not dict or "tokens" in turn or "entities" in turn:
            return False
        speaker = turn.get("speaker")
        if type(turn.get("text")) is not str or type(speaker) is not str:
            return False
        if speaker == "" or speaker.isspace():
            return False
    return True


def refuse(record: dict, deep: bool = True) -> None:
    """Raise RecordError for the first malformed value; deep: as in `problems`."""
    for _, problem in problems(record, deep):
        raise RecordError(problem, record)


def problems(record: dict, deep: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (key, what is wrong with its value), in the order of the record.

    deep: look at turns, people and tokens too, which only matter to what works on the input.
    """
    for key, value in record.items():
        if wrong := problem(key, value, deep):
            yield key, wrong
    if deep:
        if wrong := people_problem(record):
            yield "people", wrong
        yield from _span_problems(record)
        for name in _WITH_TOKENS:
            if wrong := _token_lists_problem(record, name):
                yield f"{name}_tokens", wrong


def problem(key: str, value: object, deep: bool = True) -> str | None:
    """Return what is wrong with a value, or None; deep: look at turns too."""
    rule = _RULES.get(key)
    if value is None or rule is None:
        return None
    if type(value) not in rule.types and not rule.fits(value):
        way_out = _OF_A_FRAME if isinstance(value, float) and value != value else ""
        return f"{rule.wanted}, here is {show(value)}{way_out}"
    if not deep or key != "dialogue" or _is_plain_dialogue(value):
        return None
    if isinstance(value, str):
        first = value.lstrip()[:80].splitlines()
        if not first or not dialogue.is_nameless(value):
            return None
        way_out = _OF_A_STRING if first[0].startswith(("[", "{")) else ""
        return f'the dialogue begins without "Name: ": {show(first[0])}{way_out}'
    for number, turn in enumerate(value, 1):  # type: ignore[arg-type, var-annotated]
        if wrong := _turn_problem(number, turn):
            return wrong
    return None


def _turn_problem(number: int, turn: Any) -> str | None:
    if not isinstance(turn, dict):
        way_out = _OF_PAIRS if isinstance(turn, list) else ""
        return f"turn {number} is no object: {show(turn)}{way_out}"
    for key in ("speaker", "text"):
        if not isinstance(turn.get(key), str):
            way_out = _OF_NUMBERS if key == "speaker" and is_number(turn.get(key)) else ""
            if turn.get(key) is None:
                way_out = f"; dt-convert --field dialogue.{key}=KEY takes it from elsewhere"
            return f'turn {number} has no "{key}" that is a string: {show(turn)}{way_out}'
    if not turn["speaker"].strip():
        return f"turn {number} has a speaker without a name: {show(turn)}"
    return next((wrong for _, wrong in _span_problems(turn, number)), None)


def people_problem(record: dict) -> str | None:
    """Return what is wrong with the people that a record declares, or None."""

    def is_person(person: object) -> bool:
        if not isinstance(person, dict) or not is_name(person.get("name")):
            return False
        gender, aliases = person.get("gender"), person.get("aliases")
        if aliases is not None and not (isinstance(aliases, list) and all(map(is_name, aliases))):
            return False
        return gender is None or isinstance(gender, str) and gender in GENDERS

    def is_name(value: object) -> bool:
        return isinstance(value, str) and value.strip() != ""

    people = record.get("people")
    if people is None:
        return None
    if not isinstance(people, list):
        return _OF_PEOPLE + show(people)
    wrong = [person for person in people if not is_person(person)]
    return _OF_PEOPLE + show(wrong[0]) if wrong else None


def _span_problems(holder: dict, turn: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the spans of a turn (its number, from 1) or of a record (0)."""
    for key, wanted in _SPANS:
        spans = holder.get(key)
        if spans is None:
            continue
        is_list = isinstance(spans, list)
        wrong = [span for span in spans if not _is_span(span, key)] if is_list else [spans]
        if wrong:
            where = f"in turn {turn} " if turn else ""
            value = show(wrong[0])
            yield key, f'{where}"{key}" is a list of objects with {wanted}, here is {value}'
        elif isinstance(holder.get("text"), str):
            fault = next(_span_faults(spans, key, len(holder["text"])), None)
            if fault:
                yield key, f"/dialogue/{turn - 1}/{key}/{fault}" if turn else f"/{key}/{fault}"


def _is_span(span: object, key: str) -> bool:
    if not isinstance(span, dict):
        return False
    if type(span.get("start")) is not int or type(span.get("end")) is not int:
        return False
    if key == "tokens":
        return isinstance(span.get("form"), str)
    return span.get("text") is None or isinstance(span["text"], str)


def _span_faults(spans: list[dict], key: str, length: int) -> Iterator[str]:
    """Yield the numbers of spans that are not within a text, or are tokens with malformed values."""
    for number, span in enumerate(spans):
        start, end = span["start"], span["end"]
        if not 0 <= start <= end <= length:
            yield f"{number} stands from {start} to {end}, in a text of {length} characters"
    for number, token in enumerate(spans if key == "tokens" else []):
        for name, (wanted, fits) in _OF_TOKENS.items():
            if name in token and not fits(token[name]):
                yield f"{number}/{name} is {wanted}, here is {show(token[name])}"


def _token_lists_problem(record: dict, name: str) -> str | None:
    """Return what is wrong with the tokens of the reference, context or prediction."""
    key = f"{name}_tokens"
    tokens, strings = record.get(key), record.get(name)
    if tokens is None or strings is None:
        return None
    if not isinstance(strings, list):
        tokens, strings = [tokens], [strings]
    if not isinstance(tokens, list) or len(tokens) != len(strings):
        return f'"{key}": a list of tokens for each string is wanted'
    for text_tokens, text in zip(tokens, strings, strict=True):
        for _, wrong in _span_problems({"tokens": text_tokens, "text": text}):
            return f'"{key}": {wrong}'
    return None
