"""Mentions of names in a text, found from left to right, the longest first."""

import functools
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from dialtools.languages.scripts import JOINED, JOINERS, KATAKANA, compiled
from dialtools.names.forms import folded, is_visible, key, last_sound, tolerant
from dialtools.names.lexicon import Lexicon
from dialtools.text.words import ADDRESSES, MARKS

# The last letter of a name stretched to three or more (Annaaa).
_STRETCH = r"(?<=(?P<last>\p{L}))(?:(?P=last){2,}|(?<=(?P=last)(?P=last))(?P=last))"
_MAY_BE_ADDRESS = re.compile(r"@|//|www\.|\.[a-z]")
# <@U02XYZ> is no tag: chats mention people so
_TAG = f"(?P<tag>(?!<@)(?:{'|'.join(MARKS)}))"
# Single letters, parted in one way: B-O-B, b. o. b, B O B.
_SPELLED = re.compile(
    r"(?<![\w'’])(?<!\w[-–.·])[^\W\d_]( ?[-–,/·] ?|\. ?| )[^\W\d_]"
    r"(?:\1[^\W\d_])+(?!\w|\1\w)"
)
# What each of these holds: behind a single letter what parts them, and another single letter.
_MAY_BE_SPELLED = re.compile(r"[-–,/·. ](?<=[^\W\d_].)(?<![\w'’]..)[-–,/· ]{0,2}[^\W\d_](?!\w)")
MANY = 500  # names of which each line is searched for those that it holds
FEW = 20  # names that are looked for together


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


class _Span(NamedTuple):
    """A part of a text that is no place for names."""

    start: int
    end: int
    is_guard: bool  # names in it are none; in an address or a tag they are left


