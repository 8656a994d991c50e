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
Where no WordNet is found, and "none" does not say that this is meant, the closing
line counts the adjectives that only WordNet might have had a synonym for.

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
# what the closing line says of such adjectives
NO_WORDNET = (
    "adjectives left because no WordNet is here (Debian's wordnet-base; wordnet=none accepts that)"
)
# What ends an inflected adjective instead of the last letter of its lemma.
_ENDINGS = {"ja": ("い", ("かっ", "けれ", "く", "い")), "hi": ("ा", ("ा", "े", "ी"))}


class Adjective(NamedTuple):
    """A row of adjectives.tsv: synonyms, and the words before and after which it stays."""

    synonyms: list[str]
    stays_before: list[str]
    stays_after: list[str]


class Neighbourhood(NamedTuple):
    """An adjective of a text in lower case, the forms beside it, and its place in the tokens."""

    form: str
    lemma: str
    before: str
    after: str
    annotated: list[dict]
    number: int

    def token(self, step: int = 0) -> dict:
        """Return the token so many places further on, {} beyond the text."""
        place = self.number + step
        return self.annotated[place] if 0 <= place < len(self.annotated) else {}


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
        text, annotated = holder["text"], tokens.annotated(holder, KIND, *TOKENS)
        replaced = []
        for number, token in enumerate(annotated):
            if token["upos"] != "ADJ" or words.is_capitalised(text, token):
                continue
            options = _options(annotated, number, language, folder)
            if options and rng.random() < rate:
                new, source = rng.choice(options)
                start, end, form = token["start"], token["end"], token["form"]
                replaced += word_forms.article_edits(pointer, text, start, new, language)
                replaced.append([pointer, start, end, form, new, source])
        edits += rewrites.whole(text, replaced)
    return edits


def facts(record: dict, edits: list[list], *, wordnet: str, **_) -> dict:
    """Return the count of adjectives that only WordNet might have synonyms for, if it is missing."""
    language = dialogue.language(record).variety
    if language.code != "en" or wordnet or _folder(language, wordnet):
        return {}
    without = sum(
        token["upos"] == "ADJ"
        and not words.is_capitalised(holder["text"], token)
        and token["lemma"].lower() in language.words
        and not {token["form"].lower(), token["lemma"].lower()} & _table(language).keys()
        for _, holder in dialogue.utterances(record)
        for token in tokens.annotated(holder, KIND, *TOKENS)
    )
    return {"counts": {NO_WORDNET: without}} if without else {}


def settings(*, rate: float, wordnet: str) -> dict:
    """Return the options for the signature, with the WordNet read for English, or "none"."""
    folder = _folder(languages.get("en"), wordnet)
    return {"rate": rate, "wordnet": princeton.named(folder, "adj") if folder else "none"}


def _folder(language: Language, wordnet: str) -> str | None:
    return princeton.find(wordnet) if language.code == "en" and wordnet != "none" else None


def _options(
    annotated: list[dict], number: int, language: Language, folder: str | None
) -> list[tuple[str, str]]:
    """Return what may stand for an adjective, as it is inflected, and where that is from."""
    form, lemma = (annotated[number][key].lower() for key in ("form", "lemma"))
    before, after = (
        annotated[beside]["form"].lower() if 0 <= beside < len(annotated) else ""
        for beside in (number - 1, number + 1)
    )
    place = Neighbourhood(form, lemma, before, after, annotated, number)
    if before in ("-", form) or after == form or after.startswith("-"):
        return []  # old-fashioned, अलग-अलग, बड़े बड़े
    if language.code == "ja" and not lemma.endswith("い"):  # 完全性, 不完全, 重要法案
        is_prefixed = (place.token(-1).get("xpos") or "").startswith("接頭辞")
        if is_prefixed or place.token(1).get("upos") == "NOUN":
            return []
    row = _table(language).get(form) or _table(language).get(lemma)
    if row and (after in row.stays_before or before in row.stays_after):
        return []
    if row:
        synonyms, source = row.synonyms, "table"
    else:
        synonyms, source = _of_wordnet(language, folder, lemma) if folder else [], "WordNet"
    inflect = _inflected_english if language.code == "en" else _inflected
    inflected = [inflect(word, place, language) for word in synonyms]
    written = annotated[number]["form"]
    return [(rewrites.cased(word, written), source) for word in inflected if word]


@once_per_language
def _table(language: Language) -> dict[str, Adjective]:
    """Return the rows of adjectives.tsv by their word."""
    return {
        row["word"]: Adjective(
            *(list(filter(None, row.get(column, "").split("|"))) for column in Adjective._fields)
        )
        for row in language.written("adjectives")
    }


@once_per_language
def _of_wordnet(language: Language, folder: str, lemma: str) -> list[str]:
    """Return the common words of the first senses of a common word that stand for it."""
    if lemma not in language.words:
        return []
    senses_of = princeton.part_of_speech(folder, "adj").senses
    synonyms = dict.fromkeys(
        word
        for sense in senses_of(lemma)[:SENSES]
        if len(sense) <= MEMBERS
        for word in sense
        if sense in senses_of(word.lower())[:SENSES]
    )
    table = _table(language)
    return [
        word
        for word in synonyms
        if word != lemma and word in language.words and (word not in table or table[word].synonyms)
    ]


def _inflected_english(word: str, place: Neighbourhood, language: Language) -> str | None:
    """Return a synonym as the adjective is inflected, None where it cannot be."""
    if place.form == place.lemma:
        is_compared = place.before in ("more", "most", "less", "least")
        return None if is_compared and word_forms.is_compared_by_ending(word) else word
    features = tokens.features(place.token())
    degree = next((degree for degree in ("Cmp", "Sup") if f"Degree={degree}" in features), None)
    is_regular = place.form[:2] == place.lemma[:2]
    return word_forms.compared(word, degree) if degree and is_regular else None


def _inflected(word: str, place: Neighbourhood, language: Language) -> str | None:
    """Return the same in another language."""
    ending, inflected_endings = _ENDINGS.get(language.code, ("", ()))
    inflects = bool(ending) and place.lemma.endswith(ending)
    if place.form != place.lemma and not inflects:
        return None
    if language.code not in _ENDINGS or (language.code == "ja" and not inflects):
        return word
    rules = rewrites.rules(language, "inflection")
    if not word.endswith(ending) or ("", word) in rules.by:  # one that never changes
        return word if language.code == "hi" else None
    if inflects:
        new = next((other for other in inflected_endings if place.form.endswith(other)), "")
    else:
        new = _of_noun(place)
    return word.removesuffix(ending) + new if new else None


def _of_noun(place: Neighbourhood) -> str:
    """Return the ending of a Hindi adjective by the noun that follows; "" if that does not tell."""
    noun = place.token(1)
    features = tokens.features(noun) if noun.get("upos") == "NOUN" else ()
    if "Gender=Fem" in features:
        return "ी"
    is_oblique = (
        "Case=Acc" in features or "Number=Plur" in features or place.token(2).get("upos") == "ADP"
    )
    return ("े" if is_oblique else "ा") if "Gender=Masc" in features else ""


PERTURBATION = Perturbation(
    perturb, resource="adjectives.tsv", tokens=TOKENS, facts=facts, settings=settings
)
