"""Words of a text that may be changed, and the spans that stay."""

import functools
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, compress
from re import Match
from typing import TYPE_CHECKING

from dialtools.languages.scripts import COMBINING, ENDS, UNSPACED, compiled
from dialtools.records import dialogue
from dialtools.system.errors import OptionError

if TYPE_CHECKING:  # else --help would import it
    from random import Random

# A pattern that may begin with any letter begins with a run of letters, else a long run is slow.
_URL = r"[^\s，。！？、；：（）【】「」『』《》]+"  # a sentence may go on without a space
# Letters of scripts with spaces; the user of a mail address has only these, or none: 李明@x.com.
_LETTER = (
    r"0-9A-Za-z_\u00c0-\u052f\u0561-\u0587\u05d0-\u05ea\u0620-\u0669\u066e-\u06d3"
    r"\u0900-\u0963\u0966-\u0dff\u1e00-\u1fff"
)
_JOINED = r"\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7ff"
_USER = rf"(?:(?<![{_LETTER}.+-])[{_LETTER}.+-]+|(?<![{_JOINED}])[{_JOINED}]+)"
_HOST = rf"(?:(?<![{_LETTER}-])(?<![{_LETTER}-]\.)[{_LETTER}-]+|(?<![{_JOINED}])[{_JOINED}]+)\."
_DOMAIN = (
    r"(?:com?|org|net|edu|gov|uk|jp|cn|txt|pdf|docx?|jpe?g|png|gif|mp[34]|html?|py|sh|zip"
    r"|conf|list)(?:\.[a-z]{2})?"
)
ADDRESSES = (
    f"https?://{_URL}",
    rf"www\.{_URL}",
    rf"{_USER}@[{_LETTER}-]+\.[{_LETTER}][{_LETTER}.-]*",
    rf"{_HOST}(?:[{_LETTER}-]+\.){{0,9}}{_DOMAIN}(?![{_LETTER}])(?:/{_URL})?",
)
MARKS = (r"#\w+#?", r"<[^<>\s]+>")  # placeholders, hashtags, tags
CODE = (
    rf"(?<![{_LETTER}])`(?![`\s])[^`\n]*(?<!\s)`(?![{_LETTER}])",  # not: I don`t and he doesn`t
    r"</?[^\W\d][\w:-]*\s[^<>=\n]*=[^<>\n]*>",
)  # a tag with attributes
TITLE = 60  # code points of a title at most
LETTERS = 2  # as many as a word in a text without spaces
_SENTENCE_ENDS = frozenset(ENDS + "\n")
Word = tuple[str, int, int]  # with its start and end in code points


def check_rate(rate: float) -> None:
    """Raise OptionError unless a rate lies between 0 and 1."""
    if not 0 <= rate <= 1:
        raise OptionError(f"a rate is from 0 to 1, here is {rate}")


def protected(record: dict) -> set[str]:
    """Return the words in lower case that stay: of speakers' names, and tokens tagged PROPN."""
    turns = dialogue.turns(record)
    names = {word.lower() for name in dialogue.speakers(turns) for word, _, _ in words(name)}
    tokens = [token for holder in (*turns, record) for token in holder.get("tokens") or ()]
    return names | {token["form"].lower() for token in tokens if token.get("upos") == "PROPN"}


def is_held(text: str, start: int, end: int) -> bool:
    """Tell whether a span touches an address, a placeholder, a hashtag, code or a title, 《…》.

    A span between two letters is asked whether it is inside one.
    """
    opened = text.rfind("《", max(0, start - TITLE), start)
    if opened >= 0 and text.find("》", opened, start) < 0 <= text.find("》", end, end + TITLE):
        return True
    return not is_plain(text) and among(addresses(text), start, end)


