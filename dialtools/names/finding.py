"""Mentions of known names in a text: found once, from left to right, longest first, never rescanned."""

import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dialtools import languages
from dialtools.words import ADDRESSES, MARKS

# Words of these scripts follow each other without a space, or take endings: no boundary beside such a letter.
_JOINED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ー]"


class Mention(NamedTuple):
    """A name in a text: where it stands (code points), whose it is, as it is written there."""

    start: int
    end: int
    name: str
    written: str


@functools.lru_cache(maxsize=1024)
def pattern(names: tuple[str, ...]):
    """Return one compiled pattern for all names; those equal but for case are told apart by `mentions`."""
    import regex

    found = sorted({name.lower(): name for name in names}.values(), key=lambda name: (-len(name), name))
    bounded = "|".join(_before(name, regex) + regex.escape(name) + _after(name, regex) for name in found)
    # a name may look like a placeholder (#Person1#), but what looks like an address is none
    return regex.compile("|".join([*ADDRESSES, f"(?P<name>(?i:{bounded}))", *MARKS]))


def _before(name: str, regex) -> str:
    script = _script(name[0], regex)
    return rf"(?<![{script}\p{{M}}\p{{N}}]|[\p{{L}}\p{{N}}][-_])" if script else ""


def _after(name: str, regex) -> str:
    script = _script(name[-1], regex)
    return rf"(?![{script}\p{{M}}\p{{N}}]|[-_][\p{{L}}\p{{N}}])" if script else ""


def _script(letter: str, regex) -> str:
    """Return the class of letters that may not stand beside a name's first or last letter, "" for any."""
    word = letter.isalnum() or regex.match(r"\p{M}", letter)  # a vowel sign that ends a name is no letter
    if not word or regex.match(_JOINED, letter):
        return ""
    latin = letter.isascii() or regex.match(r"\p{Latin}", letter)
    return r"\p{Latin}" if latin else r"\p{L}"


def mentions(text: str, names: Mapping[str, object], lang: str) -> Iterator[Mention | None]:
    """Yield each mention of a name; None for one that was left because it may be an ordinary word.

    A name is found in other cases too (anna, ANNA), but a name that is also a
    word of the language (Will, Rose) only as it is written by its bearer, and
    not at all where that is in lower case (a nickname such as "answer").

    >>> [mention.start for mention in mentions("प्रिया, प्रियांका", {"प्रिया": None}, "hi")]
    [0]
    """
    lower = {name.lower(): name for name in names}
    for match in pattern(tuple(names)).finditer(text) if names else ():
        written = match["name"]
        if written is None:
            continue
        name = written if written in names else lower[written.lower()]
        if (written != name or written.islower()) and is_word(name.lower(), lang):
            yield None
        else:
            yield Mention(match.start(), match.end(), name, written)


def is_word(lower: str, lang: str) -> bool:
    """Is a name, in lower case, also an ordinary word of the language?"""
    return lower in languages.words(lang)


def in_case_of(written: str, name: str, new: str) -> str:
    """Return the new name in the case in which the old one was written.

    >>> in_case_of("ANNA", "Anna", "Zoe"), in_case_of("anna", "Anna", "Zoe"), in_case_of("Anna", "Anna", "Zoe")
    ('ZOE', 'zoe', 'Zoe')
    """
    if written == name:
        return new
    if written.isupper() and len(written) > 1:
        return new.upper()
    return new.lower() if written.islower() else new
