"""Findings about records: what other commands refuse (wrong), and what is probably unintended (odd)."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from unicodedata import is_normalized

from dialtools import languages
from dialtools.languages import Language, checking, once_per_language
from dialtools.languages.evidence import Evidence
from dialtools.languages.scripts import compiled
from dialtools.names import ambiguity, search
from dialtools.names import lexicon as lexicons
from dialtools.parsing import ALSO, texts
from dialtools.records import dialogue, tokens, wellformed
from dialtools.records.jsonl import dumps, loads
from dialtools.records.validation import Order, complete, exchange
from dialtools.system.errors import RecordError, show

Line = tuple[str, bytes]  # its place, what stands there
Example = tuple[str, str]  # a finding, and what it was found in
Finding = tuple[str, str, str]  # its level, "wrong" or "odd", and an Example
Placed = tuple[str, Iterable[Finding]]  # the findings of a place

MOST = 20  # languages that are told apart
UNNAMED = 'no "lang"'
OTHER = 'text that looks like another language than its "lang"'

_CHARACTERS = (
    ("the replacement character U+FFFD", re.compile("\ufffd")),
    (
        "text that was decoded wrongly",
        re.compile(r"Ã[\x80-\xbf©¨§¶¼´]|â€[™œ\x9d¦“”]|Â[\xa0«»°]|ï»¿|å[\x80-\x9f]|ã[\x80-\x9f]"),
    ),
    ("a control character", re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")),
    ("a BOM inside a text", re.compile("\ufeff")),
    (
        "a character that changes the direction of the text",
        re.compile(r"[\u202a-\u202e\u2066-\u2069]"),
    ),
)
# behind a name: ANN (laughs), NEAL CONAN, host
_REMARK = re.compile(r"(?<=\S)(?:\s*[(（\[［【].*|,.*)", re.DOTALL)


def summed(placed: Iterable[Placed]) -> list[dict]:
    """Return a result for each finding: level, count, first place and example.

    A finding counts once for each place.  Those of level "wrong" come first, then frequent ones.
    """
    results: dict[tuple[str, str], dict] = {}
    for place, findings in placed:
        examples: dict[tuple[str, str], str] = {}
        for level, finding, example in findings:
            examples.setdefault((level, finding), example)
        for (level, finding), example in examples.items():
            result = results.setdefault(
                (level, finding),
                {"level": level, "finding": finding, "n": 0, "first": place, "example": example},
            )
            result["n"] += 1
    return sorted(results.values(), key=lambda result: (result["level"] != "wrong", -result["n"]))


def of_languages(folder: str) -> Iterator[Placed]:
    """Yield what is wrong in a folder of language data, "" for the one in use."""
    for path, problems in checking.problems(folder):
        for finding, example, line in problems:
            yield f"{path}:{line}" if line else path, [("wrong", finding, example)]


def of_lines(
    lines: Iterable[Line | dict], rename: dict[str, str] | None, appearance: "Appearance"
) -> Iterator[Placed]:
    """Yield the findings of each line, or record, which is placed by its number.

    rename: keys that exchange their names.
    appearance: sees the records that have nothing wrong.
    """
    order = Order()
    number = 0
    for number, line in enumerate(lines, 1):
        place, content = line if isinstance(line, tuple) else (f"record {number}", line)
        yield place, _of_line(content, place, number, rename, order, appearance)
    if not number:
        yield "", [("odd", "no records", "")]


def before_wrong(placed: Iterable[Placed]) -> Iterator[Placed]:
    """Yield places and what is odd there, up to the first that is wrong: a RecordError."""
    for place, findings in placed:
        of_place = list(findings)
        for level, finding, example in of_place:
            if level == "wrong":
                raise RecordError(f"{finding}: {example}" if example else finding, place=place)
        yield place, of_place


def _of_line(
    content: bytes | dict,
    place: str,
    number: int,
    rename: dict[str, str] | None,
    order: Order,
    appearance: "Appearance",
) -> Iterator[Finding]:
    try:
        record = loads(content) if isinstance(content, bytes) else content
        if not isinstance(record, dict):
            raise RecordError(f"a record must be a dict, not {show(content)}")
        record = exchange(record, rename)
    except RecordError as error:
        yield "wrong", "a line that is no record", error.reason
        return
    is_wrong = False
    for finding, example in _wrong(complete(record, number), order):
        is_wrong = True
        yield "wrong", finding, example
    if not is_wrong:
        appearance.add(place, record)
        if isinstance(content, bytes):
            yield from (("odd", *example) for example in _repeated_keys(content))
        yield from (("odd", *example) for example in _odd(record))


def _wrong(record: dict, order: Order) -> Iterator[Example]:
    """Yield what other commands would refuse; order: knows the earlier ids."""
    malformed = {} if wellformed.is_plain(record) else dict(wellformed.problems(record))
    for key, problem in malformed.items():
        yield f'malformed "{key}"', problem
    if not {"id", "system", "variant"} & malformed.keys():
        try:
            order.admit(record)
        except RecordError as error:
            yield error.reason, show(record["id"])
    if malformed:
        return
    # tokens that filters would refuse: of turns, a text, or what dt-parse --also parsed
    turns = record.get("dialogue")
    also = [name for name in ALSO if record.get(name) and record.get(texts.key(name))]
    parsed = texts.texts({**record, "dialogue": None, "text": None}, also) if also else []
    for holder in (
        record,
        *(turns if isinstance(turns, list) else ()),
        *(text._asdict() for text in parsed),
    ):
        try:
            if holder.get("text") is not None:
                tokens.require_aligned(holder)
        except RecordError as error:
            yield "tokens that are not those of their text", error.reason


def _repeated_keys(line: bytes) -> Iterator[Example]:
    """Yield the keys that come twice in one object of a line; only the last one counts."""
    twice: list[str] = []

    def see(pairs: list[tuple[str, object]]) -> None:
        if len(dict(pairs)) < len(pairs):
            twice.extend(
                key for key, number in Counter(key for key, _ in pairs).items() if number > 1
            )

    try:
        if dumps(loads(line)).strip() != line.strip():  # else nothing was lost: the fast path
            json.loads(line, object_pairs_hook=see, parse_int=str, parse_float=str)
    except (RecordError, RecursionError):  # some 1,000 levels, the outermost of them unseen
        return
    yield from (("a key that comes twice in one object", show(key)) for key in twice)


def _odd(record: dict) -> Iterator[Example]:
    for key in ("id", "lang"):
        if record.get(key) is None:
            yield f'no "{key}"', ""
    if record.get("dialogue") is None and record.get("text") is None:
        yield 'neither "dialogue" nor "text"', ""
    record = dialogue.view(record)  # a dialogue that is a string is parsed once
    strings = dialogue.strings(record)
    yield from _language(record)
    yield from _empty_texts(record)
    yield from _names(record, strings)
    yield from _strangers(record, strings)
    yield from _characters(strings)


def _language(record: dict) -> Iterator[Example]:
    lang = record.get("lang")
    if lang is None:
        return
    try:
        script = languages.get(lang).letters
    except RecordError as error:
        yield "a language without data", str(error)
        return
    letters = "".join(compiled(r"\p{L}+").findall(dialogue.joined(record)[0]))
    in_script = sum(map(len, compiled(f"[{script}]+").findall(letters)))
    if letters and in_script * 2 < len(letters):
        yield (
            f"most letters are not of the script of {lang}",
            f"{len(letters) - in_script} of {len(letters)}",
        )


def _empty_texts(record: dict) -> Iterator[Example]:
    turns = dialogue.turns(record)
    if record.get("dialogue") is not None and not turns:
        yield "a dialogue without turns", ""
    for number, turn in enumerate(turns, 1):
        if not turn["text"].strip():
            yield "an empty turn", f"turn {number}: {show(turn['speaker'])}"
    for key in ("text", "context"):
        if record.get(key) is not None and not record[key].strip():
            yield f'an empty "{key}"', ""
    if record.get("reference") is not None and not any(
        text.strip() for text in dialogue.references(record)
    ):
        yield 'an empty "reference"', ""
    if record.get("prediction") is not None and not dialogue.best(record).strip():
        yield 'an empty "prediction"', ""


def _names(record: dict, strings: list[tuple[str, str]]) -> Iterator[Example]:
    """Yield speakers whose labels look alike, lone speakers, and placeholders that nobody has."""
    speakers = dialogue.speakers(dialogue.turns(record))
    alike: dict[str, str] = {}
    for name in speakers:
        first = alike.setdefault(" ".join(name.lower().split()), name)
        if first != name:
            yield (
                "speakers that differ in case or white space only",
                f"{show(first)} and {show(name)}",
            )
        if name != name.strip():
            yield "a speaker with white space around the name", show(name)
    for name in filter(_REMARK.search, speakers):
        bare = " ".join(_REMARK.sub("", name).lower().split())
        if bare in alike:
            yield "speakers that differ in a remark only", f"{show(alike[bare])} and {show(name)}"
    if len(speakers) == 1:
        yield "only one speaker", show(speakers[0])
    for pointer, text in strings:
        if "#" in text:  # faster than the pattern
            for placeholder in compiled(r"#\w+#").findall(text):
                if placeholder not in speakers:
                    yield "a placeholder that is nobody's label", f"{pointer}: {placeholder}"


def _strangers(record: dict, strings: list[tuple[str, str]]) -> Iterator[Example]:
    """Yield names of the language's pools that a reference has and the input lacks."""
    if record.get("lang") is None or record.get("reference") is None or not record.get("dialogue"):
        return
    language = languages.get(record["lang"])
    if not language.is_known:
        return
    lexicon = lexicons.of(language)
    spoken = "\n".join(
        text for pointer, text in strings if pointer.startswith(("/dialogue", "/context"))
    )
    beginnings = _beginnings(language)  # a pattern of all names would take seconds to compile
    for text in dialogue.references(record):
        of_text = {*text, *map("".join, pairwise(text))} & beginnings.keys()
        names = sorted(name for two in of_text for name in beginnings[two] if name in text)
        if all(name in spoken for name in names):
            continue
        for mention in search.mentions(text, names, lexicon):
            is_sure = (
                mention.form == mention.written and ambiguity.doubt(text, mention, lexicon) is None
            )
            if is_sure and mention.form not in spoken:
                yield "a reference names somebody who is not in the dialogue", show(mention.form)


