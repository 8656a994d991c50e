"""Hit the wrong key: substitute, transpose, omit or double a letter.

Each word changes with the given rate, by one letter: half of the errors put
a neighbouring key's letter instead, the others exchange it with the next one,
leave it out or write it twice (20, 15 and 15 %); kind chooses one of them.
Keys are neighbours if their centres are at most 1.3 key widths apart.

Hindi is typed on InScript: a letter becomes one of its own class (consonant,
vowel, sign), by a neighbour or by Shift, and no sign loses its letter.
Japanese: kana only, where two of them count as a word.  layout=flick slides to
another vowel or row, or forgets ゛, ゜ or to make a letter small; jis has a key for
each kana; romaji loses or doubles ん, っ and ー.  Chinese: another word of the
input method's list, with the same pinyin or nearly (zh and z, in and ing) and
not ten times rarer or commoner; needs tokens.

Names stay (speakers, words with a capital inside a sentence, tokens tagged
PROPN), and so do addresses, placeholders, hashtags, words with digits and words
of one letter.  The note of an edit says what was done.

Source: spelling errors, section 3.1 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations", rate
0.2.  Unlike Yorke's butter-fingers no error leaves the letter as it was, none
is by a distant key, and case is kept.

>>> from random import Random
>>> perturb({"text": "see you soon", "lang": "en"}, Random(1))
[['/text', 1, 2, 'e', 'r', 'substitute']]
"""

import functools
from collections.abc import Iterator
from random import Random
from typing import Literal

from dialtools import dialogue, languages
from dialtools.wording import words
from dialtools.errors import RecordError
from dialtools.perturbations._inscript import slips as inscript
from dialtools.perturbations._kana import slips as kana
from dialtools.perturbations._keys import error, neighbours, one
from dialtools.perturbations._pinyin import slips as pinyin

RESOURCE = "keyboard.json"


def annotation(lang: str) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return () if languages.tag(lang) == "zh" else None


def perturb(record: dict, rng: Random, *, kind: Literal["any", "substitute", "transpose", "omit", "double"] = "any",
            layout: Literal["flick", "jis", "romaji"] | None = None, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that is mistyped.

    kind: which error; of Chinese there are only substitutions.
    layout: of Japanese; flick where none is given.
    rate: probability of a word, from 0 to 1.
    """
    words.check_rate(rate)
    lang = languages.tag(dialogue.lang(record))
    if (layout and lang != "ja") or (lang == "zh" and kind not in ("any", "substitute")):
        option = f"layout={layout}" if layout else f"kind={kind}"
        raise RecordError(f"typo.keyboard:{option} is not defined for {lang}")
    names = words.protected(record)
    edits = []
    for (pointer, text), holder in zip(dialogue.utterances(record), dialogue.holders(record), strict=True):
        if lang == "ja":
            made = kana(text, names, rng, kind, rate, layout or "flick")
        elif lang == "zh":
            made = pinyin(holder, names, rng, rate)
        else:
            script = languages.load(lang)["script"]
            made = (inscript if script == "Deva" else _latin)(text, names, rng, kind, rate, lang)
        edits += [[pointer, *slip] for slip in made]
    return edits


@functools.lru_cache(maxsize=None)
def _keys(lang: str) -> tuple[dict[str, str], set[str]]:
    """Return the neighbours of each letter of a layout, and what a word may hold."""
    layout = languages.keyboard(lang) or {}
    keys = neighbours(layout["rows"], layout["offsets"])
    return keys, keys.keys() | set("'’")


def _latin(text: str, names: set[str], rng: Random, kind: str, rate: float, lang: str) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word of a text that is mistyped.

    A letter with a combining mark is no key, and must not be parted from it.
    """
    keys, letters = _keys(lang)
    for word, start, _ in words.drawn(text, rng, rate):
        lower = word.lower()
        if (len(word) > 1 and letters.issuperset(lower) and lower not in names
                and (word == lower or (word[1:] == lower[1:] and words.opens(text, start)))):
            slip = _mistyped(word, start, rng, keys, error(rng, kind))
            if not slip and kind == "any":
                slip = _mistyped(word, start, rng, keys, "substitute")
            if slip:
                yield slip


def _mistyped(word: str, start: int, rng: Random, keys: dict[str, str], kind: str) -> list | None:
    """Return [start, end, before, after, note] for one letter of a word, or for two; None where none can change so."""
    letters = range(len(word)) if word.isalpha() else [at for at, letter in enumerate(word) if letter not in "'’"]
    if kind == "transpose":
        letters = [at for at in letters if at + 1 in letters and word[at].lower() != word[at + 1].lower()]
        if not letters:
            return None
    at = one(rng, letters)
    letter = word[at]
    start += at
    if kind == "substitute":
        typed = one(rng, keys[letter.lower()])
        return [start, start + 1, letter, typed.upper() if letter.isupper() else typed, kind]
    if kind == "transpose":
        after = _cased(word[at + 1], letter) + _cased(letter, word[at + 1])
        return [start, start + 2, word[at:at + 2], after, kind]
    return [start, start + 1, letter, "" if kind == "omit" else letter + letter.lower(), kind]


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()
