"""The gender of a person that a text speaks of, by its pronouns: languages/TAG/pronouns.tsv.

A row has a word and its gender: m, f, or n of what holds a pronoun and is none (其他), or tells nothing (ils).
Where all rows have n (dia of Indonesian, sie of German) pronouns tell no gender, and texts are refused.
"""

import functools
import unicodedata
from typing import Literal

from dialtools import languages
from dialtools.errors import RecordError
from dialtools.languages.scripts import compiled

Gender = Literal["male", "female", "neutral"]
_FILE = "pronouns.tsv"


def gender(text: str, lang: str) -> Gender:
    """Return male or female where a text has pronouns of that gender alone; neutral with those of both, or of none.

    >>> gender("The clerk said that he was late.", "en"), gender("He or she was late.", "en")
    ('male', 'neutral')
    >>> gender("其他人都走了，她没走。", "zh")
    'female'
    """
    found = genders(text, lang)
    return "neutral" if len(found) != 1 else "male" if found == {"m"} else "female"


def genders(text: str, lang: str) -> set[str]:
    """Return the genders, m and f, that the pronouns of a text have; none where no pronoun tells one."""
    pattern, known = _pronouns(lang)
    return {known[" ".join(word[0].split())] for word in pattern.finditer(_plain(text))} - {"n"}


def _plain(text: str) -> str:
    """Return a text as tables write it: in lower case, NFC, without the vowel signs of Hebrew and Arabic."""
    lower = unicodedata.normalize("NFC", text.lower()).replace("’", "'")
    return compiled(r"(?V1)[\u0591-\u05c7\u064b-\u0670&&\p{Mn}]").sub("", lower)


@functools.lru_cache(maxsize=None)
def _pronouns(lang: str):
    """Return a pattern that finds the pronouns of a language, the longest that fits, and the gender of each."""
    import regex

    genders = _genders(lang)
    if not {"m", "f"}.issubset(genders.values()):
        told = [other for other in languages.having(_FILE) if {"m", "f"}.issubset(_genders(other).values())]
        why = f"{', '.join(genders)} may mean anybody" if genders else f"there is no {_FILE}"
        raise RecordError(f"no gender is told by pronouns in {lang}, where {why}; it is in {', '.join(told)}")
    words = "|".join(regex.escape(word, literal_spaces=True).replace(" ", r"\s+")
                     for word in sorted(genders, key=len, reverse=True))
    begin, end = (r"(?<!\w)", r"(?!\w)") if languages.space(lang) else ("", "")  # \b is none before (s)he
    return regex.compile(f"{begin}(?:{words}){end}"), genders


def _genders(lang: str) -> dict[str, str]:
    """Return the pronouns of a language, {} where nothing is known of them."""
    known = languages.tag(lang) in languages.having(_FILE)
    return {row["word"]: row["gender"] for row in languages.table(lang, "pronouns")} if known else {}