@once_per_language
def _beginnings(language: Language) -> dict[str, list[str]]:
    """Return {first two characters: names} of the pools of a language."""
    names: dict[str, list[str]] = {}
    for name in lexicons.of(language).known:
        names.setdefault(name[:2], []).append(name)
    return names


def _characters(strings: list[tuple[str, str]]) -> Iterator[Example]:
    joined = "\n".join(text for _, text in strings)  # one search is much faster than one per string
    kinds = [(kind, pattern) for kind, pattern in _CHARACTERS if pattern.search(joined)]
    if not kinds and is_normalized("NFC", joined):
        return
    for pointer, text in strings:
        for kind, pattern in kinds:
            if match := pattern.search(text):
                yield (
                    kind,
                    f"{pointer}: {show(text[max(match.start() - 10, 0) : match.end() + 10])}",
                )
        if not is_normalized("NFC", text):
            yield (
                "text that is not in Unicode's composed form (NFC)",
                f"{pointer}: {show(text, 40)}",
            )


class Appearance:
    """The evidence in the texts of each language that records name, and of those that name none."""

    def __init__(self) -> None:
        self.evidence: dict[str | None, Evidence] = {}
        self.first: dict[str | None, str] = {}
        self.numbers: dict[str | None, int] = {}

    def add(self, place: str, record: dict) -> None:
        """Add a well-formed record."""
        lang = record.get("lang")
        if lang not in self.evidence:
            if len(self.evidence) == MOST:
                return
            self.evidence[lang], self.first[lang], self.numbers[lang] = Evidence(), place, 0
        self.numbers[lang] += 1
        for holder in dialogue.holders(record):
            self.evidence[lang].add(holder["text"])
        for text in dialogue.references(record):
            self.evidence[lang].add(text)

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each language that is named, and for none."""
        for lang, evidence in self.evidence.items():
            named = f"of {lang}" if lang else 'without "lang"'
            yield f"language of the records {named}: {evidence.guess()}"

    def findings(self) -> Iterator[dict]:
        """Yield a result for each language that the text of its records does not look like."""
        for lang, evidence in self.evidence.items():
            if not lang or languages.tag(lang) not in languages.known():
                continue
            guess = evidence.guess()
            if guess.lang and guess.lang != languages.tag(lang):
                yield {
                    "level": "odd",
                    "finding": OTHER,
                    "n": self.numbers[lang],
                    "first": self.first[lang],
                    "example": f"{lang}: {guess}",
                }

    def explained(self, result: dict) -> dict:
        """Return a result, with the language that fits if it is that there is none."""
        if result["finding"] != UNNAMED or None not in self.evidence:
            return result
        guess = self.evidence[None].guess()
        remedy = f": --lang {guess.lang}" if guess.lang else ""
        return result | {"example": f"{guess}{remedy}"}
