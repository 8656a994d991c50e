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

import re
from collections import defaultdict
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
        text, fillers = holder["text"], _fillers(language, styles[pointer])
        for place, where in sorted(_places(holder, language, fillers).items()):
            if rng.random() >= rate:
                continue
            filler = rng.choice(fillers[where])
            spaced = where == "word" and language.space
            pause = " " if spaced else language.facts.get("pause", ", ")
            if where != "start" or not text[place].isupper():
                edits.append([pointer, place, place, "", filler + pause])
                continue
            edits.append([pointer, place, place, "", word_forms.capitalised(filler) + pause])
            word, _, _ = next(words.words(text[place:]))
            inside = word_forms.within_sentence(word, language, names)
            if inside != word:
                edits.append([pointer, place, place + len(word), word, inside])
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
    annotated = (holder.get("tokens") or []) if tokens.has(holder, "upos") else []
    places: dict[int, str] = {}

    # before content words that do not belong to the word before them
    for token_before, token in pairwise(annotated):
        is_content = token.get("upos") in tokens.CONTENT and token["form"][0].isalpha()
        is_apart = text[token["start"] - 1].isspace() or not language.space
        if is_content and is_apart and not sentences.clings(token_before, token, language):
            places[token["start"]] = "word"

    trailing = {token["start"] for token in annotated if sentences.trails(token, language)}
    behind_commas = {match.end() for match in _BEHIND_COMMA.finditer(text)}
    places |= dict.fromkeys(behind_commas - trailing, "comma")
    first = next(words.words(text), None)
    if first:
        places[first[1]] = "start"
    before, after = _beside(language)
    return {
        place: where
        for place, where in places.items()
        if fillers[where]
        and not words.is_held(text, place, place)
        and not after.match(text, place)
        and (where == "start" or not before.search(text[max(0, place - 20) : place]))
    }


@once_per_language
def _beside(language: Language) -> tuple[re.Pattern, re.Pattern]:
    """Return the patterns of a filler that stands before, and behind, a place already."""
    import regex

    fillers = sorted((row["filler"] for row in language.written("fillers")), key=len, reverse=True)
    any_filler = f"(?:{'|'.join(map(regex.escape, fillers))})"
    letter = r"[\p{L}\p{M}\p{N}]" if language.space else "(?!)"
    return (
        regex.compile(rf"(?<!{letter}){any_filler}[,，、…\s]*\Z", regex.IGNORECASE),
        regex.compile(rf"{any_filler}(?!{letter})", regex.IGNORECASE),
    )


@once_per_language
def _fillers(language: Language, formality: str) -> dict[str, list[str]]:
    """Return the fillers for a formality by the kind of place."""
    fillers: dict[str, list[str]] = {"start": [], "comma": [], "word": []}
    for row in language.written("fillers"):
        if row.get("formality", "") in ("", formality):
            fillers[row["before"]].append(row["filler"])
    return fillers


PERTURBATION = Perturbation(perturb, resource="fillers.tsv")
