r"""CoNLL-U: one block a sentence, ten columns a word; tokens of dt-parse for other tools.

Comments give the place of a sentence: id, lang, variant, turn (from 1), speaker; and its text.
Turns without words are JSON in the comment "wordless" of their record's first sentence; a record
without any word is not written, and a word without a token is an error.  MISC holds readings, named
entities (NER), and the white space after a word if it is not one space (SpaceAfter=No, or
SpacesAfter=\s\n as in UDPipe; SpacesBefore at the beginning of a text), so that `read` restores the
exact text.  In files without ids, such as treebanks, each sentence is a record, with its sent_id as
id.  Empty nodes and enhanced dependencies (DEPS) are dropped.

trees: the heads of a sentence, if any, must form a tree with one root; trees=no accepts others.

A value in a comment is plain, unless it would be read as something else, such as a string of
digits, a name that ends in a space or a list: then it is JSON.

Source: https://universaldependencies.org/format.html.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby, islice
from typing import Any, BinaryIO, NamedTuple

from dialtools.conversion.conllu_sentences import Sentence, sentences_of
from dialtools.plugins.format import Format
from dialtools.records.tokens import spread, without
from dialtools.system.errors import RecordError, about, show

_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
_NAMED = ("id", "lang", "variant")  # keys of a record that comments hold
_IN_MISC = {"Reading": "reading", "NER": "ner"}
_OURS = ("_", "SpaceAfter", "SpacesAfter", "SpacesBefore", *_IN_MISC)
_ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
_CHARACTERS = {code: character for character, code in _ESCAPES.items()}
_JSON = re.compile(r'-?(0|[1-9][0-9]*)|".*"|\[.*\]', re.DOTALL)


class PlacedText(NamedTuple):
    """A turn: number from 1, speaker, holder; a record's own text has only a holder."""

    turn: int | None
    speaker: str | None
    holder: dict

    @property
    def place(self) -> dict:
        """The comments that place a text."""
        return {} if self.turn is None else {"turn": self.turn, "speaker": self.speaker}


class SpacedWord(NamedTuple):
    """A token, the white space after it, and MISC's entries for the space before and after it."""

    token: dict
    gap: str
    before: str
    after: str


def write(records: Iterable[dict]) -> Iterator[str]:
    """Yield the sentences of records, each ended by an empty line; RecordError without "tokens"."""
    for record in records:
        if isinstance(record.get("dialogue"), str):
            raise RecordError(
                "a dialogue that is a string has no tokens: dt-parse makes them", record
            )
        turns = enumerate(record.get("dialogue") or [], 1)
        texts = [PlacedText(number, turn["speaker"], turn) for number, turn in turns]
        if isinstance(record.get("text"), str):
            texts.append(PlacedText(None, None, record))
        with about(record):
            for text in texts:
                where = '"text"' if text.turn is None else f"turn {text.turn}"
                if text.holder.get("tokens") is None:
                    raise RecordError(f'{where} has no "tokens": dt-parse makes them')
                if word := without(text.holder):
                    raise RecordError(
                        f"{show(word)} in {where} has no token: dt-parse --overwrite makes them "
                        "anew"
                    )
            wordless = [
                {**text.place, "text": text.holder["text"]}
                for text in texts
                if not text.holder["tokens"]
            ]
            for placed in texts:
                spaced = _spaced(placed.holder["text"], placed.holder["tokens"])
                for _, group in groupby(spaced, lambda word: word.token.get("sent")):
                    words = list(group)
                    comments = {key: record.get(key) for key in _NAMED}
                    comments |= {"wordless": wordless or None, **placed.place}
                    lines = [
                        f"# {key} = {_comment(value)}"
                        for key, value in comments.items()
                        if value is not None
                    ]
                    written = "".join(
                        word.token["form"] + (" " if word.gap else "") for word in words
                    )
                    lines += [f"# text = {_line(written.rstrip())}", *_rows(words)]
                    yield "\n".join(lines) + "\n\n"
                    wordless = []  # only in the first sentence


