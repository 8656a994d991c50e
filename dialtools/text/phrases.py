"""Phrases that perturbations insert, as formal as the dialogue is.

A language's phrases.tsv has several wordings of each kind; its formality.tsv has cues, words and
endings of formal or casual speakers: sir and gonna, 您 and 你, です and だよ, आप and तुम, krama and
ngoko.
"""

import functools
from random import Random
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.records import dialogue
from dialtools.system.errors import RecordError

Formality = Literal["auto", "formal", "casual"]
_MARKS = dict.fromkeys(map(ord, '.,!?;:"“”()…।'), " ")  # an apostrophe is part of a word


def styles(record: dict, formality: Formality) -> dict[str, str]:
    """Return the formality of each speaker of a dialogue: the given one, or "auto" by their cues.

    A speaker with more formal cues than casual ones is formal. If a speaker's turns do not tell,
    all turns decide; if these do not tell either, the speaker is casual.
    """
    texts_of: dict[str, list[str]] = {}
    for turn in record["dialogue"]:
        texts_of.setdefault(turn["speaker"], []).append(turn["text"])
    if formality != "auto":
        return dict.fromkeys(texts_of, formality)
    language = dialogue.language(record)
    balances = {
        speaker: _formality("\n".join(texts), language) for speaker, texts in texts_of.items()
    }
    balance_of_all = sum(balances.values())
    return {
        speaker: "formal" if (balance or balance_of_all) > 0 else "casual"
        for speaker, balance in balances.items()
    }


def wording(
    kind: str, language: Language, formality: str, rng: Random, setting: str = "any"
) -> str:
    """Return one of the wordings of a kind.

    kind: greeting, closing, repeat, again ("I said: {text}"), wait, acknowledge, thanks,
        backchannel.
    setting: friends or support for a greeting and a closing; any for the others.

    A setting that has wordings of one formality only (support is formal) has these.
    """
    by_formality = _wordings(language).get((kind, setting))
    if not by_formality:
        raise RecordError(f"no phrases for a {kind} in {language.tag}")
    return rng.choice(by_formality.get(formality) or next(iter(by_formality.values())))


@once_per_language
def _wordings(language: Language) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Return {(kind, setting): {formality: wordings}}."""
    wordings: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in language.written("phrases"):
        by_formality = wordings.setdefault((row["kind"], row["setting"]), {})
        by_formality.setdefault(row["formality"], []).append(row["text"])
    return wordings


@functools.lru_cache(maxsize=16)  # several kinds ask for the same texts, one after the other
def _formality(text: str, language: Language) -> int:
    """Return the number of formal cues less the number of casual ones."""
    weights, phrases = _cues(language)
    if not language.space:
        text = text.lower()
        return sum(weight * text.count(cue) for cue, weight in weights.items())
    text = f" {text.lower().translate(_MARKS)} "
    cues = [word for word in text.split() if word in weights]
    possible = [phrase for word in phrases.keys() & cues for phrase in phrases[word]]
    return sum(weights[word] for word in cues) + sum(
        weight * text.count(phrase) for phrase, weight in possible
    )


@once_per_language
def _cues(language: Language) -> tuple[dict[str, int], dict[str, list[tuple[str, int]]]]:
    """Return {cue: 1 if formal, -1 if casual}, and {longest word: cues of several words with it}.

    That word is a cue of weight 0 if it is not a cue itself: a text without it needs no search.
    """
    cues = {
        row["cue"]: 1 if row["formality"] == "formal" else -1
        for row in language.written("formality")
    }
    phrases: dict[str, list[tuple[str, int]]] = {}
    for cue, weight in cues.items():
        if " " in cue:
            phrases.setdefault(max(cue.split(), key=len), []).append((f" {cue} ", weight))
    return dict.fromkeys(phrases, 0) | cues, phrases
