"""Whether a mention is a name or an ordinary word: Will or will, 光 or 光."""

import functools
import re
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS, JOINED, compiled
from dialtools.names import boundaries, full_names, pools, replacement
from dialtools.names.search import Mention
from dialtools.text import word_forms

NEAR = 40  # code points beside a mention that are looked at
_OPENS, _CLOSES = rf"(?:^|[{ENDS}\n:：\"“”「『(¡¿]\s*)$", rf"\s*(?:$|[{ENDS}\n\"”」』)])"
_CALLS = r"ー*\s*[,，、!！?？:：]"  # みさきー！
ALSO_A_WORD = "also a word"  # where no capital tells
_ABBREVIATION = "also an abbreviation or a unit"
NO_NAME = ""  # for sure, as its tokens say
_PHRASE, _PROPER = "also in a phrase that is no name", "also a month, a place or a people"
_TITLED = "also a word before a title"  # 他任经理, 向老师学习


def doubt(
    text: str,
    mention: Mention,
    language: Language,
    tokens: list[dict] | None = None,
    output: bool = False,
    made: bool = False,
) -> str | None:
    """Return why a mention may be no name: NO_NAME if its tokens say so, None if it is a name.

    In doubt are names that are also words, and mentions that may be part of a
    longer word; the label of a turn (Will: at the beginning of a line) is a name.
    Tokens with tags decide, except for dates and names of things, which are tagged
    as people are (May 26, Rose Bowl). Without tags a name has a title beside it, a
    greeting before it, a comma of address, a possessive, or a capital within a
    sentence and no article before it. In the output of a system that was given the
    name, a capital is enough unless an article stands before it.

    made: the form is made of a name and is not part of what anybody is called:
    刚刚 of 赵刚 is then a word; 圆圆 of 高圆圆 is not.
    """
    if mention.address:
        return "in an address or a tag"
    if not any(map(str.isalnum, mention.form)) and text[mention.start - 1 : mention.start] != "@":
        return "also a sign, not a word"
    is_as_given = mention.written == mention.form or word_forms.is_shouted(mention.written)
    if mention.spelled or not made and is_as_given and mention.is_label(text):
        return None
    if (
        mention.written == mention.form
        and not mention.tail
        and _is_a_name_alone(mention.form, language)
    ):
        return boundaries.part(text, mention, language, tokens) or None
    if _is_abbreviation(text, mention, language) and not _is_called(text, mention, language):
        return _ABBREVIATION
    part = boundaries.part(text, mention, language, tokens)
    plural = _plural(text, mention, language)
    if plural or part in boundaries.CERTAIN:
        return plural or part
    lower, data = mention.form.lower(), language.facts
    kinds = _Kinds(
        part=part,
        proper=lower in data["capitalised"],
        in_lower_case=lower in data.get("words_in_lower_case", ()),
        titled=full_names.family_beside_title(mention.form, language)
        in {*data.get("surnames_as_words", ())},
        phrase=_in_phrase(text, mention, language),
    )
    word = (
        kinds.titled
        or mention.written.islower()
        and kinds.in_lower_case
        or _is_always_word(mention.form, language)
        or _is_noun(text, mention, language)
        or made
        and mention.form in language.forms
    )
    if not (part or kinds.proper or word or kinds.phrase):
        return None
    tag = "" if part else _tag(mention, tokens)
    if tag == "PROPN":
        return _tagged(text, mention, language, tokens, kinds, word)
    if tag:
        return _TITLED if kinds.titled else NO_NAME
    return _in_context(text, mention, language, output, kinds)


@functools.lru_cache(maxsize=4096)
def _is_a_name_alone(form: str, language: Language) -> bool:
    """Is a form, as written, nothing else than a name in any text, and of letters that do not join
    words?
    """
    lower, data = form.lower(), language.facts
    may_be_else = (
        form.islower()
        or lower in language.roles
        or form in language.forms
        or any(lower in data.get(kind, ()) for kind in ("abbreviations", "capitalised"))
        or full_names.family_beside_title(form, language) in {*data.get("surnames_as_words", ())}
        or _is_always_word(form, language)
        or _phrases(lower, language)
    )
    return not may_be_else and compiled(f"[{JOINED}]").match(form[-1]) is None


class _Kinds(NamedTuple):
    """What a mention may be other than a name."""

    part: str  # of a longer word, "" if it is none
    proper: bool  # a month or a place, which have a capital, too
    in_lower_case: bool  # a word that has no capital
    titled: bool  # a word before a title
    phrase: str  # that holds it, "" for none


def _tagged(
    text: str,
    mention: Mention,
    language: Language,
    tokens: list[dict] | None,
    kinds: _Kinds,
    is_word: bool,
) -> str | None:
    """Return why a mention whose tokens are tagged as a name may be none."""
    if kinds.phrase and (kinds.phrase.istitle() or not (is_word or kinds.in_lower_case)):
        return _PHRASE
    if not kinds.proper:
        return None
    # in May, last June, May 26
    is_dated = (
        _patterns(language).dated.search(mention.before(text, NEAR)) is not None
        or re.match(r",?\s+\d", mention.after(text, NEAR)) is not None
    )
    # the finer tags of a language, where it has such
    tag = str(language.facts.get("place_tag", ""))
    is_place = tag != "" and any(
        tag in str(token.get("xpos")) for token in boundaries.within(mention, tokens or [])
    )
    return _PROPER if is_dated or is_place else None


