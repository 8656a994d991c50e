"""Replace adjectives by synonyms: a big house → a large house.

Each adjective (tagged ADJ) with synonyms changes with the given rate.  A curated
table comes first.  In English, WordNet follows for common words that the table
lacks: their synonyms are the common words of one of their two most frequent
senses, provided that this sense is also among the synonym's own first two and
has at most eight words.  Degree (bigger → larger, more expensive) and inflection
are kept; a and an are adapted.  Some words stay: those in a fixed phrase (good
morning), with a capital inside a sentence (a name), numerals, colours, and words
whose synonyms mean something else (only, own, right, female).

wordnet: a folder with WordNet's files, such as Debian's package wordnet-base
has; by default $DIALTOOLS_WORDNET, then /usr/share/wordnet; "none": the table
alone.  An edit's note gives the source of its synonym, the signature what was read.

Source: "language-use variations", section 3.1 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations": adjectives by WordNet synonyms; rate 0.2.

>>> from random import Random
>>> words = [("a", "DET"), ("large", "ADJ"), ("house", "NOUN")]
>>> tokens = [{"form": form, "start": at, "end": at + len(form), "lemma": form, "upos": upos,
...            "feats": ""}
...           for at, (form, upos) in zip((0, 2, 8), words)]
>>> record = {"text": "a large house", "tokens": tokens, "lang": "en"}
>>> perturb(record, Random(1), rate=1.0, wordnet="none")
[['/text', 2, 7, 'large', 'big', 'table']]
"""

import functools
from random import Random
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import rewrites, word_forms, words
from dialtools.text import wordnet as princeton

KIND = "variation.synonym"
TOKENS = ("upos", "lemma")
# of WordNet: how many senses of a word, and how many words of a sense, are looked at
SENSES, MEMBERS = 2, 8
# What ends an inflected adjective instead of the last letter of its lemma.
_ENDINGS = {"ja": ("い", ("かっ", "けれ", "く", "い")), "hi": ("ा", ("ा", "े", "ी"))}


class Row(NamedTuple):
    """The synonyms of an adjective, and the words before and after which it stays."""

    synonyms: list[str]
    stays_before: list[str]
    stays_after: list[str]


def perturb(record: dict, rng: Random, *, rate: float = 0.2, wordnet: str = "") -> list[list]:
    """Return an edit for each adjective that changes, and for each article that follows it.

    rate: probability of an adjective, from 0 to 1.
    wordnet: the folder of WordNet, or "none"; "": the usual places.
    """
    words.check_rate(rate)
    language = dialogue.language(record).variety
    folder = _folder(language, wordnet)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, found, made = holder["text"], tokens.annotated(holder, KIND, *TOKENS), []
        for at, token in enumerate(found):
            is_plain = token["upos"] == "ADJ" and not words.is_capitalised(text, token)
            options = _options(found, at, language, folder) if is_plain else []
            if options and rng.random() < rate:
                new, source = rng.choice(options)
                made += word_forms.article_edits(pointer, text, token["start"], new, language)
                made.append([pointer, token["start"], token["end"], token["form"], new, source])
        edits += rewrites.whole(text, made)
    return edits


def settings(*, rate: float, wordnet: str) -> dict:
    """Return the options for the signature, with the WordNet read for English, or "none"."""
    folder = _folder(languages.get("en"), wordnet)
    return {"rate": rate, "wordnet": princeton.named(folder, "adj") if folder else "none"}


def _folder(language: Language, wordnet: str) -> str | None:
    return princeton.find(wordnet) if language.code == "en" and wordnet != "none" else None


