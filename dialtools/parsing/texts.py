"""The texts of a record and their tokens: in each turn, beside "text", under KEY_tokens; long texts in
chunks.

The tokens of a string under KEY are a list; those of a list of strings are a
list of such lists, in its order.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from dialtools.languages import Language
from dialtools.records import validation
from dialtools.system.errors import RecordError
from dialtools.text import sentences

LONGEST = 2000  # code points of a chunk: some 400 words, more than any spoken sentence


class TokenizedText(NamedTuple):
    """A text of a record, its tokens or None, and its place in words."""

    text: str
    tokens: list[dict] | None
    where: str


def key(also: str) -> str:
    """Return the key for the tokens of a string.

    >>> key("reference")
    'reference_tokens'
    """
    return f"{also}_tokens"


def texts(view: dict, also: Iterable[str] = ()) -> list[TokenizedText]:
    """Return the texts of a record whose dialogue is a list, turns first.

    also: further keys; RecordError if one is missing.
    """
    listed = [
        TokenizedText(turn["text"], turn.get("tokens"), f"in turn {number}")
        for number, turn in enumerate(view.get("dialogue") or [], 1)
    ]
    if view.get("text") is not None:
        listed.append(TokenizedText(view["text"], view.get("tokens"), "beside its text"))
    for name in also:
        validation.require(view, name)
        strings = [view[name]] if isinstance(view[name], str) else view[name]
        tokens = _tokens(view, name, len(strings))
        listed += [
            TokenizedText(string, of_string, f"of its {name}")
            for string, of_string in zip(strings, tokens, strict=True)
        ]
    return listed


def _tokens(view: dict, name: str, count: int) -> list:
    """Return the tokens, or None, of each string under a key."""
    tokens = view.get(key(name))
    if tokens is None:
        return [None] * count
    lists = [tokens] if isinstance(view[name], str) else tokens
    if not all(
        isinstance(tokens, list) and all(isinstance(token, dict) for token in tokens)
        for tokens in lists
    ):
        raise RecordError(f'"{key(name)}" must be a list of tokens for each string of "{name}"')
    if len(lists) != count:
        raise RecordError(f'"{key(name)}" has tokens for {len(lists)} texts, "{name}" has {count}')
    return lists


def with_tokens(view: dict, also: Iterable[str], lists: Iterator[list[dict]]) -> dict:
    """Return the record with the next list of tokens for each of its `texts`."""
    parsed = dict(view)
    if view.get("dialogue"):
        parsed["dialogue"] = [{**turn, "tokens": next(lists)} for turn in view["dialogue"]]
    if view.get("text") is not None:
        parsed["tokens"] = next(lists)
    for name in also:
        is_one = isinstance(view[name], str)
        parsed[key(name)] = next(lists) if is_one else [next(lists) for _ in view[name]]
    return parsed


def split(text: str, language: Language) -> list[str]:
    """Return the chunks of a text: whole sentences, else words, else characters.

    The memory of a parser may grow with the square of a sentence.

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
        start = (
            last
            if last > start
            else next((end for end in range(limit, start, -1) if text[end - 1].isspace()), limit)
        )
    yield start
    yield len(text)


def joined(chunks: list[str], lists: Iterator[list[dict]]) -> list[dict]:
    """Return the tokens of a text from the next lists, one for each chunk; sentences count on."""
    tokens: list[dict] = []
    start = sent = 0
    for chunk in chunks:
        tokens += [
            {
                **token,
                "start": token["start"] + start,
                "end": token["end"] + start,
                "sent": token.get("sent", 1) + sent,
            }
            if start
            else token
            for token in next(lists)
        ]
        start += len(chunk)
        sent = tokens[-1].get("sent", 1) if tokens else 0
    return tokens
