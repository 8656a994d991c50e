"""Where a text can be cut, or its speaker can pause: between words that do not belong together."""

import functools
import re

from dialtools.languages import Language
from dialtools.languages.scripts import COMBINING, compiled

# Relations to a word before, and of words that a compound goes on after.
_WITHIN = re.compile(r"compound|fixed|flat|goeswith|clf|case:loc|aux:asp|discourse:sp")
_HOLD = frozenset(["NUM", "PROPN"])
_DOTS = ("·", "・")  # between the parts of a name in Chinese and Japanese
_WITHIN_WORD = f"[{COMBINING}{''.join(_DOTS)}]"
_TIED = re.compile(r".*[-_./:@\\] [0-9A-Za-z]|[A-Za-z] \w").match  # with a space for none: 138-0013, B站, Tシャツ


def clings(before: dict, token: dict, language: Language) -> bool:
    """Does a token belong to the one before: as part of a name, number, word, compound, letter, or as a particle?

    Relations tell, where there are any (else two nouns are a compound); so does what language.json says in
    "clings" (of UPOS, or how XPOS begins: particles, suffixes, light verbs) and
    in "clasps" (of the token before: prefixes; or its form), and in "joined" (both tokens, or the token).

    >>> from dialtools.languages import get
    >>> clings({"form": "・"}, {"form": "ブロック", "upos": "NOUN"}, get("ja")), clings({}, {"form": "ﾞ"}, get("ja"))
    (True, True)
    """
    own, last, joined = _known(language)
    form = token.get("form", "")
    return (form in joined or before.get("form", "") + form in joined
            or before.get("upos") in _HOLD or bool(_WITHIN.match(token.get("deprel") or ""))
            or bool(_WITHIN.match(before.get("deprel") or "")) or before.get("form") in _DOTS
            or bool(compiled(_WITHIN_WORD).match(form)) or _has(token, own) or _has(before, last)
            or before.get("form") in last
            or before.get("end") == token.get("start") and bool(_TIED(f"{before.get('form', '')} {form}"))
            or before.get("upos") == token.get("upos") == "NOUN" and token.get("deprel") is None)


def trails(token: dict, language: Language) -> bool:
    """Does a token belong to a word before it by its UPOS alone, so that it does behind a comma as well?

    >>> from dialtools.languages import get
    >>> trails({"form": "ने", "upos": "ADP"}, get("hi")), trails({"form": "in", "upos": "ADP"}, get("en"))
    (True, False)
    """
    return token.get("upos") in _known(language)[0]


@functools.lru_cache(maxsize=None)
def _known(language: Language) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    known = language.facts
    return tuple(known.get("clings", ())), tuple(known.get("clasps", ())), frozenset(known.get("joined", ()))


def _has(token: dict, tags: tuple[str, ...]) -> bool:
    return token.get("upos") in tags or (token.get("xpos") or "").startswith(tags)
