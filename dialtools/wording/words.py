"""The words of a text that may be touched, and the spans that never are."""

import functools
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate
from random import Random
from re import Match

from dialtools.errors import OptionError
from dialtools.languages.scripts import COMBINING, ENDS, UNSPACED, compiled
from dialtools.records import dialogue

# Those that may begin with any letter are looked for where a run of letters begins: else a long run takes for ever.
_URL = r"[^\s，。！？、；：（）【】「」『』《》]+"  # a sentence may go on without a space
# Of a mail address: the letters of scripts with spaces, which its user may have none of: 李明@x.com, but 给李明a@x.com.
_LETTER = (r"0-9A-Za-z_\u00c0-\u052f\u0561-\u0587\u05d0-\u05ea\u0620-\u0669\u066e-\u06d3\u0900-\u0963\u0966-\u0dff"
           r"\u1e00-\u1fff")
_JOINED = r"\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7ff"
_USER = rf"(?:(?<![{_LETTER}.+-])[{_LETTER}.+-]+|(?<![{_JOINED}])[{_JOINED}]+)"
ADDRESSES = (f"https?://{_URL}", rf"www\.{_URL}", rf"{_USER}@[{_LETTER}-]+\.[{_LETTER}][{_LETTER}.-]*",
             rf"(?:(?<![{_LETTER}-])(?<![{_LETTER}-]\.)[{_LETTER}-]+|(?<![{_JOINED}])[{_JOINED}]+)\."  # not wait...list
             rf"(?:[{_LETTER}-]+\.){{0,9}}(?:com?|org|net|edu|gov|uk|jp|cn|txt|pdf|docx?|jpe?g|png|gif|mp[34]|html?|py"
             rf"|sh|zip|conf|list)(?:\.[a-z]{{2}})?(?![{_LETTER}])(?:/{_URL})?")
MARKS = (r"#\w+#?", r"<[^<>\s]+>")  # placeholders, hashtags, tags
CODE = (rf"(?<![{_LETTER}])`(?![`\s])[^`\n]*(?<!\s)`(?![{_LETTER}])",  # not: I don`t and he doesn`t
        r"</?[^\W\d][\w:-]*\s[^<>=\n]*=[^<>\n]*>")  # a tag with attributes
TITLE = 60  # code points of a title at most
LETTERS = 2  # that count as a word where there are no spaces
_SENTENCE_ENDS = frozenset(ENDS + "\n")
Word = tuple[str, int, int]  # and where it stands, from, to, in code points


def check_rate(rate: float) -> None:
    """Raise OptionError unless a rate lies between 0 and 1."""
    if not 0 <= rate <= 1:
        raise OptionError(f"a rate is from 0 to 1, here is {rate}")


def protected(record: dict) -> set[str]:
    """Return, in lower case, the words that no typo touches: those of the speakers' names, and tokens tagged PROPN."""
    turns = dialogue.turns(record)
    names = {word for name in dialogue.speakers(turns) for word in _of_name(name)}
    return names | {token["form"].lower() for holder in (*turns, record) for token in holder.get("tokens") or ()
                    if token.get("upos") == "PROPN"}


@functools.lru_cache(maxsize=1000)
def _of_name(name: str) -> list[str]:
    return [word.lower() for word, _, _ in words(name)]


def is_held(text: str, start: int, end: int) -> bool:
    """Does a span touch an address, a placeholder, a hashtag or code, or is it in the title of a book or a film, 《…》?

    Between two letters: is it in one?
    """
    opened = text.rfind("《", max(0, start - TITLE), start)
    if opened >= 0 and text.find("》", opened, start) < 0 <= text.find("》", end, end + TITLE):
        return True
    return not is_plain(text) and among(addresses(text), start, end)