def _options(
    found: list[dict], at: int, language: Language, folder: str | None
) -> list[tuple[str, str]]:
    """Return what may stand for an adjective, as it is inflected, and where that is from."""
    token = found[at]
    form, lemma = token["form"].lower(), token["lemma"].lower()
    before, after = (
        found[place]["form"].lower() if 0 <= place < len(found) else ""
        for place in (at - 1, at + 1)
    )
    if (
        before in ("-", form)
        or after == form
        or after.startswith("-")
        or _is_compounded(found, at, language)
    ):
        return []  # old-fashioned, अलग-अलग, बड़े बड़े
    row = _table(language).get(form) or _table(language).get(lemma)
    if row and (after in row.stays_before or before in row.stays_after):
        return []
    if row:
        synonyms, source = row.synonyms, "table"
    else:
        synonyms, source = _of_wordnet(folder, lemma) if folder else [], "WordNet"
    inflected = ((_inflected(word, lemma, found, at, language), source) for word in synonyms)
    return [(rewrites.cased(word, token["form"]), source) for word, source in inflected if word]


def _is_compounded(found: list[dict], at: int, language: Language) -> bool:
    """Tell whether a Japanese adjective without an ending is part of a word: 完全性, 不完全, 重要法案."""
    before, token, after = [{}, *found, {}][at : at + 3]
    return (
        language.code == "ja"
        and not token["lemma"].endswith("い")
        and (after.get("upos") == "NOUN" or (before.get("xpos") or "").startswith("接頭辞"))
    )


@once_per_language
def _table(language: Language) -> dict[str, Row]:
    """Return the rows of adjectives.tsv by their word."""
    return {
        row["word"]: Row(
            *([part for part in row.get(column, "").split("|") if part] for column in Row._fields)
        )
        for row in language.written("adjectives")
    }


@functools.cache
def _of_wordnet(folder: str, lemma: str) -> list[str]:
    common = languages.get("en").words
    stays = {word for word, row in _table(languages.get("en")).items() if not row.synonyms}
    senses = (
        princeton.part_of_speech(folder, "adj").senses(lemma)[:SENSES] if lemma in common else []
    )
    found = dict.fromkeys(
        word
        for sense in senses
        if len(sense) <= MEMBERS
        for word in sense
        if sense in princeton.part_of_speech(folder, "adj").senses(word.lower())[:SENSES]
    )
    return [word for word in found if word != lemma and word in common and word not in stays]


def _inflected(word: str, lemma: str, found: list[dict], at: int, language: Language) -> str | None:
    """Return a synonym as the adjective is inflected, None where it cannot be."""
    form = found[at]["form"].lower()
    if language.code == "en":
        return _in_english(word, lemma, form, found, at)
    ending, others = _ENDINGS.get(language.code, ("", ()))
    inflects = bool(ending) and lemma.endswith(ending)
    if form != lemma and not inflects:
        return None
    if language.code not in _ENDINGS or (language.code == "ja" and not inflects):
        return word
    rules = rewrites.rules(language, "inflection")
    if word.endswith(ending) and ("", word) not in rules.by:  # not one that never changes
        new = (
            next((other for other in others if form.endswith(other)), "")
            if inflects
            else _of_noun(found, at)
        )
        return word.removesuffix(ending) + new if new else None
    return word if language.code == "hi" else None


def _of_noun(found: list[dict], at: int) -> str:
    """Return the ending of a Hindi adjective by the noun that follows; "" if that does not tell."""
    noun, behind = ([*found[at + 1 : at + 3], {}, {}])[:2]
    features = tokens.features(noun) if noun.get("upos") == "NOUN" else ()
    if "Gender=Fem" in features:
        return "ी"
    oblique = "Case=Acc" in features or "Number=Plur" in features or behind.get("upos") == "ADP"
    return ("े" if oblique else "ा") if "Gender=Masc" in features else ""


def _in_english(word: str, lemma: str, form: str, found: list[dict], at: int) -> str | None:
    features = tokens.features(found[at])
    before, after = (
        found[place]["form"].lower() if 0 <= place < len(found) else ""
        for place in (at - 1, at + 1)
    )
    if form == lemma:
        return (
            None
            if before in ("more", "most", "less", "least")
            and word_forms.is_compared_by_ending(word)
            else word
        )
    degree = next((degree for degree in ("Cmp", "Sup") if f"Degree={degree}" in features), None)
    return word_forms.compared(word, degree) if degree and form[:2] == lemma[:2] else None


PERTURBATION = Perturbation(perturb, resource="adjectives.tsv", tokens=TOKENS, settings=settings)
