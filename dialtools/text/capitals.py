"""Capitals: a word in the case of another one, and the capital of a word that begins a sentence."""

import re
from collections.abc import Collection

from dialtools.languages import Language, once_per_language


def like(word: str, written: str) -> str:
    """Return a word, or several, in the case of another: unchanged, capitalised or in capitals.

    >>> like("canon law", "Sharia"), like("men", "WOMEN"), like("anglo-saxon", "Afro-Asian")
    ('Canon law', 'MEN', 'Anglo-Saxon')
    """
    if is_shouted(written):
        return word.upper()
    parts = written.replace("-", " ").split()
    if len(parts) > 1 and all(part[0].isupper() for part in parts):
        return re.sub(r"[^ -]+", lambda part: capital(part[0]), word)
    return capital(word) if written[:1].isupper() else word


def is_shouted(text: str) -> bool:
    """Tell whether a text of more than one letter is in capitals."""
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def capital(word: str) -> str:
    """Return a word with a capital, if that is a single letter."""
    upper = word[:1].upper()
    return upper + word[1:] if len(upper) == 1 else word  # ß has no capital of one letter


def inside(word: str, language: Language, names: Collection[str]) -> str:
    """Return the first word of a sentence as it is written within one: a common word in lower case.

    names: the names of the record, in lower case.

    >>> from dialtools.languages import get
    >>> words = ("What", "Will", "Will's", "I", "I'm", "It's", "Don't", "Anna")
    >>> [inside(word, get("en"), {"will"}) for word in words]
    ['what', 'Will', "Will's", 'I', "I'm", "it's", "don't", 'Anna']
    """
    lower = word[:1].lower() + word[1:]
    plain = lower.replace("’", "'")
    # it of it's, can and do of can't and don't
    stems = {plain, plain.partition("'")[0], plain.removesuffix("n't")}
    if lower == word or len(lower) != len(word) or "i" in stems or not stems.isdisjoint(names):
        return word
    return word if stems.isdisjoint(_common(language)) else lower


@once_per_language
def _common(language: Language) -> frozenset[str]:
    """Return the function words, and the common words if the given names are known as well."""
    known = language.facts
    pools = [language.table(f"names/{pool}") for pool in language.tables("names")]
    names = {row["name"].lower() for rows in pools for row in rows}
    common = language.words - names if language.table("names/given") else frozenset()
    return (common - frozenset(known["capitalised"])) | frozenset(known["function_words"])
