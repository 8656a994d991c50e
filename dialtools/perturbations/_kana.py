"""Slips in typing kana: on flick keys, on a keyboard of kana, or as Latin letters.

Kanji are chosen after the typing, so an error in them is one of hearing or
choosing, not of the fingers.
"""

import functools
from collections.abc import Iterator
from random import Random

from dialtools import languages
from dialtools.languages.scripts import COMBINING, TO_HIRAGANA, TO_KATAKANA, compiled
from dialtools.perturbations._keys import error, neighbours, one
from dialtools.text import words

_SOUNDS = str.maketrans(
    "かきくけこさしすせそたちつてとはひふへほう", "がぎぐげござじずぜぞだぢづでどばびぶべぼゔ"
)
_HALF = str.maketrans("はひふへほ", "ぱぴぷぺぽ")
_SMALL = str.maketrans("あいうえおつやゆよわ", "ぁぃぅぇぉっゃゅょゎ")
_TABLES = (_SOUNDS, _HALF, _SMALL)
_PLAIN = {new: old for table in _TABLES for old, new in table.items()}
_KANA = rf"[ぁ-ゔァ-ヴー](?![{COMBINING}])"
# what Latin letters lose or double without a trace: n, the second of two consonants, -
_LATIN = "んっーンッ"


def slips(
    text: str, names: dict[int, set[str]], rng: Random, kind: str, rate: float, layout: str
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for mistyped kana; two count as a word."""
    at, random = 0, rng.random
    drawn = [
        match.start() for match in compiled(_KANA).finditer(text) if random() < rate / words.LETTERS
    ]
    for start in drawn:
        slip = (
            _romaji(text, start, rng, kind)
            if layout == "romaji"
            else _slip(text, start, rng, kind, layout)
        )
        if slip and start >= at and not words.in_name(text, start, slip[1], names):
            at = slip[1]
            yield slip


def _romaji(text: str, at: int, rng: Random, kind: str) -> list | None:
    letter, note = text[at], error(rng, kind)
    if letter not in _LATIN or note not in ("omit", "double"):
        return None
    return [at, at + 1, letter, letter * 2 if note == "double" else "", note]


def _slip(text: str, at: int, rng: Random, kind: str, layout: str) -> list | None:
    letter, note = text[at], error(rng, kind)
    if note == "transpose":
        following = compiled(_KANA).match(text, at + 1)
        if following and following[0] != letter:
            return [at, at + 2, letter + following[0], following[0] + letter, note]
        if kind != "any":
            return None
        note = "substitute"
    if note == "substitute":
        typed = _typed(letter, rng, layout)
        return [at, at + 1, letter, typed, note] if typed else None
    return [at, at + 1, letter, letter * 2 if note == "double" else "", note]


def _typed(letter: str, rng: Random, layout: str) -> str:
    """Return the letter typed instead of another, "" where its key has no neighbour."""
    kana = letter.translate(TO_HIRAGANA)
    script = TO_KATAKANA if kana != letter else {}
    table = next((table for table in _TABLES if ord(kana) in table.values()), {})
    plain = kana.translate(_PLAIN)
    # the mark, or to make it small, is a key of its own, and forgotten
    if table and rng.random() < 0.5:
        return plain.translate(script)
    others = _around(layout).get(plain)
    return one(rng, others).translate(table).translate(script) if others else ""


@functools.cache
def _around(layout: str) -> dict[str, str]:
    """Return what each plain kana may become: of its key, or of its flick on a key beside."""
    known = languages.get("ja").keyboard or {}
    if layout == "jis":
        return neighbours(known["rows"], known["offsets"])
    around: dict[str, str] = {}
    for y, row in enumerate(known["flick"]):
        for x, key in enumerate(row):
            beside = [
                known["flick"][j][i]
                for j in range(4)
                for i in range(3)
                if abs(i - x) + abs(j - y) == 1
            ]
            for flick, kana in enumerate(key):
                found = key.replace(kana, "") + "".join(other[flick] for other in beside)
                around[kana] = found.replace("・", "")
    return around
