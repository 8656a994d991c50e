"""Shuffle consecutive turns of one speaker, like messages that cross.

One run of two or more turns of one speaker is drawn and shuffled; runs of
equal turns and all other turns stay.  A turn takes along whatever it holds,
its time included.

Source: a counterpart of "combined utterances", section 3.2 of "Evaluating
Robustness of Open Dialogue Summarization Models in the Presence of Naturally
Occurring Variations"; not in the paper.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi."}, {"speaker": "Ann", "text": "Are you in?"}]
>>> [turn["text"] for turn in perturb({"dialogue": turns}, Random(1))[0][4]]
['Are you in?', 'Hi.']
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.variants import turntaking


def perturb(record: dict, rng: Random) -> list[list]:
    """Return the edit that shuffles a run of turns."""
    runs = [
        (start, run)
        for start, run in turntaking.runs(record["dialogue"])
        if any(turn != run[0] for turn in run)
    ]
    if not runs:
        return []
    start, run = rng.choice(runs)
    return [["/dialogue", start, start + len(run), run, _shuffled(run, rng)]]


def _shuffled(run: list[dict], rng: Random) -> list[dict]:
    """Return the turns in another order; where shuffling leaves it, they move on by one."""
    order = rng.sample(run, len(run))
    return order if order != run else [*run[1:], run[0]]


PERTURBATION = Perturbation(perturb, needs=("dialogue",))
