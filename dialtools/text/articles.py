"""The article before a word that was replaced: a woman, an uncle."""

import re

from dialtools.languages import Language, once_per_language
from dialtools.text import capitals


def edits(
    pointer: str, text: str, start: int, following: str, language: Language, first: int = 0
) -> list[list]:
    """Return the edit of the article before a place, if it does not fit the new text that follows.

    first: the least start of an article; the text before it belongs to another edit.

    >>> from dialtools.languages import get
    >>> edits("/text", "an aunt", 3, "man", get("en"))
    [['/text', 0, 2, 'an', 'a', 'article']]
    """
    for word, changed, pattern in _rows(language):
        match = re.search(
            rf"(?<!\w)(?:{word}|{changed})(?= $)", text[max(start - 6, 0) : start], re.IGNORECASE
        )
        if match and following[:1].isalpha():
            wanted = changed if pattern.match(following) else word
            at = start - len(match[0]) - 1
            if wanted != match[0].lower() and at >= first:
                return [
                    [pointer, at, start - 1, match[0], capitals.like(wanted, match[0]), "article"]
                ]
    return []


@once_per_language
def _rows(language: Language) -> list[tuple[str, str, re.Pattern]]:
    """Return (usual article, changed article, pattern of words after the changed one)."""
    return [
        (row["word"], row["changed"], language.pattern("beginnings", row["before"], re.IGNORECASE))
        for row in language.table("beginnings")
        if row["word"].isalpha() and row["changed"].isalpha() and not row["gender"]
    ]