def among(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Does a place share a character with one of some sorted spans?"""
    first = bisect_right(spans, start, key=lambda span: span[1])
    return first < len(spans) and spans[first][0] < end


def by_length(names: Collection[str]) -> dict[int, set[str]]:
    """Return names by their length, as `in_name` takes them: many cost it no more than few."""
    found: dict[int, set[str]] = {}
    for name in names:
        found.setdefault(len(name), set()).add(name)
    return found


def in_name(text: str, start: int, end: int, names: dict[int, set[str]]) -> bool:
    """Does a span of a text, in a script without spaces, touch one of the names, or is it held?

    Between two letters: is it in a name?
    """
    return is_held(text, start, end) or any(
        text[at:at + length] in found for length, found in names.items()
        for at in range(max(0, start - length + 1), min(end, len(text) - length + 1)))


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text from left to right; don't is one word.

    >>> [word for word, start, end in words("Don't tell #Person1#: it's on www.example.com!")]
    ["Don't", 'tell', "it's", 'on']
    """
    return ((match[0], *match.span()) for match in _matches(text))


def drawn(text: str, rng: Random, rate: float) -> list[Word]:
    """Return the words of a text that are drawn, each with probability `rate`, from left to right."""
    random, found = rng.random, []
    for at, part in parts(text):
        if part.isascii() and is_plain(part) and not _ODD_APOSTROPHE(part):
            pieces = part.encode().translate(_APART).decode().split(" ")  # takes half of the time of the pattern
            chosen = [number for number, word in enumerate(pieces) if word and random() < rate]
            starts = list(accumulate(map(len, pieces), initial=at)) if chosen else []
            for number in chosen:
                word, start = pieces[number], starts[number] + number  # each piece before it was followed by one space
                found.append((word, start, start + len(word)))
        else:
            found += [(match[0], at + match.start(), at + match.end()) for match in _matches(part) if random() < rate]
    return found


def parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, part) of a text: all of it where a plain pattern will do for all, else line by line."""
    if "\n" not in text or (text.isascii() and is_plain(text)):
        yield 0, text
    else:
        lines = text.split("\n")
        yield from zip(accumulate([len(line) + 1 for line in lines], initial=0), lines, strict=False)


def _matches(text: str) -> Iterable[Match]:
    """Return the matches of the words of a text; most texts are plain, and a plain pattern is four times faster."""
    if is_plain(text):
        return _PLAIN(text) if text.isascii() else compiled(_ONLY_WORD).finditer(text)
    return (match for match in compiled(_WORD_OR_ADDRESS).finditer(text) if match["word"])


def opens(text: str, at: int) -> bool:
    """Does a sentence begin with the word that begins here?"""
    while at and not text[at - 1].isalnum():
        at -= 1
        if text[at] in _SENTENCE_ENDS:
            return True
    return at == 0


def is_capitalised(text: str, token: dict) -> bool:
    """Has a word a capital inside a sentence, and others none (New Year, Peter the Great)?"""
    form = token["form"]
    return form[:1].isupper() and not form.isupper() and not opens(text, token["start"])


@functools.lru_cache(maxsize=8)  # asked for each word of a text, which may be long
def is_plain(text: str) -> bool:
    """Is there surely no address, placeholder, hashtag or code in a text?"""
    return not ("@" in text or "#" in text or "<" in text or "://" in text or _DOTTED(text)
                or ("`" in text and _OPENS_CODE(text)))


def is_address(text: str, at: int) -> bool:
    """Does an address, a placeholder, a hashtag or code begin here?  Not in a text that is plain."""
    return compiled(_HELD).match(text, at) is not None


@functools.lru_cache(maxsize=8)
def addresses(text: str) -> list[tuple[int, int]]:
    """Return where addresses, placeholders, hashtags and code stand in a text."""
    return [match.span() for match in compiled(_HELD).finditer(text)]


_OPENS_CODE = re.compile(r"`[^`\s]").search  # not `` in text that is told apart by spaces: `` hi ''
_DOTTED = re.compile(r"\.\w").search
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)*").finditer
_APART = bytes(byte if chr(byte).isalnum() or byte == ord("'") else ord(" ") for byte in range(256))
_ODD_APOSTROPHE = re.compile(r"'(?:(?<![A-Za-z0-9]')|(?![A-Za-z]+(?![A-Za-z0-9])))").search  # at the edge of a word

# A word begins and ends where people see a character begin and end, and where scripts without spaces meet others.
_FIRST = rf"[[\p{{L}}\p{{N}}]--[{UNSPACED}]]"
_AFTER = rf"['’][\p{{L}}--[{UNSPACED}]][[\p{{L}}{COMBINING}]--[{UNSPACED}]]*"
_SPACED = rf"{_FIRST}[{_FIRST}{COMBINING}]*(?:{_AFTER})*"
_WORD = rf"(?<!\p{{GCB=Prepend}})(?:[{UNSPACED}][{UNSPACED}{COMBINING}]*|{_SPACED})"
_HELD = "(?V1)(?:" + "|".join([*ADDRESSES, *MARKS, *CODE, r"@\w+"]) + r")(?:['’]s\b)?"  # that 's is no word
_ONLY_WORD, _WORD_OR_ADDRESS = f"(?V1){_WORD}", f"{_HELD}|(?P<word>{_WORD})"
