"""Mentions of names in a text, found from left to right, the longest first."""

import functools
import heapq
import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from dialtools.languages import Language
from dialtools.languages.scripts import JOINED, JOINERS, KATAKANA, compiled
from dialtools.names import orthography
from dialtools.names.orthography import is_visible, key, tolerant
from dialtools.text.words import ADDRESSES, MARKS

_LATIN, _OTHER = r"\p{Latin}", r"\p{L}"
# The last letter of a name stretched to three or more (Annaaa).
_STRETCH = r"(?<=(?P<last>\p{L}))(?:(?P=last){2,}|(?<=(?P=last)(?P=last))(?P=last))"
_ADDRESS = r"@|//|www\.|\.[a-z]"  # where there may be an address
# Single letters, parted in one way: B-O-B, b. o. b, B O B.
_SPELLED = (
    r"(?<![\w'’])(?<!\w[-–.·])[^\W\d_]( ?[-–,/·] ?|\. ?| )[^\W\d_]"
    r"(?:\1[^\W\d_])+(?!\w|\1\w)"
)
MANY = 500  # names of which each line is searched for those that it holds
FEW = 20  # names that are sooner looked for one by one than by the words of a text


class Span(NamedTuple):
    """A part of a text that is no place for names."""

    start: int
    end: int
    is_guard: bool  # names in it are none; in an address or a tag they are left


class Mention(NamedTuple):
    """A name in a text: where it stands (code points), the form that was found, as it is written
    there.
    """

    start: int
    end: int
    form: str
    written: str  # without what follows
    tail: str  # what follows as part of the word: letters of a stretched name, an ending
    spelled: str  # what parts the letters of a name that is spelled out, "" for any other
    address: bool = False  # is it in an address or a tag?

    def before(self, text: str, size: int) -> str:
        """Return what stands before the mention in its line, so many code points at most."""
        line = text.rfind("\n", 0, self.start) + 1
        return text[max(self.start - size, line) : self.start]

    def after(self, text: str, size: int) -> str:
        """Return what stands after the mention in its line, so many code points at most."""
        return text[self.end : self.end + size].partition("\n")[0]

    def is_label(self, text: str) -> bool:
        """Does the mention stand as the label of a turn, at the beginning of a line and before a
        colon?
        """
        return (
            text.rfind("\n", 0, self.start) + 1 == self.start
            and not self.tail
            and re.match(r"[^\S\n]*[:：]", text[self.end : self.end + 4]) is not None
        )


class SearchedForms(NamedTuple):
    """Forms of names, made ready to be looked for."""

    forms: tuple[str, ...]  # the longest first; no two are the same but for case or encoding
    literals: tuple[str, ...]  # the same in lower case, if ASCII writes each in one way; else none
    shorter: tuple[list[int], ...]  # for each of them, which other ones it begins with
    known: dict[str, str]  # by their keys
    exact: frozenset[str]


class Index(NamedTuple):
    """Many forms of names, made ready to be looked up."""

    forms: dict[str, list[str]]  # by what all ways to write them have in common
    sizes: set[int]  # of that


def indexed(forms: Collection[str] | Index) -> tuple[str, ...] | Index:
    """Return forms as they are looked for; an index of many, which takes time to make and none to
    pass on.
    """
    if isinstance(forms, Index) or len(forms) < MANY:
        return forms if isinstance(forms, Index) else tuple(forms)
    by_key: dict[str, list[str]] = {}
    for form in forms:
        by_key.setdefault(key(form), []).append(form)
    return Index(by_key, set(map(len, by_key)))


def mentions(
    text: str, forms: Collection[str] | Index, language: Language, guards: tuple[str, ...] = ()
) -> Iterable[Mention]:
    """Return each place where one of the forms stands in a text, in any case.

    >>> from dialtools.languages import get
    >>> text = "Hi Annaaaa, is Annie with Ann's?"
    >>> [(mention.form, mention.tail) for mention in mentions(text, ["Ann", "Anna"], get("en"))]
    [('Anna', 'aaa'), ('Ann', "'s")]
    """
    forms = indexed(forms)
    if isinstance(forms, Index):
        return _by_lines(text, forms, language, guards)
    return _of_candidates(text, candidates(text, forms), language, guards)


def _by_lines(
    text: str, forms: Index, language: Language, guards: tuple[str, ...]
) -> Iterator[Mention]:
    offset = 0
    # few of many names stand in a line, and are looked for there
    for line in text.splitlines(keepends=True):
        for mention in _of_candidates(line, standing(line, forms), language, guards):
            yield mention._replace(start=mention.start + offset, end=mention.end + offset)
        offset += len(line)


def _of_candidates(
    text: str, candidates: tuple[str, ...], language: Language, guards: tuple[str, ...]
) -> Iterable[Mention]:
    if not candidates:
        return ()
    names, spans = _ready(candidates), _untouched(text, guards)
    written, spelled = _written(text, names, spans, language), list(_spelled(text, names, spans))
    return heapq.merge(spelled, written) if spelled else written


