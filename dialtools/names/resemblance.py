"""Words of a text that resemble a speaker's name: clipped, familiar or misspelt forms of it."""

import functools
import re
from collections.abc import Collection, Iterator
from itertools import chain
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import pools, search

LEAST = 3  # letters of a clipped name
_ROOMY = 5  # letters of a name in which one may be wrong
_LONG = 6  # letters of a name whose vowels within may be others: Jonathan, Jonathon
_FAMILIAR = ("y", "ie", "ey", "i", "s", "es", "z", "x")  # end clipped names: Debs, Jules, Alex
_SOUNDS = (
    ("ph|v", "f"),
    ("ch(?=r)|c?k|c", "k"),
    ("z", "s"),
    ("ie$|y", "i"),
    ("(?<!^k)(?<=.)h", ""),
    (r"(.)\1+", r"\1"),
)


class Words(NamedTuple):
    """The words of a text that may be names, as written, by what they may share with a name."""

    known: dict[str, list[str]]
    stems: dict[str, list[str]]  # with a familiar ending, and without
    sounds: dict[str, list[str]]
    without_a_letter: dict[str, list[str]]  # of unknown names


def words(name: str, text: str, language: Language) -> set[str]:
    """Return the words of a text that may be forms of a name, judging by its first word.

    Such a word has a capital, is not a word of the language, and is a beginning of the name of at
    least three letters, perhaps with a familiar ending (Spence, Jules), a known name at its end
    (Beth), or another spelling (Bryan for Brian, Meggan for Megan).  A name of another gender is
    left out (Alexa for Alexander), and so are forms that are found as the name itself.
    """
    first = name.partition(" ")[0]
    plain = pools.plain(first).lower()
    if len(plain) < LEAST or not compiled(r"\p{Lu}[\p{Ll}\p{M}]+").fullmatch(first):
        return set()
    found = _words(text, language)
    like = {*_spelled(plain, found)}
    like.update(
        word for word in _clipped(plain, found, language) if not _are_apart(plain, word, language)
    )
    return {
        word
        for word in like - {first}
        if not any(search.mentions(word, [first], language))
        and {pools.gender(word, language), pools.gender(first, language)} != {"f", "m"}
    }


def kin(name: str, language: Language) -> set[str]:
    """Return what else the table of short forms calls a person: Deborah or Deb for Debbie."""
    plain = pools.plain(name.partition(" ")[0]).lower()
    return _kin(language).get(plain) or _kin(language).get(_sound(plain), set())


def _are_apart(name: str, word: str, language: Language) -> bool:
    """Does the table know a word as another name: Marty is not Martha, nor Mary Marin?"""
    other = pools.plain(word).lower()
    is_full = other in _full(language) and not name.startswith(other) and not name.endswith(other)
    return (
        is_full
        or other in _kin(language)
        and name in _kin(language)
        and word not in _kin(language)[name]
    )


def _clipped(name: str, found: Words, language: Language) -> Iterator[str]:
    """Yield words that a name begins with or ends in, disregarding familiar endings."""
    stems = {name, *_stems(name)}
    beginnings = {stem[:end] for stem in stems for end in range(LEAST, len(stem) + 1)}
    endings = [name[start:] for start in range(2, len(name) - LEAST) if name[start] not in "aeiou"]
    for words_by, keys in ((found.stems, beginnings), (found.known, endings)):
        yield from chain.from_iterable(words_by.get(key, ()) for key in keys)


def _spelled(name: str, found: Words) -> Iterator[str]:
    """Yield words that sound like a name, and unknown words that differ from it in one letter."""
    from rapidfuzz.distance import OSA

    yield from found.sounds.get(_sound(name), ()) if len(name) > LEAST else ()
    for part in _without_a_letter(name) if len(name) >= _ROOMY else ():
        for word in found.without_a_letter.get(part, ()):
            if OSA.distance(name, pools.plain(word).lower(), score_cutoff=1) == 1:
                yield word


