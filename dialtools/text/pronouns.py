"""The gender of a person that a text speaks of, by its pronouns: languages/TAG/pronouns.tsv.

A row has a word and its gender: m, f, or n of what holds a pronoun and is none (其他), or tells
nothing (ils). Where all rows have n (dia of Indonesian, sie of German) pronouns tell no gender,
and texts are refused.
"""

import unicodedata
from typing import Any, Literal

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.system.errors import RecordError

Gender = Literal["male", "female", "neutral"]
_FILE = "pronouns.tsv"
_VOWEL_SIGNS = r"(?V1)[\u0591-\u05c7\u064b-\u0670&&\p{Mn}]"  # of Hebrew and Arabic


def gender(text: str, language: Language) -> Gender:
    """Return the gender of all gendered pronouns of a text; neutral for both or none.

    >>> from dialtools.languages import get
    >>> [gender(text, get("en")) for text in ("The clerk said he was late.", "He or she was.")]
    ['male', 'neutral']
    >>> gender("其他人都走了，她没走。", get("zh"))
    'female'
    """
    gendered = genders(text, language)
    return "neutral" if len(gendered) != 1 else "male" if gendered == {"m"} else "female"


def genders(text: str, language: Language) -> set[str]:
    """Return the genders, m and f, of the pronouns of a text."""
    pattern, gender_of = _pronouns(language)
    plain = unicodedata.normalize("NFC", text.lower()).replace("’", "'")
    plain = compiled(_VOWEL_SIGNS).sub("", plain)
    return {gender_of[" ".join(word[0].split())] for word in pattern.finditer(plain)} - {"n"}


@once_per_language
def _pronouns(language: Language) -> tuple[Any, dict[str, str]]:
    """Return a pattern of the pronouns, longest first, and the gender of each."""
    import regex

    gender_of = _table(language)
    if not _tells_gender(gender_of):
        known = map(languages.get, languages.having(_FILE))
        telling = [
            known_language.tag for known_language in known if _tells_gender(_table(known_language))
        ]
        why = f"{', '.join(gender_of)} may mean anybody" if gender_of else f"there is no {_FILE}"
        raise RecordError(
            f"pronouns tell no gender in {language.tag}: {why}; they do in {', '.join(telling)}"
        )
    words = "|".join(
        regex.escape(word, literal_spaces=True).replace(" ", r"\s+")
        for word in sorted(gender_of, key=len, reverse=True)
    )
    begin, end = (r"(?<!\w)", r"(?!\w)") if language.space else ("", "")  # \b is none before (s)he
    return regex.compile(f"{begin}(?:{words}){end}"), gender_of


def _table(language: Language) -> dict[str, str]:
    """Return {pronoun: gender}, {} if the language has no table."""
    if language.code not in languages.having(_FILE):
        return {}
    return {row["word"]: row["gender"] for row in language.table("pronouns")}


def _tells_gender(gender_of: dict[str, str]) -> bool:
    return {"m", "f"}.issubset(gender_of.values())
