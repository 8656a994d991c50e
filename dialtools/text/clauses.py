"""Sentences whose clauses change places: if it rains, I stay; I stay if it rains.

A row of a language's clauses.tsv has a pattern for a whole sentence in lower case without its end
mark, the permitted end marks (empty: any), and the sentence in another order, with {1} for the
first group of the pattern.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.text import capitals, sentences

LONGEST = 200  # code points; a longer sentence stays
_MARKS = " \t\n.!?…"
_UNCLEAR = re.compile(r"""["“”()\[\]…\n:;]|\.\.|\w[.!?]+\s|\s[-–—]+\s""")  # of several parts
_APART = re.compile(r"\w\s[.,?!]")  # marks with a space before them


class Row(NamedTuple):
    """A row of clauses.tsv."""

    sentence: re.Pattern
    ends: str
    rearranged: str


def rearranged(text: str, language: Language) -> str:
    """Return a text with the clauses of its sentences reordered where a row fits."""
    if not _rows(language):
        return text
    cuts = [0, *sentences.ends(text, language), len(text)]
    comma = " ," if _APART.search(text) else ","
    return "".join(_sentence(text[start:end], comma, language) for start, end in pairwise(cuts))


def _sentence(text: str, comma: str, language: Language) -> str:
    """Return a sentence reordered, its capital and its end mark in their places."""
    end = len(text.rstrip(_MARKS))
    start = min(end, next((at for at, letter in enumerate(text) if letter.isalnum()), 0))
    sentence, mark = text[start:end], text[end:].strip()
    plain = sentence.lower().replace("’", "'")
    is_clear = (
        len(sentence) <= LONGEST and len(plain) == len(sentence) and mark[:2] not in ("..", "…")
    )
    if not is_clear or _UNCLEAR.search(plain):
        return text
    for row in _rows(language):
        match = row.sentence.fullmatch(plain)
        if match and (not row.ends or not mark or mark[0] in row.ends):
            break
    else:
        return text
    word = sentence.split(maxsplit=1)[0]
    if word[:1].isupper():
        sentence = capitals.inside(word, language, ()) + sentence[len(word) :]
    spans = map(match.span, range(len(match.groups()) + 1))
    made = row.rearranged.replace(",", comma).format(*(sentence[at:to] for at, to in spans))
    return text[:start] + (capitals.capital(made) if word[:1].isupper() else made) + text[end:]


@once_per_language
def _rows(language: Language) -> list[Row]:
    return [
        Row(language.pattern("clauses", row["sentence"]), row["ends"], row["rearranged"])
        for row in language.written("clauses")
    ]
