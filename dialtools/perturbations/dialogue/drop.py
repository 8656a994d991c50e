"""Leave out the greetings that open a dialogue, or the remarks that close it.

remark=greeting takes what the first turns begin with (Hi Bob! How are you?), turn by turn until
one begins otherwise, and what answers it (Fine, thanks. And you?); remark=closing what the last
turns end with (Thanks, bye!), thanks among it; without either, both go.  A turn that is nothing
else goes as a whole, of others the rest stays, with a capital.  A dialogue without such remarks,
or of nothing else, stays as it is.

Only whole clauses between marks go, in which every word is known, drawn out or not (hiii): of the
phrases in the language's remarks.tsv, the name of a speaker, a title, or behind a greeting a word with a capital
that is no common one (Hi Zoe).  "See you at seven" stays, as it says when.

Source: ours; the counterpart of dialogue.greeting and dialogue.closing.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hello, Bob! How are you?"},
...          {"speaker": "Bob", "text": "Hi, did you call?"}, {"speaker": "Ann", "text": "No. Bye!"}]
>>> for edit in perturb({"dialogue": turns, "lang": "en"}, Random(1)):
...     print(*edit[:3], edit[4] or "-")
/dialogue 0 1 -
/dialogue/1/text 0 4 -
/dialogue/1/text 4 5 D
/dialogue/2/text 3 8 -
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Literal, NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import rewrites, word_forms, words

_ENDS = ENDS + "\n"
_MARKS = _ENDS + ",;:~～〜，、；：|"
_DRAWN_OUT = re.compile(r"(\w)\1\1+|(?<=[ぁ-ん])[ーっ]+$")  # hiii, こんにちはー
Unit = tuple[str, ...]  # words or, where there is no space between them, characters


class Stretch(NamedTuple):
    """What stands between two marks, if it holds a letter or digit."""

    start: int
    end: int
    text: str
    opens: bool  # does it begin a sentence, so that a capital does not tell a name?


class SetPhrases(NamedTuple):
    """The phrases of a language by their part, and how long they may be."""

    phrases: dict[Unit, set[str]]
    longest: int


@once_per_language
def _remarks(language: Language) -> SetPhrases:
    phrases: dict[Unit, set[str]] = {}
    for row in language.written("remarks"):
        phrases.setdefault(_units(row["text"], language), set()).add(row["part"])
    for title in (*language.facts["titles_before"], *language.facts["titles_after"]):
        phrases.setdefault(_units(title.lower(), language), set()).update(("address", "title"))
    return SetPhrases(phrases, max(map(len, phrases)))


def _units(text: str, language: Language) -> Unit:
    text = _DRAWN_OUT.sub(r"\1", text.replace("’", "'").strip())
    return tuple(text.replace(".", "").split() if language.space else "".join(text.split()))


def perturb(
    record: dict, rng: Random, *, remark: Literal["any", "greeting", "closing"] = "any"
) -> list[list]:
    """Return the edits of the first and the last turns; remark: which remarks go."""
    turns, language = record["dialogue"], dialogue.language(record)
    names = {
        part
        for speaker in dialogue.speakers(turns)
        for part in (_units(speaker, language), *((word,) for word in _units(speaker, language)))
        if language.space or len(part) > 1
    }
    clauses = [_clauses(turn["text"], language) for turn in turns]
    starts, ends = [0] * len(turns), [len(turn["text"]) for turn in turns]
    if remark != "closing":
        _cut_greetings(turns, clauses, starts, names, language)
    if remark != "greeting":
        _cut_closings(turns, clauses, ends, names, language)

    edits: list[list] = []
    for number, turn in enumerate(turns):
        text, start, end = turn["text"], starts[number], ends[number]
        if start == 0 and end == len(text):
            continue
        if not any(map(str.isalnum, text[start:end])):
            edits.append(["/dialogue", number, number + 1, [turn], []])
        else:
            edits += _trimmed(f"/dialogue/{number}/text", text, start, end)
    is_empty = sum(pointer == "/dialogue" for pointer, *_ in edits) == len(turns)
    return [] if is_empty else edits


def _clauses(text: str, language: Language) -> list[Stretch]:
    """Return the clauses of a text; the full stop of a title (Mr.) ends none."""
    titles = [title for title in language.facts["titles_before"] if title.endswith(".")]
    pattern = rf"(?:(?<!\w)(?:{words.alternatives(titles)})|[^{_MARKS}])+"
    clauses, opens = [], True
    for match in re.finditer(pattern, text):
        opens = opens or any(mark in _ENDS for mark in text[match.start() - 1 : match.start()])
        if any(map(str.isalnum, match[0])):
            clauses.append(Stretch(match.start(), match.end(), match[0].strip(), opens))
            opens = False
    return clauses


def _cut_greetings(
    turns: list[dict],
    clauses: list[list[Stretch]],
    starts: list[int],
    names: set[Unit],
    language: Language,
) -> None:
    """Set where what is not a greeting begins in the first turns."""
    allowed = {"greeting"}  # an answer only after a turn that is nothing but a greeting
    for number, turn in enumerate(turns):
        remarks = list(_leading(clauses[number], allowed, names, language))
        if not remarks:
            break
        rest = clauses[number][len(remarks) :]
        text = turn["text"]
        starts[number] = len(text) - len(text[rest[0].start :].lstrip()) if rest else len(text)
        allowed = {"greeting"} if rest else {"greeting", "answer"}


def _leading(
    clauses: list[Stretch], parts: set[str], names: set[Unit], language: Language
) -> Iterator[Stretch]:
    """Yield the clauses that are a remark, with those that only address somebody beside it."""
    so_far: list[Stretch] = []
    has_remark = False
    for clause in clauses:
        kind = _kind(clause, parts, names, language)
        if kind is None:
            return
        has_remark = has_remark or kind == "remark"
        so_far.append(clause)
        if has_remark:
            yield from so_far
            so_far = []


def _cut_closings(
    turns: list[dict],
    clauses: list[list[Stretch]],
    ends: list[int],
    names: set[Unit],
    language: Language,
) -> None:
    """Set where what is not a closing ends in the last turns."""
    for number in reversed(range(len(turns))):
        text, dropped = turns[number]["text"], 0
        for count, clause in enumerate(reversed(clauses[number]), 1):
            kind = _kind(clause, {"closing"}, names, language)
            if kind is None:
                break
            # well, goodbye: what only addresses goes with what a comma parts it from
            is_beside = 0 < dropped == count - 1 and not clauses[number][-dropped].opens
            dropped = count if kind == "remark" or is_beside else dropped
        if not dropped:
            break
        before = clauses[number][:-dropped]
        ends[number] = (
            _mark_end(text, before[-1].end, clauses[number][-dropped].start) if before else 0
        )


def _mark_end(text: str, end: int, following: int) -> int:
    """Return where the sentence mark behind a clause ends, or the clause, if it is a comma."""
    marks = text[end:following]
    return end + max((place for place, mark in enumerate(marks, 1) if mark in _ENDS), default=0)


def _kind(clause: Stretch, parts: set[str], names: set[Unit], language: Language) -> str | None:
    """Tell whether all of a clause is a remark, or only addresses somebody; None for neither."""
    phrases, longest = _remarks(language)
    written = _units(clause.text.strip("'\"“”‘«»()[]¿¡ "), language)
    units = tuple(word.lower() for word in written)
    function_words = frozenset(language.facts["function_words"])
    lower_names = {tuple(word.lower() for word in name) for name in names}
    kind, place, is_titled = "address", 0, False
    while place < len(units):
        for length in range(min(longest, len(units) - place), 0, -1):
            phrase = units[place : place + length]
            of_phrase = phrases.get(phrase, set())
            if of_phrase & parts:
                kind = "remark"
                break
            if "address" in of_phrase or phrase in lower_names:
                is_titled = "title" in of_phrase
                break
        else:
            word = written[place]
            stem = word.lower().partition("'")[0]  # I'm and Let's are no names
            is_known = len(stem) < 2 or stem in language.words | function_words
            is_name = is_titled or (not is_known and (place or not clause.opens))
            if not (is_name and word[:1].isupper() and language.space):
                return None
            length, is_titled = 1, False
        place += length
    return kind


def _trimmed(pointer: str, text: str, start: int, end: int) -> list[list]:
    """Return the edits that leave a part of a text; [] where they would split a character."""
    edits = []
    if start:
        edits.append([pointer, 0, start, text[:start], ""])
        first = start + (text[start] in "¿¡")
        capital = word_forms.capitalised(text[first : first + 1])
        if capital != text[first : first + 1] and text.lstrip("¿¡")[:1].isupper():
            edits.append([pointer, first, first + 1, text[first], capital])
    if end < len(text):
        mark = re.search(f"[{ENDS}]", text[end:])  # what ended the sentence ends the rest of it
        stays = mark[0] if mark and text[end - 1] not in _ENDS else ""
        edits.append([pointer, end, len(text), text[end:], stays])
    return edits if len(rewrites.whole(text, edits)) == len(edits) else []


PERTURBATION = Perturbation(perturb, needs=("dialogue",), resource="remarks.tsv")
