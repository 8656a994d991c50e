"""Hit the wrong key: substitute, transpose, omit or double a letter.

Each word changes with the given rate, by one letter.  Half of the errors
substitute the letter of a neighbouring key; the others transpose two letters,
omit one or double one (20, 15 and 15 %).  kind chooses one of them.  Keys are
neighbours if their centres are at most 1.3 key widths apart.

Hindi uses the InScript layout: a letter becomes one of its own class (consonant,
vowel, sign), from a neighbouring key or through Shift, and no sign loses its
letter.  In Japanese, only kana change, and two of them count as a word.
layout=flick slides to another vowel or row, or forgets ゛, ゜ or to make a letter
small; jis has a key for each kana; romaji loses or doubles ん, っ and ー.  Chinese
needs tokens: a word becomes another of the input method's list, with the same
or nearly the same pinyin (zh and z, in and ing), at most ten times rarer or more
common.

Some words stay: names (speakers, words with a capital inside a sentence, tokens
tagged PROPN), addresses, placeholders, hashtags, `code`, words with digits and
words of one letter.  The note of an edit names the error.

Source: spelling errors, section 3.1 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations", rate
0.2.  Unlike Yorke's butter-fingers no error leaves the letter as it was, none
is by a distant key, and case is kept.

>>> from random import Random
>>> perturb({"text": "see you soon", "lang": "en"}, Random(1))
[['/text', 1, 2, 'e', 'r', 'substitute']]
"""

import functools
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.perturbations._inscript import slips as inscript
from dialtools.perturbations._kana import slips as kana
from dialtools.perturbations._keys import error, neighbours, one
from dialtools.perturbations._pinyin import slips as pinyin
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.system.errors import RecordError
from dialtools.text import words

_APOSTROPHES = frozenset("'’")


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return () if language.code == "zh" else None


def perturb(
    record: dict,
    rng: Random,
    *,
    kind: Literal["any", "substitute", "transpose", "omit", "double"] = "any",
    layout: Literal["flick", "jis", "romaji"] | None = None,
    rate: float = 0.2,
) -> list[list]:
    """Return an edit for each word that is mistyped.

    kind: which error; of Chinese there are only substitutions.
    layout: of Japanese; flick where none is given.
    rate: probability of a word, from 0 to 1.
    """
    words.check_rate(rate)
    language = dialogue.language(record)
    if (layout and language.code != "ja") or (
        language.code == "zh" and kind not in ("any", "substitute")
    ):
        option = f"layout={layout}" if layout else f"kind={kind}"
        raise RecordError(f"typo.keyboard:{option} is not defined for {language.code}")
    names = words.protected(record)
    if language.code == "zh":
        sized = words.by_length(names)
        return [
            [pointer, *slip]
            for pointer, holder in dialogue.utterances(record)
            for slip in pinyin(holder, sized, rng, rate, language.variety)
        ]
    text, places = dialogue.said(record)
    if language.code == "ja":
        return dialogue.placed(
            kana(text, words.by_length(names), rng, kind, rate, layout or "flick"), places
        )
    slips = inscript if language.script == "Deva" else _latin
    return dialogue.placed(slips(text, names, rng, kind, rate, language), places)


@once_per_language
def _keys(language: Language) -> dict[str, str]:
    """Return the neighbours of each letter of a layout."""
    layout = language.keyboard or {}
    return neighbours(layout["rows"], layout["offsets"])


@once_per_language
def _typable(language: Language) -> frozenset[str]:
    return _APOSTROPHES | _keys(language).keys()


def _latin(
    text: str, names: set[str], rng: Random, kind: str, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word of a text that is mistyped."""
    keys = _keys(language)
    for word, start, _ in words.drawn(text, rng, rate):
        lower, letters, pairs = _places(word, language)
        if letters and lower not in names and (word == lower or words.opens(text, start)):
            note = error(rng, kind)
            if note == "transpose" and not pairs:
                if kind != "any":
                    continue
                note = "substitute"
            at = one(rng, pairs if note == "transpose" else letters)
            before = word[at : at + 2] if note == "transpose" else word[at]
            start += at
            yield [start, start + len(before), before, _typed(before, note, rng, keys), note]


@functools.lru_cache(maxsize=10_000)
def _places(word: str, language: Language) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return a word in lower case, the places of its letters, and of those unlike the next letter.

    There are none in a word of one letter, with a capital further on, or with what is no key; a
    letter with a combining mark is none, and must not be parted from it.
    """
    lower = word.lower()
    if len(word) < 2 or word[1:] != lower[1:] or not _typable(language).issuperset(lower):
        return lower, (), ()
    letters = [at for at, letter in enumerate(word) if letter not in _APOSTROPHES]
    return (
        lower,
        letters,
        [at for at, after in pairwise(letters) if after == at + 1 and lower[at] != lower[after]],
    )


def _typed(letters: str, note: str, rng: Random, keys: dict[str, str]) -> str:
    """Return the letters typed in the place of one, or of two that change places."""
    first = letters[0]
    if note == "substitute":
        typed = one(rng, keys[first.lower()])
        return typed.upper() if first.isupper() else typed
    if note == "transpose":
        return _cased(letters[1], first) + _cased(first, letters[1])
    return "" if note == "omit" else first + first.lower()


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()


PERTURBATION = Perturbation(perturb, resource="keyboard.json", tokens=annotation)
