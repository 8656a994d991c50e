"""Leave out the space after a word, or insert one inside it.

Each word changes with the given rate: it loses the space that follows it or its
punctuation (seeyou), or it gets a space inside (to gether), with equal
probability where both are possible.  kind chooses one of them.  Indonesian and
Javanese words that begin like a preposition are split after it (di rumah and
dirumah).  In Chinese and Japanese, two characters count as a word; a space, in
Japanese U+3000, goes between two of them, and Chinese drops spaces beside
letters of other scripts.

Only a single U+0020 or U+3000 is dropped.  Names (of speakers, tokens tagged
PROPN), addresses, placeholders, hashtags and `code` stay whole and keep the spaces
around them.  Words with digits and words of fewer than four letters stay whole,
and a space between two numbers stays.

Source: "remove or add white space" among the typographical errors, section 3.1
of "Evaluating Robustness of Open Dialogue Summarization Models in the Presence
of Naturally Occurring Variations"; its rate of 0.2 is the default.

>>> from random import Random
>>> perturb({"text": "see you soon", "lang": "en"}, Random(1))
[['/text', 3, 4, ' ', '', 'drop']]
"""

import functools
import re
from collections.abc import Iterator
from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.languages.scripts import CJK, compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import words

SHORTEST = 4  # letters of a word that a space is typed into
# Between two numbers is none: 5 20 and 1, 2 are other numbers without.
_GAP = r"[.,?!;:।]?([ \u3000])(?!\d(?<=\d[.,?!;:।]?[ \u3000]\d))([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)"
_PLAIN_GAP = re.compile(r"[.,?!;:]?( )(?!\d(?:(?<=\d \d)|(?<=\d[.,?!;:] \d)))([A-Za-z0-9]+)").match
_BETWEEN = rf"(?<=[{CJK}ー])(?=[{CJK}])(?![ぁぃぅぇぉっゃゅょァィゥェォッャュョ])"
_BESIDE_LATIN = rf"(?<=[{CJK}])[ \u3000](?=\p{{Latin}})|(?<=\p{{Latin}})[ \u3000](?=[{CJK}])"
_TYPED = {"zh": " ", "ja": "\u3000"}  # between characters, by the languages that put no space there
_DROPPED = {"zh"}  # of these: beside Latin letters


def perturb(
    record: dict, rng: Random, *, kind: Literal["any", "drop", "add"] = "any", rate: float = 0.2
) -> list[list]:
    """Return an edit for each space left out or added; rate: probability of a word."""
    words.check_rate(rate)
    language = dialogue.language(record)
    names = words.protected(record)
    text, places = dialogue.joined(record)
    if language.code in _TYPED:
        edits = _unspaced(text, words.by_length(names), rng, kind, rate, language)
        return dialogue.placed(sorted(edits), places)
    return dialogue.placed(_spaced(text, names, rng, kind, rate, language), places)


def _spaced(
    text: str, names: set[str], rng: Random, kind: str, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each word joined to the next one, or parted."""
    # found once: the cache compares long texts that are equal, but not the same
    is_plain = words.is_plain(text)
    for word, start, end in words.drawn(text, rng, rate):
        if word.lower() not in names:
            drops = kind == "drop" or (kind == "any" and rng.random() < 0.5)
            if drops:
                edit = _dropped(text, end, names, is_plain)
            else:
                edit = _added(word, start, rng, language)
            if edit is None and kind == "any":
                if drops:
                    edit = _added(word, start, rng, language)
                else:
                    edit = _dropped(text, end, names, is_plain)
            if edit:
                yield edit


def _dropped(text: str, place: int, names: set[str], is_plain: bool) -> list | None:
    """Return the edit that drops the space after a word; None if no word follows that may join it.

    is_plain: there is surely no address in the text.
    """
    gap = (_PLAIN_GAP if text.isascii() else compiled(_GAP).match)(text, place)
    if not gap or gap[2].lower() in names:
        return None
    if not is_plain and words.is_address(text, gap.start(2)):
        return None
    start, end = gap.span(1)
    return [start, end, gap[1], "", "drop"]


def _added(word: str, start: int, rng: Random, language: Language) -> list | None:
    """Return the edit that parts a word, None for a short one."""
    places = _places(word, language)
    if not places:
        return None
    place = start + words.one(rng, places)
    return [place, place, "", " ", "add"]


@functools.lru_cache(maxsize=10_000)
def _places(word: str, language: Language) -> range | list[int]:
    """Return where a space can be typed into a word, two characters at least from either end."""
    # 19 82 and Rp4 50 are other numbers
    if len(word) < SHORTEST or not word.isalpha() and any(map(str.isdigit, word)):
        return []
    for prefix in language.facts.get("prefixes", ()):
        stem = word[len(prefix) :]
        if len(stem) >= SHORTEST - 1 and stem[0].isalpha() and word.lower().startswith(prefix):
            return [len(prefix)]
    if word.isascii() and word.isalnum():
        return range(2, len(word) - 1)
    ends = [match.end() for match in compiled(r"\X").finditer(word)][1:-2]
    return [place for place in ends if word[place] not in "'’" and word[place - 1] not in "'’"]


def _unspaced(
    text: str, names: dict[int, set[str]], rng: Random, kind: str, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after, note] for each space typed or dropped."""
    random = rng.random
    if kind != "drop":
        gaps = [
            match.start()
            for match in compiled(_BETWEEN).finditer(text)
            if random() < rate / words.LETTERS
        ]
        for place in gaps:
            if not words.in_name(text, place, place, names):
                yield [place, place, "", _TYPED[language.code], "add"]
    if kind != "add" and language.code in _DROPPED:
        for match in compiled(_BESIDE_LATIN).finditer(text):
            if random() < rate:
                yield [*match.span(), match[0], "", "drop"]


PERTURBATION = Perturbation(perturb)
