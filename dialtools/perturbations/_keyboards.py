"""Slips on the keyboards of each script: which keys fingers hit instead, and how often.

InScript, the keyboard of Hindi, has a key for each letter and each sign; a letter becomes one of
its own class (consonant, vowel, sign of a vowel, nasal sign), so that no sign ever stands without
its letter, and none after another that was not there before.  Japanese kana are typed on flick
keys, on a keyboard of kana, or as Latin letters; kanji are chosen after the typing, so an error in
them is one of hearing or choosing, not of the fingers.  A Chinese input method offers wrong
candidates: words whose pinyin is the same or nearly so.
"""

import functools
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from os.path import commonprefix
from random import Random
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import COMBINING, TO_HIRAGANA, TO_KATAKANA, compiled
from dialtools.records import tokens
from dialtools.text import words
from dialtools.text.words import one

REACH = 1.3  # key widths between the centres of neighbours
KINDS = ("substitute", "transpose", "omit", "double")
_SUMS = (0.50, 0.70, 0.85)  # of the shares of the kinds, one after the other, but for the last
_APOSTROPHES = frozenset("'’")

_NUKTA, _VIRAMA = "\u093c", "\u094d"
_CLASSES = {
    **dict.fromkeys(map(chr, range(0x0904, 0x0915)), "vowel"),
    **dict.fromkeys(map(chr, range(0x0915, 0x093A)), "consonant"),
    **dict.fromkeys(map(chr, range(0x093E, 0x094D)), "sign"),
    "\u0901": "nasal",
    "\u0902": "nasal",
    "\u0903": "breath",
    _NUKTA: "nukta",
    _VIRAMA: "virama",
}
_LETTERS = ("vowel", "consonant", "")  # classes of what is no mark, and of nothing

_VOICED = str.maketrans(
    "かきくけこさしすせそたちつてとはひふへほう", "がぎぐげござじずぜぞだぢづでどばびぶべぼゔ"
)
_HALF_VOICED = str.maketrans("はひふへほ", "ぱぴぷぺぽ")
_SMALL = str.maketrans("あいうえおつやゆよわ", "ぁぃぅぇぉっゃゅょゎ")
_PLAIN = {new: old for table in (_VOICED, _HALF_VOICED, _SMALL) for old, new in table.items()}
_KANA = rf"[ぁ-ゔァ-ヴー](?![{COMBINING}])"
# what Latin letters lose or double without a trace: n, the second of two consonants, -
_ROMAJI = "んっーンッ"

_FACTOR = 10  # a candidate is at most so many times rarer or commoner than the word


class Typist(NamedTuple):
    """Who types in a language: the errors, their rate, and the names, which stay."""

    language: Language
    rng: Random
    kind: str  # one of KINDS, or "any"
    rate: float  # of a word
    names: set[str]
    layout: str = ""  # of Japanese

    def error(self) -> str:
        """Return the kind of error that is asked for, or one of the four at random by shares."""
        if self.kind != "any":
            return self.kind
        return KINDS[bisect(_SUMS, self.rng.random())]


def _neighbours(rows: Sequence[str], offsets: Sequence[float]) -> dict[str, str]:
    """Return the letters and signs on the keys around each one; no digits, no punctuation."""
    keys = [
        (letter, column + offset, row)
        for row, (letters, offset) in enumerate(zip(rows, offsets, strict=True))
        for column, letter in enumerate(letters)
        if letter.isalpha() or unicodedata.category(letter) in ("Mn", "Mc")
    ]
    return {
        letter: "".join(
            neighbour
            for neighbour, other_x, other_y in keys
            if neighbour != letter and (other_x - x) ** 2 + (other_y - y) ** 2 <= REACH**2
        )
        for letter, x, y in keys
    }


