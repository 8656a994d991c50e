"""Is what reads like a name one, or an ordinary word: Will or will, 光 or 光?"""

import functools
from bisect import bisect_right

from dialtools import languages
from dialtools.names import pools
from dialtools.names.finding import Mention

NEAR = 40  # code points beside a mention that are looked at
_OPENS, _CLOSES = r"(?:^|[.!?…।。！？\n:：\"“”「『(]\s*)$", r"\s*(?:$|[.!?…।。！？\n\"”」』)])"
_CALLS = r"\s*[,，、!！?？:：]"


def doubt(text: str, mention: Mention, lang: str, tokens: list[dict] | None = None,
          output: bool = False) -> str | None:
    """Return why a mention may be no name, "" where it is none for sure, None where it is one.

    Only names that are also words are in doubt.  Tokens with tags decide;
    without them a title beside the name, a comma of address, a possessive, or
    a capital where no sentence begins.  In the output of a system that was
    given the name a capital is enough anywhere.
    """
    lower = mention.form.lower()
    if mention.tail in ("s", "es") and languages.tag(lang) == "en":
        whole = (mention.written + mention.tail).lower()
        if whole in pools.genders(lang) or whole in languages.words(lang):
            return ""  # Carlos is not several Carlos, nor wills several Wills
        if mention.written.islower():
            return "a plural or a possessive in lower case"
    after = text[mention.end:mention.end + NEAR]
    if any(after.startswith(suffix) for suffix in languages.load(lang).get("places_end_in", ())):
        return "also a part of the name of a place"
    inside = _inside(text, mention, lang)
    word = inside is not None or lower in languages.words(lang)
    proper = lower in languages.load(lang)["capitalised"]  # months and places have a capital, too
    if not word and not (proper or lower in _peoples(lang)):
        return None
    tagged = _tag(mention, tokens)
    if tagged:
        return None if tagged == "PROPN" else ""
    if _is_called(text, mention, lang):
        return None
    if mention.written.lower() == mention.written and mention.written.upper() != mention.written:
        return "a word in lower case"
    cased = mention.written.upper() != mention.written.lower()
    if output and cased and mention.written == mention.form:
        return None
    if proper:
        return "also a month or a place"
    if inside:
        return inside
    if word and (not cased or _opens(text, mention.start)):
        return "also a word" if not cased else "also a word, and a sentence begins with it"
    return "capitals all over" if word and mention.written.isupper() and len(mention.written) > 1 else None


def _inside(text: str, mention: Mention, lang: str) -> str | None:
    """Return why a form of Han or kana may be a part of a longer word, None where nothing says so.

    One Han letter beside others (健 in 健康), and kana that other letters follow
    than those of a particle (ひな in ひなたぼっこ).
    """
    import regex

    before, after = text[mention.start - 1:mention.start], text[mention.end:mention.end + 4]
    if len(mention.form) == 1 and regex.match(r"\p{Han}", mention.form):
        return "perhaps a part of a longer word" if regex.search(r"\p{Han}", before + after[:1]) else None
    kana = regex.fullmatch(r"[\p{Hiragana}ー]+", mention.form) and regex.match(r"[\p{Hiragana}\p{Han}ー]", after)
    particles = languages.load(lang).get("particles", ())
    return "perhaps a part of a longer word" if kana and not after.startswith(tuple(particles)) else None


@functools.lru_cache(maxsize=None)
def _peoples(lang: str) -> frozenset[str]:
    return frozenset(languages.load(lang).get("adjectives", ()))


def _tag(mention: Mention, tokens: list[dict] | None) -> str | None:
    """Return PROPN where a token of the mention is a name, another tag where none is, None without tags."""
    if not tokens:
        return None
    first = bisect_right([token["end"] for token in tokens], mention.start)
    inside = [token for token in tokens[first:first + 4] if token["start"] < mention.end]
    if any(token.get("upos") == "PROPN" or str(token.get("ner", "")).endswith("PER") for token in inside):
        return "PROPN"
    return next((token["upos"] for token in inside if token.get("upos")), None)


def _is_called(text: str, mention: Mention, lang: str) -> bool:
    """Does a title stand beside the name, is somebody addressed by it, or does something belong to the bearer?"""
    import regex

    before, after = text[max(mention.start - NEAR, 0):mention.start], text[mention.end:mention.end + NEAR]
    data = languages.load(lang)
    titles = "|".join(map(regex.escape, data["titles_before"]))
    if titles and regex.search(rf"(?<!\p{{L}})(?:{titles})\s*$", before[-20:]):
        return True
    if any(after.lstrip().startswith(title) for title in data["titles_after"]) or before.endswith("@"):
        return True
    if mention.written[:1].isupper() and (regex.match(r"['’]s\b", after) or mention.tail not in ("", "s", "es")):
        return True
    opens, closes = _opens(text, mention.start), regex.match(_CLOSES, after)
    called_first = opens and regex.match(_CALLS, after) and (not closes or not before.strip())
    called_last = regex.search(r"[,，、]\s*$", before[-5:]) and closes
    capital = mention.written[:1] != mention.written[:1].lower() or mention.written.upper() == mention.written.lower()
    return bool((called_first or called_last) and capital)


def _opens(text: str, start: int) -> bool:
    """Does a sentence, or what somebody says, begin here?"""
    import regex

    return regex.search(_OPENS, text[max(start - 6, 0):start] if start > 6 else text[:start]) is not None