def _written(
    text: str, names: SearchedForms, spans: list[Span], language: Language
) -> Iterator[Mention]:
    searched_to = 0
    for start, end, number in _hits(text, names):
        if start < searched_to:
            continue
        span = _covering(spans, start) if spans else None
        if span and span.is_guard:
            searched_to = span.end
            continue
        mention = _bounded(text, start, end, number, names, language)
        searched_to = mention.end if mention else start + 1
        if mention:
            yield mention._replace(address=True) if span else mention


def _hits(text: str, names: SearchedForms) -> Iterable[tuple[int, int, int]]:
    """Return where forms begin and end in a text, with the number of the longest that begins there.

    To make a pattern takes longer than to look for each form of a record by itself.
    """
    if names.literals and text.isascii():
        lower = text.lower()
        first: dict[int, tuple[int, int, int]] = {}
        for number, literal in enumerate(names.literals):
            start = lower.find(literal)
            while start >= 0:
                first.setdefault(start, (start, start + len(literal), number))
                start = lower.find(literal, start + 1)
        return sorted(first.values())
    return _overlapping_matches(text, _pattern(names.forms))


def _overlapping_matches(text: str, pattern: re.Pattern) -> Iterator[tuple[int, int, int]]:
    match = pattern.search(text)
    while match:
        yield *match.span(), (match.lastindex or 0) - 1
        match = pattern.search(text, match.start() + 1)


@functools.lru_cache(maxsize=1024)
def _pattern(forms: tuple[str, ...]) -> re.Pattern:
    """Return the pattern of all forms; group n is form n."""
    return re.compile("|".join(f"({tolerant(form)})" for form in forms) or "(?!)", re.IGNORECASE)


def _bounded(
    text: str, start: int, longest_end: int, longest: int, names: SearchedForms, language: Language
) -> Mention | None:
    """Return the longest form that ends as a word, None if each goes on as another one.

    start, longest_end: where the longest form begins and ends; longest: its number.
    """
    for number in (longest, *names.shorter[longest]):
        form = names.forms[number]
        if number == longest:
            end = longest_end
        elif names.literals and text.isascii():
            end = start + len(form)
        elif match := re.compile(tolerant(form), re.IGNORECASE).match(text, start):
            end = match.end()
        else:
            continue
        before, after = _bounds(form, language)
        if before is not None and not before.match(text, start):
            continue
        if tail := after.match(text, end):
            written = text[start:end]
            form = written if written in names.exact else form
            return Mention(start, tail.end(), form, written, tail["tail"] or "", "")
    return None


def _spelled(text: str, names: SearchedForms, spans: list[Span]) -> Iterator[Mention]:
    for match in re.finditer(_SPELLED, text):
        form = names.known.get(key(match[0].replace(match[1], "")))
        if form and not _covering(spans, match.start()):
            yield Mention(match.start(), match.end(), form, match[0], "", match[1])


@functools.lru_cache(maxsize=1024)
def _ready(forms: tuple[str, ...]) -> SearchedForms:
    """Return the forms made ready to be looked for."""
    known = {key(form): form for form in sorted(forms, key=_longest_first) if is_visible(form)}
    ordered = tuple(known.values())
    numbers = {name: number for number, name in enumerate(known)}
    shorter = tuple(
        [numbers[name[:end]] for end in range(len(name) - 1, 0, -1) if name[:end] in numbers]
        for name in known
    )
    is_literal = all(form.isascii() and not re.search(r"[\s'-]", form) for form in ordered)
    literals = tuple(map(str.lower, ordered)) if is_literal else ()
    return SearchedForms(ordered, literals, shorter, known, frozenset(forms))


def _longest_first(form: str) -> tuple[int, str]:
    """Return what sorts forms so that each comes before its beginnings, José with an accent apart
    before Jose.
    """
    from unicodedata import normalize

    return -len(form if form.isascii() else normalize("NFD", form)), form


@functools.lru_cache(maxsize=4096)
def _bounds(form: str, language: Language) -> tuple:
    """Return the patterns of what a form needs before it, None for nothing, and after it, with its
    tail.
    """
    script = _script(form[0])
    before = compiled(rf"(?<![{script}\p{{M}}\p{{N}}]|[\p{{L}}\p{{N}}]_)") if script else None
    script = _script(form[-1])
    tail = orthography.tails(orthography.last_sound(form, language), language)
    tails = "|".join(filter(None, [_STRETCH if script else "", tail])) or "(?!)"
    # Don is not in don't
    more = rf"[{script}\p{{M}}\p{{N}}]|[{JOINERS}]*\p{{M}}|_[\p{{L}}\p{{N}}]|(?i:['’]t\b)"
    return before, compiled(rf"(?P<tail>{tails})?" + (f"(?!{more})" if script else ""))