def latin(text: str, typist: Typist) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word of a text that is mistyped."""
    language, rng, kind, rate, names, _ = typist
    keys = _keys(language)
    for word, start, _ in words.drawn(text, rng, rate):
        lower, letters, pairs = _places(word, language)
        if letters and lower not in names and (word == lower or words.opens(text, start)):
            note = typist.error()
            if note == "transpose" and not pairs:
                if kind != "any":
                    continue
                note = "substitute"
            place = one(rng, pairs if note == "transpose" else letters)
            before = first = word[place]
            after = "" if note == "omit" else first + first.lower()
            if note == "substitute":
                after = one(rng, keys[first.lower()])
                after = after.upper() if first.isupper() else after
            elif note == "transpose":
                second = word[place + 1]
                before, after = first + second, _cased(second, first) + _cased(first, second)
            start += place
            yield [start, start + len(before), before, after, note]


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()


@once_per_language
def _keys(language: Language) -> dict[str, str]:
    """Return the neighbours of each letter of a layout."""
    layout = language.keyboard or {}
    return _neighbours(layout["rows"], layout["offsets"])


@functools.lru_cache(maxsize=10_000)
def _places(word: str, language: Language) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return a word in lower case, the places of its letters, and of those unlike the next letter.

    There are none in a word of one letter, with a capital further on, or with what is no key; a
    letter with a combining mark is none, and must not be parted from it.
    """
    lower = word.lower()
    if (
        len(word) < 2
        or word[1:] != lower[1:]
        or not set(lower) - _APOSTROPHES <= _keys(language).keys()
    ):
        return lower, (), ()
    letters = [place for place, letter in enumerate(word) if letter not in _APOSTROPHES]
    return (
        lower,
        letters,
        [
            place
            for place, after in pairwise(letters)
            if after == place + 1 and lower[place] != lower[after]
        ],
    )


