"""Other people whose name holds that of somebody in a record: Taylor Swift, where Taylor speaks."""

import functools
import re
from collections.abc import Collection, Iterator, Sequence

from dialtools import languages
from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import fullnames, pools
from dialtools.names.encoding import key

NEAR = 40  # code points before a name that are looked at
_WORD = r"\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+(?:['’-]\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+)*(?![\p{N}_])"
_BEFORE = r"(?<![\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{N}_@#'’-])"


def full_names(names: Collection[str], turns: Sequence[dict], known: Collection[str], lang: str) -> Iterator[str]:
    """Yield the full names in turns that hold one of the names, a given one, but those that are its bearer's own.

    A full name is written with capitals, and its bearer's own where that says it (Call Taylor Brown), or is called so
    (Hi Taylor Brown).  What another name begins is its bearer's if that is introduced by it (I'm Aldo Rossi), or the
    label has a title, behind which Rossi is a family name, but not where the name is a word as well (Burger King).
    Titles are no part of names.

    known: the keys of all that people in the record are called.
    """
    given = {bare for bare in (fullnames.untitled(name, lang)[1] for name in names) if _is_capital(bare)}
    if not given:
        return
    found: dict[str, bool] = {}  # may it be somebody else's?
    for turn in turns:
        text = turn["text"]
        if any(name in text for name in given):
            title, speaker, _ = fullnames.untitled(turn["speaker"], lang)
            for name, full, first, before in _in_text(text, given, known, lang):
                own = key(speaker) == key(name)
                if first:
                    own &= _is_given(first, known, lang) and (title != "" or _follows("introductions", before, lang))
                found[full] = found.get(full, True) and not (own or not first and _follows("calls", before, lang))
    yield from (full for full, may_be in found.items() if may_be)


def _is_capital(name: str) -> bool:
    return name[:1].isupper() and not name.isupper() and name.replace("-", "").isalpha()


def _in_text(text: str, given: Collection[str], known: Collection[str],
             lang: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (name, full name, what is before the name in it, what is before both) of what a text has in capitals."""
    for run in _runs(lang).finditer(text):
        words = [(match[0], match.start()) for match in compiled(_WORD).finditer(text, *run.span())
                 if len(match[0]) > 1 or not text.startswith(".", match.end())]  # W. in George W. Bush
        for at, (name, start) in enumerate(words):
            if name not in given:
                continue
            before = at > 0 and _is_begun(text, words[at - 1], name, known, lang)
            after = at + 1 < len(words) and _goes_on(text, words[at], words[at + 1], known, lang)
            first, last = words[at - before][1], words[at + after]
            if before or after:
                yield (name, text[first:last[1] + len(last[0])], words[at - 1][0] if before else "",
                       text[max(first - NEAR, 0):first])


@functools.lru_cache(maxsize=None)
def _runs(lang: str):
    """Return the pattern of words with capitals in a row; an initial may stand between them, or a van or a bin."""
    particles = "|".join(sorted(languages.load(lang).get("name_particles", ()), reverse=True)) or "(?!)"
    return compiled(rf"{_BEFORE}{_WORD}(?: (?:\p{{Lu}}\. )*(?:(?:{particles})[ -])?{_WORD})+")


def _goes_on(text: str, name: tuple[str, int], word: tuple[str, int], known: Collection[str], lang: str) -> bool:
    """Does a name go on with a word that stands in the text behind it: Taylor Swift, Vincent van Gogh, José María?

    Where nouns have capitals one is no family name, but behind a van.
    """
    between, before = text[name[1] + len(name[0]):word[1]], text[max(name[1] - NEAR, 0):name[1]]
    if between == " " and f"{name[0]} {word[0]}" in languages.load(lang).get("double_names", ()):
        return True
    particle = between.strip().rpartition(" ")[2]
    if particle in languages.load(lang)["function_words"] and word[0] in pools.known(lang):
        return False  # Grüße an Anna von Peter
    return not (between == " " and _is_noun(word[0], lang)) and _is_family(word[0], before, known, lang)


def _is_noun(word: str, lang: str) -> bool:
    """May a word with a capital be an ordinary noun, as in German?"""
    nouns = languages.load(lang).get("nouns")
    return nouns is not None and compiled(rf"(?:{'|'.join(nouns)})$").search(word.lower()) is not None


def _follows(words: str, before: str, lang: str) -> bool:
    """Does a text before a name end with one of the words of a language: Hi Anna Brown, I'm Anna Brown?"""
    return _ends(words, lang).search(before.replace("’", "'")) is not None


@functools.lru_cache(maxsize=None)
def _ends(words: str, lang: str):
    known = "|".join(map(re.escape, languages.load(lang).get(words, ()))) or "(?!)"
    return compiled(rf"(?i)(?<![\p{{L}}\p{{M}}'-])(?:{known})\s+[\"“¡¿]*$")


def _is_begun(text: str, word: tuple[str, int], name: str, known: Collection[str], lang: str) -> bool:
    """Does another name begin with the word before one: a given name, or any where the name is a word (at Burger King)?

    What begins a sentence, or follows another capital, is any word: Ayer Sol vino, Feliz Navidad Sol.
    """
    if _is_given(word[0], known, lang):
        return True
    if name.lower() not in languages.words(lang) or "nouns" in languages.load(lang):
        return False
    before = text[max(word[1] - NEAR, 0):word[1]]
    last = compiled(r"(?<!\p{L})\p{L}+(?= $)").search(before)
    is_within = last is not None and (last[0].islower() or last[0].lower() in languages.load(lang)["function_words"])
    return is_within and _is_family(word[0], before, known, lang)


def _is_given(word: str, known: Collection[str], lang: str) -> bool:
    """Is a word before a name a given name of somebody else: Elton John, Mary Ann?"""
    return word in pools.known(lang) and word.lower() not in languages.words(lang) and key(word) not in known


def _is_family(word: str, before: str, known: Collection[str], lang: str) -> bool:
    """May a word with a capital after a name be a family name?

    A word of the language is one within a sentence, and anywhere where its words are names, too.
    """
    lower, data, before = word.lower(), languages.load(lang), before.rstrip(" \"“«¿¡")
    if word.isupper() or lower in _no_families(lang):
        return False
    opens = before[-1:] in ("", ":", "\n", *ENDS) and not before.endswith(tuple(data["titles_before"]))  # of Mr.
    is_word = opens and lower in languages.words(lang) and "words_are_families" not in data
    return not (is_word or key(word) in known or languages.is_role(word, lang))


@functools.lru_cache(maxsize=None)
def _no_families(lang: str) -> frozenset[str]:
    """Return the words in lower case that have a capital after a name though they belong to none."""
    data = languages.load(lang)
    return frozenset(word.lower() for kind in ("function_words", "capitalised", "calls", "titles_before")
                     for word in data[kind])