class SearchedForms:
    """Forms of names that are looked for in texts.

    guards: phrases that are no place for names.
    spelled: may one be spelled out?
    """

    def __init__(
        self,
        forms: Iterable[str],
        lexicon: Lexicon,
        guards: Collection[str] = (),
        spelled: bool = True,
    ) -> None:
        self.lexicon, self._guard_phrases = lexicon, guards
        self._spelled = _spelled if spelled else _unspelled
        self._by_key: dict[str, list[str]] = {}
        self._ascii_by_key: dict[str, list[str]] = {}
        for form in forms:
            form_key = _searched(key(form))
            self._by_key.setdefault(form_key, []).append(form)
            if form.isascii():
                self._ascii_by_key.setdefault(form_key, []).append(form)
        self._are_words = not any(map(re.compile(r"\s").search, self._ascii_by_key))
        longest_first = sorted(guards, key=len, reverse=True)
        self._guards = "|".join(map(re.escape, longest_first))

    def within(self, text: str) -> "SearchedForms":
        """Return the forms that may stand in the lines of a text."""
        is_spelled = any(_spelled(text))
        return SearchedForms(self.standing(text), self.lexicon, self._guard_phrases, is_spelled)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield each place where one of the forms stands in a text, in any case."""
        offset = 0
        # few of many names stand in a line, and are looked for there
        for part in text.splitlines(keepends=True) if len(self._by_key) >= MANY else (text,):
            forms = self.standing(part)
            for mention in self._in_part(part, forms) if forms else ():
                yield (
                    mention._replace(start=mention.start + offset, end=mention.end + offset)
                    if offset
                    else mention
                )
            offset += len(part)

    def standing(self, text: str) -> tuple[str, ...]:
        """Return the forms that may stand in a text, judged by a quick check; of few forms all
        where one may.

        A Chinese name has hundreds of forms (王老师, 王总 …), of which a text holds two.
        """
        if text.isascii():
            by_key = self._ascii_by_key
            searched = text.lower() if self._are_words else folded(text)
        else:
            by_key, searched = self._by_key, _searched(folded(text))
        if len(by_key) < FEW:
            for form_key in by_key:
                if form_key in searched:
                    break
            else:
                if not any(self._spelled(text)):
                    return ()
            return tuple(form for forms in by_key.values() for form in forms)
        spelled = {form_key for _, form_key in self._spelled(text)}
        if len(by_key) < MANY:
            keys = [
                form_key
                for form_key in by_key
                if form_key in searched or spelled and form_key in spelled
            ]
        else:
            starts: Iterable[int] = range(len(searched))
            if text.isascii():
                starts = [
                    match.start()
                    for match in re.finditer(r"(?<![a-z0-9])[a-z0-9]|[^a-z0-9\s]", searched)
                ]
            sizes = set(map(len, by_key))
            parts = {searched[start : start + size] for start in starts for size in sizes}
            keys = sorted(by_key.keys() & (parts | spelled))
        return tuple(form for form_key in keys for form in by_key[form_key])

    def _in_part(self, text: str, forms: tuple[str, ...]) -> list[Mention]:
        """Return the mentions of forms that may stand in a text, from left to right."""
        prepared, spans = _prepared(forms, self.lexicon), self._untouched(text)
        mentions = []
        for match, form_key in self._spelled(text):
            form = prepared.by_key.get(form_key)
            if form and not _covering(spans, match.start()):
                mentions.append(Mention(*match.span(), form, match[0], "", match[1]))
        searched_to = 0
        for start, end, number in prepared.hits(text):
            if start < searched_to:
                continue
            span = _covering(spans, start) if spans else None
            if span and span.is_guard:
                searched_to = span.end
                continue
            mention = prepared.bounded(text, start, end, number)
            searched_to = mention.end if mention else start + 1
            if mention:
                mentions.append(mention._replace(address=True) if span else mention)
        return sorted(mentions)

    def _untouched(self, text: str) -> list[_Span]:
        """Return each guard, address and tag in a text.

        What looks like an address is none of the names, but a name may look like a tag
        (#Person1#), whose span therefore begins behind its first sign.
        """
        may_be_address = _MAY_BE_ADDRESS.search(text) is not None
        if not (self._guards or may_be_address or "#" in text or "<" in text):
            return []
        guards = [f"(?P<guard>{self._guards})"] if self._guards else []
        addresses = ADDRESSES if may_be_address else ()
        return [
            _Span(
                match.start() + 1 if match.lastgroup == "tag" else match.start(),
                match.end(),
                match.lastgroup == "guard",
            )
            for match in compiled("|".join([*addresses, *guards, _TAG])).finditer(text)
        ]


def mentions(
    text: str, forms: Iterable[str], lexicon: Lexicon, guards: Collection[str] = ()
) -> Iterator[Mention]:
    """Yield each place where one of the forms stands in a text, in any case.

    >>> from dialtools.languages import get
    >>> from dialtools.names import lexicon
    >>> text, english = "Hi Annaaaa, is Annie with Ann's?", lexicon.of(get("en"))
    >>> [(mention.form, mention.tail) for mention in mentions(text, ["Ann", "Anna"], english)]
    [('Anna', 'aaa'), ('Ann', "'s")]
    """
    return SearchedForms(forms, lexicon, guards).mentions(text)


def _spelled(text: str) -> Iterator[tuple[re.Match, str]]:
    """Yield what is spelled out in a text: its match, and the key of the name."""
    if _MAY_BE_SPELLED.search(text):
        for match in _SPELLED.finditer(text):
            yield match, key(match[0].replace(match[1], ""))


def _unspelled(text: str) -> Iterator[tuple[re.Match, str]]:
    return iter(())


def _searched(folded_text: str) -> str:
    """Return a folded text with a dot for any nasal that is written for one in Hindi: सन्जय, संजय."""
    return re.sub("[ङञणनम]्", "ं", folded_text) if "्" in folded_text else folded_text


def _covering(spans: list[_Span], place: int) -> _Span | None:
    """Return the span that a place is in, None where it is in none."""
    last = bisect_right(spans, (place, sys.maxsize)) - 1  # that begins before the place
    return spans[last] if last >= 0 and place < spans[last].end else None


class _PreparedForms:
    """Forms that may stand in a text, with what finds them.

    forms: the longest first; no two are the same but for case or encoding.
    by_key: the same by their keys.
    literals: the same in lower case, if ASCII writes each in one way; else none.
    shorter: for each of them, which other ones it begins with.
    """

    def __init__(self, forms: tuple[str, ...], lexicon: Lexicon) -> None:
        self.lexicon, self.exact = lexicon, frozenset(forms)
        # each before its beginnings, José with an accent apart before Jose
        longest_first = sorted(
            forms, key=lambda form: (-len(unicodedata.normalize("NFD", form)), form)
        )
        self.by_key = {key(form): form for form in longest_first if is_visible(form)}
        self.forms = tuple(self.by_key.values())
        numbers = {name: number for number, name in enumerate(self.by_key)}
        self.shorter = [
            [numbers[name[:end]] for end in range(len(name) - 1, 0, -1) if name[:end] in numbers]
            for name in self.by_key
        ]
        is_literal = all(form.isascii() and not re.search(r"[\s'-]", form) for form in self.forms)
        self.literals = tuple(map(str.lower, self.forms)) if is_literal else ()
        self._pattern: re.Pattern | None = None
        self._bounds: dict[int, tuple[Any, Any]] = {}

    def hits(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield where forms begin and end in a text, with the number of the longest that begins
        there.

        To make a pattern takes longer than to look for each form of a record by itself.
        """
        if self.literals and text.isascii():
            lower = text.lower()
            first: dict[int, tuple[int, int, int]] = {}
            for number, literal in enumerate(self.literals):
                start = lower.find(literal)
                while start >= 0:
                    first.setdefault(start, (start, start + len(literal), number))
                    start = lower.find(literal, start + 1)
            yield from sorted(first.values())
            return
        if self._pattern is None:
            # group n is form n
            forms = "|".join(f"({tolerant(form)})" for form in self.forms)
            self._pattern = re.compile(forms or "(?!)", re.IGNORECASE)
        match = self._pattern.search(text)
        while match:
            yield *match.span(), (match.lastindex or 0) - 1
            match = self._pattern.search(text, match.start() + 1)

    def bounded(self, text: str, start: int, longest_end: int, longest: int) -> Mention | None:
        """Return the longest form that ends as a word, None if each goes on as another one.

        start, longest_end: where the longest form begins and ends; longest: its number.
        """
        for number in (longest, *self.shorter[longest]):
            form = self.forms[number]
            if number == longest:
                end = longest_end
            elif self.literals and text.isascii():
                end = start + len(form)
            elif match := re.compile(tolerant(form), re.IGNORECASE).match(text, start):
                end = match.end()
            else:
                continue
            before, after = self._bounds.get(number) or self._bounds_of(number)
            if before is not None and not before.match(text, start):
                continue
            if tail := after.match(text, end):
                written = text[start:end]
                form = written if written in self.exact else form
                return Mention(start, tail.end(), form, written, tail["tail"] or "", "")
        return None

    def _bounds_of(self, number: int) -> tuple[Any, Any]:
        """Return the patterns of what a form needs before it, None for nothing, and after it, with
        its tail.
        """
        form = self.forms[number]
        letters = _letters_beside(form[0])
        before = compiled(rf"(?<![{letters}\p{{M}}\p{{N}}]|[\p{{L}}\p{{N}}]_)") if letters else None
        letters = _letters_beside(form[-1])
        tail = self.lexicon.tails.get(last_sound(form, self.lexicon), "")
        tails = "|".join(filter(None, [_STRETCH if letters else "", tail])) or "(?!)"
        # Don is not in don't
        more = rf"[{letters}\p{{M}}\p{{N}}]|[{JOINERS}]*\p{{M}}|_[\p{{L}}\p{{N}}]|(?i:['’]t\b)"
        after = compiled(rf"(?P<tail>{tails})?" + (f"(?!{more})" if letters else ""))
        self._bounds[number] = before, after
        return before, after


_prepared = functools.lru_cache(maxsize=1024)(_PreparedForms)


def _letters_beside(letter: str) -> str:
    """Return the class of letters that may not stand beside a name's first or last letter, "" for
    any.
    """
    if compiled(f"[{KATAKANA}]").match(letter):
        return KATAKANA
    # a vowel sign that ends a name is no letter
    is_word = letter.isalnum() or compiled(r"\p{M}").match(letter)
    if not is_word or compiled(f"[{JOINED}]").match(letter):
        return ""
    return r"\p{Latin}" if letter.isascii() or compiled(r"\p{Latin}").match(letter) else r"\p{L}"