@functools.lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the class of letters that may not stand beside a name's first or last letter, "" for
    any.
    """
    # a vowel sign that ends a name is no letter
    word = letter.isalnum() or compiled(r"\p{M}").match(letter)
    if compiled(f"[{KATAKANA}]").match(letter):
        return KATAKANA
    if not word or compiled(f"[{JOINED}]").match(letter):
        return ""
    return _LATIN if letter.isascii() or compiled(_LATIN).match(letter) else _OTHER


def _untouched(text: str, guards: tuple[str, ...]) -> list[Span]:
    """Return each guard, address and tag in a text.

    What looks like an address is none of the names, but a name may look like a tag (#Person1#),
    whose span therefore begins behind its first sign.  <@U02XYZ> is no tag: chats mention people
    so.
    """
    addressed = re.search(_ADDRESS, text) is not None
    if not (guards or addressed or "#" in text or "<" in text):
        return []
    return [
        Span(
            match.start() + 1 if match.lastgroup == "tag" else match.start(),
            match.end(),
            match.lastgroup == "guard",
        )
        for match in _nowhere(guards, addressed).finditer(text)
    ]


@functools.lru_cache(maxsize=64)
def _nowhere(guards: tuple[str, ...], addressed: bool):
    import regex

    patterns = [*ADDRESSES] if addressed else []
    if guards:
        longest_first = sorted(guards, key=len, reverse=True)
        patterns.append(f"(?P<guard>{'|'.join(map(regex.escape, longest_first))})")
    patterns.append(f"(?P<tag>(?!<@)(?:{'|'.join(MARKS)}))")
    return regex.compile("|".join(patterns))


def _covering(spans: list[Span], place: int) -> Span | None:
    """Return the span that a place is in, None where it is in none."""
    last = bisect_right(spans, (place, sys.maxsize)) - 1  # that begins before the place
    return spans[last] if last >= 0 and place < spans[last].end else None


def candidates(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms that a text may hold, judged by a quick check."""
    if not text.isascii():
        return _of_composed(text, forms)
    words, without_word, in_ascii = _beginnings(forms)
    if len(forms) < FEW:
        lower = text.lower()
        for word in words:
            if word in lower:
                return in_ascii
        return in_ascii if without_word or re.search(_SPELLED, text) else ()
    if re.search(_SPELLED, text):
        return in_ascii
    numbers = set(without_word)
    for word in set(re.findall("[a-z0-9]+", text.lower())):
        for end in range(1, len(word) + 1):
            numbers.update(words.get(word[:end], ()))
    return tuple(forms[number] for number in sorted(numbers))


def standing(text: str, forms: Index) -> tuple[str, ...]:
    """Return those of many forms that stand in a text, whatever they are a part of."""
    folded = key(text)
    starts = (
        [match.start() for match in re.finditer(r"\b\w|[^\w\s]", folded)]
        if text.isascii()
        else range(len(folded))
    )
    keys = {folded[start : start + size] for start in starts for size in forms.sizes}
    keys |= {key(match[0].replace(match[1], "")) for match in re.finditer(_SPELLED, text)}
    return tuple(form for each in sorted(keys) for form in forms.forms.get(each, ()))


def _of_composed(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms that a text may hold: all, but those of joined letters that are not in it
    as it is written.

    A Chinese name has hundreds of forms (王老师, 王总 …), of which a text holds two.
    """
    import unicodedata

    written = _joined(forms)
    if not any(written) or not unicodedata.is_normalized("NFC", text) or re.search(_SPELLED, text):
        return forms
    return tuple(
        form for form, as_written in zip(forms, written, strict=True) if as_written in text
    )


@functools.lru_cache(maxsize=1024)
def _joined(forms: tuple[str, ...]) -> list[str]:
    """Return each form of which composed text has one spelling, as those of Han or Hangul, "" of
    any other.
    """
    import unicodedata

    composed = (unicodedata.normalize("NFC", form) for form in forms)
    return [form if compiled(f"[{JOINED}{KATAKANA}]+").fullmatch(form) else "" for form in composed]


@functools.lru_cache(maxsize=1024)
def _beginnings(forms: tuple[str, ...]) -> tuple[dict[str, list[int]], list[int], tuple[str, ...]]:
    """Return {first letters and digits: numbers of forms}, numbers of those that begin with
    something else, all forms.

    All of them are in ASCII.
    """
    words: dict[str, list[int]] = {}
    without_word = []
    for number, form in enumerate(forms):
        if form.isascii():
            first = re.match("[a-z0-9]+", key(form))
            if first:
                words.setdefault(first[0], []).append(number)
            else:
                without_word.append(number)
    return words, without_word, tuple(filter(str.isascii, forms))
