"""Mentions that may be part of a longer word or name, in scripts that join words."""

from bisect import bisect_right
from collections.abc import Iterator

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import JOINED, compiled
from dialtools.names import full_names, orthography
from dialtools.names.search import Mention

_IN_WORD, _IN_NAME = "a part of a longer word", "a part of a longer name"
_HYPHENED = "a part of a word with a hyphen"
_WITH_APOSTROPHE = "a part of a word with an apostrophe"
CERTAIN = (_IN_WORD, _IN_NAME, _HYPHENED, _WITH_APOSTROPHE)  # whatever else is known of the mention
_HYPHENS = {"-", "‐", "‑"}
_PERHAPS_IN_WORD, _PERHAPS_IN_NAME = f"perhaps {_IN_WORD}", f"perhaps {_IN_NAME}"


def part(text: str, mention: Mention, language: Language, tokens: list[dict] | None) -> str:
    """Return why a mention may be part of a longer word, "" if nothing suggests it.

    For Han and kana, tokens alone decide if there are any.
    """
    if _is_hyphened(text, mention):
        return _HYPHENED
    if _is_prefixed(text, mention, language):
        return _WITH_APOSTROPHE
    if not compiled(f"[{JOINED}]").match(mention.form[-1]):
        return ""
    hangul = compiled(r"\p{Hangul}$").search(mention.form)
    if tokens and not hangul:  # tokens of Korean hold the endings
        inside = [*within(mention, tokens)]
        goes_beyond = inside and (
            inside[0]["start"] < mention.start or inside[-1]["end"] > mention.end
        )
        return _PERHAPS_IN_WORD if goes_beyond else ""
    before, after = mention.before(text, 3), mention.after(text, 4)
    if full_names.goes_on(mention.form, before, after, language):
        return _IN_NAME
    if full_names.is_beside_others(mention.form, before, after, language):
        return _PERHAPS_IN_NAME
    if after.startswith(tuple(language.facts.get("places_end_in", ()))):
        return "also a part of the name of a place"
    if compiled(r"\p{Han}$").search(mention.form):
        return _of_han(mention.form, before, after, language)
    if hangul:
        return _of_hangul(mention, before, after, language)
    is_kana = compiled(r"[\p{Hiragana}ー]+").fullmatch(mention.form)
    return _of_kana(mention.form, before, after, language) if is_kana else ""


def _is_hyphened(text: str, mention: Mention) -> bool:
    if (
        not {text[mention.start - 1 : mention.start], text[mention.end : mention.end + 1]}
        & _HYPHENS
    ):
        return False
    beside = (
        text[max(mention.start - 2, 0) : mention.start],
        text[mention.end : mention.end + 2][::-1],
    )
    return any(
        pair[1:] in _HYPHENS and compiled(r"[\p{L}\p{M}\p{N}]").match(pair) for pair in beside
    )


def within(mention: Mention, tokens: list[dict]) -> Iterator[dict]:
    """Yield the tokens that a mention is in."""
    number = bisect_right(tokens, mention.start, key=lambda token: token["end"])
    while number < len(tokens) and tokens[number]["start"] < mention.end:
        yield tokens[number]
        number += 1


def _is_prefixed(text: str, mention: Mention, language: Language) -> bool:
    """Does a name such as O'Neil begin before the mention, and no elided word of the language (d',
    dell')?
    """
    if text[mention.start - 1 : mention.start] not in ("'", "’"):
        return False
    prefix = compiled(r"\p{L}+['’]$").search(text[max(mention.start - 12, 0) : mention.start])
    elided = {row["changed"] for row in language.table("beginnings")}
    return prefix is not None and prefix[0].lower().replace("’", "'") not in elided


def _of_han(form: str, before: str, after: str, language: Language) -> str:
    """Return why Han letters may go on: one beside others (健康), a word (张伟大, 上周老师), a longer name
    (健太郎).
    """
    previous, following = before[-1:], after[:1]
    if len(form) == 1:
        is_beside = compiled(r"\p{Han}").search(previous + following) is not None
        return _PERHAPS_IN_WORD if is_beside or _goes_on(after, language) else ""  # 涼しい
    if compiled(r"\p{L}[·‧]\Z").search(before) or compiled(r"[·‧]\p{L}").match(after):
        return _PERHAPS_IN_NAME  # 安娜·卡列尼娜
    surnames = language.facts.get("surnames", "")
    if len(form) == 2 and previous and previous in surnames and form[0] not in surnames:
        return _PERHAPS_IN_NAME  # of somebody else: 李国强
    if (
        previous
        and previous + form in full_names.given_names(language)
        or following
        and form + following in full_names.given_names(language)
    ):
        return _PERHAPS_IN_NAME  # 健太郎 where 太郎 speaks
    words = _compounds(language)
    if (
        form[-1] + following in words
        or previous + form[0] in words
        and full_names.family_beside_title(form, language)
    ):
        return _PERHAPS_IN_WORD
    ends_name = (
        following and following in language.facts.get("names_end_in", "") and after[:2] not in words
    )
    return _PERHAPS_IN_NAME if ends_name and len(form) == 2 else ""


@once_per_language
def _compounds(language: Language) -> frozenset[str]:
    return frozenset(row["word"] for row in language.table("compounds"))


def _of_kana(form: str, before: str, after: str, language: Language) -> str:
    """Return why hiragana may go on: after a name stands a particle or an honorific, before it at
    most a particle.

    A sign of length that ends a word (みゆきー！) only stretches the name.  In
    what other hiragana begins no title makes a family name: あなたにコーチ.
    """
    particles = tuple(language.facts.get("particles", ()))
    # お祭りなので
    begins = compiled(r"[\p{Hiragana}\p{Han}ー]\Z").search(before) and not before.endswith(
        particles
    )
    goes_on = _goes_on(after, language) or compiled(r"ー*[\p{Katakana}\p{Han}]").match(after)
    is_called = before.endswith(tuple(language.facts["calls"]))
    if begins and full_names.is_reading(form, language) and not is_called:
        return _IN_WORD
    return _PERHAPS_IN_WORD if begins or goes_on else ""


def _goes_on(after: str, language: Language) -> bool:
    """Does hiragana follow that is no particle?"""
    particles = tuple(language.facts.get("particles", ()))
    return compiled(r"ー*\p{Hiragana}").match(after) is not None and not after.startswith(particles)


def _of_hangul(mention: Mention, before: str, after: str, language: Language) -> str:
    """Return why Hangul may go on: after a name stands an ending, before it at most a family name.

    With that before it, a name that reads like letters and an ending may be a word with it: 표정은,
        우정은.
    """
    surnames = "|".join(full_names.families(language))
    alone = compiled(rf"(?<!\p{{Hangul}})(?P<family>{surnames})?$").search(before)
    goes_on = (
        not mention.tail
        and compiled(r"\p{Hangul}").match(after)
        and not after.startswith(tuple(language.facts["titles_after"]))
    )
    if goes_on or not alone:
        return _PERHAPS_IN_WORD
    if not alone["family"] or mention.tail:
        return ""
    endings = orthography.endings(
        mention.form[-1], orthography.last_sound(mention.form[:-1], language), language
    )
    return _PERHAPS_IN_WORD if any(not row["use"] for row in endings) else ""
