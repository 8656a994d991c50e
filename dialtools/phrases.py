"""Phrases that perturbations insert, from the table of each language."""

from random import Random

from dialtools import languages
from dialtools.errors import RecordError


def draw(kind: str, setting: str, lang: str, rng: Random) -> str:
    """Return one of a language's phrases of a kind (greeting, closing) for a setting (friends, support)."""
    texts = [row["text"] for row in languages.table(lang, "phrases")
             if row["kind"] == kind and row["setting"] == setting]
    if not texts:
        raise RecordError(f"dialogue.{kind} is not defined for {lang}: no phrases")
    return rng.choice(texts)
