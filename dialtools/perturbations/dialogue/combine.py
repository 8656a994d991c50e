"""Join consecutive turns of one speaker into one turn.

All runs of one speaker are joined, the others' stay; the speaker is drawn
from those who have such a run.  It probes the long bias of summarisers: does
a long turn count for more than the same words in short ones?  Of the joined
turns' other keys (times, addressees) only the first turn's stay; tokens and
entities go with their words.

Source: "combined utterances", section 3.2 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations".  Texts are joined by a space, or by nothing in a language that is
written without spaces.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi."}, {"speaker": "Ann", "text": "Bob?"}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]
[{'speaker': 'Ann', 'text': 'Hi. Bob?'}]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.variants import turntaking


def perturb(record: dict, rng: Random) -> list[list]:
    """Return one edit for each run of turns that becomes one turn."""
    runs = turntaking.runs(record["dialogue"])
    speakers = sorted({turns[0]["speaker"] for _, turns in runs})
    if not speakers:
        return []
    chosen = rng.choice(speakers)
    space = dialogue.language(record).space
    return [
        ["/dialogue", start, start + len(turns), turns, [turntaking.joined(turns, space)]]
        for start, turns in runs
        if turns[0]["speaker"] == chosen
    ]


PERTURBATION = Perturbation(perturb, needs=("dialogue",))
