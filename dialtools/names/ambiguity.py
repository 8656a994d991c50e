"""Whether a mention is a name, an ordinary word (Will or will, 光 or 光), or part of a longer word."""

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from dialtools.languages.scripts import ENDS, JOINED, TO_HIRAGANA, compiled
from dialtools.names import forms, full_names, replacement
from dialtools.names.lexicon import Lexicon
from dialtools.names.search import Mention
from dialtools.text import word_forms

NEAR = 40  # code points beside a mention that are looked at
_OPENS, _CLOSES = rf"(?:^|[{ENDS}\n:：\"“”「『(¡¿]\s*)$", rf"\s*(?:$|[{ENDS}\n\"”」』)])"
_CALLS = r"ー*\s*[,，、!！?？:：]"  # みさきー！
_HYPHENS = {"-", "‐", "‑"}

NO_NAME = ""  # for sure, as its tokens say
ALSO_A_WORD = "also a word"  # where no capital tells
_BEGINS_SENTENCE = "also a word, and a sentence begins with it"
_ABBREVIATION = "also an abbreviation or a unit"
_PHRASE, _PROPER = "also in a phrase that is no name", "also a month, a place or a people"
_TITLED = "also a word before a title"  # 他任经理, 向老师学习
_IN_WORD, _IN_NAME = "a part of a longer word", "a part of a longer name"
_HYPHENED = "a part of a word with a hyphen"
_WITH_APOSTROPHE = "a part of a word with an apostrophe"
_CERTAIN = (_IN_WORD, _IN_NAME, _HYPHENED, _WITH_APOSTROPHE)  # whatever else is known
_PERHAPS_IN_WORD, _PERHAPS_IN_NAME = f"perhaps {_IN_WORD}", f"perhaps {_IN_NAME}"


class _Form(NamedTuple):
    """What a form of a name may be besides, in any text."""

    phrases: tuple[str, ...]  # that hold it
    is_proper: bool  # a month or a place, which have a capital, too
    is_word_in_lower_case: bool  # a word that has no capital
    is_before_titles: bool  # a word before a title
    is_abbreviation: bool
    is_adjective: bool
    is_word: bool  # a word, a sign or a reading, whatever the text
    is_name_alone: bool  # nothing else, as written, and of letters that do not join words


@functools.lru_cache(maxsize=4096)
def _form(form: str, lexicon: Lexicon) -> _Form:
    facts, lower = lexicon.facts, form.lower()
    # signs that stand for a speaker among letters of another script (AI, A1), or one of Hangul
    is_sign = re.fullmatch("[A-Z][A-Z0-9]|[가-힣]", form) and facts["script"] != "Latn"
    is_adjective = lower in facts.get("adjectives", ())
    phrases = (row["phrase"] for row in lexicon.language.table("guards"))
    kinds = _Form(
        phrases=tuple(phrase for phrase in phrases if lower in phrase and lower != phrase),
        is_proper=lower in facts["capitalised"],
        is_word_in_lower_case=lower in facts.get("words_in_lower_case", ()),
        is_before_titles=full_names.family_beside_title(form, lexicon)
        in {*facts.get("surnames_as_words", ())},
        is_abbreviation=lower in facts.get("abbreviations", ()),
        is_adjective=is_adjective,
        is_word=bool(is_sign)
        or lower in lexicon.words
        or is_adjective
        or _is_reading(form, lexicon),
        is_name_alone=False,
    )
    language = lexicon.language
    may_be_else = form.islower() or lower in language.roles or form in language.forms
    is_alone = not may_be_else and not any(kinds)
    return kinds._replace(
        is_name_alone=is_alone and compiled(f"[{JOINED}]").match(form[-1]) is None
    )


