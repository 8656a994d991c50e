r"""CoNLL-U: a block a sentence, ten columns a word; what dt-parse found, for other tools.

Comments say where a sentence belongs: id, variant, turn (from 1), speaker; and
text.  A turn without tokens is not written.  MISC holds the white space after
each word where it is not one space (SpaceAfter=No, or SpacesAfter=\s\n as
UDPipe writes it; SpacesBefore where a text begins with some), so that `read`
gives back the very text.  In files without an id, such as treebanks, each
sentence is a record, with its sent_id as id.  Ids are read as strings; empty
nodes and enhanced dependencies (DEPS) are dropped.

Source: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import BinaryIO, NamedTuple

from dialtools.converting import items, multiword
from dialtools.errors import RecordError, show

_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
_ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
_OURS = ("_", "Reading", "SpaceAfter", "SpacesAfter", "SpacesBefore")  # of MISC
_CHARACTERS = {code: character for character, code in _ESCAPES.items()}


def write(records: Iterable[dict]) -> Iterator[str]:
    """Yield the sentences of records, each with the empty line after it; RecordError for a text without "tokens"."""
    for record in records:
        if isinstance(record.get("dialogue"), str):
            raise RecordError("a dialogue that is a string has no tokens: dt-parse makes them", record)
        for number, turn in enumerate(record.get("dialogue") or [], 1):
            yield from _sentences(record, turn, {"turn": number, "speaker": turn["speaker"]})
        if isinstance(record.get("text"), str):
            yield from _sentences(record, record, {})


def _sentences(record: dict, holder: dict, place: dict) -> Iterator[str]:
    """Yield the sentences of a turn, or of the record's own text."""
    if holder.get("tokens") is None:
        what = f"turn {place['turn']}" if place else '"text"'
        raise RecordError(f'{what} has no "tokens": dt-parse makes them', record)
    for _, group in groupby(_spaced(holder["text"], holder["tokens"]), key=lambda word: word.token.get("sent")):
        words = list(group)
        text = "".join(word.token["form"] + (" " if word.gap else "") for word in words).rstrip()
        facts = {"id": record.get("id"), "variant": record.get("variant"), **place, "text": text}
        comments = [f"# {key} = {_line(str(value))}" for key, value in facts.items() if value is not None]
        yield "\n".join([*comments, *_rows(words)]) + "\n\n"


class _Word(NamedTuple):
    """A token, the white space after it, and what MISC says of the white space before and after it."""

    token: dict
    gap: str
    before: str
    after: str


def _spaced(text: str, tokens: list[dict]) -> Iterator[_Word]:
    """Yield the tokens of a text with the white space about them; one space between two goes without saying."""
    nexts = [*(token["start"] for token in tokens[1:]), len(text)][:len(tokens)]
    for number, (token, end) in enumerate(zip(tokens, nexts, strict=True), 1):
        gap = text[token["end"]:end]
        before = f"SpacesBefore={_escape(text[:token['start']])}" if number == 1 and token["start"] else ""
        if gap == ("" if number == len(tokens) else " "):
            yield _Word(token, gap, before, "")
        else:
            yield _Word(token, gap, before, f"SpacesAfter={_escape(gap)}" if gap else "SpaceAfter=No")


def _rows(words: list[_Word]) -> Iterator[str]:
    number = 0
    while number < len(words):
        place, count = words[number].token.get("part", (1, 1))
        group = words[number:number + count - place + 1]
        spaces = group[0].before, group[-1].after
        if len(group) > 1:
            surface = "".join(word.token["form"] for word in group)
            yield _row(f"{number + 1}-{number + len(group)}", surface, {}, *spaces)
            spaces = "", ""
        for number, word in enumerate(group, number + 1):
            yield _row(str(number), word.token.get("word", word.token["form"]), word.token, *spaces)


def _row(number: str, form: str, token: dict, before: str, after: str) -> str:
    values = ["_" if token.get(key) in (None, "") else str(token[key]) for key in _COLUMNS]
    reading = f"Reading={token['reading']}" if token.get("reading") else ""
    misc = "|".join(part for part in (token.get("misc"), reading, before, after) if part)
    return "\t".join([number, *map(_line, (form, *values, "_", misc or "_"))])


def _line(text: str) -> str:
    return re.sub(r"[\t\r\n]+", " ", text)


def _escape(spaces: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in spaces)


def _unescape(spaces: str) -> str:
    return re.sub(r"\\.", lambda code: _CHARACTERS.get(code[0], code[0]), spaces)


class _Sentence(NamedTuple):
    """A block of lines: the place of its first word, its comments, the columns of its rows."""

    place: str
    comments: dict[str, str]
    rows: list[list[str]]

    def source(self) -> tuple:
        """Return what the sentences of one record share."""
        id = self.comments.get("id")
        return (self.place,) if id is None else (id, self.comments.get("variant"))

    def turn(self) -> str | None:
        return self.comments.get("turn")


