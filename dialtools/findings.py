"""What is wrong or odd in a record: (finding, example) pairs; and what is found in many, summed up.

Wrong is what other commands refuse; odd is what they take, though it is
probably not meant.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dialtools import dialogue, languages, wellformed
from dialtools.errors import RecordError, show
from dialtools.names import deciding, finding, pools
from dialtools.records import Order

Found = tuple[str, str]

_MOJIBAKE = r"Ã[\x80-\xbf©¨§¶¼´]|â€[™œ\x9d¦“”]|Â[\xa0«»°]|ï»¿|å[\x80-\x9f]|ã[\x80-\x9f]"


def summed(found: Iterable[tuple[str, Iterable[tuple[str, str, str]]]]) -> list[dict]:
    """Return a result for each finding: its level, how often it is there, where first, its first example.

    found: (place, its findings: (level, finding, example)); a finding counts once for each place.
    Returned in the order of level and number, what is wrong first.
    """
    results: dict[tuple[str, str], dict] = {}
    for place, there in found:
        first: dict[tuple[str, str], str] = {}
        for level, what, example in there:
            first.setdefault((level, what), example)
        for (level, what), example in first.items():
            result = results.setdefault((level, what), {
                "level": level, "finding": what, "n": 0, "first": place, "example": example})
            result["n"] += 1
    return sorted(results.values(), key=lambda result: (result["level"] != "wrong", -result["n"]))


def wrong(record: dict, order: Order) -> Iterator[Found]:
    """Yield what other commands would refuse; order: knows the ids that came before."""
    malformed = dict(wellformed.problems(record))
    for key, problem in malformed.items():
        yield f'malformed "{key}"', problem
    if not {"id", "system", "variant"} & malformed.keys():
        try:
            order.check(record)
        except RecordError as error:
            yield error.reason, show(record["id"])


def repeated(line: bytes) -> Iterator[Found]:
    """Yield the keys that stand twice in one object of a line, where only the last one counts."""
    import json

    twice: list[str] = []

    def see(pairs: list[tuple[str, object]]) -> None:
        if len({key for key, _ in pairs}) < len(pairs):
            twice.extend(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)

    try:
        json.loads(line, object_pairs_hook=see, parse_int=str, parse_float=str)
    except RecursionError:  # some 1,000 levels, of which the outermost was not seen yet
        return
    yield from (("a key that comes twice in one object", show(key)) for key in twice)


def odd(record: dict) -> Iterator[Found]:
    """Yield what is probably not meant, in a record where nothing is wrong."""
    for key in ("id", "lang"):
        if record.get(key) is None:
            yield f'no "{key}"', ""
    if record.get("dialogue") is None and record.get("text") is None:
        yield 'neither "dialogue" nor "text"', ""
    yield from _language(record)
    yield from _turns(record)
    yield from _names(record)
    for pointer, text in dialogue.strings(record):
        for kind, example in _characters(text):
            yield kind, f"{pointer}: {example}"


def _language(record: dict) -> Iterator[Found]:
    import regex

    lang = record.get("lang")
    if lang is None:
        return
    try:
        script = f"[{languages.letters(lang)}]"
    except RecordError as error:
        yield "a language without data", str(error)
        return
    letters = "".join(regex.findall(r"\p{L}", "".join(text for _, text in dialogue.utterances(record))))
    own = len(regex.findall(script, letters))
    if letters and own * 2 < len(letters):
        yield f"most letters are not of the script of {lang}", f"{len(letters) - own} of {len(letters)}"


def _turns(record: dict) -> Iterator[Found]:
    turns = dialogue.turns(record)
    if record.get("dialogue") is not None and not turns:
        yield "a dialogue without turns", ""
    for number, turn in enumerate(turns, 1):
        if not turn["text"].strip():
            yield "an empty turn", f"turn {number}: {show(turn['speaker'])}"
    for key in ("text", "context"):
        if record.get(key) is not None and not record[key].strip():
            yield f'an empty "{key}"', ""
    if record.get("reference") is not None and not any(text.strip() for text in dialogue.references(record)):
        yield 'an empty "reference"', ""
    if record.get("prediction") is not None and not dialogue.best(record).strip():
        yield 'an empty "prediction"', ""


def _names(record: dict) -> Iterator[Found]:
    """Yield speakers whose labels look alike, dialogues of one speaker, and names that nobody bears."""
    import regex

    speakers = dialogue.speakers(dialogue.turns(record))
    alike: dict[str, str] = {}
    for name in speakers:
        other = alike.setdefault(" ".join(name.lower().split()), name)
        if other != name:
            yield "speakers that differ in case or white space only", f"{show(other)} and {show(name)}"
        if name != name.strip():
            yield "a speaker with white space around the name", show(name)
    if len(speakers) == 1:
        yield "only one speaker", show(speakers[0])
    for pointer, text in dialogue.strings(record):
        for placeholder in regex.findall(r"#\w+#", text):
            if placeholder not in speakers:
                yield "a placeholder that is nobody's label", f"{pointer}: {placeholder}"
    yield from _strangers(record)


def _strangers(record: dict) -> Iterator[Found]:
    """Yield names, from the pools of the language, that a reference holds and the input does not."""
    if record.get("lang") is None or record.get("reference") is None or not dialogue.turns(record):
        return
    said = "\n".join(text for pointer, text in dialogue.strings(record)
                     if pointer.startswith(("/dialogue", "/context")))
    lang = record["lang"]
    for text in dialogue.references(record):
        known = [name for name in pools.known(lang) if name in text]  # a pattern of all names takes seconds to compile
        for mention in finding.mentions(text, known, lang):
            sure = mention.form == mention.written and deciding.doubt(text, mention, lang) is None
            if sure and mention.form not in said:
                yield "a reference names somebody who is not in the dialogue", show(mention.form)


def _characters(text: str) -> Iterator[Found]:
    import unicodedata

    import regex

    for kind, pattern in (("the replacement character U+FFFD", "\ufffd"),
                          ("text that was decoded wrongly", _MOJIBAKE),
                          ("a control character", r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"),
                          ("a BOM inside a text", "\ufeff"),
                          ("a character that changes the direction of the text", r"[\u202a-\u202e\u2066-\u2069]")):
        match = regex.search(pattern, text)
        if match:
            yield kind, show(text[max(match.start() - 10, 0):match.end() + 10])
    if not unicodedata.is_normalized("NFC", text):
        yield "text that is not in Unicode's composed form (NFC)", show(text, 40)
