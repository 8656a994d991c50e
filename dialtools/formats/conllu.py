r"""CoNLL-U: a block a sentence, ten columns a word; what dt-parse found, for other tools.

Comments say where a sentence belongs: id, lang, variant, turn (from 1),
speaker; and text.  Turns without words stand as JSON in the comment
"wordless" of their record's first sentence; a record without any word is not
written, and a word without a token is an error.  MISC holds readings, named
entities (NER), and the white space after each word where it is not one space
(SpaceAfter=No, or SpacesAfter=\s\n as UDPipe writes it; SpacesBefore where a
text begins with some), so that `read` gives back the very text.  In files
without an id, such as treebanks, each sentence is a record, with its sent_id as
id.  Empty nodes and enhanced dependencies (DEPS) are dropped.

trees: the heads of a sentence, if it has some, must be a tree with one root;
trees=no lets others pass.

Source: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import BinaryIO, NamedTuple

from dialtools.converting import blocks, multiword
from dialtools.converting.blocks import Sentence
from dialtools.converting.escapes import comment, escape, said, unescape
from dialtools.errors import RecordError, about, show
from dialtools.tokens import without

_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
_NAMED = ("id", "lang", "variant")  # keys of a record that comments tell
_SAID = {"Reading": "reading", "NER": "ner"}  # in MISC
_OURS = ("_", "SpaceAfter", "SpacesAfter", "SpacesBefore", *_SAID)


def write(records: Iterable[dict]) -> Iterator[str]:
    """Yield the sentences of records, each with the empty line after it; RecordError for words without "tokens"."""
    for record in records:
        if isinstance(record.get("dialogue"), str):
            raise RecordError("a dialogue that is a string has no tokens: dt-parse makes them", record)
        texts = [({"turn": number, "speaker": turn["speaker"]}, turn)
                 for number, turn in enumerate(record.get("dialogue") or [], 1)]
        texts += [({}, record)] if isinstance(record.get("text"), str) else []
        with about(record):
            yield from _sentences(record, texts)


def _sentences(record: dict, texts: list[tuple[dict, dict]]) -> Iterator[str]:
    """Yield the sentences of a record's texts: pairs of what a comment says of a text, and what holds it."""
    wordless = [{**place, "text": holder["text"]} for place, holder in texts if not _tokens(holder, place)]
    named = {key: record.get(key) for key in _NAMED}
    for place, holder in texts:
        for _, group in groupby(_spaced(holder["text"], holder["tokens"]), lambda word: word.token.get("sent")):
            words = list(group)
            text = "".join(word.token["form"] + (" " if word.gap else "") for word in words).rstrip()
            told = {**named, "wordless": wordless or None, **place}
            comments = [f"# {key} = {comment(value)}" for key, value in told.items() if value is not None]
            yield "\n".join([*comments, f"# text = {_line(text)}", *_rows(words)]) + "\n\n"
            wordless = []


def _tokens(holder: dict, place: dict) -> list[dict]:
    what = f"turn {place['turn']}" if place else '"text"'
    if holder.get("tokens") is None:
        raise RecordError(f'{what} has no "tokens": dt-parse makes them')
    word = without(holder)
    if word:
        raise RecordError(f"{show(word)} in {what} has no token: dt-parse --overwrite makes them anew")
    return holder["tokens"]


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
        before = f"SpacesBefore={escape(text[:token['start']])}" if number == 1 and token["start"] else ""
        if gap == ("" if number == len(tokens) else " "):
            yield _Word(token, gap, before, "")
        else:
            yield _Word(token, gap, before, f"SpacesAfter={escape(gap)}" if gap else "SpaceAfter=No")


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
    told = [f"{name}={token[key]}" for name, key in _SAID.items() if token.get(key)]
    misc = "|".join(part for part in (token.get("misc"), *told, before, after) if part)
    if re.search(r"[\t\n\r]", form):
        raise RecordError(f"CoNLL-U has no word with a tab or a line end in it: {show(form)}")
    return "\t".join([number, form, *map(_line, (*values, "_", misc or "_"))])


def _line(text: str) -> str:
    return re.sub(r"[\t\r\n]+", " ", text)


def read(file: BinaryIO, *, trees: bool = True) -> Iterator[tuple[str, dict]]:
    """Yield a record for all sentences that share an id and a variant, its texts with their tokens."""
    for _, group in groupby(blocks.read(file, trees), key=_source):
        sentences = list(group)
        with about(place=sentences[0].place):
            yield sentences[0].place, _record(sentences)


