"""Undeclared forms that may mean one of the names of a record: they are kept and listed."""

import functools
import re
from collections.abc import Iterator, Mapping

from dialtools.languages import Language
from dialtools.languages.scripts import JOINED, compiled
from dialtools.names import customs, full_names, namesakes, pools, resemblance, roster
from dialtools.names.orthography import key
from dialtools.records import dialogue

_FORM, _FORM_OF_SEVERAL = "may be a form of a name", "ambiguous: may be a form of several names"
OF_OTHERS = "perhaps the name of somebody else"
_LETTERS = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "ß": "ss",
        "ø": "oe",
        "Ø": "Oe",
        "å": "aa",
        "Å": "Aa",
        "æ": "ae",
        "Æ": "Ae",
    }
)
_BETWEEN = " -.'’・"  # what stands within names, and is left out or written in another way


def forms(names: Mapping[str, str], record: dict, language: Language) -> dict[str, str]:
    """Return forms that may mean one of the names, each with why it is left.

    A form is a short or a full form (Bob for Robert or Rob, 健ちゃん for 健太), a
    word that resembles the name (Spence for Spencer, Jules for Juliet, Meggan
    for Megan), a part of a name (John of John Smith, Jean of Jean-Luc, 山田 of
    山田太郎, where that gets no family name), another full name with a part of it
    (山田花子, Taylor Swift where Taylor speaks), a family name with a title (박
    선생님), what stands before a title (구매자 of 구매자님) or another spelling (Jose
    for José, Juergen for Jürgen, OBrien, bob for @bob, Annnna).  Names of
    people in the record are left out.  Forms listed in lower case, as spellings
    are, may be so written; other forms, except names of others, are then words.
    """
    turns = dialogue.turns(record)
    known = {*map(key, (*names, *dialogue.speakers(turns)))}
    for person in record.get("people") or []:
        known |= {*map(key, (person["name"], *(person.get("aliases") or [])))}
    text = dialogue.whole(record)
    lower = text.lower()
    others = [*namesakes.of_others(names, turns, known, language)]
    if of_language := customs.of(language).namesakes:
        others += of_language(roster.forms(names, {}, language), text, language)
    found = dict.fromkeys(others, OF_OTHERS)
    for name in names:
        bare = full_names.untitled(name, language)[1] or name
        spellings = {*_spellings(bare, text)}
        alike = {form for form in resemblance.kin(bare, language) if form.lower() in lower}
        alike |= resemblance.words(bare, text, language)
        for form in (
            _parts(name, language, known) | alike | spellings | {*map(str.lower, spellings)}
        ):
            if key(form) not in known:
                found[form] = _FORM_OF_SEVERAL if form in found else _FORM
    return found


def _parts(name: str, language: Language, known: set[str]) -> set[str]:
    """Return the parts of a name, its familiar forms, and it without its titles."""
    bare = full_names.untitled(name, language)[1]
    whole = bare if full_names.parts(name, language) else name  # Host (Ann) is not called Host
    undeclared = customs.of(language).undeclared
    called = undeclared(bare, known, language) if undeclared else ()
    return {*_words(whole, language), *called, bare if len(bare) > 1 else name}


@functools.lru_cache(maxsize=1024)  # speakers come back, such as #Person1#
def _words(name: str, language: Language) -> list[str]:
    """Return the words of a name of several (Jean-Luc, Jean), or of one with marks ([Ann]), no
    titles nor initials.
    """
    words = [*compiled(r"['’]s\b|[^\p{L}\p{M}\p{N}'’_]+").split(name), *name.split()]
    no_names = {*language.facts["titles_before"], *language.facts["function_words"]}
    is_long = compiled(rf"\p{{L}}[\p{{L}}\p{{M}}'’-]{{2,}}|[{JOINED}]{{2,}}").fullmatch
    return [
        word
        for word in words
        if word != name and is_long(word) and not {word, word.lower()} & no_names
    ]


def _spellings(name: str, text: str) -> Iterator[str]:
    """Yield a name without accents, umlauts and its @, with other marks within (OBrien, J.R. of
    JR), and odd words.
    """
    yield pools.plain(name)
    yield name.translate(_LETTERS)
    if name[:1] == "@" and len(name) > 2:
        yield name[1:]
    for mark in _BETWEEN:
        if mark in name.strip(mark):
            yield from (name.replace(mark, other).strip() for other in ("", " ", "-"))
    if re.fullmatch("[A-Z]{2,3}", name):
        yield ".".join(name)
    odd = _odd_words(text)
    for skeleton in _skeletons(name) if odd else ():
        yield from odd.get(skeleton, ())


@functools.lru_cache(maxsize=16)
def _odd_words(text: str) -> dict[str, list[str]]:
    """Return the words of a text that have accents, or letters stretched within them, by their
    skeletons.
    """
    found: dict[str, list[str]] = {}
    letter = "[a-zA-Z]" if text.isascii() else r"[^\W\d_]"
    # regex takes five times as long, some 8 % of the command's time
    stretched = re.search(rf"({letter})\1\1", text)
    if text.isascii() and not stretched:
        return found
    for word in sorted(set(compiled(r"(?V1)[\p{Latin}][\p{Latin}\p{M}-]+").findall(text))):
        within = stretched and compiled(r"(?i)(\p{L})\1\1+(?!\1|$)").search(word)
        for skeleton in _skeletons(word) if within or not word.isascii() else ():
            if within or not skeleton.startswith("~"):
                found.setdefault(skeleton, []).append(word)
    return found


def _skeletons(word: str) -> set[str]:
    """Return a word without accents in lower case, in both ways, and these without doubled
    letters, behind ~.
    """
    plain = {pools.plain(word).lower(), pools.plain(word.translate(_LETTERS)).lower()}
    return plain | {"~" + re.sub(r"(.)\1+", r"\1", each) for each in plain}
