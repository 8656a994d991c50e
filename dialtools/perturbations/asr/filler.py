"""Insert fillers: um, you know, 那个, えーと, मतलब.

A place takes a filler with the given rate. Places are the beginning of an
utterance, after a comma and, if the tokens have UPOS, before a content word
(noun, verb, adjective, adverb) that does not cling to the word before it (as a
verb does in Hindi). fillers.tsv says which fillers fit a place, and which only
formal or casual speakers use (piye ya, in Javanese). No filler stands beside
another one, or inside a name, a title (《…》), a number, a compound, an address
or `code`.

Source: "filler words and disfluencies" among the errors of spoken language,
section 3.1 and table 6 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations".  Left
out are its hedges (I think, perhaps), which change what is claimed.

>>> from random import Random
>>> [edit[1:] for edit in perturb({"text": "Call us, please.", "lang": "en"}, Random(1), rate=0.5)]
[[0, 0, '', 'Actually, '], [0, 4, 'Call', 'call'], [9, 9, '', 'you know, ']]
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import phrases, sentences, word_forms, words

_BEHIND_COMMA = re.compile(r"(?:,\s+|[，、]\s*)(?=[^\W_])")


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return the edits that insert fillers; rate: probability of a place, from 0 to 1."""
    words.check_rate(rate)
    language = dialogue.language(record)
    names = words.protected(record)
    styles = _styles(record, language)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        fillers = _fillers(language, styles[pointer])
        for at, where in sorted(_places(holder, language, fillers).items()):
            if rng.random() < rate:
                said = rng.choice(fillers[where])
                edits += [
                    [pointer, *edit]
                    for edit in _filled(holder["text"], at, where, said, language, names)
                ]
    return edits


def _styles(record: dict, language: Language) -> dict[str, str]:
    """Return {JSON Pointer of a text: formality of its speaker} if the fillers depend on it."""
    if not any(row.get("formality") for row in language.written("fillers")):
        return defaultdict(str)
    alone = [{"speaker": "", "text": record.get("text") or ""}]
    spoken, written = (
        phrases.styles({"lang": language.tag, "dialogue": turns}, "auto")
        for turns in (dialogue.turns(record), alone)
    )
    return {
        pointer: written[""] if holder is record else spoken[holder["speaker"]]
        for pointer, holder in dialogue.utterances(record)
    }


def _places(holder: dict, language: Language, fillers: dict[str, list[str]]) -> dict[int, str]:
    """Return where a filler can stand, and before what: start, comma or word."""
    text = holder["text"]
    found = (holder.get("tokens") or []) if tokens.has(holder, "upos") else []
    trailing = {token["start"] for token in found if sentences.trails(token, language)}
    places = {at: "word" for at in _content(text, found, language)}
    places |= {
        match.end(): "comma"
        for match in _BEHIND_COMMA.finditer(text)
        if match.end() not in trailing
    }
    first = next(words.words(text), None)
    places |= {first[1]: "start"} if first else {}
    before, after = _beside(language)
    return {
        at: where
        for at, where in places.items()
        if fillers[where]
        and not words.is_held(text, at, at)
        and not after.match(text, at)
        and (where == "start" or not before.search(text[max(0, at - 20) : at]))
    }


def _content(text: str, found: list[dict], language: Language) -> Iterator[int]:
    """Yield where a content word begins that does not belong to the word before it."""
    spaced = bool(language.space)
    for before, token in pairwise(found):
        is_content = token.get("upos") in tokens.CONTENT and token["form"][0].isalpha()
        is_apart = text[token["start"] - 1].isspace() or not spaced
        if is_content and is_apart and not sentences.clings(before, token, language):
            yield token["start"]


def _filled(
    text: str, at: int, where: str, filler: str, language: Language, names: set[str]
) -> list[list]:
    """Return the edits, without their pointer, of one filler; a capital moves to it."""
    known = language.facts
    pause = " " if where == "word" and known["space"] else known.get("pause", ", ")
    if where == "start" and text[at].isupper():
        word, _, _ = next(words.words(text[at:]))
        inside = word_forms.within_sentence(word, language, names)
        edit = [[at, at, "", word_forms.capitalised(filler) + pause]]
        return edit + ([[at, at + len(word), word, inside]] if inside != word else [])
    return [[at, at, "", filler + pause]]


@once_per_language
def _beside(language: Language) -> tuple[re.Pattern, re.Pattern]:
    """Return the patterns of a filler that stands before, and behind, a place already."""
    import regex

    fillers = sorted((row["filler"] for row in language.written("fillers")), key=len, reverse=True)
    found = f"(?:{'|'.join(map(regex.escape, fillers))})"
    letter = r"[\p{L}\p{M}\p{N}]" if language.space else "(?!)"
    return (
        regex.compile(rf"(?<!{letter}){found}[,，、…\s]*\Z", regex.IGNORECASE),
        regex.compile(rf"{found}(?!{letter})", regex.IGNORECASE),
    )


@functools.cache
def _fillers(language: Language, formality: str) -> dict[str, list[str]]:
    """Return the fillers for a formality by the kind of place."""
    found: dict[str, list[str]] = {"start": [], "comma": [], "word": []}
    for row in language.written("fillers"):
        if row.get("formality", "") in ("", formality):
            found[row["before"]].append(row["filler"])
    return found


PERTURBATION = Perturbation(perturb, resource="fillers.tsv")
