"""Chunks of texts too long for a parser, whose memory may grow with the square of a sentence."""

from collections.abc import Iterator
from itertools import pairwise

from dialtools.languages import Language
from dialtools.text import sentences

LONGEST = 2000  # code points: some 400 words, more than any spoken sentence


def split(text: str, language: Language) -> list[str]:
    """Return the chunks that a text consists of: whole sentences, else words, else characters.

    >>> from dialtools import languages
    >>> [len(chunk) for chunk in split("It rains. " * 300, languages.get("en"))]
    [1999, 1001]
    """
    if len(text) <= LONGEST:
        return [text]
    return [text[start:end] for start, end in pairwise(_starts(text, language))]


def _starts(text: str, language: Language) -> Iterator[int]:
    """Yield the start of each chunk, then the end of the text."""
    ends = sentences.ends(text, language)
    start = number = 0
    while len(text) - start > LONGEST:
        yield start
        limit, last = start + LONGEST, start
        while number < len(ends) and ends[number] <= limit:
            last, number = ends[number], number + 1
        start = last if last > start else _space(text, start, limit)
    yield start
    yield len(text)


def _space(text: str, start: int, limit: int) -> int:
    """Return the start of the last word before the limit, or the limit if there is no space."""
    return next((at for at in range(limit, start, -1) if text[at - 1].isspace()), limit)


def joined(chunks: list[str], lists: Iterator[list[dict]]) -> list[dict]:
    """Return the tokens of a text from the next lists, one for each chunk; sentences count on."""
    tokens: list[dict] = []
    at = sent = 0
    for chunk in chunks:
        found = next(lists)
        if at:
            found = [
                {
                    **token,
                    "start": token["start"] + at,
                    "end": token["end"] + at,
                    "sent": token.get("sent", 1) + sent,
                }
                for token in found
            ]
        tokens += found
        at += len(chunk)
        sent = tokens[-1].get("sent", 1) if tokens else 0
    return tokens
