"""What is wrong with the values of the keys that we know; null is no value.

Every command refuses a record with a malformed value, also under a key that
it does not read: it would be the next command's crash.
"""

import functools
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from dialtools.records import dialogue
from dialtools.system.errors import show

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
_OF_A_FRAME = "; of a DataFrame, df.astype(object).where(df.notna(), None) has None in its place"
# further strings that dt-parse may give tokens
_WITH_TOKENS = ("context", "reference", "prediction")
_LISTS = (
    ("tokens", '"start", "end" and "form"'),
    ("entities", '"start", "end" and perhaps a "text"'),
)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


@functools.lru_cache(maxsize=1024)
def _is_tag(value: str) -> bool:
    """Return whether this can stand in a message; its data is looked up where it is wanted."""
    return len(value) <= LONGEST_TAG and value.isprintable()


def _is_texts(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(map(_is_string, value))
    )


def _is_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _is_history(value: object) -> bool:
    if not isinstance(value, list):
        return False
    for entry in value:  # plain loops, for there is a history in nearly every record
        if not isinstance(entry, dict) or not isinstance(entry.get("by", ""), str):
            return False
        signature, counts = entry.get("signature", ""), entry.get("counts")
        if not isinstance(signature, str) and not _is_texts_by_name(signature):
            return False
        if counts is not None and not _is_counts(counts):
            return False
    return True


def _is_texts_by_name(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_string, value.values()))


def _is_counts(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    for count in value.values():
        if type(count) is not int:
            return False
    return True


# What a known key is, and whether a value is that.
_KNOWN: dict[str, tuple[str, Callable[[object], bool]]] = {
    "id": ("an id is a string or an integer", lambda value: type(value) in (str, int)),
    "cluster": ("a cluster is a string or an integer", lambda value: type(value) in (str, int)),
    "variant": ("a variant is a string", _is_string),
    "dialogue": (
        "a dialogue is a list of turns or a string",
        lambda value: isinstance(value, (list, str)),
    ),
    **{
        key: (f'"{key}" is an object', lambda value: isinstance(value, dict))
        for key in ("scores", "statistics")
    },
    "lang": (
        '"lang" is a language tag such as en or zh-Hant',
        lambda value: type(value) is str and _is_tag(value),
    ),
    **{key: (f'"{key}" is a string', _is_string) for key in ("system", "text", "context")},
    **{
        key: (f'"{key}" is a string or a list of strings', _is_texts)
        for key in ("reference", "prediction")
    },
    "history": (
        '"history" is a list of objects: "by" a string, "signature" a string or an object of '
        'strings, "counts" an object of whole numbers',
        _is_history,
    ),
    "errors": ('"errors" is a list of objects', _is_objects),
}

# A value of these types is well-formed under any known key; others are looked at.
_PLAIN: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_KNOWN, (str,)),
    **dict.fromkeys(("id", "cluster"), (str, int)),
    "dialogue": (list, str),
    **dict.fromkeys(("scores", "statistics"), (dict,)),
    **dict.fromkeys(("lang", "history", "errors"), ()),
}
_LOOKED_AT = frozenset(
    ("people", *(key for key, _ in _LISTS), *(f"{key}_tokens" for key in _WITH_TOKENS))
)


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_part(value: object) -> bool:
    """Return whether this is the place of a word within its surface word, [which, of how many]."""
    if value is None:
        return True
    is_pair = (
        isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value)
    )
    return is_pair and 1 <= value[0] <= value[1]  # type: ignore[index]


