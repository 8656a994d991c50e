r"""CoNLL-U: one block a sentence, ten columns a word; tokens of dt-parse for other tools.

Comments give the place of a sentence: id, lang, variant, turn (from 1),
speaker; and its text.  Turns without words are JSON in the comment "wordless" of
their record's first sentence; a record without any word is not written, and a
word without a token is an error.  MISC holds readings, named entities (NER), and
the white space after a word if it is not one space (SpaceAfter=No, or
SpacesAfter=\s\n as in UDPipe; SpacesBefore at the beginning of a text), so that
`read` restores the exact text.  In files without ids, such as treebanks, each
sentence is a record, with its sent_id as id.  Empty nodes and enhanced
dependencies (DEPS) are dropped.

trees: the heads of a sentence, if any, must form a tree with one root; trees=no
accepts others.

Source: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import BinaryIO, NamedTuple

from dialtools.conversion import blocks
from dialtools.conversion.blocks import Sentence
from dialtools.conversion.escapes import comment, escape, said, unescape
from dialtools.plugins.format import Format
from dialtools.records import tokens
from dialtools.records.tokens import without
from dialtools.system.errors import RecordError, about, show

_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
_NAMED = ("id", "lang", "variant")  # keys of a record that comments hold
_SAID = {"Reading": "reading", "NER": "ner"}  # in MISC
_OURS = ("_", "SpaceAfter", "SpacesAfter", "SpacesBefore", *_SAID)


class _Text(NamedTuple):
    """A turn: number from 1, speaker, holder; a record's own text has only a holder."""

    turn: int | None
    speaker: str | None
    holder: dict

    def whose(self) -> dict:
        """Return the comments that place a text."""
        return {} if self.turn is None else {"turn": self.turn, "speaker": self.speaker}


def write(records: Iterable[dict]) -> Iterator[str]:
    """Yield the sentences of records, each ended by an empty line; RecordError without "tokens"."""
    for record in records:
        if isinstance(record.get("dialogue"), str):
            raise RecordError(
                "a dialogue that is a string has no tokens: dt-parse makes them", record
            )
        texts = [
            _Text(number, turn["speaker"], turn)
            for number, turn in enumerate(record.get("dialogue") or [], 1)
        ]
        if isinstance(record.get("text"), str):
            texts.append(_Text(None, None, record))
        with about(record):
            yield from _sentences(record, texts)


def _sentences(record: dict, texts: list[_Text]) -> Iterator[str]:
    wordless = [
        {**text.whose(), "text": text.holder["text"]} for text in texts if not _tokens(text)
    ]
    named = {key: record.get(key) for key in _NAMED}
    for one in texts:
        spaced = _spaced(one.holder["text"], one.holder["tokens"])
        for _, group in groupby(spaced, lambda word: word.token.get("sent")):
            words = list(group)
            text = "".join(word.token["form"] + (" " if word.gap else "") for word in words)
            about_text = {**named, "wordless": wordless or None, **one.whose()}
            comments = [
                f"# {key} = {comment(value)}"
                for key, value in about_text.items()
                if value is not None
            ]
            rows = [*comments, f"# text = {_line(text.rstrip())}", *_rows(words)]
            yield "\n".join(rows) + "\n\n"
            wordless = []  # only in the first sentence


def _tokens(text: _Text) -> list[dict]:
    what = '"text"' if text.turn is None else f"turn {text.turn}"
    if text.holder.get("tokens") is None:
        raise RecordError(f'{what} has no "tokens": dt-parse makes them')
    word = without(text.holder)
    if word:
        raise RecordError(
            f"{show(word)} in {what} has no token: dt-parse --overwrite makes them anew"
        )
    return text.holder["tokens"]


class _Word(NamedTuple):
    """A token, the white space after it, and MISC's entries for the space before and after it."""

    token: dict
    gap: str
    before: str
    after: str


def _spaced(text: str, tokens: list[dict]) -> Iterator[_Word]:
    """Yield the tokens of a text with the white space around them; one space needs no entry."""
    ends = [*(token["start"] for token in tokens[1:]), len(text)]  # of the white space after each
    for token, end in zip(tokens, ends, strict=False):
        gap = text[token["end"] : end]
        before = after = ""
        if token is tokens[0] and token["start"]:
            before = f"SpacesBefore={escape(text[: token['start']])}"
        if gap != ("" if token is tokens[-1] else " "):
            after = f"SpacesAfter={escape(gap)}" if gap else "SpaceAfter=No"
        yield _Word(token, gap, before, after)


def _rows(words: list[_Word]) -> Iterator[str]:
    for first, group in _written(words):
        before, after = group[0].before, group[-1].after
        if len(group) > 1:
            surface = "".join(word.token["form"] for word in group)
            yield _row(f"{first}-{first + len(group) - 1}", surface, {}, before, after)
            before = after = ""
        for number, word in enumerate(group, first):
            yield _row(
                str(number), word.token.get("word", word.token["form"]), word.token, before, after
            )


def _written(words: list[_Word]) -> Iterator[tuple[int, list[_Word]]]:
    """Yield (number of the first word, words) of each written word."""
    at = 0
    while at < len(words):
        place, count = words[at].token.get("part", (1, 1))
        group = words[at : at + 1 + count - place]
        yield at + 1, group
        at += len(group)


def _row(number: str, form: str, token: dict, before: str, after: str) -> str:
    values = ["_" if token.get(key) in (None, "") else str(token[key]) for key in _COLUMNS]
    told = [f"{name}={token[key]}" for name, key in _SAID.items() if token.get(key)]
    misc = "|".join(part for part in (token.get("misc"), *told, before, after) if part)
    if re.search(r"[\t\n\r]", form):
        raise RecordError(f"CoNLL-U allows no tab or line end in a word: {show(form)}")
    return "\t".join([number, form, *map(_line, (*values, "_", misc or "_"))])


