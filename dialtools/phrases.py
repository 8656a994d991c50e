"""Phrases that perturbations insert, as formal as the dialogue is.

A language's phrases.tsv has several wordings of each kind; its formality.tsv
has words and endings (cues) that give a speaker away as formal or casual:
sir and gonna, 您 and 你, です and だよ, आप and तुम, krama and ngoko.
"""

import functools
from collections import Counter
from random import Random
from typing import Literal

from dialtools import dialogue, languages
from dialtools.errors import RecordError

Formality = Literal["auto", "formal", "casual"]


def draw(kind: str, record: dict, speaker: str, formality: Formality, rng: Random, setting: str = "any") -> str:
    """Return one of the wordings of a kind, as a speaker of the dialogue would say it.

    formality: "auto" is as the speaker's turns are; see `of`.
    """
    lang = dialogue.lang(record)
    wanted = of(record["dialogue"], speaker, lang) if formality == "auto" else formality
    return wording(kind, lang, wanted, rng, setting)


def wording(kind: str, lang: str, formality: str, rng: Random, setting: str = "any") -> str:
    """Return one of the wordings of a kind.

    kind: greeting, closing, repeat, again ("I said: {text}"), wait, acknowledge, thanks, backchannel.
    setting: friends or support for a greeting and a closing; any for the others.

    A setting that has wordings of one formality only (support is formal) has these.
    """
    texts = _texts(kind, setting, lang)
    if not texts:
        raise RecordError(f"there are no phrases for a {kind} in {lang}")
    return rng.choice(texts.get(formality) or next(iter(texts.values())))


@functools.lru_cache(maxsize=None)
def _texts(kind: str, setting: str, lang: str) -> dict[str, list[str]]:
    """Return {formality: wordings}."""
    texts: dict[str, list[str]] = {}
    for row in languages.table(lang, "phrases"):
        if row["kind"] == kind and row["setting"] == setting:
            texts.setdefault(row["formality"], []).append(row["text"])
    return texts


def of(turns: list[dict], speaker: str, lang: str) -> Literal["formal", "casual"]:
    """Return how a speaker talks: formal where more cues are formal than casual.

    Where the speaker's own turns do not tell, all turns do; where these do not either, it is casual.
    """
    own = [turn["text"] for turn in turns if turn["speaker"] == speaker]
    for texts in (own, [turn["text"] for turn in turns]):
        found = Counter(map(_cues(lang), _pattern(lang).findall("\n".join(texts).lower())))
        if found["formal"] != found["casual"]:
            return "formal" if found["formal"] > found["casual"] else "casual"
    return "casual"


@functools.lru_cache(maxsize=None)
def _cues(lang: str):
    return {row["cue"]: row["formality"] for row in languages.table(lang, "formality")}.get


@functools.lru_cache(maxsize=None)
def _pattern(lang: str):
    """Return the pattern of all cues, the longest first: whole words, but where words are not spaced."""
    import regex

    cues = sorted((row["cue"] for row in languages.table(lang, "formality")), key=lambda cue: (-len(cue), cue))
    found = "|".join(map(regex.escape, cues)) or r"(?!)"
    letter = r"[\p{L}\p{M}\p{N}]"
    return regex.compile(rf"(?<!{letter})(?:{found})(?!{letter})" if languages.load(lang)["space"] else found)
