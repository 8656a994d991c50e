"""Terms of a list in texts, found in one pass, the longest first."""

import functools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import COMBINING, JOINED, compiled
from dialtools.records import dialogue
from dialtools.text import specifications, word_forms, words
from dialtools.text.specifications import Group, Spec

# Code points that belong to the character before them.
_MORE = COMBINING + r"\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}"


class FoundTerm(NamedTuple):
    """A term in a text: its place in code points, and the listed term."""

    start: int
    end: int
    term: str  # in lower case


Finder = Callable[[str], Iterator[FoundTerm]]
MANY = 2000  # forms of terms, which are compiled as texts ask for them


@functools.lru_cache(maxsize=64)
def finder(listed: frozenset[str]) -> Finder:
    """Return a function that yields the terms in a text, in any case, longest first, no overlaps.

    A term ends where a word does, except in scripts that join words, and never inside a character.

    >>> find = finder(frozenset(["man", "man's best friend", "女"]))
    >>> [mention.term for mention in find("Man's work, woman: 男女")]
    ['man', '女']
    """
    term_of = {form: term.lower() for term in sorted(listed) for form in _encodings(term)}

    if len(term_of) > MANY:
        return _by_beginnings(term_of)
    by_edge: dict[str, list[str]] = {}
    for form in term_of:
        by_edge.setdefault(_before(form[0]), []).append(form)
    branches = [_pattern(edge, forms) for edge, forms in by_edge.items()]
    pattern = compiled("|".join(branches) or "(?!)")

    def find(text: str) -> Iterator[FoundTerm]:
        for match in pattern.finditer(_lower(text)):
            yield FoundTerm(match.start(), match.end(), term_of[" ".join(match[0].split())])

    return find


def _pattern(edge: str, forms: Iterable[str]) -> str:
    """Return a pattern of the longest of some forms; any white space may stand between words."""
    return edge + words.alternatives(forms, _after).replace(r"\ ", r"\s+")


def _lower(text: str) -> str:
    return text.replace("İ", "I").lower()  # only İ grows


def _by_beginnings(term_of: dict[str, str]) -> Finder:
    """Return a `finder` of many forms, of which only those are compiled that begin as words do."""
    forms_of: dict[str, list[str]] = {}
    for form in term_of:
        forms_of.setdefault(form.partition(" ")[0][:3], []).append(form)

    @functools.cache
    def pattern(beginning: str) -> Any:
        import regex

        return regex.compile(_pattern(_before(beginning[0]), forms_of[beginning]))

    def find(text: str) -> Iterator[FoundTerm]:
        lower, place = _lower(text), 0
        while place < len(lower):
            beginnings = (lower[place : place + length] for length in (3, 2, 1))
            matches = (
                match
                for beginning in beginnings
                if beginning in forms_of and (match := pattern(beginning).match(lower, place))
            )
            if match := next(matches, None):
                yield FoundTerm(place, match.end(), term_of[" ".join(match[0].split())])
                place = match.end()
            else:
                place += 1

    return find


def _encodings(term: str) -> set[str]:
    """Return the encodings of a term in lower case: composed or not, with either apostrophe."""
    from unicodedata import normalize

    lower = normalize("NFC", term.lower())
    nukta = lower
    for code in range(0x958, 0x960):  # क़ as one letter, which NFC decomposes
        nukta = nukta.replace(normalize("NFD", chr(code)), chr(code))
    return {
        form.replace("'", apostrophe)
        for form in (lower, normalize("NFD", lower), nukta)
        for apostrophe in "'’"
    }


def _before(letter: str) -> str:
    """Return a pattern of what must stand before a term that begins with a letter."""
    beside = _beside(letter)
    return r"(?<!\p{GCB=Prepend})" + (f"(?<![{beside}])" if beside else "")


def _after(letter: str) -> str:
    """Return a pattern of what must stand behind a term that ends with a letter."""
    return f"(?![{_MORE}{_beside(letter)}])"


def _beside(letter: str) -> str:
    """Return the class of letters that may not stand beside a term's edge, "" for any."""
    if compiled(f"[{JOINED}]").match(letter) or not compiled(r"[\p{L}\p{M}\p{N}_]").match(letter):
        return ""
    return r"\p{Latin}\p{M}\p{N}_" if compiled(r"\p{Latin}").match(letter) else r"\p{L}\p{M}\p{N}_"


def of_record(
    record: dict,
    spec: Spec,
    kinds: tuple[str, ...] = ("target", "attribute"),
    groups: tuple[Group, ...] = ("one", "two"),
    whole: bool = False,
) -> Iterator[tuple[str, dict, list[FoundTerm]]]:
    """Yield `places` of the terms of a specification, in the script of the record."""
    texts = (holder["text"] for holder in dialogue.holders(record))
    language = dialogue.language(record).seen(texts)
    yield from places(record, of(language.variety, spec, kinds, groups), whole)


@once_per_language
def of(
    language: Language,
    spec: Spec,
    kinds: tuple[str, ...] = ("target", "attribute"),
    groups: tuple[Group, ...] = ("one", "two"),
) -> Finder:
    """Return a `finder` of the terms of a specification and their plurals."""
    rows = specifications.rows(spec, language)
    listed = {
        term.lower()
        for kind in kinds
        for group in groups
        for term in specifications.listed(rows, kind, group)
    }
    plurals = (word_forms.plural(term, language) for term in listed)
    listed |= {plural for plural in plurals if plural}
    find = finder(frozenset(listed.union(*(specifications.known(rows, kind) for kind in kinds))))
    return lambda text: (mention for mention in find(text) if mention.term in listed)


def places(
    record: dict, find: Finder, whole: bool = False
) -> Iterator[tuple[str, dict, list[FoundTerm]]]:
    """Yield (JSON Pointer, holder, terms) of each text of a record that has terms.

    Left out are terms in addresses, placeholders, hashtags, mentions and code, speakers' labels,
    and (parts of) people's names by their tokens. In a language without spaces a term spans whole
    tokens, if there are any, or stands within one unless it must be `whole`.
    """
    labels = {turn["speaker"].lower() for turn in dialogue.turns(record)}
    is_spaced = dialogue.language(record).space != ""
    for pointer, holder in dialogue.utterances(record):
        text, tokens = holder["text"], holder.get("tokens")
        mentions = list(find(text))
        if not mentions:
            continue
        held = [] if words.is_plain(text) else words.addresses(text)
        if not is_spaced:  # there #…# may hold a sentence
            held = [(start, end) for start, end in held if text[start] != "#"]
        free = [
            mention
            for mention in mentions
            if text[mention.start : mention.end].lower() not in labels
            and not words.among(held, mention.start, mention.end)
            and (not tokens or _fits_tokens(mention, tokens, is_spaced, whole))
        ]
        if free:
            yield pointer, holder, free


def _fits_tokens(mention: FoundTerm, tokens: list[dict], is_spaced: bool, whole: bool) -> bool:
    first = bisect_right(tokens, mention.start, key=lambda token: token["end"])
    last = bisect_left(tokens, mention.end, lo=first, key=lambda token: token["start"])
    inside = tokens[first:last]
    if inside and all(str(token.get("ner", "")).endswith(("PER", "PERSON")) for token in inside):
        return False
    if is_spaced or not inside:
        return True
    is_exact = inside[0]["start"] == mention.start and inside[-1]["end"] == mention.end
    return is_exact or (len(inside) == 1 and not whole)
