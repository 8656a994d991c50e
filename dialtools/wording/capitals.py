"""The capital that a word has for beginning a sentence."""

import functools
from collections.abc import Collection
from dialtools.languages import Language


def inside(word: str, language: Language, names: Collection[str]) -> str:
    """Return a word that began a sentence as it reads inside one: without its capital, if it is a common word.

    names: words that are names in this record, in lower case.

    >>> from dialtools.languages import get
    >>> [inside(word, get("en"), {"will"}) for word in ("What", "Will", "Will's", "I", "I'm", "It's", "Don't", "Anna")]
    ['what', 'Will', "Will's", 'I', "I'm", "it's", "don't", 'Anna']
    """
    lower = word[:1].lower() + word[1:]
    plain = lower.replace("’", "'")
    stems = {plain, plain.partition("'")[0], plain.removesuffix("n't")}  # it of it's, can and do of can't and don't
    if lower == word or len(lower) != len(word) or "i" in stems or not stems.isdisjoint(names):
        return word
    return word if stems.isdisjoint(_common(language)) else lower


@functools.lru_cache(maxsize=None)
def _common(language: Language) -> frozenset[str]:
    """Return the function words of a language, and its common words where its given names are known as well."""
    known = language.facts
    pools = [language.table(f"names/{pool}") for pool in language.tables("names")]
    names = {row["name"].lower() for rows in pools for row in rows}
    common = language.words - names if language.table("names/given") else frozenset()
    return (common - frozenset(known["capitalised"])) | frozenset(known["function_words"])