def read(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield a record for all sentences that share an id and a variant, its texts with their tokens."""
    for _, group in groupby(_blocks(file), key=_Sentence.source):
        sentences = list(group)
        comments = sentences[0].comments
        named = {"id": comments.get("id", comments.get("sent_id")), "variant": comments.get("variant")}
        record: dict = {key: value for key, value in named.items() if value is not None}
        for number, turn in groupby(sentences, key=_Sentence.turn):
            said = list(turn)
            if number is None:
                record |= _said(said)
            else:
                record.setdefault("dialogue", []).append({"speaker": _speaker(said[0]), **_said(said)})
        yield sentences[0].place, record


def recognise(head: bytes) -> bool:
    """Are there only comments before a first word with ten columns?"""
    return bool(re.match(rb"(\xef\xbb\xbf)?(#[^\n]*\n|\r?\n)*1(-[0-9]+)?(\t[^\t\n]+){9}\r?\n", head))


def _blocks(file: BinaryIO) -> Iterator[_Sentence]:
    comments: dict[str, str] = {}
    rows: list[list[str]] = []
    start, words = "", 0
    for place, line in chain(items.lines(file), [("", "")]):
        line = items.unended(line)
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line:
            rows.append(line.split("\t"))
            problem = _problem(rows[-1], words)
            if problem:
                raise RecordError(problem, place=place)
            start = start or place
            words += rows[-1][0].isdecimal()
        else:
            if words:
                yield _Sentence(start, comments, rows)
            comments, rows, start, words = {}, [], "", 0


def _problem(row: list[str], words: int) -> str | None:
    """Return what is wrong with a row that comes after so many words, or None."""
    if len(row) != 10:
        return f"{len(row)} columns between tabs, not 10 as in CoNLL-U"
    if not re.fullmatch(rf"{words + 1}(-[0-9]+)?|{words}\.[0-9]+", row[0]):
        return f"the ID after word {words} is {show(row[0])}"
    if not re.fullmatch("[0-9]+|_", row[6]):
        return f"HEAD is a number, here is {show(row[6])}"
    return None


def _speaker(sentence: _Sentence) -> str:
    if not sentence.comments.get("speaker"):
        raise RecordError("a sentence with a turn but no speaker", place=sentence.place)
    return sentence.comments["speaker"]


def _said(sentences: list[_Sentence]) -> dict:
    """Return the text and the tokens of a turn."""
    text, gap, tokens = "", "", []
    misc: dict[str, str] = {}
    for number, sentence in enumerate(sentences, 1):
        for surface, rows, misc in _surfaces(sentence):
            text += gap + _unescape(misc.get("SpacesBefore", ""))
            spans = _spans(surface, len(text), rows, sentence.place)
            tokens += [{**span, **_facts(row), "sent": number} for span, row in zip(spans, rows, strict=True)]
            text += surface
            gap = _unescape(misc.get("SpacesAfter", "" if misc.get("SpaceAfter") == "No" else "\\s"))
        _check_text(sentence)
    return {"text": text + (gap if "SpacesAfter" in misc else ""), "tokens": tokens}


def _surfaces(sentence: _Sentence) -> Iterator[tuple[str, list[list[str]], dict[str, str]]]:
    """Yield (form, rows of its words, MISC) of each word as it is written; several rows for a multiword token."""
    words = {row[0]: row for row in sentence.rows}
    shared: set[str] = set()
    for row in sentence.rows:
        first, dash, last = row[0].partition("-")
        if dash:
            ids = [str(number) for number in range(int(first), int(last) + 1)]
            if len(ids) < 2 or not all(id in words for id in ids):
                raise RecordError(f"no words for the multiword token {row[0]} {row[1]}", place=sentence.place)
            shared.update(ids)
            yield row[1], [words[id] for id in ids], _misc(row)
        elif row[0].isdecimal() and row[0] not in shared:
            yield row[1], [row], _misc(row)


def _spans(surface: str, start: int, rows: list[list[str]], place: str) -> list[dict]:
    """Return the beginnings of the tokens of a surface word."""
    if len(rows) == 1:
        return [{"form": surface, "start": start, "end": start + len(surface)}]
    try:
        return multiword.spread(surface, start, [row[1] for row in rows])
    except RecordError as error:
        raise RecordError(error.reason, place=place) from None


def _check_text(sentence: _Sentence) -> None:
    """Raise RecordError if the comment "text" says other words than the rows."""
    forms = "".join(surface for surface, _, _ in _surfaces(sentence))
    text = sentence.comments.get("text", forms)
    if "".join(text.split()) != "".join(forms.split()):
        raise RecordError(f"the words of a sentence are not those of its text, {show(text)}", place=sentence.place)


def _misc(row: list[str]) -> dict[str, str]:
    return {key: value for key, _, value in (part.partition("=") for part in row[9].split("|"))}


def _facts(row: list[str]) -> dict:
    """Return what a row says of its word, but for form and white space."""
    facts: dict = {key: value for key, value in zip(_COLUMNS, row[2:8], strict=True)
                   if value != "_" or (key == "lemma" and row[1] == "_")}
    if "head" in facts:
        facts["head"] = int(facts["head"])
    misc = _misc(row)
    if "Reading" in misc:
        facts["reading"] = misc["Reading"]
    rest = "|".join(part for part in row[9].split("|") if part.partition("=")[0] not in _OURS)
    return facts | ({"misc": rest} if rest else {})
