"""Expand contractions and contract full forms: don't and do not.

Each place changes with the given rate; kind=contract or kind=expand allows one
direction only.  The lemma of its token decides an ambiguous form ('s for is or
has, 'd for would or had); without tokens the following words decide, and the
form stays if they do not.  "Don't you" becomes "Do you not".  A new apostrophe
(' or ’) looks like the others of the record; case stays.  In other languages,
the forms are reductions of speech: tidak and nggak, ている and てる.

Some places never change: the end of a clause ("Yes, I am."), possessives, names
(of speakers, tokens tagged PROPN), addresses and hashtags.

Source: "contractions and expansions" among the typographical errors, section
3.1 of "Evaluating Robustness of Open Dialogue Summarization Models in the
Presence of Naturally Occurring Variations", rate 0.2.  Forms and contexts:
contractions.tsv and contexts.tsv of the language.

>>> from random import Random
>>> perturb({"text": "I don't know where he is, but he is late.", "lang": "en"}, Random(1), rate=1)
[['/text', 4, 4, '', ' ', 'expand'], ['/text', 4, 7, "n't", 'not', 'expand'], \
['/text', 32, 33, ' ', '', 'contract'], ['/text', 33, 35, 'is', "'s", 'contract']]
"""

from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import contractions, words


def perturb(
    record: dict,
    rng: Random,
    *,
    kind: Literal["any", "contract", "expand"] = "any",
    rate: float = 0.2,
) -> list[list]:
    """Return the edits of each place that changes; rate: probability of a place, from 0 to 1."""
    words.check_rate(rate)
    language = dialogue.language(record).variety
    names = words.protected(record)
    sized = words.by_length(names)
    apostrophe = ""
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, at = holder["text"], 0
        for site in contractions.drawn(holder, language, rng, rate):
            if (
                site.start >= at
                and kind in ("any", site.kind)
                and not _is_name(text, site, names, sized, language)
            ):
                apostrophe = apostrophe or _apostrophe(record)
                edits += [
                    [pointer, *edit, site.kind]
                    for edit in contractions.edits(text, site, apostrophe)
                ]
                at = site.end
    return edits


def _is_name(
    text: str,
    site: contractions.Contraction,
    names: set[str],
    sized: dict[int, set[str]],
    language: Language,
) -> bool:
    if not language.space:
        return words.in_name(text, site.start, site.end, sized)
    form = text[site.start : site.end].lower().replace("'", " ").replace("’", " ")
    return not names.isdisjoint(form.split())


def _apostrophe(record: dict) -> str:
    """Return the apostrophe that a record writes: ’ where it has that one only."""
    found = {
        letter for holder in dialogue.holders(record) for letter in "'’" if letter in holder["text"]
    }
    return "’" if found == {"’"} else "'"


PERTURBATION = Perturbation(perturb, resource="contractions.tsv")
