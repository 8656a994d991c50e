"""May a mention be a part of a longer word or name, where words are joined without a space?"""

import functools

from dialtools import languages
from dialtools.names.finding import Mention
from dialtools.scripts import JOINED

_WORD = "perhaps a part of a longer word"


def part(text: str, mention: Mention, lang: str, tokens: list[dict] | None) -> str:
    """Return why a mention may be a part of a longer word, "" where nothing says so.

    Where there are tokens they alone say it, but for words with hyphens.
    """
    import regex

    if _is_hyphened(text, mention):
        return "a part of a word with a hyphen"
    if not _is_joined(mention.form[-1]):
        return ""
    if tokens:
        around = (token for token in tokens if token["start"] <= mention.start < token["end"] >= mention.end)
        return _WORD if any(token["end"] - token["start"] > mention.end - mention.start for token in around) else ""
    before, after = text[max(mention.start - 3, 0):mention.start], text[mention.end:mention.end + 4]
    if after.startswith(tuple(languages.load(lang).get("places_end_in", ()))):
        return "also a part of the name of a place"
    if regex.search(r"\p{Han}$", mention.form):
        return _of_han(mention.form, before, after, lang)
    if regex.search(r"\p{Hangul}$", mention.form):
        return _of_hangul(mention, before, after, lang)
    kana = regex.fullmatch(r"[\p{Hiragana}ー]+", mention.form) and regex.match(r"[\p{Hiragana}\p{Han}ー]", after)
    return _WORD if kana and not after.startswith(tuple(languages.load(lang).get("particles", ()))) else ""


@functools.lru_cache(maxsize=4096)
def _is_joined(letter: str) -> bool:
    import regex

    return regex.match(f"[{JOINED}]", letter) is not None


def _is_hyphened(text: str, mention: Mention) -> bool:
    before, after = text[max(mention.start - 2, 0):mention.start], text[mention.end:mention.end + 2]
    return any(pair[1:] in ("-", "‐", "‑") and pair[0].isalnum() for pair in (before, after[::-1]))


def _of_han(form: str, before: str, after: str, lang: str) -> str:
    """Return why Han letters may go on: one beside others (健康), a word (张伟大), a longer name (张伟丽)."""
    import regex

    if len(form) == 1:
        return _WORD if regex.search(r"\p{Han}", before[-1:] + after[:1]) else ""
    words = _compounds(lang)
    if form[-1] + after[:1] in words:
        return _WORD
    ends = languages.load(lang).get("names_end_in", "")
    longer = after[:1] and after[:1] in ends and after[:2] not in words
    return "perhaps a part of a longer name" if longer and len(form) == 2 else ""


@functools.lru_cache(maxsize=None)
def _compounds(lang: str) -> frozenset[str]:
    return frozenset(row["word"] for row in languages.table(lang, "compounds"))


def _of_hangul(mention: Mention, before: str, after: str, lang: str) -> str:
    """Return why Hangul may go on: after a name stands an ending, before it at most a family name."""
    import regex

    families = "|".join(languages.load(lang).get("surnames", ()))
    alone = regex.search(rf"(?<!\p{{Hangul}})(?:{families})?$", before)
    goes_on = not mention.tail and regex.match(r"\p{Hangul}", after) and not after.startswith(
        tuple(languages.load(lang)["titles_after"]))
    return _WORD if goes_on or not alone else ""