def _in_context(
    text: str, mention: Mention, language: Language, output: bool, kinds: _Kinds
) -> str | None:
    """Return why a mention without tags may be no name, judging by its context."""
    if not kinds.part and _follows_article(text, mention, language):  # 2 明老师 has a title
        return "also a word, and an article or its like stands before it"
    if _is_among_adjectives(text, mention, language):
        return "also an adjective, and stands where one does"
    if kinds.phrase:
        return _PHRASE
    if _is_called(text, mention, language):
        return None
    as_a_word = (
        _TITLED if kinds.titled else _as_a_word(text, mention, language, output, kinds.proper)
    )
    return kinds.part or as_a_word


@functools.lru_cache(maxsize=4096)
def _is_always_word(form: str, language: Language) -> bool:
    """Is a form also a word, whatever the text?"""
    # signs that stand for a speaker among letters of another script (AI, A1), or one of Hangul
    is_code = (
        re.fullmatch("[A-Z][A-Z0-9]|[가-힣]", form) is not None
        and language.facts["script"] != "Latn"
    )
    return (
        is_code
        or form.lower() in language.words
        or form.lower() in language.facts.get("adjectives", ())
        or full_names.is_reading(form, language)
    )


def _follows_article(text: str, mention: Mention, language: Language) -> bool:
    """Does an article or its like stand before a mention, and not what begins a clause (I know
    that Joy came)?
    """
    article = _article(text, mention, language)
    if article not in language.facts.get("before_clauses", ()):
        return article != ""
    return not mention.written.istitle() or re.match(_CLOSES, mention.after(text, NEAR)) is not None


def _article(text: str, mention: Mention, language: Language) -> str:
    """Return the article or its like before a mention, "" where there is none."""
    match = _patterns(language).article.search(mention.before(text, NEAR))
    return match[0].strip().lower() if match else ""


def _is_noun(text: str, mention: Mention, language: Language) -> bool:
    """Is a role in lower case (moderator), or behind an article, as is what nobody knows as a name
    (a barista)?
    """
    form, is_lower = mention.form, mention.written.islower()
    if form.lower() in language.roles:
        return is_lower or _follows_article(text, mention, language)
    if not is_lower or " " in form or {form, form.title()} & pools.known(language).keys():
        return False
    article = _article(text, mention, language)
    # what zykotick9 said
    return article != "" and article not in language.facts.get("before_clauses", ())


def _is_among_adjectives(text: str, mention: Mention, language: Language) -> bool:
    """Do an article and adjectives stand before a name that is one, too, and a word after it: the
    black Christian men?

    My dear Christian, is called so.
    """
    if mention.form.lower() not in language.facts.get("adjectives", ()) or not compiled(
        r"\s+\p{Ll}"
    ).match(mention.after(text, NEAR)):
        return False
    before, adjectives = mention.before(text, NEAR), _adjectives(language)
    words = compiled(r"(?<=\s)(?=\S)").split(before)
    while words and words[-1].strip(" ,\n") in adjectives:
        words.pop()
    without = "".join(words)
    return without != before and _patterns(language).article.search(without) is not None


@once_per_language
def _adjectives(language: Language) -> frozenset[str]:
    return frozenset(row["word"] for row in language.table("adjectives"))


def _as_a_word(
    text: str, mention: Mention, language: Language, output: bool, proper: bool
) -> str | None:
    """Return why a mention of a name that is also a word may be the word."""
    written = mention.written
    if written.lower() == written.upper():
        return ALSO_A_WORD
    if written.islower():
        return "a word in lower case"
    if output and written == mention.form:
        return None
    if proper:
        return _PROPER
    if mention.form.lower() in language.words and _opens(text, mention.start):
        return "also a word, and a sentence begins with it"
    return "capitals all over" if word_forms.is_shouted(written) else None


def _plural(text: str, mention: Mention, language: Language) -> str | None:
    """Return why a name with the ending of the plural may be no plural of it."""
    if not any(row["use"] == "plural" for row in replacement.ending_rows(mention, language)):
        return None
    plural = (mention.written + mention.tail).lower()
    if plural in pools.genders(language):
        return "perhaps another name"  # Carlos is not several Carlos
    if mention.written.islower():
        return "a plural or a possessive in lower case"
    opens = plural in language.words and (mention.written.isupper() or _opens(text, mention.start))
    return "also a word, and a sentence begins with it" if opens else None


