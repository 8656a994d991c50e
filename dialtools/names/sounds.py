"""How a name begins and ends, as far as words beside it and endings depend on it."""

import functools

from dialtools.languages import Language
from dialtools.languages.scripts import compiled

OPEN = "…"  # ends an ending of endings.tsv after which the word may go on


@functools.lru_cache(maxsize=4096)
def last(name: str, language: Language) -> str:
    """Return the class of a name's last sound, a column of endings.tsv; "" in a language without
    endings.

    >>> from dialtools.languages import get
    >>> last("민준", get("ko")), last("민지", get("ko")), last("James", get("en"))
    ('consonant', 'vowel', 'hiss')
    """
    classes = language.facts.get("endings", {})
    return next(
        (label for label, ends in classes.items() if compiled(f"(?i){ends}").search(_plain(name))),
        "",
    )


@functools.lru_cache(maxsize=4096)
def begins(name: str, before: str) -> bool:
    """Does a name begin as a pattern of beginnings.tsv says?"""
    return compiled(f"(?i){before}").match(_plain(name)) is not None


def _plain(name: str) -> str:
    """Return a name in letters without accents, Hangul in its sounds."""
    import unicodedata

    return "".join(c for c in unicodedata.normalize("NFD", name) if unicodedata.category(c) != "Mn")


@functools.lru_cache(maxsize=None)
def tails(sound: str, language: Language) -> str:
    """Return the pattern of what may follow, as part of the word, a name with this last sound; ""
    for nothing.
    """
    import regex

    # those that are open, and then closed: 이 of 이가 is no ending of its own
    cells = {row[sound] for row in language.table("endings") if sound and row[sound]}
    found = [
        regex.escape(cell.rstrip(OPEN)) + ("" if cell.endswith(OPEN) else r"(?![\p{L}\p{M}])")
        for cell in sorted(cells, key=lambda cell: (-len(cell.rstrip(OPEN)), cell))
    ]
    return f"(?i:{'|'.join(found)})".replace("'", "['’]") if found else ""


@functools.lru_cache(maxsize=4096)
def endings(tail: str, sound: str, language: Language) -> list[dict]:
    """Return the rows of endings.tsv that have an ending after a last sound, the usual one first."""
    return [row for row in language.table("endings") if sound and row[sound].rstrip(OPEN) == tail]
