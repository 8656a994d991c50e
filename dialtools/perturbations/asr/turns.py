"""Miss the end of a turn, or attribute words to the wrong speaker, as diarisation does.

An error befalls each turn with the given rate.  A missed boundary joins it with
the next turn, if that is another speaker's: the whole is the first speaker's,
with what the first turn holds and the tokens and entities of both.  A wrong
label gives the turn to another speaker of the dialogue.  In a dialogue of one
speaker nothing changes.

Source: ours; both are errors that the diarisation of speakers makes.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hi Ann."}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1), rate=1, kind="boundary")[0][4]
[{'speaker': 'Ann', 'text': 'Hi! Hi Ann.'}]
"""

from random import Random
from typing import Literal

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import words
from dialtools.variants import turntaking


def perturb(
    record: dict,
    rng: Random,
    *,
    rate: float = 0.2,
    kind: Literal["any", "boundary", "label"] = "any",
) -> list[list]:
    """Return an edit for each error.

    rate: probability of a turn, from 0 to 1.
    kind: only missed boundaries, only wrong labels, or any.
    """
    words.check_rate(rate)
    turns = record["dialogue"]
    speakers = dialogue.speakers(turns)
    space = dialogue.language(record).space
    edits, free = [], 0  # free: the first turn that no error has befallen
    for number, turn in enumerate(turns):
        if len(speakers) < 2 or rng.random() >= rate or number < free:
            continue
        pair = turns[number : number + 2]
        possible = ["boundary", "label"] if pair[0]["speaker"] != pair[-1]["speaker"] else ["label"]
        wanted = [error for error in possible if kind in ("any", error)]
        if not wanted:
            continue
        error = rng.choice(wanted)
        if error == "label":
            wrong = [speaker for speaker in speakers if speaker != turn["speaker"]]
            before, after = [turn], {**turn, "speaker": rng.choice(wrong)}
        else:
            before, after = pair, turntaking.joined(pair, space)
        free = number + len(before)
        edits.append(["/dialogue", number, free, before, [after], error])
    return edits


PERTURBATION = Perturbation(perturb, needs=("dialogue",))
