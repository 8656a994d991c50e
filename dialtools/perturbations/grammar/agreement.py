"""Make auxiliaries disagree in number: is → are; in other languages, comparable slips.

Each word that has a counterpart changes with the given rate.

English: finite auxiliaries (am is are was were has have does do, also joined to
n't or to a word).  Imperative do stays, as do have and do after to or another
auxiliary, and words with a single form (had, did, can, will).
Hindi: है हैं, था थे थी, and participles in -ता and रहा, in number or gender; the
note says which.
Indonesian has no agreement: verbs lose me- or ber- (membaca → baca), as in casual
speech.  Javanese has none either: words of the ngoko and krama levels are mixed
(aku → kula).

English words that are always auxiliaries (is, are, was), Hindi है and था, and
Javanese words need no tokens.  All others need tokens with upos, lemma and feats.

Source: "grammatical errors", section 3.1 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations": tokens tagged AUX, rate 0.2.

>>> from random import Random
>>> perturb({"text": "She is here, they aren't.", "lang": "en"}, Random(1))
[['/text', 4, 6, 'is', 'are', 'number']]
"""

from random import Random

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import rewrites, words

KIND = "grammar.agreement"


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where some words are found without."""
    return rewrites.wanted(language, "agreement")


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that no longer agrees; rate: probability of a word."""
    words.check_rate(rate)
    table = rewrites.rules(dialogue.language(record), "agreement")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        edits += rewrites.rewritten(
            pointer, holder["text"], rewrites.seen(holder, KIND, table), table, rng, rate
        )
    return edits


PERTURBATION = Perturbation(perturb, resource="agreement.tsv", tokens=annotation)
