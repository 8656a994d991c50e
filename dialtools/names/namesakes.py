"""Other people whose name holds that of somebody in a record: Taylor Swift, where Taylor speaks."""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import full_names, pools
from dialtools.names.orthography import key

NEAR = 40  # code points before a name that are looked at
FEW = 50  # names that are sooner looked for one by one than by the words of a text
_WORD = r"\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+(?:['’-]\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+)*(?![\p{N}_])"
_BEFORE = r"(?<![\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{N}_@#'’-])"


class FullName(NamedTuple):
    """A full name in a text that holds one of the names that are looked for."""

    written: str  # Elton John
    name: str  # John
    first: str  # Elton; "" where the name is what it begins with
    before: str  # what the text has before it
    after: str


def of_others(
    names: Collection[str], turns: Sequence[dict], known: Collection[str], language: Language
) -> Iterator[str]:
    """Yield the full names in turns that hold a given name of the record and are not its bearer's.

    One rule for all: a full name is its bearer's if the bearer is introduced or greeted by it
        anywhere in the turns, else it may be that of somebody else, and stays in all texts.  What
        a reference alone has is its bearer's: it tells of the people of the dialogue.  A full name
        is written with capitals.  Titles are no part of names.

    known: the keys of all that people in the record are called.
    """
    given = {
        bare
        for bare in (full_names.untitled(name, language)[1] for name in names)
        if _is_capital(bare)
    }
    may_be_others: dict[str, bool] = {}
    for turn in turns if given else ():
        if len(given) > FEW or any(name in turn["text"] for name in given):
            for full in _in_text(turn["text"], given, known, language):
                is_own = _is_own(full, turn["speaker"], known, language)
                may_be_others[full.written] = may_be_others.get(full.written, True) and not is_own
    yield from (written for written, may_be in may_be_others.items() if may_be)


def _is_own(full: FullName, speaker: str, known: Collection[str], language: Language) -> bool:
    """Does who bears the name in a full name bear the whole of it?

    So it is where the bearer is introduced by it (I'm Taylor Brown, Taylor Brown speaking), or is
    called so (Hi Taylor Brown): Taylor may love Taylor Swift.  What another name begins must be
    how the bearer is introduced (I'm Aldo Rossi), or be said by one whose label has a title,
    behind which Rossi is a family name, but not where the name is a word, too (Burger King).
    """
    title, bare, _ = full_names.untitled(speaker, language)
    is_bearer = key(bare) == key(full.name)
    is_introduced = is_bearer and _is_introduced(full, language)
    if not full.first:
        return is_introduced or _follows("calls", full.before, language)
    return (is_introduced or is_bearer and title != "") and _is_given(full.first, known, language)


def _is_introduced(full: FullName, language: Language) -> bool:
    behind = _says_who(language).match(full.after) is not None
    return behind or _follows("introductions", full.before, language)


def _is_capital(name: str) -> bool:
    return name[:1].isupper() and not name.isupper() and name.replace("-", "").isalpha()


def _in_text(
    text: str, given: Collection[str], known: Collection[str], language: Language
) -> Iterator[FullName]:
    """Yield the full names in a text that hold a given name."""
    for run in _runs(language).finditer(text):
        words = [
            word
            for word in compiled(_WORD).finditer(text, *run.span())
            if len(word[0]) > 1 or not text.startswith(".", word.end())
        ]  # W. in George W. Bush
        for at, word in enumerate(words):
            if word[0] not in given:
                continue
            first = last = word
            if at > 0 and _is_begun(text, words[at - 1], word[0], known, language):
                first = words[at - 1]
            if at + 1 < len(words) and _goes_on(text, word, words[at + 1], known, language):
                last = words[at + 1]
            if first is not last:
                start = first.start()
                yield FullName(
                    text[start : last.end()],
                    word[0],
                    "" if first is word else first[0],
                    text[max(start - NEAR, 0) : start],
                    text[last.end() : last.end() + NEAR],
                )


@once_per_language
def _runs(language: Language):
    """Return the pattern of words with capitals in a row; an initial may stand between them, or a
    van or a bin.
    """
    particles = "|".join(sorted(language.facts.get("name_particles", ()), reverse=True)) or "(?!)"
    return compiled(rf"{_BEFORE}{_WORD}(?: (?:\p{{Lu}}\. )*(?:(?:{particles})[ -])?{_WORD})+")


