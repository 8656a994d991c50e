"""Slips on the InScript keyboard of Hindi, which has a key for each letter and each sign.

A letter becomes one of its own class: consonant, vowel, sign of a vowel, nasal
sign; so no sign ever stands without its letter, and none after another that was
not there before.
"""

from collections.abc import Iterator
from os.path import commonprefix
from random import Random

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.perturbations._keys import error, neighbours, one
from dialtools.text import words

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


def slips(
    text: str, names: set[str], rng: Random, kind: str, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word that is mistyped."""
    keys = _keys(language)
    for word, start, _ in words.drawn(text, rng, rate):
        if len(word) > 1 and word not in names and _CLASSES.keys() >= set(word):
            note = error(rng, kind)
            typed = _typed(word, rng, keys, note)
            if typed is None and kind == "any":
                note = "substitute"
                typed = _typed(word, rng, keys, note)
            if typed is not None:
                yield [*_difference(word, typed, start), note]


@once_per_language
def _keys(language: Language) -> dict[str, str]:
    """Return what a letter may become: neighbours and the other letter of its key, same class."""
    layout = language.keyboard or {}
    around: dict[str, str] = {}
    for rows in (layout["rows"], layout["shift"]):
        around |= neighbours(rows, layout["offsets"])
    for row, above in zip(layout["rows"], layout["shift"], strict=True):
        for base, shifted in zip(row[: len(above)], above, strict=True):
            around[base] = around.get(base, "") + shifted
            around[shifted] = around.get(shifted, "") + base
    return {
        letter: "".join(other for other in others if _CLASSES.get(other) == _CLASSES[letter])
        for letter, others in around.items()
        if letter in _CLASSES
    }


def _typed(word: str, rng: Random, keys: dict[str, str], kind: str) -> str | None:
    """Return a word with one error of a kind, None where it has no place for one."""
    # most places are right: all are looked at only where this one is not
    at = one(rng, range(len(word)))
    if not _fits(word, at, keys, kind):
        places = [at for at in range(len(word)) if _fits(word, at, keys, kind)]
        if not places:
            return None
        at = one(rng, places)
    letter, rest = word[at], word[at + 1 :]
    if kind == "substitute":
        return word[:at] + one(rng, keys[letter]) + rest
    if kind == "transpose":
        return word[:at] + rest[0] + letter + rest[1:]
    return word[:at] + (letter * 2 if kind == "double" else "") + rest


def _fits(word: str, at: int, keys: dict[str, str], kind: str) -> bool:
    letter, following = word[at], word[at + 1 : at + 2]
    if following == _NUKTA:  # the letter below the dot is another one
        return False
    if kind == "substitute":
        return bool(keys.get(letter))
    first, second = _CLASSES[letter], _CLASSES.get(following, "")
    if kind == "omit":
        return first not in _LETTERS or (second in _LETTERS and word[at - 1 : at] != _VIRAMA)
    if kind == "double":
        return first == "consonant"
    return (
        first == second == "consonant" and following != letter and word[at + 2 : at + 3] != _NUKTA
    )


def _difference(word: str, typed: str, at: int) -> list:
    """Return [start, end, before, after] of the change in a word, in whole characters."""
    ends = [0, *(match.end() for match in compiled(r"\X").finditer(word))]
    same = len(commonprefix([word, typed]))
    start = max(end for end in ends if end <= same)
    alike = len(commonprefix([word[start:][::-1], typed[start:][::-1]]))
    end = min(end for end in ends if end >= start and end >= len(word) - alike)
    return [at + start, at + end, word[start:end], typed[start : len(typed) - len(word) + end]]
