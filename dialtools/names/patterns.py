"""What stands beside names in a language: titles, greetings, articles, introductions, families."""

import re
from collections.abc import Iterable
from typing import Any

from dialtools.languages import Language
from dialtools.languages.scripts import ENDS, compiled

WORD = r"\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+(?:['’-]\p{Lu}[\p{Lu}\p{Ll}\p{M}]*+)*(?![\p{N}_])"
_BEFORE = r"(?<![\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{N}_@#'’-])"


class Patterns:
    """Patterns and words, made once for a language.

    title_before, title_after: a title, at the end of what stands before a name and after one.
    greeting: what a sentence begins with before a name; call: anywhere, perhaps with a title.
    article: an article or its like before a name.
    dated: what a month or a place comes after, or a number.
    changing: a word before a name that changes with it (an Anna), with the space after it; None
        without such words.
    introduction, introduction_behind: I'm Dr. …, … speaking.
    run: words with capitals in a row; between them an initial, a van or a bin.
    adjectives, elided, compounds: words; what is written together with a name (d', dell'); those
        of Han letters.
    after_families: titles, and words such as 家 and 夫妻.
    no_families: words in lower case that have a capital after a name.
    """

    def __init__(self, language: Language) -> None:
        facts = language.facts
        titles, titles_after, calls = (
            _any_of(facts[key]) for key in ("titles_before", "titles_after", "calls")
        )
        space = r"\s+" if facts["space"] else r"\s*"
        end = "" if facts["script"] in ("Hani", "Hang") else r"(?![\p{L}\p{M}])"
        self.title_before = compiled(rf"(?<!\p{{L}})(?:{titles})\s*$")
        self.title_after = compiled(rf"\s*(?:{titles_after}){end}")
        self.greeting = compiled(rf"(?i)(?:^|[{ENDS},，、\n]\s*)(?:{calls}){space}$")
        determiners = _any_of(facts.get("determiners", ()))
        self.article = compiled(rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{determiners}|\d+)\s+$")
        dated = _any_of(facts.get("before_dates_and_places", ()))
        self.dated = compiled(rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{dated}|\d+\p{{L}}*)\s+$")

        beginnings, rows = language.table("beginnings"), language.table("introductions")
        words = {word for row in beginnings for word in (row["word"], row["changed"])}
        self.changing = _changing(words) if words else None
        introductions, behind = (
            _any_of(row[side] for row in rows if not row[without])
            for side, without in (("before", "after"), ("after", "before"))
        )
        self.call, self.introduction = (
            compiled(rf"(?i)(?<![\p{{L}}\p{{M}}'-])(?:{words})\s+[\"“¡¿]*(?:(?:{titles})\s+)?$")
            for words in (calls, introductions)
        )
        self.introduction_behind = compiled(rf"(?i)\s+(?:{behind})(?![\p{{L}}\p{{M}}])")
        particles = "|".join(sorted(facts.get("name_particles", ()), reverse=True)) or "(?!)"
        self.run = compiled(rf"{_BEFORE}{WORD}(?: (?:\p{{Lu}}\. )*(?:(?:{particles})[ -])?{WORD})+")

        self.adjectives = frozenset(row["word"] for row in language.table("adjectives"))
        self.elided = frozenset(row["changed"] for row in beginnings)
        compounds = [row["word"] for row in language.table("compounds")]
        self.compounds = frozenset(compounds)
        self.after_families = (
            *facts["titles_after"],
            *facts.get("after_families", ()),
            *compounds,
        )
        kinds = ("function_words", "capitalised", "calls", "titles_before")
        self.no_families = frozenset(word.lower() for kind in kinds for word in facts[kind])


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words)) or "(?!)"


def _changing(words: set[str]) -> Any:
    """Return the pattern of words that change before names; some end with an apostrophe."""
    elided = "|".join(re.escape(word[:-1]) for word in sorted(words) if word.endswith("'"))
    apart = "|".join(re.escape(word) for word in sorted(words, key=len) if not word.endswith("'"))
    return compiled(
        rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}'’])(?:"
        rf"(?P<word>(?:{elided or '(?!)'})['’])(?P<gap>\s?)|"
        rf"(?P<word>{apart})(?P<gap>\s+))$"
    )
