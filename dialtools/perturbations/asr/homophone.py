"""Mishear words as others that sound alike: their for there, 形势 for 形式, 私用 for 使用, ओर for और.

Each word that has one or more that sound alike becomes one of them with the
given rate, the commoner the more often.  Chinese and Japanese need tokens;
Japanese words stay in their part of speech and keep their endings (会った, 合った).
Where no word sounds like it, a Hindi, Indonesian or Javanese word may be spelled
as it is often heard (ज़ as ज, kh as k).  Case is kept.

Names stay: of speakers, words with a capital inside a sentence, tokens tagged
PROPN; so do addresses, placeholders, hashtags and `code`.

Source: speech recognition errors, section 3.1 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring Variations",
rate 0.2.  Words: homophones.tsv and spellings.tsv of the language.

>>> from random import Random
>>> perturb({"text": "It's their cat over there, not ours.", "lang": "en"}, Random(1), rate=0.5)
[['/text', 0, 4, "It's", 'Its'], ['/text', 20, 25, 'there', 'their']]
"""

import re
import unicodedata
from collections.abc import Iterator
from random import Random

from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import word_forms, words

_HIRAGANA = "".join(map(chr, range(0x3041, 0x3097)))


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    if language.space:
        return None
    return ("upos", "lemma") if language.code == "ja" else ()


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each misheard word; rate: probability of a word that can be misheard."""
    words.check_rate(rate)
    language = dialogue.language(record).variety
    wanted = annotation(language)
    names = words.protected(record)
    sized = words.by_length(names)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        if wanted is None:
            misheard = _spaced(holder["text"], names, rng, rate, language)
        else:
            annotated = tokens.annotated(holder, "asr.homophone", *wanted)
            misheard = _unspaced(holder["text"], annotated, sized, rng, rate, language)
        edits += [[pointer, *edit] for edit in misheard]
    return edits


def _spaced(
    text: str, names: set[str], rng: Random, rate: float, language: Language
) -> Iterator[list]:
    """Yield [start, end, before, after] for the drawn words of a text with spaces."""
    sets = _sets(language)
    for word, start, end in words.drawn(text, rng, rate):
        lower = word.lower()
        if lower in names:
            continue
        # as the tables write it
        key = word.replace("’", "'")
        if not word.isascii():
            key = unicodedata.normalize("NFC", key)
        is_known = key in sets
        if is_known or word == lower or (word[1:] == word[1:].lower() and words.opens(text, start)):
            heard = _heard(key if is_known else key.lower(), rng, language)
            if heard:
                # I'll has a capital anywhere
                is_first = word[0].isupper() and words.opens(text, start)
                after = word_forms.capitalised(heard) if is_first else heard
                yield [start, end, word, after.replace("'", "’") if "’" in text else after]


def _heard(word: str, rng: Random, language: Language) -> str:
    """Return a word that sounds like another, or another spelling; "" if there is none."""
    others, weights = _sets(language).get(word, ((), ()))
    if others:
        return rng.choices(others, weights)[0]
    spellings = [
        pattern.sub(alike, word, count=1)
        for pattern, alike in _spellings(language)
        if pattern.search(word)
    ]
    return rng.choice(spellings) if spellings else ""


@once_per_language
def _sets(language: Language) -> dict[str, tuple[list[str], list[float]]]:
    """Return {word: (words that sound alike, their weights)}."""
    sets: dict[str, list[dict]] = {}
    for row in language.written("homophones"):
        sets.setdefault(row["set"], []).append(row)
    return {
        row["word"]: (
            [other["word"] for other in rows if other is not row],
            [language.weight("homophones", other["weight"]) for other in rows if other is not row],
        )
        for rows in sets.values()
        for row in rows
        if len(rows) > 1
    }


@once_per_language
def _spellings(language: Language) -> list[tuple[re.Pattern, str]]:
    """Return (pattern, replacement) for letters heard as others at the start, the end or anywhere.

    A letter is left alone at the end of several that are a row: क्ष is no ष.
    """
    places = {"start": "^{}", "end": "(?<=...){}$", "any": "{}"}
    rows, spellings = language.written("spellings"), []
    for row in rows:
        written = row["written"]
        heads = {
            other["written"].removesuffix(written)
            for other in rows
            if other["written"].endswith(written)
        } - {""}
        alone = "".join(f"(?<!{re.escape(head)})" for head in sorted(heads)) + re.escape(written)
        spellings.append((re.compile(places[row["place"]].format(alone)), row["alike"]))
    return spellings


def _unspaced(
    text: str,
    annotated: list[dict],
    names: dict[int, set[str]],
    rng: Random,
    rate: float,
    language: Language,
) -> Iterator[list]:
    """Yield [start, end, before, after] for the drawn tokens of a text without spaces."""
    stems = _stems(language)
    for token in annotated:
        form, start, end = token["form"], token["start"], token["end"]
        ending, stem = _ending(token.get("lemma") or form), form.rstrip(_HIRAGANA)
        rows = next(
            (
                others
                for row, others in stems.get((stem, ending), ())
                if others and _fits(text, token, row, ending)
            ),
            [],
        )
        if rows and rng.random() < rate and not words.in_name(text, start, end, names):
            weights = [language.weight("homophones", row["weight"]) for row in rows]
            (heard,) = rng.choices(rows, weights)
            stem_heard = heard["word"][: len(heard["word"]) - len(ending)]
            yield [start, end, form, stem_heard + form[len(stem) :]]


def _ending(word: str) -> str:
    """Return the hiragana that a word ends in."""
    return word[len(word.rstrip(_HIRAGANA)) :]


@once_per_language
def _stems(language: Language) -> dict[tuple[str, str], list[tuple[dict, list[dict]]]]:
    """Return {(stem, ending): [(row, rows that sound and end alike, of its part of speech)]}."""
    sets: dict[tuple, list[dict]] = {}
    for row in language.written("homophones"):
        sets.setdefault((row["set"], row.get("upos"), _ending(row["word"])), []).append(row)
    stems: dict[tuple[str, str], list[tuple[dict, list[dict]]]] = {}
    for (_, _, ending), rows in sets.items():
        for row in rows:
            stem = row["word"][: len(row["word"]) - len(ending)]
            others = [other for other in rows if other is not row]
            stems.setdefault((stem, ending), []).append((row, others))
    return stems


def _fits(text: str, token: dict, row: dict, ending: str) -> bool:
    """Tell whether a token is the word of a row, by its part of speech and reading, if known.

    Without a reading a single character after a number is taken for a counter, which is read
    otherwise (3日).
    """
    if "upos" not in row:
        return True
    if token["upos"] != row["upos"]:
        is_noun_of_verb = token["upos"] == "NOUN" and row["upos"] == "VERB" and not ending
        if not is_noun_of_verb:
            return False
    reading, start = token.get("reading"), token["start"]
    if reading is None:
        return token["end"] - start > 1 or not text[max(start - 1, 0) : start].isnumeric()
    sound = row["set"][: len(row["set"]) - len(ending)]
    return reading.startswith(sound) if ending else reading == sound


PERTURBATION = Perturbation(perturb, resource="homophones.tsv", tokens=annotation)