def _spaced(text: str, tokens: list[dict]) -> Iterator[SpacedWord]:
    """Yield the tokens of a text with the white space around them; one space needs no entry."""

    def escaped(spaces: str) -> str:
        return "".join(_ESCAPES.get(character, character) for character in spaces)

    ends = [*(token["start"] for token in tokens[1:]), len(text)]  # of the white space after each
    for token, end in zip(tokens, ends, strict=False):
        gap = text[token["end"] : end]
        before = after = ""
        if token is tokens[0] and token["start"]:
            before = f"SpacesBefore={escaped(text[: token['start']])}"
        if gap != ("" if token is tokens[-1] else " "):
            after = f"SpacesAfter={escaped(gap)}" if gap else "SpaceAfter=No"
        yield SpacedWord(token, gap, before, after)


def _rows(words: list[SpacedWord]) -> Iterator[str]:
    """Yield the row of each word, and before those of a multiword token its own."""

    def row(number: str, form: str, token: dict, before: str, after: str) -> str:
        if re.search(r"[\t\n\r]", form):
            raise RecordError(f"CoNLL-U allows no tab or line end in a word: {show(form)}")
        values = ["_" if token.get(key) in (None, "") else str(token[key]) for key in _COLUMNS]
        named = [f"{name}={token[key]}" for name, key in _IN_MISC.items() if token.get(key)]
        misc = "|".join(filter(None, (token.get("misc"), *named, before, after)))
        return "\t".join([number, form, *map(_line, (*values, "_", misc or "_"))])

    start = 0
    while start < len(words):
        place, count = words[start].token.get("part", (1, 1))
        group = words[start : start + 1 + count - place]
        before, after = group[0].before, group[-1].after
        if len(group) > 1:
            surface = "".join(word.token["form"] for word in group)
            yield row(f"{start + 1}-{start + len(group)}", surface, {}, before, after)
            before = after = ""
        for number, word in enumerate(group, start + 1):
            form = word.token.get("word", word.token["form"])
            yield row(str(number), form, word.token, before, after)
        start += len(group)


def _line(text: str) -> str:
    return re.sub(r"[\t\r\n]+", " ", text)


def _comment(value: object) -> str:
    is_plain = isinstance(value, str) and value.isprintable() and value == value.strip() != ""
    if is_plain and _value_of(str(value)) == value:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _value_of(comment: str) -> Any:
    """Return the value of a comment: a string, unless it is JSON that we write."""
    with suppress(ValueError):
        return json.loads(comment) if _JSON.fullmatch(comment) else comment
    return comment


def read(file: BinaryIO, *, trees: bool = True) -> Iterator[tuple[str, dict]]:
    """Yield a record, with tokens, for all sentences that share an id and a variant."""

    def source(sentence: Sentence) -> tuple:
        id = sentence.comments.get("id")
        return (sentence.place,) if id is None else (id, sentence.comments.get("variant"))

    for _, group in groupby(sentences_of(file, trees), key=source):
        sentences = list(group)
        with about(place=sentences[0].place):
            comments = sentences[0].comments
            record: dict = {}
            if "id" in comments:
                record = {key: _value_of(comments[key]) for key in _NAMED if key in comments}
            elif "sent_id" in comments:
                record["id"] = comments["sent_id"]
            turns: dict[int, dict] = {}
            texts = [*_spoken(sentences), *_wordless(comments.get("wordless", "[]"))]
            for turn, speaker, holder in texts:
                if turn is None:
                    record |= holder
                elif turn in turns:
                    raise RecordError(f"turn {turn} comes twice")
                else:
                    turns[turn] = {"speaker": speaker, **holder}
            if turns:
                record["dialogue"] = [turns[number] for number in sorted(turns)]
            yield sentences[0].place, record