def _tag(mention: Mention, tokens: list[dict] | None) -> str:
    """Return PROPN where a token of the mention is a name, another tag where none is, "" without
    tags.
    """
    if not tokens:
        return ""
    inside = list(boundaries.within(mention, tokens))
    if any(
        token.get("upos") == "PROPN" or str(token.get("ner", "")).endswith("PER")
        for token in inside
    ):
        return "PROPN"
    return next((token["upos"] for token in inside if token.get("upos")), "")


def _is_called(text: str, mention: Mention, language: Language) -> bool:
    """Does a title stand beside the name, is somebody addressed by it, or does something belong to
    the bearer?
    """
    before, after = mention.before(text, NEAR), mention.after(text, NEAR)
    patterns, written = _patterns(language), mention.written
    is_verb = written.islower() and written in language.facts["function_words"]  # Grandma will come
    if (
        before.endswith("@")
        or not is_verb
        and (patterns.title_before.search(before) or patterns.title_after.match(after))
    ):
        return True
    if full_names.is_reading(mention.form, language):
        return False  # ただ、 is not 多田
    has_capital = written[:1] != written[:1].lower() or written.upper() == written.lower()
    if not has_capital:
        return False
    uses = {row["use"] for row in replacement.ending_rows(mention, language)}
    is_stretched = mention.tail and not uses
    if is_stretched or (uses and uses <= {"person", "call"}) or patterns.greeting.search(before):
        return True
    if uses and "call" not in uses:
        return False  # 전 사장님은요?
    opens, closes = _opens(text, mention.start), compiled(_CLOSES).match(after)
    called_first = (
        opens and compiled(_CALLS).match(after) and (not closes or not before.strip(" ¡¿"))
    )
    called_last = compiled(r"[,，、]\s*$").search(before[-5:]) and closes
    return bool(called_first or called_last)


class _Patterns(NamedTuple):
    """What stands beside a name in a language."""

    title_before: re.Pattern
    title_after: re.Pattern
    greeting: re.Pattern  # what a sentence begins with
    article: re.Pattern  # or its like
    dated: re.Pattern  # what a month or a place comes after, or a number


@once_per_language
def _patterns(language: Language) -> _Patterns:
    import regex

    data = language.facts
    before, after, calls, determiners, dated = (
        "|".join(map(regex.escape, data.get(key, ()))) or "(?!)"
        for key in (
            "titles_before",
            "titles_after",
            "calls",
            "determiners",
            "before_dates_and_places",
        )
    )
    space = r"\s+" if data["space"] else r"\s*"
    end = "" if data["script"] in ("Hani", "Hang") else r"(?![\p{L}\p{M}])"
    return _Patterns(
        regex.compile(rf"(?<!\p{{L}})(?:{before})\s*$"),
        regex.compile(rf"\s*(?:{after}){end}"),
        regex.compile(rf"(?i)(?:^|[{ENDS},，、\n]\s*)(?:{calls}){space}$"),
        regex.compile(rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{determiners}|\d+)\s+$"),
        regex.compile(rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{dated}|\d+\p{{L}}*)\s+$"),
    )


def _opens(text: str, start: int) -> bool:
    """Does a sentence, or what somebody says, begin here?"""
    return compiled(_OPENS).search(text[max(start - 6, 0) : start]) is not None


def _is_abbreviation(text: str, mention: Mention, language: Language) -> bool:
    """Is a name an abbreviation or a unit here, beside a number (Jan 5) or a dot within a sentence
    (an ed. of it)?
    """
    if mention.tail or mention.form.lower() not in language.facts.get("abbreviations", ()):
        return False
    before, after = mention.before(text, NEAR), mention.after(text, NEAR)
    return (
        compiled(r"(?<![\p{L}\p{N}])\d[\d.,]*\p{L}*\s$").search(before) is not None
        or re.match(r"\.?\s+\d|\.(?:[),;:]|\s+[^\W\dA-Z_])", after) is not None
    )


def _in_phrase(text: str, mention: Mention, language: Language) -> str:
    """Return which of the language's phrases that hold a name's word (Free Will) a mention is a
    part of, as written.
    """
    phrases = _phrases(mention.form.lower(), language)
    if not phrases:
        return ""
    start = max(mention.start - NEAR, 0)
    around, place = (
        text[start : mention.end + NEAR].lower().replace("’", "'"),
        mention.start - start,
    )
    # 하나님께서
    is_spaced, is_declined = language.facts["space"] != "", language.facts["script"] == "Hang"
    for phrase in phrases:
        first = around.find(phrase, max(place - len(phrase) + 1, 0))
        end = first + len(phrase)
        if not 0 <= first <= place:
            continue
        goes_on = (
            around[first - 1 : first].isalpha()
            or not is_declined
            and around[end : end + 1].isalpha()
        )
        if not (is_spaced and goes_on):
            return text[start + first : start + end]
    return ""


@functools.lru_cache(maxsize=4096)
def _phrases(form: str, language: Language) -> tuple[str, ...]:
    phrases = [row["phrase"] for row in language.table("guards")]
    # Robin Hood may speak
    return tuple(phrase for phrase in phrases if form in phrase and form != phrase)
