"""The words of a text that may be touched, and the spans that never are."""

import functools
from collections.abc import Iterator
from typing import NamedTuple

from dialtools import dialogue
from dialtools.errors import OptionError

ADDRESSES = (r"https?://\S+", r"www\.\S+", r"[\w.+-]+@[\w-]+\.\w[\w.-]*",
             r"\b[\w-]+\.(?:com|org|net|edu|txt|pdf|docx?|jpe?g|png|gif|mp[34]|html?|py|sh|zip|conf|list)\b")
MARKS = (r"#\w+#?", r"<[^<>\s]+>")  # placeholders, hashtags, tags
_SENTENCE_ENDS = frozenset(".!?…।。！？\n")


def check_rate(rate: float) -> None:
    """Raise OptionError unless a rate lies between 0 and 1."""
    if not 0 <= rate <= 1:
        raise OptionError(f"a rate is from 0 to 1, here is {rate}")


def protected(record: dict) -> set[str]:
    """Return, in lower case, the words that no typo touches: those of the speakers' names, and tokens tagged PROPN."""
    turns = dialogue.turns(record)
    names = {word.text.lower() for name in dialogue.speakers(turns) for word in words(name)}
    return names | {token["form"].lower() for holder in (*turns, record) for token in holder.get("tokens") or ()
                    if token.get("upos") == "PROPN"}


class Word(NamedTuple):
    """A word of a text, where it stands (code points), and whether a sentence begins with it."""

    text: str
    start: int
    end: int
    first: bool


@functools.lru_cache(maxsize=1)
def _pattern():
    import regex

    # Begins and ends where people see a character begin and end.
    more = r"\p{M}\p{GCB=Extend}\u200d"
    word = rf"(?<!\p{{GCB=Prepend}})[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}{more}]*(?:['’]\p{{L}}[\p{{L}}{more}]*)*"
    return regex.compile("|".join([*ADDRESSES, *MARKS, r"@\w+", f"(?P<word>{word})"]))


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text from left to right; don't is one word.

    >>> [word.text for word in words("Don't tell #Person1#: it's on www.example.com!")]
    ["Don't", 'tell', "it's", 'on']
    """
    first, at = True, 0
    for match in _pattern().finditer(text):
        first = first or not _SENTENCE_ENDS.isdisjoint(text[at:match.start()])
        at = match.end()
        if match["word"]:
            yield Word(match["word"], match.start(), at, first)
            first = False
