"""Where a text can be cut: between sentences, and between words that are not bound."""

import re
from collections.abc import Callable
from itertools import pairwise

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import COMBINING, ENDS, ENDS_ANYWHERE, compiled
from dialtools.languages.scripts import ENDS_BEFORE_SPACE as _SPACED

# A pattern that begins with a set of characters is found six times faster.
_END = re.compile(
    rf"""[{ENDS}](?:(?<=[{_SPACED}])(?<![{_SPACED}].)[{_SPACED}]*["'”’)\]]*(?=\s)"""
    rf"""|(?<=[{ENDS_ANYWHERE}])[{ENDS_ANYWHERE}]*["'”’」』）)\]】]*)"""
)
_LONGEST = 20  # code points of a title or an abbreviation
# Relations to the word before, and of words before the rest of a compound.
_WITHIN = re.compile(r"compound|fixed|flat|goeswith|clf|case:loc|aux:asp|discourse:sp")
_DOTS = ("·", "・")  # between the parts of a name in Chinese and Japanese
_WITHIN_WORD = f"[{COMBINING}{''.join(_DOTS)}]"
# With a space where they touch: 138-0013, B站, Tシャツ.
_TIED = re.compile(r".*[-_./:@\\] [0-9A-Za-z]|[A-Za-z] \w").match


def split(text: str, language: Language) -> list[str]:
    """Return the sentences of a text without the white space around them.

    >>> from dialtools.languages import get
    >>> split("Dr. Lee is in. Is she? Yes", get("en"))
    ['Dr. Lee is in.', 'Is she?', 'Yes']
    """
    cuts = [0, *ends(text, language), len(text)]
    return list(filter(None, [text[start:end].strip() for start, end in pairwise(cuts)]))


def lines(text: str) -> list[str]:
    """Return the lines of a text that are not empty; only a line feed ends one, as in rouge-score."""
    return [line for line in text.split("\n") if line]


@once_per_language
def with_lines(language: Language) -> Callable[[str], list[str]]:
    """Return a function from a text to its sentences, of which none goes on in the next line."""
    return lambda text: [sentence for line in lines(text) for sentence in split(line, language)]


def ends(text: str, language: Language) -> list[int]:
    """Return the end of each sentence but the last, in code points, after its punctuation.

    A full stop after a title (Dr.), a single letter or dots (a.m.) does not end a sentence.
    """
    last = len(text.rstrip())
    marks = [(match[0], match.end()) for match in _END.finditer(text)]
    return [
        end
        for mark, end in marks
        if end < last
        and not (mark == "." and _is_abbreviated(text[max(0, end - _LONGEST) : end], language))
    ]


def _is_abbreviated(text: str, language: Language) -> bool:
    """Tell whether the full stop at the end of a text belongs to its last word."""
    word = text.split()[-1].lstrip("\"'“‘(")
    return (
        word in _titles(language)
        or "." in word[:-1]
        or (len(word) == 2 and word[0].isalpha() and word != "I.")
    )


@once_per_language
def _titles(language: Language) -> frozenset[str]:
    """Return the titles before names, in English and in the language."""
    known = (languages.get("en"), language) if language.is_known else (languages.get("en"),)
    return frozenset(title for lang in known for title in lang.facts["titles_before"])


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
    following, preceding, joined = _bound(language)
    previous, form = before.get("form", ""), token.get("form", "")
    are_nouns = before.get("upos") == token.get("upos") == "NOUN"
    return (
        form in joined
        or previous + form in joined
        or previous in (*_DOTS, *preceding)
        or before.get("upos") in ("NUM", "PROPN")
        or _is_tagged(token, following)
        or _is_tagged(before, preceding)
        or any(_WITHIN.match(neighbour.get("deprel") or "") for neighbour in (token, before))
        or bool(compiled(_WITHIN_WORD).match(form))
        or (before.get("end") == token.get("start") and bool(_TIED(f"{previous} {form}")))
        or (are_nouns and token.get("deprel") is None)
    )


def trails(token: dict, language: Language) -> bool:
    """Tell whether a token belongs to the word before by its UPOS alone, even after a comma.

    >>> from dialtools.languages import get
    >>> trails({"form": "ने", "upos": "ADP"}, get("hi")), trails({"upos": "ADP"}, get("en"))
    (True, False)
    """
    following, _, _ = _bound(language)
    return token.get("upos") in following


@once_per_language
def _bound(language: Language) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Return the tags of tokens bound to the one before and to the one after, and joined forms."""
    clings, clasps, joined = (language.facts.get(key, ()) for key in ("clings", "clasps", "joined"))
    return tuple(clings), tuple(clasps), frozenset(joined)


def _is_tagged(token: dict, tags: tuple[str, ...]) -> bool:
    return token.get("upos") in tags or (token.get("xpos") or "").startswith(tags)
