"""A word in the case in which another one is written."""

import re


def like(word: str, written: str) -> str:
    """Return a word, or several, in the case of another: as it is, with a capital, with one each, or all capitals.

    >>> like("canon law", "Sharia"), like("anglo-american", "African-American"), like("men", "WOMEN")
    ('Canon law', 'Anglo-American', 'MEN')
    """
    if is_shouted(written):
        return word.upper()
    parts = written.replace("-", " ").split()
    if len(parts) > 1 and all(part[0].isupper() for part in parts):
        return re.sub(r"[^ -]+", lambda part: capital(part[0]), word)
    return capital(word) if written[:1].isupper() else word


def is_shouted(text: str) -> bool:
    """Is a text of more than one letter in capitals?"""
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def capital(word: str) -> str:
    """Return a word with a capital, if that is one letter."""
    upper = word[:1].upper()
    return upper + word[1:] if len(upper) == 1 else word  # ß has no capital of one letter