def inscript(text: str, typist: Typist) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word in Devanagari that is mistyped."""
    keys = _inscript_keys(typist.language)
    for word, start, _ in words.drawn(text, typist.rng, typist.rate):
        if len(word) > 1 and word not in typist.names and _CLASSES.keys() >= set(word):
            note = typist.error()
            typed = _typed(word, typist.rng, keys, note)
            if typed is None and typist.kind == "any":
                note = "substitute"
                typed = _typed(word, typist.rng, keys, note)
            if typed is not None:
                # the change in whole characters
                ends = [0, *(match.end() for match in compiled(r"\X").finditer(word))]
                same = len(commonprefix([word, typed]))
                first = max(end for end in ends if end <= same)
                alike = len(commonprefix([word[first:][::-1], typed[first:][::-1]]))
                last = min(end for end in ends if end >= first and end >= len(word) - alike)
                after = typed[first : len(typed) - len(word) + last]
                yield [start + first, start + last, word[first:last], after, note]


@once_per_language
def _inscript_keys(language: Language) -> dict[str, str]:
    """Return what a letter may become: neighbours and the other letter of its key, same class."""
    layout = language.keyboard or {}
    around: dict[str, str] = {}
    for rows in (layout["rows"], layout["shift"]):
        around |= _neighbours(rows, layout["offsets"])
    for row, above in zip(layout["rows"], layout["shift"], strict=True):
        for plain, shifted in zip(row[: len(above)], above, strict=True):
            around[plain] = around.get(plain, "") + shifted
            around[shifted] = around.get(shifted, "") + plain
    return {
        letter: "".join(
            neighbour for neighbour in neighbours if _CLASSES.get(neighbour) == _CLASSES[letter]
        )
        for letter, neighbours in around.items()
        if letter in _CLASSES
    }


def _typed(word: str, rng: Random, keys: dict[str, str], kind: str) -> str | None:
    """Return a word with one error of a kind, None where it has no place for one."""
    # most places are right: all are looked at only where this one is not
    place = one(rng, range(len(word)))
    if not _fits(word, place, keys, kind):
        places = [place for place in range(len(word)) if _fits(word, place, keys, kind)]
        if not places:
            return None
        place = one(rng, places)
    before, letter, after = word[:place], word[place], word[place + 1 :]
    if kind == "substitute":
        return before + one(rng, keys[letter]) + after
    if kind == "transpose":
        return before + after[0] + letter + after[1:]
    return before + (letter * 2 if kind == "double" else "") + after


def _fits(word: str, place: int, keys: dict[str, str], kind: str) -> bool:
    """Tell whether an error of a kind can befall the letter at a place."""
    letter, following = word[place], word[place + 1 : place + 2]
    if following == _NUKTA:  # the letter below the dot is another one
        return False
    if kind == "substitute":
        return bool(keys.get(letter))
    first, second = _CLASSES[letter], _CLASSES.get(following, "")
    if kind == "omit":
        return first not in _LETTERS or (second in _LETTERS and word[place - 1 : place] != _VIRAMA)
    if kind == "double":
        return first == "consonant"
    return (
        first == second == "consonant"
        and following != letter
        and word[place + 2 : place + 3] != _NUKTA
    )


def kana(text: str, typist: Typist) -> Iterator[list]:
    """Yield [start, end, before, after, note] for mistyped kana; two count as a word."""
    names, rate, random = words.by_length(typist.names), typist.rate, typist.rng.random
    drawn = [
        match.start() for match in compiled(_KANA).finditer(text) if random() < rate / words.LETTERS
    ]
    free = 0  # where the last slip ends
    for start in drawn:
        slip = _kana_slip(text, start, typist)
        if slip and start >= free and not words.in_name(text, start, slip[1], names):
            free = slip[1]
            yield slip


def _kana_slip(text: str, place: int, typist: Typist) -> list | None:
    """Return the edit of a kana at a place, None where an error leaves no trace."""
    letter, note = text[place], typist.error()
    if typist.layout == "romaji" and (letter not in _ROMAJI or note not in ("omit", "double")):
        return None
    if note == "transpose":
        following = compiled(_KANA).match(text, place + 1)
        if following and following[0] != letter:
            return [place, place + 2, letter + following[0], following[0] + letter, note]
        if typist.kind != "any":
            return None
        note = "substitute"
    if note == "substitute":
        typed = _other_kana(letter, typist)
        return [place, place + 1, letter, typed, note] if typed else None
    return [place, place + 1, letter, letter * 2 if note == "double" else "", note]


def _other_kana(letter: str, typist: Typist) -> str:
    """Return the kana typed instead of another, "" where its key has no neighbour."""
    hiragana = letter.translate(TO_HIRAGANA)
    script = TO_KATAKANA if hiragana != letter else {}
    tables = (_VOICED, _HALF_VOICED, _SMALL)
    table = next((table for table in tables if ord(hiragana) in table.values()), {})
    plain = hiragana.translate(_PLAIN)
    # the mark, or to make it small, is a key of its own, and forgotten
    if table and typist.rng.random() < 0.5:
        return plain.translate(script)
    neighbours = _around_kana(typist.language, typist.layout).get(plain)
    return one(typist.rng, neighbours).translate(table).translate(script) if neighbours else ""


@once_per_language
def _around_kana(language: Language, layout: str) -> dict[str, str]:
    """Return what each plain kana may become: of its key, or of its flick on a key beside."""
    known = language.keyboard or {}
    if layout == "jis":
        return _neighbours(known["rows"], known["offsets"])
    keys = {(x, y): key for y, row in enumerate(known["flick"]) for x, key in enumerate(row)}
    around: dict[str, str] = {}
    for (x, y), key in keys.items():
        beside = [neighbour for (i, j), neighbour in keys.items() if abs(i - x) + abs(j - y) == 1]
        for flick, plain in enumerate(key):
            reachable = key.replace(plain, "") + "".join(neighbour[flick] for neighbour in beside)
            around[plain] = reachable.replace("・", "")
    return around


def pinyin(holder: dict, typist: Typist) -> Iterator[list]:
    """Yield [start, end, before, after, note] for words of the table that are mistyped."""
    text, language, rng = holder["text"], typist.language.variety, typist.rng
    names, (known, by_pinyin) = words.by_length(typist.names), _pinyin(language)
    for token in tokens.annotated(holder, "typo.keyboard"):
        form, start, end = token["form"], token["start"], token["end"]
        if form not in known or rng.random() >= typist.rate:
            continue
        if words.in_name(text, start, end, names):
            continue
        reading, weight = known[form]
        candidates = [
            candidate
            for alike in _alike(reading, language)
            for candidate in by_pinyin.get(alike, ())
            if candidate != form
            and len(candidate) == len(form)
            and weight / _FACTOR <= known[candidate][1] <= weight * _FACTOR
        ]
        if candidates:
            yield [start, end, form, one(rng, candidates), "substitute"]


@once_per_language
def _pinyin(language: Language) -> tuple[dict[str, tuple[str, float]], dict[str, list[str]]]:
    """Return {word: (pinyin, weight)} for words of two and more characters, and {pinyin: words}."""
    known = {
        row["word"]: (row["set"], language.weight("homophones", row["weight"]))
        for row in language.written("homophones")
        if len(row["word"]) > 1
    }
    by_pinyin: dict[str, list[str]] = {}
    for word, (pinyin, _) in known.items():
        by_pinyin.setdefault(pinyin, []).append(word)
    return known, by_pinyin


def _alike(pinyin: str, language: Language) -> Iterator[str]:
    """Yield a pinyin and those that differ by one sound that many speakers do not distinguish."""
    yield pinyin
    syllables, alike = pinyin.split(" "), language.keyboard or {}
    for number, syllable in enumerate(syllables):
        changed = []  # whether or not there are such syllables
        for long, short in alike["initials"]:
            old, new = (long, short) if syllable.startswith(long) else (short, long)
            if syllable.startswith(old):
                changed.append(new + syllable.removeprefix(old))
        for long, short in alike["finals"]:
            old, new = (long, short) if syllable.endswith(long) else (short, long)
            if syllable.endswith(old):
                changed.append(syllable.removesuffix(old) + new)
        for alternative in changed:
            yield " ".join([*syllables[:number], alternative, *syllables[number + 1 :]])