@functools.lru_cache(maxsize=16)
def _words(text: str, language: Language) -> Words:
    found, known = Words({}, {}, {}, {}), _known(language)
    for word in _candidates(text, language):
        plain = pools.plain(word).lower()
        is_known = plain in known
        keys: tuple[Collection[str], ...] = (
            {plain} if is_known else (),
            {plain, *_stems(plain)},
            {_sound(plain)} if len(plain) > LEAST else (),
            _without_a_letter(plain) if not is_known and len(plain) >= _ROOMY - 1 else (),
        )
        for words_by, shared in zip(found, keys, strict=True):
            for key in shared:
                words_by.setdefault(key, []).append(word)
    return found


def _candidates(text: str, language: Language) -> Iterator[str]:
    """Yield the capitalised words of a text that may be names.

    A word of the language is not a name, nor a word that the text also has in lower case.  An
    unknown name must stand within a sentence, without another capital after it (San Francisco).
    """
    known, others = _known(language), _others(language)
    letters = "[A-Z][a-z]{2,}" if text.isascii() else r"\p{Lu}[\p{Ll}\p{M}]{2,}"
    seen: dict[str, bool] = {}
    for match in compiled(rf"(?<![\w@#'’-]){letters}(?![\w-])").finditer(text):
        if match[0].lower() not in others:
            seen[match[0]] = seen.get(match[0], False) or _is_within(text, *match.span())
    for word, within in sorted(seen.items()):
        if (within or pools.plain(word).lower() in known) and not _is_small(word.lower(), text):
            yield word


def _is_small(word: str, text: str) -> bool:
    """Does a text have a word in lower case?"""
    letter = "[a-z]" if text.isascii() else r"\w"
    return (
        word in text and re.search(f"(?<!{letter}){re.escape(word)}(?!{letter})", text) is not None
    )


def _is_within(text: str, start: int, end: int) -> bool:
    """Does a word stand within a sentence, and not before another one with a capital?"""
    opens = start < 2 or text[start - 1] != " " or text[start - 2] in f'{ENDS}:"“”¡¿- '
    return not opens and not (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper())


@once_per_language
def _others(language: Language) -> frozenset[str]:
    """Return words that are not names, in lower case."""
    kinds = ("function_words", "capitalised", "calls", "titles_before")
    found = {word for kind in kinds for word in language.facts[kind]}
    return language.words.union(map(str.lower, found | language.roles))


@once_per_language
def _known(language: Language) -> frozenset[str]:
    """Return the names that the language and English know, plain and in lower case."""
    names = pools.genders(language).keys() | pools.genders(languages.get("en")).keys()
    return frozenset(name if name.isascii() else pools.plain(name) for name in names)


@once_per_language
def _kin(language: Language) -> dict[str, set[str]]:
    """Return {name in plain lower case, or its sound: its full names and their short forms}."""
    groups: dict[str, set[str]] = {}
    for row in pools.nicknames(language):
        groups.setdefault(row["name"], {row["name"]}).add(row["short"])
    found: dict[str, set[str]] = {}
    sounds: dict[str, set[str]] = {}
    for group in groups.values():
        for plain in (pools.plain(name).lower() for name in group):
            found.setdefault(plain, set()).update(group)
            sounds.setdefault(_sound(plain), set()).update(group)
    return sounds | found


@once_per_language
def _full(language: Language) -> frozenset[str]:
    """Return the full names of the table of short forms, plain and in lower case."""
    return frozenset(pools.plain(row["name"]).lower() for row in pools.nicknames(language))


def _stems(word: str) -> set[str]:
    """Return a word without its familiar ending, with and without a doubled letter: debb, deb."""
    cut = [word.removesuffix(ending) for ending in _FAMILIAR if word.endswith(ending)]
    single = [re.sub(r"(.)\1$", r"\1", stem) for stem in cut]
    return {stem for stem in (*cut, *single) if len(stem) >= LEAST}


@functools.lru_cache(maxsize=4096)
def _sound(word: str) -> str:
    """Return what spellings of one name have in common.

    >>> _sound("katherine") == _sound("catherine"), _sound("maria") == _sound("mario")
    (True, False)
    """
    for pattern, sound in _SOUNDS:
        word = re.sub(pattern, sound, word)
    return re.sub("(?<=.)[aeiou]+(?=.)", "e", word) if len(word) >= _LONG else word


def _without_a_letter(word: str) -> set[str]:
    """Return a word and what remains when each of its letters is left out in turn."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
