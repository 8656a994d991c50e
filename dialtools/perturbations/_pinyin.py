"""Wrong candidates of a Chinese input method: words whose pinyin is the same or nearly so."""

import functools
from collections.abc import Iterator
from random import Random

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.perturbations._keys import one
from dialtools.records import tokens
from dialtools.text import words

_FACTOR = 10  # a candidate is at most so many times rarer or commoner than the word


def slips(
    holder: dict, names: dict[int, set[str]], rng: Random, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for words of the table that are mistyped."""
    text, known = holder["text"], _words(language)
    for token in tokens.annotated(holder, "typo.keyboard"):
        form = token["form"]
        if (
            form in known
            and rng.random() < rate
            and not words.in_name(text, token["start"], token["end"], names)
        ):
            candidates = _candidates(form, language)
            if candidates:
                yield [token["start"], token["end"], form, one(rng, candidates), "substitute"]


@once_per_language
def _words(language: Language) -> dict[str, tuple[str, float]]:
    """Return {word: (pinyin, weight)} for words of two and more characters."""
    return {
        row["word"]: (row["set"], language.weight("homophones", row["weight"]))
        for row in language.written("homophones")
        if len(row["word"]) > 1
    }


@once_per_language
def _by_pinyin(language: Language) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word, (pinyin, _) in _words(language).items():
        found.setdefault(pinyin, []).append(word)
    return found


@functools.cache
def _candidates(word: str, language: Language) -> list[str]:
    pinyin, weight = _words(language)[word]
    near = (other for reading in _alike(pinyin) for other in _by_pinyin(language).get(reading, ()))
    return [
        other
        for other in near
        if other != word
        and len(other) == len(word)
        and weight / _FACTOR <= _words(language)[other][1] <= weight * _FACTOR
    ]


def _alike(pinyin: str) -> list[str]:
    """Return a pinyin and those that differ by one sound that many speakers do not distinguish."""
    syllables = pinyin.split(" ")
    changed = (
        (at, other) for at, syllable in enumerate(syllables) for other in _syllables(syllable)
    )
    return [
        pinyin,
        *(" ".join([*syllables[:at], other, *syllables[at + 1 :]]) for at, other in changed),
    ]


def _syllables(syllable: str) -> Iterator[str]:
    """Yield a syllable with another beginning or ending, whether or not it exists."""
    alike = languages.get("zh").keyboard or {}
    for long, short in alike["initials"]:
        old, new = (long, short) if syllable.startswith(long) else (short, long)
        if syllable.startswith(old):
            yield new + syllable.removeprefix(old)
    for long, short in alike["finals"]:
        old, new = (long, short) if syllable.endswith(long) else (short, long)
        if syllable.endswith(old):
            yield syllable.removesuffix(old) + new
