"""Say utterances in other words: by rules of the language, or by a paraphraser.

Each utterance with words changes with the given rate. By default the tables of the
language reword what they know (I cannot come for I can't come); --paraphraser
names a model, a server or a program that does it, and --paraphrase-floor a
likeness below which its answer is no paraphrase, so that the text stays. A
paraphrase has no tokens.

Source: own work, for the invariance tests of "Beyond Accuracy: Behavioral Testing of
NLP Models with CheckList": what means the same should be answered the same.

>>> from random import Random
>>> perturb({"text": "I can't come. Thanks!", "lang": "en"}, Random(1))
[['/text', 0, 21, "I can't come. Thanks!", 'I cannot come. Thank you!']]
"""

from collections.abc import Callable
from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.text import paraphrases


def perturb(
    record: dict, rng: Random, *, rate: float = 1.0, paraphrase: Callable = paraphrases.plain
) -> list[list]:
    """Return an edit for each utterance that is said in other words.

    rate: probability of an utterance.
    paraphrase: (text, rng, *, lang, formality) -> text.
    """
    return paraphrases.edits(record, rng, rate, paraphrase)


def resource(paraphrase: Callable) -> str:
    """Return the table that a language needs, "" where something else than the rules paraphrases."""
    return "paraphrases.tsv" if paraphrase is paraphrases.plain else ""


PERTURBATION = Perturbation(perturb, resource=resource)
