"""The gender of a person that a text speaks of, by its pronouns: languages/TAG/pronouns.tsv.

A row has a word and its gender: m, f, or n of what holds a pronoun and is none (其他), or tells nothing (ils).
"""

import functools
from typing import Literal

from dialtools import languages
from dialtools.errors import RecordError

Gender = Literal["male", "female", "neutral"]
_FILE = "pronouns.tsv"


def gender(text: str, lang: str) -> Gender:
    """Return male or female where a text has pronouns of that gender alone; neutral with those of both, or of none.

    >>> gender("The clerk said that he was late.", "en"), gender("He or she was late.", "en")
    ('male', 'neutral')
    >>> gender("其他人都走了，她没走。", "zh")
    'female'
    """
    pattern, genders = _pronouns(lang)
    found = {genders[" ".join(word[0].split())] for word in pattern.finditer(text.lower())} - {"n"}
    return "neutral" if len(found) != 1 else "male" if found == {"m"} else "female"


@functools.lru_cache(maxsize=None)
def _pronouns(lang: str):
    """Return a pattern that finds the pronouns of a language, the longest that fits, and the gender of each."""
    import regex

    rows = languages.table(lang, _FILE.removesuffix(".tsv"))
    if not rows:
        raise RecordError(f"{lang} has no pronouns that tell genders apart: there is no {_FILE}; there is one in "
                          f"{', '.join(languages.having(_FILE))}")
    genders = {row["word"]: row["gender"] for row in rows}
    words = "|".join(regex.escape(word, literal_spaces=True).replace(" ", r"\s+")
                     for word in sorted(genders, key=len, reverse=True))
    edge = r"\b" if languages.space(lang) else ""
    return regex.compile(f"{edge}(?:{words}){edge}"), genders