def _line(text: str) -> str:
    return re.sub(r"[\t\r\n]+", " ", text)


def read(file: BinaryIO, *, trees: bool = True) -> Iterator[tuple[str, dict]]:
    """Yield a record, with tokens, for all sentences that share an id and a variant."""
    for _, group in groupby(blocks.read(file, trees), key=_source):
        sentences = list(group)
        with about(place=sentences[0].place):
            yield sentences[0].place, _record(sentences)


def _source(sentence: Sentence) -> tuple:
    """Return what the sentences of one record have in common."""
    id = sentence.comments.get("id")
    return (sentence.place,) if id is None else (id, sentence.comments.get("variant"))


def _record(sentences: list[Sentence]) -> dict:
    comments = sentences[0].comments
    record: dict = {}
    if "id" in comments:
        record = {key: said(comments[key]) for key in _NAMED if key in comments}
    elif "sent_id" in comments:
        record["id"] = comments["sent_id"]
    turns: dict[int, dict] = {}
    for turn, speaker, holder in [*_spoken(sentences), *_wordless(comments.get("wordless", "[]"))]:
        if turn is None:
            record |= holder
        elif turn in turns:
            raise RecordError(f"turn {turn} comes twice")
        else:
            turns[turn] = {"speaker": speaker, **holder}
    if turns:
        record["dialogue"] = [turns[number] for number in sorted(turns)]
    return record


def _spoken(sentences: list[Sentence]) -> Iterator[_Text]:
    """Yield the texts with words, and their tokens."""
    for turn, group in groupby(sentences, key=lambda sentence: sentence.comments.get("turn")):
        of_turn = list(group)
        if turn is None:
            yield _Text(None, None, _joined(of_turn))
            continue
        speaker = said(of_turn[0].comments.get("speaker", ""))
        if not turn.isdecimal() or not speaker:
            reason = (
                "with a turn but no speaker"
                if turn.isdecimal()
                else f"whose turn is no number, {show(turn)}"
            )
            raise RecordError(f"a sentence {reason}", place=of_turn[0].place)
        yield _Text(int(turn), str(speaker), _joined(of_turn))


def _wordless(comment: str) -> Iterator[_Text]:
    """Yield the texts without words in a comment."""
    wrong = RecordError(f'the comment "wordless" must be a list of turns, not {show(comment)}')
    texts = said(comment)
    if not isinstance(texts, list):
        raise wrong
    for text in texts:
        kinds = {key: type(value) for key, value in text.items()} if isinstance(text, dict) else {}
        if kinds not in ({"text": str}, {"turn": int, "speaker": str, "text": str}):
            raise wrong
        yield _Text(text.get("turn"), text.get("speaker"), {"text": text["text"], "tokens": []})


def _joined(sentences: list[Sentence]) -> dict:
    """Return the text and the tokens of some sentences."""
    text, gap, tokens = "", "", []
    last: dict[str, str] = {}  # MISC of the last word
    for number, sentence in enumerate(sentences, 1):
        for surface, rows, misc in _surfaces(sentence):
            text += gap + unescape(misc.get("SpacesBefore", ""))
            spans = _spans(surface, len(text), rows, sentence.place)
            tokens += [
                {**span, **_facts(row), "sent": number}
                for span, row in zip(spans, rows, strict=True)
            ]
            text += surface
            gap = unescape(misc.get("SpacesAfter", "" if misc.get("SpaceAfter") == "No" else "\\s"))
            last = misc
        _check_text(sentence)
    return {"text": text + unescape(last.get("SpacesAfter", "")), "tokens": tokens}


def _surfaces(sentence: Sentence) -> Iterator[tuple[str, list[list[str]], dict[str, str]]]:
    """Yield (form, rows of its words, MISC) of each written word."""
    rows = iter(sentence.rows)
    for row in rows:
        first, dash, last = row[0].partition("-")
        own = list(islice(rows, int(last) - int(first) + 1)) if dash else [row]
        yield row[1], own, _misc(row)


def _spans(surface: str, start: int, rows: list[list[str]], place: str) -> list[dict]:
    """Return the beginnings of the tokens of a surface word."""
    if len(rows) == 1:
        return [{"form": surface, "start": start, "end": start + len(surface)}]
    with about(place=place):
        return tokens.spread(surface, start, [row[1] for row in rows])


def _check_text(sentence: Sentence) -> None:
    """Raise RecordError if the comment "text" has other words than the rows."""
    forms = "".join(surface for surface, _, _ in _surfaces(sentence))
    text = sentence.comments.get("text", forms)
    if "".join(text.split()) != "".join(forms.split()):
        raise RecordError(
            f"the words of a sentence differ from its text, {show(text)}", place=sentence.place
        )


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
    facts |= {key: misc[name] for name, key in _SAID.items() if name in misc}
    rest = "|".join(part for part in row[9].split("|") if part.partition("=")[0] not in _OURS)
    return facts | ({"misc": rest} if rest else {})


def recognise(head: bytes) -> bool:
    """Tell whether only comments stand before a first word with ten columns."""
    return bool(
        re.match(rb"(\xef\xbb\xbf)?(#[^\n]*\n|\r?\n)*1(-[0-9]+)?(\t[^\t\n]+){9}\r?\n", head)
    )


FORMAT = Format(read, recognise=recognise, write=write)
