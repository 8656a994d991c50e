"""The plural of a noun, by the rules of a language's plurals.tsv."""

import functools
import re

from dialtools import languages


def of(noun: str, lang: str) -> str | None:
    """Return a noun's regular plural; None for a function word, and where the language has no rules.

    >>> of("lady", "en"), of("policewoman", "en"), of("she", "en"), of("老人", "zh")
    ('ladies', 'policewomen', None, None)
    """
    if not noun[-1].isalpha() or noun in _function_words(lang):
        return None
    return next((ending.sub(plural, noun, count=1) for ending, plural in _rules(lang) if ending.search(noun)), None)


@functools.lru_cache(maxsize=None)
def _rules(lang: str) -> list[tuple[re.Pattern, str]]:
    return [(languages.pattern(lang, "plurals", row["ending"]), row["plural"])
            for row in languages.table(lang, "plurals")]


@functools.lru_cache(maxsize=None)
def _function_words(lang: str) -> frozenset[str]:
    return frozenset(languages.load(lang)["function_words"])
