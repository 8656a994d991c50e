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

from collections.abc import Collection, Iterable, Iterator
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
    repeats = _repeats(language)
    names = words.protected(record)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        if annotation(language) is None:
            drawn: Iterable[words.Word] = words.drawn(text, rng, rate)
        else:
            drawn = _drawn(holder, repeats, language, rng, rate)
        for word, start, end in drawn:
            again = word
            if words.opens(text, start):
                again = word_forms.within_sentence(word, language, names)
            if again.lower() in names:
                continue
            begun = _start(again, repeats, kind, language, rng)
            if not begun or _is_part(text, start, end):
                continue
            if again == word:
                edits.append([pointer, start, start, "", begun])
            else:  # the capital moves to the beginning
                edits.append([pointer, start, start, "", word_forms.capitalised(begun)])
                edits.append([pointer, start, end, word, again])
    return edits


def _is_part(text: str, start: int, end: int) -> bool:
    """Tell whether a word is held, or tied to another: kick-off, anak-anak, and/or, i.e."""
    is_tied = not _TIES.isdisjoint(text[max(0, start - 1) : start] + text[end : end + 1])
    is_abbreviated = text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum()
    return is_tied or is_abbreviated or words.is_held(text, start, end)


def _drawn(
    holder: dict, repeats: Collection[str], language: Language, rng: Random, rate: float
) -> Iterator[words.Word]:
    """Yield the drawn content words and repeatable words at the beginning of a phrase."""
    annotated = tokens.annotated(holder, "asr.disfluency", "upos")
    for before, token in zip([{}, *annotated], annotated, strict=False):
        is_wanted = token["upos"] in tokens.CONTENT or token["form"] in repeats
        if is_wanted and not sentences.clings(before, token, language) and rng.random() < rate:
            yield token["form"], token["start"], token["end"]


@once_per_language
def _repeats(language: Language) -> frozenset[str]:
    return frozenset(row["word"] for row in language.written("repeats"))


def _start(word: str, repeats: Collection[str], kind: str, language: Language, rng: Random) -> str:
    """Return what precedes a word that is said or begun twice; "" if the word stays."""
    pause = "" if language.space else language.facts["pause"]
    twice = begun = ""
    if word in repeats and kind != "restart":
        twice = word + (language.space or pause)

    # short words, digits and capitals are not broken off
    letters = word if word.isascii() else compiled(r"\X").findall(word)
    is_long = len(letters) >= (4 if language.space else 2)
    if kind != "repetition" and is_long and not word[0].isupper():
        if not any(map(str.isdigit, word)):
            begun = "".join(letters[: rng.randint(1, min(3, len(letters) // 2))])
            begun += "- " if language.space else pause
    return rng.choice([twice, begun]) if twice and begun else twice or begun


PERTURBATION = Perturbation(perturb, resource="repeats.tsv", tokens=annotation)
