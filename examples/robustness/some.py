"""Spelling errors in some of the utterances: a share of the words of a share of the utterances.

The utterances are the first of an order that is drawn for the dialogue, as many as the share says, rounded up; so those
of a smaller share are among those of a larger one only by chance.

Source: figure 9 of "Evaluating Robustness of Open Dialogue Summarization Models in the Presence of Naturally Occurring
Variations".
"""

from math import ceil
from random import Random

from dialtools.perturbations.typo import keyboard
from dialtools.plugins.perturbation import Perturbation


def perturb(record: dict, rng: Random, *, utterances: float = 1.0, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that is mistyped.

    utterances, rate: the share of utterances with errors, and of their words, from 0 to 1.
    """
    number = len(record["dialogue"])
    drawn = rng.sample(range(number), ceil(utterances * number))
    chosen = {f"/dialogue/{turn}/text" for turn in drawn}
    return [edit for edit in keyboard.perturb(record, rng, rate=rate) if edit[0] in chosen]


PERTURBATION = Perturbation(perturb)
