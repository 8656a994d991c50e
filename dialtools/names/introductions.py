"""Names of people whom a text introduces: I am Tom Baker, 我叫王芳, 田中と申します, मेरा नाम राहुल है."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dialtools.languages import once_per_language
from dialtools.languages.scripts import CJK, compiled
from dialtools.names import full_names
from dialtools.names import lexicon as lexicons
from dialtools.names.forms import key
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.records import dialogue

_CAPITAL = r"\p{Lu}[\p{L}\p{M}]*+(?:['’-]\p{Lu}[\p{L}\p{M}]*+)*"
_WORD = rf"(?:{_CAPITAL}|[\p{{L}}\p{{M}}]++(?:-[\p{{L}}\p{{M}}]++)*)"
_LETTERS = rf"[{CJK}ー・\p{{Hangul}}]"  # of scripts in which no space ends a name


class _Introduction(NamedTuple):
    """What stands around a name: a row of introductions.tsv."""

    pattern: re.Pattern  # with the groups title and name
    is_joined: bool  # no space ends the name
    is_open: bool  # it may be the beginning, or the end, of what the group holds
    is_sure: bool  # what stands there is a name, known or not


INTRODUCED = "introduced"  # what --person calls them


def names(source: RecordTexts) -> list[str]:
    """Return whom the turns or the text of a record introduce, without those who speak there.

    In scripts with a space between words that is a given name (Tom of Tom Baker), or a name behind
    a title (Mr. Baker); what stands behind it stays.  In others it is the whole name.
    """
    speakers, holders = source.speakers, dialogue.holders(source.record)
    borne = {key(word) for label in speakers for word in (label, *re.findall(r"\w+", label))}
    introduced: dict[str, str] = {}
    for holder in holders:
        for name in _in_text(holder["text"], source.lexicon):
            if key(name) not in borne:
                introduced.setdefault(key(name), name)
    return list(introduced.values())


def _in_text(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield the names that are introduced in a text."""
    for introduction in _introductions(lexicon.language):
        for match in introduction.pattern.finditer(text):
            name = match["name"]
            if introduction.is_joined:
                yield from _joined_names(match, introduction, lexicon)
            elif match["title"] and full_names.gender(name, lexicon) is None:
                yield match["title"] + name
            elif _is_name(name, introduction.is_sure, lexicon):
                yield name


def _joined_names(match: re.Match, introduction: _Introduction, lexicon: Lexicon) -> Iterator[str]:
    """Yield the longest name that what is introduced is, begins with, or ends in, if there is one.

    Beyond a name stands at most a word such as 很: 周杰伦 is not 周杰.
    """
    letters, is_first = match["name"], match["before"] != ""
    function_words = tuple(lexicon.facts["function_words"])
    for size in range(len(letters), 1, -1):
        name, beyond = letters[-size:], letters[:-size]
        is_apart = beyond.endswith(function_words)
        if is_first:
            name, beyond = letters[:size], letters[size:]
            is_apart = beyond.startswith(function_words)
        is_sure = introduction.is_sure and not (beyond and is_first)
        if (not beyond or is_apart) and _is_joined_name(name, is_sure, lexicon):
            yield name
            return
        if not introduction.is_open:
            return


def _is_name(name: str, is_sure: bool, lexicon: Lexicon) -> bool:
    """Is a word that is introduced a name: a known one, or any with a capital where that is sure?

    One of another language is known where that is sure: Berlin is a name in English.
    """
    facts, lower = lexicon.facts, name.lower()
    is_word = lower in lexicon.words or lower in facts["function_words"]
    no_names = {*facts["capitalised"], *facts["calls"], *facts.get("adjectives", ())}
    if lower in no_names or lexicon.language.is_role(name) or name == lower and is_word:
        return False
    if lower in lexicon.genders or not is_sure:
        return lower in lexicon.genders
    is_foreign = full_names.gender(name, lexicon) in ("f", "m", "u")
    return is_foreign or not is_word and (name != lower or lower == name.upper())


def _is_joined_name(name: str, is_sure: bool, lexicon: Lexicon) -> bool:
    """Is what is introduced a name, in a script in which no space ends one: a known one, a known
    family name with a title or a given name, or anything of two letters where that is sure?
    """
    facts, bare = lexicon.facts, full_names.untitled(name, lexicon)[1]
    if name.isascii():
        return _is_name(name, is_sure, lexicon)
    if name in lexicon.words or lexicon.language.is_role(name):
        return False
    if bare in lexicon.families or len(bare) > 1 and bare in lexicon.given_names:
        return True
    family = full_names.family_and_given(name, lexicon)[0]
    if family and (
        full_names.gender(name, lexicon) or full_names.family_beside_title(name, lexicon)
    ):
        return name != family
    if not is_sure or len(name) < 2 or compiled(r"\p{Hiragana}+").fullmatch(name):
        return False  # 名前はなんですか
    return not any(word in name for word in facts["function_words"])


@once_per_language
def _introductions(language) -> list[_Introduction]:
    lexicon = lexicons.of(language)
    titles = "|".join(map(re.escape, lexicon.facts["titles_before"])) or "(?!)"
    is_joined = lexicon.facts["script"] in ("Hani", "Hang")
    introductions = []
    for row in language.table("introductions"):
        before, after = (re.escape(row[side]).replace("'", "['’]") for side in ("before", "after"))
        if is_joined:
            name = rf"(?P<name>{_LETTERS}{{1,8}}{'?' if before and after else ''}|{_CAPITAL})"
            pattern = rf"(?P<before>{before})(?P<title>)\s?{name}\s?{after}"
        else:
            word = _WORD if before else _CAPITAL
            title = rf"(?P<title>(?:(?:{titles})\s+)*)"
            name = rf"{title}(?P<name>{word})(?![\p{{N}}_@]|['’]s\b)"
            more_words = rf"(?:\s{word}){{0,3}}?\s+{after}(?![\p{{L}}\p{{M}}])" if after else ""
            start = rf"(?i:{before})\s+" if before else rf"(?<!{_CAPITAL}\s)"
            pattern = rf"(?<![\p{{L}}\p{{M}}'’-])(?P<before>{start})[\"“«]?{name}{more_words}"
        is_open = is_joined and not (before and after)
        is_sure = row["name"] == "any"
        introductions.append(_Introduction(compiled(pattern), is_joined, is_open, is_sure))
    return introductions
