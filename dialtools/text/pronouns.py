"""The gender of a person that a text speaks of, by its pronouns: languages/TAG/pronouns.tsv.

A row has a word and its gender: m, f, or n of what holds a pronoun and is none (其他), or tells
nothing (ils). Where all rows have n (dia of Indonesian, sie of German) pronouns tell no gender,
and texts are refused.
"""

import unicodedata
from typing import Literal

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.system.errors import RecordError

Gender = Literal["male", "female", "neutral"]
_FILE = "pronouns.tsv"


def gender(text: str, language: Language) -> Gender:
    """Return the gender of all gendered pronouns of a text; neutral for both or none.

    >>> from dialtools.languages import get
    >>> [gender(text, get("en")) for text in ("The clerk said he was late.", "He or she was.")]
    ['male', 'neutral']
    >>> gender("其他人都走了，她没走。", get("zh"))
    'female'
    """
    found = genders(text, language)
    return "neutral" if len(found) != 1 else "male" if found == {"m"} else "female"


def genders(text: str, language: Language) -> set[str]:
    """Return the genders, m and f, of the pronouns of a text."""
    pattern, known = _pronouns(language)
    return {known[" ".join(word[0].split())] for word in pattern.finditer(_plain(text))} - {"n"}


def _plain(text: str) -> str:
    """Return a text in lower case and NFC, without the vowel signs of Hebrew and Arabic."""
    lower = unicodedata.normalize("NFC", text.lower()).replace("’", "'")
    return compiled(r"(?V1)[\u0591-\u05c7\u064b-\u0670&&\p{Mn}]").sub("", lower)


@once_per_language
def _pronouns(language: Language):
    """Return a pattern of the pronouns, longest first, and the gender of each."""
    import regex

    genders = _genders(language)
    if not {"m", "f"}.issubset(genders.values()):
        others = map(languages.get, languages.having(_FILE))
        told = [other.tag for other in others if {"m", "f"}.issubset(_genders(other).values())]
        why = f"{', '.join(genders)} may mean anybody" if genders else f"there is no {_FILE}"
        raise RecordError(
            f"pronouns tell no gender in {language.tag}: {why}; they do in {', '.join(told)}"
        )
    words = "|".join(
        regex.escape(word, literal_spaces=True).replace(" ", r"\s+")
        for word in sorted(genders, key=len, reverse=True)
    )
    begin, end = (r"(?<!\w)", r"(?!\w)") if language.space else ("", "")  # \b is none before (s)he
    return regex.compile(f"{begin}(?:{words}){end}"), genders


def _genders(language: Language) -> dict[str, str]:
    """Return {pronoun: gender}, {} if the language has no table."""
    known = language.code in languages.having(_FILE)
    return {row["word"]: row["gender"] for row in language.table("pronouns")} if known else {}