def _source(sentence: Sentence) -> tuple:
    """Return what the sentences of one record share."""
    id = sentence.comments.get("id")
    return (sentence.place,) if id is None else (id, sentence.comments.get("variant"))


def _record(sentences: list[Sentence]) -> dict:
    comments = sentences[0].comments
    if "id" in comments:
        record = {key: said(comments[key]) for key in _NAMED if key in comments}
    else:
        record = {"id": comments[key] for key in ("sent_id",) if key in comments}
    turns: dict[int, dict] = {}
    for place, holder in [*_spoken(sentences), *_wordless(comments.get("wordless", "[]"))]:
        if "turn" not in place:
            record |= holder
        elif place["turn"] in turns:
            raise RecordError(f"turn {place['turn']} comes back")
        else:
            turns[place["turn"]] = {"speaker": place["speaker"], **holder}
    return record | ({"dialogue": [turns[number] for number in sorted(turns)]} if turns else {})


def _spoken(sentences: list[Sentence]) -> Iterator[tuple[dict, dict]]:
    """Yield (turn and speaker, or {} of the record's own text; text and tokens) of each text with words."""
    for turn, group in groupby(sentences, key=lambda sentence: sentence.comments.get("turn")):
        of_turn = list(group)
        if turn is None:
            yield {}, _text(of_turn)
            continue
        speaker = said(of_turn[0].comments.get("speaker", ""))
        if not turn.isdecimal() or not speaker:
            reason = "with a turn but no speaker" if turn.isdecimal() else f"whose turn is no number, {show(turn)}"
            raise RecordError(f"a sentence {reason}", place=of_turn[0].place)
        yield {"turn": int(turn), "speaker": str(speaker)}, _text(of_turn)


def _wordless(comment: str) -> Iterator[tuple[dict, dict]]:
    """Yield as above the texts without words that a comment tells of."""
    wrong = RecordError(f'the comment "wordless" is no list of turns: {show(comment)}')
    found = said(comment)
    if not isinstance(found, list):
        raise wrong
    for one in found:
        keys = {key: type(value) for key, value in one.items()} if isinstance(one, dict) else {}
        if keys not in ({"text": str}, {"turn": int, "speaker": str, "text": str}):
            raise wrong
        yield {key: one[key] for key in one if key != "text"}, {"text": one["text"], "tokens": []}


def _text(sentences: list[Sentence]) -> dict:
    """Return the text and the tokens of some sentences."""
    text, gap, tokens = "", "", []
    misc: dict[str, str] = {}
    for number, sentence in enumerate(sentences, 1):
        for surface, rows, misc in _surfaces(sentence):
            text += gap + unescape(misc.get("SpacesBefore", ""))
            spans = _spans(surface, len(text), rows, sentence.place)
            tokens += [{**span, **_facts(row), "sent": number} for span, row in zip(spans, rows, strict=True)]
            text += surface
            gap = unescape(misc.get("SpacesAfter", "" if misc.get("SpaceAfter") == "No" else "\\s"))
        _check_text(sentence)
    return {"text": text + (gap if "SpacesAfter" in misc else ""), "tokens": tokens}


def _surfaces(sentence: Sentence) -> Iterator[tuple[str, list[list[str]], dict[str, str]]]:
    """Yield (form, rows of its words, MISC) of each word as it is written; several rows for a multiword token."""
    rows = iter(sentence.rows)
    for row in rows:
        first, dash, last = row[0].partition("-")
        yield row[1], list(islice(rows, int(last) - int(first) + 1)) if dash else [row], _misc(row)


def _spans(surface: str, start: int, rows: list[list[str]], place: str) -> list[dict]:
    """Return the beginnings of the tokens of a surface word."""
    if len(rows) == 1:
        return [{"form": surface, "start": start, "end": start + len(surface)}]
    with about(place=place):
        return multiword.spread(surface, start, [row[1] for row in rows])


def _check_text(sentence: Sentence) -> None:
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
    facts |= {key: misc[name] for name, key in _SAID.items() if name in misc}
    rest = "|".join(part for part in row[9].split("|") if part.partition("=")[0] not in _OURS)
    return facts | ({"misc": rest} if rest else {})


def recognise(head: bytes) -> bool:
    """Are there only comments before a first word with ten columns?"""
    return bool(re.match(rb"(\xef\xbb\xbf)?(#[^\n]*\n|\r?\n)*1(-[0-9]+)?(\t[^\t\n]+){9}\r?\n", head))
