"""Joints of a text, where it can be cut or paused: between words that are not bound."""

import re

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import COMBINING, compiled

# Relations to the word before, and of words before the rest of a compound.
_WITHIN = re.compile(r"compound|fixed|flat|goeswith|clf|case:loc|aux:asp|discourse:sp")
_HOLD = frozenset(["NUM", "PROPN"])
_DOTS = ("·", "・")  # between the parts of a name in Chinese and Japanese
_WITHIN_WORD = f"[{COMBINING}{''.join(_DOTS)}]"
# With a space where they touch: 138-0013, B站, Tシャツ.
_TIED = re.compile(r".*[-_./:@\\] [0-9A-Za-z]|[A-Za-z] \w").match


def clings(before: dict, token: dict, language: Language) -> bool:
    """Tell whether a token belongs to the one before: of a name, number, compound; a particle.

    Relations tell; without them two nouns are a compound. language.json adds "clings" (UPOS or
    beginnings of XPOS of particles, suffixes, light verbs), "clasps" (the same or forms of the
    token before: prefixes) and "joined" (the token, or both).

    >>> from dialtools.languages import get
    >>> japanese = get("ja")
    >>> clings({"form": "・"}, {"form": "ブロック", "upos": "NOUN"}, japanese)
    True
    """
    own, last, joined = _known(language)
    previous, form = before.get("form", ""), token.get("form", "")
    touches = before.get("end") == token.get("start")
    are_nouns = before.get("upos") == token.get("upos") == "NOUN"
    return (
        form in joined
        or previous + form in joined
        or previous in (*_DOTS, *last)
        or before.get("upos") in _HOLD
        or _has(token, own)
        or _has(before, last)
        or any(_WITHIN.match(each.get("deprel") or "") for each in (token, before))
        or bool(compiled(_WITHIN_WORD).match(form))
        or touches
        and bool(_TIED(f"{previous} {form}"))
        or are_nouns
        and token.get("deprel") is None
    )


def trails(token: dict, language: Language) -> bool:
    """Tell whether a token belongs to the word before by its UPOS alone, even after a comma.

    >>> from dialtools.languages import get
    >>> trails({"form": "ने", "upos": "ADP"}, get("hi")), trails({"upos": "ADP"}, get("en"))
    (True, False)
    """
    return token.get("upos") in _known(language)[0]


@once_per_language
def _known(language: Language) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    clings, clasps, joined = (language.facts.get(key, ()) for key in ("clings", "clasps", "joined"))
    return tuple(clings), tuple(clasps), frozenset(joined)


def _has(token: dict, tags: tuple[str, ...]) -> bool:
    return token.get("upos") in tags or (token.get("xpos") or "").startswith(tags)