def among(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a place shares a character with one of the sorted spans."""
    first = bisect_right(spans, start, key=lambda span: span[1])
    return first < len(spans) and spans[first][0] < end


def by_length(names: Collection[str]) -> dict[int, set[str]]:
    """Return names by their length, for `in_name`, which is as fast for many as for few."""
    sized: dict[int, set[str]] = {}
    for name in names:
        sized.setdefault(len(name), set()).add(name)
    return sized


def in_name(text: str, start: int, end: int, names: dict[int, set[str]]) -> bool:
    """Tell whether a span of a text without spaces is held, or touches one of the names.

    A span between two letters is asked whether it is inside a name.
    """
    return is_held(text, start, end) or any(
        text[first : first + length] in of_length
        for length, of_length in names.items()
        for first in range(max(0, start - length + 1), min(end, len(text) - length + 1))
    )


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text from left to right; don't is one word.

    >>> [word for word, start, end in words("Don't tell #Person1#: it's on www.example.com!")]
    ["Don't", 'tell', "it's", 'on']
    """
    return ((match[0], *match.span()) for match in _matches(text))


def drawn(text: str, rng: "Random", rate: float) -> list[Word]:
    """Draw each word of a text with probability `rate`, from left to right."""
    # compress and map run in C: one random number for each word, in their order
    is_drawn = map(float(rate).__gt__, iter(rng.random, None))
    chosen: list[Word] = []
    for offset, part in parts(text):
        if part.isascii() and is_plain(part) and not _ODD_APOSTROPHE(part):
            pieces = part.encode().translate(_APART).decode().split(" ")  # twice as fast as _PLAIN
            numbers = list(compress(compress(range(len(pieces)), pieces), is_drawn))
            starts = list(accumulate(map(len, pieces), initial=offset)) if numbers else []
            for number in numbers:
                word, start = pieces[number], starts[number] + number  # a space after each piece
                chosen.append((word, start, start + len(word)))
        else:
            chosen += [
                (match[0], offset + match.start(), offset + match.end())
                for match in compress(_matches(part), is_drawn)
            ]
    return chosen


def one(rng: "Random", choices: Sequence):
    """Return one of some choices; three times faster than rng.choice."""
    return choices[int(rng.random() * len(choices))]


def parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, part) of a text: the whole if it is plain, else its lines."""
    if "\n" not in text or (text.isascii() and is_plain(text)):
        yield 0, text
    else:
        lines = text.split("\n")
        starts = accumulate([len(line) + 1 for line in lines], initial=0)
        yield from zip(starts, lines, strict=False)


def _matches(text: str) -> Iterable[Match]:
    """Return the matches of the words of a text; plain texts have a pattern four times faster."""
    if is_plain(text):
        return _PLAIN(text) if text.isascii() else compiled(_ONLY_WORD).finditer(text)
    return (match for match in compiled(_WORD_OR_ADDRESS).finditer(text) if match["word"])


def opens(text: str, place: int) -> bool:
    """Tell whether the word that begins here begins a sentence."""
    while place and not text[place - 1].isalnum():
        place -= 1
        if text[place] in _SENTENCE_ENDS:
            return True
    return place == 0


def is_capitalised(text: str, token: dict) -> bool:
    """Tell whether a word within a sentence has one capital (New Year, Peter the Great)."""
    form = token["form"]
    return form[:1].isupper() and not form.isupper() and not opens(text, token["start"])


@functools.lru_cache(maxsize=8)  # callers ask for each word of a text
def is_plain(text: str) -> bool:
    """Tell whether a text is certainly without addresses, placeholders, hashtags and code."""
    return not (
        "@" in text
        or "#" in text
        or "<" in text
        or "://" in text
        or _DOTTED(text)
        or ("`" in text and _OPENS_CODE(text))
    )


def is_address(text: str, at: int) -> bool:
    """Tell whether an address, a placeholder, a hashtag or code begins here in a text not plain."""
    return compiled(_HELD).match(text, at) is not None


@functools.lru_cache(maxsize=8)
def addresses(text: str) -> list[tuple[int, int]]:
    """Return the spans of addresses, placeholders, hashtags and code."""
    return [match.span() for match in compiled(_HELD).finditer(text)]


def alternatives(
    forms: Iterable[str], after: Callable[[str], str] = lambda last: "", last: str = ""
) -> str:
    """Return a pattern of the longest of some forms, (?!) where there are none.

    It branches letter by letter, and is fast however many forms there are.

    after: last letter of a form -> what there must be behind it.
    last: the letter before.

    >>> alternatives(["do", "don't", "did"])
    "d(?:o(?:n't|)|id)"
    """
    tails: dict[str, list[str]] = {}
    for form in forms:
        tails.setdefault(form[:1], []).append(form[1:])
    may_end = tails.pop("", None) is not None
    branches = [re.escape(head) + alternatives(tail, after, head) for head, tail in tails.items()]
    if may_end:
        branches.append(after(last))
    if len(branches) == 1:
        return branches[0]
    return f"(?:{'|'.join(branches)})" if branches else "(?!)"


_OPENS_CODE = re.compile(r"`[^`\s]").search  # not `` in tokenised text: `` hi ''
_DOTTED = re.compile(r"\.\w").search
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)*").finditer
_APART = bytes(byte if chr(byte).isalnum() or byte == ord("'") else ord(" ") for byte in range(256))
# An apostrophe at the edge of a word.
_ODD_APOSTROPHE = re.compile(r"'(?:(?<![A-Za-z0-9]')|(?![A-Za-z]+(?![A-Za-z0-9])))").search

# A word ends at whole characters, and where scripts without spaces meet others.
_FIRST = rf"[[\p{{L}}\p{{N}}]--[{UNSPACED}]]"
_AFTER = rf"['’][\p{{L}}--[{UNSPACED}]][[\p{{L}}{COMBINING}]--[{UNSPACED}]]*"
_SPACED = rf"{_FIRST}[{_FIRST}{COMBINING}]*(?:{_AFTER})*"
_WORD = rf"(?<!\p{{GCB=Prepend}})(?:[{UNSPACED}][{UNSPACED}{COMBINING}]*|{_SPACED})"
_HELD = "(?V1)(?:" + "|".join([*ADDRESSES, *MARKS, *CODE, r"@\w+"]) + r")(?:['’]s\b)?"
_ONLY_WORD, _WORD_OR_ADDRESS = f"(?V1){_WORD}", f"{_HELD}|(?P<word>{_WORD})"
