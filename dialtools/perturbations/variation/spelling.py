"""Spell British words as in America, and American ones as in Britain: colour, color.

Each word that the two spell otherwise changes with the given rate, by default all; to=british or
to=american makes one way.  Plurals, verb forms and what else is inflected or derived are words of
their own (travelled, traveled); 's stays behind a word, and case is kept.  British is -ise.  A word
stays where only its meaning would tell (story and storey, practice); so do names (of speakers,
tokens tagged PROPN, words with a capital inside a sentence), addresses, placeholders, hashtags and
`code`.

Source: VarCon of the Spell Checker Oriented Word Lists, of words to its level 60.

>>> from random import Random
>>> perturb({"text": "My favourite tire, in gray.", "lang": "en"}, Random(1))
[['/text', 3, 12, 'favourite', 'favorite', 'american'], ['/text', 22, 26, 'gray', 'grey', 'british']]
"""

from random import Random
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import word_forms, words


def perturb(
    record: dict,
    rng: Random,
    *,
    to: Literal["any", "british", "american"] = "any",
    rate: float = 1.0,
) -> list[list]:
    """Return an edit for each word that is spelt as elsewhere.

    to: where.
    rate: probability of a word, from 0 to 1.
    """
    words.check_rate(rate)
    spellings = _spellings(dialogue.language(record))
    names = words.protected(record)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        for word, start, _ in words.drawn(holder["text"], rng, rate):
            stem = word.removesuffix("'s").removesuffix("’s")
            end = start + len(stem)
            spelling, variety = spellings.get(stem.lower(), ("", ""))
            if (
                not spelling
                or to not in ("any", variety)
                or not names.isdisjoint((word, stem.lower()))
            ):
                continue
            if not words.is_capitalised(holder["text"], {"form": stem, "start": start}):
                edits.append(
                    [pointer, start, end, stem, word_forms.cased_like(spelling, stem), variety]
                )
    return edits


@once_per_language
def _spellings(language: Language) -> dict[str, tuple[str, str]]:
    """Return {word: (its other spelling, where that is used)}."""
    rows = language.table("british")
    to_british = {
        row["american"]: (row["british"], "british") for row in rows if row["only"] != "american"
    }
    to_american = {
        row["british"]: (row["american"], "american") for row in rows if row["only"] != "british"
    }
    return to_british | to_american


PERTURBATION = Perturbation(perturb, resource="british.tsv")
