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
    texts = [holder["text"] for holder in dialogue.holders(record)]
    is_curly = any("’" in text for text in texts) and not any("'" in text for text in texts)
    apostrophe = "’" if is_curly else "'"

    def is_name(text: str, start: int, end: int) -> bool:
        if not language.space:
            return words.in_name(text, start, end, sized)
        form = text[start:end].lower().replace("'", " ").replace("’", " ")
        return not names.isdisjoint(form.split())

    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, free = holder["text"], 0
        for site in contractions.drawn(holder, language, rng, rate):
            is_wanted = site.start >= free and kind in ("any", site.kind)
            if is_wanted and not is_name(text, site.start, site.end):
                changes = contractions.edits(text, site, apostrophe)
                edits += [[pointer, *edit, site.kind] for edit in changes]
                free = site.end
    return edits


PERTURBATION = Perturbation(perturb, resource="contractions.tsv")
