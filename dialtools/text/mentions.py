"""Terms of a list in texts, found in one pass, the longest first."""

import functools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import COMBINING, JOINED, compiled
from dialtools.records import dialogue
from dialtools.text import plurals, terms, trees, words
from dialtools.text.terms import Group, Spec

# Code points that belong to the character before them.
_MORE = COMBINING + r"\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}"


class Found(NamedTuple):
    """A term in a text: its place in code points, and the listed term."""

    start: int
    end: int
    term: str  # in lower case


@functools.lru_cache(maxsize=64)
def finder(listed: frozenset[str]) -> Callable[[str], Iterator[Found]]:
    """Return a function that yields the terms in a text, in any case, longest first, no overlaps.

    A term ends where a word does, except in scripts that join words, and never inside a character.

    >>> find = finder(frozenset(["man", "man's best friend", "女"]))
    >>> [found.term for found in find("Man's work, woman: 男女")]
    ['man', '女']
    """
    forms = {form: term.lower() for term in sorted(listed) for form in _forms(term)}
    pattern = compiled(_any_of(forms))

    def find(text: str) -> Iterator[Found]:
        lower = text.replace("İ", "I").lower()  # only İ grows
        for match in pattern.finditer(lower):
            yield Found(match.start(), match.end(), forms[" ".join(match[0].split())])

    return find


def _any_of(forms: Iterable[str]) -> str:
    """Return a pattern of the longest of some forms, with any white space between words."""
    firsts: dict[str, list[str]] = {}
    for form in forms:
        firsts.setdefault(_before(form[0]), []).append(form)
    found = "|".join(edge + trees.tree(found, _after) for edge, found in firsts.items()) or "(?!)"
    return found.replace(r"\ ", r"\s+")


def _forms(term: str) -> set[str]:
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


@functools.lru_cache(maxsize=4096)
def _before(letter: str) -> str:
    return r"(?<!\p{GCB=Prepend})" + (f"(?<![{_beside(letter)}])" if _beside(letter) else "")


@functools.lru_cache(maxsize=4096)
def _after(letter: str) -> str:
    return f"(?![{_MORE}{_beside(letter)}])"


def _beside(letter: str) -> str:
    """Return the class of letters that may not stand beside a term's edge, "" for any."""
    if compiled(f"[{JOINED}]").match(letter) or not compiled(r"[\p{L}\p{M}\p{N}_]").match(letter):
        return ""
    return r"\p{Latin}\p{M}\p{N}_" if compiled(r"\p{Latin}").match(letter) else r"\p{L}\p{M}\p{N}_"


def of(
    spec: Spec,
    language: Language,
    kinds: tuple[str, ...] = ("target", "attribute"),
    groups: tuple[Group, ...] = ("one", "two"),
) -> Callable[[str], Iterator[Found]]:
    """Return a `finder` of the terms of a specification and their plurals."""
    return _of(spec, language.variety, kinds, groups)


def of_record(
    record: dict,
    spec: Spec,
    kinds: tuple[str, ...] = ("target", "attribute"),
    groups: tuple[Group, ...] = ("one", "two"),
    whole: bool = False,
) -> Iterator[tuple[str, dict, list[Found]]]:
    """Yield `places` of the terms of a specification, in the script of the record."""
    texts = (holder["text"] for holder in dialogue.holders(record))
    language = languages.get(dialogue.lang(record)).seen(texts)
    yield from places(record, of(spec, language, kinds, groups), whole)


@functools.lru_cache(maxsize=256)
def _of(
    spec: Spec, language: Language, kinds: tuple[str, ...], groups: tuple[Group, ...]
) -> Callable[[str], Iterator[Found]]:
    rows = terms.rows(spec, language)
    listed = {
        term.lower()
        for kind in kinds
        for group in groups
        for term in terms.listed(rows, kind, group)
    }
    listed.update(filter(None, [plurals.of(term, language) for term in listed]))
    find = finder(frozenset(listed.union(*(terms.known(rows, kind) for kind in kinds))))
    return lambda text: (found for found in find(text) if found.term in listed)


def places(
    record: dict, find: Callable[[str], Iterator[Found]], whole: bool = False
) -> Iterator[tuple[str, dict, list[Found]]]:
    """Yield (JSON Pointer, holder, terms) of each text of a record that has terms.

    Left out are terms in addresses, placeholders, hashtags, mentions and code, speakers' labels,
    and (parts of) people's names by their tokens. In a language without spaces a term spans whole
    tokens, if there are any, or stands within one unless it must be `whole`.
    """
    labels = {turn["speaker"].lower() for turn in dialogue.turns(record)}
    spaced = languages.get(dialogue.lang(record)).facts["space"] != ""
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        found = list(find(text))
        if found:
            spans = _protected(text, spaced)
            tokens = holder.get("tokens")
            kept = [
                one
                for one in found
                if text[one.start : one.end].lower() not in labels
                and not words.among(spans, one.start, one.end)
                and (not tokens or _fits(one, tokens, spaced, whole))
            ]
            if kept:
                yield pointer, holder, kept


def _protected(text: str, spaced: bool) -> list[tuple[int, int]]:
    """Return the spans to leave; without spaces, #…# may hold a sentence and is not left."""
    if words.is_plain(text):
        return []
    return [(start, end) for start, end in words.addresses(text) if spaced or text[start] != "#"]


def _fits(found: Found, tokens: list[dict], spaced: bool, whole: bool) -> bool:
    first = bisect_right(tokens, found.start, key=lambda token: token["end"])
    inside = tokens[
        first : bisect_left(tokens, found.end, lo=first, key=lambda token: token["start"])
    ]
    if inside and all(str(token.get("ner", "")).endswith(("PER", "PERSON")) for token in inside):
        return False
    if spaced or not inside:
        return True
    exact = inside[0]["start"] == found.start and inside[-1]["end"] == found.end
    return exact or (len(inside) == 1 and not whole)
