"""The plural of a noun, by the rules of a language's plurals.tsv."""

import re

from dialtools.languages import Language, once_per_language


def of(noun: str, language: Language) -> str | None:
    """Return a noun's regular plural, None for a function word or without rules.

    >>> from dialtools.languages import get
    >>> [of(noun, get("en")) for noun in ("lady", "policewoman", "she")], of("老人", get("zh"))
    (['ladies', 'policewomen', None], None)
    """
    if not noun[-1].isalpha() or noun in _function_words(language):
        return None
    return next(
        (
            ending.sub(plural, noun, count=1)
            for ending, plural in _rules(language)
            if ending.search(noun)
        ),
        None,
    )


@once_per_language
def _rules(language: Language) -> list[tuple[re.Pattern, str]]:
    return [
        (language.pattern("plurals", row["ending"]), row["plural"])
        for row in language.table("plurals")
    ]


@once_per_language
def _function_words(language: Language) -> frozenset[str]:
    return frozenset(language.facts["function_words"])
