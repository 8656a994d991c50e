"""Other people whose name holds that of somebody in a record: Taylor Swift, where Taylor speaks."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import full_names
from dialtools.names.forms import key
from dialtools.names.lexicon import Lexicon
from dialtools.names.patterns import WORD
from dialtools.names.record_texts import RecordTexts

NEAR = 40  # code points before a name that are looked at
FEW = 50  # names that are sooner looked for one by one than by the words of a text


class FullName(NamedTuple):
    """A full name in a text that holds one of the names that are looked for."""

    written: str  # Elton John
    name: str  # John
    first: str  # Elton; "" where the name is what it begins with
    before: str  # what the text has before it
    after: str


def of_others(names: Collection[str], source: RecordTexts, known: Collection[str]) -> Iterator[str]:
    """Yield the full names in turns that hold a given name of the record and are not its bearer's.

    One rule for all: a full name is its bearer's if the bearer is introduced or greeted by it
        anywhere in the turns, else it may be that of somebody else, and stays in all texts.  What
        a reference alone has is its bearer's: it tells of the people of the dialogue.  A full name
        is written with capitals.  Titles are no part of names.

    known: the keys of all that people in the record are called.
    """
    lexicon = source.lexicon
    bare_names = {full_names.untitled(name, lexicon)[1] for name in names}
    given_names = {
        bare
        for bare in bare_names
        if bare[:1].isupper() and not bare.isupper() and bare.replace("-", "").isalpha()
    }
    may_be_others: dict[str, bool] = {}
    speakers = {key(full_names.untitled(label, lexicon)[1]) for label in source.speakers}
    for turn in source.turns if given_names else ():
        text = turn["text"]
        if len(given_names) > FEW or any(name in text for name in given_names):
            for full in _in_text(text, given_names, known, lexicon):
                is_silent = key(full.name) not in speakers
                is_bearers = _is_bearers(full, turn["speaker"], is_silent, known, lexicon)
                may_be_others[full.written] = (
                    may_be_others.get(full.written, True) and not is_bearers
                )
    yield from (written for written, may_be in may_be_others.items() if may_be)


def _is_bearers(
    full: FullName, speaker: str, is_silent: bool, known: Collection[str], lexicon: Lexicon
) -> bool:
    """Does who bears the name in a full name bear the whole of it?

    So it is where the bearer is introduced by it (I'm Taylor Brown, Taylor Brown speaking), or is
    called so (Hi Taylor Brown): Taylor may love Taylor Swift.  What another name begins must be
    how the bearer is introduced (I'm Aldo Rossi), or be said by one whose label has a title,
    behind which Rossi is a family name, but not where the name is a word, too (Burger King).

    is_silent: the bearer does not speak, and is introduced by anybody.
    """
    patterns, before = lexicon.patterns, full.before.replace("’", "'")
    title, bare, _ = full_names.untitled(speaker, lexicon)
    is_bearer = key(bare) == key(full.name)
    is_introduced = (is_bearer or is_silent) and bool(
        patterns.introduction_behind.match(full.after) or patterns.introduction.search(before)
    )
    if not full.first:
        return is_introduced or patterns.call.search(before) is not None
    return (is_introduced or is_bearer and title != "") and _is_given(full.first, known, lexicon)


def _in_text(
    text: str, given: Collection[str], known: Collection[str], lexicon: Lexicon
) -> Iterator[FullName]:
    """Yield the full names in a text that hold a given name."""
    for run in lexicon.patterns.run.finditer(text):
        words = [
            word
            for word in compiled(WORD).finditer(text, *run.span())
            if len(word[0]) > 1 or not text.startswith(".", word.end())
        ]  # W. in George W. Bush
        for number, word in enumerate(words):
            if word[0] not in given:
                continue
            first = last = word
            if number > 0 and _is_begun(text, words[number - 1], word[0], known, lexicon):
                first = words[number - 1]
            if number + 1 < len(words) and _goes_on(text, word, words[number + 1], known, lexicon):
                last = words[number + 1]
            if first is not last:
                start = first.start()
                yield FullName(
                    text[start : last.end()],
                    word[0],
                    "" if first is word else first[0],
                    text[max(start - NEAR, 0) : start],
                    text[last.end() : last.end() + NEAR],
                )


def _goes_on(
    text: str, name: re.Match, word: re.Match, known: Collection[str], lexicon: Lexicon
) -> bool:
    """Does a name go on with a word behind it: Taylor Swift, Vincent van Gogh, José María?  name,
    word: matches.

    Where nouns have capitals, as in German, one is no family name, but behind a van.
    """
    facts, between = lexicon.facts, text[name.end() : word.start()]
    if between == " " and f"{name[0]} {word[0]}" in facts.get("double_names", ()):
        return True
    particle = between.strip().rpartition(" ")[2]
    if particle in facts["function_words"] and word[0] in lexicon.known:
        return False  # Grüße an Anna von Peter
    nouns = facts.get("nouns") if between == " " else None
    if nouns is not None and compiled(rf"(?:{'|'.join(nouns)})$").search(word[0].lower()):
        return False
    before = text[max(name.start() - NEAR, 0) : name.start()]
    return _is_family(word[0], before, known, lexicon)


def _is_begun(
    text: str, word: re.Match, name: str, known: Collection[str], lexicon: Lexicon
) -> bool:
    """Does another name begin with the word before one: a given name, or any where the name is a
    word (at Burger King)?

    word: its match.  What begins a sentence, or follows another capital, is any word: Ayer Sol
        vino, Feliz Navidad Sol.
    """
    if _is_given(word[0], known, lexicon):
        return True
    if name.lower() not in lexicon.words or "nouns" in lexicon.facts:
        return False
    before = text[max(word.start() - NEAR, 0) : word.start()]
    last = compiled(r"(?<!\p{L})\p{L}+(?= $)").search(before)
    is_within = last is not None and (
        last[0].islower() or last[0].lower() in lexicon.facts["function_words"]
    )
    return is_within and _is_family(word[0], before, known, lexicon)


def _is_given(word: str, known: Collection[str], lexicon: Lexicon) -> bool:
    """Is a word before a name a given name of somebody else: Elton John, Mary Ann?"""
    return word in lexicon.known and word.lower() not in lexicon.words and key(word) not in known


def _is_family(word: str, before: str, known: Collection[str], lexicon: Lexicon) -> bool:
    """May a word with a capital after a name be a family name?

    A word of the language is one within a sentence, and anywhere where its words are names, too.
    """
    lower, facts, before = word.lower(), lexicon.facts, before.rstrip(' "“«¿¡')
    if word.isupper() or lower in lexicon.patterns.no_families:
        return False
    # of Mr.
    opens = before[-1:] in ("", ":", "\n", *ENDS) and not before.endswith(
        tuple(facts["titles_before"])
    )
    is_word = opens and lower in lexicon.words and "words_are_families" not in facts
    is_role = lexicon.language.gender_of_role(word) is not None
    return not (is_word or key(word) in known or is_role)