# What a known key of a token is, and whether a value is that.
_OF_TOKENS: dict[str, tuple[str, Callable[[object], bool]]] = {
    **{key: ("a text", _is_text) for key in ("lemma", "upos", "xpos", "feats", "deprel", "word")},
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
        types = _PLAIN.get(key)
        if types is not None and type(value) not in types and not _KNOWN[key][1](value):
            return False
    return not deep or (
        _LOOKED_AT.isdisjoint(record) and _is_plain_dialogue(record.get("dialogue") or ())
    )


def _is_plain_dialogue(value: Any) -> bool:
    return (
        not dialogue.is_nameless(value) if type(value) is str else all(map(_is_plain_turn, value))
    )


def _is_plain_turn(turn: object) -> bool:
    if type(turn) is not dict:
        return False
    speaker = turn.get("speaker")
    return (
        type(turn.get("text")) is type(speaker) is str
        and speaker != ""
        and not speaker.isspace()
        and "tokens" not in turn
        and "entities" not in turn
    )


def problems(record: dict, deep: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (key, what is wrong with its value), in the order of the record.

    deep: look at turns, people and tokens too, which only matter to what works on the input.
    """
    for key, value in record.items():
        found = problem(key, value, deep)
        if found:
            yield key, found
    if deep:
        people = people_problem(record)
        if people:
            yield "people", people
        yield from _span_problems(record)
        yield from _string_problems(record)


def problem(key: str, value: object, deep: bool = True) -> str | None:
    """Return what is wrong with a value, or None; deep: look at turns too."""
    known = _KNOWN.get(key)
    if value is None or known is None:
        return None
    wanted, fits = known
    if not fits(value):
        way_out = _OF_A_FRAME if isinstance(value, float) and value != value else ""
        return f"{wanted}, here is {show(value)}{way_out}"
    if deep and key == "dialogue" and not _is_plain_dialogue(value):
        return _dialogue_problem(value)
    return None


def _dialogue_problem(value: Any) -> str | None:
    if isinstance(value, str):
        first = value.lstrip()[:80].splitlines()
        if not first or not dialogue.is_nameless(value):
            return None
        way_out = _OF_A_STRING if first[0].startswith(("[", "{")) else ""
        return f'the dialogue begins without "Name: ": {show(first[0])}{way_out}'
    for number, turn in enumerate(value, 1):
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
        for _, found in _span_problems(turn, number):
            return found
    return None


def people_problem(record: dict) -> str | None:
    """Return what is wrong with the people that a record declares, or None."""
    people = record.get("people")
    if people is None:
        return None
    wrong = (
        [person for person in people if not _is_person(person)]
        if isinstance(people, list)
        else [people]
    )
    if not wrong:
        return None
    return (
        '"people" is a list of objects with a "name", and perhaps a "gender" (f, m, u) and a '
        'list of "aliases", '
        f"here is {show(wrong[0])}"
    )


def _is_person(person: object) -> bool:
    if not isinstance(person, dict) or not _is_name(person.get("name")):
        return False
    gender, aliases = person.get("gender"), person.get("aliases")
    if aliases is not None and not (isinstance(aliases, list) and all(map(_is_name, aliases))):
        return False
    return gender is None or isinstance(gender, str) and gender in GENDERS


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _span_problems(holder: dict, turn: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the spans of a turn (its number, from 1) or of a record (0)."""
    for key, wanted in _LISTS:
        spans = holder.get(key)
        if spans is None:
            continue
        wrong = (
            [span for span in spans if not _is_span(span, key)]
            if isinstance(spans, list)
            else [spans]
        )
        if wrong:
            where = f"in turn {turn} " if turn else ""
            here = f"here is {show(wrong[0])}"
            yield key, f'{where}"{key}" is a list of objects with {wanted}, {here}'
        elif spans and _is_string(holder.get("text")):
            found = _beyond(spans, len(holder["text"])) or (
                _misstated(spans) if key == "tokens" else None
            )
            if found:
                yield key, f"/dialogue/{turn - 1}/{key}/{found}" if turn else f"/{key}/{found}"


def _string_problems(record: dict) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the tokens of reference, context and prediction."""
    for name in _WITH_TOKENS:
        key = f"{name}_tokens"
        tokens, strings = record.get(key), record.get(name)
        if tokens is None or strings is None:
            continue
        if not isinstance(strings, list):
            tokens, strings = [tokens], [strings]
        if not isinstance(tokens, list) or len(tokens) != len(strings):
            yield key, f'"{key}": a list of tokens for each string is wanted'
            continue
        wrong = [
            problem
            for own, text in zip(tokens, strings, strict=False)
            for _, problem in _span_problems({"tokens": own, "text": text})
        ]
        if wrong:
            yield key, f'"{key}": {wrong[0]}'


def _beyond(spans: list[dict], length: int) -> str | None:
    """Return the number of the first span that is not within a text, and its fault."""
    for number, span in enumerate(spans):
        if not 0 <= span["start"] <= span["end"] <= length:
            place = f"{span['start']} to {span['end']}"
            return f"{number} stands from {place}, in a text of {length} characters"
    return None


def _misstated(tokens: list[dict]) -> str | None:
    """Return the number of the first token with a malformed value, and its fault."""
    for number, token in enumerate(tokens):
        for key, (wanted, fits) in _OF_TOKENS.items():
            if key in token and not fits(token[key]):
                return f"{number}/{key} is {wanted}, here is {show(token[key])}"
    return None


def _is_span(span: object, key: str) -> bool:
    if not isinstance(span, dict):
        return False
    if type(span.get("start")) is not int or type(span.get("end")) is not int:
        return False
    return (
        _is_string(span.get("form"))
        if key == "tokens"
        else isinstance(span.get("text"), (str, type(None)))
    )
