"""Repeat words, or break them off and begin again: I I think, wha- what.

Each eligible word changes with the given rate.  Short words that speakers
repeat while they plan (repeats.tsv) are said twice; words of four letters or
more break off and begin anew.  Nothing that is said is taken back
("to Boston, I mean, to Denver"), since that would change the content.

Names (speakers, words with a capital inside a sentence, tokens tagged PROPN),
words with digits, parts of words (kick-off), addresses, placeholders and `code` stay.  Chinese and
Japanese need the tokens of dt-parse with UPOS; there the break is a comma, and
content words of two characters or more are begun twice (图，图书馆).

Source: "filler words and disfluencies" among the errors of spoken language,
section 3.1 of "Evaluating Robustness of Open Dialogue Summarization Models in
the Presence of Naturally Occurring Variations"; its rate of 0.2 is the default.

>>> from random import Random
>>> perturb({"text": "I think we should leave.", "lang": "en"}, Random(0), rate=0.5)
[['/text', 8, 8, '', 'we '], ['/text', 11, 11, '', 'sh- ']]
"""

from collections.abc import Collection, Iterator
from random import Random
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import sentences, word_forms, words

_TIES = frozenset("-‐‑_/\\=~^·・")


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return None if language.space else ("upos",)


def perturb(
    record: dict,
    rng: Random,
    *,
    rate: float = 0.2,
    kind: Literal["any", "repetition", "restart"] = "any",
) -> list[list]:
    """Return the edits that put in disfluencies.

    rate: probability of an eligible word, from 0 to 1.
    kind: only one of the two, or any.
    """
    words.check_rate(rate)
    language = dialogue.language(record)
    wanted = annotation(language)
    repeats = _repeats(language)
    names = words.protected(record)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        drawn = (
            words.drawn(text, rng, rate)
            if wanted is None
            else _drawn(holder, wanted, repeats, language, rng, rate)
        )
        for word in drawn:
            again = (
                word_forms.within_sentence(word[0], language, names)
                if words.opens(text, word[1])
                else word[0]
            )
            begun = "" if again.lower() in names else _start(again, repeats, kind, language, rng)
            if begun and not _is_part(text, word):
                edits += [[pointer, *edit] for edit in _begun_with(begun, word, again)]
    return edits


def _is_part(text: str, word: words.Word) -> bool:
    """Tell whether a word is held, or tied to another: kick-off, anak-anak, and/or, i.e."""
    _, start, end = word
    tied = not _TIES.isdisjoint(text[max(0, start - 1) : start] + text[end : end + 1])
    return (
        tied
        or (text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum())
        or words.is_held(text, start, end)
    )


def _begun_with(begun: str, word: words.Word, again: str) -> list[list]:
    """Return the edits, without their pointer, that insert a beginning; a capital moves to it."""
    text, start, end = word
    if again == text:
        return [[start, start, "", begun]]
    return [[start, start, "", word_forms.capitalised(begun)], [start, end, text, again]]


def _drawn(
    holder: dict,
    wanted: tuple[str, ...],
    repeats: Collection[str],
    language: Language,
    rng: Random,
    rate: float,
) -> Iterator[words.Word]:
    """Yield the drawn content words and repeatable words at the beginning of a phrase."""
    found = tokens.annotated(holder, "asr.disfluency", *wanted)
    for before, token in zip([{}, *found], found, strict=False):
        is_wanted = token["upos"] in tokens.CONTENT or token["form"] in repeats
        if is_wanted and not sentences.clings(before, token, language) and rng.random() < rate:
            yield token["form"], token["start"], token["end"]


@once_per_language
def _repeats(language: Language) -> frozenset[str]:
    return frozenset(row["word"] for row in language.written("repeats"))


def _start(word: str, repeats: Collection[str], kind: str, language: Language, rng: Random) -> str:
    """Return what precedes a word that is said or begun twice; "" if the word stays."""
    twice = ""
    if word in repeats and kind != "restart":
        twice = word + (language.space or language.facts["pause"])
    begun = _begun(word, language, rng) if kind != "repetition" else ""
    return rng.choice([twice, begun]) if twice and begun else twice or begun


def _begun(word: str, language: Language, rng: Random) -> str:
    """Return the beginning of a word that breaks off; "" for a short word, digits or a capital."""
    letters = word if word.isascii() else compiled(r"\X").findall(word)
    shortest = 4 if language.space else 2
    if len(letters) < shortest or word[0].isupper() or any(map(str.isdigit, word)):
        return ""
    begun = "".join(letters[: rng.randint(1, min(3, len(letters) // 2))])
    return begun + ("- " if language.space else language.facts["pause"])


PERTURBATION = Perturbation(perturb, resource="repeats.tsv", tokens=annotation)
