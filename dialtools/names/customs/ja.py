"""Customs of Japanese: family names and given names, their readings in kana, 健ちゃん of 健太."""

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence

from dialtools.languages import Language
from dialtools.languages.scripts import TO_HIRAGANA, TO_KATAKANA, compiled
from dialtools.names import families, fullnames, pools
from dialtools.names import forms as name_forms
from dialtools.names.customs.default import Forms

_FAMILIAR = ("ちゃん", "くん", "君")


def full(name: str, language: Language) -> tuple[str, str]:
    """Return the halves of a name of four characters, of which nothing is known."""
    return (name[:2], name[2:]) if len(name) == 4 and fullnames.is_han(name) else ("", "")


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return the forms of the parts of a name, and its readings in kana."""
    found = name_forms.of_parts(name, new, language)
    pairs = name_forms.paired(name, new, language)
    if len(pairs) > 1:
        read = [_reading([pair[side] for pair in pairs], language) for side in (0, 1)]
        found |= _kana(*read)
    read = [
        row.get("reading") or _hiragana(word) for word, row in zip((name, new), rows, strict=True)
    ]
    return found | _kana(*read)


def _kana(old: str, new: str) -> Forms:
    """Return a reading in hiragana, katakana and half-width katakana; nothing if there is none."""
    return (
        {write(old): write(new) if new else None for write in (str, _katakana, _half_width)}
        if old
        else {}
    )


def _reading(words: Iterable[str], language: Language) -> str:
    """Return the reading of several words as one, "" if that of one is not known."""
    found = [pools.row(word, language).get("reading") or _hiragana(word) for word in words]
    return "".join(found) if all(found) else ""


def _hiragana(text: str) -> str:
    """Return a text of kana alone as hiragana, "" for any other."""
    plain = text.translate(TO_HIRAGANA)
    return plain if all("ぁ" <= letter <= "ゖ" or letter == "ー" for letter in plain) else ""


def _katakana(text: str) -> str:
    return text.translate(TO_KATAKANA)


def _half_width(text: str) -> str:
    return "".join(_halves().get(letter, letter) for letter in _katakana(text))


@functools.cache
def _halves() -> dict[str, str]:
    """Return the half-width form of each katakana letter, with its sound mark as a letter of its
    own.
    """
    from unicodedata import normalize

    halves = [chr(code) for code in range(0xFF66, 0xFF9E)] + ["ｰ"]
    pairs = [half + mark for half in halves for mark in ("", "ﾞ", "ﾟ")]
    folded = {normalize("NFKC", pair): pair for pair in reversed(pairs)}
    return {full: pair for full, pair in folded.items() if len(full) == 1}


def undeclared(name: str, known: Collection[str], language: Language) -> set[str]:
    """Return the parts of a full name, and 健ちゃん of 健太, たろちゃん of 太郎 if nobody is called so."""
    parts = [part.text for part in families.parts(name, language) if part.kind]
    parts = parts or [part for part in full(name, language) if part]
    given = families.given(name, language) or name
    read = pools.row(given, language).get("reading") or given
    reading = compiled(r"(?:\p{Hiragana}[ゃゅょ]?+){2}(?=.)").match(read)
    sounds = {reading[0], _katakana(reading[0])} if reading else set()
    shorts = {given[:1], *sounds} if len(given) > 1 and "一" <= given[0] <= "鿿" else sounds
    return {*parts, *(short + title for short in shorts - {*known} for title in _FAMILIAR)}


def others(forms: Iterable[str], text: str, language: Language) -> Iterator[str]:
    """Yield full names in a text that share only one part with the forms: 田中花子 of a 田中.

    A family name is followed by a given name that is known, or that ends as given names do; before
    a known given name stands a family name.
    """
    known, surnames = set(forms), families.rows(language)
    for form in known:
        if form not in text:
            continue
        if form in surnames:
            given = rf"{form}(\s?)(\p{{Han}}{{1,3}}|\p{{Hiragana}}{{3,4}})"
            for match in compiled(given).finditer(text):
                given = _given_that_begins(match[2], language)
                if given and given not in known:
                    yield form + match[1] + given
        elif families.is_known(form, language) and compiled(r"\p{Han}+").fullmatch(form):
            for match in compiled(rf"(\p{{Han}}{{1,3}})(\s?){form}").finditer(text):
                family = next(
                    (match[1][-size:] for size in (3, 2, 1) if match[1][-size:] in surnames), ""
                )
                if family and family not in known:
                    yield family + match[2] + form


def _given_that_begins(text: str, language: Language) -> str:
    """Return the longest given name that a text begins with, or two letters that end as given
    names do; else "".
    """
    ends = language.facts.get("names_end_in", "")
    for size in range(min(len(text), 4), 0, -1):
        if families.is_known(text[:size], language) or size == 2 and text[1] in ends:
            return text[:size]
    return ""