def _spoken(sentences: list[Sentence]) -> Iterator[PlacedText]:
    """Yield the texts with words, and their tokens."""
    for turn, group in groupby(sentences, key=lambda sentence: sentence.comments.get("turn")):
        of_turn = list(group)
        if turn is None:
            yield PlacedText(None, None, _joined(of_turn))
            continue
        speaker = _value_of(of_turn[0].comments.get("speaker", ""))
        if not turn.isdecimal():
            reason = f"a sentence whose turn is no number, {show(turn)}"
            raise RecordError(reason, place=of_turn[0].place)
        if not speaker:
            raise RecordError("a sentence with a turn but no speaker", place=of_turn[0].place)
        yield PlacedText(int(turn), str(speaker), _joined(of_turn))


def _wordless(comment: str) -> Iterator[PlacedText]:
    """Yield the texts without words in a comment."""
    wrong = RecordError(f'the comment "wordless" must be a list of turns, not {show(comment)}')
    texts = _value_of(comment)
    if not isinstance(texts, list):
        raise wrong
    for text in texts:
        kinds = {key: type(value) for key, value in text.items()} if isinstance(text, dict) else {}
        if kinds not in ({"text": str}, {"turn": int, "speaker": str, "text": str}):
            raise wrong
        holder = {"text": text["text"], "tokens": []}
        yield PlacedText(text.get("turn"), text.get("speaker"), holder)


def _joined(sentences: list[Sentence]) -> dict:
    """Return the text and the tokens of some sentences."""
    text, gap, tokens = "", "", []
    last: dict[str, str] = {}  # MISC of the last word
    for number, sentence in enumerate(sentences, 1):
        surfaces = []
        rows_left = iter(sentence.rows)
        for row in rows_left:
            first_word, dash, last_word = row[0].partition("-")
            rows = [row]  # of the words in a written word
            if dash:
                rows = list(islice(rows_left, int(last_word) - int(first_word) + 1))
            surface, misc = row[1], _misc(row)
            text += gap + _unescaped(misc.get("SpacesBefore", ""))
            start, end = len(text), len(text) + len(surface)
            spans = [{"form": surface, "start": start, "end": end}]
            if len(rows) > 1:
                with about(place=sentence.place):
                    spans = spread(surface, start, [row[1] for row in rows])
            tokens += [
                {**span, **_facts(row), "sent": number}
                for span, row in zip(spans, rows, strict=True)
            ]
            text += surface
            surfaces.append(surface)
            gap = _unescaped(
                misc.get("SpacesAfter", "" if misc.get("SpaceAfter") == "No" else "\\s")
            )
            last = misc
        words = "".join(surfaces)
        written = sentence.comments.get("text", words)
        if "".join(written.split()) != "".join(words.split()):
            reason = f"the words of a sentence differ from its text, {show(written)}"
            raise RecordError(reason, place=sentence.place)
    return {"text": text + _unescaped(last.get("SpacesAfter", "")), "tokens": tokens}


def _unescaped(spaces: str) -> str:
    return re.sub(r"\\.", lambda code: _CHARACTERS.get(code[0], code[0]), spaces)


def _misc(row: list[str]) -> dict[str, str]:
    return {key: value for key, _, value in (part.partition("=") for part in row[9].split("|"))}


def _facts(row: list[str]) -> dict:
    """Return the annotation of a row, without form and white space."""
    facts: dict = {
        key: value
        for key, value in zip(_COLUMNS, row[2:8], strict=True)
        if value != "_" or (key == "lemma" and row[1] == "_")
    }
    if "head" in facts:
        facts["head"] = int(facts["head"])
    misc = _misc(row)
    facts |= {key: misc[name] for name, key in _IN_MISC.items() if name in misc}
    foreign = "|".join(part for part in row[9].split("|") if part.partition("=")[0] not in _OURS)
    return facts | ({"misc": foreign} if foreign else {})


def recognise(head: bytes) -> bool:
    """Tell whether only comments stand before a first word with ten columns."""
    return bool(
        re.match(rb"(\xef\xbb\xbf)?(#[^\n]*\n|\r?\n)*1(-[0-9]+)?(\t[^\t\n]+){9}\r?\n", head)
    )


FORMAT = Format(read, recognise=recognise, write=write)