def doubt(
    text: str,
    mention: Mention,
    lexicon: Lexicon,
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
    form, written = mention.form, mention.written
    if mention.address:
        return "in an address or a tag"
    if not any(map(str.isalnum, form)) and text[mention.start - 1 : mention.start] != "@":
        return "also a sign, not a word"
    is_as_given = written == form or word_forms.is_shouted(written)
    if mention.spelled or not made and is_as_given and mention.is_label(text):
        return None

    kinds = _form(form, lexicon)
    longer = part(text, mention, lexicon, tokens)
    if kinds.is_name_alone and written == form and not mention.tail:
        return longer or None
    before, after = mention.before(text, NEAR), mention.after(text, NEAR)
    if kinds.is_abbreviation and not mention.tail:
        # a number (Jan 5), or a dot within a sentence (an ed. of it)
        is_unit = compiled(r"(?<![\p{L}\p{N}])\d[\d.,]*\p{L}*\s$").search(before)
        is_beside = is_unit or re.match(r"\.?\s+\d|\.(?:[),;:]|\s+[^\W\dA-Z_])", after)
        if is_beside and not _is_called(text, mention, lexicon):
            return _ABBREVIATION
    plural = _plural(text, mention, lexicon) if mention.tail else None
    if plural or longer in _CERTAIN:
        return plural or longer
    is_word = _may_be_word(text, mention, lexicon, kinds, made)
    phrase = _phrase(text, mention, kinds.phrases, lexicon) if kinds.phrases else ""
    if not (longer or kinds.is_proper or is_word or phrase):
        return None

    inside = list(_within(mention, tokens)) if tokens and not longer else []
    if any(map(_is_tagged, inside)):
        in_lower_case = is_word or kinds.is_word_in_lower_case
        if phrase and (phrase.istitle() or not in_lower_case):
            return _PHRASE
        # a date (in May, last June, May 26), or a place by the finer tags of a language
        place_tag = str(lexicon.facts.get("place_tag") or "no tag")
        is_else = lexicon.patterns.dated.search(before) or re.match(r",?\s+\d", after)
        is_place = any(place_tag in str(token.get("xpos")) for token in inside)
        return _PROPER if kinds.is_proper and (is_else or is_place) else None
    if any(token.get("upos") for token in inside):
        return _TITLED if kinds.is_before_titles else NO_NAME

    return _doubt_in_context(text, mention, lexicon, output, kinds, longer, phrase)


def _doubt_in_context(
    text: str,
    mention: Mention,
    lexicon: Lexicon,
    output: bool,
    kinds: _Form,
    longer: str,
    phrase: str,
) -> str | None:
    """Return why a mention without tags may be no name.

    longer: why it may be part of a longer word; phrase: what it is a part of; "" for neither.
    """
    if not longer and _follows_article(text, mention, lexicon):  # 2 明老师 has a title
        return "also a word, and an article or its like stands before it"
    if kinds.is_adjective and compiled(r"\s+\p{Ll}").match(mention.after(text, NEAR)):
        # an article and adjectives before it: the black Christian men; My dear Christian, is called
        before, patterns = mention.before(text, NEAR), lexicon.patterns
        words = compiled(r"(?<=\s)(?=\S)").split(before)
        while words and words[-1].strip(" ,\n") in patterns.adjectives:
            words.pop()
        without = "".join(words)
        if without != before and patterns.article.search(without) is not None:
            return "also an adjective, and stands where one does"
    if phrase:
        return _PHRASE
    if _is_called(text, mention, lexicon):
        return None
    if longer or kinds.is_before_titles:
        return longer or _TITLED

    written = mention.written
    if written.lower() == written.upper():
        return ALSO_A_WORD
    if written.islower():
        return "a word in lower case"
    if output and written == mention.form:
        return None
    if kinds.is_proper:
        return _PROPER
    if mention.form.lower() in lexicon.words and _opens(text, mention.start):
        return _BEGINS_SENTENCE
    return "capitals all over" if word_forms.is_shouted(written) else None


def _plural(text: str, mention: Mention, lexicon: Lexicon) -> str | None:
    """Return why a name with the ending of the plural may be no plural of it."""
    if not any(row["use"] == "plural" for row in replacement.ending_rows(mention, lexicon)):
        return None
    plural = (mention.written + mention.tail).lower()
    if plural in lexicon.genders:
        return "perhaps another name"  # Carlos is not several Carlos
    if mention.written.islower():
        return "a plural or a possessive in lower case"
    opens = plural in lexicon.words and (mention.written.isupper() or _opens(text, mention.start))
    return _BEGINS_SENTENCE if opens else None


def _phrase(text: str, mention: Mention, phrases: tuple[str, ...], lexicon: Lexicon) -> str:
    """Return which of some phrases that hold a name's word (Free Will) a mention is a part of, as
    written.
    """
    start = max(mention.start - NEAR, 0)
    around = text[start : mention.end + NEAR].lower().replace("’", "'")
    place = mention.start - start
    # 하나님께서
    is_spaced, is_declined = lexicon.facts["space"] != "", lexicon.facts["script"] == "Hang"
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


def _may_be_word(text: str, mention: Mention, lexicon: Lexicon, kinds: _Form, made: bool) -> bool:
    """Is a form also a word, or a noun here: a role in lower case (moderator), or behind an
    article, as is what nobody knows as a name (a barista)?
    """
    form, is_lower = mention.form, mention.written.islower()
    if kinds.is_before_titles or kinds.is_word or made and form in lexicon.language.forms:
        return True
    if kinds.is_word_in_lower_case and is_lower:
        return True
    if form.lower() in lexicon.language.roles:
        return is_lower or _follows_article(text, mention, lexicon)
    if not is_lower or " " in form or {form, form.title()} & lexicon.known.keys():
        return False
    article = _article(text, mention, lexicon)
    # what zykotick9 said
    return article != "" and article not in lexicon.facts.get("before_clauses", ())


def _follows_article(text: str, mention: Mention, lexicon: Lexicon) -> bool:
    """Does an article or its like stand before a mention, and not what begins a clause (I know
    that Joy came)?
    """
    article = _article(text, mention, lexicon)
    if article not in lexicon.facts.get("before_clauses", ()):
        return article != ""
    return not mention.written.istitle() or re.match(_CLOSES, mention.after(text, NEAR)) is not None


def _article(text: str, mention: Mention, lexicon: Lexicon) -> str:
    """Return the article or its like before a mention, "" where there is none."""
    match = lexicon.patterns.article.search(mention.before(text, NEAR))
    return match[0].strip().lower() if match else ""


def _is_tagged(token: dict) -> bool:
    """Is a token tagged as a name?"""
    return token.get("upos") == "PROPN" or str(token.get("ner", "")).endswith("PER")


def _within(mention: Mention, tokens: list[dict]) -> Iterator[dict]:
    """Yield the tokens that a mention is in."""
    number = bisect_right(tokens, mention.start, key=lambda token: token["end"])
    while number < len(tokens) and tokens[number]["start"] < mention.end:
        yield tokens[number]
        number += 1


def _is_called(text: str, mention: Mention, lexicon: Lexicon) -> bool:
    """Does a title stand beside the name, is somebody addressed by it, or does something belong to
    the bearer?
    """
    before, after = mention.before(text, NEAR), mention.after(text, NEAR)
    patterns, written = lexicon.patterns, mention.written
    is_verb = written.islower() and written in lexicon.facts["function_words"]  # Grandma will come
    if before.endswith("@"):
        return True
    if not is_verb and (patterns.title_before.search(before) or patterns.title_after.match(after)):
        return True
    if _is_reading(mention.form, lexicon):
        return False  # ただ、 is not 多田
    has_capital = written[:1] != written[:1].lower() or written.upper() == written.lower()
    if not has_capital:
        return False

    uses = {row["use"] for row in replacement.ending_rows(mention, lexicon)}
    is_stretched = mention.tail and not uses
    if is_stretched or (uses and uses <= {"person", "call"}) or patterns.greeting.search(before):
        return True
    if uses and "call" not in uses:
        return False  # 전 사장님은요?
    opens, closes = _opens(text, mention.start), compiled(_CLOSES).match(after)
    is_called_first = (
        opens and compiled(_CALLS).match(after) and (not closes or not before.strip(" ¡¿"))
    )
    is_called_last = compiled(r"[,，、]\s*$").search(before[-5:]) and closes
    return bool(is_called_first or is_called_last)


def _opens(text: str, start: int) -> bool:
    """Does a sentence, or what somebody says, begin here?"""
    return compiled(_OPENS).search(text[max(start - 6, 0) : start]) is not None


def part(text: str, mention: Mention, lexicon: Lexicon, tokens: list[dict] | None) -> str:
    """Return why a mention may be part of a longer word, "" if nothing suggests it.

    For Han and kana, tokens alone decide if there are any.
    """
    start, end, form = mention.start, mention.end, mention.form
    previous = text[start - 1 : start]
    if previous in _HYPHENS or text[end : end + 1] in _HYPHENS:
        beside = text[max(start - 2, 0) : start], text[end : end + 2][::-1]
        is_letter = compiled(r"[\p{L}\p{M}\p{N}]").match
        if any(pair[1:] in _HYPHENS and is_letter(pair) for pair in beside):
            return _HYPHENED
    if previous in ("'", "’"):  # O'Neil, but not d'Anna
        prefix = compiled(r"\p{L}+['’]$").search(text[max(start - 12, 0) : start])
        elided = lexicon.patterns.elided
        if prefix is not None and prefix[0].lower().replace("’", "'") not in elided:
            return _WITH_APOSTROPHE
    if form.isascii() or not compiled(f"[{JOINED}]").match(form[-1]):
        return ""

    is_hangul = compiled(r"\p{Hangul}").match(form[-1]) is not None
    if tokens and not is_hangul:  # tokens of Korean hold the endings
        inside = [*_within(mention, tokens)]
        goes_beyond = inside and (inside[0]["start"] < start or inside[-1]["end"] > end)
        return _PERHAPS_IN_WORD if goes_beyond else ""
    before, after = mention.before(text, 3), mention.after(text, 4)
    if form in lexicon.families:
        # 林 in 小林, 原 in 原田, 田中 in 小田中
        beginnings = lexicon.facts.get("families_begin_with", "")
        is_begun = previous and (previous + form in lexicon.families or previous in beginnings)
        if is_begun or after[:1] and form + after[0] in lexicon.families:
            return _IN_NAME
    if _is_beside_others(form, before, after, lexicon):
        return _PERHAPS_IN_NAME
    if after.startswith(tuple(lexicon.facts.get("places_end_in", ()))):
        return "also a part of the name of a place"
    if compiled(r"\p{Han}").match(form[-1]):
        return _of_han(form, before, after, lexicon)
    if is_hangul:
        return _of_hangul(mention, before, after, lexicon)
    is_kana = compiled(r"[\p{Hiragana}ー]+").fullmatch(form)
    return _of_kana(form, before, after, lexicon) if is_kana else ""


def _is_beside_others(form: str, before: str, after: str, lexicon: Lexicon) -> bool:
    """Do letters of names stand beside a family name, and after it no title and no given name:
    高田馬場, 田中リタ?
    """
    hiragana = form.translate(TO_HIRAGANA)
    is_family_read = hiragana != form and hiragana in lexicon.family_readings
    if form not in lexicon.families and not is_family_read:
        return False
    if compiled(r"\p{Han}\Z").search(before):
        return True
    if not compiled(r"[\p{Han}\p{Katakana}]").match(after) or after.startswith(
        lexicon.patterns.after_families
    ):
        return False
    # the customs of the language tell whose it is
    return all(after[:size] not in lexicon.given_names for size in range(1, len(after) + 1))


def _is_reading(form: str, lexicon: Lexicon) -> bool:
    """Is a form in kana the reading of a family name, of which many are words (さとう, はら)?

    Katakana of three letters or more are taken for a name.
    """
    hiragana = form.translate(TO_HIRAGANA)
    return (
        hiragana in lexicon.family_readings
        and hiragana not in lexicon.given_names
        and (form == hiragana or len(form) < 3)
    )


def _of_han(form: str, before: str, after: str, lexicon: Lexicon) -> str:
    """Return why Han letters may go on: one beside others (健康), a word (张伟大, 上周老师), a longer name
    (健太郎).
    """
    previous, following, facts = before[-1:], after[:1], lexicon.facts
    if len(form) == 1:
        is_beside = compiled(r"\p{Han}").search(previous + following) is not None
        return _PERHAPS_IN_WORD if is_beside or _goes_on(after, lexicon) else ""  # 涼しい
    if compiled(r"\p{L}[·‧]\Z").search(before) or compiled(r"[·‧]\p{L}").match(after):
        return _PERHAPS_IN_NAME  # 安娜·卡列尼娜
    surnames = facts.get("surnames", "")
    if len(form) == 2 and previous and previous in surnames and form[0] not in surnames:
        return _PERHAPS_IN_NAME  # of somebody else: 李国强
    longer = {previous + form} if previous else set()
    longer |= {form + following} if following else set()
    if longer & lexicon.given_names:
        return _PERHAPS_IN_NAME  # 健太郎 where 太郎 speaks
    words = lexicon.patterns.compounds
    if (
        form[-1] + following in words
        or previous + form[0] in words
        and full_names.family_beside_title(form, lexicon)
    ):
        return _PERHAPS_IN_WORD
    ends_name = following and following in facts.get("names_end_in", "") and after[:2] not in words
    return _PERHAPS_IN_NAME if ends_name and len(form) == 2 else ""


def _of_kana(form: str, before: str, after: str, lexicon: Lexicon) -> str:
    """Return why hiragana may go on: after a name stands a particle or an honorific, before it at
    most a particle.

    A sign of length that ends a word (みゆきー！) only stretches the name.  In
    what other hiragana begins no title makes a family name: あなたにコーチ.
    """
    particles = tuple(lexicon.facts.get("particles", ()))
    # お祭りなので
    begins = compiled(r"[\p{Hiragana}\p{Han}ー]\Z").search(before) and not before.endswith(
        particles
    )
    goes_on = _goes_on(after, lexicon) or compiled(r"ー*[\p{Katakana}\p{Han}]").match(after)
    is_called = before.endswith(tuple(lexicon.facts["calls"]))
    if begins and _is_reading(form, lexicon) and not is_called:
        return _IN_WORD
    return _PERHAPS_IN_WORD if begins or goes_on else ""


def _goes_on(after: str, lexicon: Lexicon) -> bool:
    """Does hiragana follow that is no particle?"""
    particles = tuple(lexicon.facts.get("particles", ()))
    return compiled(r"ー*\p{Hiragana}").match(after) is not None and not after.startswith(particles)


def _of_hangul(mention: Mention, before: str, after: str, lexicon: Lexicon) -> str:
    """Return why Hangul may go on: after a name stands an ending, before it at most a family name.

    With that before it, a name that reads like letters and an ending may be a word with it: 표정은,
        우정은.
    """
    surnames = "|".join(lexicon.families)
    alone = compiled(rf"(?<!\p{{Hangul}})(?P<family>{surnames})?$").search(before)
    goes_on = (
        not mention.tail
        and compiled(r"\p{Hangul}").match(after)
        and not after.startswith(tuple(lexicon.facts["titles_after"]))
    )
    if goes_on or not alone:
        return _PERHAPS_IN_WORD
    if not alone["family"] or mention.tail:
        return ""
    sound = forms.last_sound(mention.form[:-1], lexicon)
    endings = lexicon.endings.get(sound, {}).get(mention.form[-1], ())
    return _PERHAPS_IN_WORD if any(not row["use"] for row in endings) else ""
