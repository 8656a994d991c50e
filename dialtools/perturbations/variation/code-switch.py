"""Switch words to another language by a bilingual list: I saw the house → I saw the casa.

lexicon names a file of lines WORD TAB WORD, of one or several words each; lines that
begin with # are skipped.  Each word of the first column changes with the given rate
into its counterpart in the second, the first one if it has several; with
direction=back those of the second column change.  Only the listed forms are found, in
any case, the longest first: houses is not house, and I of I'm stays.  Case is kept; a
word that is listed with a capital (I, Haus) has the counterpart's own case within a
sentence.  Words end where their script does, and a space parts letters that would meet,
but in scripts without spaces (我喜欢苹果 → 我like apple).  Names of people (tokens with ner), speakers'
labels, addresses, placeholders and `code` stay.  Languages without spaces need tokens.

There is no list of ours.  FreeDict (apt: dict-freedict-…) and MUSE have dictionaries
to make one of; read it first, as the first counterpart there is often not the usual
one.

Source: Qin et al. 2020, CoSDA-ML: Multi-Lingual Code-Switching Data Augmentation for
Zero-Shot Cross-Lingual NLP, whose words are drawn alike; there of several counterparts
one is drawn.

>>> from random import Random
>>> import tempfile
>>> with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
...     _ = file.write("house\\tcasa\\nbig dog\\tperro grande\\n")
...     file.flush()
...     lexicon = BilingualList(file.name)
>>> perturb({"text": "House of a big dog", "lang": "en"}, Random(1), lexicon=lexicon, rate=1.0)
[['/text', 0, 5, 'House', 'Casa'], ['/text', 11, 18, 'big dog', 'perro grande']]
"""

import re
from random import Random
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import JOINED, compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import mentions, rewrites, sentences, words
from dialtools.text.lexicons import BilingualList, Pair

KIND = "variation.code-switch"
_CLITIC = re.compile(r"['’](?!s\b)[^\W\d_]")  # I of I'm stays; house of the house's does not
_OPENING = "\"'“‘«([{<「『（【《¿¡"


def perturb(
    record: dict,
    rng: Random,
    *,
    lexicon: BilingualList = BilingualList(""),
    direction: Literal["forth", "back"] = "forth",
    rate: float = 0.2,
) -> list[list]:
    """Return an edit for each word that is switched.

    lexicon: a file of lines WORD TAB WORD.
    direction: forth, from the first column to the second, or back.
    rate: probability of a listed word.
    """
    words.check_rate(rate)
    language = dialogue.language(record)
    if language.space == "":
        for _, holder in dialogue.utterances(record):
            tokens.annotated(holder, KIND)
    pairs, find = _listed(language, lexicon, direction)
    edits = []
    for pointer, holder, places in mentions.places(record, find, whole=True):
        text, switched = holder["text"], []
        for place in places:
            start, end = place.start, place.end
            if language.space and (_is_inside(text, start, end) or _CLITIC.match(text, end)):
                continue
            after = _written(text, start, end, pairs[place.term], language)
            if after != text[start:end] and rng.random() < rate:
                switched.append([pointer, start, end, text[start:end], after])
        edits += rewrites.whole(text, _spaced(text, switched))
    return edits


@once_per_language
def _listed(
    language: Language, lexicon: BilingualList, direction: str
) -> tuple[dict[str, Pair], mentions.Finder]:
    pairs = lexicon.counterparts(direction)
    return pairs, mentions.finder(frozenset(pairs))


def _is_inside(text: str, start: int, end: int) -> bool:
    """Tell whether a word of Hangul or the like is a part of another (집 of 집중)."""
    edges = text[max(0, start - 1) : start + 1], text[end - 1 : end + 1]
    return any(compiled(f"[{JOINED}]{{2}}").fullmatch(edge) for edge in edges)


def _written(text: str, start: int, end: int, pair: Pair, language: Language) -> str:
    """Return the counterpart of a word in its case; its own case for a word as it is listed."""
    word = text[start:end]
    if word != pair.one or pair.one.islower():
        return rewrites.cased(pair.two, word)
    sentence = sentences.split(text[:start] + "x", language)[-1]
    return rewrites.cased(pair.two, word) if sentence.lstrip(_OPENING) == "x" else pair.two


def _spaced(text: str, edits: list[list]) -> list[list]:
    """Return the edits with a space where letters of scripts with spaces would meet."""
    spaced: list[list] = []
    done, last = 0, ""  # the end of the last edit, and the letter before the next one
    for number, (pointer, start, end, before, after) in enumerate(edits):
        last = last if start == done and spaced else text[max(0, start - 1) : start]
        if _would_join(last, after[:1]):
            after = " " + after
        done, last = end, after[-1:]
        is_followed = number + 1 < len(edits) and edits[number + 1][1] == end
        if not is_followed and _would_join(last, text[end : end + 1]):
            after += " "
        spaced.append([pointer, start, end, before, after])
    return spaced


def _would_join(left: str, right: str) -> bool:
    """Tell whether two characters are of words that spaces part."""
    letter = rf"(?![{JOINED}])[\p{{L}}\p{{M}}\p{{N}}]"
    return bool(compiled(f"{letter}{letter}").fullmatch(left + right))


def facts(record: dict, edits: list[list], **_) -> dict:
    """Return how many words were switched."""
    return {"counts": {"words switched": len(edits)}} if edits else {}


def keys(language: Language) -> tuple[str, ...] | None:
    """Return what tokens must have: nothing but their places, where there are no spaces."""
    return () if language.space == "" else None


PERTURBATION = Perturbation(perturb, tokens=keys, facts=facts, required=("lexicon",))