def _goes_on(
    text: str, name: re.Match, word: re.Match, known: Collection[str], language: Language
) -> bool:
    """Does a name go on with a word behind it: Taylor Swift, Vincent van Gogh, José María?  name,
    word: matches.

    Where nouns have capitals one is no family name, but behind a van.
    """
    between, before = (
        text[name.end() : word.start()],
        text[max(name.start() - NEAR, 0) : name.start()],
    )
    if between == " " and f"{name[0]} {word[0]}" in language.facts.get("double_names", ()):
        return True
    particle = between.strip().rpartition(" ")[2]
    if particle in language.facts["function_words"] and word[0] in pools.known(language):
        return False  # Grüße an Anna von Peter
    return not (between == " " and _is_noun(word[0], language)) and _is_family(
        word[0], before, known, language
    )


def _is_noun(word: str, language: Language) -> bool:
    """May a word with a capital be an ordinary noun, as in German?"""
    nouns = language.facts.get("nouns")
    return (
        nouns is not None and compiled(rf"(?:{'|'.join(nouns)})$").search(word.lower()) is not None
    )


def _follows(words: str, before: str, language: Language) -> bool:
    """Does a text before a name end with one of the words of a language: Hi Anna Brown, I'm Dr.
    Anna Brown?
    """
    return _ends(words, language).search(before.replace("’", "'")) is not None


@functools.lru_cache(maxsize=None)
def _ends(words: str, language: Language):
    data = language.facts
    known, titles = (
        "|".join(map(re.escape, data.get(key, ()))) or "(?!)" for key in (words, "titles_before")
    )
    return compiled(rf"(?i)(?<![\p{{L}}\p{{M}}'-])(?:{known})\s+[\"“¡¿]*(?:(?:{titles})\s+)?$")


def _is_begun(
    text: str, word: re.Match, name: str, known: Collection[str], language: Language
) -> bool:
    """Does another name begin with the word before one: a given name, or any where the name is a
    word (at Burger King)?

    word: its match.  What begins a sentence, or follows another capital, is any word: Ayer Sol
        vino, Feliz Navidad Sol.
    """
    if _is_given(word[0], known, language):
        return True
    if name.lower() not in language.words or "nouns" in language.facts:
        return False
    before = text[max(word.start() - NEAR, 0) : word.start()]
    last = compiled(r"(?<!\p{L})\p{L}+(?= $)").search(before)
    is_within = last is not None and (
        last[0].islower() or last[0].lower() in language.facts["function_words"]
    )
    return is_within and _is_family(word[0], before, known, language)


@once_per_language
def _says_who(language: Language):
    """Return the pattern of what is said behind one's own name: speaking."""
    known = "|".join(map(re.escape, language.facts.get("introductions_behind", ()))) or "(?!)"
    return compiled(rf"(?i)\s+(?:{known})(?![\p{{L}}\p{{M}}])")


def _is_given(word: str, known: Collection[str], language: Language) -> bool:
    """Is a word before a name a given name of somebody else: Elton John, Mary Ann?"""
    return (
        word in pools.known(language)
        and word.lower() not in language.words
        and key(word) not in known
    )


def _is_family(word: str, before: str, known: Collection[str], language: Language) -> bool:
    """May a word with a capital after a name be a family name?

    A word of the language is one within a sentence, and anywhere where its words are names, too.
    """
    lower, data, before = word.lower(), language.facts, before.rstrip(' "“«¿¡')
    if word.isupper() or lower in _no_families(language):
        return False
    # of Mr.
    opens = before[-1:] in ("", ":", "\n", *ENDS) and not before.endswith(
        tuple(data["titles_before"])
    )
    is_word = opens and lower in language.words and "words_are_families" not in data
    return not (is_word or key(word) in known or language.gender_of_role(word) is not None)


@once_per_language
def _no_families(language: Language) -> frozenset[str]:
    """Return the words in lower case that have a capital after a name though they belong to none."""
    data = language.facts
    return frozenset(
        word.lower()
        for kind in ("function_words", "capitalised", "calls", "titles_before")
        for word in data[kind]
    )
